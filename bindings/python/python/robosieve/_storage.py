"""Opens an archive by its name, in the worker that reads it.

Invariant: an archive is read as a stream, never as a whole. What the storage says is an ``OSError``, also the early end
of a response.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

SECONDS = 60
"""How long a server may be silent."""


class _Response:
    """A response that must have all of its bytes."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response

    def read(self, size: int) -> bytes:
        try:
            held = self._response.read(size)
        except http.client.HTTPException as error:
            raise ConnectionError(f"the server ended too early: {error!r}") from error
        if not held and self._response.length:
            raise ConnectionError(f"the server ended {self._response.length} bytes too early")
        return held

    def close(self) -> None:
        self._response.close()


def _over_http(uri: str) -> _Response:
    try:
        return _Response(urllib.request.urlopen(uri, timeout=SECONDS))
    except urllib.error.HTTPError as error:
        with error:
            kind = FileNotFoundError if error.code in (404, 410) else OSError
            raise kind(f"{uri}: the server answered {error.code} {error.reason}") from error


def scheme_of(name: str) -> str:
    """The scheme of a URI; nothing for a path."""
    scheme, colon, _ = name.partition("://")
    if name.startswith("file:"):
        return "file"
    return scheme.lower() if colon and scheme.replace("+", "").isalnum() else ""


def local_path(name: str) -> str:
    """The path of a ``file:`` URI, or the path itself."""
    if scheme_of(name) != "file":
        return name
    return urllib.request.url2pathname(urllib.parse.urlsplit(name).path)


def open_archive(name: str) -> Any:
    """A path, or an object with ``read`` and ``close``.

    Raises:
        OSError: As the storage says.
        ValueError: If nothing here can read such names.
    """
    scheme = scheme_of(name)
    if scheme in ("", "file"):
        return local_path(name)
    if scheme in ("http", "https"):
        return _over_http(name)
    from pyarrow import fs

    # What Hadoop calls s3a is s3.
    uri = f"s3{name[3:]}" if scheme in ("s3a", "s3n") else name
    try:
        system, path = fs.FileSystem.from_uri(uri)
    except (ValueError, NotImplementedError) as error:
        return _by_fsspec(name, error)
    return system.open_input_stream(path, compression=None)


def _by_fsspec(name: str, why: Exception) -> Any:
    """Other schemes, if fsspec and its package for the scheme are installed."""
    try:
        import fsspec

        return fsspec.open(name, "rb").open()
    except (ImportError, ValueError) as error:
        raise ValueError(f"{name}: nothing here reads such names: {why}; install fsspec and its package for the scheme, "
                         "or let Spark open it (--through-spark)") from error
