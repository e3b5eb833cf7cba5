"""Lines of robots.txt files, counted as Common Crawl's statistics do, and where these differ."""

from __future__ import annotations

import collections
import gzip
import io
import json

import pytest
from archives import packed, record

from robosieve._core import _Statistics

KNOWN = "user-agent disallow allow crawl-delay sitemap clean-param host noindex".split()
MAX_RULESET = 1 << 22


def counts_of(archive: bytes, **options: object) -> collections.Counter:
    """Keys and counts of an archive."""
    counts: collections.Counter = collections.Counter()
    for lines in _Statistics(**options).archive(io.BytesIO(archive), "a.warc"):
        for line in lines.splitlines():
            one = json.loads(line)
            assert list(one) == ["key", "cnt"] and list(one["key"]) == ["directive", "value"]
            counts[one["key"]["directive"], one["key"]["value"]] += one["cnt"]
    return counts


def of(body: bytes, **options: object) -> collections.Counter:
    return counts_of(record(0, body), **options)


def ruleset(body: bytes) -> dict:
    [(_, text)] = [key for key in of(body, rulesets=True) if key[0].startswith("(ruleset")]
    return json.loads(text)["https://site0.example/robots.txt"]


def as_there(body: bytes) -> collections.Counter:
    """What such statistics count, in our words: line by line, each for itself, and ended by LF."""
    counts: collections.Counter = collections.Counter()
    if body.startswith(b"\xef\xbb\xbf"):
        counts["(bom stripped)", None] += 1
        body = body[3:]
    for line in body.split(b"\n")[: None if not body.endswith(b"\n") and body else -1]:
        text = line.decode("utf-8", "replace").strip()
        name, colon, value = text.partition(":")
        name = name.rstrip().lower()
        if not text or text.startswith("#"):
            key = ("(comment line)" if text else "(empty line)", None)
        elif colon and name in KNOWN:
            key = (name, " ".join(value.split("#")[0].split()))
        elif colon and name.replace("-", "").replace("_", "").isalpha():
            key = ("(unknown directive)", name)
        else:
            key = ("(unknown line)", None)
        counts[key] += 1
    return counts


PLAIN = [
    b"",
    b"User-agent: *\nDisallow: /x # no\n\n# a comment\n  \t\nAllow:/y\nSITEMAP : https://e.com/a.xml\n",
    b"\xef\xbb\xbfUser-Agent: Two  Words\r\nCrawl-delay: 5\r\nDisallow:\r\nHost: e.com\r\n",
    b"Noindex: /a\nClean-param: a&b /\nVisit-time: 0100-0200\nRequest-rate: 1/5\nnonsense\nDisalow: /x\n",
    b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /caf\xc3\xa9\nDisallow: /last",
]


@pytest.mark.parametrize("body", PLAIN)
def test_lines_are_counted_by_directive_and_value(body):
    """[statistics.lines]"""
    assert of(body) == as_there(body)


def test_where_counts_differ():
    """[statistics.differences]"""
    for body, expected, there in [
        # CR ends a line.
        (b"User-agent: *\rDisallow: /x\r", {("user-agent", "*"): 1, ("disallow", "/x"): 1}, {("user-agent", "* Disallow: /x"): 1}),
        # A continued line is one.
        (b"User-agent: *\nDisallow:\n  /x\n", {("user-agent", "*"): 1, ("disallow", "/x"): 1},
         {("user-agent", "*"): 1, ("disallow", ""): 1, ("(unknown line)", None): 1}),
        # Two words without a colon.
        (b"User-agent: *\nDisallow /x\n", {("user-agent", "*"): 1, ("disallow", "/x"): 1},
         {("user-agent", "*"): 1, ("(unknown line)", None): 1}),
        # A name has no underscores.
        (b"Request_rate: 1/5\n", {("(unknown line)", None): 1}, {("(unknown directive)", "request_rate"): 1}),
        # A page is no robots.txt file, with a comment before it, too.
        (b"<!-- x -->\n<!DOCTYPE html>\n<html><head><title>x</title></head></html>\n", {}, {("(unknown line)", None): 3}),
    ]:
        assert of(body) == expected, body
        assert as_there(body) == there, body


def test_which_records_are_counted():
    """[statistics.records]"""
    body = b"User-agent: *\n"
    whole = record(0, body)
    others = [whole.replace(b"200 OK", status) for status in (b"404 NO", b"503 NO", b"206 OK", b"301 OK")]
    others += [record(0, body, b"request"), record(0, body, b"metadata")]
    assert counts_of(b"".join([whole, *others, whole])) == {("user-agent", "*"): 2}
    elsewhere = whole.replace(b"/robots.txt", b"/robots.htm")
    assert counts_of(elsewhere) == {} and counts_of(elsewhere, all_urls=True) == {("user-agent", "*"): 1}
    # What cannot be read is counted, and the others are, too.
    assert counts_of(b"this is no record\r\n\r\n" + whole) == {("(failed record)", "bad-record"): 1, ("user-agent", "*"): 1}
    with pytest.raises(OSError, match="no disk"):
        list(_Statistics().archive(Broken(), "a.warc"))
    [lines] = _Statistics().archive(Broken(), "a.warc", raises=False)
    assert json.loads(lines)["key"] == {"directive": "(failed record)", "value": "unreadable"}


class Broken(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        raise OSError("no disk")


def test_rulesets_have_the_rules_of_each_crawler():
    """[statistics.rulesets]"""
    body = b"User-agent: b\nUser-agent: a\nDisallow: /y\nDisallow: /x\nAllow: /z\n\nUser-agent: c\nCrawl-delay: 1\n"
    rules = {"allow": ["/z"], "disallow": ["/x", "/y"]}
    assert ruleset(body) == {"a": rules, "b": rules}
    [(_, text)] = [key for key in of(b"User-agent: \xc3\xa9\nDisallow: /\n", rulesets=True) if key[0] == "(ruleset)"]
    # As ujson writes it.
    assert text == r'{"https:\/\/site0.example\/robots.txt":{"\u00e9":{"disallow":["\/"]}}}'
    assert ruleset(b"# nothing\n") == {}
    # Of several crawlers each has the rules, also after the first group.
    several = b"User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nUser-agent: CCBot\nDisallow: /\n"
    assert ruleset(several) == {name: {"disallow": [path]} for name, path in [("*", "/x"), ("GPTBot", "/"), ("CCBot", "/")]}
    # A line that is no rule does not end a run of names, and a misspelled rule is one.
    assert ruleset(b"User-agent: a\nSitemap: /s\nUser-agent: b\nDisalow: /\n") == {name: {"disallow": ["/"]} for name in "ab"}


@pytest.mark.parametrize(("more", "fits"), [(-1, True), (0, True), (1, False)])
def test_a_ruleset_is_bounded(more, fits):
    """[statistics.bounds]"""
    names = b"".join(b"User-agent: n%d\n" % number for number in range(16))
    # Each of 16 crawlers has a value and one byte for it; the last one fills up.
    size = MAX_RULESET // 16 - 2
    body = names + b"Disallow: /" + b"x" * (size - 1) + b"\n"
    rest = MAX_RULESET - 16 * (size + 1) + more
    body += b"User-agent: last\nDisallow: /" + b"y" * (rest - 2) + b"\n"
    found = of(body, rulesets=True, limits={"max_bytes": 1 << 20})
    assert (("(ruleset too large)", "https://site0.example/robots.txt") in found) != fits
    assert sum(key[0] == "(ruleset)" for key in found) == fits


@pytest.mark.parametrize(("length", "fits"), [(99, True), (100, True), (101, False)])
def test_a_name_is_bounded(length, fits):
    """[statistics.bounds]"""
    name = "x" * length
    found = of(f"User-agent: a\nDisallow: /\n{name}: 1\n".encode())
    assert found[("(unknown directive)", name)] == fits
    assert found[("(unknown line)", None)] == (not fits)


def test_packed_archives_have_the_same_counts():
    """[statistics.lines]"""
    records = [record(number, PLAIN[number % 5]) for number in range(50)]
    expected: collections.Counter = collections.Counter()
    for number in range(50):
        expected += as_there(PLAIN[number % 5])
    assert counts_of(b"".join(records)) == counts_of(packed(records)) == expected
    assert counts_of(gzip.compress(b"".join(records))) == expected
