"""Columns of Arrow, as the buffers that ``_core`` reads and writes.

Invariant: nothing is copied but the rows that are handed over, and no row becomes a Python object.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ParseOptions", "ReadOptions", "array_of", "buffers_of", "column_of", "pa", "read_json", "whole"]

try:
    import pyarrow as pa
    from pyarrow.json import ParseOptions, ReadOptions, read_json
except ImportError as error:
    raise ImportError("robosieve.arrow needs pyarrow: pip install pyarrow") from error


def column_of(array: Any) -> pa.Array | pa.ChunkedArray:
    """An array of binary or string, with offsets."""
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        has_stream = hasattr(array, "__arrow_c_stream__")
        array = pa.chunked_array(array) if has_stream else pa.array(array)
        if isinstance(array, pa.ChunkedArray) and array.num_chunks == 1:
            array = array.chunk(0)
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    kind = array.type
    if pa.types.is_null(kind):
        return array.cast(pa.binary())
    if kind in (pa.binary(), pa.string(), pa.large_binary(), pa.large_string()):
        return array
    if pa.types.is_binary_view(kind) or pa.types.is_string_view(kind) or pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary())
    raise TypeError(f"a column must be of binary or string, not {kind}")


def whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The same rows in one array."""
    if not isinstance(array, pa.ChunkedArray):
        return array
    return pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)


def buffers_of(array: pa.Array) -> tuple[bytes, bytes, bytes | None, int, bool]:
    """Offsets, data, validity, the first bit of the validity, and whether offsets are large."""
    is_large = array.type in (pa.large_binary(), pa.large_string())
    width = 8 if is_large else 4
    validity, offsets, data = array.buffers()
    if offsets is None or len(array) == 0:
        return bytes(width), b"", None, 0, is_large
    ends = offsets.slice(array.offset * width, (len(array) + 1) * width).to_pybytes()
    first, last = (int.from_bytes(ends[at : at + width], "little") for at in (0, len(ends) - width))
    held = data.slice(first, last - first).to_pybytes() if data is not None and first < last <= data.size else b""
    bit = array.offset % 8
    bits = validity and validity.slice(array.offset // 8, (bit + len(array) + 7) // 8).to_pybytes()
    return ends, held, bits, bit, is_large


def array_of(kind: pa.DataType, node: tuple[int, list[bytes | None], list[Any]]) -> Any:
    """An array of rows, buffers and children."""
    rows, buffers, children = node
    kinds = [kind.field(at).type for at in range(kind.num_fields)]
    parts = [array_of(part, child) for part, child in zip(kinds, children, strict=True)]
    held = [buffer if buffer is None else pa.py_buffer(buffer) for buffer in buffers]
    return pa.Array.from_buffers(kind, rows, held, children=parts or None)
