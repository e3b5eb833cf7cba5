"""The testers in Python: python.py NAME. A question a line, an answer a line."""
import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")


class Parsed:
    """A file that was read. allowed(agent, url); delay(agent) and sitemaps() only where the tester has them."""

    def __init__(self, allowed, delay=None, sitemaps=None):
        self.allowed, self.delay, self.sitemaps = allowed, delay, sitemaps


def google(robots):
    from jwm.robotstxt.googlebot import RobotsMatcher

    matcher = RobotsMatcher()
    return Parsed(lambda agent, url: matcher.OneAgentAllowedByRobots(robots, agent, url))


def protego(robots):
    from protego import Protego

    parsed = Protego.parse(robots.decode("utf-8-sig", "ignore"))  # decoded as Scrapy does
    return Parsed(lambda agent, url: parsed.can_fetch(url, agent), parsed.crawl_delay, lambda: list(parsed.sitemaps))


def urllib(robots):
    from urllib.robotparser import RobotFileParser

    parser = RobotFileParser()
    parser.parse(robots.decode("utf-8", "replace").splitlines())
    return Parsed(parser.can_fetch, parser.crawl_delay, lambda: parser.site_maps() or [])


def value(read):
    try:
        return read()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]


def answer(load, question):
    try:
        parsed = load(base64.b64decode(question["file_base64"]))
        found = {"allow": bool(parsed.allowed(question["agent"], question["url"]))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    if parsed.delay:
        delay = value(lambda: parsed.delay(question["agent"]))
        found["crawl_delay"] = float(delay) if isinstance(delay, int) else delay
    if parsed.sitemaps:
        found["sitemaps"] = value(parsed.sitemaps)
    return found


load = {"google": google, "protego": protego, "urllib": urllib}[sys.argv[1]]
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"id": question["id"]} | answer(load, question)), flush=True)
