"""Google's robots_main, which is started for each question. Usage: google_main.py PATH. Not tested here: see README.md."""
import base64
import json
import subprocess
import sys
import tempfile

for line in sys.stdin:
    question = json.loads(line)
    with tempfile.NamedTemporaryFile() as file:
        file.write(base64.b64decode(question["file_base64"]))
        file.flush()
        words = [sys.argv[1], file.name, question["agent"], question["url"]]
        said = subprocess.run(words, capture_output=True, text=True, errors="replace").stdout.strip()
    answer = {"id": question["id"]}
    if said.endswith("DISALLOWED") or said.endswith("ALLOWED"):
        answer["allow"] = not said.endswith("DISALLOWED")
    else:
        answer["error"] = said[-300:] or "no output"
    print(json.dumps(answer), flush=True)
