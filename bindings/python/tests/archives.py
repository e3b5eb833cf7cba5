"""Archives for tests, and the lines of `robosieve batch` from rows."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from conftest import ROOT

OPTIONAL = ("error", "location", "truncated")
"""Fields that a record leaves out."""
POLICY = ("answered_by", "agent", "exact", "report", "sitemaps", "crawl_delay", "hash", "text")
"""Fields that only a record with a text has."""


def record(number: int, body: bytes, kind: bytes = b"response", status: int = 200) -> bytes:
    """A record of an archive."""
    block = b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body
    head = (b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: %d\r\n"
            b"WARC-Target-URI: https://site%d.example/robots.txt\r\n\r\n")
    return head % (kind, len(block), number) + block + b"\r\n\r\n"


def packed(records: Iterable[bytes]) -> bytes:
    """An archive with a gzip member for each record."""
    return b"".join(gzip.compress(one, 6, mtime=0) for one in records)


def write_all(folder: Path) -> list[Path]:
    """Archives of all shapes: those that warcio writes, and broken ones."""
    maker = ROOT / "crates/cli/tests/warcio/archives.py"
    subprocess.run([sys.executable, maker, folder], check=True, stdout=subprocess.DEVNULL)
    for name in ("expected.json", "all.warc.zst", "packed.warc.zst", "whole.warc.gz"):
        (folder / name).unlink()
    whole = (folder / "all.warc.gz").read_bytes()
    body = b"User-agent: *\nDisallow: /x # no\nSitemap: /map\nCrawl-delay: 2.5\n"
    some = [record(number, body + b"Disallow: /%d\n" % (number % 3)) for number in range(9)]
    broken = packed(some)
    held = bytearray(broken)
    held[len(held) // 2] ^= 0xFF
    other = {
        "cut.warc.gz": whole[: len(whole) // 2],
        "damaged.warc.gz": bytes(held),
        "empty.warc": b"",
        "lines.warc": some[0] + b"this is no record\r\n\r\n" + some[1],
        "lying.warc": some[0].replace(b"Content-Length: 1", b"Content-Length: 9", 1) + some[1],
        "no-archive.warc": b"User-agent: *\nDisallow: /\n" * 9,
        "no-http.warc": record(1, body).replace(b"HTTP/1.1 200 OK", b"ABCD 12345 67 8"),
        "requests.warc": record(1, body, b"request") + some[0] + record(2, body, b"metadata"),
        "statuses.warc": b"".join(record(status, body, status=status) for status in range(100, 600)),
        "odd \xe9\n.warc": some[0].replace(b"site0", "säte\u200b".encode()[:5]),
    }
    for name, content in other.items():
        (folder / name).write_bytes(content)
    archives = sorted(folder.iterdir())
    assert len(archives) > 10
    return archives


def batch(command: str, archives: Iterable[Path], *options: str) -> list[bytes]:
    """The lines of the command."""
    who = [] if "--all-agents" in options else ["--agent", "MyBot"]
    run = [command, "batch", *who, "-q", *options, *archives]
    done = subprocess.run(run, capture_output=True)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout.splitlines()


def _plain(value: object) -> object:
    """Structs and lists without what is null, as reports are in JSON."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def lines_of(rows: Iterable[dict]) -> Iterator[bytes]:
    """Each row as the line that the command writes."""
    for row in rows:
        has_text = row["text"] is not None
        line = {}
        for name, value in row.items():
            if name in OPTIONAL and value is None or name in POLICY and not has_text:
                continue
            line[name] = _plain(value)
            if name == "report":
                line[name]["counts"] = {one["kind"]: one["count"] for one in value["counts"]}
        yield json.dumps(line, separators=(",", ":")).encode()
