#!/usr/bin/env python3
"""The package for Python, as a tester: suite/own/python.py [DIALECT]."""
import base64
import json
import sys

import robosieve

DIALECT = (sys.argv[1:] or ["standard"])[0]

for line in sys.stdin:
    question = json.loads(line)
    robots = robosieve.Robots.parse(base64.b64decode(question["file_base64"]), dialect=DIALECT)
    agent = question["agent"]
    print(json.dumps({"id": question["id"], "allow": robots.can_fetch(question["url"], agent),
                      "crawl_delay": robots.crawl_delay(agent), "sitemaps": robots.sitemaps}), flush=True)
