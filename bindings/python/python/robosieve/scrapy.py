"""Scrapy's middleware for robots.txt, over the gate, and a parser for Scrapy's own. In the settings of a project, either:

    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "robosieve.scrapy.RobotsTxtMiddleware": 100,
    }

or only the parser:

    ROBOTSTXT_PARSER = "robosieve.scrapy.RobosieveRobotParser"

Invariant: all decisions are the gate's. Scrapy's own downloader makes every request, through its other middlewares, and
its slots keep the pace. The bytes of a robots.txt are taken before any of these: what decodes them does not say where
they broke off.

>>> from robosieve.scrapy import RobosieveRobotParser
>>> parser = RobosieveRobotParser.from_crawler(None, b"User-agent: *\\nDisallow: /cart\\nCrawl-delay: 2")
>>> parser.allowed("https://shop.example/cart/1", "Mozilla/5.0 (compatible; MyBot/1.0)"), parser.crawl_delay("MyBot")
(False, 2.0)
"""

from __future__ import annotations

import logging
import socket
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

try:
    from scrapy import signals
except ImportError as error:
    raise ImportError("robosieve.scrapy needs scrapy: pip install scrapy") from error
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import DNSLookupError

from ._agents import agent_or_all
from ._core import GateCore, Robots, Step
from .gate import OURS

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

__all__ = ["RobosieveRobotParser", "RobotsTxtMiddleware"]

logger = logging.getLogger(__name__)

#: The most agents with a gate of their own, and the most hosts whose delay is kept while they are idle.
MAX_AGENTS, MAX_HOSTS = 64, 100_000

#: The most retrievals for one question: a file may expire before the answer.
MAX_RETRIEVALS = 3

#: In seconds: the longest wait for a retrieval of another request, and the time between two looks at it.
MAX_WAIT, LOOK = 60.0, 0.1

#: The most bytes of an answer, six times what the gate reads of a file: one that has more is not read.
MAX_BYTES = 3_072_000

#: The key in the meta of a request for robots.txt.
ASKED = "robosieve_asked"


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


@dataclass
class _Asked:
    """A request for robots.txt on its way: the gate that asks, and what Scrapy's handler got."""

    gate: GateCore
    response: Response | None = None
    proxy: str | None = None


class RobotsTxtMiddleware:
    """In place of ``scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware``, with its settings and stats.

    ``ROBOSIEVE_STORE`` is a file of what is known of sites, which spiders share; ``ROBOSIEVE_POLICY`` what answers mean;
    ``ROBOSIEVE_MAX_DELAY`` the longest delay that a site can ask for; ``ROBOSIEVE_ALLOW_PRIVATE`` and
    ``ROBOSIEVE_ALLOW_PORTS`` are for sites that are not on the public web.
    """

    DOWNLOAD_PRIORITY: int = 1000
    #: Another clock: seconds since 1970.
    clock: Callable[[], float] | None = None

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self._default_agent: str = settings["USER_AGENT"]
        self._agent: str | None = settings["ROBOTSTXT_USER_AGENT"]
        self._store: str | None = settings.get("ROBOSIEVE_STORE")
        delay = settings.getfloat("DOWNLOAD_DELAY")
        self._options: dict[str, Any] = {
            "store": self._store,
            "policy": settings.get("ROBOSIEVE_POLICY") or "rfc9309",
            "delay": delay,
            "min_delay": 0.0,
            "max_delay": max(delay, settings.getfloat("ROBOSIEVE_MAX_DELAY", 300.0)),
            "allow_private": settings.getbool("ROBOSIEVE_ALLOW_PRIVATE"),
            "allow_ports": [int(port) for port in settings.getlist("ROBOSIEVE_ALLOW_PORTS")],
            "clock": type(self).clock,
        }
        self._least_delay = delay
        self._gates: dict[str | bytes, GateCore] = {}
        #: The slots with a site's delay, the oldest first.
        self._delays: dict[str, None] = {}
        self._guarded = False
        self._refused: set[str] = set()
        crawler.signals.connect(self._downloaded, signal=signals.response_downloaded)
        # A wrong setting, or a store that can't be opened, is an error at the start.
        self._gate(self._agent or self._default_agent)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Makes it for a crawler."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Lets a request through, or ends it with ``IgnoreRequest``."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith(("http:", "https:")):
            return
        gate = self._gate(self._agent or request.headers.get(b"User-Agent") or self._default_agent)
        step = await self._decide(gate, request)
        if step:
            self._pace(request, gate.delay(request.url))
            return
        self._warn_of_refused(request, step)
        logger.debug("Forbidden by robots.txt: %s: %s", request, step.why, extra={"spider": self.crawler.spider})
        self._count("forbidden")
        self._count(f"forbidden/{step.reason}")
        raise IgnoreRequest(f"Forbidden by robots.txt: {step.why}")

    def _warn_of_refused(self, request: Request, step: Step) -> None:
        """Says once for each host that the guard refuses it, and which setting allows it."""
        host = urlparse_cached(request).hostname or ""
        if ": refused: " in step.why and host not in self._refused and len(self._refused) < MAX_HOSTS:
            self._refused.add(host)
            why = step.why.replace("allow_private", "ROBOSIEVE_ALLOW_PRIVATE")
            logger.warning("%s: %s", host, why, extra={"spider": self.crawler.spider})

    def _gate(self, agent: str | bytes) -> GateCore:
        if agent not in self._gates:
            if len(self._gates) >= MAX_AGENTS:
                del self._gates[next(iter(self._gates))]
            self._gates[agent] = GateCore(agent_or_all(agent), **self._options)
        return self._gates[agent]

    async def _decide(self, gate: GateCore, request: Request) -> Step:
        retrievals, waited = 0, 0.0
        step: Step | None = None
        try:
            while True:
                step = await self._run(lambda: gate.permits(request.url))
                if step.action == "fetch":
                    retrievals += 1
                    while step.action == "fetch":
                        step = await self._retrieve(gate, step, request)
                if step.action != "wait" or retrievals >= MAX_RETRIEVALS or waited > MAX_WAIT:
                    return step
                look = max(LOOK, min(step.wait, MAX_WAIT))
                waited += look
                await sleep(look)
        finally:
            if step is not None:
                step.drop()

    async def _retrieve(self, gate: GateCore, step: Step, page: Request) -> Step:
        """Makes one request for robots.txt."""
        await sleep(min(step.wait, MAX_WAIT))
        asked = _Asked(gate)
        request = Request(
            step.url or "",
            headers=[*step.headers, ("Accept-Encoding", "identity")],
            priority=self.DOWNLOAD_PRIORITY,
            meta={
                "dont_obey_robotstxt": True,
                "dont_redirect": True,
                "dont_cache": True,
                "allow_offsite": True,
                "download_fail_on_dataloss": False,
                "download_maxsize": MAX_BYTES,
                ASKED: asked,
            },
            callback=NO_CALLBACK,
            dont_filter=True,
        )
        self._count("request_count")
        try:
            response = await self._download(request)
        except Exception as error:
            ours = isinstance(error, IgnoreRequest) or getattr(error, "errno", None) in OURS
            ours = ours or type(error).__name__ in ("CancelledError", "NoRouteError")
            if not isinstance(error, IgnoreRequest):
                logger.info("No answer for %s: %r", request, error, extra={"spider": self.crawler.spider})
                self._count(f"exception_count/{type(error)}")
            why = str(error) if isinstance(error, IgnoreRequest) else f"{type(error).__name__}: {error}"
            return await self._run(lambda: gate.learn(step, error=why, asked=not ours))
        self._count("response_count")
        self._count(f"response_status_count/{response.status}")
        # Another middleware answered, so nobody knows whether its body is whole.
        came = asked.response or response.replace(flags=["dataloss"])
        # The address of what a proxy sent is the proxy's.
        address = None if asked.proxy or came.ip_address is None else str(came.ip_address)
        learnt = await self._run(
            lambda: gate.learn(
                step,
                came.status,
                came.headers,
                came.body,
                broken_off=not _is_whole(came),
                address=address,
            )
        )
        if response.status == 200:
            await self._tell(response, page)
        return learnt

    async def _download(self, request: Request) -> Response:
        engine = self.crawler.engine
        if not self._guarded:
            # After all middlewares, one of which sets the proxy. Others are at work on the old list.
            methods = engine.downloader.middleware.methods
            methods["process_request"] = deque([*methods["process_request"], self._guard])
            self._guarded = True
        return await engine.download_async(request)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Keeps the response to a request for robots.txt as the handler got it."""
        asked = request.meta.get(ASKED)
        if asked is not None:
            # A copy: the middleware that decodes takes the header away.
            asked.response, asked.proxy = response.copy(), request.meta.get("proxy")

    async def _guard(self, request: Request, spider: Spider | None = None) -> None:
        """Ends a request for robots.txt whose host has an address that the gate does not admit."""
        asked = request.meta.get(ASKED)
        host = urlparse_cached(request).hostname or ""
        is_local = f".{host.rstrip('.')}".endswith(".localhost")
        if asked is None or asked.gate.admits(host) or (request.meta.get("proxy") and not is_local):
            return
        for address in await _addresses(host):
            if not asked.gate.admits(address):
                raise IgnoreRequest(f"refused: {address} is not a public address")

    async def _tell(self, response: Response, page: Request) -> None:
        """Sends Scrapy's signal, which other extensions wait for."""
        parser = RobosieveRobotParser(response.body)
        await self.crawler.signals.send_catch_log_async(signal=signals.robots_parsed, robotparser=parser, request=page)

    async def _run(self, step: Callable[[], Any]) -> Any:
        """Calls the gate, in a thread if it may wait for a disk."""
        return await run_in_thread(step) if self._store else step()

    def _pace(self, request: Request, delay: float) -> None:
        """Puts a site's delay into Scrapy's slot, which waits."""
        downloader = self.crawler.engine.downloader
        key = str(request.meta.get("download_slot") or downloader.get_slot_key(request))
        if delay <= self._least_delay and key not in self._delays:
            return
        if key not in self._delays and len(self._delays) >= MAX_HOSTS:
            forgotten = next(iter(self._delays))
            del self._delays[forgotten]
            downloader.per_slot_settings.pop(forgotten, None)
        self._delays[key] = None
        given = self.crawler.settings.getdict("DOWNLOAD_SLOTS").get(key, {})
        # Slots that are idle for a minute are made anew, from these settings.
        exact = {"jitter": 0.0} if hasattr(downloader, "_jitter") else {"randomize_delay": False}
        own = {**given, "delay": max(delay, given.get("delay", 0.0)), **exact}
        downloader.per_slot_settings[key] = own
        request.meta["autothrottle_dont_adjust_delay"] = True
        slot = downloader.slots.get(key)
        if slot is not None:
            for name in ("delay", *exact):
                setattr(slot, name, own[name])

    def _count(self, name: str) -> None:
        stats = self.crawler.stats
        if stats is not None:
            stats.inc_value(f"robotstxt/{name}")


async def _addresses(host: str) -> list[str]:
    """All addresses of a host."""
    try:
        found = await run_in_thread(lambda: socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))
    except (socket.gaierror, UnicodeError) as error:
        raise DNSLookupError(str(error)) from error
    return [str(it[4][0]) for it in found]


def _is_whole(response: Response) -> bool:
    """Whether the body came to its end. "partial" is one without a length, which may have broken off."""
    # HTTP/1.0 has no chunks, and a body without chunks and length is "partial".
    is_chunked = response.protocol == "HTTP/1.0" and b"Content-Length" not in response.headers
    is_http = response.protocol in (None, "HTTP/1.0", "HTTP/1.1", "h2")
    return is_http and not is_chunked and {"dataloss", "download_stopped", "partial"}.isdisjoint(response.flags)
