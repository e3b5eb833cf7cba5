"""Python's own HTTP client for one request for a robots.txt.

Invariant: it connects only to addresses that the gate admits, follows no redirect, and ends in time and after a bounded
number of bytes. What came is given as it came, for the gate to read; a head that has no end is none.
"""

from __future__ import annotations

import asyncio
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
from typing import Union
from urllib.parse import urlsplit

Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]

#: Seconds: for a connection, for silence, and for everything.
CONNECT, SILENCE, BUDGET = 10.0, 20.0, 60.0

#: The most bytes of a body that are read: those that the gate reads, and as much more as a coded body may have.
MAX_BODY = 512_000 + 65_536

#: The most bytes of a response, after TLS: interim responses, head, sizes of chunks and trailers, too.
MAX_WIRE = 6 * 512_000 + 262_144

#: The most bytes of a head's lines, and the most lines. As the gate's own driver.
MAX_HEAD, MAX_LINES = 65_536, 128

#: The most bytes of what follows the last chunk.
MAX_TRAILERS = 16_384

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


def is_of_network(error: Exception) -> bool:
    """Whether an error comes from the network, and not from a bug in a client."""
    names = ((of.__module__.partition(".")[0], of.__name__) for of in type(error).__mro__)
    return isinstance(error, _NETWORK) or not CLIENTS.isdisjoint(names)


def length_of(lines: Iterable[str]) -> int | None:
    """The Content-Length, as the gate's core reads it: digits, or several of the same value. None if there is none.

    Raises ``ValueError`` if it is anything else.
    """
    said = [one.strip(" \t") for line in lines for one in line.split(",")]
    if not all(one.isascii() and one.isdigit() for one in said) or len({int(one) for one in said}) > 1:
        raise ValueError("the Content-Length is no number, or is two")
    return int(said[0]) if said else None


_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9][0-9])(?: [\t\x20-\x7e\x80-\xff]*)?\r?\n")
_HEADER = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)\r?\n")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]*)?\r\n")


class _Answer:
    """A response, read as the gate's own driver reads it: a line has its end, and nothing is without a bound."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._left = MAX_WIRE
        self.body = bytearray()
        minor, self.status = self._head()
        # An interim response is none, but 101 ends the protocol.
        while 100 <= self.status < 200 and self.status != 101:
            minor, self.status = self._head()
        if minor == 0 and self._values("transfer-encoding"):
            raise http.client.HTTPException("HTTP/1.0 has no transfer coding")

    def _line(self, most: int) -> bytes:
        line = self._file.readline(min(most, self._left) + 1)
        self._left -= len(line)
        if self._left < 0 or len(line) > most:
            raise http.client.HTTPException("the response takes too many bytes")
        if not line.endswith(b"\n"):
            raise ConnectionError("the response broke off")
        return line

    def _head(self) -> tuple[int, int]:
        """Reads a head, and returns the minor version and the status."""
        line, left = self._line(MAX_HEAD), MAX_HEAD
        status = _STATUS.fullmatch(line)
        if status is None:
            raise http.client.BadStatusLine(repr(line[:100]))
        self.headers: list[tuple[str, str]] = []
        while (line := self._line(MAX_HEAD)) not in (b"\r\n", b"\n"):
            header = _HEADER.fullmatch(line)
            left -= len(line)
            if header is None or len(self.headers) == MAX_LINES or left < 0:
                raise http.client.HTTPException("a header line cannot be read, or is one too many")
            self.headers.append((header[1].decode(), header[2].decode("latin-1").strip(" \t")))
        return int(status[1]), int(status[2])

    def _values(self, name: str) -> list[str]:
        """The parts of all lines of a header."""
        return [part.strip(" \t") for line, value in self.headers if line.lower() == name for part in value.split(",")]

    def read(self) -> None:
        """Reads the body, or as much of it as the gate reads. Raises an error if it breaks off."""
        codings = [name.lower() for name in self._values("transfer-encoding") if name.lower() not in ("", "identity")]
        if codings == ["chunked"]:
            while (size := self._size()) and len(self.body) <= MAX_BODY:
                self._take(size)
                if len(self.body) <= MAX_BODY and self._line(2) != b"\r\n":
                    raise ValueError("a chunk has no end")
            left = MAX_TRAILERS
            while not size and (line := self._line(left)) not in (b"\r\n", b"\n"):
                left -= len(line)
        elif not codings:
            self._take(length_of(value for name, value in self.headers if name.lower() == "content-length"))

    def _size(self) -> int:
        size = _SIZE.fullmatch(self._line(MAX_SIZE_LINE + 2))
        if size is None:
            raise ValueError("a chunk has no size")
        return int(size[1], 16)

    def _take(self, size: int | None) -> None:
        """Reads so many bytes, or those until the end."""
        while size != 0 and len(self.body) <= MAX_BODY:
            read = self._file.read1(min(65_536, size or 65_536))
            self._left -= len(read)
            self.body += read
            if self._left < 0:
                raise http.client.HTTPException("the response takes too many bytes")
            if not read:
                if size is not None:
                    raise ConnectionError("the response broke off")
                return
            size = None if size is None else size - len(read)


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
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as error:
            raise socket.gaierror(socket.EAI_NONAME, str(error)) from error
        addresses = list(dict.fromkeys(str(it[4][0]) for it in found))
        admitted = [address for address in addresses if self._admits(address)][:MAX_ADDRESSES]
        if not admitted:
            # The gate refuses the address, and says why.
            return Response(0, {}, b"", addresses[0])
        end = time.monotonic() + BUDGET
        last: Response | Exception | None = None
        for address in admitted:
            try:
                last = self._request(url, headers, (host, port, address), end)
            except (OSError, http.client.HTTPException) as error:
                # What the site's other addresses said counts more than that this one has no route.
                if last is None or not not_asked(error):
                    last = error
                continue
            if last.status < 500:
                break
        if not isinstance(last, Response):
            raise last or OSError("no address")
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
            connection.sock = connected
            path = parts.path + ("?" + parts.query if parts.query else "")
            own = {"Host": parts.netloc, "User-Agent": self._agent, "Accept-Encoding": "gzip", "Connection": "close"}
            connection.request("GET", path, headers={**own, **headers})
            # The file holds the connection, too.
            with connected.makefile("rb") as file:
                answer, broken_off = _Answer(file), False
                if 200 <= answer.status < 300:
                    try:
                        answer.read()
                    except (OSError, ValueError, http.client.HTTPException):
                        broken_off = True
            # A connection that was shut has an end, too.
            broken_off = broken_off or time.monotonic() >= end
            return Response(answer.status, answer.headers, bytes(answer.body), address, broken_off=broken_off)
        finally:
            timer.cancel()
            connected.close()


def _shut(connected: socket.socket) -> None:
    """Ends a connection whose time is over."""
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
