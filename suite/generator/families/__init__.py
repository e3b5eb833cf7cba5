"""The families of vectors. Each module makes those of one file."""
from ..vectors import Family
from . import (agents, corpus, encoding, fields, googles, groups, hostile, limits, lines, neighbours, paths, rank, spec,
               urls, values)

MODULES = [lines, fields, groups, agents, paths, rank, encoding, urls, values, limits, neighbours, googles, hostile,
           spec, corpus]


def make():
    Family.made.clear()
    Family.asked.clear()
    Family.doubts.clear()
    for module in MODULES:
        module.make()
