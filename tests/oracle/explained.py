"""Intended differences, each with a name, a reason and a predicate that uses neither verdict.

The aim is an empty list: a deviation that SPEC.md names should be a field of `Reading` in the suite's generator.
"""

# (name, reason, predicate of a question and a disagreement)
EXPLAINED = []


def explanation(question, disagreement):
    """The name of the entry that explains a difference, or None."""
    for name, _, holds in EXPLAINED:
        if holds(question, disagreement):
            return name
    return None
