"""Compares the command's `signals --ndjson` with the second reader: all vectors, and changed ones. Exit code 1: they
differ."""
import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import reader

VECTORS = Path(__file__).resolve().parents[2] / "data" / "vectors.ndjson"
ANSWERS = ("source", "date", "uses", "limits", "findings", "licenses")
AGENTS = ["MyBot", "Googlebot", "Googlebot-News", "Bingbot", "msnbot", "GPTBot"]
PIECES = [",", ", ", ":", ": ", " ", "=", "-", "\"", "x", "/", "*", "?", "0", "1", ";", "noindex", ", noindex",
          "nofollow, ", "none", "max-snippet:", "max-snippet:0", "googlebot: ", "my bot: ", "index, ", "no", "=n", "=y",
          "ai-train=no", "search", ", use=reference", "train-ai=n", ".", "_", "(", ")", "!", "~", "\t", "\x01", "\u00e9",
          "NoIndex", "robots: ", "noai"]
IN_HTML = ["<", ">", "</", "<!--", "-->", "<body>", "</head>", "<template>", "</template>", "<noscript>", "</noscript>",
           "<style>", "</style>", "<svg>", "</svg>", "<title>", "</title>", "<script>", "</script>", "x", "'", "\"", "=",
           " ", "&#110;", "<meta name=robots content=noindex>", "<meta name=robots content='index, follow'>",
           "<meta name=googlebot content=nosnippet>", "<meta content=none name=ROBOTS name=x>", "<br>", "<p>", "</p>"]
BATCH = 2_000


def changed(rnd, text, pieces):
    for _ in range(rnd.choice([1, 1, 2, 3])):
        at = rnd.randrange(len(text) + 1)
        kind = rnd.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + rnd.choice([1, 1, 3, 9]):]
        else:
            text = text[:at] + rnd.choice(pieces) + text[at:]
    return text


def request(rnd, vectors, number):
    """A changed vector. Dates and robots.txt are left as they are: readers of dates differ, and tests/oracle has files."""
    while True:
        one = {**rnd.choice(vectors), "id": number, "agent": rnd.choice(AGENTS)}
        one.pop("robots", None)
        if "html_b64" in one or "unavailable_after" in json.dumps(one).lower():
            continue
        if one.get("headers"):
            at = rnd.randrange(len(one["headers"]))
            one["headers"] = [[name, changed(rnd, value, PIECES) if place == at else value]
                              for place, (name, value) in enumerate(one["headers"])]
        if "html" in one:
            one["html"] = changed(rnd, one["html"], rnd.choice([PIECES, IN_HTML]))
        if "tdmrep" in one:
            one["tdmrep"] = changed(rnd, one["tdmrep"], ["0", "1", "\"", "[", "]", "{", "}", ",", "/", "*", "$", "x"])
        return one


def asked(command, requests):
    lines = "".join(json.dumps(one) + "\n" for one in requests)
    ran = subprocess.run([command, "signals", "--ndjson"], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def differences(requests, answers):
    for one, found in zip(requests, answers, strict=True):
        wants = reader.answer(one)
        if (found["uses"], found["limits"]) != (wants["uses"], wants["limits"]):
            both = {name: (found[part].get(name), wants[part].get(name)) for part in ("uses", "limits")
                    for name in {*found[part], *wants[part]} if found[part].get(name) != wants[part].get(name)}
            yield one, both


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="changed vectors")
    parser.add_argument("--seconds", type=float, default=25, metavar="N", help="stop earlier, after this time")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", type=int, default=5, metavar="N")
    settings = parser.parse_args()
    vectors = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    vectors = [{name: value for name, value in one.items() if name not in ANSWERS} for one in vectors]
    started, rnd, wrong, done = time.monotonic(), random.Random(settings.seed), [], 0
    batch = vectors
    while batch:
        wrong += differences(batch, asked(settings.command, batch))
        done += len(batch)
        most = settings.inputs + len(vectors) - done
        most = 0 if time.monotonic() - started > settings.seconds else min(most, BATCH)
        batch = [request(rnd, vectors, done + number) for number in range(most)]
    print(f"{len(vectors)} vectors and {done - len(vectors):,} changed ones: {len(wrong)} answers differ")
    for one, both in wrong[:settings.show]:
        print(json.dumps(one), "\n  (the command, the second reader):", both)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
