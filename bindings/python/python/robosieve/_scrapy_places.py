"""Scrapy's places (``CONCURRENT_REQUESTS``), and the requests that wait without one.

Invariant: a request that waits here is not among Scrapy's active ones, and comes back only to a place that is free.
The requests of a slot go one after the other: only the first one of a line asks the gate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heapify, heappop, heappush
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

#: The most requests that wait without a place. Our choice: some 100 MB.
MAX_WAITING = 10_000

#: Seconds between two looks: whether a place is free, and whether the spider closes.
LOOK, LONG_LOOK = 0.02, 1.0


class Closing(Exception):
    """The spider closes: nothing is waited for."""


class Places:
    """The places of a crawler, and a line for each of its slots."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        #: Who waits after the first one, for each slot that has a first one: the lowest goes next.
        self._lines: dict[str, list[tuple[int, int, Deferred[None]]]] = {}
        self._numbers = count()
        self._away: set[Request] = set()
        #: Who waits and is active, since too many are away.
        self._parked = 0
        self._coming_back = 0
        crawler.signals.connect(self._idle, signal=signals.spider_idle)

    def _idle(self) -> None:
        if self._away:
            raise DontCloseSpider

    def _engine_slot(self) -> Any:
        engine: Any = self._crawler.engine
        return getattr(engine, "_slot", None) or getattr(engine, "slot", None)

    @property
    def closing(self) -> bool:
        """Whether the spider closes."""
        slot = self._engine_slot()
        return slot is not None and bool(slot.closing)

    def _go_on(self) -> None:
        if self.closing:
            raise Closing

    @asynccontextmanager
    async def line(self, key: str, request: Request) -> AsyncIterator[None]:
        """Waits until this request is the first one of its slot, and is that as long as this lasts."""
        has_turn = key not in self._lines
        line = self._lines.setdefault(key, [])
        over: Deferred[None] = Deferred()
        waiting = (-request.priority, next(self._numbers), over)
        try:
            if not has_turn:
                heappush(line, waiting)
                async with self.without_place(request):
                    await maybe_deferred_to_future(over)
                    has_turn = True
                self._go_on()
            yield
        finally:
            if not has_turn and waiting in line:
                # It was cancelled before its turn came.
                line.remove(waiting)
                heapify(line)
            elif line:
                # Not within this call: a line is long.
                call_later(0, heappop(line)[2].callback, None)
            else:
                del self._lines[key]

    async def wait(self, request: Request, seconds: float) -> None:
        """Waits, without a place."""
        if seconds <= 0:
            return
        end = monotonic() + seconds
        async with self.without_place(request):
            while (left := end - monotonic()) > 0:
                self._go_on()
                await sleep(min(left, LONG_LOOK))

    @asynccontextmanager
    async def without_place(self, request: Request) -> AsyncIterator[None]:
        """Leaves a request's place to others as long as this lasts, and then waits until one is free."""
        downloader = self._crawler.engine.downloader
        active = downloader.active
        if request not in active:
            yield
            return
        is_away = len(self._away) < MAX_WAITING
        if is_away:
            active.remove(request)
            self._away.add(request)
            slot = self._engine_slot()
            if slot is not None:
                slot.nextcall.schedule()
        else:
            # It stays active, so that Scrapy takes no more from its scheduler, and its place is for who comes back.
            self._parked += 1
        try:
            yield
        finally:
            if is_away:
                self._away.remove(request)
                active.add(request)
            else:
                self._parked -= 1
        self._coming_back += 1
        try:
            while 0 < downloader.total_concurrency <= len(active) - self._coming_back - self._parked:
                self._go_on()
                await sleep(LOOK)
        finally:
            self._coming_back -= 1


async def sleep(seconds: float) -> None:
    """Waits on any of Scrapy's event loops."""
    over: Deferred[None] = Deferred()
    call_later(seconds, over.callback, None)
    await maybe_deferred_to_future(over)


def call_later(seconds: float, call: Callable[..., Any], *arguments: Any) -> None:
    """Calls a function later, on any of Scrapy's event loops."""
    try:
        from scrapy.utils.asyncio import call_later as later
    except ImportError:
        from twisted.internet import reactor

        later = reactor.callLater
    later(seconds, call, *arguments)
