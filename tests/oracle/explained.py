"""Disagreements that are meant, each with a name, a reason and a predicate that uses neither side's verdict.

The aim is an empty list: a deviation that SPEC.md names belongs into the reference as a choice of `rfc.Reading`.
"""

# (name, reason, predicate of a question and a disagreement)
EXPLAINED = []


def explanation(question, disagreement):
    """The name of what explains a disagreement, or None."""
    for name, _, holds in EXPLAINED:
        if holds(question, disagreement):
            return name
    return None
