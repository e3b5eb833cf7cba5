"""Files, arguments and results."""

from __future__ import annotations

import array
import collections
import copy
import datetime
import gc
import gzip
import json
import os
import pickle
import random
import subprocess
import sys
import threading
import time
import typing
import weakref
from pathlib import Path

import pyarrow
import pytest
import zstandard
from archives import record

import robosieve
from robosieve import Robots, arrow, protego, sieve, warc
from robosieve.gate import AsyncGate, Gate

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


def test_a_released_buffer_says_so():
    released = memoryview(FILE)
    released.release()
    for call in (Robots.parse, lambda body: sieve(body, "MyBot"), lambda url: Robots.parse(FILE).can_fetch(url, "MyBot")):
        with pytest.raises(ValueError, match="released memoryview"):
            call(released)


def test_a_file_can_have_weak_references():
    robots = Robots.parse(FILE)
    kept = weakref.WeakValueDictionary(site=robots)
    assert kept["site"] is robots
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
    wrong = packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:]
    for whole in (packed, packed + bytes(7), packed + bytes(7) + gzip.compress(b""), FILE, FILE.decode(), bytearray(packed), b""):
        unpacked = robosieve.unpack(whole)
        assert unpacked.complete and unpacked.bytes in (FILE, b"") and type(unpacked.bytes) is bytes
        assert sieve(unpacked, "MyBot").text == sieve(unpacked.bytes, "MyBot").text
    for damaged, words in ((wrong, "matching checksum"), (packed + b"x", "no gzip member begins where one should"),
                           (packed + b"\0\0x", "no gzip member begins"), (gzip.compress(b"") * 40_000, "longer than 577552 bytes"),
                           (b"\x28\xb5\x2f\xfd\xff" + b"x" * 99, "zstd")):
        with pytest.raises(robosieve.UnpackError, match=words) as raised:
            robosieve.unpack(damaged)
        assert str(raised.value).startswith("cannot be unpacked from ")
    bomb = gzip.compress(FILE * 1_000_000)
    for part in (packed[:3], packed[:12], packed[:-9], packed[:-1], packed + packed[:2], packed + packed[:14], bomb):
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


def test_damaged_files_have_one_answer_at_every_door(command, tmp_path):
    """As many files as ROBOSIEVE_DAMAGED says."""
    count = int(os.environ.get("ROBOSIEVE_DAMAGED", "60"))
    files = [damaged(random.Random(seed)) for seed in range(count)]
    asked = [{"robots_b64": _base64(file), "agents": ["MyBot"]} for file in files]
    lines = "\n".join(map(json.dumps, asked)).encode()
    told = subprocess.run([command, "filter", "--ndjson"], input=lines, capture_output=True)
    expected = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(expected) == count
    columns = arrow.sieve(pyarrow.array(files), "MyBot").to_pylist()
    archive = b"".join(record(number, file) for number, file in enumerate(files))
    records = [row for batch in warc.read(archive, "MyBot") for row in batch.to_pylist()]
    answers = collections.Counter()
    for number, (file, theirs, row, stored) in enumerate(zip(files, expected, columns, records, strict=True)):
        error = theirs.get("error", {}).get("message")
        try:
            unpacked = robosieve.unpack(file)
        except robosieve.UnpackError as wrong:
            assert error and str(wrong) in error, (number, theirs)
            assert (row["error"], row["text"], stored["text"], stored["outcome"]) == (str(wrong), None, None, "failed"), number
            answers["damaged"] += 1
            continue
        text = sieve(unpacked, "MyBot").text
        assert (error, theirs["text"], row["text"], row["error"], stored["text"]) == (None, text, text, None, text), number
        answers["whole" if unpacked.complete else "a part"] += 1
    assert set(answers) == {"whole", "a part", "damaged"}
    print(dict(answers))


def damaged(chance: random.Random) -> bytes:
    """A packed file that something has happened to."""
    body = b"".join(chance.choice([b"User-agent: *\n", b"Disallow: /x\n", b"Allow: /%d\n" % number, b"# remark\n"])
                    for number in range(chance.choice([1, 5, 300])))
    packs = [lambda body: gzip.compress(body, chance.choice([0, 1, 9])), zstandard.ZstdCompressor(write_checksum=True).compress]
    pack = chance.choice(packs)
    file = b"".join(pack(body) for _ in range(chance.choice([1, 1, 2])))
    place = chance.randrange(len(file))
    match chance.randrange(7):
        case 0:
            return file
        case 1:
            return file + bytes(chance.choice([1, 9, 600]))
        case 2:
            return file + chance.choice([b"x", b"\0x", file[:2], file[:15], b"\n"])
        case 3:
            return file[: max(1, place)]
        case 4:
            return file[: -chance.randrange(1, 12)]
        case _:
            return file[:place] + bytes([file[place] ^ 1 << chance.randrange(8)]) + file[place + 1 :]


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


def test_a_huge_file_costs_what_is_read():
    huge = FILE + b"# " + b"x" * 200_000_000
    start = time.process_time()
    robots = Robots.parse(huge)
    assert not robots.can_fetch("/x", "MyBot") and not sieve(huge, "MyBot").exact
    assert time.process_time() - start < 1
    assert len(pickle.dumps(robots)) < 520_000


def _keys(names):
    return dict.fromkeys(names).keys()


def test_agents_have_an_order():
    robots = Robots.parse("User-agent: googlebot\nDisallow: /\n\nUser-agent: googlebot-news\nAllow: /")
    names = ["googlebot-news", "googlebot"]
    for agents in (names, tuple(names), iter(names), (name for name in names), collections.deque(names)):
        assert robots.can_fetch("/x", agents)
    for agent in ("MyBot\n", "M/1.0 (+https://e.com/: me)", "My Bot: x", "Bot http://e.com/", "disallow"):
        assert sieve(FILE, agent).text == FILE.decode()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: sieve(None, "MyBot"), TypeError),
        (lambda: sieve(1, "MyBot"), TypeError),
        (lambda: sieve([b"a"], "MyBot"), TypeError),
        (lambda: sieve(FILE), TypeError),
        (lambda: sieve(FILE, 1), TypeError),
        (lambda: sieve(FILE, [1]), TypeError),
        (lambda: sieve(FILE, []), ValueError),
        (lambda: sieve(FILE, ""), ValueError),
        (lambda: sieve(FILE, ["MyBot", " \t"]), ValueError),
        *((lambda make=make: sieve(FILE, make(["a", "b"])), TypeError) for make in (set, frozenset, dict.fromkeys, _keys)),
        (lambda: Robots.parse(FILE).can_fetch("/x", {"a"}), TypeError),
        (lambda: Robots.parse(FILE).crawl_delay({"a": 1}.keys()), TypeError),
        (lambda: robosieve.GateCore({"a"}), TypeError),
        (lambda: Gate({"a"}), TypeError),
        (lambda: AsyncGate({"a"}), TypeError),
        (lambda: sieve(FILE, "MyBot", dialekt="google"), TypeError),
        (lambda: sieve(FILE, "MyBot", dialect="goggle"), ValueError),
        (lambda: sieve(FILE, "MyBot", dialect="\ud800"), ValueError),
        (lambda: sieve(FILE, "MyBot", dialect=1), TypeError),
        (lambda: sieve(FILE, "MyBot", fold="no"), TypeError),
        (lambda: sieve(FILE, "MyBot", limits=3), TypeError),
        (lambda: sieve(FILE, "MyBot", limits={"max_byte": 3}), TypeError),
        (lambda: sieve(FILE, "MyBot", limits={"max_bytes": -1}), ValueError),
        (lambda: sieve(FILE, "MyBot", limits={"max_bytes": 1.5}), TypeError),
        (lambda: sieve(FILE, "MyBot", limits={"max_bytes": True}), TypeError),
        (lambda: sieve(FILE, "MyBot", base_url="example.com"), ValueError),
        (lambda: Robots.parse(FILE).can_fetch("MyBot", "https://example.com/x"), ValueError),
        (lambda: Robots.parse(FILE).can_fetch("MyBot", "/x"), ValueError),
        (lambda: pickle.dumps(sieve(FILE, "MyBot")), TypeError),
        (lambda: Robots.parse(FILE).can_fetch(None, "MyBot"), TypeError),
        (lambda: Robots.parse(FILE).test("/x", None), TypeError),
        (lambda: setattr(Robots.parse(FILE), "sitemaps", []), AttributeError),
    ],
)
def test_wrong_arguments_say_what_to_do(call, error):
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error and len(str(raised.value)) > 10


def test_options_are_read():
    wide = b"User-agent: *\nDisallow: /a*b*c\nDisallow: x\nSitemap: /s.xml\nFoo: bar\n"
    limits = {"max_wildcards": 1}
    assert "Disallow: /a*b\n" in sieve(wide, "MyBot", limits=limits, over_limit="widen").text
    assert not sieve(wide, "MyBot", limits=limits).exact
    with pytest.raises(robosieve.Refused) as refused:
        sieve(wide, "MyBot", limits=limits, over_limit="refuse")
    assert isinstance(refused.value, ValueError) and "line 2" in str(refused.value)
    with pytest.raises(robosieve.Refused):
        Robots.parse(wide, limits=limits, over_limit="refuse").can_fetch("/", "MyBot")
    assert sieve(wide, "MyBot", limits={"max_wildcards": None}, over_limit="refuse").text
    assert "/x" not in sieve(wide, "MyBot", dialect="google").text
    assert "\r\n" in sieve(wide, "MyBot", newline="crlf").text
    assert "Foo: bar" in sieve(wide, "MyBot", keep_unknown=True).text
    assert "https://example.com/s.xml" in sieve(wide, "MyBot", base_url="https://example.com").text
    assert Robots.parse("User-agent: *\nDisallow: /", fallback=False).can_fetch("/", "MyBot")
    assert len(sieve("x\n" * 50, "MyBot", max_findings=3).report.findings) == 3
    nothing = dict.fromkeys(robosieve.Options.__annotations__)
    assert sieve(wide, "MyBot", **nothing).text == sieve(wide, "MyBot").text


KNOWN = b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("dialect", ["standard", "google", "processor"])
def test_a_known_crawler_has_one_answer(dialect):
    google = "https://developers.google.com/"
    for agent, by, plain in [
        ("Googlebot-News", "agent", "everyone"),
        ("AdsBot-Google", "nobody", "everyone"),
        ("Googlebot", "agent", "agent"),
        ("MyBot", "everyone", "everyone"),
        (["Googlebot-News", "MyBot"], "everyone", "everyone"),
    ]:
        for known, expected in [({}, by), ({"known": False}, plain)]:
            text = sieve(KNOWN, agent, dialect=dialect, **known)
            assert text.answered_by == expected, (agent, known)
            assert (text.documented or "").startswith(google) == (by != plain and not known)
            robots = Robots.parse(KNOWN, dialect=dialect, **known)
            for verdict in [text.test("/b"), robots.test("/b", agent)]:
                assert verdict.documented == text.documented
                assert verdict.allowed == (expected != "everyone"), (agent, known)
            page = robosieve.explain(KNOWN, agent, dialect=dialect, **known)
            assert (page["answered_by"], page.get("documented")) == (expected, text.documented)
            changes = robosieve.diff(KNOWN, b"", agent, dialect=dialect, **known)
            assert len(changes.get("documented", [])) == (by != plain and not known)
    # What it replaces reads names alone.
    assert not protego.Protego.parse(KNOWN.decode()).can_fetch("/b", "AdsBot-Google")


def test_a_text_answers_for_its_crawler():
    everyone = b"\n\nUser-agent: *\nDisallow: /x\n"
    own = ["AdsBot-Google", "AdsBot-Google-Mobile", "AdsBot-Google-Mobile-Apps", "Mediapartners-Google", "APIs-Google"]
    for token in [*own, "Googlebot-News", "Applebot", "GPTBot", "MJ12bot", "MyBot"]:
        for file in (b"User-agent: %s\nDisallow: /private" % token.encode() + everyone, everyone):
            for options in ({}, {"dialect": "google"}, {"form": "portable"}, {"known": False}, {"fallback": False}):
                text = sieve(file, token, **options)
                assert text.exact and sieve(text.text, token, **options).text == text.text, (token, options)
                reading = {name: value for name, value in options.items() if name != "form"}
                of_file, of_text = Robots.parse(file, **reading), Robots.parse(text.text, **reading)
                for path in ("/private", "/x", "/y"):
                    assert of_text.can_fetch(path, token) == of_file.can_fetch(path, token), (token, options, path)


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


def test_a_limit_holds_at_its_number():
    needed = len(FILE) - 1
    for most in (needed - 1, needed, needed + 1):
        limits = {"max_bytes": most}
        assert Robots.parse(FILE, limits=limits).can_fetch("/x", "MyBot") == (most < needed), most
        assert sieve(FILE, "MyBot", limits=limits).exact == (most >= len(FILE)), "a text ends with a line end"


def test_a_header_is_read_as_a_header():
    robots = Robots.parse(b"User-agent: MyBot\nDisallow: /x\n\nUser-agent: Mozilla\nDisallow: /y\n")
    for agent in ["MyBot", "mybot/2.1", "Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com/bot)", ["Other", b"MyBot"]]:
        assert not robots.can_fetch("/x", agent) and robots.can_fetch("/y", agent), agent
    assert robots.can_fetch("/x", "MyBot2")
    assert sieve(FILE, ["a", "b"]).answered_by == "everyone"
    named = sieve(b"User-agent: b\nDisallow: /", ["a", "b"])
    assert (named.answered_by, named.agent, sieve(FILE, None).answered_by) == ("agent", "b", "all")


def test_values_are_those_of_inspect(command, corpus):
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
    for path in corpus:
        if path.read_bytes()[:2] == b"\x1f\x8b":
            continue  # The command unpacks it.
        told = subprocess.run([command, "inspect", "--agent", "MyBot", "--json", path], capture_output=True, check=True)
        expected = json.loads(told.stdout)
        robots = Robots.parse(path.read_bytes())
        delay = expected["crawl_delay"]
        assert robots.crawl_delay("MyBot") == (delay and delay["seconds"]), path
        assert (robots.sitemaps, robots.preferred_host) == (expected["sitemaps"], expected["host"]), path


def test_results_are_those_of_the_command(command, corpus):
    urls = ["/", "/x", "https://example.com/a?b", "/robots.txt", "/a/b.html"]
    for path in corpus:
        body = path.read_bytes()
        if body[:2] == b"\x1f\x8b" or body[:4] == b"\x28\xb5\x2f\xfd":
            continue  # The command unpacks it.
        request = {"id": 1, "agent": "MyBot", "robots_b64": _base64(body)}
        filtered = _ask(command, "filter", request)
        sieved = sieve(body, "MyBot")
        assert (sieved.text, sieved.exact, sieved.answered_by) == tuple(filtered[key] for key in ("text", "exact", "answered_by"))
        assert sieved.report.to_dict() == filtered["report"], path
        robots = Robots.parse(body)
        for url, answer in zip(urls, _ask(command, "test", {**request, "urls": urls})["results"], strict=True):
            for verdict in (robots.test(url, "MyBot"), sieved.test(url)):
                rule = answer["rule"] and f"{answer['rule']['kind'].capitalize()}: {answer['rule']['pattern']}"
                found = (verdict.allowed, verdict.line, verdict.rule, verdict.reason)
                assert found == (answer["allowed"], answer["line"], rule, answer["reason"]), (path, url)
            assert robots.can_fetch(url, "MyBot") == sieved.can_fetch(url) == answer["allowed"]
        assert robosieve.lint(body) == _json(command, "lint", "--format", "json", path, "--fail-on", "never")
        assert robosieve.explain(body, "MyBot") == _json(command, "explain", "--json", path, "--agent", "MyBot")


def test_a_diff_is_that_of_the_command(command, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(FILE + b"Disallow: /*a*b\nCrawl-delay: 3\n")
    new.write_bytes(FILE + b"Disallow: /c\nAllow: /x/y\n")
    found = robosieve.diff(old.read_bytes(), new.read_bytes(), "MyBot")
    assert found == _json(command, "diff", "--json", "--agent", "MyBot", old, new)
    assert robosieve.diff(FILE, FILE + b"# same", "MyBot")["same"]


def test_copies_answer_alike():
    options = {"dialect": "google", "limits": {"max_bytes": 100}}
    for body in (FILE, bytearray(FILE), FILE.decode(), FILE + b"\n" * 1000):
        robots = Robots.parse(body, **options)
        for copied in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):
            assert copied.test("/x", "MyBot") == robots.test("/x", "MyBot")
            assert copied.test("/robots.txt", "MyBot").reason == "no-rule", "the dialect is kept"
    assert len({Robots.parse(FILE).test("/x", "MyBot"), sieve(FILE, "MyBot").test("/x")}) == 1
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
    groups = b"".join(b"User-agent: bot%s\nDisallow: /%d\n" % (b"abcdefghij"[n % 10 : n % 10 + 1] * (1 + n // 10), n) for n in range(100))
    robots = Robots.parse(groups)
    sieved = sieve(groups, "bota")
    wrong = []

    def ask():
        for n in range(100):
            agent = "bot" + "abcdefghij"[n % 10] * (1 + n // 10)
            if robots.can_fetch(f"/{n}/a", agent) or not robots.can_fetch("/a", agent) or sieved.can_fetch("/0"):
                wrong.append(agent)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_long_calls_let_other_threads_go_on():
    hostile = b"User-agent: *\n" + b"".join(b"Disallow: /*a%d*b*c\n" % n for n in range(20_000))
    robots = Robots.parse(hostile)
    robots.can_fetch("/", "MyBot")
    beats = []
    done = threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        start = time.monotonic()
        while time.monotonic() - start < 0.5:
            Robots.parse(hostile)
            robosieve.sieve(hostile, "MyBot")
            robots.can_fetch("/" + "ab" * 5000, "MyBot")
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    assert len(beats) > 10


def _base64(body: bytes) -> str:
    import base64

    return base64.b64encode(body).decode()


def _ask(command: str, name: str, request: dict) -> dict:
    told = subprocess.run([command, name, "--ndjson"], input=json.dumps(request).encode(), capture_output=True, check=True)
    return json.loads(told.stdout)


def _json(command: str, *arguments: str | Path) -> dict:
    told = subprocess.run([command, *arguments], capture_output=True)
    line = json.loads(told.stdout)
    return {key: value for key, value in line.items() if key not in ("v", "file")}


def test_a_path_or_an_open_file_says_what_to_write(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /\n")
    with pytest.raises(TypeError, match=r"must be bytes or str, not PosixPath: write path\.read_bytes\(\)"):
        robosieve.Robots.parse(path)
    for mode in ("r", "rb"):
        with path.open(mode) as file, pytest.raises(TypeError, match=r'open it with "rb", and write file\.read\(\)'):
            robosieve.sieve(file, "MyBot")


def test_utf16_is_decoded():
    for codec in ("utf-16", "utf-32"):
        body = "User-agent: *\nDisallow: /\u00e9\n".encode(codec)
        sieved = robosieve.sieve(body, "MyBot")
        assert (sieved.text, sieved.report.counts["decoded"]) == ("User-agent: *\nDisallow: /%C3%A9\n", 1)
        assert not robosieve.Robots.parse(body).can_fetch("/\u00e9", "MyBot")
