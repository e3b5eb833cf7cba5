#!/usr/bin/env python3
"""Writes WARC archives with warcio, an independent writer, for the tests of `robosieve batch`.

usage: archives.py FOLDER

Each record of FOLDER/all.warc, .warc.gz and .warc.zst (zst only where `zstandard` is installed) is made from a file of the
corpus, in one of the shapes that archives have: plain, chunked, gzip, deflate, brotli (where `brotli` is installed); a
redirect, a status of each kind, a revisit, a request, a resource, a truncated record. FOLDER/expected.json says what each
response and resource holds, in order: URL, status, outcome, and the bytes of the file in base64, where rules are expected.
"""

import base64
import gzip
import io
import json
import subprocess
import sys
import zlib
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

try:
    import brotli
except ImportError:
    brotli = None
try:
    import zstandard
except ImportError:
    zstandard = None

UNFOLD = Path(__file__).resolve().parents[4] / "corpus" / "unfold"


def chunked(body, size=7):
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def shapes():
    yield "plain", [], lambda body: body
    yield "chunked", [("Transfer-Encoding", "chunked")], chunked
    yield "gzip", [("Content-Encoding", "gzip")], lambda body: gzip.compress(body, mtime=0)
    yield "gzip-chunked", [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], lambda body: chunked(
        gzip.compress(body, mtime=0), 100
    )
    yield "zlib", [("Content-Encoding", "deflate")], zlib.compress
    yield "gzip-twice", [("Content-Encoding", "gzip, gzip")], lambda body: gzip.compress(gzip.compress(body, mtime=0), mtime=0)
    # The head of a packed body, with the body that the crawler unpacked.
    yield "unpacked", [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], lambda body: body
    if brotli:
        yield "brotli", [("Content-Encoding", "br")], brotli.compress


def write(writer, expected):
    corpus = Path(subprocess.check_output([UNFOLD], text=True).strip())
    files = sorted(path for path in corpus.rglob("*.txt") if path.stat().st_size < 20_000)
    writer.write_record(writer.create_warcinfo_record("all.warc", {"software": "warcio"}))

    def response(url, status, headers, payload, outcome, body=None, warc=None, truncated=None):
        head = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
        # Chunks are kept as they are: the writer gets the payload and does not interpret it.
        record = writer.create_warc_record(
            url, "response", payload=io.BytesIO(payload), http_headers=head, warc_headers_dict=warc or {}
        )
        writer.write_record(record)
        expected.append(
            {
                "url": url,
                "status": int(status.split()[0]),
                "outcome": outcome,
                "truncated": truncated,
                "body": None if body is None else base64.b64encode(body).decode(),
            }
        )

    for number, path in enumerate(files):
        body = path.read_bytes()
        for name, headers, pack in shapes():
            # These cannot be distinguished from a packed body.
            if name == "unpacked" and (body[:2] == b"\x1f\x8b" or not body):
                continue
            url = f"https://{name}-{number}.example/robots.txt"
            headers = [("Content-Type", "text/plain"), *headers]
            response(url, "200 OK", headers, pack(body), "rules", body)
        request = writer.create_warc_record(
            f"https://plain-{number}.example/robots.txt",
            "request",
            payload=io.BytesIO(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        )
        writer.write_record(request)

    text = b"User-agent: *\nDisallow: /private\n"
    response("https://moved.example/robots.txt", "301 Moved", [("Location", "https://www.moved.example/robots.txt")], b"", "redirect")
    response("https://none.example/robots.txt", "404 Not Found", [], b"<html>no</html>", "allow-all")
    response("https://busy.example/robots.txt", "503 Busy", [], b"", "disallow-all")
    response("https://closed.example/robots.txt", "403 Forbidden", [], b"", "allow-all")
    response("https://same.example/robots.txt", "304 Not Modified", [], b"", "not-modified")
    response(
        "https://cut.example/robots.txt", "200 OK", [], text, "rules", text, {"WARC-Truncated": "length"}, truncated="length"
    )
    resource = writer.create_warc_record(
        "https://resource.example/robots.txt", "resource", payload=io.BytesIO(text), warc_content_type="text/plain"
    )
    writer.write_record(resource)
    expected.append(
        {"url": "https://resource.example/robots.txt", "status": None, "outcome": "rules", "truncated": None,
         "body": base64.b64encode(text).decode()}
    )
    revisit = writer.create_revisit_record(
        "https://again.example/robots.txt", "sha1:AAAA", "https://plain-0.example/robots.txt", "2026-01-01T00:00:00Z"
    )
    writer.write_record(revisit)
    expected.append({"url": "https://again.example/robots.txt", "status": None, "outcome": "revisit", "truncated": None, "body": None})


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = []
    for name, packed in [("all.warc", False), ("all.warc.gz", True)]:
        expected = []
        with open(folder / name, "wb") as file:
            write(WARCWriter(file, gzip=packed), expected)
    whole = (folder / "all.warc").read_bytes()
    (folder / "whole.warc.gz").write_bytes(gzip.compress(whole, mtime=0))
    if zstandard:
        records = whole.split(b"\r\n\r\nWARC/1.")
        records = [records[0]] + [b"WARC/1." + record for record in records[1:]]
        records = [record + b"\r\n\r\n" for record in records[:-1]] + [records[-1]]
        frames = [zstandard.ZstdCompressor(level=3).compress(record) for record in records]
        (folder / "all.warc.zst").write_bytes(b"".join(frames))
        # The form of the specification: a dictionary in a frame that other readers skip, and one frame for each record.
        dictionary = zstandard.train_dictionary(20_000, records)
        raw = dictionary.as_bytes()
        frames = [zstandard.ZstdCompressor(level=3, dict_data=dictionary).compress(record) for record in records]
        for name, bytes in [("dictionary.warc.zst", raw), ("packed.warc.zst", zstandard.ZstdCompressor().compress(raw))]:
            head = b"\x5d\x2a\x4d\x18" + len(bytes).to_bytes(4, "little")
            (folder / name).write_bytes(head + bytes + b"".join(frames))
    (folder / "expected.json").write_text(json.dumps(expected))
    print(len(expected), "records")


if __name__ == "__main__":
    main()
