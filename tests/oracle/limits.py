"""The groups that `drop` keeps of a file, for limits that are simple to model. Standard dialect.

A rule over its limit is left out. A user-agent line over its limit names no agent, but still opens a group.
"""
import re

from reference import files, paths

MODELLED = frozenset("max_value_length max_wildcards max_name_length max_records max_user_agents".split())
# The limits that are on by default.
DEFAULTS = {"max_value_length": 2_000, "max_wildcards": 10, "max_name_length": 200}
NAME = re.compile(rb"[0-9A-Za-z._-]*")
NOBODY = b"("


def rule_fits(value, limits, reading, escaped_wildcard):
    """[limit.value-length] [limit.wildcards]: checks the normalised pattern. A run of stars is one wildcard, unless it is
    longer than the limit."""
    shape = paths.pattern(value, reading)
    runs = re.findall(paths.STAR + "+", shape[2])
    stars = len(runs)
    if escaped_wildcard and reading.escaped_special != "wildcard":
        stars += len(re.findall(rb"%2[Aa]", value))
    stars = max([stars, *map(len, runs)])
    return paths.length(shape) <= limits["max_value_length"] and stars <= limits["max_wildcards"]


def groups(data, reading, own, escaped_wildcard):
    """The groups of a file without what is over a limit. A line that names no agent counts for no limit."""
    limits = DEFAULTS | own
    found, agents_left = [], limits.get("max_user_agents", 1 << 30)
    all_groups = files.groups_of(data, reading)
    for values, rules in all_groups[:limits.get("max_records", len(all_groups))]:
        kept = []
        for value in values:
            size = 1 if files.is_everyone(value, reading) else len(NAME.match(value)[0])
            fits = agents_left > 0 and size <= limits["max_name_length"]
            agents_left -= size > 0
            kept.append(value if fits else NOBODY)
        found.append((kept, [rule for rule in rules if rule_fits(rule[1], limits, reading, escaped_wildcard)]))
    return found
