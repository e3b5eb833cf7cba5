"""Tests the peers on the corpus (or other files) in each form of the text, prints a table, checks bounds.json.
Also tests whether a line other than a rule changes an answer.

Figures are the per cent of decisions that agree with Google's parser on the raw file.
"""
import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

from harness.ask import present
from harness.other_lines import changed_by
from harness.peers import PEERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BOUNDS = HERE / "bounds.json"
FORMS = ("faithful", "portable")


def ask(robosieve, form, files, wide):
    """The figures of interop.py for a form of the text, made in the Google dialect."""
    command = [sys.executable, HERE / "interop.py", "filter", "--json", "--batch", "--files", files,
               *(["--wide"] if wide else []), "--",
               robosieve, "filter", "--ndjson", "--dialect", "google", "--form", form]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def figures(result):
    """{what: per cent}: the column to raise, and that of the raw files."""
    def column(measured, fidelity):
        peers = {name: against["agree_pct"] for name, against in measured["versus_google"].items() if name != "google"}
        return {"fidelity": fidelity, "all": measured["all"]["agree_pct"], "rfc": measured["rfc"]["agree_pct"], **peers}

    return column(result["raw"], 100.0), column(result["end_to_end"], result["fidelity"]["agree_pct"])


def table(columns):
    titles = list(columns)
    lines = ["| % of decisions | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for what in columns[titles[0]]:
        lines.append(f"| {what} | " + " | ".join(f"{columns[title][what]:.3f}" for title in titles) + " |")
    return "\n".join(lines)


def missed(columns, bounds, absent):
    """Sentences about figures below their bound. If a peer is missing, figures of groups are not compared."""
    skipped = {"all", "rfc", *absent} if absent else set()
    for form, bound in bounds.items():
        for what, least in bound.items():
            found = columns[form].get(what)
            if what not in skipped and (found is None or found < least):
                yield f"{form}, {what}: {found} is below the bound {least}"


def floored(column):
    """A bound a little below each figure, because a peer can time out on a slower machine."""
    slack = {what: 0 if value == 100 and what == "fidelity" else 0.25 for what, value in column.items()}
    return {what: math.floor((value - slack[what]) * 1000) / 1000 for what, value in column.items()}


def installed(wide=True):
    return [peer for peer in PEERS if (wide or not peer.wide) and present(peer)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robosieve", help="the command")
    parser.add_argument("--files", type=Path, metavar="DIR", help="other files than corpus/: no bounds are held against them")
    parser.add_argument("--update-bounds", action="store_true", help="write the figures, rounded down, as the new bounds")
    parser.add_argument("--wide", action="store_true", help="all testers of suite/testers: no bounds are held against them")
    options = parser.parse_args()
    if options.wide and options.update_bounds:
        parser.error("the bounds are those of the thirteen peers, without --wide")

    files = options.files or subprocess.check_output([ROOT / "corpus/unfold"], text=True).strip()
    columns, absent = {}, []
    for form in FORMS:
        result = ask(options.robosieve, form, files, options.wide)
        columns["raw files"], columns[form] = figures(result)
        absent = result["absent"]
    print(f"{result['files']} files, {result['decisions']} decisions")
    print(table(columns))
    if absent:
        print(f"left out: {', '.join(absent)}, not installed here; the bounds of groups are not held")
    if options.update_bounds:
        BOUNDS.write_text(json.dumps({form: floored(columns[form]) for form in FORMS}, indent=1) + "\n")
    if options.files or options.wide:
        if options.wide:
            print("\n".join(changed_by(installed())) or "no line other than a rule changes an answer")
        return 0
    faults = list(missed(columns, json.loads(BOUNDS.read_text()), absent))
    faults += changed_by(installed(wide=False))
    print("\n".join(faults) if faults else "all bounds hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
