"""Archives without Spark."""

from __future__ import annotations

import io
import threading

import pyarrow as pa
import pytest
from archives import batch, lines_of, packed, record, write_all
from robosieve.warc import RECORD, Archive, read

BODY = b"User-agent: *\nDisallow: /x # no\n"


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("archives"))


class Slowly(io.BytesIO):
    """Returns fewer bytes than it is asked for."""

    def read(self, size=-1):
        return super().read(min(size, 1009))


def rows_of(source, **options) -> list[dict]:
    return [row for part in read(source, options.pop("agents", "MyBot"), **options) for row in part.to_pylist()]


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"max_findings": 5, "form": "portable"}, ["--max-findings", "5", "--form", "portable"]),
        ({"agents": None, "dialect": "google", "limits": {"max_bytes": 512_000}}, ["--all-agents", "--dialect", "google", "--max-bytes", "512000"]),
    ],
)
def test_rows_are_the_records_of_the_command(archives, command, options, flags):
    """Byte for byte, for archives of all shapes, also broken ones."""
    archives = archives if not options else [path for path in archives if path.suffix == ".gz" or path.stat().st_size < 9_999]
    found = [line for archive in archives for line in lines_of(rows_of(archive, **options))]
    assert len(found) > 1_000 and found == batch(command, archives, *flags)


def test_every_source_gives_the_same_rows(archives):
    for archive in archives:
        whole = archive.read_bytes()
        expected = rows_of(archive, name="x")
        for source in (str(archive), whole, io.BytesIO(whole), Slowly(whole), open(archive, "rb")):
            assert rows_of(source, name="x") == expected, (archive, source)
            if hasattr(source, "close"):
                source.close()
    assert rows_of(b"")[:1] == [] and rows_of(record(1, BODY))[0]["source"] == "-"


def test_batches_are_small():
    parts = list(read(packed(record(n, BODY) for n in range(3_000)), "MyBot"))
    assert len(parts) >= 3 and all(part.schema == RECORD and part.nbytes < 2 << 20 for part in parts)
    for part in parts:
        part.validate(full=True)
    long = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(20_000))
    parts = list(read(packed(record(n, long) for n in range(20)), "MyBot"))
    assert sum(map(len, parts)) == 20 and len(parts) >= 5


def test_an_archive_is_a_stream():
    """A batch needs only what comes before it: an archive without an end gives its first ones."""

    class Endless(io.RawIOBase):
        member, taken = packed(record(n, BODY + b"#" * 9_000) for n in range(50)), 0

        def read(self, size=-1):
            self.taken += 1
            return self.member

    source = Endless()
    archive = Archive(source, "MyBot")
    assert sum(len(next(archive)) for _ in range(4)) > 1_000
    # One piece of the archive has 50 records.
    assert source.taken < 4 * 1_024 / 50 + 3


def test_what_gives_no_record_is_counted():
    other = record(3, BODY).replace(b"/robots.txt", b"/index.html")
    held = record(1, BODY, b"request") + record(2, BODY) + other + record(4, BODY, b"metadata")
    archive = Archive(held, "MyBot")
    assert [len(part) for part in archive] == [1] and archive.skipped == {"metadata": 1, "other-url": 1, "request": 1}
    assert len(rows_of(held, all_urls=True)) == 2


def test_a_failing_storage_is_an_error_or_a_record(tmp_path):
    whole = packed(record(n, BODY) for n in range(4))

    class Failing(io.BytesIO):
        def read(self, size=-1):
            if held := super().read(100):
                return held
            raise ConnectionResetError("the network is gone")

    with pytest.raises(ConnectionResetError, match="is gone"):
        list(read(Failing(whole), "MyBot"))
    rows = rows_of(Failing(whole), errors="record")
    assert rows[-1]["error"] == {"kind": "unreadable", "message": "the network is gone"} and rows[-1]["record"] is None
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.warc", "MyBot")
    [row] = rows_of(tmp_path / "none.warc", errors="record")
    assert row["error"]["kind"] == "unreadable" and "No such file" in row["error"]["message"]
    with pytest.raises(TypeError, match='mode "rb"'):
        list(read(io.StringIO("x"), "MyBot"))
    for wrong in (3, None, ["a"]):
        with pytest.raises(TypeError):
            read(wrong, "MyBot")
    with pytest.raises(ValueError, match="raise"):
        read(b"", "MyBot", errors="ignore")
    with pytest.raises(ValueError):
        read(b"", "")


def test_only_one_thread_reads_an_archive():
    came, go = threading.Event(), threading.Event()

    class Waiting(io.BytesIO):
        def read(self, size=-1):
            came.set()
            go.wait(10)
            return super().read(size)

    archive = Archive(Waiting(record(1, BODY)), "MyBot")
    found = []
    thread = threading.Thread(target=lambda: found.extend(archive))
    thread.start()
    assert came.wait(10)
    with pytest.raises(ValueError, match="already being read"):
        next(archive)
    go.set()
    thread.join()
    assert pa.Table.from_batches(found).num_rows == 1
