"""A drop-in replacement for ``urllib.robotparser``: the same interface, with robosieve's answers.

>>> from robosieve.robotparser import RobotFileParser
>>> robots = RobotFileParser()
>>> robots.can_fetch("MyBot", "https://shop.example/")
False
>>> robots.parse(["User-agent: *", "Disallow: /*.pdf$"])
>>> robots.can_fetch("MyBot", "/a.pdf"), robots.can_fetch("MyBot", "/a.html"), robots.site_maps()
(False, True, None)
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from urllib.parse import urlsplit
from urllib.robotparser import RequestRate

from ._agents import agent_or_all
from ._core import Robots, sieve

__all__ = ["RequestRate", "RobotFileParser"]

_MAX_BYTES = 512_000


class RobotFileParser:
    """A robots.txt file, with the interface of ``urllib.robotparser.RobotFileParser``.

    What was not read forbids everything. A site that answers with 401, 403 or an error of the server forbids
    everything; one that answers with another 4xx allows everything.
    """

    timeout: float = 30.0
    """The seconds that ``read`` waits for the server, each time that it sends nothing. The original waits forever."""

    def __init__(self, url: str | urllib.request.Request = "") -> None:
        self._forget()
        self.last_checked = 0.0
        self.set_url(url)

    def _forget(self) -> None:
        """Begins anew: nothing was read."""
        self._robots: Robots | None = None
        self._body: str | bytes = b""
        self._complete = True
        self.disallow_all = False
        self.allow_all = False

    def mtime(self) -> float:
        """The time of the last retrieval; 0 if there was none."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time of the last retrieval to now."""
        self.last_checked = time.time()

    def set_url(self, url: str | urllib.request.Request) -> None:
        """Sets the URL of the file. A request is sent as it is, with its headers."""
        self.url = url
        whole = url.full_url if isinstance(url, urllib.request.Request) else url
        self.host, self.path = urlsplit(whole)[1:3]

    def read(self) -> None:
        """Retrieves the file and reads it. Reads 512,000 bytes at most. What was read before is forgotten.

        Raises ``OSError`` if there is no answer; everything is forbidden then.
        """
        self._forget()
        try:
            with urllib.request.urlopen(self.url, timeout=self.timeout) as answer:
                body = answer.read(_MAX_BYTES + 16)
                complete = getattr(answer, "status", 200) != 206 and not getattr(answer, "length", None)
                # Without a length, who knows where the body ends?
                lengths = ",".join(answer.headers.get_all("Content-Length", ())).split(",")
                complete = complete and (lengths == [""] or _is_one_number(lengths))
        except urllib.error.HTTPError as error:
            if error.code in (401, 403) or error.code >= 500:
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = True
            error.close()
        else:
            self._parse(body, complete)

    def parse(self, lines: Iterable[str]) -> None:
        """Reads the lines of a file. They replace those that were read before."""
        self._parse("\n".join(lines))

    def _parse(self, body: str | bytes, complete: bool = True) -> None:
        self._robots = Robots.parse(body, known=False, complete=complete)
        self._body, self._complete = body, complete
        self.modified()

    def _answering(self) -> Robots | None:
        """The file, if it was read and counts."""
        return self._robots if self.mtime() else None

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Whether the crawler may fetch a URL. False before the file is read."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        robots = self._answering()
        return robots is not None and robots.can_fetch(url, agent_or_all(useragent))

    def crawl_delay(self, useragent: str) -> float | int | None:
        """The crawl delay in seconds, or None. An ``int`` if it is whole."""
        robots = self._answering()
        delay = robots and robots.crawl_delay(agent_or_all(useragent))
        return int(delay) if delay is not None and delay == int(delay) else delay

    def request_rate(self, useragent: str) -> RequestRate | None:
        """The request rate, or None."""
        robots = self._answering()
        rate = robots and robots.request_rate(agent_or_all(useragent))
        return RequestRate(rate.requests, rate.seconds) if rate else None

    def site_maps(self) -> list[str] | None:
        """The URLs of the sitemaps, or None if there are none."""
        return (self._robots.sitemaps if self._robots else None) or None

    def __str__(self) -> str:
        return sieve(self._body, None, complete=self._complete).text if self._robots else ""


def _is_one_number(values: list[str]) -> bool:
    """Whether these are digits, all of the same number."""
    given = [value.strip(" \t") for value in values]
    return all(value.isascii() and value.isdigit() for value in given) and len({value.lstrip("0") for value in given}) == 1
