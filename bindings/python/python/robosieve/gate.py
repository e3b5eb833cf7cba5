"""May this URL be fetched now? Gates that retrieve robots.txt themselves, for threads and for asyncio.

``Gate`` is for threads, ``AsyncGate`` for asyncio. ``turn`` returns when the URL may be fetched, or at once if it may
not. Both retrieve with the client of the command ``robosieve``, or with one of yours.

    gate = AsyncGate("MyBot/1.0 (+https://example.com/bot)", store="sites.sqlite")
    if await gate.turn(url):
        ...  # fetch it now: this slot is yours
        await gate.observe(url, 200)

>>> def client(url, headers):
...     return Response(200, {}, b"User-agent: *\\nDisallow: /cart\\n")
>>> gate = Gate("MyBot", fetch=client, delay=0, min_delay=0)
>>> bool(gate.turn("https://shop.example/")), bool(gate.permits("https://shop.example/cart/1"))
(True, False)
"""

from __future__ import annotations

import asyncio
import errno
import http.client
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any, Union

from ._agents import Agents, listed
from ._core import GateCore, Step, _Asker

__all__ = ["AsyncGate", "Gate", "GateCore", "Response", "Step"]

Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]


@dataclass(frozen=True)
class Response:
    """A response as it came: with all headers, and the body as the headers say. The rest is as for ``GateCore.learn``."""

    status: int
    headers: Headers
    body: bytes
    address: str | None = None
    decoded: bool = False
    broken_off: bool = False


#: Trouble on our side, which says nothing about the site.
OURS = {
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOBUFS,
    errno.ENOMEM,
    errno.ENETUNREACH,
    errno.EHOSTUNREACH,
    errno.EADDRNOTAVAIL,
    errno.EAFNOSUPPORT,
}

#: What HTTP clients raise that is no ``OSError``: the package, and the name of the class.
CLIENTS = {
    ("aiohttp", "ClientError"),
    ("curl_cffi", "CurlError"),
    ("httpcore", "NetworkError"),
    ("httpcore", "ProtocolError"),
    ("httpcore", "TimeoutException"),
    ("httpx", "HTTPError"),
    ("httpx", "InvalidURL"),
    ("pycurl", "error"),
    ("urllib3", "HTTPError"),
}

_NETWORK = (OSError, EOFError, http.client.HTTPException, UnicodeError, asyncio.TimeoutError)

#: Why there is no response, and whether the site was asked.
_Failure = tuple[str, bool]


def _failure(error: Exception) -> _Failure:
    """What an error of a client means. One that is not of the network is a bug, and is raised again."""
    names = ((of.__module__.partition(".")[0], of.__name__) for of in type(error).__mro__)
    if not isinstance(error, _NETWORK) and CLIENTS.isdisjoint(names):
        raise error
    if isinstance(error, socket.gaierror):
        # A denial is the name server's; all else is no answer.
        is_ours = error.errno not in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
    else:
        is_ours = isinstance(error, OSError) and error.errno in OURS
    return f"{type(error).__name__}: {error}", not is_ours


class _Asks:
    """A gate's core, and what asks it, until the gate is closed."""

    #: Calls a client of the caller's.
    _call: Callable[..., Any]

    def __init__(
        self,
        agent: Agents,
        *,
        fetch: Callable[[str, dict[str, str]], Any] | None = None,
        proxy: str | None = None,
        root_cert: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        if "clock" in options:
            raise TypeError("a gate that waits has the clock of the machine: only GateCore takes a clock")
        agent = listed(agent)
        first = agent if isinstance(agent, (str, bytes)) else next(iter(agent))
        header = first if isinstance(first, str) else first.decode("latin-1")
        core = GateCore(agent, **options)
        asker = _Asker(core, header, fetch and partial(self._call, fetch), proxy, root_cert)
        self._open: tuple[GateCore, _Asker] | None = core, asker

    @property
    def core(self) -> GateCore:
        """The core: ``counts``, ``delay``. After ``close`` a ``RuntimeError``."""
        return self._opened()[0]

    def _opened(self) -> tuple[GateCore, _Asker]:
        if self._open is None:
            raise RuntimeError("the gate is closed: make another one")
        return self._open


class Gate(_Asks):
    """The gate for threads. Any number of them can use it at the same time.

    ``agent`` is a product token, or a whole ``User-Agent`` header, which the gate's client sends. ``proxy`` is one for all
    requests, such as ``http://proxy.example:3128`` or ``socks5h://…``; ``root_cert`` a file of certificates in PEM that
    count like Mozilla's. ``fetch(url, headers)`` is a client of yours: it follows no redirect and returns a ``Response``
    with all headers, or raises an ``OSError`` or an error of the usual HTTP clients; any other error is a bug, and goes
    through. Other options are those of ``GateCore``. ``close``, or ``with``, releases the store.
    """

    @staticmethod
    def _call(fetch: Callable[..., Response], url: str, headers: list[tuple[str, str]]) -> Response | _Failure:
        try:
            return fetch(url, dict(headers))
        except Exception as error:
            return _failure(error)

    def __enter__(self) -> Gate:
        self.core  # It is open.
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the store when all questions that are asked have their answers. Another one is a ``RuntimeError``."""
        self._open = None

    def turn(self, url: str) -> Step:
        """Waits until the URL may be fetched. The step is true then, and the slot is the caller's.

        A step "wait" is returned at once instead of a wait that is longer than the gate's ``max_wait``, an hour.
        """
        return self._opened()[1].ask(url, True)

    def permits(self, url: str) -> Step:
        """Whether the URL may be fetched at all. Takes no slot."""
        return self._opened()[1].ask(url, False)

    def observe(self, url: str, status: int | None = None, **about: Any) -> None:
        """Reports how a page came: see ``GateCore.observe``."""
        self.core.observe(url, status, **about)


class AsyncGate(_Asks):
    """The gate for asyncio. One task of a site retrieves, the others wait. A task that is cancelled gives up its request.

    As ``Gate``; ``fetch`` is a coroutine function.
    """

    @staticmethod
    async def _call(fetch: Callable[..., Awaitable[Response]], url: str, headers: list[tuple[str, str]]) -> Response | _Failure:
        try:
            return await fetch(url, dict(headers))
        except Exception as error:
            return _failure(error)

    async def __aenter__(self) -> AsyncGate:
        self.core  # It is open.
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As ``Gate.close``."""
        self._open = None

    async def turn(self, url: str) -> Step:
        """As ``Gate.turn``."""
        return await self._opened()[1].ask_later(url, True)

    async def permits(self, url: str) -> Step:
        """As ``Gate.permits``."""
        return await self._opened()[1].ask_later(url, False)

    async def observe(self, url: str, status: int | None = None, **about: Any) -> None:
        """As ``Gate.observe``."""
        await self._opened()[1].observe_later(url, status, **about)
