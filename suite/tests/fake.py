"""A tester that fails in the way that its argument names, for questions whose agent is Trouble."""
import json
import os
import signal
import sys
import time

mode = sys.argv[1]


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def trouble(question):
    right = json.dumps({"id": question["id"], "allow": True})
    if mode == "hang":
        if sys.argv[2:]:
            with open(sys.argv[2] + ".new", "w") as file:
                file.write(str(os.getpid()))
            os.rename(sys.argv[2] + ".new", sys.argv[2])
        time.sleep(600)
    elif mode == "child":
        if os.fork() == 0:
            time.sleep(600)  # a child that keeps the pipe open
        os._exit(3)
    elif mode == "exit":
        sys.stderr.write("first\nno such file\n")
        sys.exit(3)
    elif mode == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "memory":
        kept = []
        while True:
            kept.append(bytearray(b"x" * (8 << 20)))
    elif mode == "disorder":
        say(json.dumps({"id": "another", "allow": True}))
    elif mode == "noise":
        say("debug: reading")
        say(right)
    elif mode == "twice":
        sys.stdout.write(right + "\n" + right + "\n")
        sys.stdout.flush()
    elif mode == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    elif mode == "deep":
        say("[" * 100000)
    elif mode == "word":
        say(json.dumps({"id": question["id"], "allow": "yes"}))
    elif mode == "error":
        say(json.dumps({"id": question["id"], "error": "cannot read this file"}))
    elif mode == "errors":
        sys.stderr.write("e" * (1 << 20))
        say(right)
    elif mode == "values":
        say(json.dumps({"id": question["id"], "allow": True, "crawl_delay": 3, "sitemaps": ["https://a.example/s.xml"]}))
    else:
        say(right)


if mode == "slow start":
    time.sleep(1.5)
for line in sys.stdin:
    question = json.loads(line)
    if mode == "deaf" and question["id"] == "warm-up":
        say(json.dumps({"id": "warm-up", "allow": True}))
        time.sleep(600)
    if question["agent"] == "Trouble":
        trouble(question)
    else:
        say(json.dumps({"id": question["id"], "allow": question["url"].endswith("/yes")}))
