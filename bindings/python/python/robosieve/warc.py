"""Archives: reads the robots.txt files of a WARC archive into columns, one record at a time.

It needs ``pyarrow``. The records are those of ``robosieve batch``: each has a canonical text, or says why it has none.
Memory is bounded for any content of the archive.

>>> import io
>>> from robosieve.warc import read
>>> page = b"HTTP/1.1 200 OK\\r\\n\\r\\nUser-agent: *\\nDisallow: /x # no\\n"
>>> head = b"WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: https://e.com/robots.txt\\r\\nContent-Length: %d\\r\\n\\r\\n"
>>> archive = io.BytesIO(head % len(page) + page + b"\\r\\n\\r\\n")
>>> [batch] = read(archive, "MyBot")
>>> [(row["url"], row["outcome"], row["text"]) for row in batch.to_pylist()]
[('https://e.com/robots.txt', 'rules', 'User-agent: *\\nDisallow: /x\\n')]
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._agents import Agents, listed
from ._columns import ParseOptions, ReadOptions, pa, read_json
from ._core import _Archive

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._values import Options

__all__ = ["RECORD", "Archive", "read"]

_INPUT = pa.struct({"kind": pa.string(), "format": pa.string()})
_FINDING = pa.struct({"line": pa.int64(), "kind": pa.string(), "effect": pa.string()})
_LOSSES = pa.struct({"more_permissive": pa.int64(), "more_restrictive": pa.int64(), "either": pa.int64()})

RECORD = pa.schema(
    {
        "v": pa.int32(),
        "id": pa.string(),
        "source": pa.string(),
        "record": pa.int64(),
        "url": pa.string(),
        "time": pa.string(),
        "status": pa.int32(),
        "outcome": pa.string(),
        "error": pa.struct({"kind": pa.string(), "message": pa.string()}),
        "location": pa.string(),
        "truncated": pa.string(),
        "bytes": pa.int64(),
        "input": _INPUT,
        "suspects": pa.int64(),
        "answered_by": pa.string(),
        "agent": pa.string(),
        "exact": pa.bool_(),
        "report": pa.struct(
            {
                "input": _INPUT,
                "exact": pa.bool_(),
                "losses": _LOSSES,
                "suspects": pa.int64(),
                "counts": pa.list_(pa.struct({"kind": pa.string(), "count": pa.int64()})),
                "findings": pa.list_(_FINDING),
            }
        ),
        "sitemaps": pa.list_(pa.string()),
        "crawl_delay": pa.float64(),
        "hash": pa.string(),
        "text": pa.string(),
    }
)
"""The fields of a record: those of ``robosieve batch``, in its order. A field that a record does not have is null. The
counts of a report are a list."""

_PARSING = ParseOptions(explicit_schema=RECORD, unexpected_field_behavior="error")


class Archive(Iterator[Any]):
    """The records of an archive: an iterator of ``pyarrow.RecordBatch`` of about a megabyte, with the schema ``RECORD``.

    A corrupt record is a row with an ``error``, and the next record follows.

    Args:
        source: A path, bytes, or an open file in binary mode: any object whose ``read(n)`` returns at most about ``n``
            bytes, and none at its end.
        agents: As for ``robosieve.sieve``. None keeps all groups.
        name: The ``source`` of the records; the path if it is not given.
        all_urls: Read all responses, not only those of ``/robots.txt``.
        errors: What happens if the storage fails: ``raise`` its error, or end with a ``record``, as the command does.
        **options: See ``robosieve.Options``. ``max_findings`` is 0, and at most 16 MiB of a file are read.

    Raises:
        OSError: If the archive cannot be opened or read, as by ``open``. Any error of ``read`` is raised as it is.
        TypeError, ValueError: As ``robosieve.sieve``.
    """

    def __init__(
        self,
        source: Any,
        agents: Agents | None,
        *,
        name: str | bytes | None = None,
        all_urls: bool = False,
        errors: str = "raise",
        **options: Unpack[Options],
    ) -> None:
        if errors not in ("raise", "record"):
            raise ValueError(f"errors must be 'raise' or 'record', not {errors!r}")
        if name is None:
            name = os.fsencode(source) if isinstance(source, str | os.PathLike) else b"-"
        self._core = _Archive(source, name, listed(agents), all_urls=all_urls, raises=errors == "raise", **options)

    def __next__(self) -> Any:
        lines = next(self._core)
        reading = ReadOptions(use_threads=False, block_size=len(lines))
        return read_json(pa.BufferReader(lines), reading, _PARSING).combine_chunks().to_batches()[0]

    @property
    def skipped(self) -> dict[str, int]:
        """The numbers of what gave no record so far: ``other-url``, or the type of an archive's record."""
        return self._core.skipped


def read(source: Any, agents: Agents | None, **options: Any) -> Archive:
    """Reads an archive; see ``Archive``."""
    return Archive(source, agents, **options)
