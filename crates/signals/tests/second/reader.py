"""A second reader of a page's signals, written from the owners' pages, the drafts and SPEC.md.

It shares no code with the crate, and knows no limits. answer(request) gives `uses` and `limits`, as `signals --ndjson`
does. robots.txt is read only as far as the vectors have it: tests/oracle has the rest.
"""
import base64
import json
import re
from datetime import datetime, timedelta, timezone

from html5lib._tokenizer import HTMLTokenizer

USES = ["fetch", "index", "follow", "archive", "snippet", "image-index", "translate", "tdm", "ai-training", "ai-use",
        "search"]
SEARCH = [("index", None), ("search", None)]
SNIPPET = [("snippet", None), ("ai-use", "googlebot")]
FORBIDS = {
    "noindex": SEARCH, "nofollow": [("follow", None)], "none": SEARCH + [("follow", None)],
    "noarchive": [("archive", None), ("ai-training", "bingbot"), ("ai-use", "bingbot"), ("ai-training", "amazonbot")],
    "nocache": [("archive", None), ("ai-training", "bingbot")],
    "nosnippet": SNIPPET, "noimageindex": [("image-index", None)], "notranslate": [("translate", None)],
    "noai": [("ai-training", None)], "noimageai": [("ai-training", None)], "noml": [("ai-training", None)],
}
ALLOWS = {"all": ["index", "follow"], "index": ["index"], "follow": ["follow"], "archive": ["archive"]}
NUMBERS, SIZES, SILENT = ("max-snippet", "max-video-preview"), ["none", "standard", "large"], (
    "indexifembedded", "nositelinkssearchbox", "noodp", "noydir", "noyaca")
KNOWN = {*FORBIDS, *ALLOWS, *NUMBERS, *SILENT, "max-image-preview", "unavailable_after"}
NO = ("n", "no", "false", "0")
USAGE = {"train-ai": "ai-training", "ai-use": "ai-use", "search": "search"}
SIGNAL = {"ai-train": "ai-training", "ai-input": "ai-use", "search": "search", "use": None}
ALL_THREE = ["ai-training", "ai-use", "search"]
OLDER_LABELS = {"train-genai": ALL_THREE[:1], "genai": ALL_THREE[:1], "tdm": ALL_THREE[:1], "ai": ALL_THREE[:2],
                "inference": ALL_THREE[1:2], "ai-output": ALL_THREE[1:2], "bots": ALL_THREE, "all": ALL_THREE}
FIELDS = ("x-robots-tag", "content", "directive")
EXTENT = ["immediate", "reference", "full"]
OLDER = {"msnbot": "bingbot", "google": "googlebot"}
LARGEST = {"max-image-preview": 2, "extent": 2}
BLANK = " \t\n\r\f"


def lower(text):
    return "".join(one.lower() if one.isascii() else one for one in text)


def meant(name):
    """The word that is written with `_` for `-`, or `-` for `_`; None: there is none."""
    return next((one for one in KNOWN if one.replace("_", "-") == lower(name).replace("_", "-")), None)


def is_near(name):
    """Whether a name is such a word, or one slip away from one: a letter more, fewer, another, or at another place."""
    def slip(known):
        one = lower(name)
        cuts = [(known[:at], known[at:]) for at in range(len(known) + 1)]
        others = [a + b[1:] for a, b in cuts if b]
        return one != known and (
            one in others or any(known == one[:at] + one[at + 1:] for at in range(len(one)))
            or len(one) == len(known) and sum(a != b for a, b in zip(one, known)) == 1
            or any(one == a[:at] + other + a[at:] for a, other in
                   ((known[:at] + known[at + 1:], known[at]) for at in range(len(known))) for at in range(len(a) + 1)))
    return meant(name) is not None or any(len(known) >= 6 and slip(known) for known in KNOWN)


def known_as(name):
    return OLDER.get(lower(name), lower(name))


def is_name(word):
    return re.fullmatch("[A-Za-z0-9._-]{1,100}", word) is not None


def words_of(text):
    return [one for one in re.split(r"[^A-Za-z0-9_-]+", text) if one]


class Said:
    """Statements: what, yes/no/amount, for whom, from when on, where."""

    def __init__(self):
        self.all, self.unsure, self.closed, self.place = [], False, None, None
        # Where a statement is, whether it is a preference, and the sources and kinds of which a part cannot be read.
        self.source, self.is_preference, self.broken = "header", False, set()

    def no(self, what, agents=(), only=None, since=None):
        self.all.append(("no", what, None, tuple(agents), only, since, self.place, self.source, self.is_preference))

    def yes(self, what, agents=()):
        self.all.append(("yes", what, None, tuple(agents), None, None, self.place, self.source, self.is_preference))

    def most(self, what, number, agents=()):
        self.all.append(("most", what, number, tuple(agents), None, None, self.place, self.source, self.is_preference))

    def forbid_only(self, since):
        self.all[since:] = [one for one in self.all[since:] if not allows(one)]


def allows(one):
    kind, what, number = one[:3]
    return kind == "yes" or kind == "most" and (number is None or number == LARGEST.get(what))


# X-Robots-Tag and meta robots.

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
DAYS += [day[:3] for day in DAYS]


def parts_of(value):
    parts, rest = [], value.split(",")
    while rest:
        part = rest.pop(0)
        pieces = [one.strip(BLANK) for one in part.split(":")]
        if len(pieces) > 1 and lower(pieces[-2]) == "unavailable_after" and lower(pieces[-1]) in DAYS:
            if rest and rest[0].lstrip(BLANK)[:1].isdigit():
                part += "," + rest.pop(0)
        if part.strip(BLANK):
            parts.append(part.strip(BLANK))
    return parts


def split_colon(part):
    name, colon, value = part.partition(":")
    return (name.strip(BLANK), value.strip(BLANK)) if colon else (part, None)


def robots_tag(value, said, agents=None, sure=True):
    """A header if agents is None, else the content of a meta tag for them."""
    is_header, since, was_sure = agents is None, len(said.all), sure
    agents = [] if is_header else agents
    for place, part in enumerate(parts_of(value)):
        name, rest = split_colon(part)
        is_agent = rest is not None and is_name(name) and lower(name) not in ("robots", "robot", *FIELDS) and not is_near(name)
        if is_header and is_agent:
            if place == 0:
                agents = [known_as(name)]
            else:
                sure = False
                if agents:
                    agents = [agents[0], known_as(name)]
            if not rest:
                continue
            part = rest
        sure &= word(part, said, agents, is_header)
        if is_header and not well(part) and split_colon(part)[1] is not None and lower(split_colon(part)[0]) not in KNOWN:
            agents = []
    if not sure:
        said.forbid_only(since)
        if not agents and was_sure:
            said.broken.add((said.source, False))


def well(part):
    """Whether a part is a word, written as its page says."""
    name, value = split_colon(part)
    name = lower(name)
    if value is None:
        return name in FORBIDS or name in ALLOWS or name in SILENT
    if name in NUMBERS:
        return value == "-1" or re.fullmatch("[0-9]+", value) is not None
    if name == "max-image-preview":
        return lower(value) in SIZES
    return name == "unavailable_after" and not any(meant(one) for one in words_of(value))


def word(part, said, agents, is_header):
    """Notes a part. Whether it is well written."""
    name, value = split_colon(part)
    name = lower(name)
    if not well(part):
        to = agents
        if is_header and value is not None and name not in KNOWN:
            to = []
        broken_words(part, said, to)
        return False
    if value is None:
        for what, only in FORBIDS.get(name, []):
            said.no(what, agents, only)
        for what in ALLOWS.get(name, []):
            said.yes(what, agents)
    elif name in NUMBERS:
        amount(name, None if value == "-1" else min(int(value), 2**32 - 2), said, agents)
    elif name == "max-image-preview":
        said.most(name, SIZES.index(lower(value)), agents)
    else:
        found = date_of(value)
        for what, only in SEARCH:
            said.no(what, agents, only, found)
        return found is not None
    return True


def amount(name, number, said, agents):
    said.most(name, number, agents)
    if name == "max-snippet" and number == 0:
        for what, only in SNIPPET:
            said.no(what, agents, only)


def broken_words(text, said, agents):
    before = None
    for one in words_of(text):
        one = lower(one)
        if before == "max-image-preview" and one in SIZES:
            if SIZES.index(one) != LARGEST[before]:
                said.most(before, SIZES.index(one), agents)
            before = None
        elif meant(one):
            before = one = meant(one)
            for what, only in SEARCH if one == "unavailable_after" else FORBIDS.get(one, []):
                said.no(what, agents, only)
        else:
            if before in NUMBERS and re.fullmatch("[0-9]+", one) and int(one) < 2**32 - 1:
                amount(before, int(one), said, agents)
            before = None


# Dates.

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
ZONES = {"ut": 0, "gmt": 0, "z": 0, "utc": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
         "pst": -8, "pdt": -7}


def zone_of(text):
    found = re.fullmatch(r"([+-])(\d\d):?(\d\d)", text)
    if found:
        minutes = int(found[2]) * 60 + int(found[3])
        return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))
    hours = ZONES.get(lower(text))
    return None if hours is None else timezone(timedelta(hours=hours))


def date_of(text):
    """Seconds since 1970; None: it cannot be read. Without a zone, where the day begins first."""
    first = timezone(timedelta(hours=14))
    text = re.sub(r" *\(.*\)$", "", text.strip())
    iso = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)? ?(\S+)?", text)
    try:
        if iso:
            numbers = [int(one or 0) for one in iso.groups()[:6]]
            if iso[7] and not iso[4]:
                return None
            zone = zone_of(iso[7]) if iso[7] else first
            return None if zone is None else int(datetime(*numbers, tzinfo=zone).timestamp())
        mail = re.fullmatch(
            r"(?:([A-Za-z]+)[, ] *)?(\d{1,2})[- ]([A-Za-z]+)[- ](\d{4}|\d\d)(?: +(\d\d):(\d\d)(?::(\d\d))?)?(?: +(\S+))?",
            text)
        if not mail or mail[1] and lower(mail[1]) not in DAYS:
            return None
        year = int(mail[4])
        year += 0 if year > 99 else 2000 if year < 50 else 1900
        zone = zone_of(mail[8]) if mail[8] else None
        numbers = [year, MONTHS.index(lower(mail[3][:3])) + 1, *(int(mail[at] or 0) for at in (2, 5, 6, 7))]
        return int(datetime(*numbers, tzinfo=zone or first).timestamp())
    except ValueError:
        return None


# Content-Usage and Content-Signal.

KEY = r"[a-z*][a-z0-9_.*-]*"
BARE = (r'(?:\?[01]|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"'
        r"|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*|:[A-Za-z0-9+/=]*:|@-?\d{1,15})")
PARAMETERS = rf"(?:; *{KEY}(?:={BARE})?)*"
INNER = rf"\( *(?:{BARE}{PARAMETERS}(?: +{BARE}{PARAMETERS})*)? *\)"
MEMBER = re.compile(rf"({KEY})(?:=({BARE}|{INNER})|)({PARAMETERS})")


def dictionary(text):
    """The members of RFC 9651; None if it is none."""
    found, at = [], 0
    text = text.strip(" ")
    while True:
        member = MEMBER.match(text, at)
        if not member:
            return None
        found.append((member[1], member[2] or "", member[3]))
        comma = re.compile(r"[ \t]*,[ \t]*").match(text, member.end())
        if not comma:
            return found if member.end() == len(text) else None
        at = comma.end()


def signals(text):
    found = []
    for item in text.split(","):
        item = item.strip(" \t")
        if not item:
            continue
        name, sign, value = item.partition("=")
        name, value = name.strip(" \t"), value.strip(" \t")
        if not sign or not value or re.search("[ \t;]", value) or not re.fullmatch("[A-Za-z0-9._-]+", name):
            return None
        if lower(value) in NO:
            name, value = lower(name), "no"
        elif lower(name) == "use" and lower(value) == EXTENT[0]:
            name, value = "use", EXTENT[0]
        found.append((name, value, ""))
    return found or None


def labels_of(text):
    """What labels forbid in a text that cannot be read."""
    found, current, is_for_all, older = [], None, False, []
    for one in words_of(text):
        one = lower(one).replace("_", "-")
        if one in USAGE or one in SIGNAL:
            current, older = one, []
            if is_for_all:
                found.append(("extent", 0) if one == "use" else (USAGE.get(one) or SIGNAL[one], None))
        elif one in OLDER_LABELS:
            current, older = None, OLDER_LABELS[one]
        elif one in NO and older:
            found += [(what, None) for what in older]
        elif current is None:
            is_for_all |= one in NO
        elif current == "use":
            if one in EXTENT[:2] or one in NO:
                found.append(("extent", EXTENT.index(one) if one in EXTENT else 0))
        elif one in NO:
            found.append((USAGE.get(current) or SIGNAL[current], None))
    return found


def broken_labels(text, said):
    for what, rank in labels_of(text):
        said.no(what) if rank is None else said.most(what, rank)


def preference(is_usage, lines, said):
    lines = [one for one in lines if one]
    if not lines:
        return
    since, read = len(said.all), dictionary if is_usage else signals
    if is_usage and of_field(read, ", ".join(lines)) is not None:
        lines = [", ".join(lines)]
    if not all([preferences(is_usage, of_field(read, line), line, said) for line in lines]):
        said.forbid_only(since)
        said.broken.add((said.source, True))


def of_field(read, line):
    return None if line.startswith("/") else read(line)


def preferences(is_usage, found, line, said):
    if found is None:
        broken_labels(line, said)
        return False
    sure = True
    for name, value, more in found:
        table = USAGE if is_usage else SIGNAL
        values = ["n", "y"] if is_usage else EXTENT if name == "use" else ["no", "yes"]
        text = f"{name}={value}{more}"
        if name in table:
            is_broken = value not in values or labels_of(more)
        else:
            is_broken = labels_of(text)
        if is_broken:
            broken_labels(text, said)
            sure = False
        elif name == "use" and not is_usage:
            said.most("extent", values.index(value))
        elif name in table:
            (said.no if value == values[0] else said.yes)(table[name])
    return sure


# HTML.

HTML_NAMES = ("application-name", "author", "color-scheme", "description", "generator", "keywords", "referrer",
              "theme-color", "viewport")
IN_HEAD = ("base", "basefont", "bgsound", "command", "head", "html", "link", "meta", "noframes", "noscript", "script",
           "style", "template", "title")
RAW = {"title": "rcdataState", "textarea": "rcdataState", "script": "scriptDataState", "plaintext": "plaintextState",
       **dict.fromkeys(["style", "xmp", "iframe", "noembed", "noframes"], "rawtextState")}


NOT_HIDDEN = ("expected-closing-tag-but-got-eof", "expected-numeric-entity-but-got-eof", "eof-in-script-in-script")


def html(raw, said):
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw[2:len(raw) - len(raw) % 2].decode("utf-16-le" if raw[:1] == b"\xff" else "utf-16-be", "replace")
    else:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    said.unsure |= "\0" in text[:1024] or text.startswith(("\x1f\x8b", "\x28\xb5\x2f\xfd"))
    first = Said()
    first.source = "html"
    has_two = reading(text, first, False)
    if has_two:
        other = Said()
        other.source = "html"
        reading(text, other, True)
        first.broken |= other.broken
        first.all = [one for one in first.all if not allows(one) or one in other.all]
        first.all += [one for one in other.all if not allows(one)]
        first.unsure |= other.unsure
    said.all += first.all
    said.broken |= first.broken
    said.unsure |= first.unsure


def reading(text, said, as_text):
    """One reading: noscript, and styles in images, as elements or as text. Whether another may say something else."""
    tokenizer = HTMLTokenizer(text)
    over = body = two = False
    aside, raw, images, hidden, last = None, None, 0, False, None
    for token in tokenizer:
        kind, name = token["type"], token.get("name")
        if kind in (1, 2):
            over |= kind == 1 and bool(token["data"].strip(BLANK)) and not aside and not raw
        elif kind == 7:
            hidden |= not body and "eof" in lower(token["data"]) and token["data"] not in NOT_HIDDEN
        elif kind in (3, 5):
            state = None if (images or token["selfClosing"]) and not as_text else RAW.get(name)
            state = "rawtextState" if as_text and name == "noscript" else state
            if state:
                raw = name
                tokenizer.state = getattr(tokenizer, state)
            is_image = name in ("svg", "math")
            two |= is_image or name == "noscript" or bool(token["selfClosing"] and RAW.get(name))
            images += is_image and not token["selfClosing"]
            if aside:
                aside[1] += aside[0] == name
            elif name in ("template", "noscript") and not raw:
                aside = [name, 1, len(said.all)]
            else:
                body |= name == "body"
                over |= name not in IN_HEAD
            if name == "meta":
                pairs = token["data"]
                said.place = tokenizer.stream.position()
                meta(dict(reversed(list(pairs))) if isinstance(pairs, list) else pairs, not over and not aside, said)
        elif kind == 4:
            raw = None
            images = max(0, images - (name in ("svg", "math")))
            if aside and aside[0] == name:
                aside[1] -= 1
                if not aside[1]:
                    if name == "template":
                        del said.all[aside[2]:]
                    aside = None
            elif not aside and name in ("head", "body", "html", "br"):
                over = True
        last = token
    is_open = last and last["type"] == 6 and not text.endswith(">")
    said.unsure |= not body and bool(hidden or aside or raw or is_open)
    return two


def meta(pairs, sure, said):
    if "content" not in pairs:
        return
    other = lower(pairs.get("http-equiv", "").strip(BLANK)) == "x-robots-tag" or lower(pairs.get("property", "").strip(BLANK)) == "robots"
    if "name" not in pairs and other:
        robots_tag(pairs["content"], said, [], False)
    if "name" not in pairs:
        return
    name, content = pairs["name"].strip(BLANK), pairs["content"]
    if lower(name) == "tdm-reservation":
        reservation(content.strip(BLANK), said, sure)
        return
    pieces = [lower(one) for one in words_of(name)]
    almost = any(one in ("robots", "robot") or not is_name(name) and len(one) > 3 and one.endswith("bot")
                 for one in pieces)
    if lower(name) != "robots" and almost:
        robots_tag(content, said, [], False)
    elif is_name(name) and lower(name) not in HTML_NAMES:
        robots_tag(content, said, [] if lower(name) == "robots" else [known_as(name)], sure)


# TDMRep.

def reservation(value, said, sure=True):
    if value == "0":
        if sure:
            said.yes("tdm")
    else:
        said.no("tdm")
        said.no("ai-training")


class Members(list):
    """An object of JSON, with all its members."""


def tdmrep(text, path, said):
    text = text.removeprefix("\ufeff")
    try:
        rules = json.loads(text, object_pairs_hook=Members)
        if not isinstance(rules, list):
            raise ValueError
        sure = not isinstance(rules, Members)
    except ValueError:
        if "tdm-reservation" in text:
            reservation("broken", said)
        return
    rules = [rules] if isinstance(rules, Members) else rules
    for rule in rules:
        rule = rule if isinstance(rule, Members) else []
        places = [value for name, value in rule if name == "location" and isinstance(value, str)]
        located = bool(places) and all(place[:1] in ("/", "*") for place in places)
        if located and not any(matches(place, path) for place in places):
            continue
        values = [value for name, value in rule if name == "tdm-reservation"]
        count = sum(name == "location" for name, _ in rule)
        sure &= located and count == 1 and len(values) == 1 and type(values[0]) is int and values[0] in (0, 1)
        for value in values or [None]:
            is_zero = type(value) is int and value == 0 or value == "0"
            reservation("0" if is_zero else "1", said, sure)
        if located:
            break


def matches(pattern, path):
    end = pattern.endswith("$")
    text = ".*".join(re.escape(one) for one in pattern.removesuffix("$").split("*"))
    return re.match(text + ("$" if end else ""), path) is not None


def path_of(url):
    path = re.sub(r"^[A-Za-z]+://[^/?#]*", "", url).split("#")[0]
    return path if path.startswith("/") else "/" + path


# robots.txt, as far as the vectors have it.

def robots_txt(text, agent, path, said):
    groups, agents, rules, is_open = [], [], [], False
    for line in re.split(r"\r\n|\n|\r", text):
        name, colon, value = line.split("#")[0].partition(":")
        name, value = lower(name.strip()), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if is_open:
                agents, rules, is_open = [], [], False
            if not agents:
                groups.append((agents, rules))
            agents.append(lower(value))
        elif name in ("allow", "disallow"):
            is_open = True
            rules.append((name, value))
        elif name in ("content-signal", "content-usage"):
            rules.append((name, value))
    names = [known_as(agent), lower(agent)]
    own = [rules for agents, rules in groups if any(one in names for one in agents)]
    chosen = [one for rules in own or [rules for agents, rules in groups if "*" in agents] for one in rules]
    best = max(((len(value), name == "allow") for name, value in chosen
                if name in ("allow", "disallow") and value and matches(value, path)), default=(0, True))
    (said.yes if best[1] else said.no)("fetch")
    said.closed = not best[1]
    if said.closed:
        return
    said.is_preference = True
    for field in ("content-usage", "content-signal"):
        since, held = len(said.all), []
        for value in (value for name, value in chosen if name == field):
            place, _, rest = value.partition(" ") if value.startswith("/") else ("", "", value)
            if not place or matches(place, path):
                held.append((len(place), rest))
        longest = max((one[0] for one in held), default=0)
        sure = True
        for _, rest in (one for one in held if one[0] == longest):
            is_usage = field == "content-usage"
            sure &= preferences(is_usage, (dictionary if is_usage else signals)(rest.strip()), rest, said)
        if not sure:
            said.forbid_only(since)
            said.broken.add(("robots", True))


# The answer.

def answer(request):
    said, lines = Said(), {"content-usage": [], "content-signal": []}
    for name, value in request.get("headers", []):
        name, value = lower(name.strip(BLANK)), value.strip(BLANK)
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            said.unsure = True
        elif name == "x-robots-tag":
            robots_tag(value, said)
        elif name == "tdm-reservation":
            reservation(value, said)
        elif name in lines:
            lines[name].append(value)
    said.is_preference = True
    preference(True, lines["content-usage"], said)
    preference(False, lines["content-signal"], said)
    said.is_preference = False
    raw = request.get("html")
    raw = raw.encode("utf-8") if raw is not None else base64.b64decode(request["html_b64"]) if "html_b64" in request else None
    if raw is not None:
        html(raw, said)
    path = path_of(request["url"])
    said.source, said.place = "tdmrep", None
    if "tdmrep" in request:
        tdmrep(request["tdmrep"], path, said)
    file = Said()
    file.source = "robots"
    status = request.get("status", 200)
    if not 200 <= status <= 299 or status in (202, 204, 205):
        file.closed = not 300 <= status <= 499 or status in (407, 408, *range(412, 418), 421, 425, 429, 431)
        (file.no if file.closed else file.yes)("fetch")
    elif "robots" in request:
        robots_txt(request["robots"], request["agent"], path, file)
    return joined(request, said, file)


def joined(request, said, file):
    own, at = known_as(re.match("[A-Za-z0-9._-]*", request["agent"])[0]), datetime.fromisoformat(request["time"].replace("Z", "+00:00")).timestamp()
    is_own = lambda name: own == name or own.startswith(name + "-")
    holds = lambda one: (not one[3] or any(map(is_own, one[3]))) and (one[4] is None or is_own(one[4]))
    broken = said.broken | file.broken
    in_doubt = lambda one: any(one[7] == source or one[8] == kind for source, kind in broken)
    every = [one for one in said.all + file.all if holds(one)]
    every = [one for one in every if not allows(one) or one[1] == "fetch" or not in_doubt(one)]
    since = [one[5] for one in every if one[5] is not None]
    every = [one for one in every if one[5] is None or one[5] <= at]
    if said.unsure:
        every = [one for one in every if not allows(one) or one[1] == "fetch"]
    uses = {}
    for what in USES:
        has = lambda kind: any(one[0] == kind and one[1] == what for one in every)
        uses[what] = "no" if file.closed or has("no") else "yes" if has("yes") else "unsaid"
    limits = {}
    for what in ("max-snippet", "max-image-preview", "max-video-preview", "extent"):
        numbers = [2**32 if one[2] is None else one[2] for one in every if one[0] == "most" and one[1] == what]
        if numbers:
            least = min(numbers)
            names = {"max-image-preview": SIZES, "extent": EXTENT}.get(what)
            limits[what] = names[least] if names else -1 if least == 2**32 else least
    if since:
        found = datetime.fromtimestamp(min(since), timezone.utc)
        limits["unavailable_after"] = found.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"uses": uses, "limits": limits}
