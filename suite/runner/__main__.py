"""Runs the suite against a robots.txt tester. Python 3.10 or newer, on Linux or another Unix, nothing to install.

    suite/run -- CMD...             a command that reads a question a line and writes an answer a line
    suite/run --tester protego      a tester of testers/testers.json, which suite/setup installs
    suite/run --all                 each of them that is installed

Exit code 0: all that is demanded is right. 1: something is not. 2: the run itself was not possible. A tester of the list
is held to the share of answers that the list has: if it gives fewer, its adapter is broken.
"""
import argparse
import json
import os
import shlex
import sys
import tempfile

from . import session, testers, vectors
from .process import Tester, stop_all_when_killed


def arguments(argv):
    command = None
    if "--" in argv:
        cut = argv.index("--")
        argv, command = argv[:cut], argv[cut + 1:]
    parser = argparse.ArgumentParser(prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all testers of the list that are installed")
    parser.add_argument("--tester", action="append", default=[], metavar="NAME", help="one of them (may be repeated)")
    parser.add_argument("--vectors", action="append", default=[], metavar="FILE", help="other vectors than vectors/*.ndjson")
    parser.add_argument("--only", action="append", default=[], metavar="TAG", help="only vectors with this tag (may be repeated)")
    parser.add_argument("--without", action="append", default=[], metavar="TAG", help="no vectors with this tag")
    parser.add_argument("--id", action="append", default=[], metavar="ID", help="only this vector (may be repeated)")
    parser.add_argument("--expect", choices=vectors.EXPECT, default="rfc", help="whose answers are right (default: rfc)")
    parser.add_argument("--strict", action="store_true", help="what the RFC only recommends, and values, count too")
    parser.add_argument("--seconds", type=float, default=5.0, help="for an answer, where the vector has no time (default: 5)")
    parser.add_argument("--megabytes", type=int, default=1024, help="of memory for the tester, on Linux (default: 1024)")
    parser.add_argument("--slow", type=float, default=1.0, metavar="FACTOR", help="multiplies all times, for a busy machine")
    parser.add_argument("--json", metavar="FILE", help="a report; - is the standard output")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="failures to print (default: 10)")
    options = parser.parse_args(argv)
    if sum([bool(command), options.all, bool(options.tester)]) != 1:
        parser.error("name one tester: -- CMD..., or --tester NAME, or --all")
    if options.slow <= 0 or options.seconds <= 0 or options.megabytes <= 0:
        parser.error("bounds are greater than 0")
    options.command = command
    return options


def write(path, text):
    """To a file next to it first, so that there is never half a report."""
    if path == "-":
        sys.stdout.write(text)
        return
    handle, made = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".suite-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(made, 0o644)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def run(options):
    """The results, and whether all is as demanded."""
    questions = vectors.load(options.vectors, options.only, options.without, options.id)
    if not questions or any(vector.demanded(options.expect)[0] is None and options.expect != "rfc" for vector in questions):
        raise vectors.BadVector("no vector has such a tag or id, or one has no answer of the column")
    bounds = {"seconds": options.seconds, "megabytes": options.megabytes, "slow": options.slow}
    if options.command:
        with Tester(options.command, **bounds) as tester:
            result = session.run(tester, questions, shlex.join(options.command), options.expect)
        return [result], result.passed(options.strict)
    results, good = [], True
    for known in testers.known(options.tester):
        with known.start(bounds) as tester:
            if not testers.present(tester):
                print(f"{known.name}: not installed here, left out", file=sys.stderr)
                good = good and options.all
                continue
            result = session.run(tester, questions, known.name, options.expect, {"package": known.package})
        results.append(result)
        if options.expect == "rfc" and result.share() < known.least:
            print(f"{known.name}: fewer answers are right than {known.least:.0%}", file=sys.stderr)
            good = False
    return results, good and bool(results)


def main(argv):
    options = arguments(argv)
    try:
        results, good = run(options)
        for result in results if options.json != "-" else ():
            print(result.as_text(options.show if len(results) == 1 else 0), flush=True)
        if options.json:
            write(options.json, json.dumps({"results": [result.as_json() for result in results]}, indent=1) + "\n")
    except (vectors.BadVector, OSError) as error:
        print(f"run: {error}", file=sys.stderr)
        return 2
    return 0 if good else 1


def command():
    stop_all_when_killed()
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    command()
