#!/usr/bin/env python3
"""An adapter for a library, here Python's own urllib.robotparser."""
import base64
import json
import sys
from urllib.robotparser import RobotFileParser

for line in sys.stdin:
    question = json.loads(line)
    parser = RobotFileParser()
    parser.parse(base64.b64decode(question["file_base64"]).decode("utf-8", "replace").splitlines())
    allow = parser.can_fetch(question["agent"], question["url"])
    print(json.dumps({"id": question["id"], "allow": allow}), flush=True)
