"""URLs for a document, made of its rules: paths that the rules just match or just miss."""
import re

VALUE = re.compile(rb"(?im)(?:^|(?<=\r))(?:[^:\r\n]{0,40}l[oa]w[a-z-]*[ \t]*[ :]|[ \t]+(?=/))[ \t\x0b]*([^\r\n#]*)")
FILLERS = [b"", b"", b"a", b"b", b"/", b"x/y", b"*", b"$", b"ab", b"4", b"A"]
GENERIC = [b"/", b"/robots.txt", b"/a", b"/?a", b"/index.html", b"/a/index.html", b"/x"]
ORIGINS = [b"https://example.com"] * 6 + [b""] * 4 + [b"http://e.com:8080", b"//e.com", b"HTTPS://E.com"]
TAILS = [b""] * 8 + [b"#f", b"?", b"?q=/a", b"/", b"$", b"*", b";a"]
SPELLINGS = {
    b"*": [b"*", b"%2A", b"%2a"], b"$": [b"$", b"%24"], b"a": [b"a", b"%61"], b"/": [b"/", b"/", b"%2F", b"%2f"],
    b"~": [b"~", b"%7e", b"%7E"], b" ": [b" ", b"%20"],
}
MAX_FILLED = 20  # stars; where there are more, none is filled with another rule, for time
MAX_SPELT = 2_000  # the spelling of longer paths stays, for time


def fill(rnd, value, others):
    """A path that a rule matches or almost matches: its stars filled, an anchor dropped or kept."""
    if value.endswith(b"$") and rnd.random() < 0.8:
        value = value[:-1]
    parts = value.split(b"*")
    out = parts[0]
    for part in parts[1:]:
        filler = rnd.choice(FILLERS)
        if rnd.random() >= 0.8 and len(parts) < MAX_FILLED:
            filler = rnd.choice(others).replace(b"*", b"").strip(b"$")
        out += filler + part
    return out


def spell(rnd, path):
    """The same path in another spelling."""
    escapes = re.findall(rb"%[0-9A-Fa-f]{2}|.", path, re.S)
    for at in rnd.sample(range(len(escapes)), k=min(2, len(escapes))):
        if escapes[at] in SPELLINGS:
            escapes[at] = rnd.choice(SPELLINGS[escapes[at]])
        elif len(escapes[at]) == 3:
            raw = bytes([int(escapes[at][1:], 16)])
            escapes[at] = rnd.choice([raw, escapes[at].lower(), escapes[at].upper()]) if raw != b"#" else escapes[at]
        else:
            escapes[at] = rnd.choice([escapes[at], b"%%%02x" % escapes[at][0]])
    return b"".join(escapes)


def next_to(rnd, path):
    """The same path, or one with one byte more or less."""
    at = rnd.randrange(len(path) + 1)
    return rnd.choice([path, path, path[:-1], path + rnd.choice([b"a", b"/", b"4", b"$", b"*", b"x"]),
                       path[:at] + path[at + 1:], path[:at] + rnd.choice([b"a", b"/", b"b", b"$", b"*"]) + path[at:]])


def text_of(url):
    """A URL for JSON: bytes that are not UTF-8 are percent-encoded, as a client does."""
    try:
        return url.decode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", lambda found: b"%%%02X" % found[0][0], url).decode()


def urls(rnd, data, count):
    """Some URLs for a document, as text."""
    values = [value.strip(b" \t\x0b\x00") for value in VALUE.findall(data)]
    values = [value for value in values if value] or [b"/a"]
    found = []
    while len(found) < count:
        if rnd.random() >= 0.88:
            path = rnd.choice(GENERIC)
        else:
            path = next_to(rnd, fill(rnd, rnd.choice(values), values))
            if len(path) < MAX_SPELT and rnd.random() >= 0.6:
                path = spell(rnd, path)
            if rnd.random() >= 0.75:
                path += rnd.choice(TAILS)
        if not path.startswith(b"/"):
            path = b"/" + path
        origin = b"https://example.com" if path.startswith(b"//") else rnd.choice(ORIGINS)
        if rnd.random() >= 0.99 and origin:
            path = path[1:].partition(b"/")[0]
            path = b"?" + path if path else path
        found.append(text_of(origin + path))
    return found
