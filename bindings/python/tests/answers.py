"""Raw answers for robots.txt, those of suite/answers.json, from a server on loopback: each is a site of its own."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[3] / "suite/answers.json"
RULES = b"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nUser-agent: *\nDisallow: /x\n"
#: What a site has for the targets of redirects.
OTHERS = {
    "/one": b"HTTP/1.1 302 Found\r\nLocation: two\r\nContent-Length: 0\r\n\r\n",
    "/two": RULES,
    "/again": b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
}
#: Each site is asked for both pages.
PAGES = ["/x", "/y"]


@dataclass(frozen=True)
class Answer:
    """The bytes, and the clients that open less than the gate's own driver, or with a plus, more."""

    name: str
    sent: bytes
    differ: tuple[str, ...]


def answers():
    """All answers. The body of a row is whole, or its first bytes; "each" is one answer for each byte where it ends."""
    made = json.loads(FILE.read_text())

    def bytes_of(body):
        if isinstance(body, str):
            return base64.b64decode(body)
        return b"".join(text.encode("latin-1") * times for text, times in body)

    bodies = {name: bytes_of(body) for name, body in made["bodies"].items()}
    for head, body, *more in made["answers"]:
        cut, *differ = more or [None]
        whole = bodies[body]
        for end in range(len(whole)) if cut == "each" else [cut]:
            sent = whole[:end]
            raw = head.replace("{length}", str(len(sent))).encode("latin-1") + sent
            yield Answer(f"{head}, {body}, {end}", raw, tuple(differ))


class Sites:
    """A server with an address for each answer. `pages` has the pages that each was asked for."""

    def __init__(self, sent):
        self.sent = sent
        self.pages = [set() for _ in sent]
        self.bases = []
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        ready.wait()

    def _serve(self, ready):
        self.loop.run_until_complete(self._listen())
        ready.set()
        self.loop.run_forever()

    async def _listen(self):
        self.servers = []
        for number in range(len(self.sent)):
            address = f"127.1.{number // 250}.{number % 250 + 1}"

            async def answer(reader, writer, number=number):
                await self._answer(number, reader, writer)

            server = await asyncio.start_server(answer, address, 0)
            self.servers.append(server)
            self.bases.append("http://{}:{}".format(*server.sockets[0].getsockname()))

    async def _answer(self, number, reader, writer):
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            path = request.split(b" ")[1].decode().split("?")[0]
            if path in PAGES:
                self.pages[number].add(path)
            writer.write(RULES if path in PAGES else OTHERS.get(path, self.sent[number]))
            await writer.drain()
            writer.write_eof()
            await reader.read()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def close(self):
        """Stops it."""
        self.loop.call_soon_threadsafe(self.loop.stop)


def allowed_by(command, bases):
    """The pages that the gate's own driver allows, for each site."""

    def check(base):
        arguments = [command, "check", "--allow-private", "--json", "--agent", "MyBot", *[base + page for page in PAGES]]
        done = subprocess.run(arguments, capture_output=True, timeout=120, check=False)
        found = map(json.loads, done.stdout.splitlines())
        return {page for page, one in zip(PAGES, found, strict=True) if one["action"] == "go"}

    with ThreadPoolExecutor(24) as threads:
        return list(threads.map(check, bases))
