"""Checks a report on one of the two examples: it kept to the protocol, more than half is right, and something is wrong."""
import json
import sys

(result,) = json.load(open(sys.argv[1], encoding="utf-8"))["results"]
counts = result["counts"]
right, demanded = counts["must"]
if result["gave_up"] or counts["protocol"] or not demanded / 2 < right < demanded:
    sys.exit(f"{result['tester']}: {right} of {demanded} right, {counts['protocol']} wrong lines, gave up: {result['gave_up']}")
print(f"{result['tester']}: {right} of {demanded} right, as it should be for an example")
