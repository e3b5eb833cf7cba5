"""Asks a tester all vectors, and counts."""
from collections import Counter

from .judge import judge
from .process import Failed

LEVELS = ("must", "may", "bound")


def ask(tester, vector, slow, expect):
    """The outcome for one vector. The bound of a hostile vector is multiplied by `slow`."""
    bound = vector.bound or {}
    seconds = bound["milliseconds"] / 1000 * slow if "milliseconds" in bound else None
    try:
        answer, took = tester.ask(vector.question(), seconds, bound.get("megabytes"))
    except Failed as failure:
        return judge(vector, failure.kind, message=str(failure), expect=expect), failure.at_start
    if "error" in answer:
        return judge(vector, "error", answer, answer["error"], took, expect), False
    return judge(vector, "allow" if answer["allow"] else "disallow", answer, "", took, expect), False


class Result:
    """All outcomes of one tester, with counts."""

    def __init__(self, name, expect="rfc", facts=None):
        self.name, self.expect, self.facts = name, expect, facts or {}
        self.outcomes, self.costs, self.gave_up = [], [], None

    def add(self, outcome):
        self.outcomes.append(outcome)

    def counts(self, outcomes=None):
        """{level: [passed, all]}, and how often each kind of trouble came."""
        outcomes = self.outcomes if outcomes is None else outcomes
        count = {level: [0, 0] for level in LEVELS}
        for outcome in outcomes:
            if outcome.verdict != "open":
                count[outcome.level][0] += outcome.verdict == "pass"
                count[outcome.level][1] += 1
        came = Counter(outcome.came for outcome in outcomes)
        values = [sum(o.right_values for o in outcomes), sum(o.right_values + len(o.wrong_values) for o in outcomes)]
        google = [sum(o.came == o.vector.google for o in outcomes), len(outcomes)]
        return {**count, "open": sum(o.verdict == "open" for o in outcomes), "google": google, "values": values,
                "error": came["error"], **{kind: came[kind] for kind in ("timeout", "memory", "crash", "protocol")}}

    def by_tag(self):
        tags = sorted({tag for outcome in self.outcomes for tag in outcome.vector.tags})
        return {tag: self.counts([o for o in self.outcomes if tag in o.vector.tags]) for tag in tags}

    def failures(self, levels=LEVELS):
        return [o for o in self.outcomes if o.verdict == "fail" and o.level in levels]

    def wrong_values(self):
        return [o for o in self.outcomes if o.wrong_values]

    def passed(self, strict=False):
        """Strict: a SHOULD and a value count, too."""
        if self.gave_up or self.failures(("must", "bound")):
            return False
        return not strict or not (self.failures(("may",)) or self.wrong_values())


GIVE_UP, GIVE_UP_AT_START = 20, 3  # failures of the process in a row


def run(tester, vectors, name, expect="rfc", slow=1.0, facts=None, told=lambda result: None):
    """Asks in order, and tells `told` after each answer. After some failures of the process in a row nothing more is asked."""
    result, in_a_row, starts, too_slow = Result(name, expect, facts), 0, 0, {}
    for vector in vectors:
        length = vector.length() if vector.grows else 0
        if vector.grows in too_slow and length >= too_slow[vector.grows]:
            # A longer file of the same shape. To wait for each of them would take hours for some testers.
            result.add(judge(vector, "timeout", message="not asked: a shorter file of this shape took too long", expect=expect))
            continue
        outcome, at_start = ask(tester, vector, slow, expect)
        result.add(outcome)
        told(result)
        if outcome.came == "timeout" and vector.grows:
            too_slow[vector.grows] = length
        in_a_row = in_a_row + 1 if outcome.broken else 0
        starts = starts + 1 if at_start else 0
        if in_a_row >= GIVE_UP or starts >= GIVE_UP_AT_START:
            result.gave_up = f"gave up after {in_a_row} questions in a row without an answer: {outcome.message}"
            break
    return result
