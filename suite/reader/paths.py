"""Paths under a reading: RFC 9309, 2.2.2 and 2.2.3. How octets of a rule or a URL are compared, and how they match."""
import re
from functools import lru_cache

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED = frozenset(b":/?#[]@!$&'()*+,;=")
HEX = frozenset(b"0123456789abcdefABCDEF")

# What is compared is a string with one character for each unit: an octet as itself, and these.
STAR = "\ue000"  # the wildcard
# An escape; a `*` or `$` in either spelling; a raw one that differs from its escape.
ESCAPE, LITERAL, RAW = 0x100, 0x200, 0x300


def units(octets, r, in_rule):
    """The octets as compared."""
    part = (r.escapes_of_rules, r.reserved, r.escaped_special, r.broken_escape, r.not_in_uri, r.path_case, r.escape_is,
            r.joined_escape)
    return units_under(octets, part, in_rule)


@lru_cache(1 << 12)
def units_under(octets, part, in_rule):
    (escapes_of_rules, reserved, escaped_special, broken_escape, not_in_uri, path_case, escape_is, joined_escape) = part
    out, at, in_query = [], 0, False
    while at < len(octets):
        octet, width = octets[at], 1
        is_escape = octet == 0x25 and at + 2 < len(octets) and octets[at + 1] in HEX and octets[at + 2] in HEX
        if is_escape:
            octet, width = int(octets[at + 1:at + 3], 16), 3
            if octet == 0x2A and in_rule and escaped_special == "wildcard":
                unit = STAR
            elif octet in UNRESERVED and not (in_rule and escapes_of_rules == "keep") and not (
                    joined_escape == "keep" and completes(out, octet)):
                unit = chr(octet)
            elif octet in RESERVED and octet not in b"*$" and reserved == "decode":
                unit = chr(octet)
            elif octet in b"*$" and escaped_special != "differ":
                unit = chr(LITERAL + octet)
            else:
                unit = chr(ESCAPE + octet)
        elif in_rule and octet == 0x2A:
            unit = STAR
        elif octet in b"*$":
            unit = chr((RAW if escaped_special == "differ" else LITERAL) + octet)
        elif octet == 0x25:
            unit = chr(ESCAPE + octet) if broken_escape == "encode" else "%"
        elif octet >= 0x80:
            unit = chr(ESCAPE + octet)
        elif octet in UNRESERVED:
            unit = chr(octet)
        elif octet in RESERVED:
            # After a star nobody knows whether the query has begun.
            delimits = octet in b"?" or octet in (b"=&" if in_query else b"/") or STAR in out and octet in b"=&"
            unit = chr(ESCAPE + octet) if reserved == "encode" and not delimits else chr(octet)
            in_query = in_query or octet == 0x3F
        else:
            unit = chr(octet) if not_in_uri == "keep" else chr(ESCAPE + octet)
        if path_case == "insensitive" and ord(unit) < ESCAPE:
            unit = unit.lower()
        kind = ord(unit) & 0x700
        if escape_is != "unit" and (kind == ESCAPE or kind == LITERAL and escape_is == "octets"):
            out.extend("%%%02X" % (ord(unit) & 0xFF))
        else:
            out.append(unit)
        at += width
    return "".join(out)


def completes(out, octet):
    """[path.decode]: whether this octet, decoded, would complete an escape that is incomplete."""
    return octet in HEX and (out[-1:] == ["%"] or out[-2:-1] == ["%"] and ord(out[-1]) in HEX)


@lru_cache(1 << 16)
def pattern(value, r):
    """A rule's value: pieces between stars, whether it is anchored, and what is kept for its rank. None: no match."""
    if r.blank_in_path == "cut":
        value = re.split(rb"[ \t]", value)[0]
    begins_with_star = value.startswith(b"*") or r.escaped_special == "wildcard" and value[:3].upper() == b"%2A"
    if not value.startswith(b"/") and not begins_with_star:
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
    return tuple(compared.split(STAR)), anchored, compared, written


def match(pieces, anchored, path):
    """The first and the last place where a match can end, or None. Each piece is taken at its leftmost place."""
    first, *rest = pieces
    if not path.startswith(first):
        return None
    at = len(first)
    if not rest:
        return (at, at) if not anchored or at == len(path) else None
    for piece in rest[:-1]:
        at = path.find(piece, at)
        if at < 0:
            return None
        at += len(piece)
    last = rest[-1]
    if anchored:
        return (len(path),) * 2 if path.endswith(last) and len(path) - len(last) >= at else None
    start = path.find(last, at)
    return (start + len(last), path.rfind(last, at) + len(last)) if start >= 0 else None


def width(compared):
    return sum(3 if ESCAPE <= ord(unit) < RAW else 1 for unit in compared)


@lru_cache(1 << 16)
def length(shape, with_anchor=True):
    """As written: a raw `$` of a rule is one octet, and its escape three."""
    _, anchored, compared, written = shape
    return width(compared) - 2 * written[:-1].count(b"$") + (anchored and with_anchor)


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
    return length(shape, r.octets != "without-anchor")


# The URL.

ANY_URL = re.compile(rb"(?://)?(?:[^/?;]*?://)?[^/?;]*(.*)", re.S)
URI = re.compile(rb"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*(.*)", re.S)


def path_of(text, r):
    if r.fragment == "drop":
        text = text.partition(b"#")[0]
    if r.backslash == "slash":
        text = text.replace(b"\\", b"/")
    if r.url_nul == "ends":
        text = text.partition(b"\0")[0]
    path = (ANY_URL if r.url == "any" else URI).match(text)[1]
    if not path.startswith(b"/") and r.empty_path == "slash":
        path = b"/" + path
    if r.dots == "resolve":
        head, mark, tail = path.partition(b"?")
        path = resolve(head) + mark + tail
    return path


def is_uri(url):
    """Whether the path and the query have the form of RFC 3986, or would have it with octets outside ASCII encoded."""
    path = re.match(rb"[a-z]+://[^/?#]*([^#]*)", url, re.S)[1]
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


def is_robots_txt(path, compared, r):
    if r.robots_txt == "with-query":
        path = path.partition(b"?")[0]
    if r.robots_txt == "decoded":
        path = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), path)
    if r.robots_txt == "normal":
        return compared == "/robots.txt"
    return path == b"/robots.txt" and r.robots_txt != "never"
