"""What may be done with a page: ``robosieve.signals``, over what callers have of it."""

from __future__ import annotations

import base64
import datetime
import http.client
import itertools
import json

import pytest
import robosieve
from conftest import ROOT
from robosieve.answers import SignalsAnswer
from test_core import fits

VECTORS = [json.loads(line) for line in (ROOT / "crates/signals/data/vectors.ndjson").read_text().splitlines()]
NOT_ASKED = ("source", "date", "uses", "limits", "findings", "licenses")
SOURCES = ("headers", "html", "robots", "status", "tdmrep")


def test_vectors_have_the_answers_of_the_command(reported):
    assert len(VECTORS) > 300
    requests = [{name: value for name, value in one.items() if name not in NOT_ASKED} for one in VECTORS]
    for vector, answer in zip(VECTORS, reported("signals", "--ndjson", requests=requests), strict=True):
        given = {name: vector[name] for name in SOURCES if name in vector}
        if "html_b64" in vector:
            given["html"] = base64.b64decode(vector["html_b64"])
        found = robosieve.signals(vector["url"], vector["agent"], time=vector["time"], **given)
        assert found == answer and list(found["uses"]) == list(answer["uses"]) and fits(found, SignalsAnswer), vector


LINES = [("X-Robots-Tag", "googlebot: noindex"), ("X-Robots-Tag", "otherbot: nofollow"), ("Content-Signal", "search=yes")]


def test_the_same_headers_in_each_form():
    expected = robosieve.signals("/a", "Googlebot", headers=LINES, time=0)
    by_name = {"X-Robots-Tag": ["googlebot: noindex", "otherbot: nofollow"], "Content-Signal": "search=yes"}
    message = http.client.HTTPMessage()
    for name, value in LINES:
        message[name] = value
    in_bytes = [(name.encode(), bytearray(value.encode())) for name, value in LINES]
    head = "".join(f"{name}: {value}\r\n" for name, value in LINES)
    for headers in (by_name, message, in_bytes, iter(LINES), [list(one) for one in LINES], head, memoryview(head.encode())):
        found = robosieve.signals("/a", "Googlebot", headers=headers, time=0)
        assert (found["uses"], found["findings"]) == (expected["uses"], expected["findings"]), headers


def test_a_robots_txt_is_read_as_elsewhere():
    file = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Usage: /open train-ai=y\n"
    robots = robosieve.Robots.parse(file)
    for url, agent in itertools.product(["/open/a", "/b"], ["GPTBot", "MyBot"]):
        said = robosieve.signals(url, agent, robots=file, time=0)
        assert (said["uses"]["fetch"] == "yes") == robots.can_fetch(url, agent)
    known = {known: robosieve.signals("/", "AdsBot-Google", robots="User-agent: *\nDisallow: /", known=known) for known in (True, False)}
    assert [known[one]["uses"]["fetch"] for one in (True, False)] == ["yes", "no"]
    part = robosieve.unpack(b"")._replace(bytes=b"User-agent: *\nAllow: /a", complete=False)
    assert robosieve.signals("/a", "MyBot", robots=part)["uses"]["fetch"] != "yes"
    long = "User-agent: *\nDisallow: /" + "x" * 3_000
    with pytest.raises(robosieve.Refused):
        robosieve.signals("/a", "MyBot", robots=long, over_limit="refuse", limits={"max_bytes": 100})


def test_a_time_is_seconds_a_datetime_or_a_text():
    headers = {"X-Robots-Tag": "unavailable_after: 2026-01-01T00:00:00Z"}

    def index(time):
        return robosieve.signals("/", "MyBot", headers=headers, time=time)["uses"]["index"]

    utc, east = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=2))
    at = 1_767_225_600
    before = [at - 1, at - 0.5, float(at - 1), datetime.datetime(2025, 12, 31, 23, 59, 59, 999_999, utc),
              datetime.datetime(2026, 1, 1, 1, 59, 59, tzinfo=east), "2025-12-31T23:59:59Z", -(2**63), -1e18]
    after = [at, at + 0.5, datetime.datetime(2026, 1, 1, 2, tzinfo=east), "2026-01-01T00:00:00Z", 2**63 - 1, None]
    assert {index(time) for time in before} == {"unsaid"}
    assert {index(time) for time in after} == {"no"}
    for time in [float("nan"), float("inf"), -float("inf"), 1e300, 2**63, -(2**63) - 1, "", "yesterday", "\ud800", datetime.datetime(2026, 1, 1)]:
        with pytest.raises(ValueError, match="time"):
            index(time)
    for time in [True, b"2026-01-01T00:00:00Z", datetime.date(2026, 1, 1), [0], object()]:
        with pytest.raises(TypeError, match="time"):
            index(time)


def test_arguments_that_are_wrong():
    for arguments, error in [
        ({"headers": 5}, TypeError), ({"headers": [("a",)]}, TypeError), ({"headers": ["ab"]}, TypeError),
        ({"headers": [("a", None)]}, TypeError), ({"headers": {"a": [None]}}, TypeError), ({"headers": {5: "a"}}, TypeError),
        ({"headers": [("a", "b", "c")]}, TypeError), ({"html": 5}, TypeError), ({"tdmrep": {}}, TypeError), ({"robots": ROOT}, TypeError),
        ({"status": 99}, ValueError), ({"status": "503"}, TypeError), ({"dialect": "x"}, ValueError), ({"url": None}, TypeError),
    ]:
        with pytest.raises(error):
            robosieve.signals(**{"url": "/a", "agents": "MyBot", **arguments})

    def broken():
        yield "A", "b"
        raise RuntimeError("of the caller")

    with pytest.raises(RuntimeError, match="of the caller"):
        robosieve.signals("/a", "MyBot", headers=broken())


def test_any_content_has_an_answer_that_allows_nothing_by_itself():
    """Huge, endless, broken, with surrogates: in doubt nothing is allowed."""
    allowed = [("X-Robots-Tag", "index")]
    assert robosieve.signals("/a", "MyBot", headers=allowed)["uses"]["index"] == "yes"
    for headers in [
        itertools.chain(allowed, itertools.repeat(("A", "b"))), [*allowed, ("X-Robots-Tag", "x" * (1 << 20))],
        [("X-Robots-Tag", "index, follow\ud800")], [("X-Robots-Tag", b"index, follow\xff\x00")], [*allowed, ("a\ud800", "c")],
        b"X-Robots-Tag: index\n" + b"A: b\n" * 200_000,
    ]:
        assert robosieve.signals("/a", "MyBot", headers=headers)["uses"]["index"] == "unsaid"
    assert robosieve.signals("/a", "MyBot", headers=itertools.repeat(("A", "b")))["findings"][0]["kind"] == "cut"
    for url in ["", "\udcff", "\x00", "https://[", b"\xff", "/" + "a" * 1_000_000]:
        found = robosieve.signals(url, "MyBot", headers=allowed, html="<!-- \ud83d", robots="User-agent: *\nDisallow: /", tdmrep="[")
        assert set(found["uses"].values()) <= {"no", "unsaid"}
        assert json.dumps(found).isascii()
