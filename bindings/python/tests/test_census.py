"""Rows of files and crawlers are those of the command, byte for byte."""

from __future__ import annotations

import base64
import gzip
import io
import json
import subprocess
from pathlib import Path

import pytest
from archives import write_all

pa = pytest.importorskip("pyarrow")

from robosieve._core import _Census  # noqa: E402
from robosieve._columns import buffers_of  # noqa: E402
from robosieve.arrow import CENSUS, _table, census  # noqa: E402

AGENTS = "*,GPTBot,Googlebot-Image,AdsBot-Google,MJ12bot,named"


def lines_of(command: str, *arguments: object) -> bytes:
    """The lines of the command."""
    told = subprocess.run([command, "census", "-q", *map(str, arguments)], capture_output=True)
    assert told.returncode in (0, 3), told.stderr
    return told.stdout


def given(corpus: list[Path]) -> tuple[list[bytes], list[str]]:
    """Files and addresses."""
    bodies = [path.read_bytes() for path in corpus]
    return bodies, [f"https://s{number}.example/robots.txt" for number in range(len(bodies))]


@pytest.mark.parametrize("rows", ["agents", "files", "normal"])
def test_a_column_has_the_rows_of_the_command(command, corpus, tmp_path, rows):
    """[arrow.census]"""
    packed = gzip.compress(b"User-agent: *\nDisallow: /x\n")
    bodies = [*given(corpus)[0], packed[:-9], packed[:14], packed + b"x", packed[:-5] + b"y" + packed[-4:], packed + bytes(9)]
    urls = [f"https://s{number}.example/robots.txt" for number in range(len(bodies))]
    lines = [{"robots_b64": base64.b64encode(body).decode(), "url": url} for body, url in zip(bodies, urls, strict=True)]
    (tmp_path / "in.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for dialect in ("standard", "google"):
        told = subprocess.run([command, "census", "-q", "--agents", AGENTS, "--rows", rows, "--dialect", dialect, "in.ndjson"],
                              capture_output=True, cwd=tmp_path).stdout
        core = _Census(AGENTS, rows, dialect=dialect)
        found = core.rows("in.ndjson", 1, len(bodies), buffers_of(pa.array(bodies)), buffers_of(pa.array(urls)))
        assert found.replace(b'"http_status":null', b"") == told.replace(b'"http_status":null', b"")
        table = census(pa.array(bodies), AGENTS, urls=pa.array(urls), rows=rows, source="in.ndjson", dialect=dialect)
        assert table.schema == CENSUS[rows]
        assert table.num_rows == told.count(b"\n") > len(bodies) - 1
        as_read = [json.loads(line) for line in told.splitlines()]
        for row, line in zip(table.to_pylist(maps_as_pydicts="strict"), as_read, strict=True):
            assert row == line


@pytest.mark.parametrize("rows", ["agents", "files", "normal"])
def test_an_archive_has_the_rows_of_the_command(command, tmp_path, rows):
    """[arrow.census]"""
    for path in write_all(tmp_path):
        told = lines_of(command, "--agents", AGENTS, "--rows", rows, "--input", "warc", path)
        core = _Census(AGENTS, rows)
        assert b"".join(core.archive(str(path), bytes(path))) == told, path
        assert _table(told, rows).num_rows == told.count(b"\n")


def test_columns_of_every_kind_are_read():
    """[arrow.census]"""
    bodies = [b"User-agent: GPTBot\nDisallow: /", None, b""] * 200
    table = census(pa.array(bodies), ["*", "GPTBot"])
    assert table.num_rows == 800
    assert table.slice(0, 4).column("status").to_pylist() == ["none", "all", "empty", "empty"]
    assert table.column("record").to_pylist()[-1] == 600
    chunked = pa.chunked_array([pa.array(bodies[:301]), pa.array([], pa.binary()), pa.array(bodies[301:])])
    assert census(chunked, "*,GPTBot") == table
    assert census(pa.array([], pa.binary())).schema == CENSUS["agents"]
    assert census(pa.array([None], pa.binary()), rows="files").num_rows == 0


def test_wrong_arguments_are_errors():
    """[arrow.census]"""
    bodies = pa.array([b""])
    for arguments, words in [
        (((bodies, "")), "names no crawler"),
        ((bodies, "known:x"), "there is no such kind"),
        ((bodies, ["nothing.json"]), "nothing.json"),
    ]:
        with pytest.raises(ValueError, match=words):
            census(*arguments)
    with pytest.raises(ValueError, match="rows must be"):
        census(bodies, rows="all")
    with pytest.raises(ValueError, match="1 files and 2 URLs"):
        census(bodies, urls=pa.array(["/", "/"]))
    with pytest.raises(TypeError, match="there is no option"):
        census(bodies, unknown=True)
    with pytest.raises(TypeError, match="binary or string"):
        census(pa.array([1]))


def test_storage_that_fails_raises_or_is_a_row():
    """[arrow.census]"""

    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise OSError("no disk")

    core = _Census("*,GPTBot", "agents")
    with pytest.raises(OSError, match="no disk"):
        list(core.archive(Broken(), "a.warc"))
    [lines] = core.archive(Broken(), "a.warc", raises=False)
    rows = [json.loads(line) for line in lines.splitlines()]
    assert [(row["outcome"], row["status"]) for row in rows] == [("failed", "unknown")] * 2
