"""Columns: filters and tests the rows of an Arrow array.

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

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._agents import Agents, listed
from ._columns import column_of, pa, values_of
from ._core import _sieve_column, _verdict_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._values import Options

__all__ = ["SIEVED", "VERDICT", "sieve", "verdicts"]

_ROWS = 1_024
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
        ValueError: If the array is not valid, if the texts have more than 2 GiB, or as ``robosieve.sieve``.
    """
    if _is_column(agents):
        raise TypeError("agents must be the same for all rows: a column of agents is for `verdicts`")
    agents = listed(agents)

    return _each(SIEVED, lambda part, at: _sieve_column(values_of(part), agents, **options), column_of(array))


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

    def run(part: pa.Array, at: int) -> list[Any]:
        files, asked, names = (_part(column, at, len(part)) for column in columns)
        return _verdict_column(files, asked, len(part), agents, names, **options)

    return _each(VERDICT, run, full[0] if full else pa.array(columns[0], pa.large_binary()))


def _column_or_one(value: Any) -> Any:
    """A column; or a list of one value, which is for all rows."""
    if not isinstance(value, str | bytes | bytearray | memoryview | pa.Scalar):
        return column_of(value)
    value = value.as_py() if isinstance(value, pa.Scalar) else value
    value = value.encode() if isinstance(value, str) else value
    return [None if value is None else bytes(value)]


def _is_column(value: Any) -> bool:
    """Whether this is a column: not a list, which is names."""
    interfaces = ("__arrow_c_array__", "__arrow_c_stream__", "__array__")
    return any(hasattr(value, name) for name in interfaces) and not isinstance(value, str | bytes)


def _part(column: Any, at: int, rows: int) -> list[bytes | None] | None:
    """The values of some rows."""
    return column if column is None or isinstance(column, list) else values_of(column.slice(at, rows))


def _struct_of(kind: pa.DataType, rows: list[Any]) -> pa.StructArray:
    """An array of rows, each of which has fields or an error. Of a null, each field is null."""
    nothing = (None,) * (kind.num_fields - 1)
    flat = [(*(fields or nothing), error) for fields, error in (row or (None, None) for row in rows)]
    columns = list(zip(*flat, strict=True)) or [()] * kind.num_fields
    arrays = [pa.array(column, field.type) for column, field in zip(columns, kind, strict=True)]
    return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=pa.array([row is None for row in rows], pa.bool_()))


def _each(kind: pa.DataType, run: Callable[[pa.Array, int], list[Any]], array: pa.Array | pa.ChunkedArray) -> Any:
    """Runs over pieces of a bounded number of rows."""
    at = 0

    def pieces(chunk: pa.Array) -> Iterator[pa.StructArray]:
        nonlocal at
        for start in range(0, max(len(chunk), 1), _ROWS):
            part = chunk.slice(start, _ROWS)
            yield _struct_of(kind, run(part, at))
            at += len(part)

    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([pa.concat_arrays(pieces(chunk)) for chunk in array.chunks], type=kind)
    return pa.concat_arrays(pieces(array))
