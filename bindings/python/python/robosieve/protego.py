"""A drop-in replacement for ``protego``: the same interface, with robosieve's answers.

>>> from robosieve.protego import Protego
>>> robots = Protego.parse("User-agent: *\\nDisallow: /cart\\nCrawl-delay: 2")
>>> robots.can_fetch("https://shop.example/cart/1", "MyBot"), robots.crawl_delay("MyBot")
(False, 2.0)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ._core import Robots
from ._agents import agent_or_all
from ._values import RequestRate, VisitTime

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Protego", "RequestRate", "VisitTime"]


class Protego:
    """A parsed file, with the interface of ``protego.Protego`` 0.7."""

    __slots__ = ("_robots",)

    def __init__(self) -> None:
        self._robots = Robots.parse(b"", known=False)

    @classmethod
    def parse(cls, content: str) -> Self:
        """Parses a text. Raises ``TypeError`` if it is no ``str``."""
        if not isinstance(content, str):
            raise TypeError(f"Protego.parse expects str, got {type(content).__name__}")
        made = cls()
        made._robots = Robots.parse(content, known=False)
        return made

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Whether the crawler with this name or ``User-Agent`` header may fetch a URL."""
        return self._robots.can_fetch(url, agent_or_all(user_agent))

    def crawl_delay(self, user_agent: str) -> float | None:
        """The crawl delay in seconds, or None."""
        return self._robots.crawl_delay(agent_or_all(user_agent))

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """The request rate, or None."""
        return self._robots.request_rate(agent_or_all(user_agent))

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """The visit time in UTC, or None."""
        return self._robots.visit_time(agent_or_all(user_agent))

    @property
    def sitemaps(self) -> Iterator[str]:
        """The URLs of the sitemaps."""
        return iter(self._robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The main host of the site, or None."""
        return self._robots.preferred_host
