"""The drop-in replacements next to the originals."""

from __future__ import annotations

import inspect
import itertools
import socket
import threading
import urllib.request
import urllib.robotparser

import protego
import pytest
import robosieve.protego
import robosieve.robotparser
import robosieve.scrapy
import scrapy.robotstxt
from robosieve._agents import agent_or_all
from sites import Site

PLAIN = [
    "",
    "User-agent: *\nDisallow:\n",
    "User-agent: *\nDisallow: /\n",
    "User-agent: *\nDisallow: /cart\nAllow: /cart/help\nCrawl-delay: 2\n",
    "User-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\nCrawl-delay: 0.5\n",
    "User-agent: SomeBot\nUser-agent: MyBot\nDisallow: /x\nRequest-rate: 1/10\nVisit-time: 0600-0845\n",
    "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b\nAllow: /a*bc\nRequest-rate: 3/1m\n",
    "User-agent: *\nDisallow: /%7Euser\nDisallow: /caf\u00e9\nDisallow: /a%2Fb\n",
    "# c\nSitemap: https://example.com/a.xml\nHost: example.com\nSitemap: https://example.com/b.xml\n",
    "User-agent: OtherBot/1.0\nDisallow: /\n\nUser-agent: *\nCrawl-delay: x\nDisallow: /y # no\n",
    "Disallow: /lost\nUser-agent: MyBot\nDisallow: /z?q=\nAllow: /z?q=1\n",
]
URLS = ["/", "/cart", "/cart/help/1", "/mine/a", "/all", "/x", "/a.pdf", "/a.pdf?x", "/axb", "/axbc", "/~user/", "/caf%C3%A9", "/caf\u00e9",
        "/a/b", "/a%2fb", "/y", "/z?q=1&b", "/z?q=2", "/robots.txt", "/lost"]
AGENTS = ["MyBot", "mybot", "MyBot/2.1 (+https://example.com/bot)", "Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com)",
          "Other", "*", "", "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36"]


def same_interface(original, ours) -> None:
    """Each public name of the original is there, takes the same arguments, and is of the same kind."""
    for name, there in vars(original).items():
        if name.startswith("_"):
            continue
        here = inspect.getattr_static(ours, name)
        assert type(here) is type(there), name
        if callable(there) or isinstance(there, classmethod):
            there, here = getattr(original, name), getattr(ours, name)
            assert list(inspect.signature(here).parameters) == list(inspect.signature(there).parameters), name


def test_protego_has_its_interface_and_answers():
    original, ours = protego.Protego, robosieve.protego.Protego
    same_interface(original, ours)
    assert set(protego.__all__) <= set(robosieve.protego.__all__)
    assert robosieve.protego.RequestRate._fields == protego.RequestRate._fields
    assert robosieve.protego.VisitTime._fields == protego.VisitTime._fields
    for text in PLAIN:
        there, here = original.parse(text), ours.parse(text)
        for agent in AGENTS:
            for url in [*URLS, *("https://example.com" + url for url in URLS)]:
                assert here.can_fetch(url, agent) == there.can_fetch(url, agent), (text, url, agent)
            for name in ("crawl_delay", "request_rate", "visit_time"):
                left, right = getattr(here, name)(agent), getattr(there, name)(agent)
                assert left == right and type(left).__name__ == type(right).__name__, (text, name, agent)
        assert list(here.sitemaps) == list(there.sitemaps) and iter(here.sitemaps) is not None
        assert here.preferred_host == there.preferred_host
    for wrong in (b"", None, 1):
        with pytest.raises(TypeError):
            original.parse(wrong)
        with pytest.raises(TypeError):
            ours.parse(wrong)

    class Own(ours): ...

    assert type(Own.parse("")) is Own


def test_robotparser_has_its_interface_and_answers():
    original, ours = urllib.robotparser.RobotFileParser, robosieve.robotparser.RobotFileParser
    for name in ("set_url", "read", "parse", "can_fetch", "crawl_delay", "request_rate", "site_maps", "mtime", "modified"):
        assert list(inspect.signature(getattr(ours, name)).parameters) == list(inspect.signature(getattr(original, name)).parameters)
    there, here = original("https://example.com/robots.txt"), ours("https://example.com/robots.txt")
    for name in ("url", "host", "path", "disallow_all", "allow_all"):
        assert getattr(here, name) == getattr(there, name), name
    assert here.can_fetch("MyBot", "/") is there.can_fetch("MyBot", "/") is False
    assert here.crawl_delay("MyBot") is here.request_rate("MyBot") is here.site_maps() is None and here.mtime() == 0
    for text in PLAIN:
        if "*." in text or "Allow: /cart" in text or "z?q" in text or "%2F" in text:
            continue  # The original of many versions knows neither wildcards nor the longest match.
        there, here = original(), ours()
        there.parse(text.splitlines())
        here.parse(text.splitlines())
        assert abs(here.mtime() - there.mtime()) < 5
        for agent in ("MyBot", "mybot/2.1", "Other"):
            for url in URLS:
                if url != "/robots.txt":  # It is always allowed (RFC 9309 2.2.2).
                    assert here.can_fetch(agent, url) == there.can_fetch(agent, url), (text, agent, url)
            if "0.5" not in text:
                assert here.crawl_delay(agent) == there.crawl_delay(agent)
            assert here.request_rate(agent) == there.request_rate(agent), (text, agent)
        assert here.site_maps() == there.site_maps()
    assert str(here).startswith("User-agent: ")


@pytest.fixture
def answer():
    """What a site answers for robots.txt: a status and a body. The parser of the site is `answer.robots`."""

    class Answer:
        status, body = 200, b"User-agent: *\nDisallow: /cart\n"

    site = Site(lambda path, number: (Answer.status, {}, Answer.body))
    Answer.url = f"{site.base}/robots.txt"
    yield Answer
    site.close()


def test_robotparser_begins_anew_with_each_read(answer):
    robots = robosieve.robotparser.RobotFileParser(answer.url)
    may = {200: (True, False), 401: (False, False), 403: (False, False), 404: (True, True), 503: (False, False), 206: (True, False)}
    for before, now in itertools.permutations(may, 2):
        for answer.status in (before, now):
            robots.read()
        assert (robots.can_fetch("MyBot", "/a"), robots.can_fetch("MyBot", "/cart")) == may[now], (before, now)
        assert (robots.allow_all, robots.disallow_all) == (now == 404, now in (401, 403, 503))
        assert (str(robots) == "") is (now > 299), (before, now)
    robots.url = "http://127.0.0.1:1/robots.txt"
    with pytest.raises(OSError):
        robots.read()
    assert not robots.can_fetch("MyBot", "/a") and str(robots) == ""


def test_robotparser_takes_no_number_that_is_none(monkeypatch):
    """Where the length says nothing, nobody knows how much is missing."""
    whole = b"User-agent: *\nDisallow: /x\n"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            for length in (b"1_3", b"+13", b"13\r\nContent-Length: 14", b"27"):
                connection, _ = server.accept()
                connection.recv(4_096)
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: " + length + b"\r\n\r\n" + whole)
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        robots = robosieve.robotparser.RobotFileParser(f"http://127.0.0.1:{server.getsockname()[1]}/robots.txt")
        for allowed in (False, False, False, True):
            robots.read()
            assert not robots.can_fetch("MyBot", "/x") and robots.can_fetch("MyBot", "/y") is allowed


def test_robotparser_takes_a_request_and_does_not_wait_for_ever(answer):
    request = urllib.request.Request(answer.url, headers={"User-Agent": "MyBot"})
    robots = robosieve.robotparser.RobotFileParser(request)
    assert (robots.url, robots.host, robots.path) == (request, request.host, "/robots.txt")
    robots.read()
    assert robots.can_fetch("MyBot", "/a") and not robots.can_fetch("MyBot", "/cart")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        robots = robosieve.robotparser.RobotFileParser(f"http://127.0.0.1:{silent.getsockname()[1]}/robots.txt")
        assert robots.timeout == 30
        robots.timeout = 0.2
        with pytest.raises(OSError, match="timed out"):
            robots.read()
        assert not robots.can_fetch("MyBot", "/a")


def test_scrapy_has_its_interface():
    ours, theirs = robosieve.scrapy.RobosieveRobotParser, scrapy.robotstxt.ProtegoRobotParser
    assert issubclass(ours, scrapy.robotstxt.RobotParser)
    for name in ("from_crawler", "allowed", "crawl_delay"):
        assert list(inspect.signature(getattr(ours, name)).parameters) == list(inspect.signature(getattr(theirs, name)).parameters)
    for text in PLAIN:
        here, there = ours.from_crawler(None, text.encode()), theirs.from_crawler(None, text.encode())
        for agent in AGENTS:
            for url in URLS:
                for asked in ((url, agent), (url.encode(), agent.encode())):
                    assert here.allowed(*asked) == there.allowed(*asked), (text, asked)
            assert here.crawl_delay(agent.encode()) == there.crawl_delay(agent)
    # A name outside the standard's alphabet has no group ([agent.any]); protego finds it.
    named = "User-agent: *\nDisallow: /a\nUser-agent: Unic\u00f6deB\u00f6t\nDisallow: /b".encode()
    assert not ours.from_crawler(None, named).allowed("/a", "Unic\u00f6deB\u00f6t")
    for body in (b"\xff\xfe\x00", b"\x00" * 1000, b"", b"User-agent: *\nDisallow: /\xff"):
        assert ours.from_crawler(None, body).allowed("https://example.com/\udcfe", b"\xff") in (True, False)


def test_the_names_in_a_header():
    for agent, asked in (("MyBot", "MyBot"), ("", "*"), (" ", "*"), ("/", "*"), ("http://x", "*"), (b"\xff", b"\xff")):
        assert agent_or_all(agent) == asked, agent
    for header in (
        "mybot libwww-perl/5.04", "MyBot Python-urllib/3.11", "mybot (python-requests/2.3)", "Foo MyBot/1 (+https://e.com)",
        "Mozilla/5.0 (X11) AppleWebKit/5 (KHTML, like Gecko) Safari/6 (MyBot/0.1; +http://www.example.com/bot)",
    ):
        file = "User-agent: mybot\nDisallow: /"
        assert not robosieve.protego.Protego.parse(file).can_fetch("/x", header), header
        assert not robosieve.Robots.parse(file).can_fetch("/x", header), header
        urllib_like = robosieve.robotparser.RobotFileParser()
        urllib_like.parse(file.splitlines())
        assert not urllib_like.can_fetch(header, "/x"), header
    robots = robosieve.protego.Protego.parse("User-agent: *\nDisallow: /x")
    for hostile in ("compatible;" * 50_000 + "/", "a/" * 200_000, "(" * 500_000, " " * 500_000 + "/"):
        assert not robots.can_fetch("/x", hostile)
