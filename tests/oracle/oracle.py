"""Compares the command's decisions with three references; see README.md. Exit code 1: a difference."""
import argparse
import multiprocessing
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import choices
import documents
import model
import ours
import questions
import shrink
import urls

HERE = Path(__file__).resolve().parent
UNFOLD = HERE.parent.parent / "corpus" / "unfold"
BATCH = 100  # questions a process asks at once
URLS = 14
KEPT = 4  # disagreements of a check that a batch hands back
SHOW_SECONDS = 90  # to make them small
DIALECTS = ["standard", "google", "model"]
SHOWN = 5  # disagreements of a check that are made small and printed


def question(rnd, dialect, files):
    data = documents.document(rnd, files)
    return questions.Question(
        dialect=dialect, data=data, agents=tuple(documents.agents(rnd, data)), urls=tuple(urls.urls(rnd, data, URLS)),
        options=choices.options(rnd, dialect), limits=choices.limits(rnd), form=rnd.choice(["faithful", "portable"]),
        all_agents=rnd.random() < 0.3,
    )


def batch(job):
    """Tests some questions. -> counts of decisions and of differences, and some of the differences."""
    binary, dialect, seed, number, files = job
    rnd = random.Random(f"{seed}:{dialect}:{number}")
    command = ours.Command(binary)
    asked = [question(rnd, dialect, files) for _ in range(BATCH)]
    decisions, wrong, cases = Counter(), Counter(), []
    for one, answers in zip(asked, answered(command, asked, wrong, cases)):
        if answers is None:
            continue
        seen = set()
        for found in one.judge(answers, lambda check, count: decisions.update({check: count})):
            wrong[found.check] += 1
            if found.check not in seen and wrong[found.check] <= KEPT:
                seen.add(found.check)
                cases.append((one, found))
    return dialect, decisions, wrong, cases


def answered(command, asked, wrong, cases):
    """The answers to each question; None if the command crashed."""
    try:
        return questions.ask(command, asked)
    except ours.Died:
        pass
    found = []
    for one in asked:
        try:
            found += questions.ask(command, [one])
        except ours.Died as died:
            wrong["the command died"] += 1
            cases.append((one, questions.Disagreement("the command died", "", "answers", str(died))))
            found.append(None)
    return found


FILES = []


def run_numbered(job):
    return batch((*job, FILES))


def campaign(settings, dialect, pool, started):
    """Tests questions until there are enough decisions, or the time is over."""
    decisions, wrong, cases = Counter(), Counter(), []
    asked = ((settings.robosieve, dialect, settings.seed, number) for number in range(1 << 30))
    while sum(decisions.values()) < settings.decisions:
        if settings.seconds and time.monotonic() - started > settings.seconds:
            break
        for _, more, faults, some in pool.imap(run_numbered, [next(asked) for _ in range(4 * settings.jobs)]):
            decisions += more
            wrong += faults
            cases += some
    return decisions, wrong, cases


def show(settings, cases):
    """Makes the first differences of each check small and prints them. Equal ones are printed once."""
    command, shown, seen = ours.Command(settings.robosieve), Counter(), set()
    end = time.monotonic() + SHOW_SECONDS
    for one, found in cases:
        if shown[found.check] >= settings.show:
            continue
        if time.monotonic() > end:
            print("\nmore are left out, to save time")
            break
        small, left = shrink.shrunk(command, one, found)
        key = small.data, left.url
        if key in seen:
            continue
        seen.add(key)
        shown[found.check] += 1
        print(f"\n{small.dialect}, {left.check}: expected {left.expected}, found {left.found}")
        print(f"  file    {small.data!r}")
        print(f"  agents  {list(small.agents)}  url {left.url!r}")
        print(f"  options {small.options}  limits {small.limits}  form {small.form}  all agents {small.all_agents}")
        if left.text:
            print(f"  text    {left.text!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robosieve", help="the command")
    parser.add_argument("--decisions", type=int, default=100_000, metavar="N", help="decisions with each reference")
    parser.add_argument("--seconds", type=float, metavar="N", help="stop earlier, after this time for each of them")
    parser.add_argument("--files", type=Path, metavar="DIR", help="files to mutate, besides those of corpus/")
    parser.add_argument("--seed", default="1", help="another seed asks other questions")
    parser.add_argument("--dialect", choices=DIALECTS, help="one of them instead of all")
    parser.add_argument("--jobs", type=int, default=min(2, multiprocessing.cpu_count()), metavar="N", help="processes")
    parser.add_argument("--show", type=int, default=SHOWN, metavar="N", help="small cases to print of each check")
    settings = parser.parse_args()
    FILES.extend(documents.load(Path(subprocess.check_output([UNFOLD], text=True).strip())))
    if settings.files:
        FILES.extend(documents.load(settings.files))
    dialects = [settings.dialect] if settings.dialect else DIALECTS
    if "model" in dialects and not model.is_here():
        print("left out: the model could not be built")
        dialects.remove("model")
    failed = False
    with multiprocessing.get_context("fork").Pool(settings.jobs) as pool:
        for dialect in dialects:
            started = time.monotonic()
            decisions, wrong, cases = campaign(settings, dialect, pool, started)
            took = time.monotonic() - started
            print(f"{dialect}: {sum(decisions.values()):,} decisions in {took:.0f} s, {sum(wrong.values())} differences")
            for check, count in sorted(decisions.items()):
                print(f"  {count:>10,}  {check}")
            for check, count in sorted(wrong.items()):
                print(f"  {count:>10,}  disagree: {check}")
            show(settings, cases)
            sys.stdout.flush()
            failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
