"""More than 2,000 questions to a robots.txt tester, with the answers of RFC 9309, and the runner that asks them.

>>> found = load(level="must")
>>> found[0].id, found[0].agent, found[0].answer
('agents.case.001', 'MyBot', 'disallow')
"""
from .vectors import load

__all__ = ["load"]
