"""The drop-in replacements: what the originals' own tests, which test_foreign.py runs, do not ask."""

from __future__ import annotations

import inspect
import itertools
import socket
import time
import urllib.request
import urllib.robotparser

import protego
import pytest
import robosieve.protego
import robosieve.robotparser
import robosieve.scrapy
import scrapy.robotstxt
from robosieve._agents import agent_or_all
from sites import always

RULES = "User-agent: SomeBot\nUser-agent: MyBot\nDisallow: /caf\u00e9\nCrawl-delay: 0.5\nRequest-rate: 1/10\nVisit-time: 0600-0845\n"


@pytest.mark.parametrize(
    ("original", "ours"),
    [
        (protego.Protego, robosieve.protego.Protego),
        (urllib.robotparser.RobotFileParser, robosieve.robotparser.RobotFileParser),
        (scrapy.robotstxt.ProtegoRobotParser, robosieve.scrapy.RobosieveRobotParser),
    ],
)
def test_the_interface(original, ours):
    """Each public name of the original is there, takes the same arguments, and is of the same kind."""
    for name, there in vars(original).items():
        if name.startswith("_"):
            continue
        here = inspect.getattr_static(ours, name)
        assert type(here) is type(there), name
        if callable(there) or isinstance(there, classmethod):
            there, here = getattr(original, name), getattr(ours, name)
            assert list(inspect.signature(here).parameters) == list(inspect.signature(there).parameters), name


def test_values_have_the_types_of_protegos():
    original, ours = protego.Protego, robosieve.protego.Protego
    assert set(protego.__all__) <= set(robosieve.protego.__all__)
    there, here = original.parse(RULES), ours.parse(RULES)
    for name in ("crawl_delay", "request_rate", "visit_time"):
        for agent in ("MyBot/2.1 (+https://example.com/bot)", "Other"):
            left, right = getattr(here, name)(agent), getattr(there, name)(agent)
            assert left == right and type(left).__name__ == type(right).__name__, (name, agent)
            assert getattr(left, "_fields", None) == getattr(right, "_fields", None)
    assert next(here.sitemaps, None) is here.preferred_host is None
    for wrong in (b"", None, 1):
        for parse in (original.parse, ours.parse):
            with pytest.raises(TypeError):
                parse(wrong)

    class Own(ours): ...

    assert type(Own.parse("")) is Own


def test_robotparser_before_and_after_it_is_read():
    url = "https://example.com/robots.txt"
    there, here = urllib.robotparser.RobotFileParser(url), robosieve.robotparser.RobotFileParser(url)
    for name in ("url", "host", "path", "disallow_all", "allow_all"):
        assert getattr(here, name) == getattr(there, name), name
    assert here.can_fetch("MyBot", "/") is there.can_fetch("MyBot", "/") is False
    assert here.crawl_delay("MyBot") is here.request_rate("MyBot") is here.site_maps() is None and here.mtime() == 0
    here.parse(RULES.splitlines())
    assert abs(here.mtime() - time.time()) < 5 and str(here).startswith("User-agent: ")


@pytest.fixture
def answer(site):
    """What a site answers for robots.txt: a status and a body."""

    class Answer:
        status, body = 200, b"User-agent: *\nDisallow: /cart\n"

    Answer.url = f"{site(lambda path, number: (Answer.status, {}, Answer.body)).base}/robots.txt"
    return Answer


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


@pytest.mark.parametrize(("length", "is_whole"), [("1_3", False), ("+13", False), ("13\r\nContent-Length: 14", False), ("27", True)])
def test_robotparser_takes_no_number_that_is_none(site, length, is_whole):
    """Where the length says nothing, nobody knows how much is missing."""
    base = site(always(200, {"Content-Length": length}, b"User-agent: *\nDisallow: /x\n")).base
    robots = robosieve.robotparser.RobotFileParser(f"{base}/robots.txt")
    robots.read()
    assert not robots.can_fetch("MyBot", "/x") and robots.can_fetch("MyBot", "/y") is is_whole


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


def test_scrapy_asks_with_bytes():
    ours, theirs = robosieve.scrapy.RobosieveRobotParser, scrapy.robotstxt.ProtegoRobotParser
    assert issubclass(ours, scrapy.robotstxt.RobotParser)
    here, there = ours.from_crawler(None, RULES.encode()), theirs.from_crawler(None, RULES.encode())
    for agent, url in itertools.product((b"MyBot/2.1", b"Other"), ("/caf\u00e9".encode(), b"/caf%c3%a9?a", b"/cafe")):
        assert here.allowed(url, agent) == there.allowed(url, agent), (url, agent)
        assert here.crawl_delay(agent) == there.crawl_delay(agent), agent
    # A name outside the standard's alphabet has no group ([agent.any]); protego finds it.
    named = "User-agent: *\nDisallow: /a\nUser-agent: Unic\u00f6deB\u00f6t\nDisallow: /b".encode()
    assert not ours.from_crawler(None, named).allowed("/a", "Unic\u00f6deB\u00f6t")
    for body in (b"\xff\xfe\x00", b"\x00" * 1000, b"", b"User-agent: *\nDisallow: /\xff"):
        assert ours.from_crawler(None, body).allowed("https://example.com/\udcfe", b"\xff") in (True, False)


def test_the_names_in_a_header():
    for agent, asked in (("MyBot", "MyBot"), ("", "*"), (" ", "*"), ("/", "*"), ("http://x", "*"), (b"\xff", b"\xff")):
        assert agent_or_all(agent) == asked, agent
    headers = (
        "mybot libwww-perl/5.04", "MyBot Python-urllib/3.11", "mybot (python-requests/2.3)", "Foo MyBot/1 (+https://e.com)",
        "Mozilla/5.0 (X11) AppleWebKit/5 (KHTML, like Gecko) Safari/6 (MyBot/0.1; +http://www.example.com/bot)",
    )
    # Nobody, and hostile ones.
    others = ("", "/", "compatible;" * 50_000 + "/", "a/" * 200_000, "(" * 500_000, " " * 500_000 + "/")
    for name, agents in (("mybot", headers), ("*", others)):
        file = f"User-agent: {name}\nDisallow: /x\nCrawl-delay: 2\nRequest-rate: 1/10\nVisit-time: 0600-0845"
        of_protego, of_urllib = robosieve.protego.Protego.parse(file), robosieve.robotparser.RobotFileParser()
        of_urllib.parse(file.splitlines())
        of_scrapy = robosieve.scrapy.RobosieveRobotParser(file.encode())
        for agent in agents:
            assert not of_protego.can_fetch("/x", agent) and not of_urllib.can_fetch(agent, "/x"), agent[:99]
            assert not of_scrapy.allowed("/x", agent), agent[:99]
            assert repr([one.crawl_delay(agent) for one in (of_protego, of_urllib, of_scrapy)]) == "[2.0, 2, 2.0]", agent[:99]
            assert of_protego.request_rate(agent)[:2] == of_urllib.request_rate(agent) == (1, 10) and of_protego.visit_time(agent)
