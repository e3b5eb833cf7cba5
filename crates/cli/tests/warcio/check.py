#!/usr/bin/env python3
"""Tests `robosieve batch` with the archives of archives.py: all records in order, each text as for the file alone.

usage: check.py ROBOSIEVE FOLDER
"""

import base64
import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path


def lines(command, stdin=None):
    ran = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def file_of(body):
    """The bytes of a file, which may be packed without any header that says so."""
    body = base64.b64decode(body)
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b\x08") else body


def main():
    robosieve, folder = sys.argv[1], Path(sys.argv[2])
    expected = json.loads((folder / "expected.json").read_text())
    # The URL of a record is the base of its sitemaps.
    options = [{"base_url": one["url"]} if one["url"].startswith("http") else {} for one in expected]
    requests = [{"robots_b64": one["body"] or "", "options": own} for one, own in zip(expected, options)]
    requests = "".join(json.dumps(request) + "\n" for request in requests)
    alone = lines([robosieve, "filter", "--agent", "MyBot", "--ndjson"], requests.encode())
    archives = sorted(path for path in folder.iterdir() if ".warc" in path.name)
    assert len(archives) >= 3, archives
    for archive in archives:
        records = lines([robosieve, "batch", "--agent", "MyBot", "-q", str(archive)])
        assert len(records) == len(expected), (archive, len(records), len(expected))
        for record, one, text in zip(records, expected, alone):
            for field in ("url", "status", "outcome"):
                assert record[field] == one[field], (archive, record, one)
            assert record.get("truncated") == one["truncated"], (archive, record, one)
            if one["body"] is not None:
                assert record["bytes"] == min(len(file_of(one["body"])), 512_006), (archive, record)
                assert record["text"] == text["text"], (archive, record, text)
                assert record["hash"] == "sha256:" + hashlib.sha256(text["text"].encode()).hexdigest()
                assert record["answered_by"] == text["answered_by"]
        print("ok ", archive.name, len(records), "records")


if __name__ == "__main__":
    main()
