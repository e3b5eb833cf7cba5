"""The classes of published studies, from the rows of a census.

Invariant: a class depends on the row alone. What closes more stands for what is not known, as in the rows.

>>> import pyarrow as pa
>>> from robosieve.arrow import census
>>> from robosieve.census import studies
>>> body = b"User-agent: GPTBot\\nAllow: /\\n\\nUser-agent: *\\nDisallow: /cart\\n"
>>> rows = studies.classes(census(pa.array([body]), "GPTBot,CCBot"))
>>> [rows[name][0].as_py() for name in ("agent", "restriction", "somesite", "explicitly_allowed", "ruleset")]
['GPTBot', 'none', 'no_restrictions', True, True]
>>> rows["somesite"][1].as_py()
'partially_disallowed'
"""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["CAUSES", "CLASSES", "Cause", "classes"]

CLASSES = {
    "restriction": {"none": "none", "some": "partial", "all": "full"},
    "consent": {"none": "none", "some": "some", "all": "all"},
    "somesite": {"none": "no_restrictions", "some": "partially_disallowed", "all": "fully_disallowed"},
}
"""The words for what is closed: in general, in *Consent in Crisis*, and in *Somesite I Used to Crawl*."""


def classes(rows: Any) -> Any:
    """Adds the classes of the studies to rows for crawlers.

    Args:
        rows: A ``pyarrow.Table`` with at least the columns ``status``, ``root``, ``named``, ``group``, ``allows`` and
            ``disallows`` of ``robosieve.arrow.CENSUS["agents"]``.

    Returns:
        The table with these columns behind its own:

        - ``restriction``, ``consent``, ``somesite``: the words of ``CLASSES``. Null if nothing is known of the file: it
          is a redirect, or could not be read.
        - ``explicitly_allowed``: a user-agent line names the crawler itself, and every path is allowed.
        - ``ruleset``: a user-agent line names the crawler itself, and its group has a rule that is not empty, so Common
          Crawl's rulesets should have the crawler.

    Raises:
        KeyError: If there is no such column.
        ValueError: If a column of the result is there already.
    """
    import pyarrow.compute as pc

    taken = [name for name in (*CLASSES, "explicitly_allowed", "ruleset") if name in rows.column_names]
    if taken:
        raise ValueError(f"there is a column {taken[0]!r} already: rename it")
    status, root, named = rows["status"], rows["root"], pc.fill_null(rows["named"], False)
    # Without rules, the site as a whole is open or closed.
    closed = pc.if_else(pc.is_in(status, _any("none", "some", "all")), status, pc.if_else(root, "none", "all"))
    rules = pc.greater(pc.add(pc.fill_null(rows["allows"], 0), pc.fill_null(rows["disallows"], 0)), 0)
    table = rows
    for study, words in CLASSES.items():
        names = pc.index_in(closed, value_set=_any(*words))
        table = table.append_column(study, pc.take(_any(*words.values()), names))
    allowed = pc.and_(named, pc.fill_null(pc.equal(closed, "none"), False))
    table = table.append_column("explicitly_allowed", allowed)
    return table.append_column("ruleset", pc.and_(named, rules))


def _any(*words: str) -> Any:
    import pyarrow as pa

    return pa.array(words, pa.string())


@dataclasses.dataclass(frozen=True)
class Cause:
    """Why the parser of a study gives another class, with the smallest file that shows it."""

    study: str
    """``consent``, ``somesite`` or ``ruleset``."""
    name: str
    body: bytes
    agent: str
    right: str | bool
    """The class by RFC 9309: what ``classes`` has in the column of the study."""
    found: str | bool
    """The class that the parser of the study gives."""


_SEVERAL = b"User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"

CAUSES = (
    Cause("consent", "of several crawlers only the last has the rules", _SEVERAL, "GPTBot", "all", "none"),
    Cause("consent", "a star at the end", b"User-agent: GPTBot\nDisallow: /*\n", "GPTBot", "all", "some"),
    Cause("consent", "a blank before the colon", b"User-agent: GPTBot\nDisallow : /\n", "GPTBot", "all", "none"),
    Cause("consent", "a version after the name", b"User-agent: GPTBot/1.0\nDisallow: /\n", "GPTBot", "all", "none"),
    Cause("consent", "another case", b"User-agent: gptbot\nDisallow: /\n", "GPTBot", "all", "none"),
    Cause("consent", "the file itself is allowed", b"User-agent: GPTBot\nAllow: /robots.txt\nDisallow: /\n", "GPTBot",
          "all", "some"),
    Cause("consent", "a byte order mark", b"\xef\xbb\xbfUser-agent: GPTBot\nDisallow: /\n", "GPTBot", "all", "none"),
    Cause("ruleset", "of several crawlers only the last has the rules", _SEVERAL, "GPTBot", True, False),
    Cause("somesite", "two paths are asked, and another one is allowed",
          b"User-agent: GPTBot\nDisallow: /\nAllow: /x\n", "GPTBot", "partially_disallowed", "fully_disallowed"),
)
"""Why the studies' parsers differ. ``crates/census/studies/compare`` counts them in a folder of files."""
