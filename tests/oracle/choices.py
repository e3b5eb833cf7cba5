"""Random choices of reading options and of limits. tests/oracle uses them."""

SWITCHES = {
    "leniency": ["strict", "processor", "generous"], "fold": [False], "keep_trailing_spaces": [True],
    "any_line_ends_run": [True], "fallback": [False], "complement_leading_slash": [False], "decode_wildcard": [True],
    "order": ["file"], "escaped_wildcard": [False], "keep_unknown": [True],
}
# Only the RFC, as far as the command's options allow.
STRICT = {"leniency": "strict", "fold": False, "complement_leading_slash": False}
# What the model of tests/model reads.
MODEL = {"leniency": "strict", "fold": False}
LIMITS = {
    "max_bytes": range(0, 160), "max_records": range(0, 5), "max_lines": range(0, 6), "max_user_agents": range(0, 5),
    "max_directive_length": range(4, 12), "max_name_length": range(0, 9), "max_value_length": range(0, 16),
    "max_wildcards": range(0, 4),
}


def options(rnd, dialect):
    """Options for reading: none in half of the questions, only the RFC in some, otherwise one or a few."""
    if dialect == "google":
        return {}
    if dialect == "model":
        return MODEL | ({"order": "file"} if rnd.random() < 0.2 else {})
    kind = rnd.random()
    if kind < 0.5:
        return {}
    if kind < 0.6:
        return dict(STRICT)
    return {name: rnd.choice(SWITCHES[name]) for name in rnd.sample(sorted(SWITCHES), k=rnd.choice([1, 1, 2, 3]))}


def limits(rnd):
    """Small limits. Most questions have only one of them, so that each is the only cause of some loss."""
    return {name: rnd.choice(LIMITS[name]) for name in rnd.sample(sorted(LIMITS), k=rnd.choice([1, 1, 1, 2, 3]))}
