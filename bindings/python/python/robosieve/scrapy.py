"""Scrapy's middleware for robots.txt, and a parser for Scrapy's own. In the settings of a project, either:

    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "robosieve.scrapy.RobotsTxtMiddleware": 100,
    }

or only the parser:

    ROBOTSTXT_PARSER = "robosieve.scrapy.RobosieveRobotParser"

>>> from robosieve.scrapy import RobosieveRobotParser
>>> parser = RobosieveRobotParser.from_crawler(None, b"User-agent: *\\nDisallow: /cart\\nCrawl-delay: 2")
>>> parser.allowed("https://shop.example/cart/1", "Mozilla/5.0 (compatible; MyBot/1.0)"), parser.crawl_delay("MyBot")
(False, 2.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from scrapy.robotstxt import RobotParser
except ImportError as error:
    raise ImportError("robosieve.scrapy needs scrapy: pip install scrapy") from error

from ._core import Robots
from ._agents import agent_or_all
from ._scrapy_middleware import RobotsTxtMiddleware

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

__all__ = ["RobosieveRobotParser", "RobotsTxtMiddleware"]


class RobosieveRobotParser(RobotParser):
    """Answers Scrapy's questions about a file. It reads bytes as they are: no encoding makes it ignore the file."""

    def __init__(self, robotstxt_body: bytes) -> None:
        self._robots = Robots.parse(robotstxt_body, known=False)

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Parses a file."""
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler with this name or ``User-Agent`` header may fetch a URL."""
        return self._robots.can_fetch(url, agent_or_all(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The crawl delay in seconds, or None."""
        return self._robots.crawl_delay(agent_or_all(user_agent))
