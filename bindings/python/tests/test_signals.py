"""What may be done with a page: ``robosieve.signals``, over what callers have of it."""

from __future__ import annotations

import asyncio
import base64
import datetime
import gzip
import http.client
import itertools
import json
import subprocess
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyarrow as pa
import pytest
import robosieve
import robosieve.arrow
from conftest import ROOT

VECTORS = [json.loads(line) for line in (ROOT / "crates/signals/data/vectors.ndjson").read_text().splitlines()]
NOT_ASKED = ("source", "date", "uses", "limits", "findings", "licenses")
SOURCES = ("headers", "html", "robots", "tdmrep")


def sources(vector):
    """The arguments of a vector."""
    found = {name: vector[name] for name in SOURCES if name in vector}
    return {**found, "html": base64.b64decode(vector["html_b64"])} if "html_b64" in vector else found


def asked(command, requests):
    """The command's answers, without version and id."""
    lines = "".join(json.dumps(one) + "\n" for one in requests)
    done = subprocess.run([command, "signals", "--ndjson"], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests) and not any("error" in one for one in answers)
    return [{name: value for name, value in one.items() if name not in ("v", "id")} for one in answers]


@pytest.fixture(scope="module")
def expected(command):
    return asked(command, [{name: value for name, value in one.items() if name not in NOT_ASKED} for one in VECTORS])


def test_vectors_have_the_answers_of_the_command(expected):
    """[python.signals] [signals.vectors] Field for field, and those that the vector has."""
    assert len(VECTORS) > 300
    for vector, answer in zip(VECTORS, expected, strict=True):
        found = robosieve.signals(vector["url"], vector["agent"], time=vector["time"], **sources(vector))
        assert found == answer, vector
        assert list(found["uses"]) == list(answer["uses"])
        said = {name: value for name, value in found["uses"].items() if value != "unsaid"}
        assert (said, found["limits"]) == (vector["uses"], vector.get("limits", {})), vector
        kinds = [one["kind"] for one in found["findings"]]
        assert sorted(kinds) == sorted(vector.get("findings", [])), vector


def test_columns_have_the_command_s_json(expected, command):
    """[arrow.signals] Byte for byte, for each agent of the vectors."""

    def head(vector):
        return "".join(f"{name}: {value}\n" for name, value in vector["headers"]) if "headers" in vector else None

    # A head cannot have every name and value that a pair can.
    plain = [one for one in VECTORS if all(value.strip() == value and value for _, value in one.get("headers", []))]
    assert len(plain) > 250
    for agent, found in itertools.groupby(sorted(plain, key=lambda one: one["agent"]), key=lambda one: one["agent"]):
        found = list(found)
        columns = {name: pa.array([sources(one).get(name) for one in found]) for name in ("robots", "tdmrep")}
        pages = [sources(one).get("html") for one in found]
        columns["html"] = pa.array([one.encode() if isinstance(one, str) else one for one in pages], pa.binary())
        times = pa.array([datetime.datetime.fromisoformat(one["time"].replace("Z", "+00:00")) for one in found], pa.timestamp("us", "UTC"))
        rows = robosieve.arrow.signals(pa.array([one["url"] for one in found]), agent, headers=pa.array([head(one) for one in found], pa.string()), time=times, **columns)
        for vector, row in zip(found, rows.to_pylist(), strict=True):
            answer = robosieve.signals(vector["url"], agent, time=vector["time"], **{**sources(vector), **({"headers": head(vector)} if "headers" in vector else {})})
            assert json.loads(row["answer"]) == answer and row["error"] is None
            assert {name: row[name] for name in answer["uses"]} == answer["uses"]
    [row] = robosieve.arrow.signals(pa.array(["/a"]), "MyBot", robots="User-agent: *\nDisallow: /a", time=0).to_pylist()
    request = {"url": "/a", "agent": "MyBot", "robots": "User-agent: *\nDisallow: /a", "time": "1970-01-01T00:00:00Z"}
    done = subprocess.run([command, "signals", "--ndjson"], input=json.dumps(request), capture_output=True, text=True, check=True)
    assert done.stdout == '{"v":1,"id":null,' + row["answer"][1:] + "\n"


def test_columns_may_have_nulls_chunks_and_one_value():
    """[arrow.signals] [arrow.columns]"""
    heads = pa.chunked_array([["X-Robots-Tag: noindex"], [None, "X-Robots-Tag: unavailable_after: 2026-01-01T00:00:00Z"]])
    urls = pa.chunked_array([["/a", None], ["/b"]])
    rows = robosieve.arrow.signals(urls, "MyBot", headers=heads, time=pa.array([0, 0, 1_800_000_000]))
    assert rows.num_chunks == 2 and [row and row["index"] for row in rows.to_pylist()] == ["no", None, "no"]
    rows = robosieve.arrow.signals(pa.array(["/a", "/b"]), "MyBot", headers="X-Robots-Tag: noindex", time=pa.array([0, None]))
    assert [row and row["index"] for row in rows.to_pylist()] == ["no", None]
    packed, urls = gzip.compress(b"User-agent: *\nAllow: /\n"), pa.array(["/a", "/b", "/c"])
    robots = pa.array([packed[:-8] + bytes(8), packed[:20], packed])
    rows = robosieve.arrow.signals(urls, "MyBot", robots=robots).to_pylist()
    assert "gzip" in rows[0]["error"] and rows[0]["fetch"] is None and rows[0]["answer"] is None
    assert rows[1]["fetch"] != "yes" and rows[2]["fetch"] == "yes"
    for arguments, error in [
        ({"headers": pa.array(["a: b"])}, ValueError),
        ({"headers": pa.array([["a"], [], []])}, TypeError),
        ({"time": pa.array([0.5, 1.5, 2])}, TypeError),
        ({"time": pa.array([datetime.datetime(2026, 1, 1)] * 3)}, ValueError),
        ({"time": float("nan")}, ValueError),
    ]:
        with pytest.raises(error):
            robosieve.arrow.signals(urls, "MyBot", **arguments)
    with pytest.raises(TypeError, match="same for all rows"):
        robosieve.arrow.signals(urls, pa.array(["a", "b"]))
    assert len(robosieve.arrow.signals(pa.array([], pa.string()), "MyBot")) == 0
    # A fraction of a second before 1970 is no second after it.
    early = pa.array([datetime.datetime(1969, 12, 31, 23, 59, 59, 500_000, datetime.timezone.utc)], pa.timestamp("ms", "UTC"))
    head = "X-Robots-Tag: unavailable_after: 1970-01-01T00:00:00Z"
    assert robosieve.arrow.signals(pa.array(["/"]), "a", headers=head, time=early).to_pylist()[0]["index"] == "unsaid"


LINES = [("X-Robots-Tag", "googlebot: noindex"), ("X-Robots-Tag", "otherbot: nofollow"), ("Content-Signal", "search=yes")]
PAGE = b"<head><meta name=robots content='max-snippet:20, noarchive'></head>"


@pytest.fixture(scope="module")
def site():
    """A site whose pages have several lines with one name."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            kind, body = ("image/png", b"\x89PNG" + PAGE) if self.path == "/image" else ("text/html; charset=utf-8", PAGE)
            self.send_response(200)
            for name, value in [*LINES, ("Content-Type", kind), ("Content-Length", str(len(body)))]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # Some clients close what they have not read.
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def by_requests(url, read):
    import requests

    return requests.get(url, stream=not read, timeout=10), {}


def by_httpx(url, read):
    import httpx

    client = httpx.Client()
    response = client.send(client.build_request("GET", url), stream=not read)
    return response, {}


def by_urllib3(url, read):
    import urllib3

    return urllib3.PoolManager().request("GET", url, preload_content=read), {}


def by_aiohttp(url, read):
    import aiohttp

    async def get():
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return response, {"html": await response.read()} if read else {}

    return asyncio.run(get())


def by_urllib(url, read):
    response = urllib.request.urlopen(url, timeout=10)
    return response, {"html": response.read()} if read else {}


CLIENTS = [by_requests, by_httpx, by_urllib3, by_aiohttp, by_urllib]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.__name__)
def test_responses_of_each_client_answer_as_their_parts(site, client):
    """[python.responses] Lines with one name stay apart; what is no HTML is not read as HTML."""
    pytest.importorskip(client.__name__.removeprefix("by_"))
    robots = "User-agent: *\nContent-Signal: ai-train=no\n"
    expected = robosieve.signals(f"{site}/a", "Googlebot", headers=LINES, html=PAGE, robots=robots, time=0)
    response, more = client(f"{site}/a", True)
    found = robosieve.signals(response, "Googlebot", robots=robots, time=0, **more)

    def without_places(answer):
        # The server sends lines of its own.
        lines = [*answer["decided_by"].values(), *answer["findings"]]
        return answer["uses"], answer["limits"], [(one["source"], one["text"]) for one in lines]

    assert without_places(found) == without_places(expected)
    assert (found["uses"]["index"], found["uses"]["follow"], found["uses"]["archive"]) == ("no", "unsaid", "no")
    assert [one for one in found["findings"] if one["kind"] == "ambiguous-agent"] == []
    # Nothing is read that was not read before.
    unread, _ = client(f"{site}/a", False)
    with pytest.raises(TypeError, match="was not read"):
        robosieve.signals(unread, "MyBot")
    assert robosieve.signals(unread, "Googlebot", html=b"")["uses"]["archive"] == "unsaid"
    image, _ = client(f"{site}/image", False)
    assert robosieve.signals(image, "Googlebot")["uses"]["archive"] == "unsaid"
    assert robosieve.Signals(image).answer("Googlebot")["uses"]["index"] == "no"


def test_a_response_of_scrapy():
    """[python.responses]"""
    http = pytest.importorskip("scrapy.http")
    headers = {"X-Robots-Tag": ["googlebot: noindex", "otherbot: nofollow"], "Content-Type": "text/html"}
    response = http.HtmlResponse("https://e.example/a", headers=headers, body=PAGE)
    found = robosieve.signals(response, "Googlebot", robots="User-agent: *\nDisallow: /b")
    assert [found["uses"][use] for use in ("fetch", "index", "follow", "archive")] == ["yes", "no", "unsaid", "no"]


@pytest.mark.parametrize(
    ("kind", "index"),
    [
        ("text/html, text/html", "no"),
        ("text/plain; charset=x, text/html", "no"),
        ("application/vnd.wap.xhtml+xml", "no"),
        ("unknown/unknown", "no"),
        ("*/*", "no"),
        ("html", "no"),
        ("text/plain,", "no"),
        (["text/plain", "text/html"], "no"),
        ("text/plain", "unsaid"),
        ("image/png, application/pdf", "unsaid"),
    ],
)
def test_a_body_is_html_in_doubt(kind, index):
    """[python.responses] [signals.html]"""

    class Response:
        url = "/a"
        headers = {"Content-Type": kind}
        content = b"<meta name=robots content=noindex>"

    assert robosieve.signals(Response(), "MyBot")["uses"]["index"] == index


def test_joined_lines_are_read_the_stricter_way():
    """[python.responses] [signals.ambiguous] A client that joins lines with one name allows no more."""

    class Response:
        url = "/a"
        headers = {"X-Robots-Tag": "googlebot: noindex, otherbot: all", "Content-Type": "application/pdf"}

    found = robosieve.signals(Response(), "OtherBot")
    assert found["uses"]["index"] == "unsaid" and found["findings"][0]["kind"] == "ambiguous-agent"


def test_the_same_headers_in_each_form():
    """[python.signals]"""
    expected = robosieve.signals("/a", "Googlebot", headers=LINES, time=0)
    by_name = {"X-Robots-Tag": ["googlebot: noindex", "otherbot: nofollow"], "Content-Signal": "search=yes"}
    message = http.client.HTTPMessage()
    for name, value in LINES:
        message[name] = value
    in_bytes = [(name.encode(), bytearray(value.encode())) for name, value in LINES]
    head = "".join(f"{name}: {value}\r\n" for name, value in LINES)
    forms = [by_name, message, in_bytes, iter(LINES), (one for one in LINES), tuple(LINES), [list(one) for one in LINES], in_bytes, head,
             head.encode(), memoryview(head.encode()),
             f"\ufeff{head}"]
    for headers in forms:
        found = robosieve.signals("/a", "Googlebot", headers=headers, time=0)
        assert (found["uses"], found["findings"]) == (expected["uses"], expected["findings"]), headers


def test_a_robots_txt_is_read_as_elsewhere():
    """[python.signals] [python.options] [python.unpack]"""
    file = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Usage: /open train-ai=y\n"
    robots = robosieve.Robots.parse(file)
    for url, agent in itertools.product(["/open/a", "/b"], ["GPTBot", "MyBot"]):
        of_text, of_object = (robosieve.signals(url, agent, robots=one, time=0) for one in (file, robots))
        assert of_text == of_object and (of_text["uses"]["fetch"] == "yes") == robots.can_fetch(url, agent)
    known = {known: robosieve.signals("/", "AdsBot-Google", robots="User-agent: *\nDisallow: /", known=known) for known in (True, False)}
    assert [known[one]["uses"]["fetch"] for one in (True, False)] == ["yes", "no"]
    with pytest.raises(TypeError, match="options of its own"):
        robosieve.signals("/", "MyBot", robots=robots, dialect="google")
    part = robosieve.unpack(b"")._replace(bytes=b"User-agent: *\nAllow: /a", complete=False)
    assert robosieve.signals("/a", "MyBot", robots=part)["uses"]["fetch"] != "yes"
    long = "User-agent: *\nDisallow: /" + "x" * 3_000
    with pytest.raises(robosieve.Refused):
        robosieve.signals("/a", "MyBot", robots=long, over_limit="refuse", limits={"max_bytes": 100})
    with pytest.raises(robosieve.Refused):
        robosieve.signals("/a", "MyBot", robots=robosieve.Robots(long, over_limit="refuse", limits={"max_bytes": 100}))


def test_a_page_is_read_once_for_all_who_ask():
    """[python.signals] [python.threads]"""
    read = robosieve.Signals("/a", headers=LINES, html=PAGE, robots="User-agent: Bingbot\nDisallow: /\n")
    agents = ["MyBot", "Googlebot", "Bingbot", ["MyBot", "OtherBot"], iter(["OtherBot"])]
    uses = [read.answer(agent, 0)["uses"] for agent in agents]
    assert [one["index"] for one in uses] == ["unsaid", "no", "no", "unsaid", "unsaid"]
    assert [one["follow"] for one in uses] == ["unsaid", "unsaid", "no", "no", "no"]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: read.answer("Googlebot", 0), range(200)))
    assert all(one == answers[0] for one in answers)


def test_a_time_is_seconds_a_datetime_or_a_text():
    """[python.signals]"""
    read = robosieve.Signals("/", headers={"X-Robots-Tag": "unavailable_after: 2026-01-01T00:00:00Z"})
    utc, east = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=2))
    at = 1_767_225_600
    before = [at - 1, at - 0.5, float(at - 1), datetime.datetime(2025, 12, 31, 23, 59, 59, 999_999, utc),
              datetime.datetime(2026, 1, 1, 1, 59, 59, tzinfo=east), "2025-12-31T23:59:59Z", -(2**63), -1e18]
    after = [at, at + 0.5, datetime.datetime(2026, 1, 1, 2, tzinfo=east), "2026-01-01T00:00:00Z", 2**63 - 1, None]
    assert {read.answer("MyBot", time)["uses"]["index"] for time in before} == {"unsaid"}
    assert {read.answer("MyBot", time)["uses"]["index"] for time in after} == {"no"}
    for time in [float("nan"), float("inf"), -float("inf"), 1e300, 2**63, -(2**63) - 1, "", "yesterday", "\ud800", datetime.datetime(2026, 1, 1)]:
        with pytest.raises(ValueError, match="time"):
            read.answer("MyBot", time)
    for time in [True, b"2026-01-01T00:00:00Z", datetime.date(2026, 1, 1), [0], object()]:
        with pytest.raises(TypeError, match="time"):
            read.answer("MyBot", time)


class Endless:
    """Headers without an end."""

    def __iter__(self):
        return itertools.repeat(("A", "b"))


def test_arguments_that_are_wrong():
    """[python.signals] [python.total]"""
    for arguments, error in [
        ({"headers": 5}, TypeError), ({"headers": [("a",)]}, TypeError), ({"headers": ["ab"]}, TypeError),
        ({"headers": [("a", None)]}, TypeError), ({"headers": {"a": 5}}, TypeError), ({"headers": {"a": [None]}}, TypeError),
        ({"headers": {5: "a"}}, TypeError), ({"headers": [("a", "b", "c")]}, TypeError), ({"headers": [None]}, TypeError),
        ({"html": 5}, TypeError), ({"html": ["<b>"]}, TypeError), ({"tdmrep": {}}, TypeError), ({"robots": 5}, TypeError),
        ({"robots": ROOT}, TypeError), ({"dialect": "x"}, ValueError), ({"unknown": 1}, TypeError), ({"agents": ""}, ValueError),
        ({"agents": []}, ValueError), ({"agents": {"a"}}, TypeError), ({"agents": None}, TypeError), ({"agents": "http://e.com/"}, ValueError),
        ({"page": None}, TypeError), ({"page": 5}, TypeError), ({"page": ROOT}, TypeError),
    ]:
        with pytest.raises(error):
            robosieve.signals(**{"page": "/a", "agents": "MyBot", **arguments})

    def broken():
        yield "A", "b"
        raise RuntimeError("of the caller")

    with pytest.raises(RuntimeError, match="of the caller"):
        robosieve.signals("/a", "MyBot", headers=broken())
    with pytest.raises(TypeError, match="headers of a response"):
        robosieve.signals(type("Response", (), {"headers": None, "url": "/"})(), "MyBot")
    response = type("Response", (), {"headers": {}, "url": "/", "content": b""})()
    with pytest.raises(TypeError, match="its own headers"):
        robosieve.signals(response, "MyBot", headers=[])


def test_any_content_has_an_answer_that_allows_nothing_by_itself():
    """[python.total] [signals.bounds] Huge, endless, broken, with surrogates: in doubt nothing is allowed."""
    allowed = [("X-Robots-Tag", "index")]
    assert robosieve.signals("/a", "MyBot", headers=allowed)["uses"]["index"] == "yes"
    for headers in [
        itertools.chain(allowed, itertools.repeat(("A", "b"))),
        [*allowed, *[("X-Robots-Tag", "follow")] * 300],
        [*allowed, ("X-Robots-Tag", "x" * (1 << 20))],
        [("X-Robots-Tag", "index, follow\ud800")], [("X-Robots-Tag", b"index, follow\xff\x00")],
        [*allowed, ("", "b")], [*allowed, ("a b", "c")], [*allowed, ("a\ud800", "c")],
        b"X-Robots-Tag: index\n" + b"A: b\n" * 200_000,
        "X-Robots-Tag: index\nno header",
    ]:
        assert robosieve.signals("/a", "MyBot", headers=headers)["uses"]["index"] == "unsaid"
    assert robosieve.signals("/a", "MyBot", headers=Endless())["findings"][0]["kind"] == "cut"
    page = "<meta name=robots content=index>"
    for html, index in [(page, "yes"), (page + "<body>" + "x" * (1 << 20), "yes"), (page + "<!-- \ud83d", "unsaid"), (b"\xff\xfe\x00", "unsaid"),
                        (" " * (1 << 20) + page, "unsaid")]:
        assert robosieve.signals("/a", "MyBot", html=html)["uses"]["index"] == index
    for url in ["", "\udcff", "\x00", "no url", "https://[", b"\xff", "/" + "a" * 1_000_000]:
        found = robosieve.signals(url, "MyBot", headers=allowed, robots="User-agent: *\nDisallow: /", tdmrep="[")
        assert set(found["uses"].values()) <= {"no", "unsaid"}
        assert json.dumps(found).isascii()
