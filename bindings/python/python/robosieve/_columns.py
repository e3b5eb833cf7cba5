"""Columns of Arrow as lists of bytes.

Invariant: what is not valid in a column, as offsets that lead outside of its data, is a ``ValueError`` before it is read.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ParseOptions", "ReadOptions", "column_of", "pa", "read_json", "values_of"]

try:
    import pyarrow as pa
    from pyarrow.json import ParseOptions, ReadOptions, read_json
except ImportError as error:
    raise ImportError("robosieve.arrow needs pyarrow: pip install pyarrow") from error


def column_of(array: Any) -> pa.Array | pa.ChunkedArray:
    """An array of binary."""
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        has_stream = hasattr(array, "__arrow_c_stream__")
        array = pa.chunked_array(array) if has_stream else pa.array(array)
        if isinstance(array, pa.ChunkedArray) and array.num_chunks == 1:
            array = array.chunk(0)
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    kind = array.type
    if pa.types.is_string_view(kind):
        array = array.cast(pa.large_string())
    elif pa.types.is_null(kind):
        return array.cast(pa.large_binary())
    elif kind not in (pa.binary(), pa.string(), pa.large_binary(), pa.large_string()):
        if not pa.types.is_binary_view(kind) and not pa.types.is_fixed_size_binary(kind):
            raise TypeError(f"a column must be of binary or string, not {kind}")
    return array.cast(pa.large_binary())


def values_of(array: pa.Array | pa.ChunkedArray) -> list[bytes | None]:
    """The values of an array of binary."""
    array.validate(full=True)
    return array.to_pylist()
