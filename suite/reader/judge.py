"""Answers for a file under a reading of RFC 9309, and says how strong the answer is.

Written from the text of the RFC, a section a function: `files.py` and `paths.py`. It shares no code with the tester of
this project. It is slow on purpose. `verdict` asks the plain reading, then every other reading and every two of them
together: where none of them answers otherwise, the answer is a MUST.

The same reader, with the reading that SPEC.md chooses, is the reference of tests/oracle.
"""
from itertools import combinations

from .files import groups_of, rules_for
from .paths import is_robots_txt, is_uri, match, path_of, pattern, rank, units
from .readings import ORDER, PLAIN, alternatives, reading


class File:
    """A file, read for some crawlers."""

    def __init__(self, data, agents, r=PLAIN):
        self.take(groups_of(data, r), agents, r)

    @classmethod
    def of_groups(cls, groups, agents, r):
        """The same, from groups."""
        file = cls.__new__(cls)
        file.take(groups, agents, r)
        return file

    def take(self, groups, agents, r):
        self.r = r
        self.rules = [(allows, value, pattern(value, r) if value else None)
                      for allows, value in rules_for(groups, [agent.encode() for agent in agents], r)]

    def allow(self, urls):
        """Whether each of some URLs may be fetched."""
        return [self.answer(url)[0] for url in urls]

    def answer(self, url):
        """Whether a URL may be fetched, and what led to the answer, for comparing readings."""
        r = self.r
        path = path_of(url, r)
        compared = units(path, r, False)
        if is_robots_txt(path, compared, r):
            return True, "robots.txt"
        matching, cleared = [], []
        for allows, value, shape in self.rules:
            if not value:
                if r.empty_pattern == "all":
                    matching.append((0, allows, ("", False)))
                elif r.empty_pattern == "clear" and not allows:
                    cleared, matching = matching, []
                continue
            ends = shape and match(shape[0], shape[1], compared)
            if ends:
                matching.append((rank(shape, ends, compared, r), allows, (shape[2], shape[1])))
        return decide(matching, r), (compared, tuple(matching), bool(cleared))


def answer(data, agent, url, r=PLAIN):
    return File(data, [agent], r).answer(url.encode())


def decide(matching, r):
    if not matching:
        return True
    if r.order == "file":
        return matching[0][1]
    most = max(length for length, _, _ in matching)
    best = [(allows, shape) for length, allows, shape in matching if length == most]
    if len({allows for allows, _ in best}) == 1:
        return best[0][0]
    # Two rules of one length that differ, as `/a*` and `/*a`, may or may not be equivalent.
    same = {shape for allows, shape in best if allows} & {shape for allows, shape in best if not allows}
    if same:
        return r.tie == "allow"
    return r.tie == "allow" and r.tie_of_different == "allow"


def verdict(data, agent, url):
    """The answer of RFC 9309, "allow", "disallow" or "either", and its level, "must", "may" or "silent"."""
    plain, base = answer(data, agent, url)
    if not is_uri(url.encode()):
        return "either", "silent"
    strongest, relevant = "must", []
    for choice, strength in alternatives():
        other, trace = answer(data, agent, url, reading(choice))
        if other != plain:
            strongest = max(strongest, strength, key=ORDER.get)
        elif trace != base:
            relevant.append((choice, strength))
    # A SHOULD together with another choice says nothing new, so only choices of one kind are combined.
    for (one, first), (two, second) in combinations(relevant, 2):
        if one[0] != two[0] and answer(data, agent, url, reading(one, two))[0] != plain:
            strongest = max(strongest, first, second, key=ORDER.get)
    named = "allow" if plain else "disallow"
    return {
        "must": (named, "must"), "should": (named, "may"), "may": ("either", "may"), "silent": ("either", "silent"),
    }[strongest]
