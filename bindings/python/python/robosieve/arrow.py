"""Columns: filters and tests the rows of an Arrow array, without a Python object for each row.

It needs ``pyarrow``. It takes everything that has the Arrow interface: arrays of pyarrow, series of Polars, and the columns of
other libraries. It releases the interpreter, so threads can share the work.

>>> import pyarrow as pa
>>> from robosieve.arrow import sieve, verdicts
>>> bodies = pa.array([b"User-agent: *\\nDisallow: /x # no", None])
>>> sieve(bodies, "MyBot").field("text").to_pylist()
['User-agent: *\\nDisallow: /x\\n', None]
>>> verdicts(bodies, pa.array(["/x/1", "/"]), "MyBot").to_pylist()[0]["allowed"]
False
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._agents import listed
from ._columns import array_of, buffers_of, column_of, pa, whole
from ._core import _sieve_column, _verdict_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._values import Options

__all__ = ["SIEVED", "VERDICT", "sieve", "verdicts"]

_ROWS = 4_096
"""Rows that are handled at once: this bounds the memory for copies."""

SIEVED = pa.struct(
    {
        "text": pa.string(),
        "exact": pa.bool_(),
        "input": pa.string(),
        "answered_by": pa.string(),
        "suspects": pa.int32(),
        "more_permissive": pa.int32(),
        "more_restrictive": pa.int32(),
        "either": pa.int32(),
        "error": pa.string(),
    }
)
"""The type of ``sieve``: the fields of ``Sieved`` and its ``Report``. ``error`` is the reason of a refused file."""

VERDICT = pa.struct(
    {"allowed": pa.bool_(), "line": pa.int32(), "rule": pa.string(), "reason": pa.string(), "error": pa.string()}
)
"""The type of ``verdicts``: the fields of ``Verdict``. ``error`` is the reason of a refused file."""

Agents = str | bytes | Sequence[str | bytes] | Iterator[str | bytes]


def sieve(array: Any, agents: Agents | None, **options: Unpack[Options]) -> Any:
    """Filters each row, as ``robosieve.sieve`` does. A null stays a null.

    A file that is packed is unpacked, as by ``robosieve.unpack``. One that cannot be has an ``error``.

    Args:
        array: Files: an Arrow array of binary or string, or anything with the Arrow interface.
        agents: As for ``robosieve.sieve``: the same for all rows. None keeps all groups.
        **options: See ``robosieve.Options``. With ``over_limit="refuse"``, a file over a limit has an ``error``.

    Returns:
        A ``pyarrow.StructArray`` of the type ``SIEVED``; a ``ChunkedArray`` of them for a chunked array.

    Raises:
        TypeError: If the array is neither of binary nor of string, or as ``robosieve.sieve``.
        ValueError: If the texts have more than 2 GiB, or as ``robosieve.sieve``.
    """
    if _is_column(agents):
        raise TypeError("agents must be the same for all rows: a column of agents is for `verdicts`")
    agents = listed(agents)

    def run(part: pa.Array) -> pa.StructArray:
        return array_of(SIEVED, _sieve_column(buffers_of(part), len(part), agents, **options))

    return _each(SIEVED, run, column_of(array))


def verdicts(bodies: Any, urls: Any, agents: Agents | Any, **options: Unpack[Options]) -> Any:
    """Tests the URL of each row by the file of that row, as ``robosieve.Robots`` does. Rows with a null are null.

    A file is parsed once for rows that follow one another: sort by file if each has many URLs.

    Args:
        bodies: Files, as for ``sieve``; or one file for all rows: ``str``, ``bytes``, or a scalar.
        urls: As many URLs: binary or string; or one URL for all rows.
        agents: As for ``robosieve.sieve``, for all rows; or a column with one agent for each row. A row whose agent is none,
            such as an empty one, has an ``error``.
        **options: See ``robosieve.Options``.

    Returns:
        A ``pyarrow.StructArray`` of the type ``VERDICT``; a ``ChunkedArray`` of them if the files are chunked.

    Raises:
        TypeError, ValueError: As ``sieve``; also if there are more or fewer URLs, or agents, than files.
    """
    by = column_of(agents) if _is_column(agents) else None
    agents = None if by is not None else listed(agents)
    columns = [_column_or_one(bodies), _column_or_one(urls), by]
    if len({len(column) for column in columns if isinstance(column, pa.Array | pa.ChunkedArray)}) > 1:
        counts = (0 if column is None else len(column) for column in columns)
        words = "there are {} files, {} URLs and {} agents" if by is not None else "there are {} files and {} URLs"
        raise ValueError(f"{words.format(*counts)}: give one URL for each file")
    # The result has the chunks of the first column.
    full = [column for column in columns if isinstance(column, pa.Array | pa.ChunkedArray)]
    first = full[0] if full else columns[0].array
    parts = [whole(column) if isinstance(column, pa.ChunkedArray) else column for column in columns]

    def run(part: pa.Array, at: int) -> pa.StructArray:
        files, asked, names = (_part(column, at, len(part)) for column in parts)
        return array_of(VERDICT, _verdict_column(files, asked, len(part), agents, names, **options))

    return _each(VERDICT, run, first, has_place=True)


class _One:
    """One value for all rows."""

    def __init__(self, value: Any) -> None:
        value = value.as_py() if isinstance(value, pa.Scalar) else value
        kind = pa.large_string() if isinstance(value, str) else pa.large_binary()
        self.array = pa.array([value if value is None or isinstance(value, str) else bytes(value)], kind)

    def __len__(self) -> int:
        return 1


def _column_or_one(value: Any) -> Any:
    return _One(value) if isinstance(value, str | bytes | bytearray | memoryview | pa.Scalar) else column_of(value)


def _is_column(value: Any) -> bool:
    """Whether this is a column: not a list, which is names."""
    interfaces = ("__arrow_c_array__", "__arrow_c_stream__", "__array__")
    return any(hasattr(value, name) for name in interfaces) and not isinstance(value, str | bytes)


def _part(column: Any, at: int, rows: int) -> Any:
    """The buffers of some rows."""
    if column is None:
        return None
    return buffers_of(column.array if isinstance(column, _One) else column.slice(at, rows))


def _each(kind: pa.DataType, run: Any, array: pa.Array | pa.ChunkedArray, has_place: bool = False) -> Any:
    """Runs over pieces of a bounded number of rows."""

    def pieces(chunk: pa.Array, start: int) -> Iterator[pa.StructArray]:
        for at in range(0, max(len(chunk), 1), _ROWS):
            part = chunk.slice(at, _ROWS)
            yield run(part, start + at) if has_place else run(part)

    if isinstance(array, pa.ChunkedArray):
        starts = [0]
        for chunk in array.chunks:
            starts.append(starts[-1] + len(chunk))
        done = [pa.concat_arrays(pieces(chunk, start)) for chunk, start in zip(array.chunks, starts, strict=False)]
        return pa.chunked_array(done, type=kind)
    return pa.concat_arrays(pieces(array, 0))
