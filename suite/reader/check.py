"""Checks each row of the suite: the schema, the judge's answers, and Google's. `suite/check` runs it.

Invariant: no column is taken on trust. The judge is written from the text of RFC 9309, and shares no code with any
tester; Google's column is what its parser answers.
"""
import json
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jsonschema
from jwm.robotstxt.googlebot import RobotsMatcher

from . import judge
from .readings import STANDARD

SUITE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SUITE))

from runner.vectors import Vector  # noqa: E402

# The judge reads a long file with fewer repetitions, where its length is not what is asked about.
JUDGED_TIMES = 40
ASKS_ABOUT_LENGTH = ("limits.", "google.")
# A table of examples in 2.2.2 gives their answer in so many words, where its text and RFC 3986 say otherwise.
STATED = {"encoding.table.002": "disallow", "encoding.table.003": "disallow"}
# What is no row: each change of a good one has to be refused by the schema.
NO_ROWS = ({"google": "maybe"}, {"tags": []}, {"tags": ["nonsense"]}, {"file_base64": "QQ=="}, {"extra": 1}, {"id": "x"},
           {"rfc": {"answer": "either", "level": "must", "section": "2.2", "clause": "[line.end]"}})


def judged(row):
    """The file that the judge reads."""
    repeat = row.get("file_repeat")
    if repeat and not row["id"].startswith(ASKS_ABOUT_LENGTH):
        return (repeat["head"] + repeat["body"] * min(repeat["times"], JUDGED_TIMES) + repeat["tail"]).encode()
    return Vector(row, row["id"]).file()


def of_the_rfc(row, data):
    """The answer and the level that the text of the RFC gives."""
    if "header" in row:
        return "either", "silent"
    if row["id"] in STATED:
        return STATED[row["id"]], "must"
    return judge.verdict(data, row["agent"], row["url"])


def word(allows):
    return "allow" if allows else "disallow"


def faults(row):
    """Sentences about one row."""
    data, asked = judged(row), row.get("header", row.get("agent"))
    own, = judge.File(data, [row.get("agent", "")], STANDARD).allow([row["url"].encode()])
    whole = Vector(row, row["id"]).file()
    found = {"rfc": of_the_rfc(row, data), "google": word(RobotsMatcher().AllowedByRobots(whole, [asked], row["url"]))}
    reported = {"rfc": (row["rfc"]["answer"], row["rfc"]["level"]), "google": row["google"]}
    if "header" not in row:
        found["robosieve"], reported["robosieve"] = word(own), row["robosieve"]
    return [f"{row['id']}: {name} is {reported[name]}, found {found[name]}" for name in found if found[name] != reported[name]]


def rows():
    return [json.loads(line) for path in sorted((SUITE / "vectors").glob("*.ndjson"))
            for line in path.read_text().splitlines()]


def of_all(every):
    """Sentences about the rows together, and about their form."""
    schema = json.loads((SUITE / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    yield from (f"{row['id']}: {error.message}" for row in every for error in validator.iter_errors(row))
    yield from (f"the schema takes {change}" for change in NO_ROWS if validator.is_valid(every[0] | change))
    yield from (f"{name}: the id is there twice" for name, count in Counter(row["id"] for row in every).items() if count > 1)
    questions = Counter((judged(row) if "file_repeat" not in row else json.dumps(row["file_repeat"]),
                         row.get("header", row.get("agent")), row["url"]) for row in every)
    yield from (f"asked {count} times: {question}" for question, count in questions.items() if count > 1)
    defined = set(re.findall(r"\*\*(\[[a-z0-9.-]+\])\*\*", (SUITE.parent / "SPEC.md").read_text()))
    yield from (f"SPEC.md has no clause {clause}" for clause in sorted({row["rfc"]["clause"] for row in every} - defined))


def main():
    every = rows()
    with ProcessPoolExecutor() as pool:
        found = [*of_all(every), *(fault for each in pool.map(faults, every, chunksize=20) for fault in each)]
    print("\n".join(found) if found else f"{len(every)} rows are right")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
