#!/usr/bin/env python3
"""Holds `robosieve batch` against the archives of archives.py: every record in order, every text that of the file alone.

usage: check.py ROBOSIEVE FOLDER
"""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path


def lines(command, stdin=None):
    ran = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main():
    robosieve, folder = sys.argv[1], Path(sys.argv[2])
    expected = json.loads((folder / "expected.json").read_text())
    requests = "".join(json.dumps({"robots_b64": one["body"] or ""}) + "\n" for one in expected)
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
                assert record["octets"] == min(len(base64.b64decode(one["body"])), 512_006), (archive, record)
                assert record["text"] == text["text"], (archive, record, text)
                assert record["hash"] == "sha256:" + hashlib.sha256(text["text"].encode()).hexdigest()
                assert record["answered_by"] == text["answered_by"]
        print("ok ", archive.name, len(records), "records")


if __name__ == "__main__":
    main()
