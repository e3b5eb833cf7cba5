#!/usr/bin/env python3
"""The command, as a tester: suite/own/command.py ROBOSIEVE [DIALECT]. `test --ndjson` answers each line."""
import json
import subprocess
import sys

DIALECT = (sys.argv[2:] or ["standard"])[0]
command = subprocess.Popen([sys.argv[1], "test", "--ndjson", "--dialect", DIALECT], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    question = json.loads(line)
    agent = "user_agent" if question.get("header") and DIALECT != "google" else "agent"
    request = {"id": question["id"], "robots_b64": question["file_base64"], agent: question["agent"],
               "url": question["url"]}
    print(json.dumps(request), file=command.stdin, flush=True)
    answer = json.loads(command.stdout.readline())
    found = {"allow": answer["allowed"]} if "allowed" in answer else {"error": answer["error"]["message"]}
    print(json.dumps({"id": question["id"]} | found), flush=True)
