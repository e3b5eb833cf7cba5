"""More than 2,000 questions to a robots.txt tester, with the answers of RFC 9309.

>>> vectors = load(level="must")
>>> vectors[0].id, vectors[0].agent, vectors[0].answer
('agents.case.001', 'MyBot', 'disallow')
"""
__version__ = "VERSION"


def load(level=None, only=(), without=()):
    """Vectors, in order: of a level ("must", "may", "silent"), and with one of the tags `only`, none of `without`."""
    from .runner import vectors

    found = vectors.load((), list(only), (), list(without))
    return [vector for vector in found if level in (None, vector.level)]
