#!/usr/bin/env python3
"""The command, as a tester: suite/own/command.py ROBOSIEVE [DIALECT]. `test --ndjson` answers each line.

The command refuses a browser's header, which names no crawler. A tester has to answer, so it is asked for `*` then, as
the library reads such a header."""
import json
import subprocess
import sys

DIALECT = (sys.argv[2:] or ["standard"])[0]
command = subprocess.Popen([sys.argv[1], "test", "--ndjson", "--dialect", DIALECT], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)


def ask(request):
    print(json.dumps(request), file=command.stdin, flush=True)
    return json.loads(command.stdout.readline())


for line in sys.stdin:
    question = json.loads(line)
    agent = "user_agent" if question.get("header") else "agent"
    request = {"id": question["id"], "robots_b64": question["file_base64"], "url": question["url"]}
    answer = ask(request | {agent: question["agent"]})
    if "names no crawler" in answer.get("error", {}).get("message", ""):
        answer = ask(request | {"agent": "*"})
    found = {"allow": answer["allowed"]} if "allowed" in answer else {"error": answer["error"]["message"]}
    print(json.dumps({"id": question["id"]} | found), flush=True)
