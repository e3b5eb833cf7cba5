"""Files, arguments and results."""

from __future__ import annotations

import array
import base64
import collections
import copy
import datetime
import gc
import gzip
import io
import itertools
import pickle
import sys
import threading
import time
import types
import typing
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import robosieve
from robosieve import Robots, answers, protego, sieve
from robosieve.gate import Gate

FILE = b"User-agent: *\nDisallow: /x\n"


def test_every_kind_of_bytes_is_a_file():

    class Text(str): ...

    class Bytes(bytes): ...

    bodies = [FILE, FILE.decode(), bytearray(FILE), memoryview(FILE), array.array("B", FILE), Text(FILE.decode()), Bytes(FILE)]
    for body in bodies:
        assert sieve(body, "MyBot").text == FILE.decode(), type(body)
        assert not Robots.parse(body).can_fetch(b"/x", bytearray(b"MyBot")), type(body)
    assert sieve(memoryview(FILE + FILE)[: len(FILE)][::1], "MyBot").text == FILE.decode()
    assert Robots.parse("User-agent: *\nDisallow: /\u00fc").can_fetch("/%C3%BC", "MyBot") is False
    changed = bytearray(FILE)
    robots = Robots.parse(changed)
    changed[:] = b"#" * len(changed)
    assert not robots.can_fetch("/x", "MyBot")


def test_a_file_can_have_weak_references():
    kept = weakref.WeakSet([robots := Robots.parse(FILE)])
    assert list(kept) == [robots]
    del robots
    gc.collect()
    assert not kept


def test_lone_surrogates_are_bytes():
    escaped = b"User-agent: *\nDisallow: /\xff".decode("utf-8", "surrogateescape")
    assert sieve(escaped, "MyBot").text == "User-agent: *\nDisallow: /%FF\n"
    assert not Robots.parse(escaped).can_fetch("https://example.com/\udcff", "MyBot")
    other = Robots.parse("User-agent: *\nDisallow: /\ud800")
    assert not other.can_fetch("/\ud800", "MyBot") and other.can_fetch("/\ud801", "MyBot")
    assert other.can_fetch("/", "\ud800bot")


def test_a_packed_file_is_whole_or_a_part_or_an_error():
    packed = gzip.compress(FILE)
    for whole in (packed, packed + bytes(7), FILE, FILE.decode(), bytearray(packed)):
        unpacked = robosieve.unpack(whole)
        assert unpacked == (FILE, True) and type(unpacked.bytes) is bytes and sieve(unpacked, "MyBot").text == FILE.decode()
    for damaged, words in ((packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:], "checksum"), (packed + b"x", "no gzip member begins"),
                           (b"\x28\xb5\x2f\xfd\xff" + b"x" * 99, "zstd")):
        with pytest.raises(robosieve.UnpackError, match=words):
            robosieve.unpack(damaged)
    bomb = gzip.compress(FILE * 1_000_000)
    for part in (packed[:3], packed[:-1], bomb):
        unpacked = robosieve.unpack(part)
        assert not unpacked.complete and len(unpacked.bytes) <= 512_016
        expected = sieve(bytes(unpacked.bytes), "MyBot", complete=False).text
        for given in (unpacked, unpacked.bytes, pickle.loads(pickle.dumps(unpacked))):
            for options in ({}, {"complete": True}, {"dialect": "processor"}):
                robots = Robots.parse(given, **options)
                assert sieve(given, "MyBot", **options).text == expected
                for one in (robots, copy.copy(robots), pickle.loads(pickle.dumps(robots))):
                    assert not one.can_fetch("/x", "MyBot")
            assert robosieve.diff(given, expected, "MyBot")["same"] and robosieve.explain(given) and robosieve.lint(given)
    assert len(robosieve.unpack(bomb, max_bytes=10).bytes) == 26


def test_no_content_raises(corpus):
    bodies = [path.read_bytes() for path in corpus]
    bodies += [b"", b"\0" * 5000, bytes(range(256)) * 40, b"\xff\xfe" + FILE.decode().encode("utf-16-le"), b"\r" * 10_000]
    bodies += [b"User-agent: *\n" + b"Disallow: /*a*a*a*a*a*a*$\n" * 5000, b"x" * 3_000_000, b"User-agent: a\n" * 60_000]
    for body in bodies:
        for agent in ["MyBot", "", " ", "\0", "Mozilla/5.0 (compatible; MyBot/1.0)", "*", "Unic\u00f6deB\u00f6t", b"\xff/\xff"]:
            if not agent.strip():
                continue
            robots = Robots.parse(body)
            for url in ["", "/", "//", "?", "#", "%", "http://", "\0", "a" * 5000, b"\xff", "https://[::1", "/%", "*"]:
                assert robots.can_fetch(url, agent) == robots.test(url, agent).allowed == bool(robots.test(url, agent))
            robots.crawl_delay(agent), robots.request_rate(agent), robots.visit_time(agent)
            robots.content_signals(agent), robots.content_usage("/", agent), robots.sitemaps, robots.preferred_host
        for options in [{}, {"dialect": "google", "limits": {"max_bytes": 512_000}}, {"dialect": "processor", "form": "portable"}]:
            text = sieve(body, "MyBot", **options).text
            assert text.isascii() and text
            assert sieve(text, "MyBot", **options).text == text, body[:80]


def test_agents_have_an_order():
    robots = Robots.parse("User-agent: googlebot\nDisallow: /\n\nUser-agent: googlebot-news\nAllow: /")
    names = ["googlebot-news", "googlebot"]
    for agents in (names, iter(names), (name for name in names), collections.deque(names)):
        assert robots.can_fetch("/x", agents)


def _released():
    released = memoryview(FILE)
    released.release()
    return released


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sieve(None, "MyBot"), TypeError, "the file must be bytes or str, not NoneType"),
        (lambda: sieve([b"a"], "MyBot"), TypeError, "not list"),
        (lambda: Robots.parse(Path("robots.txt")), TypeError, r"not PosixPath: write path\.read_bytes\(\)"),
        (lambda: sieve(io.StringIO(), "MyBot"), TypeError, r'open it with "rb", and write file\.read\(\)'),
        (lambda: sieve(io.BytesIO(), "MyBot"), TypeError, r'open it with "rb", and write file\.read\(\)'),
        (lambda: Robots.parse(_released()), ValueError, "released memoryview"),
        (lambda: Robots.parse(FILE).can_fetch(_released(), "MyBot"), ValueError, "released memoryview"),
        (lambda: sieve(FILE), TypeError, "agents"),
        (lambda: sieve(FILE, 1), TypeError, "agents must be"),
        (lambda: sieve(FILE, []), ValueError, "name an agent"),
        (lambda: sieve(FILE, ""), ValueError, "an agent is empty"),
        *((lambda given=given: sieve(FILE, given), TypeError, "agents") for given in ({"a"}, frozenset("a"), {"a": 1}, {"a": 1}.keys())),
        (lambda: robosieve.GateCore({"a"}), TypeError, "agents"),
        (lambda: Gate({"a"}), TypeError, "agents"),
        (lambda: sieve(FILE, "MyBot", dialekt="google"), TypeError, "dialekt"),
        (lambda: sieve(FILE, "MyBot", dialect="goggle"), ValueError, "goggle"),
        (lambda: sieve(FILE, "MyBot", dialect="\ud800"), ValueError, "an option: "),
        (lambda: sieve(FILE, "MyBot", limits={"max_bytes": True}), TypeError, "max_bytes"),
        (lambda: Robots.parse(FILE).can_fetch("MyBot", "https://example.com/x"), ValueError, "an agent is a URL"),
        (lambda: pickle.dumps(sieve(FILE, "MyBot")), TypeError, "pickle"),
        (lambda: Robots.parse(FILE).can_fetch(None, "MyBot"), TypeError, "the URL must be"),
        (lambda: setattr(Robots.parse(FILE), "sitemaps", []), AttributeError, "sitemaps"),
    ],
)
def test_wrong_arguments_say_what_to_do(call, error, words):
    with pytest.raises(error, match=words) as raised:
        call()
    assert type(raised.value) is error


def test_options_are_read():
    """What each does is asked in Rust: all are read by their names."""
    wide = b"User-agent: *\nDisallow: /a*b*c\nDisallow: x\n"
    limits = {"max_wildcards": 1}
    with pytest.raises(robosieve.Refused, match="line 2") as refused:
        sieve(wide, "MyBot", limits=limits, over_limit="refuse")
    assert isinstance(refused.value, ValueError)
    with pytest.raises(robosieve.Refused):
        Robots.parse(wide, limits=limits, over_limit="refuse").can_fetch("/", "MyBot")
    assert "/x" not in sieve(wide, "MyBot", dialect="google").text
    assert Robots.parse("User-agent: *\nDisallow: /", fallback=False).can_fetch("/", "MyBot")
    assert len(sieve("x\n" * 50, "MyBot", max_findings=3).report.findings) == 3


def test_a_known_crawler_has_one_answer():
    file = b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n"
    for agent, known, by in [("AdsBot-Google", {}, "nobody"), ("AdsBot-Google", {"known": False}, "everyone"), (["AdsBot-Google", "a"], {}, "everyone")]:
        text, documented = sieve(file, agent, **known), by == "nobody"
        assert text.answered_by == by and bool(text.documented) == documented
        for verdict in [text.test("/b"), Robots.parse(file, **known).test("/b", agent)]:
            assert (verdict.documented, verdict.allowed) == (text.documented, documented)
        assert robosieve.explain(file, agent, **known)["answered_by"] == by
        assert len(robosieve.diff(file, b"", agent, **known).get("documented", [])) == documented
    # What it replaces reads names alone.
    assert not protego.Protego.parse(file.decode()).can_fetch("/b", "AdsBot-Google")


def test_every_literal_of_the_types_is_taken():
    hints = typing.get_type_hints(robosieve.Options)
    del hints["limits"]
    assert len(hints) > 15
    for name, hint in hints.items():
        for kind in typing.get_args(hint):
            literals = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()
            plain = {bool: (True, False), int: (0, 7), str: ("https://example.com/",), type(None): (None,)}
            for value in literals or plain[kind]:
                assert sieve(FILE, "MyBot", **{name: value}).text, (name, value)
        for wrong in ({}, [], "nothing", 1.5):
            with pytest.raises((TypeError, ValueError)):
                sieve(FILE, "MyBot", **{name: wrong})


def test_values_are_read():
    file = b"""User-agent: *
Crawl-delay: 2.50
Crawl-delay: 4
Request-rate: 1/10m 0600-0845
Request-rate: 5/1
Visit-time: 2200-2400
Content-Signal: search=yes, ai-train=no
Content-Usage: /blog train-ai=n
Content-Usage: train-ai=y
Disallow: /blog/closed

Host: Example.com
Sitemap: https://example.com/a.xml
Sitemap: https://example.com/a.xml
"""
    robots = Robots.parse(file)
    assert robots.crawl_delay("MyBot") == 4
    rate = robots.request_rate("MyBot")
    assert rate == (1, 600, datetime.time(6), datetime.time(8, 45)) and isinstance(rate, robosieve.RequestRate)
    assert robots.visit_time("MyBot") == (datetime.time(22), datetime.time(23, 59, 59, 999_999))
    assert robots.content_signals("MyBot") == [("", {"search": "yes", "ai-train": "no"})]
    usage = [robots.content_usage(url, "MyBot") for url in ["/", "https://example.com/blog/1", "/blog/closed"]]
    assert usage == [{"train-ai": True}, {"train-ai": False}, {}]
    assert robots.sitemaps == ["https://example.com/a.xml"] and robots.preferred_host.endswith("example.com")
    nothing = Robots.parse(b"User-agent: MyBot\nDisallow:\n\nUser-agent: *\nCrawl-delay: 5")
    assert nothing.crawl_delay("MyBot") is nothing.request_rate("MyBot") is nothing.visit_time("MyBot") is None


def test_results_are_those_of_the_command(reported, corpus):
    urls = ["/", "/x", "https://example.com/a?b", "/robots.txt", "/a/b.html"]
    # The command unpacks what is packed.
    paths = [path for path in corpus if not path.read_bytes().startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))]
    bodies = [path.read_bytes() for path in paths]
    filters = [{"agent": "MyBot", "robots_b64": base64.b64encode(body).decode()} for body in bodies]
    tests = [{**request, "urls": urls} for request in filters]
    expected = zip(bodies, reported("filter", "--ndjson", requests=filters), reported("test", "--ndjson", requests=tests),
                   reported("lint", "--format", "json", "--fail-on", "never", *paths), reported("explain", "--json", "--agent", "MyBot", *paths), strict=True)
    for body, filtered, tested, linted, explained in expected:
        sieved, robots = sieve(body, "MyBot"), Robots.parse(body)
        assert (sieved.text, sieved.exact, sieved.answered_by) == tuple(filtered[key] for key in ("text", "exact", "answered_by"))
        assert sieved.report.to_dict() == filtered["report"]
        for url, answer in zip(urls, tested["results"], strict=True):
            rule = answer["rule"] and f"{answer['rule']['kind'].capitalize()}: {answer['rule']['pattern']}"
            for verdict in (robots.test(url, "MyBot"), sieved.test(url)):
                assert (verdict.allowed, verdict.line, verdict.rule, verdict.reason) == (answer["allowed"], answer["line"], rule, answer["reason"])
            assert robots.can_fetch(url, "MyBot") == sieved.can_fetch(url) == answer["allowed"]
        assert robosieve.lint(body) == linted and robosieve.explain(body, "MyBot") == explained
        for value, kind in ((linted, answers.Linted), (explained, answers.Page), (filtered["report"], answers.Report)):
            assert fits(value, kind), (value, kind)
    for old, new in itertools.pairwise(range(0, len(paths), 9)):
        changes = robosieve.diff(bodies[old], bodies[new], "MyBot")
        assert [changes] == reported("diff", "--json", "--agent", "MyBot", paths[old], paths[new]) and fits(changes, answers.Changes)
    assert robosieve.diff(FILE, FILE + b"# same", "MyBot")["same"]


def fits(value, kind) -> bool:
    """Whether a plain value has all that its type says, and nothing else."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in args
    if origin in (typing.Union, types.UnionType, typing.NotRequired):
        return any(fits(value, one) for one in args)
    if origin is list:
        return isinstance(value, list) and all(fits(one, *args) for one in value)
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        has_names = isinstance(value, dict) and kind.__required_keys__ <= value.keys() <= hints.keys()
        return has_names and all(fits(one, hints[name]) for name, one in value.items())
    if origin is dict:
        return isinstance(value, dict) and all(fits(name, args[0]) and fits(one, args[1]) for name, one in value.items())
    return type(value) is kind


def test_copies_answer_alike():
    options = {"dialect": "google", "limits": {"max_bytes": 100}}
    for body in (FILE, bytearray(FILE), FILE.decode(), FILE + b"\n" * 1000):
        robots = Robots.parse(body, **options)
        for copied in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):
            assert copied.test("/x", "MyBot") == robots.test("/x", "MyBot")
            assert copied.test("/robots.txt", "MyBot").reason == "no-rule", "the dialect is kept"
    assert len({Robots.parse(FILE).test("/x", "MyBot"), sieve(FILE, "MyBot").test("/x")}) == 1
    assert len(pickle.dumps(Robots.parse(FILE + b"#" * 9_000_000))) < 520_000, "what is not read is not kept"
    assert Robots.parse(FILE).test("/x", "MyBot") != Robots.parse(FILE).test("/y", "MyBot")


def test_a_report_is_plain_data():
    report = sieve("User-agent: *\nDisalow: /x\n", "MyBot").report
    [finding] = report.findings
    assert (finding.line, finding.kind, finding.effect, finding.severity) == (2, "misspelled-directive", "none", "repair")
    assert str(report) == f"{finding}\nexact: 1 repair" and str(finding).startswith(f"line 2: {finding.text} [")
    assert (report.exact, report.input, report.suspects, report.counts) == (True, "text", 0, {"misspelled-directive": 1})
    again = pickle.loads(pickle.dumps(report))
    assert (again, again.to_dict()) == (report, report.to_dict()) and {finding} == set(again.findings)
    with pytest.raises(AttributeError):
        report.exact = False


def test_threads_share_an_object():
    names = ["bot" + "abcdefghij"[n % 10] * (1 + n // 10) for n in range(100)]
    groups = "".join(f"User-agent: {name}\nDisallow: /{n}\n" for n, name in enumerate(names))
    robots, sieved = Robots.parse(groups), sieve(groups, "bota")

    def ask(_):
        return [name for n, name in enumerate(names)
                if robots.can_fetch(f"/{n}/a", name) or not robots.can_fetch("/a", name) or sieved.can_fetch("/0")]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [[]] * 8


def test_long_calls_let_other_threads_go_on():
    hostile = b"User-agent: *\n" + b"".join(b"Disallow: /*a%d*b*c\n" % n for n in range(20_000))
    robots = Robots.parse(hostile)

    def work():
        for _ in range(5):
            Robots.parse(hostile), sieve(hostile, "MyBot"), robots.can_fetch("/" + "ab" * 5_000, "MyBot")

    interval, turns = sys.getswitchinterval(), 0
    sys.setswitchinterval(60)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            turns += 1
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(interval)
    assert turns > 10
