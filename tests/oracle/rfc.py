"""A robots.txt matcher written from the text of RFC 9309. It shares no code and no data with the project.

`Reading` lists the choices of SPEC.md that go beyond the RFC. Each has the name of its clause and can be switched off;
`STRICT` has all of them off and is the RFC alone. Simple and slow on purpose: a step a function, in the RFC's order.
"""
import re
from dataclasses import dataclass
from functools import lru_cache

RULES = {"allow": True, "disallow": False}

# [field.typo], by level. SPEC.md has the same table.
PROCESSOR = {"useragent": "user-agent"}
COMMON = PROCESSOR | {
    "user agent": "user-agent", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow",
    "diasllow": "disallow", "disallaw": "disallow", "site-map": "sitemap",
}
GENEROUS = COMMON | dict.fromkeys(
    "user-agents,user agents,user-agnet,users-agent,user-agant,user--agent,ser-agent".split(","), "user-agent",
) | dict.fromkeys(
    "desallow,dsallow,diallow,disllow,disallows,disallowed,dissallows,disalllow,disaalow,disallo,isallow".split(","),
    "disallow",
) | dict.fromkeys("allows,alow".split(","), "allow") | dict.fromkeys(
    "crawl delay,crawldelay,craw-delay".split(","), "crawl-delay",
) | dict.fromkeys("sitemaps,site map".split(","), "sitemap")
TYPOS = {"strict": {}, "processor": PROCESSOR, "common": COMMON, "generous": GENEROUS}

# Field names after which a missing colon is added and an empty value is continued.
KNOWN = frozenset(
    "user-agent allow disallow sitemap crawl-delay request-rate visit-time noindex content-signal content-usage "
    "clean-param host license".split()
)
# [line.fold]: names whose value may have several words, so a line of several words can continue an empty one.
SEVERAL = frozenset("user-agent request-rate visit-time clean-param content-signal content-usage".split())


@dataclass(frozen=True)
class Reading:
    """Choices beyond the RFC, by clause. A default is that of SPEC.md's standard dialect."""
    byte_order_mark: bool = True  # [input.bom]
    max_bytes: int = 512_000  # [limit.bytes]; the RFC asks for at least this
    leniency: str = "common"  # [field.typo] [field.missing-colon]
    fold: bool = True  # [line.fold]
    keep_trailing_spaces: bool = False  # [line.trailing-blanks]
    any_line_ends_run: bool = False  # [record.any-line-ends-run]
    wide_tokens: bool = True  # [agent.token]: digits and dots in a product token
    fallback: bool = True  # [agent.fallback]
    complement_leading_slash: bool = True  # [path.slash]
    decode_wildcard: bool = False  # [path.decode-wildcard]
    file_order: bool = False  # [rule.file-order]
    robots_txt: bool = True  # [rule.robots-txt], which is the RFC's own


STRICT = Reading(byte_order_mark=False, leniency="strict", fold=False, wide_tokens=False,
                 complement_leading_slash=False)


# Lines: RFC 2.2.

@dataclass(frozen=True)
class Line:
    indent: int
    text: bytes  # without the comment and the blanks around it
    kept: bytes  # the same, with the blanks at its end where those are kept
    has_comment: bool


NAME = rb"[0-9A-Za-z-]+|(?i:user[ \t]+agents?|crawl[ \t]+delay|site[ \t]+map)"
FIELD = re.compile(rb"(" + NAME + rb")[ \t]*:[ \t]*(.*)", re.S)
NAME_ALONE = re.compile(NAME)
TWO_WORDS = re.compile(rb"([0-9A-Za-z-]+)[ \t]+([^ \t]+)", re.S)
URL = re.compile(rb"(?i:https?)[ \t]*:[ \t]*//", re.S)


def mark(data, reading):
    """[input.bom]: removes a byte order mark, also an incomplete one."""
    if not reading.byte_order_mark:
        return data
    for length in (3, 2, 1):
        if data.startswith(b"\xef\xbb\xbf"[:length]):
            return data[length:]
    return data


def cut(data, reading):
    """[limit.bytes]: bytes over the limit are not read. A line that is partly over it is not read at all."""
    read, more = data[:reading.max_bytes], data[reading.max_bytes:]
    if not more or more.startswith((b"\r", b"\n")):
        return read
    return read[:max(read.rfind(b"\r"), read.rfind(b"\n")) + 1]


def lines(data, reading):
    for raw in re.split(rb"\r\n|\r|\n", data):
        before, hash_sign, _ = raw.partition(b"#")
        start = before.lstrip(b" \t")
        text = start.rstrip(b" \t")
        kept = start if reading.keep_trailing_spaces and not hash_sign else text
        yield Line(len(before) - len(start), text, kept, bool(hash_sign))


def known(name, reading):
    """The meaning of a field name, in lower case. [field.typo] has the misspelled ones."""
    name = b" ".join(name.lower().split()).decode("latin-1")
    name = TYPOS[reading.leniency].get(name, name)
    return name if name in KNOWN else None


def field(line, reading):
    """The name and the value of a line, if it is a field."""
    found = FIELD.fullmatch(line.kept) if line.text else None
    if found:
        return found[1], found[2]
    found = TWO_WORDS.fullmatch(line.text)
    # [field.missing-colon]
    if found and reading.leniency in ("common", "generous") and known(found[1], reading):
        return found[1], found[2]
    return None


def fields(data, reading):
    """The fields of a file: pairs of a known name, or None, and a value."""
    rest = list(lines(data, reading))
    while rest:
        line = rest.pop(0)
        found = field(line, reading)
        if reading.fold and not line.has_comment and line.text:
            found = continued(line, found, rest, reading)
        found = found or alone(line, reading)
        if found:
            yield known(found[0], reading), found[1]


def alone(line, reading):
    """[field.missing-colon]: a user-agent line without colon and value."""
    is_agent = reading.leniency in ("common", "generous") and known(line.text, reading) == "user-agent"
    return (line.text, b"") if is_agent else None


def continued(line, found, rest, reading):
    """[line.fold]: the field that a line begins, with deeper indented lines below it, which are removed from `rest`."""
    has_comment = False

    def deeper():
        return rest[0] if rest and rest[0].text and rest[0].indent > line.indent and not has_comment else None

    below = deeper()
    if found is None and below and below.kept.startswith(b":") and NAME_ALONE.fullmatch(line.text):
        found = line.text, below.kept[1:].lstrip(b" \t")
        has_comment = rest.pop(0).has_comment
        below = deeper()
    if found is None or found[1] or not below:
        return found
    is_word = not re.search(rb"[ \t]", below.text)
    is_url = URL.match(below.text) and is_word
    if field(below, reading) is None and (is_word or known(found[0], reading) in SEVERAL) or is_url:
        rest.pop(0)
        return found[0], below.kept
    return found


# Groups: RFC 2.2.1.

def groups(data, reading):
    """A file's groups: pairs of user agents and rules, where a rule is a pair of a value and whether it allows."""
    result, run_is_open = [], False
    for name, value in fields(cut(mark(data, reading), reading), reading):
        if name == "user-agent":
            if not run_is_open:
                result.append(([], []))
            result[-1][0].append(value)
            run_is_open = True
        elif name in RULES:
            run_is_open = False
            if result:
                result[-1][1].append((value, RULES[name]))
        elif reading.any_line_ends_run:
            run_is_open = False
    return result


def is_everyone(value):
    return value.rstrip(b" \t") == b"*" or value.startswith((b"* ", b"*\t"))


def product_token(agent, reading):
    """The token at the start of the crawler's name. [agent.any]: without one, only groups for `*` apply."""
    octets = rb"[0-9A-Za-z._-]+" if reading.wide_tokens else rb"[A-Za-z_-]+"
    found = re.match(rb"[ \t]*(" + octets + rb")(.?)", agent, re.S)
    return found[1] if found and found[2] < b"\x80" else None


def names(value, token):
    """Whether a user-agent line's value names the crawler with that token."""
    if token is None or not value.lower().startswith(token.lower()):
        return False
    more = rb"A-Za-z_\-"
    more += rb"0-9" if re.search(rb"[0-9]", token) else b""
    more += rb"." if b"." in token else b""
    return not re.match(rb"[" + more + rb"]", value[len(token):])


def rules_for(found, agents, reading):
    """The rules of the matching groups: those of the first agent that any group names, or those for `*`."""
    tokens = [product_token(agent.encode(), reading) for agent in agents]
    tests = [lambda value, token=token: names(value, token) for token in tokens]
    for test in [*tests, *([is_everyone] if reading.fallback else [])]:
        matching = [rules for values, rules in found if any(map(test, values))]
        if matching:
            return [rule for rules in matching for rule in rules]
    return []


# Paths: RFC 2.2.2 and 2.2.3.

URL_OCTETS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" b":/?#[]@!$&'()*+,;=" b"%")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# A literal `*` or `$`, raw or encoded, is one unit that differs from every byte: [path.literal].
LITERAL = {"*": "\ue000", "$": "\ue001"}
STAR = "\ue002"  # the wildcard
OCTETS = re.compile(rb"%([0-9A-Fa-f]{2})|(.)", re.S)
HEX = frozenset("0123456789abcdefABCDEF")


@lru_cache(1 << 12)
def units(octets, is_rule, decode_wildcard=False):
    """Normalised bytes as a string with one character for each unit, and the number of bytes as written."""
    out, length = [], 0
    for escape, octet in OCTETS.findall(octets):
        code = int(escape, 16) if escape else octet[0]
        char = chr(code)
        if escape:
            # [path.decode]: nothing is decoded that would complete an incomplete escape.
            completes = char in HEX and (out[-1:] == ["%"] or out[-2:-1] == ["%"] and out[-1] in HEX)
            is_encoded = completes or code not in UNRESERVED
        else:
            is_encoded = code not in URL_OCTETS
        if char == "*" and is_rule and (not escape or decode_wildcard):
            unit, size = STAR, 1
        elif char in LITERAL:
            unit, size = LITERAL[char], 3 if escape else 1
        elif is_encoded:
            unit, size = "%%%02X" % code, 3
        else:
            unit, size = char, 1
        out.append(unit)
        length += size
    return "".join(out), length


@lru_cache(1 << 16)
def pattern(value, reading):
    """A rule's value: its literals, separated by stars; whether it is anchored at the end; its length in bytes."""
    is_anchored = value.endswith(b"$")
    text, length = units(value[:-1] if is_anchored else value, True, reading.decode_wildcard)
    if reading.complement_leading_slash and not value.startswith(b"$") and not text.startswith(("/", STAR)):
        text, length = "/" + text, length + 1
    return text.split(STAR), is_anchored, length + is_anchored


def matches(literals, is_anchored, path):
    """Whether a pattern matches a path. Takes each literal at its leftmost place, which leaves most for the next."""
    first, *others = literals
    if not path.startswith(first):
        return False
    at = len(first)
    if not others:
        return not is_anchored or at == len(path)
    *middle, last = others
    for literal in middle:
        found = path.find(literal, at)
        if found < 0:
            return False
        at = found + len(literal)
    if is_anchored:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


URL_PARTS = re.compile(rb"(?://)?(?:[^/?;]*?://)?[^/?;]*(.*)", re.S)


def path_of(url):
    """[url.path]: the path and the query of a URL, without a fragment."""
    path = URL_PARTS.match(url.partition(b"#")[0])[1]
    return path if path.startswith(b"/") else b"/" + path


class File:
    """A file, parsed for some agents."""

    def __init__(self, data, agents, reading):
        self.take(groups(data, reading), agents, reading)

    def take(self, found, agents, reading):
        self.reading = reading
        self.rules = [(*pattern(value, reading), allows) for value, allows in rules_for(found, agents, reading) if value]

    @classmethod
    def of_groups(cls, found, agents, reading):
        """The same, from groups."""
        file = cls.__new__(cls)
        file.take(found, agents, reading)
        return file

    def allow(self, urls):
        return [self.allows(url) for url in urls]

    def allows(self, url):
        path, _ = units(path_of(url), False)
        if self.reading.robots_txt and path == "/robots.txt":
            return True
        matching = [(length, allows) for literals, end, length, allows in self.rules if matches(literals, end, path)]
        if not matching:
            return True
        return matching[0][1] if self.reading.file_order else max(matching)[1]
