"""The families of vectors. Each module makes those of one file."""
from ..vectors import Family
from . import agents, encoding, fields, groups, lines, paths, rank, urls

MODULES = [lines, fields, groups, agents, paths, rank, encoding, urls]


def make():
    Family.made.clear()
    Family.asked.clear()
    Family.doubts.clear()
    for module in MODULES:
        module.make()
