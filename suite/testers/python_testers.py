"""The testers in Python. Usage: python_testers.py NAME (the names are at the end of this file)

Two kinds of lines are answered, one line each:
  {"id": "...", "file_base64": "...", "agent": "...", "url": "..."}  ->  {"id": "...", "allow": true, "crawl_delay": 2, ...}
  {"robots_b64": "...", "tests": [["agent", ["url", ...]], ...]}      ->  ["0101", ...]
The second one parses a file once for many URLs: a letter per URL, 1 allowed, 0 disallowed, E error.
This file runs with Python 3.6 and newer, because older urllib.robotparser are testers, too.
"""
import base64
import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
sys.setrecursionlimit(20000)  # some testers recurse over the lines or stars of a file


class Parsed:
    """A file that was read. allowed(agent, url); delay(agent) and sitemaps() only where the tester has them."""

    def __init__(self, allowed, delay=None, sitemaps=None):
        self.allowed, self.delay, self.sitemaps = allowed, delay, sitemaps


def path_of(url):
    """The path with its query, for testers that are asked with a path."""
    rest = url.split("://", 1)[-1].split("#", 1)[0]
    starts = [at for at in (rest.find("/"), rest.find("?")) if at >= 0]
    path = rest[min(starts):] if starts else "/"
    return path if path.startswith("/") else "/" + path


# Each of these gets the bytes of a robots.txt file.


def google(robots):
    from jwm.robotstxt.googlebot import RobotsMatcher

    matcher = RobotsMatcher()
    return Parsed(lambda agent, url: matcher.OneAgentAllowedByRobots(robots, agent, url))


def gpyrobotstxt(robots):
    """Its entry point parses for each URL. This parses once and replays the parser's calls of its handler."""
    from gpyrobotstxt.robots_cc import RobotsMatcher, RobotsTxtParser, get_path_params_query

    class Recorder:
        def __init__(self):
            self.calls = []

        def __getattr__(self, name):
            if not name.startswith("handle_"):
                raise AttributeError(name)
            return lambda *args: self.calls.append((name, args))

    recorder = Recorder()
    RobotsTxtParser(robots, recorder).parse()

    def allowed(agent, url):
        matcher = RobotsMatcher()
        matcher.init_user_agents_and_path([agent], get_path_params_query(url))
        for name, args in recorder.calls:
            getattr(matcher, name)(*args)
        return not matcher.disallow()

    return Parsed(allowed)


def protego(robots):
    from protego import Protego

    parsed = Protego.parse(robots.decode("utf-8-sig", "ignore"))  # decoded as Scrapy does
    return Parsed(lambda agent, url: parsed.can_fetch(url, agent), parsed.crawl_delay, lambda: list(parsed.sitemaps))


def robotspy(robots):
    from robots import RobotsParser

    return Parsed(RobotsParser.from_string(robots.decode("utf-8", "replace")).can_fetch)


def rerp(robots):
    from robotexclusionrulesparser import RobotExclusionRulesParser

    return like_rerp(RobotExclusionRulesParser(), robots)


def robotstxtparser(robots):
    """PyPI robots-txt-parser, a later copy of robotexclusionrulesparser."""
    from robotstxtparser import RobotExclusionRulesParser

    return like_rerp(RobotExclusionRulesParser(), robots)


def like_rerp(parser, robots):
    parser.parse(robots.decode("utf-8", "replace"))
    return Parsed(parser.is_allowed, parser.get_crawl_delay, lambda: list(parser.sitemaps))


def urllib(robots):
    from urllib.robotparser import RobotFileParser

    parser = RobotFileParser()
    parser.modified()  # else crawl_delay of an old version answers None for a file without a user-agent line
    parser.parse(robots.decode("utf-8", "replace").splitlines())
    sitemaps = (lambda: parser.site_maps() or []) if hasattr(parser, "site_maps") else None
    return Parsed(parser.can_fetch, parser.crawl_delay, sitemaps)


def fastrobots(robots):
    from fastrobots import Robots

    parsed = Robots.parse(robots.decode("utf-8", "replace"))
    return Parsed(lambda agent, url: parsed.allowed(path_of(url), agent), parsed.crawl_delay, lambda: list(parsed.sitemaps))


def fast_robotstxt(robots):
    from robotstxt import RobotsMatcher  # of fast-robotstxt, which is installed into a folder of its own

    matcher, text = RobotsMatcher(), robots.decode("utf-8", "replace")

    def delay(agent):
        matcher.is_allowed(text, agent, "https://example.com/")
        return matcher.crawl_delay

    return Parsed(lambda agent, url: matcher.is_allowed(text, agent, url), delay)


def robotstxt_py(robots):
    from robotstxt import RobotsFile  # of PyPI robotstxt

    parsed = RobotsFile(robots.decode("utf-8", "replace"))
    return Parsed(lambda agent, url: not parsed.test_url(url, agent)["disallowed"], None,
                  lambda: [sitemap.url for sitemap in parsed.sitemaps])


def reppy2(robots):
    from reppy.parser import Rules

    rules = Rules("https://example.com/robots.txt", 200, robots, 0)
    return Parsed(lambda agent, url: rules.allowed(url, agent), rules.delay, lambda: list(rules.sitemaps))


def robotsparsetools(robots):
    from robotsparsetools import Parse

    parsed = Parse(text=robots.decode("utf-8", "replace") or "\n")

    def can_crawl(agent, url):
        parsed.home = "/".join(url.split("/")[:3])  # the site of the file; only set when it fetches the file itself
        return parsed.can_crawl(url, name(agent))

    def name(agent):  # it has no rule for agents that are not named: that is left to its caller
        return agent if agent in parsed else "*"

    return Parsed(can_crawl, lambda agent: parsed.delay(name(agent)),
                  lambda: list(parsed.get("sitemap", [])))


def answer_question(load, question):
    answer = {"id": question["id"]}
    try:
        parsed = load(base64.b64decode(question["file_base64"]))
        answer["allow"] = bool(parsed.allowed(question["agent"], question["url"]))
    except Exception as error:
        answer["error"] = "{}: {}".format(type(error).__name__, error)[:300]
        return answer
    for name, value in (("crawl_delay", parsed.delay and (lambda: parsed.delay(question["agent"]))),
                        ("sitemaps", parsed.sitemaps)):
        if value:
            try:
                found = value()
                answer[name] = float(found) if name == "crawl_delay" and found is not None else found
            except Exception as error:
                answer[name] = "{}: {}".format(type(error).__name__, error)[:300]
    return answer


def answer_job(load, job):
    tests = job["tests"]
    try:
        allowed = load(base64.b64decode(job["robots_b64"])).allowed
    except Exception:
        return ["E" * len(urls) for _, urls in tests]

    def letter(agent, url):
        try:
            return "1" if allowed(agent, url) else "0"
        except Exception:
            return "E"

    return ["".join(letter(agent, url) for url in urls) for agent, urls in tests]


TESTERS = {function.__name__: function for function in (
    google, gpyrobotstxt, protego, robotspy, rerp, urllib,
    fastrobots, fast_robotstxt, robotstxt_py, reppy2, robotsparsetools, robotstxtparser)}
load = TESTERS[sys.argv[1]]
for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps((answer_job if "tests" in message else answer_question)(load, message)), flush=True)
