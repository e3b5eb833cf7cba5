"""Documents to test: small ones whose lines interact, and mutations of real files.

A document is bytes. Each choice is drawn from the given generator, which is hypothesis' own, so that it makes a
difference small.
"""
import re
import sys

from sides import files as of_suite, readings

AGENTS = [b"MyBot"] * 6 + [b"*"] * 6 + [
    b"mybot", b"MYBOT/2.1", b"MyBot-Image", b"MyBot2", b"MyBot*", b"MyBot and more", b"MyBot\xc3\xa9", b"MyBot,Other",
    b"My", b"My.Bot", b"My_Bot", b"Other", b"Other/1.0", b"MJ12bot", b"mj12", b"008", b"* ", b"* x", b"*x", b"*,MyBot",
    b"", b"(none)", b"Foo Bar", b"* Disallow: /", b"MyBot Disallow: /", b"MyBot\x0b", b"MyBot\x00x", b"\xc3\xa9",
]
ASKED = [["MyBot"]] * 8 + [
    ["Other"], ["MyBot-Image", "MyBot"], ["Other", "MyBot"], ["MJ12bot"], ["008"], ["My"], ["My.Bot"], ["mybot/2.1"],
    ["Foo Bar"], ["Zed"], ["MyBot2"], ["MyBot\u00e9"],
]
USER_AGENT = [b"User-agent"] * 8 + [
    b"user-agent", b"USER-AGENT", b"Useragent", b"User agent", b"User  agent", b"user\tagent", b"user-agents",
    b"ser-agent", b"User-agent-x", b"User_agent",
]
DISALLOW = [b"Disallow"] * 10 + [
    b"disallow", b"DISALLOW", b"Dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw", b"Disallowed",
    b"Disallow-x", b"desallow", b"Dis allow",
]
ALLOW = [b"Allow"] * 8 + [b"allow", b"ALLOW", b"Allows", b"Allowance", b"alow"]
COLONS = [b": "] * 12 + [b":", b":", b" : ", b":\t", b" ", b"\t", b"::", b"", b" :", b"\x0b: "]
ENDS = [b""] * 14 + [b" ", b"\t", b"  ", b" # c", b"#", b"\t# c: d", b"#Disallow: /", b"\x0b", b"\x00", b"\x00/x"]
INDENTS = [b""] * 12 + [b" ", b"  ", b"   ", b"\t", b" \t"]
OTHERS = [
    b"", b"", b"", b" ", b"\t ", b"# c", b"#", b"  # c", b"Crawl-delay: 1", b"Sitemap: https://e.com/s.xml", b"Sitemap:",
    b"https://e.com/x", b"http://e.com", b"Host: e.com", b"Noindex: /n", b"Unknown: x", b"junk", b"<br />", b": /y", b":",
    b"Disallow", b"Allow", b"User-agent", b"/x", b"Content-Signal: a=yes,", b"b=no", b"Crawl-delay", b"two words",
    b"Disallow: /a Disallow: /b", b"Request-rate:", b"Allow: //", b"\xef\xbb\xbfAllow: /", b"\x00", b"user", b"Foo", b"-",
]
ATOMS = [b"a"] * 6 + [b"b"] * 4 + [b"/"] * 6 + [b"*"] * 6 + [b"$"] * 3 + [
    b"%2A", b"%2a", b"%24", b"%2F", b"%2f", b"%61", b"%7e", b"~", b".", b"?", b"=", b"4", b"A", b"2", b"%", b"%4", b"%%",
    b"**", b"*$", b"$*", b"$$", b"***", b"%C3%A9", b"%c3%a9", b"\xc3\xa9", b"\xe9", b" ", b"|", b"<", b"\\", b"%20", b"%00",
    b"index.html", b"index.htm", b"robots.txt", b"//", b"/./", b";", b":", b"@", b"[", b"'", b"&b", b"\x7f", b"\t", b"\x0b",
    b"%23", b"%25", b"%2541", b"+", b",",
]
STARTS = [b"/"] * 16 + [b"*"] * 2 + [b"", b"$", b"%2F", b"%2A", b"%24", b"a", b"https://e.com/", b"/*"]
FIRST = [b""] * 24 + [b"\xef\xbb\xbf", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xff\xfe", b"\n"]
LINE_ENDS = [[b"\n"]] * 6 + [[b"\r\n"]] * 2 + [[b"\r"], [b"\n", b"\r\n", b"\r"], [b"\n\r"], [b"\r\r\n", b"\n"]]
# Values and names near the default limits, and near Google's longest line.
EDGES = [200, 2_000, 2_000, 16_663]

# Words that mutations add to files.
WORDS = ATOMS + OTHERS + [b"User-agent: *", b"User-agent: MyBot", b"Disallow: /", b"Allow: /", b"\r", b"\n", b"\r\n", b"#", b": "]


def path(rnd):
    return rnd.choice(STARTS) + b"".join(rnd.choices(ATOMS, k=rnd.randrange(6)))


def near(rnd, value):
    """A path that differs a little from another one, so that both match some URL."""
    at = rnd.randrange(len(value) + 1)
    return rnd.choice([
        value, value + b"*", value + b"$", value + b"**", value[:-1], value[:at] + b"*" + value[at:], value[:at] + b"*",
        value[:at] + rnd.choice(ATOMS) + value[at:], value[:at] + value[at + 1:], b"*" + value[at:],
        value.replace(b"*", b"**"), value.replace(b"a", b"%61"), value.replace(b"$", b"%24"), value.replace(b"*", b"%2A"),
        value[:at] + b"/index.html",
    ])


def long_value(rnd):
    """A value whose size is near a limit."""
    edge = rnd.choice(EDGES)
    length = edge + rnd.randrange(-24, 4)
    # The time of Google's parser grows with stars times bytes, so the longest values have no stars.
    filler = rnd.choice([b"a", b"ab/", b"%C3%A9", b"\xc3\xa9", b" ", b"*a" if edge < 16_000 else b"b"])
    return (b"/" + filler * length)[:length] + rnd.choice([b"", b"b", b"$", b"*"])


def rule(rnd, paths):
    name = rnd.choice(DISALLOW if rnd.random() < 0.6 else ALLOW)
    kind = rnd.random()
    if kind < 0.12:
        value = b""
    elif kind >= 0.997:
        value = long_value(rnd)
    elif kind < 0.7:
        value = near(rnd, rnd.choice(paths))
    else:
        value = path(rnd)
    return name + rnd.choice(COLONS) + value


def folded(rnd, paths):
    """A field and lines below it that may continue it: its colon, its value, another value."""
    indent = rnd.choice(INDENTS)
    name, values = rnd.choice([(DISALLOW, paths), (ALLOW, paths), (USER_AGENT, AGENTS)])
    parts = [rnd.choice(name)] + rnd.choice([[b":"], [b"", b": "], [b"", b":", b""], [b":", b""], [b"", b":"], [b": x"]])
    parts[-1] += rnd.choice(values) if len(parts) > 1 or rnd.random() < 0.5 else b""
    parts += rnd.choices([path(rnd), b"Allow: /a", b"two words", b"https://e.com/", b"MyBot", b""], k=rnd.randrange(3))
    deeper = rnd.choices([b"", b" ", b"  ", b"\t"], [1, 4, 2, 1], k=len(parts) - 1)
    return [start + text + rnd.choice(ENDS) for start, text in zip([indent, *(indent + more for more in deeper)], parts)]


def line(rnd, paths):
    kind = rnd.random()
    if kind < 0.24:
        agent = rnd.choice(AGENTS)
        if rnd.random() >= 0.996:
            agent = b"MyBot" * 45
        text = rnd.choice(USER_AGENT) + rnd.choice(COLONS) + agent
    elif kind < 0.80:
        text = rule(rnd, paths)
    else:
        text = rnd.choice(OTHERS)
    return rnd.choice(INDENTS) + text + rnd.choice(ENDS)


def dense(rnd):
    """A small document in which most lines affect one another."""
    paths = [path(rnd) for _ in range(rnd.randrange(1, 4))]
    texts = []
    for _ in range(rnd.choice([2, 3, 4, 5, 6, 8, 12])):
        texts += folded(rnd, paths) if rnd.random() >= 0.92 else [line(rnd, paths)]
    if rnd.random() < 0.75:
        texts.insert(0, b"User-agent: " + rnd.choice([b"*", b"MyBot"]))
    if rnd.random() >= 0.998:
        # More lines of one kind than the limits on counts of some dialects allow.
        at = rnd.randrange(len(texts))
        texts[at:at] = [rnd.choice(texts)[:100]] * 1_001
    ends = rnd.choice(LINE_ENDS)
    document = rnd.choice(FIRST) + b"".join(text + rnd.choice(ends) for text in texts)
    return document[:-1] if rnd.random() >= 0.8 else document


TINY = [b"a"] * 4 + [b"b", b"/", b"*", b"*", b"**", b"$", b"%2A", b"%24", b"4", b"A", b"index.html"]


def tiny(rnd):
    """One or two groups with rules made of a few parts, so that nearly all pairs overlap."""
    texts = [b"User-agent: *"]
    for _ in range(rnd.choice([2, 2, 3, 3, 4, 6])):
        start = rnd.choice([b"/", b"/", b"/", b"*", b"", b"//"])
        value = start + b"".join(rnd.choices(TINY, k=rnd.randrange(5)))
        texts.append(rnd.choice([b"Allow: ", b"Disallow: "]) + value + rnd.choice([b"", b"", b"", b"$"]))
        if rnd.random() >= 0.92:
            texts.append(b"User-agent: " + rnd.choice([b"MyBot", b"Other", b"*"]))
    return b"\n".join(texts)


LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def piece(rnd, data, size):
    """Some neighbouring lines, of about this many bytes."""
    if len(data) <= size:
        return data
    start = rnd.randrange(len(data) - size) if rnd.random() < 0.7 else 0
    start = data.rfind(b"\n", 0, start) + 1
    return data[start:start + size]


def change_lines(rnd, data, files):
    found = [text for text in LINE.findall(data) if text]
    if not found:
        return data
    at = rnd.randrange(len(found))
    kind = rnd.randrange(6)
    if kind == 0:
        del found[at]
    elif kind == 1:
        found.insert(rnd.randrange(len(found) + 1), found[at])
    elif kind == 2:
        other = rnd.randrange(len(found))
        found[at], found[other] = found[other], found[at]
    elif kind == 3:
        found[at:at] = [text for text in LINE.findall(piece(rnd, rnd.choice(files), 200)) if text]
    elif kind == 4:
        found.insert(at, line(rnd, [path(rnd)]) + b"\n")
    else:
        found[at] = rnd.choice(INDENTS) + found[at].lstrip(b" \t")
    return b"".join(found)


def change_bytes(rnd, data):
    if not data:
        return data
    at = rnd.randrange(len(data))
    kind = rnd.randrange(5)
    if kind == 0:
        return data[:at] + bytes([rnd.randrange(256)]) + data[at + 1:]
    if kind == 1:
        return data[:at] + rnd.choice(WORDS) + data[at:]
    if kind == 2:
        return data[:at] + data[at + rnd.randrange(1, 9):]
    if kind == 3:
        return data[:at] + rnd.choice([b"*", b"$", b"%2A", b"%24", b" ", b"\r", b"\n", b"#"]) + data[at:]
    return data[:at]


def mutation(rnd, files):
    """A part of a file, with some lines and bytes changed."""
    data = piece(rnd, rnd.choice(files), rnd.choice([100, 300, 300, 1_000, 1_000, 3_000]))
    for _ in range(rnd.randrange(4)):
        data = change_lines(rnd, data, files)
    for _ in range(rnd.randrange(5)):
        data = change_bytes(rnd, data)
    if rnd.random() >= 0.92:
        data = re.sub(rb"\r\n|\r|\n", rnd.choice([b"\r", b"\r\n", b"\n"]), data)
    return data


def is_packed(data):
    """Whether it looks like gzip or zstd, or is UTF-16 or UTF-32. The command would decode such a file: the suite has some."""
    return data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")) or bool(of_suite.of_units(data, readings.STANDARD))


def document(rnd, files):
    """The next document."""
    while True:
        kind = rnd.random()
        data = tiny(rnd) if kind < 0.25 else dense(rnd) if kind < 0.7 or not files else mutation(rnd, files)
        if not is_packed(data):
            return data


# The command answers for no browser: whoever asks so has forgotten the crawler's own name.
BROWSERS = frozenset(
    b"applewebkit chrome chromium crios edg edga edge edgios firefox fxios gecko headlesschrome iceweasel "
    b"khtml konqueror mozilla msie netscape opera opr presto safari samsungbrowser seamonkey trident "
    b"ucbrowser up.browser vivaldi webkit yabrowser".split()
)
NAMED = re.compile(rb"(?im)^[ \t\xef\xbb\xbf]*user[- ]?agent[ \t]*:?[ \t]*([0-9a-z_.-]+)")


def agents(rnd, data):
    """The agents to test for a document: half of the time those that it names, if any."""
    own = sorted({name.decode() for name in NAMED.findall(data) if name.lower() not in BROWSERS})
    if own and rnd.random() >= 0.6:
        return rnd.sample(own, k=min(len(own), rnd.choice([1, 1, 1, 2])))
    return rnd.choice(ASKED)


MAX_FILE = 200_000  # longer files are left out: pieces of them would be the same


def load(folder):
    found = [path.read_bytes() for path in sorted(folder.rglob("*"))
             if path.is_file() and path.stat().st_size <= MAX_FILE]
    if not found:
        sys.exit(f"{folder}: no files")
    return found
