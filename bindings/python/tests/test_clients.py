"""Scrapy's downloader next to the gate's own client: the raw answers of suite/answers.json, each a site on loopback."""

from __future__ import annotations

import asyncio
import base64
import json
import threading

import pytest
from conftest import ROOT
from robosieve.gate import AsyncGate

pytest.importorskip("scrapy")
from test_scrapy import crawl  # noqa: E402

RULES = b"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nUser-agent: *\nDisallow: /x\n"
#: What a site answers for other paths, to which some answers redirect.
OTHERS = {
    "/one": b"HTTP/1.1 302 Found\r\nLocation: two\r\nContent-Length: 0\r\n\r\n",
    "/two": RULES,
    "/again": b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
}
#: Each site is asked for both pages.
PAGES = ["/x", "/y"]


def answers():
    """Names, bytes, and the clients that differ. A body is whole, or its first bytes; "each" is an answer for each end."""
    made = json.loads((ROOT / "suite/answers.json").read_text())

    def bytes_of(body):
        return base64.b64decode(body) if isinstance(body, str) else b"".join(text.encode("latin-1") * times for text, times in body)

    for head, body, *more in made["answers"]:
        cut, *differ = more or [None]
        whole = bytes_of(made["bodies"][body])
        for end in range(len(whole)) if cut == "each" else [cut]:
            sent = whole[:end]
            yield f"{head}, {body}, {end}", head.replace("{length}", str(len(sent))).encode("latin-1") + sent, differ


async def answer(reader, writer, sent, pages):
    try:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ")[1].decode().split("?")[0]
        if path in PAGES:
            pages.add(path)
        writer.write(RULES if path in PAGES else OTHERS.get(path, sent))
        await writer.drain()
        writer.write_eof()
        await reader.read()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


@pytest.fixture
def serve():
    """Serves each of some bytes on an address of its own. Gives the addresses, and the pages that each is asked for."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def one(number, sent, pages):
        place = f"127.1.{number // 250}.{number % 250 + 1}"
        server = await asyncio.start_server(lambda reader, writer: answer(reader, writer, sent, pages), place, 0)
        return "http://{}:{}".format(*server.sockets[0].getsockname()), pages, server

    async def all_of(sents):
        return [await one(number, sent, set()) for number, sent in enumerate(sents)]

    yield lambda sents: asyncio.run_coroutine_threadsafe(all_of(sents), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)


def test_scrapy_opens_what_the_gate_opens(serve):
    """The rows of suite/answers.json name the clients that differ, and no other does."""
    names, sents, listed = zip(*answers(), strict=True)
    assert len(names) > 300
    sites = serve(sents)

    async def permitted(gate, base):
        return {page for page in PAGES if await gate.permits(base + page)}

    async def asked():
        gate = AsyncGate("MyBot", allow_private=True, delay=0, min_delay=0)
        return await asyncio.gather(*(permitted(gate, base) for base, _, _ in sites))

    expected = asyncio.run(asked())
    crawl("robosieve", [(base, [PAGES]) for base, _, _ in sites])
    differ = {}
    for name, (_, got, _), right in zip(names, sites, expected, strict=True):
        if got != right:
            differ[name] = "Scrapy" if got < right else "+Scrapy"
    assert differ == {name: one for name, ones in zip(names, listed, strict=True) for one in ones if one.strip("+") == "Scrapy"}
