"""Answers for a file under a reading of RFC 9309, and says how strong the answer is.

Written from the text of the RFC, a section a function. It shares no code with the tester of this project. It is slow on
purpose. `verdict` asks the plain reading, then every other reading and every two of them together: where none of them
answers otherwise, the answer is a MUST.
"""
import re
from functools import lru_cache
from itertools import combinations

from .readings import ORDER, PLAIN, alternatives, reading

LIMIT = 500 * 1024
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
TOKEN = re.compile(rb"[A-Za-z_-]+")
WIDE = re.compile(rb"[A-Za-z0-9._-]+")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED = frozenset(b":/?#[]@!$&'()*+,;=")
HEX = frozenset(b"0123456789abcdefABCDEF")


# 2.2: lines and fields.

def text_of(data, r):
    if r.encoding == "utf-16":
        for mark, codec in [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]:
            if data.startswith(mark):
                return data[2:].decode(codec, "replace").encode()
    if r.byte_order_mark == "drop" and data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    elif r.byte_order_mark == "drop-partial":
        for length in (3, 2, 1):
            if data.startswith(b"\xef\xbb\xbf"[:length]):
                data = data[length:]
                break
    elif r.byte_order_mark == "drop-anywhere":
        data = data.replace(b"\xef\xbb\xbf", b"")
    if r.page == "empty" and data.lstrip().startswith((b"<", b"{", b"[")):
        return b""
    if len(data) > LIMIT and r.beyond_limit == "cut":
        data = data[:LIMIT]
    elif len(data) > LIMIT and r.beyond_limit == "cut-line":
        data = data[:LIMIT]
        data = data[:max(data.rfind(b"\r"), data.rfind(b"\n")) + 1]
    if r.encoding == "replace":
        return data.decode("utf-8", "replace").encode()
    if r.encoding == "latin-1":
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1").encode()
    return data


def lines_of(data, r):
    if r.controls == "end-lines":
        data = re.sub(rb"[\x0b\x0c]", b"\n", data)
    elif r.controls == "remove":
        data = re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"", data)
    lines = re.split(rb"\r\n|\r|\n", data)
    if r.last_line == "skip":
        lines.pop()
    for line in lines:
        if r.line_limit == "google":
            line = line[:8 * 2083 - 1]
        if r.controls == "nul-ends":
            line = line.partition(b"\0")[0]
        blanks = b" \t\x0b\x0c\0\x1c\x1d\x1e\x1f" if r.controls == "trim" else b" \t"
        yield line.partition(b"#")[0].rstrip(blanks), blanks


def name_of(name, r):
    """The meaning of a field's name: one of NAMES, or None for another record."""
    name = name.lower()
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
    """The fields of a file: pairs of a name and a value. Other records are not there; nonsense is a pair of None."""
    for name, value in joined(data, r):
        if name and r.second_colon == "strip":
            value = value.lstrip(b": \t")
        yield name, value


def joined(data, r):
    """The same, with lines that continue another one, for a reader that knows such lines."""
    waiting, indent = None, 0
    for line, blanks in lines_of(text_of(data, r), r):
        text = line.lstrip(blanks)
        deeper = len(line) - len(text) > indent and bool(text)
        name, value, is_field = field_of(text, blanks, r)
        if waiting and deeper:
            if waiting[1] is None and text.startswith(b":"):
                waiting = waiting[0], text[1:].lstrip(blanks)
                continue
            if waiting[1] == b"" and not name or waiting[1] and not is_field and r.continuation == "join-all":
                waiting = waiting[0], (waiting[1] + b" " + text).lstrip()
                continue
        if waiting and waiting[1] is not None:
            yield waiting
        waiting, indent = None, len(line) - len(text)
        if r.continuation != "none" and not is_field and name_of(text, r):
            waiting = name_of(text, r), None
        elif name:
            waiting = name, value
        elif text and not is_field:
            yield None, b""
        if waiting and r.continuation == "none":
            yield waiting
            waiting = None
    if waiting and waiting[1] is not None:
        yield waiting


def field_of(text, blanks, r):
    """The meaning of a line's name, its value, and whether it has the form of a field."""
    name, colon, value = text.partition(b":")
    if colon:
        return name_of(name.rstrip(blanks), r), value.lstrip(blanks), bool(name.strip(blanks))
    if r.missing_colon != "skip":
        word, _, value = text.partition(b" ")
        known = name_of(re.match(rb"[A-Za-z-]*", word)[0], r)
        value = value.strip(blanks)
        if known and (r.missing_colon == "add-always" or value and not re.search(rb"[ \t]", value)):
            return known, value, True
    return None, b"", False


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
    groups, outside, in_run = [], [], False
    for name, value in fields_of(data, r):
        if name is None:
            in_run = in_run and r.nonsense == "skip"
            continue
        if name == b"user-agent":
            agents = agents_of(value, r)
            if agents is None:
                continue
            if not in_run:
                groups.append(([], []))
                in_run = True
            groups[-1][0].extend(agents)
            continue
        if value and not rule_counts(value, r):
            continue
        in_run = False
        (groups[-1][1] if groups else outside).append((name == b"allow", value))
    if outside and r.outside_group == "everyone":
        groups.insert(0, ([b"*"], outside))
    return groups


def rule_counts(value, r):
    if r.no_slash == "skip" and not value.startswith((b"/", b"*")):
        return False
    return not (r.blank_in_path == "skip" and re.search(rb"[ \t]", value))


def names_it(agent, token):
    if agent.startswith(b"within:"):
        return token in agent[7:] or agent[7:] in token
    return agent == token


def rules_for(groups, token, r):
    token = token.lower()
    if r.odd_token == "letters" and not TOKEN.fullmatch(token):
        found = TOKEN.match(token)
        token = found[0] if found else b""
    chosen = [rules for agents, rules in groups if token and any(names_it(agent, token) for agent in agents)]
    if not chosen:
        chosen = [rules for agents, rules in groups if b"*" in agents]
        if r.star_groups == "first":
            chosen = chosen[:1]
        elif r.star_groups == "last":
            chosen = chosen[-1:]
    return [rule for rules in chosen for rule in rules]


# 2.2.2 and 2.2.3: paths.

STAR = "*"


def units(octets, r, in_rule):
    """The octets as compared: strings, where `*` is the wildcard. The rest is an octet or an escape each."""
    part = r.escapes_of_rules, r.reserved, r.escaped_special, r.broken_escape, r.not_in_uri, r.path_case, r.escape_is
    return units_under(octets, part, in_rule)


@lru_cache(1 << 12)
def units_under(octets, part, in_rule):
    escapes_of_rules, reserved, escaped_special, broken_escape, not_in_uri, path_case, escape_is = part
    out, at, in_query = [], 0, False
    while at < len(octets):
        octet, width = octets[at], 1
        is_escape = octet == 0x25 and at + 2 < len(octets) and set(octets[at + 1:at + 3]) <= HEX
        if is_escape:
            octet, width = int(octets[at + 1:at + 3], 16), 3
            if octet in UNRESERVED and not (in_rule and escapes_of_rules == "keep"):
                unit = chr(octet)
            elif octet in RESERVED and octet not in b"*$" and reserved == "decode":
                unit = chr(octet)
            elif octet in b"*$" and escaped_special == "literal":
                unit = "%" + chr(octet)
            else:
                unit = "%%%02X" % octet
        elif in_rule and octet == 0x2A:
            unit = STAR
        elif octet in b"*$":
            unit = "%" + chr(octet) if escaped_special == "literal" else "raw" + chr(octet)
        elif octet == 0x25:
            unit = "%25" if broken_escape == "encode" else "%"
        elif octet >= 0x80:
            unit = "%%%02X" % octet
        elif octet in UNRESERVED:
            unit = chr(octet)
        elif octet in RESERVED:
            # Behind a star nobody knows whether the query has begun.
            delimits = octet in b"?" or octet in (b"=&" if in_query else b"/") or STAR in out and octet in b"=&"
            unit = "%%%02X" % octet if reserved == "encode" and not delimits else chr(octet)
            in_query = in_query or octet == 0x3F
        else:
            unit = chr(octet) if not_in_uri == "keep" else "%%%02X" % octet
        if path_case == "insensitive":
            unit = unit if len(unit) == 3 else unit.lower()
        if escape_is == "octets" and unit.startswith("%") and len(unit) > 1:
            out.extend({"%*": "%2A", "%$": "%24"}.get(unit, unit))
        else:
            out.append(unit)
        at += width
    return tuple(out)


def pattern(value, r):
    """A rule's value: pieces between stars, whether it is anchored, and what is kept for its rank. None: no match."""
    if r.blank_in_path == "cut":
        value = re.split(rb"[ \t]", value)[0]
    if not value.startswith((b"/", b"*")):
        if r.no_slash == "never":
            return None
        if r.no_slash == "add" and not value.startswith(b"$"):
            value = b"/" + value
    written = value
    anchored = value.endswith(b"$")
    if anchored:
        value = value[:-1]
    if b"$" in value and r.inner_dollar != "literal":
        if r.inner_dollar == "never":
            return None
        value, anchored = value.partition(b"$")[0], True
    compared = units(value, r, True)
    pieces = [[]]
    for unit in compared:
        if unit == STAR:
            pieces.append([])
        else:
            pieces[-1].append(unit)
    return tuple(map(tuple, pieces)), anchored, compared, written


def find(piece, path, at):
    width = len(piece)
    for start in range(at, len(path) - width + 1):
        if path[start:start + width] == piece:
            return start
    return -1


def match(pieces, anchored, path):
    """The first and the last place where a match can end, or None."""
    first, *rest = pieces
    if path[:len(first)] != first:
        return None
    at = len(first)
    if not rest:
        return (at, at) if not anchored or at == len(path) else None
    for piece in rest[:-1]:
        at = find(piece, path, at)
        if at < 0:
            return None
        at += len(piece)
    last = rest[-1]
    tail = len(path) - len(last)
    ends = [start + len(last) for start in range(at, tail + 1) if path[start:start + len(last)] == last]
    if anchored:
        ends = [end for end in ends if end == len(path)]
    return (ends[0], ends[-1]) if ends else None


def width(compared):
    return sum(3 if len(unit) == 3 else 3 if unit in ("%*", "%$") else 1 for unit in compared)


def rank(shape, ends, path, r):
    _, anchored, compared, written = shape
    if r.octets == "as-written":
        return len(written)
    if r.octets == "decoded":
        return len(compared) + anchored
    if r.octets == "matched":
        return width(path[:ends[0]])
    if r.octets == "matched-most":
        return width(path[:ends[1]])
    if r.octets == "without-special":
        return width([unit for unit in compared if unit != STAR])
    # As written, a raw `$` or `*` of a rule is one octet, and its escape three.
    length = width(compared) - 2 * len(re.findall(rb"\$", written[:-1]))
    return length + (anchored and r.octets != "without-anchor")


# The URL.

def path_of(url, r):
    text = url.encode()
    if r.fragment == "drop":
        text = text.partition(b"#")[0]
    if r.backslash == "slash":
        text = text.replace(b"\\", b"/")
    if r.url_nul == "ends":
        text = text.partition(b"\0")[0]
    path = re.match(rb"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*(.*)", text, re.S)[1]
    if not path.startswith(b"/") and r.empty_path == "slash":
        path = b"/" + path
    if r.dots == "resolve":
        head, mark, tail = path.partition(b"?")
        path = resolve(head) + mark + tail
    return path


def is_uri(url):
    """Whether the path and the query have the form of RFC 3986, or would have it with octets outside ASCII encoded."""
    path = re.match(rb"[a-z]+://[^/?#]*([^#]*)", url.encode(), re.S)[1]
    return bool(re.fullmatch(rb"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?@!$&'()*+,;=\x80-\xff-])*", path))


def resolve(path):
    """Removes dot segments, RFC 3986, 5.2.4."""
    out = []
    parts = path.split(b"/")
    for at, part in enumerate(parts):
        if part == b"..":
            if len(out) > 1:
                out.pop()
        elif part != b".":
            out.append(part)
            continue
        if at == len(parts) - 1:
            out.append(b"")
    return b"/".join(out)


def is_robots_txt(path, r):
    if r.robots_txt == "with-query":
        path = path.partition(b"?")[0]
    if r.robots_txt == "decoded":
        path = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), path)
    return path == b"/robots.txt"


def answer(data, agent, url, r=PLAIN):
    """Whether the URL may be fetched, and what led to the answer, for comparing readings."""
    path = path_of(url, r)
    if is_robots_txt(path, r):
        return True, "robots.txt"
    compared = units(path, r, False)
    matching, cleared = [], []
    for allows, value in rules_for(groups_of(data, r), agent.encode(), r):
        if not value:
            if r.empty_pattern == "all":
                matching.append((0, allows, ("", False)))
            elif r.empty_pattern == "clear" and not allows:
                cleared, matching = matching, []
            continue
        shape = pattern(value, r)
        ends = shape and match(shape[0], shape[1], compared)
        if ends:
            matching.append((rank(shape, ends, compared, r), allows, ("".join(shape[2]), shape[1])))
    return decide(matching, r), (compared, tuple(matching), bool(cleared))


def decide(matching, r):
    if not matching:
        return True
    most = max(length for length, _, _ in matching)
    best = [(allows, shape) for length, allows, shape in matching if length == most]
    if len({allows for allows, _ in best}) == 1:
        return best[0][0]
    # Two rules of one length that differ, as `/a*` and `/*a`, may or may not be equivalent.
    same = {shape for allows, shape in best if allows} & {shape for allows, shape in best if not allows}
    if same:
        return r.tie == "allow"
    return r.tie == "allow" and r.tie_of_different == "allow"


def verdict(data, agent, url):
    """The answer of RFC 9309, "allow", "disallow" or "either", and its level, "must", "may" or "silent"."""
    plain, base = answer(data, agent, url)
    if not is_uri(url):
        return "either", "silent"
    strongest, relevant = "must", []
    for choice, strength in alternatives():
        other, trace = answer(data, agent, url, reading(choice))
        if other != plain:
            strongest = max(strongest, strength, key=ORDER.get)
        elif trace != base:
            relevant.append((choice, strength))
    # A SHOULD together with another choice says nothing new, so only choices of one kind are combined.
    for (one, first), (two, second) in combinations(relevant, 2):
        if one[0] != two[0] and answer(data, agent, url, reading(one, two))[0] != plain:
            strongest = max(strongest, first, second, key=ORDER.get)
    named = "allow" if plain else "disallow"
    return {
        "must": (named, "must"), "should": (named, "may"), "may": ("either", "may"), "silent": ("either", "silent"),
    }[strongest]
