"""The readings of RFC 9309 that its text leaves open.

One reading is the plain one. Every other value of a field is a reading that the text does not forbid, with the strength
of what the text says instead:

- `should`: the text recommends the plain value (SHOULD), or permits to leave it out;
- `may`: the text leaves the choice to the reader in so many words (MAY);
- `silent`: the text says nothing, or the line is outside its grammar, or two sentences of it disagree.

What has no field here is required, and every reader has to do it.

`STANDARD` is the reading that SPEC.md chooses, the dialect `Standard`. Some of its values are no reading of the RFC
alone, and the last fields have no other reading at all: each names its clause.
"""
from dataclasses import dataclass, fields, replace
from functools import lru_cache


@dataclass(frozen=True)
class Reading:
    # 2.3: the file is UTF-8. RFC 3629 leaves the byte order mark to each protocol, and RFC 9309 does not name it.
    byte_order_mark: str = "drop"
    # 2.2.2: "Implementors MAY bridge encoding mismatches".
    encoding: str = "octets"
    # 2.5: what is beyond 500 KiB need not be read.
    beyond_limit: str = "read"
    # 2.5: a parsing limit is for files. Whether a line may be cut too is not said.
    line_limit: str = "none"
    # 2.2: no line has a control character, so a reader may end, trim or keep it.
    controls: str = "octets"
    # 2.2: each line has an end. A last line without one is outside the grammar.
    last_line: str = "counts"
    # 2.2.4: "Crawlers MAY be lenient when interpreting other records."
    names: str = "exact"
    # 2.2: a line without a colon is outside the grammar.
    missing_colon: str = "skip"
    # 2.2: so is a value that begins with a colon.
    second_colon: str = "value"
    # 2.2: so is a line that is nothing. Whether a group goes on after it is not said.
    nonsense: str = "skip"
    # 2.3: the file is text/plain. What a reader does with a page or with JSON is not said.
    page: str = "lines"
    # 2.2: the grammar has no continuation, and an indented word is outside it.
    continuation: str = "none"
    # 2.2.1: a user-agent line that does not hold one product token, or `*`, is outside the grammar.
    odd_agent: str = "prefix"
    # 2.2.1: the same for the token of a crawler itself.
    odd_token: str = "whole"
    # 2.2: a path that begins with neither `/` nor `*` is outside the grammar.
    no_slash: str = "add"
    # 2.2: so is a path with a blank.
    blank_in_path: str = "encode"
    # 2.2: the grammar has an empty pattern, and no sentence says what it matches.
    empty_pattern: str = "nothing"
    # 2.2.2: "The crawler SHOULD ignore rules that are not in any group".
    outside_group: str = "ignore"
    # 2.2.1: groups of one product token MUST be combined. For `*` the text speaks of one group.
    star_groups: str = "combine"
    # 2.2.2: "The matching SHOULD be case sensitive."
    path_case: str = "sensitive"
    # 2.2.2: "the match that has the most octets": of the rule as compared, as written, or of what it matches?
    octets: str = "rule"
    # 2.2.2: of two equivalent rules, "the allow rule SHOULD be used".
    tie: str = "allow"
    # 2.2.2: whether two different rules of one length are equivalent.
    tie_of_different: str = "allow"
    # 2.2.2: reserved octets MUST be percent-encoded, and a reserved octet differs from its escape (RFC 3986, 2.2).
    reserved: str = "differ"
    # 2.2.2: octets that no URI has unencoded, in a rule or in a URL that is no URI.
    not_in_uri: str = "encode"
    # 2.2.2: escapes MUST be decoded in the URI. The table of examples does it for any path.
    escapes_of_rules: str = "decode"
    # 2.2.2: "a difference in octets": may a rule end within an escape, or a star match a part of one?
    escape_is: str = "unit"
    # RFC 3986, 2.1: an escape has two hex digits. What is not one is outside of it.
    broken_escape: str = "keep"
    # 2.2.3: crawlers SHOULD match `*` and `$` by their escapes.
    escaped_special: str = "literal"
    # 2.2.3: `$` "designates the end of the match pattern". What it is before the end is not said.
    inner_dollar: str = "literal"
    # A backslash is in no URI. Browsers read it as a slash.
    backslash: str = "octet"
    # The URL: a fragment, dot segments and an empty path are not mentioned.
    fragment: str = "drop"
    dots: str = "keep"
    empty_path: str = "slash"
    # 2.2.2: "The /robots.txt URI is implicitly allowed": with a query, or spelled with escapes?
    robots_txt: str = "exact"
    # A URL with a control is no URI.
    url_nul: str = "octet"

    # What only a dialect or an option of SPEC.md has.
    # [limit.bytes]: where `beyond_limit` cuts.
    most_bytes: int = 500 * 1024
    # [field.syntax]: `name` is a field only if letters, digits and hyphens are before the colon.
    field_form: str = "colon"
    # [line.trailing-blanks]: `keep` keeps them, where no comment follows.
    trailing_blanks: str = "drop"
    # [record.any-line-ends-run]: `any-field`.
    run_ends: str = "rule"
    # [agent.fallback]: `none`.
    fallback: str = "star"
    # [rule.file-order]: `file`.
    order: str = "longest"
    # [path.decode]: `keep` decodes nothing that would complete an escape.
    joined_escape: str = "decode"
    # [url.path]: `any` also reads what is no URI.
    url: str = "uri"


PLAIN = Reading()

# field: {other value: strength}
OTHERS = {
    "byte_order_mark": {"keep": "silent", "drop-partial": "silent", "drop-anywhere": "silent"},
    "encoding": {"latin-1": "may", "replace": "may", "utf-16": "may"},
    "beyond_limit": {"cut": "silent", "cut-line": "silent"},
    "line_limit": {"google": "silent"},
    "controls": {"nul-ends": "silent", "trim": "silent", "end-lines": "silent", "remove": "silent"},
    "last_line": {"skip": "silent"},
    "names": {"typos": "may", "prefixes": "may", "blanks": "may", "letters": "may"},
    "missing_colon": {"add": "silent", "add-always": "silent"},
    "second_colon": {"strip": "silent"},
    "nonsense": {"ends-run": "silent"},
    "page": {"empty": "silent"},
    "continuation": {"join": "silent", "join-all": "silent"},
    "odd_agent": {"wide-prefix": "silent", "value": "silent", "skip": "silent", "nobody": "silent", "within": "silent",
                  "list": "silent", "everyone": "silent"},
    "odd_token": {"letters": "silent"},
    "no_slash": {"skip": "silent", "never": "silent", "literal": "silent"},
    "blank_in_path": {"cut": "silent", "skip": "silent", "keep": "silent"},
    "empty_pattern": {"all": "silent", "clear": "silent"},
    "outside_group": {"everyone": "should"},
    "star_groups": {"first": "silent", "last": "silent"},
    "path_case": {"insensitive": "should"},
    "octets": {"as-written": "silent", "decoded": "silent", "matched": "silent", "matched-most": "silent",
               "without-special": "silent", "without-anchor": "silent"},
    "tie": {"disallow": "should"},
    "tie_of_different": {"disallow": "silent"},
    "reserved": {"encode": "silent", "decode": "silent"},
    "not_in_uri": {"keep": "silent"},
    "escapes_of_rules": {"keep": "silent"},
    "escape_is": {"octets": "silent"},
    "broken_escape": {"encode": "silent"},
    "escaped_special": {"differ": "should"},
    "inner_dollar": {"end": "silent", "never": "silent"},
    "backslash": {"slash": "silent"},
    "fragment": {"keep": "silent"},
    "dots": {"resolve": "silent"},
    "empty_path": {"empty": "silent"},
    "url_nul": {"ends": "silent"},
    "robots_txt": {"with-query": "silent", "decoded": "silent"},
}
NO_OTHERS = {"most_bytes", "field_form", "trailing_blanks", "run_ends", "fallback", "order", "joined_escape", "url"}
assert {field.name for field in fields(Reading)} == set(OTHERS) | NO_OTHERS

STANDARD = replace(
    PLAIN, byte_order_mark="drop-partial", beyond_limit="whole-lines", names="common", missing_colon="two-words",
    continuation="fold", odd_agent="token", odd_token="leading-wide", escape_is="octets-but-special",
    robots_txt="normal", field_form="name", joined_escape="keep", url="any", encoding="utf-16",
)
# The same without anything that goes beyond the RFC.
STRICT = replace(
    STANDARD, byte_order_mark="keep", names="strict", missing_colon="skip", continuation="none", odd_token="leading",
    no_slash="literal", encoding="octets",
)
# Options of the command: what each of their values changes.
OPTIONS = {
    "leniency": {
        "strict": {"names": "strict", "missing_colon": "skip"},
        "processor": {"names": "processor", "missing_colon": "skip"},
        "common": {"names": "common", "missing_colon": "two-words"},
        "generous": {"names": "generous", "missing_colon": "two-words"},
    },
    "fold": {True: {"continuation": "fold"}, False: {"continuation": "none"}},
    "keep_trailing_spaces": {True: {"trailing_blanks": "keep"}, False: {"trailing_blanks": "drop"}},
    "any_line_ends_run": {True: {"run_ends": "any-field"}, False: {"run_ends": "rule"}},
    "fallback": {True: {"fallback": "star"}, False: {"fallback": "none"}},
    "complement_leading_slash": {True: {"no_slash": "add"}, False: {"no_slash": "literal"}},
    "decode_wildcard": {True: {"escaped_special": "wildcard"}, False: {"escaped_special": "literal"}},
    "order": {"longest": {"order": "longest"}, "file": {"order": "file"}},
}


def standard(options):
    """The standard dialect with some options of the command. Options that read nothing change nothing."""
    changes = {}
    for name, value in options.items():
        changes |= OPTIONS.get(name, {}).get(value, {})
    return replace(STANDARD, **changes)


ORDER = {"must": 0, "should": 1, "may": 2, "silent": 3}


def alternatives():
    """The readings that differ from the plain one in one choice: pairs of the choice and its strength."""
    for name, values in OTHERS.items():
        for value, strength in values.items():
            yield (name, value), strength


@lru_cache(None)
def reading(*choices):
    return replace(PLAIN, **dict(choices))
