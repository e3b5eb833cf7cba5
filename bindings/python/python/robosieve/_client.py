"""Python's own HTTP client for one request for a robots.txt.

Invariant: it connects only to addresses that the gate admits, follows no redirect, and ends in time. What came is given
as it came, for the gate to read; a head that has no end is none.
"""

from __future__ import annotations

import errno
import http.client
import io
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any, Union
from urllib.parse import urlsplit

Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]

#: Seconds: for a connection, for silence, and for everything.
CONNECT, SILENCE, BUDGET = 10.0, 20.0, 60.0

#: The most bytes of a body that are read: those that the gate reads, and as much more as a coded body may have.
MAX_BODY = 512_000 + 65_536

#: The longest line with the size of a chunk, without its end. Our choice: no server needs more.
MAX_SIZE_LINE = 20

#: The most addresses of a host that are tried.
MAX_ADDRESSES = 16

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


class Refused(OSError):
    """The host has only addresses that the gate does not admit."""


@dataclass(frozen=True)
class Response:
    """A response as it came: with all headers, and the body as the headers say.

    ``decoded``: the client has undone the Content-Encoding, and an end that did not come or a wrong checksum is an
    error there. ``broken_off``: the body is not whole. ``address``: the server's, which the gate checks.
    """

    status: int
    headers: Headers
    body: bytes
    address: str | None = None
    decoded: bool = False
    broken_off: bool = False


def not_asked(error: Exception) -> bool:
    """Whether an error is trouble on our side."""
    if isinstance(error, socket.gaierror):
        # A denial is the name server's; all else is no answer.
        return error.errno not in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
    return isinstance(error, OSError) and error.errno in OURS


def length_of(headers: Message) -> int | None:
    """The Content-Length, as the gate's core reads it: digits, or several of the same value. None if there is none.

    Raises ``ValueError`` if it is anything else.
    """
    said = [one.strip(" \t") for line in headers.get_all("Content-Length", ()) for one in line.split(",")]
    if not all(one.isascii() and one.isdigit() for one in said) or len({int(one) for one in said}) > 1:
        raise ValueError("the Content-Length is no number, or is two")
    return int(said[0]) if said else None


class _Lines(io.BufferedReader):
    """A line must have its end. Python's client takes a head that broke off for a whole one."""

    first = b""
    """The first line that was read since this was empty."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.first = self.first or line
        if not line.endswith(b"\n") and not 0 <= (-1 if size is None else size) <= len(line):
            raise ConnectionError("the response broke off")
        return line


#: What Python's client reads with ``int``, which takes signs, ``1_3`` and blanks, too.
_STATUS = re.compile(rb"HTTP/1\.[01] [1-9][0-9][0-9](?: [^\0]*)?\r?\n")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")


class _Answer(http.client.HTTPResponse):
    """Heads and chunks as the gate's own driver reads them. The core judges the lengths: they need not be right here."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fp = _Lines(self.fp.detach())

    def begin(self) -> None:
        super().begin()
        if self.headers.defects or any(set("\0\r\n") & set(value) for value in self.headers.values()):
            raise http.client.HTTPException("a header line cannot be read")
        if self.version < 11 and "Transfer-Encoding" in self.headers:
            raise http.client.HTTPException("HTTP/1.0 has no transfer coding")
        if not self.chunked and self.length != 0:
            try:
                self.length = length_of(self.headers)
            except ValueError:
                self.length = None

    def _read_status(self) -> tuple[str, int, str]:
        self.fp.first = b""
        found = super()._read_status()  # type: ignore[misc]
        if not _STATUS.fullmatch(self.fp.first):
            raise http.client.BadStatusLine(repr(self.fp.first[:100]))
        return found

    def _read_next_chunk_size(self) -> int:
        line = self.fp.readline(MAX_SIZE_LINE + 3)
        size = _SIZE.fullmatch(line)
        if size is None:
            self._close_conn()  # type: ignore[attr-defined]
            raise ValueError("a chunk has no size")
        return int(size[1], 16)


class Client:
    """Makes requests in the name of an agent."""

    def __init__(self, agent: str, admits: Callable[[str], bool]) -> None:
        self._agent = agent
        self._admits = admits
        self._tls = ssl.create_default_context()

    def __call__(self, url: str, headers: Mapping[str, str]) -> Response:
        """One request: to the host's addresses in turn, until one answers with a status below 500."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(it[4][0]) for it in found))
        admitted = [address for address in addresses if self._admits(address)][:MAX_ADDRESSES]
        if not admitted:
            raise Refused(f"refused: not a public address: {addresses[0]}")
        end = time.monotonic() + BUDGET
        last: Response | Exception = Refused("no address")
        for address in admitted:
            try:
                last = self._request(url, headers, (host, port, address), end)
            except (OSError, http.client.HTTPException) as error:
                # What the site's other addresses said counts more than that this one has no route.
                if isinstance(last, Refused) or not not_asked(error):
                    last = error
                continue
            if last.status < 500:
                break
        if isinstance(last, Exception):
            raise last
        return last

    def _request(self, url: str, headers: Mapping[str, str], to: tuple[str, int, str], end: float) -> Response:
        parts, (host, port, address) = urlsplit(url), to
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for all requests is over")
        connected = socket.create_connection((address, port), timeout=min(CONNECT, left))
        timer = threading.Timer(max(0.0, end - time.monotonic()), _shut, [connected])
        timer.daemon = True
        timer.start()
        try:
            if parts.scheme == "https":
                connected = self._tls.wrap_socket(connected, server_hostname=host, suppress_ragged_eofs=False)
                timer.args = [connected]
            connected.settimeout(SILENCE)
            connection = http.client.HTTPConnection(host, port)
            connection.response_class = _Answer
            connection.sock = connected
            path = parts.path + ("?" + parts.query if parts.query else "")
            own = {"Host": parts.netloc, "User-Agent": self._agent, "Accept-Encoding": "gzip", "Connection": "close"}
            connection.request("GET", path, headers={**own, **headers})
            response = connection.getresponse()
            body, broken_off = _body(response, end)
            return Response(response.status, response.getheaders(), body, address, broken_off=broken_off)
        finally:
            timer.cancel()
            connected.close()


def _shut(connected: socket.socket) -> None:
    """Ends a connection whose time is over."""
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _body(response: http.client.HTTPResponse, end: float) -> tuple[bytes, bool]:
    """The body, and whether it broke off."""
    body = bytearray()
    while len(body) <= MAX_BODY:
        if time.monotonic() > end:
            return bytes(body), True
        try:
            read = response.read1(65_536)
        except http.client.IncompleteRead as error:
            return bytes(body + error.partial), True
        except (OSError, http.client.HTTPException):
            return bytes(body), True
        if not read:
            return bytes(body), bool(response.length) or time.monotonic() >= end
        body += read
    return bytes(body), False
