"""Files under a reading: RFC 9309, 2.2 and 2.2.1. Lines, fields, groups, and the rules for a crawler."""
import re
from dataclasses import dataclass, replace

NAMES = {b"user-agent", b"allow", b"disallow"}
# Misspellings that some reader accepts: they show which vectors depend on a reader's leniency.
TYPOS = {
    b"useragent": b"user-agent", b"user agent": b"user-agent", b"user_agent": b"user-agent",
    b"user-agents": b"user-agent", b"dissallow": b"disallow", b"dissalow": b"disallow", b"disalow": b"disallow",
    b"diasllow": b"disallow", b"disallaw": b"disallow", b"disallowed": b"disallow", b"disallows": b"disallow",
    b"allows": b"allow", b"alow": b"allow", b"allowed": b"allow", b"desallow": b"disallow", b"dsallow": b"disallow",
    b"diallow": b"disallow", b"disllow": b"disallow", b"user agents": b"user-agent", b"user--agent": b"user-agent",
    b"disallo": b"disallow",
}
# [field.typo], by level. SPEC.md has the same table.
PROCESSOR = {b"useragent": b"user-agent"}
COMMON = PROCESSOR | {
    b"user agent": b"user-agent", b"dissallow": b"disallow", b"dissalow": b"disallow", b"disalow": b"disallow",
    b"diasllow": b"disallow", b"disallaw": b"disallow", b"site-map": b"sitemap",
}
GENEROUS = COMMON | dict.fromkeys(
    b"user-agents,user agents,user-agnet,users-agent,user-agant,user--agent,ser-agent".split(b","), b"user-agent",
) | dict.fromkeys(
    b"desallow,dsallow,diallow,disllow,disallows,disallowed,dissallows,disalllow,disaalow,disallo,isallow".split(b","),
    b"disallow",
) | dict.fromkeys(b"allows,alow".split(b","), b"allow") | dict.fromkeys(
    b"crawl delay,crawldelay,craw-delay".split(b","), b"crawl-delay",
) | dict.fromkeys(b"sitemaps,site map".split(b","), b"sitemap")
LEVELS = {"strict": {}, "processor": PROCESSOR, "common": COMMON, "generous": GENEROUS}
# What the levels know: after these names a missing colon is added, and an empty value is continued.
KNOWN = NAMES | set(
    b"sitemap crawl-delay request-rate visit-time noindex content-signal content-usage clean-param host license".split()
)
# [line.fold]: names whose value may have several words, so a line of several words can continue an empty one.
SEVERAL = set(b"user-agent request-rate visit-time clean-param content-signal content-usage".split())
# [line.fold]: names whose value is a list, which goes on after a value.
LISTS = set(b"content-signal content-usage".split())
TOKEN = re.compile(rb"[A-Za-z_-]+")
WIDE = re.compile(rb"[A-Za-z0-9._-]+")


# 2.2: lines and fields.

def unmarked(data, r):
    """Without a byte order mark at the start."""
    if r.byte_order_mark == "drop" and data.startswith(b"\xef\xbb\xbf"):
        return data[3:]
    if r.byte_order_mark == "drop-partial":
        for length in (3, 2, 1):
            if data.startswith(b"\xef\xbb\xbf"[:length]):
                return data[length:]
    if r.byte_order_mark == "drop-anywhere":
        return data.replace(b"\xef\xbb\xbf", b"")
    return data


def within_limit(data, r):
    """What is over the limit is not read. `cut-line` also leaves out a line whose end is over it; `whole-lines`, as
    [limit.bytes], only one that has more than its end there."""
    most = r.most_bytes
    if len(data) <= most or r.beyond_limit == "read":
        return data
    read = data[:most]
    if r.beyond_limit == "cut" or r.beyond_limit == "whole-lines" and data[most:].startswith((b"\r", b"\n")):
        return read
    return read[:max(read.rfind(b"\r"), read.rfind(b"\n")) + 1]


# The mark of UTF-32 LE begins with that of UTF-16 LE.
MARKS = [(b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"),
         (b"\xfe\xff", "utf-16-be")]


def is_of_units(data, mark, codec):
    """Whether a mark begins the file, and a character of ASCII, or less than one, follows it."""
    unit = data[len(mark):][:len(mark)]
    is_ascii = len(unit) < len(mark) or 0 < int.from_bytes(unit, "little" if codec.endswith("le") else "big") < 128
    return data.startswith(mark) and is_ascii


def of_units(data, r):
    """The text of a file in UTF-16 or UTF-32 with a mark, and its limit: [input.utf16]. A file that ends within a unit
    has no last line."""
    for mark, codec in MARKS:
        if is_of_units(data, mark, codec):
            raw = data[len(mark):]
            whole = raw[:len(raw) // len(mark) * len(mark)]
            text = whole.decode(codec, "replace").encode()
            if len(whole) < len(raw):
                text = text[:max(text.rfind(b"\r"), text.rfind(b"\n")) + 1]
            most = r.most_bytes
            if len(raw) > most:
                most = min(most, len(raw[:most // len(mark) * len(mark)].decode(codec, "ignore").encode()))
            return text, replace(r, most_bytes=most)
    return None


def text_of(data, r):
    decoded = of_units(data, r) if r.encoding == "utf-16" else None
    data, r = decoded or (unmarked(data, r), r)
    if r.page == "empty" and data.lstrip().startswith((b"<", b"{", b"[")):
        return b""
    data = within_limit(data, r)
    if r.encoding == "replace":
        return data.decode("utf-8", "replace").encode()
    if r.encoding == "latin-1":
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1").encode()
    return data


@dataclass(frozen=True)
class Line:
    indent: int
    text: bytes  # without the comment and the blanks around it
    kept: bytes  # the same, with the blanks at its end where those are kept
    has_comment: bool


def blanks_of(r):
    return b" \t\x0b\x0c\0\x1c\x1d\x1e\x1f" if r.controls == "trim" else b" \t"


def lines_of(data, r):
    if r.controls == "end-lines":
        data = re.sub(rb"[\x0b\x0c]", b"\n", data)
    elif r.controls == "remove":
        data = re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"", data)
    lines = re.split(rb"\r\n|\r|\n", data)
    if r.last_line == "skip":
        lines.pop()
    blanks = blanks_of(r)
    for line in lines:
        if r.line_limit == "google":
            line = line[:8 * 2083 - 1]
        if r.controls == "nul-ends":
            line = line.partition(b"\0")[0]
        before, hash_sign, _ = line.partition(b"#")
        start = before.lstrip(blanks)
        text = start.rstrip(blanks)
        kept = start if r.trailing_blanks == "keep" and not hash_sign else text
        yield Line(len(before) - len(start), text, kept, bool(hash_sign))


def name_of(name, r):
    """The meaning of a field's name, or None for another record."""
    name = name.lower()
    if r.names in LEVELS:
        # A vertical tab or a form feed is no blank.
        name = b" ".join(re.split(rb"[ \t]+", name.strip(b" \t")))
        name = LEVELS[r.names].get(name, name)
        return name if name in KNOWN else None
    if name in NAMES:
        return name
    if r.names == "typos":
        return TYPOS.get(name)
    if r.names == "blanks":
        return TYPOS.get(b" ".join(name.split())) if b" " in name or b"\t" in name else None
    if r.names == "letters":
        letters = re.sub(rb"[^a-z]", b"", name)
        known = [word for word in (b"useragent", b"disallow", b"allow") if word in letters]
        return {b"useragent": b"user-agent"}.get(known[0], known[0]) if known else None
    if r.names == "prefixes":
        starts = [b"user-agent", b"useragent", b"user agent", b"allow", b"disallow", b"dissallow", b"dissalow",
                  b"disalow", b"diasllow", b"disallaw"]
        for start in starts:
            if name.startswith(start):
                return TYPOS.get(start, start)
    return None


def fields_of(data, r):
    """The fields of a file: the meaning of a name, a value, and whether it is a field; nonsense is none."""
    joined = folded if r.continuation == "fold" else together
    for name, value, is_field in joined(data, r):
        if name and r.second_colon == "strip":
            value = value.lstrip(b": \t")
        yield name, value, is_field


def together(data, r):
    """The same, with lines that continue another one, for a reader that knows such lines."""
    waiting, indent, blanks = None, 0, blanks_of(r)
    for line in lines_of(text_of(data, r), r):
        text = line.text
        deeper = line.indent > indent and bool(text)
        name, value, is_field = field_of(line, r)
        if waiting and deeper:
            if waiting[1] is None and text.startswith(b":"):
                waiting = waiting[0], text[1:].lstrip(blanks), True
                continue
            if waiting[1] == b"" and not name or waiting[1] and not is_field and r.continuation == "join-all":
                waiting = waiting[0], (waiting[1] + b" " + text).lstrip(), True
                continue
        if waiting and waiting[1] is not None:
            yield waiting
        waiting, indent = None, line.indent
        if r.continuation != "none" and not is_field and name_of(text, r):
            waiting = name_of(text, r), None, True
        elif name or is_field:
            waiting = name, value, True
        elif text:
            yield None, b"", False
        if waiting and r.continuation == "none":
            yield waiting
            waiting = None
    if waiting and waiting[1] is not None:
        yield waiting


NAME = rb"[0-9A-Za-z-]+|(?i:user[ \t]+agents?|crawl[ \t]+delay|site[ \t]+map)"
FIELD = re.compile(rb"(" + NAME + rb")[ \t]*:[ \t]*(.*)", re.S)
NAME_ALONE = re.compile(NAME)
TWO_WORDS = re.compile(rb"([0-9A-Za-z-]+)[ \t]+([^ \t]+)", re.S)
URL = re.compile(rb"(?i:https?)[ \t]*:[ \t]*//", re.S)


def field_of(line, r):
    """The meaning of a line's name, its value, and whether it has the form of a field."""
    found = form_of(line, r)
    return (name_of(found[0], r), found[1], True) if found else (None, b"", False)


def form_of(line, r):
    """The name and the value of a line, as they are written, if it has the form of a field."""
    blanks = blanks_of(r)
    if r.field_form == "name":
        found = FIELD.fullmatch(line.kept) if line.text else None
        if found:
            return found[1], found[2]
    else:
        name, colon, value = line.kept.partition(b":")
        if colon:
            return (name.rstrip(blanks), value.lstrip(blanks)) if name.strip(blanks) else None
    if r.missing_colon == "two-words":
        found = TWO_WORDS.fullmatch(line.text)
        if found and name_of(found[1], r):
            return found[1], found[2]
        return (line.text, b"") if r.continuation != "fold" and name_of(line.text, r) == b"user-agent" else None
    if r.missing_colon != "skip":
        word, _, value = line.text.partition(b" ")
        word = re.match(rb"[A-Za-z-]*", word)[0]
        value = value.strip(blanks)
        if name_of(word, r) and (r.missing_colon == "add-always" or value and not re.search(rb"[ \t]", value)):
            return word, value
    return None


def folded(data, r):
    """[line.fold]: the fields, each with deeper indented lines below it that continue it."""
    rest = list(lines_of(text_of(data, r), r))[::-1]
    while rest:
        line = rest.pop()
        found = form_of(line, r)
        if not line.has_comment and line.text:
            found = continued(line, found, rest, r)
        # [field.missing-colon]: a user-agent line without colon and value.
        if not found and r.missing_colon == "two-words" and name_of(line.text, r) == b"user-agent":
            found = line.text, b""
        if found:
            yield name_of(found[0], r), found[1], True
        elif line.text:
            yield None, b"", False


def is_word(text):
    return not re.search(rb"[ \t]", text)


def is_url(text):
    return URL.match(text) and is_word(text)


def continued(line, found, rest, r):
    """The field that a line begins, with the lines that continue it, which are removed from the end of `rest`."""
    has_comment = False

    def deeper():
        return rest[-1] if rest and rest[-1].text and rest[-1].indent > line.indent and not has_comment else None

    below = deeper()
    if found is None and below and below.kept.startswith(b":") and NAME_ALONE.fullmatch(line.text):
        found = line.text, below.kept[1:].lstrip(b" \t")
        has_comment = rest.pop().has_comment
        below = deeper()
    if found is None or not below:
        return found
    if name_of(found[0], r) in LISTS:
        name, value = found
        while below and (form_of(below, r) is None or not value and is_url(below.text)):
            value += below.kept
            has_comment = rest.pop().has_comment
            below = deeper()
        return name, value
    if found[1]:
        return found
    if form_of(below, r) is None and (is_word(below.text) or name_of(found[0], r) in SEVERAL) or is_url(below.text):
        rest.pop()
        return found[0], below.kept
    return found


# 2.2.1: user agents and groups.

def agents_of(value, r):
    """The product tokens of a user-agent line, or None for a line that a reader skips."""
    if value == b"*" or TOKEN.fullmatch(value):
        return [value.lower()]
    if r.odd_agent == "skip":
        return None
    if r.odd_agent == "list":
        return [word.lower() for word in re.split(rb"[ \t,;]+", value) if word]
    if r.odd_agent == "value":
        return [value.lower()]
    if r.odd_agent == "within":
        return [b"within:" + value.lower()]
    if r.odd_agent == "everyone" and value.startswith(b"*"):
        return [b"*"]
    if r.odd_agent in ("prefix", "everyone"):
        if re.match(rb"\*[ \t]", value):
            return [b"*"]
        start = TOKEN.match(value)
    elif r.odd_agent == "wide-prefix":
        start = WIDE.match(value)
    else:
        start = None
    return [start[0].lower()] if start else [b""]


def groups_of(data, r):
    """A file's groups: the values of user-agent lines, and rules. A rule is whether it allows, and its value."""
    groups, outside, in_run = [], [], False
    for name, value, is_field in fields_of(data, r):
        if not is_field:
            in_run = in_run and r.nonsense == "skip"
        elif name == b"user-agent":
            if r.odd_agent == "skip" and agents_of(value, r) is None:
                continue
            if not in_run:
                groups.append(([], []))
                in_run = True
            groups[-1][0].append(value)
        elif name in (b"allow", b"disallow"):
            if value and not rule_counts(value, r):
                continue
            in_run = False
            (groups[-1][1] if groups else outside).append((name == b"allow", value))
        elif r.run_ends == "any-field":
            in_run = False
    if outside and r.outside_group == "everyone":
        groups.insert(0, ([b"*"], outside))
    return groups


def rule_counts(value, r):
    if r.no_slash == "skip" and not value.startswith((b"/", b"*")):
        return False
    return not (r.blank_in_path == "skip" and re.search(rb"[ \t]", value))


def is_everyone(value, r):
    """Whether a user-agent line is for every crawler."""
    if r.odd_agent == "token":
        return value.rstrip(b" \t") == b"*" or value.startswith((b"* ", b"*\t"))
    return b"*" in agents_of(value, r)


def token_of(agent, r):
    """The product token of a crawler's name, in lower case. [agent.any]: without one, only groups for `*` apply."""
    if r.odd_token in ("leading", "leading-wide"):
        octets = WIDE if r.odd_token == "leading-wide" else TOKEN
        found = re.match(rb"[ \t]*(" + octets.pattern + rb")(.?)", agent, re.S)
        return found[1].lower() if found and found[2] < b"\x80" else b""
    token = agent.lower()
    if r.odd_token == "letters" and not TOKEN.fullmatch(token):
        found = TOKEN.match(token)
        token = found[0] if found else b""
    return token


def names_it(value, token, r):
    """Whether a user-agent line's value names the crawler with that token."""
    if r.odd_agent == "token":
        if not value.lower().startswith(token):
            return False
        more = rb"A-Za-z_\-"
        more += rb"0-9" if re.search(rb"[0-9]", token) else b""
        more += rb"." if b"." in token else b""
        return not re.match(rb"[" + more + rb"]", value[len(token):])
    for agent in agents_of(value, r):
        if agent.startswith(b"within:"):
            if token in agent[7:] or agent[7:] in token:
                return True
        elif agent == token:
            return True
    return False


def rules_for(groups, agents, r):
    """The rules of the matching groups: those of the first agent that any group names, or those for `*`."""
    for agent in agents:
        token = token_of(agent, r)
        chosen = [rules for values, rules in groups if token and any(names_it(value, token, r) for value in values)]
        if chosen:
            return [rule for rules in chosen for rule in rules]
    if r.fallback == "none":
        return []
    chosen = [rules for values, rules in groups if any(is_everyone(value, r) for value in values)]
    if r.star_groups == "first":
        chosen = chosen[:1]
    elif r.star_groups == "last":
        chosen = chosen[-1:]
    return [rule for rules in chosen for rule in rules]
