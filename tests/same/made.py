"""Made-up files for two builds of the command: texts, reports and verdicts, compared in blocks.

The files are those of tests/oracle: small ones whose lines interact, and changed pieces of the files of corpus/ and of
--files. A block is made, asked and compared, and then forgotten. So memory does not grow with the number of files, and
nothing is written to disk. A seed always gives the same files and the same questions.
"""

import base64
import json
import multiprocessing
import random
import subprocess
import sys
from collections import deque
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))
sys.dont_write_bytecode = True

import choices  # noqa: E402
import documents  # noqa: E402
import urls  # noqa: E402

BLOCK = 1_000
URLS = 6
COMMANDS = ("filter", "test", "inspect")
DIALECTS = ("standard", "standard", "google", "processor")
KEPT = 5  # differences of a block that are handed back
AHEAD = 4  # blocks for each process that are made before their results are read


class Died(Exception):
    """A build did not answer each request."""


def request(rnd, files, number):
    """A file, and all that is asked about it. `filter` and `inspect` do not look at the URLs."""
    data = documents.document(rnd, files)
    dialect = rnd.choice(DIALECTS)
    options = {"dialect": dialect, **choices.options(rnd, dialect), "form": rnd.choice(["faithful", "portable"])}
    if rnd.random() < 0.4:
        options |= {"limits": choices.limits(rnd), "on_over_limit": rnd.choice(["drop", "widen", "refuse"])}
    return {"id": number, "robots_b64": base64.b64encode(data).decode(), "agents": documents.agents(rnd, data),
            "urls": urls.urls(rnd, data, URLS), "options": options}


def requests(files, seed, first, count):
    rnd = random.Random(f"{seed}:{first}")
    return [request(rnd, files, number) for number in range(first, first + count)]


def lines_for(command, asked):
    """The requests as one command accepts them. Of ten files, `filter` keeps the groups of all agents of three."""
    for one in asked:
        one = dict(one)
        if command != "test":
            del one["urls"]
        if command != "filter":
            one["options"] = {name: value for name, value in one["options"].items() if name != "form"}
        elif one["id"] % 10 < 3:
            del one["agents"]
            one["options"] = one["options"] | {"all_agents": True}
        yield json.dumps(one).encode()


def answers(build, command, stdin, count):
    done = subprocess.run([build, command, "--ndjson"], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.stdout.count(b"\n") != count:
        raise Died(f"{build} {command}, code {done.returncode}: {done.stderr[-400:].decode(errors='replace')}")
    return done.stdout


def block(builds, files, seed, first, count, kept):
    """Asks both builds. -> lines compared, lines that are errors, differences, the first of them."""
    compared = refused = differ = 0
    shown = []
    asked = requests(files, seed, first, count)
    for command in COMMANDS:
        lines = list(lines_for(command, asked))
        old, new = (answers(build, command, b"\n".join(lines) + b"\n", count) for build in builds)
        compared += count
        refused += old.count(b'"error":{')
        if old == new:
            continue
        for line, then, now in zip_longest(lines, old.splitlines(), new.splitlines(), fillvalue=b"{}"):
            if kept(then) != kept(now):
                differ += 1
                if len(shown) < KEPT:
                    shown.append((f"{command} --ndjson < {line.decode()}", then, now))
    return compared, refused, differ, shown


def blocks(seed, total):
    for first in range(0, total, BLOCK):
        yield seed, first, min(BLOCK, total - first)


class Comparison:
    """What all processes share: it is made before they are forked."""

    def __init__(self, builds, folders, kept):
        self.builds, self.kept = builds, kept
        self.files = [data for folder in folders for data in documents.load(folder)]

    def __call__(self, numbers):
        try:
            return block(self.builds, self.files, *numbers, self.kept)
        except Died as died:
            return died


COMPARISON = None


def compare(numbers):
    return COMPARISON(numbers)


def differences(builds, folders, total, seed, jobs, kept):
    """For each block of files: lines compared, lines that are errors, differences, the first of them. Raises Died."""
    global COMPARISON
    COMPARISON = Comparison(builds, folders, kept)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        # Pool.imap alone would take all numbers at once, and keep all results that are not yet read.
        waiting = deque()
        for numbers in blocks(seed, total):
            waiting.append(pool.apply_async(compare, (numbers,)))
            if len(waiting) == AHEAD * jobs:
                yield result(waiting.popleft())
        while waiting:
            yield result(waiting.popleft())


def result(waiting):
    found = waiting.get()
    if isinstance(found, Died):
        raise found
    return found
