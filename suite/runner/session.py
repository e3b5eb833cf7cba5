"""Asks a tester all vectors, and judges: each answer is right, wrong, slow or crashed, by level.

Invariant: an answer is judged by what the vector demands, and where nothing is demanded, each answer is right. No answer
within the time is wrong everywhere: a file must not stop a crawler.
"""
import math
import sys
from collections import Counter

from .process import Failed

VERDICTS = ("right", "wrong", "slow", "crashed")
# What the RFC demands, what it recommends, where it demands nothing; and values, which it does not have.
LEVELS = ("must", "may", "open", "values")
GIVE_UP, GIVE_UP_AT_START = 20, 3  # failures of the process in a row


class Outcome:
    """What came for one vector: allow, disallow, error (it says that it has no answer), slow or crashed."""

    def __init__(self, vector, expect, came, message="", answer=None):
        self.vector, self.came, self.message = vector, came, message
        self.expected, self.level = vector.demanded(expect)
        is_right = self.expected is None or came == self.expected
        self.verdict = came if came in ("slow", "crashed") else "right" if is_right else "wrong"
        given = {name: (value, answer[name]) for name, value in vector.values.items() if name in (answer or {})}
        self.wrong_values = {name: pair for name, pair in given.items() if not same(*pair)}
        self.right_values = len(given) - len(self.wrong_values)

    def as_json(self):
        vector = self.vector
        return {"id": vector.id, "verdict": self.verdict, "level": self.level, "expected": self.expected, "came": self.came,
                "message": self.message, "section": vector.section, "clause": vector.clause, "tags": vector.tags,
                "agent": vector.agent, "url": vector.url, "file": vector.shown_file(), "why": vector.why,
                "wrong_values": {name: {"expected": e, "came": c} for name, (e, c) in self.wrong_values.items()}}


def same(expected, came):
    number = (int, float)
    if isinstance(came, bool):  # in Python, True == 1
        return False
    if isinstance(expected, number) and isinstance(came, number):
        return math.isclose(expected, came, rel_tol=1e-6, abs_tol=1e-6)
    return expected == came


class Result:
    """All outcomes of one tester."""

    def __init__(self, name, expect, facts):
        self.name, self.expect, self.facts, self.outcomes, self.gave_up = name, expect, facts, [], ""

    def counts(self):
        """{level: {verdict: number}}"""
        count = {level: dict.fromkeys(VERDICTS, 0) for level in LEVELS}
        for (level, verdict), number in Counter((o.level, o.verdict) for o in self.outcomes).items():
            count[level][verdict] = number
        count["values"] |= {"right": sum(o.right_values for o in self.outcomes),
                            "wrong": sum(len(o.wrong_values) for o in self.outcomes)}
        return count

    def share(self):
        """How much of what is demanded is right."""
        must = self.counts()["must"]
        return must["right"] / (sum(must.values()) or 1)

    def failures(self):
        """The smallest file first."""
        failed = [o for o in self.outcomes if o.verdict != "right" or o.wrong_values]
        return sorted(failed, key=lambda o: (len(o.vector.shown_file()) + len(o.vector.url), o.vector.id))

    def passed(self, strict=False):
        """What is only recommended, and values, count if it is strict. Slow and crashed count everywhere."""
        levels = LEVELS if strict else ("must",)
        bad = sum(number for level, count in self.counts().items() for verdict, number in count.items()
                  if verdict in ("slow", "crashed") or verdict == "wrong" and level in levels)
        return not (bad or self.gave_up)

    def as_json(self):
        return {"tester": self.name, **self.facts, "expect": self.expect, "vectors": len(self.outcomes),
                "counts": self.counts(), "gave_up": self.gave_up, "failures": [o.as_json() for o in self.failures()],
                "answers": {o.vector.id: o.came for o in self.outcomes}}

    def as_text(self, most):
        """The smallest failures, and the counts."""
        failed, lines = self.failures(), []
        for outcome in failed[:most]:
            vector = outcome.vector
            came = f"{outcome.came} ({outcome.message})" if outcome.message else outcome.came
            lines.append(f"{vector.id}: {vector.why}")
            if outcome.verdict != "right":
                lines.append(f"  {outcome.verdict}: expected {outcome.expected or 'an answer'} (section {vector.section}, "
                             f"{outcome.level}; {vector.clause}), came {came}")
            lines += [f"  {name}: expected {e}, came {str(c)[:300]}" for name, (e, c) in outcome.wrong_values.items()]
            lines.append(f"  agent {vector.agent}, URL {vector.url[:300]}")
            lines += ["    | " + line for line in vector.shown_file().rstrip("\n").split("\n")]
        if failed[most:]:
            lines.append(f"and {len(failed) - most} more (--show N, --json)")
        return "\n".join([*lines, self.summary()])

    def summary(self):
        lines = [f"{self.name}: {len(self.outcomes)} vectors, held to {self.expect}"]
        for level, count in self.counts().items():
            if total := sum(count.values()):
                others = "".join(f", {number} {verdict}" for verdict, number in count.items() if number and verdict != "right")
                lines.append(f"  {level:7} {count['right']} of {total} right{others}")
        return "\n".join([*lines, *([f"  {self.gave_up}"] if self.gave_up else [])])


def ask(tester, vector, expect):
    """The outcome for one vector, and whether the process did not even start."""
    try:
        answer = tester.ask(vector.question(), vector.milliseconds and vector.milliseconds / 1000)
    except Failed as failure:
        return Outcome(vector, expect, failure.kind, str(failure)), failure.at_start
    if "error" in answer:
        return Outcome(vector, expect, "error", answer["error"], answer), False
    return Outcome(vector, expect, "allow" if answer["allow"] else "disallow", "", answer), False


def run(tester, vectors, name, expect="rfc", facts=None):
    """Asks in order. After some failures of the process in a row nothing more is asked."""
    result, in_a_row, starts, too_slow = Result(name, expect, facts or {}), 0, 0, {}
    for number, vector in enumerate(vectors, 1):
        length = len(vector.file()) if vector.grows else 0
        if vector.grows in too_slow and length >= too_slow[vector.grows]:
            # A longer file of the same shape. To wait for each of them would take hours for some testers.
            message = "not asked: a shorter file of this shape took too long"
            result.outcomes.append(Outcome(vector, expect, "slow", message))
            continue
        outcome, at_start = ask(tester, vector, expect)
        result.outcomes.append(outcome)
        if outcome.came == "slow" and vector.grows:
            too_slow[vector.grows] = length
        if number % 500 == 0:
            print(f"{name}: {number} of {len(vectors)}", file=sys.stderr, flush=True)
        in_a_row = in_a_row + 1 if outcome.came in ("slow", "crashed") else 0
        starts = starts + 1 if at_start else 0
        if in_a_row >= GIVE_UP or starts >= GIVE_UP_AT_START:
            result.gave_up = f"gave up after {in_a_row} questions in a row without an answer: {outcome.message}"
            break
    return result
