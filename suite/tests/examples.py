"""Checks a report on one of the two examples: it answered all, more than half is right, and something is wrong."""
import json
import sys

(result,) = json.load(open(sys.argv[1], encoding="utf-8"))["results"]
counts = result["counts"]
right, demanded = counts["must"]
broken = sum(counts[kind] for kind in ("memory", "crash", "protocol", "error"))
if result["gave_up"] or broken or not demanded / 2 < right < demanded:
    sys.exit(f"{result['tester']}: {right} of {demanded} right, {broken} without an answer, gave up: {result['gave_up']}")
print(f"{result['tester']}: {right} of {demanded} right, as it should be for an example")
