"""Compares an answer with a vector."""
import math

BROKEN = ("timeout", "memory", "crash", "protocol")
# What can come: allow, disallow, error (it says that it has no answer), and the kinds of BROKEN.


class Outcome:
    """What came for one vector. verdict: pass, fail, or open (nothing is demanded, or the level is silent)."""

    def __init__(self, vector, came, message="", seconds=0.0):
        self.vector, self.came, self.message, self.seconds = vector, came, message, seconds
        self.expected, self.level = vector.answer, vector.level
        self.verdict = "open"
        self.wrong_values = {}  # name: (expected, came)
        self.right_values = 0

    @property
    def broken(self):
        return self.came in BROKEN


def expectation(vector, expect):
    """The answer and the level that a tester is held to."""
    if expect == "rfc":
        return vector.answer, vector.level
    return getattr(vector, expect), "must"


def judge(vector, came, answer=None, message="", seconds=0.0, expect="rfc"):
    outcome = Outcome(vector, came, message, seconds)
    outcome.expected, outcome.level = expectation(vector, expect)
    if outcome.broken:
        # A tester that hangs, ends or takes too much has failed, whatever the file is.
        outcome.verdict = "fail"
        if outcome.expected not in ("allow", "disallow"):
            outcome.level = "bound"
    elif outcome.expected in ("allow", "disallow") and outcome.level in ("must", "may"):
        outcome.verdict = "pass" if came == outcome.expected else "fail"
    if answer:
        judge_values(outcome, answer)
    return outcome


def judge_values(outcome, answer):
    """Values are compared only if the tester gives them."""
    for name, expected in outcome.vector.values.items():
        if name not in answer:
            continue
        if same(expected, answer[name]):
            outcome.right_values += 1
        else:
            outcome.wrong_values[name] = (expected, answer[name])


def same(expected, came):
    number = (int, float)
    if isinstance(came, bool):  # in Python, True == 1
        return False
    if isinstance(expected, number) and isinstance(came, number):
        return math.isclose(expected, came, rel_tol=1e-6, abs_tol=1e-6)
    return expected == came
