"""Columns."""

from __future__ import annotations

import gzip

import pandas
import polars as pl
import pyarrow as pa
import pytest
import robosieve
from robosieve.arrow import SIEVED, VERDICT, sieve, verdicts


def row_of(body: bytes | None, **options) -> dict | None:
    """What the function for one file returns."""
    if body is None:
        return None
    sieved = robosieve.sieve(robosieve.unpack(body), "MyBot", **options)
    names = ("suspects", "more_permissive", "more_restrictive", "either")
    row = {"text": sieved.text, "exact": sieved.exact, "input": sieved.report.input, "answered_by": sieved.answered_by}
    return {**row, **{name: getattr(sieved.report, name) for name in names}, "error": None}


def test_a_row_is_the_result_of_its_file(corpus):
    bodies = [None, b"", *(path.read_bytes() for path in corpus), None]
    whole = sieve(pa.array(bodies, pa.binary()), "MyBot")
    whole.validate(full=True)
    assert whole.type == SIEVED and whole.to_pylist() == [row_of(body) for body in bodies]
    assert sieve(pa.array(bodies, pa.binary()), None).field("answered_by").to_pylist()[1] == "all"
    google = sieve(pa.array(bodies, pa.binary()), iter(["MyBot"]), dialect="google", form="portable")
    assert google.to_pylist() == [row_of(body, dialect="google", form="portable") for body in bodies]


@pytest.mark.parametrize("kind", [pa.binary(), pa.string(), pa.large_binary(), pa.large_string(), pa.binary_view(), pa.string_view()], ids=str)
def test_every_kind_of_column_is_read(kind):
    texts = [f"User-agent: *\nDisallow: /{n}\n" if n % 3 else None for n in range(30)] + ["", "User-agent: *\nDisallow: /" + "x" * 99]
    array = pa.array(texts, pa.string()).cast(kind)
    expected = [row_of(text and text.encode()) if text != "" else row_of(b"") for text in texts]
    assert sieve(array, "MyBot").to_pylist() == expected
    for start in range(len(texts) + 1):
        for length in (0, 1, 7, 40):
            assert sieve(array.slice(start, length), "MyBot").to_pylist() == expected[start : start + length]
    chunked = pa.chunked_array([array.slice(0, 5), array.slice(5, 0), array.slice(5)])
    assert sieve(chunked, "MyBot").to_pylist() == expected and sieve(chunked, "MyBot").num_chunks in (2, 3)
    urls = pa.array([f"/{n}/a" for n in range(len(texts))])
    answers = verdicts(array, urls, "MyBot")
    answers.validate(full=True)
    assert answers.type == VERDICT and verdicts(chunked, urls, "MyBot").to_pylist() == answers.to_pylist()
    assert verdicts(array.slice(3, 9), urls.slice(3, 9), "MyBot").to_pylist() == answers.to_pylist()[3:12]


def test_other_columns_are_read_or_refused():
    body = b"User-agent: *\nDisallow: /x\n"
    for array in (pa.array([body, body]).dictionary_encode(), pa.array([body, body], pa.binary(len(body))),
                  pl.Series([body, body]), pl.Series([body.decode()] * 2)):
        assert sieve(array, "MyBot").to_pylist() == [row_of(body)] * 2
    assert sieve(pa.nulls(2), "MyBot").to_pylist() == [None, None]
    for array in (pa.array([]), pa.chunked_array([], pa.binary()), pa.array([], pa.string())):
        assert sieve(array, "MyBot").to_pylist() == [] == verdicts(array, array, "MyBot").to_pylist()
    for wrong in (pa.array([1]), pa.array([["a"]]), 3, [b"a", 1]):
        with pytest.raises((TypeError, ValueError)):
            sieve(wrong, "MyBot")
    with pytest.raises(ValueError, match="one URL for each file"):
        verdicts(pa.array([body]), pa.array(["/", "/"]), "MyBot")
    with pytest.raises(ValueError):
        sieve(pa.array([body]), "")
    # Offsets that lead outside of the data.
    offsets = pa.py_buffer((0).to_bytes(4, "little") + (99).to_bytes(4, "little"))
    for broken in ([None, offsets, pa.py_buffer(b"abc")], [None, pa.py_buffer(bytes(4) + b"\xff" * 4), pa.py_buffer(b"abc")]):
        with pytest.raises(ValueError):
            sieve(pa.Array.from_buffers(pa.binary(), 1, broken), "MyBot")


def test_a_verdict_is_that_of_its_file(corpus):
    bodies = [path.read_bytes() for path in corpus for _ in range(3)]
    urls = ["/", "/x/y.html", "https://example.com/a?b"] * len(corpus)
    found = verdicts(pa.array([*bodies, None, b""]), pa.array([*urls, "/", None]), ["Other", "MyBot"]).to_pylist()
    for body, url, row in zip(bodies, urls, found, strict=False):
        verdict = robosieve.Robots.parse(robosieve.unpack(body)).test(url, ["Other", "MyBot"])
        expected = {name: getattr(verdict, name) for name in ("allowed", "line", "rule", "reason")}
        assert row == {**expected, "error": None}, (body[:60], url)
    assert found[-2:] == [None, None]


def test_a_refused_file_is_a_row():
    bodies = pa.array([b"User-agent: *\nDisallow: /" + b"x" * 50, b""])
    options = {"over_limit": "refuse", "limits": {"max_value_length": 10}}
    for rows in (sieve(bodies, "MyBot", **options), verdicts(bodies, pa.array(["/", "/"]), "MyBot", **options)):
        first, second = rows.to_pylist()
        assert first["error"].startswith("refused: line 2") and second["error"] is None
        assert {value for name, value in first.items() if name != "error"} == {None}


def test_a_packed_row_is_unpacked_or_an_error():
    packed = gzip.compress(b"User-agent: *\nDisallow: /x\n" * 9)
    bodies = pa.array([packed, packed[:14], packed + b"x"])
    words = [None, None, "cannot be unpacked from gzip: no gzip member begins where one should"]
    rows, answers = sieve(bodies, "MyBot").to_pylist(), verdicts(bodies, "/y", "MyBot").to_pylist()
    assert [row["error"] for row in rows] == [row["error"] for row in answers] == words
    assert [row["text"] and row["text"].split()[-1] for row in rows] == ["/x", "/", None]
    assert [row["allowed"] for row in answers] == [True, False, None]


def test_agents_and_single_values():
    """One agent a row; one file or one URL for all rows."""
    a, b = b"User-agent: a\nDisallow: /", b"User-agent: b\nDisallow: /x\n"
    names = ["a", "b", None, "", "/", "c", "a"]
    for column in (pa.array(names), pl.Series(names), pa.chunked_array([names[:3], names[3:]]), pa.array(names).dictionary_encode(),
                   pandas.Series(names)):
        rows = verdicts(pa.array([a, a, a, a, a, b, b]), pa.array(["/x"] * 7), column).to_pylist()
        assert [row and row["allowed"] for row in rows] == [False, True, None, None, None, True, True]
        assert [row and row["error"] and row["error"].split(":")[0] for row in rows] == [
            None, None, None, "an agent is empty", "an agent is a URL", None, None]
        assert [row and row["allowed"] for row in verdicts(a, "/x", column).to_pylist()] == [
            False, True, None, None, None, True, False]
        with pytest.raises(TypeError, match="agents must be"):
            sieve(pa.array([a]), column)
    many = pa.array([f"/{n}" if n % 2 else f"/x{n}" for n in range(10_000)])
    for one in (b, b.decode(), bytearray(b), pa.scalar(b)):
        assert verdicts(one, many, "b").field("allowed").to_pylist() == [n % 2 == 1 for n in range(10_000)]
    chunked = pa.chunked_array([[a], [b, None]])
    assert verdicts(chunked, "/x", ["b"]).to_pylist()[2] is None and verdicts(chunked, "/x", "b").num_chunks == 2
    assert [row["allowed"] for row in verdicts(chunked.slice(0, 2), pa.scalar("/x"), iter(["b", "a"])).to_pylist()] == [False, False]
    assert verdicts(a, "/x", "a").to_pylist()[0]["allowed"] is False
    with pytest.raises(ValueError, match="2 files, 1 URLs and 3 agents"):
        verdicts(pa.array([a, b]), "/", pa.array(["a"] * 3))
