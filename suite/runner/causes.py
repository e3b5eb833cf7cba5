"""Causes that were found by reading failures, each with a small vector that shows it. The testers are counted anew."""

CAUSES = (
    ("Escapes are compared as they are written: `%61` in a URL is not `a`.", "encoding.unreserved.001"),
    ("The case of the hex digits of an escape matters.", "encoding.hex.002"),
    ("A line that is no rule ends the run of user-agent lines.", "corpus.hazards-01-crawl-delay-between-agents.001"),
    ("A part of a name is taken for the name.", "agents.part.009"),
    ("The first rule that matches wins, not the longest.", "rank.longest.004"),
    ("A star in a rule is not a wildcard.", "paths.star.011"),
    ("After a star only the first place that fits is tried.", "paths.star.052"),
    ("A `$` at the end of a rule is not the end of the URL.", "paths.anchor.004"),
    ("`/robots.txt` itself can be disallowed.", "rank.robots-txt.001"),
    ("An agent that has a group without rules gets the rules for all.", "groups.no-rules.001"),
    ("CR alone does not end a line.", "lines.end.004"),
    ("Characters of Unicode are trimmed as if they were blanks: here U+00A0.", "lines.blanks.038"),
    ("An empty query is dropped.", "paths.match.025"),
    ("A path that begins with `//` is read as a host.", "paths.match.040"),
    ("A byte order mark spoils the file.", "lines.bom.003"),
    ("A `%` that begins no escape is an error.", "encoding.broken.001"),
    ("A line with an unknown name spoils the file.", "fields.other.026"),
    ("A line without a colon spoils the file.", "corpus.hazards-22-before-colon.002"),
    ("A rule with some stars takes so long that no answer comes.", "hostile.stars.031"),
    ("Many rules with stars take so long that no answer comes.", "hostile.stars.036"),
)
