"""May this URL be fetched now? Gates that retrieve robots.txt themselves, for threads and for asyncio.

``Gate`` is for threads, ``AsyncGate`` for asyncio. ``turn`` returns when the URL may be fetched, or at once if it may
not. Both retrieve with Python's own client, or with one of yours.

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
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, TypeVar, Union

from ._agents import listed
from ._client import Client, Response, is_of_network, not_asked
from ._core import GateCore, Step

__all__ = ["AsyncGate", "Gate", "GateCore", "Response", "Step"]

#: The most retrievals of a site in a row for one question: a file may be over before the answer.
MAX_RETRIEVALS = 3

#: The most robots.txt files that `AsyncGate` retrieves at the same time with Python's client.
MAX_THREADS = 32

#: The most threads in which it uses a store: hosts that do not answer hold none of these.
MAX_STORE_THREADS = 8

#: The longest wait of a turn, in seconds, as `GateCore` has it by default.
MAX_WAIT = 3_600.0

T = TypeVar("T")
G = TypeVar("G", bound="Gate")
A = TypeVar("A", bound="AsyncGate")
Agents = Union[str, bytes, Sequence[Union[str, bytes]], Iterator[Union[str, bytes]]]
#: What a question leads to: "call" this, "sleep" so long, or "fetch" for this step.
Todo = tuple[str, Any]


def _steps(
    gate: _Closable, name: str, url: str, longest: float, max_wait: float | None = None
) -> Generator[Todo, Any, Step]:
    """Asks the core by this name until there is an answer. Whoever runs it carries out what it yields.

    It makes no wait that is longer than ``longest``, and none beyond ``max_wait`` in all.
    """
    step: Step | None = None
    retrievals, waited = 0, 0.0
    try:
        while True:
            step = yield "call", lambda: getattr(gate.core, name)(url)
            if step.action == "fetch":
                retrievals += 1
                while step.action == "fetch":
                    yield "sleep", step.wait
                    came = yield "fetch", step
                    step = yield "call", lambda step=step, came=came: _learn(gate.core, step, came)
            else:
                retrievals = 0
            if step.action != "wait" or retrievals >= MAX_RETRIEVALS:
                return step
            if step.reason == "retrieving":
                yield "sleep", step.wait
                continue
            waited += step.wait
            if step.wait > longest or (max_wait is not None and waited > max_wait):
                return step
            yield "sleep", step.wait
    finally:
        # A task that was cancelled holds its step until somebody looks at it.
        if step is not None:
            step.drop()


def _learn(core: GateCore, step: Step, came: Response | Exception) -> Step:
    if isinstance(came, Exception):
        return core.learn(step, error=f"{type(came).__name__}: {came}", asked=not not_asked(came))
    return core.learn(
        step,
        came.status,
        came.headers,
        came.body,
        decoded=came.decoded,
        broken_off=came.broken_off,
        address=came.address,
    )


def _header(agent: Agents) -> str:
    """The ``User-Agent`` to send: the first agent."""
    first = agent if isinstance(agent, (str, bytes)) else next(iter(agent))
    return first if isinstance(first, str) else first.decode("latin-1")


class _Closable:
    """A gate's core, until the gate is closed."""

    _core: GateCore | None

    @property
    def core(self) -> GateCore:
        """The core: ``counts``, ``delay``. After ``close`` a ``RuntimeError``."""
        if self._core is None:
            raise RuntimeError("the gate is closed: make another one")
        return self._core


class Gate(_Closable):
    """The gate for threads. Any number of them can use it at the same time.

    ``agent`` is a product token, or a whole ``User-Agent`` header, which Python's client sends. ``fetch(url, headers)``
    is a client of yours: it follows no redirect and returns a ``Response`` with all headers, or raises an ``OSError``
    or an error of the usual HTTP clients; any other error is a bug, and goes through. Other options are those of
    ``GateCore``. ``close``, or ``with``, releases the store.
    """

    def __init__(
        self, agent: Agents, *, fetch: Callable[[str, dict[str, str]], Response] | None = None, **options: Any
    ) -> None:
        agent = listed(agent)
        self._core = GateCore(agent, **options)
        self._longest = float(options.get("max_wait", MAX_WAIT))
        self._fetch = fetch or Client(_header(agent), lambda address: self.core.admits(address))

    def __enter__(self: G) -> G:
        self.core  # It is open.
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the store. Anything that is asked after that is a ``RuntimeError``."""
        self._core = None

    def turn(self, url: str, *, max_wait: float | None = None) -> Step:
        """Waits until the URL may be fetched. The step is true then, and the slot is the caller's.

        A step "wait" is returned at once instead of a wait that is longer than the gate's ``max_wait``, an hour; with
        one of the turn's own, also instead of all waits that are longer together.
        """
        return self._run(_steps(self, "start", url, self._longest, max_wait))

    def permits(self, url: str) -> Step:
        """Whether the URL may be fetched at all. Takes no slot."""
        return self._run(_steps(self, "permits", url, self._longest))

    def observe(self, url: str, status: int | None = None, **about: Any) -> None:
        """Reports how a page came: see ``GateCore.observe``."""
        self.core.observe(url, status, **about)

    def _run(self, steps: Generator[Todo, Any, Step]) -> Step:
        with closing(steps):
            return self._carried_out(steps)

    def _carried_out(self, steps: Generator[Todo, Any, Step]) -> Step:
        result: Any = None
        while True:
            try:
                what, of = steps.send(result)
            except StopIteration as end:
                return end.value
            result = None
            if what == "call":
                result = of()
            elif what == "sleep":
                time.sleep(of)
            else:
                try:
                    result = self._fetch(of.url, dict(of.headers))
                except Exception as error:
                    if not is_of_network(error):
                        raise
                    result = error


class AsyncGate(_Closable):
    """The gate for asyncio. One task of a site retrieves, the others wait.

    As ``Gate``; ``fetch`` is a coroutine function. Python's own client and a store have threads of the gate's, and not
    the same ones. ``close``, or ``async with``, releases them, too.
    """

    def __init__(
        self,
        agent: Agents,
        *,
        fetch: Callable[[str, dict[str, str]], Awaitable[Response]] | None = None,
        **options: Any,
    ) -> None:
        agent = listed(agent)
        self._core = GateCore(agent, **options)
        self._longest = float(options.get("max_wait", MAX_WAIT))
        self._client = Client(_header(agent), lambda address: self.core.admits(address))
        self._fetch = fetch
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="robosieve-gate")
        self._store_threads: ThreadPoolExecutor | None = None
        if options.get("store") is not None:
            self._store_threads = ThreadPoolExecutor(MAX_STORE_THREADS, thread_name_prefix="robosieve-store")

    async def __aenter__(self: A) -> A:
        self.core  # It is open.
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As ``Gate.close``. A retrieval that is on its way ends in its own time."""
        self._core = None
        for threads in (self._threads, self._store_threads):
            if threads is not None:
                threads.shutdown(wait=False)

    async def turn(self, url: str, *, max_wait: float | None = None) -> Step:
        """As ``Gate.turn``."""
        return await self._run(_steps(self, "start", url, self._longest, max_wait))

    async def permits(self, url: str) -> Step:
        """As ``Gate.permits``."""
        return await self._run(_steps(self, "permits", url, self._longest))

    async def observe(self, url: str, status: int | None = None, **about: Any) -> None:
        """As ``Gate.observe``."""
        await self._call(lambda: self.core.observe(url, status, **about))

    async def _call(self, call: Callable[[], T]) -> T:
        self.core  # Closed threads say less.
        if self._store_threads is None:
            return call()
        return await asyncio.get_running_loop().run_in_executor(self._store_threads, call)

    async def _came(self, step: Step) -> Response | Exception:
        url, headers = step.url or "", dict(step.headers)
        self.core  # Closed threads say less.
        try:
            if self._fetch is not None:
                return await self._fetch(url, headers)
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._client, url, headers)
        except Exception as error:
            if not is_of_network(error):
                raise
            return error

    async def _run(self, steps: Generator[Todo, Any, Step]) -> Step:
        with closing(steps):
            return await self._carried_out(steps)

    async def _carried_out(self, steps: Generator[Todo, Any, Step]) -> Step:
        result: Any = None
        while True:
            try:
                what, of = steps.send(result)
            except StopIteration as end:
                return end.value
            result = None
            if what == "call":
                result = await self._call(of)
            elif what == "sleep":
                await asyncio.sleep(of)
            else:
                result = await self._came(of)
