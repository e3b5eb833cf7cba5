"""What results are made of, and the types of options."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypedDict


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds, with the hours (UTC) that it is for, if they are limited."""

    requests: int
    seconds: int
    start_time: datetime.time | None = None
    end_time: datetime.time | None = None


class VisitTime(NamedTuple):
    """A part of the day in UTC. It may extend over midnight."""

    start_time: datetime.time
    end_time: datetime.time


class ContentUse(NamedTuple):
    """What a line says about the use of content: for paths with this beginning, or for all if it is empty."""

    path: str
    uses: dict[str, str]


class Part(bytes):
    """Bytes that are a part of a file: they are read as one, also without ``complete=False``."""


class Unpacked(NamedTuple):
    """What ``unpack`` returns: bytes, and whether they are the whole file. Give it in the place of a file."""

    bytes: bytes
    complete: bool


# From here: made from the table of options.
class Limits(TypedDict, total=False):
    """How much of a file is read and kept. None is no limit. With ``google``, there is none but those given.

    Verdicts are made from the whole file up to ``max_bytes``: the other limits count for them only if they are given.

    max_bytes: Bytes that are read: 512,000.
    max_records: Groups: no limit; 1,000 with ``processor``.
    max_lines: Lines in a group: no limit; 1,000 with ``processor``.
    max_user_agents: User-agent lines: no limit; 1,000 with ``processor``.
    max_directive_length: Bytes of a directive's name: 32.
    max_name_length: Bytes of an agent's name: 200.
    max_value_length: Bytes of a value: 2,000.
    max_wildcards: Wildcards in a path: 10.
    """

    max_bytes: int | None
    max_records: int | None
    max_lines: int | None
    max_user_agents: int | None
    max_directive_length: int | None
    max_name_length: int | None
    max_value_length: int | None
    max_wildcards: int | None


class Options(TypedDict, total=False):
    """How a file is read. Each is a keyword argument; None is the same as leaving it out.

    dialect: Like RFC 9309, like Google's parser (without limits: set some), or like the filter robots-txt-processor.
    order: Which of the rules that match decides: the longest, or the first in the file.
    leniency: Which misspelled directives are understood.
    form: Whom the text is for: readers that know the standard, or also those with bugs and without wildcards.
    newline: The line end of the text.
    fallback: Whether the groups for ``*`` apply if no group names one of the agents: True.
    known: Whether a known crawler uses the groups that its owner documents, if it is named alone: True.
    fold: Whether a line that begins with a blank continues the line before: True, except with ``google``.
    keep_trailing_spaces: Whether blanks at the end of a path stay: False.
    complement_leading_slash: Whether a path without its first slash gets it: True, except with ``google``.
    decode_wildcard: Whether ``%2A`` in a rule is a wildcard: False.
    escaped_wildcard: Whether ``%2A`` counts as a wildcard for the limit: True, except with ``google``.
    keep_unknown: Whether lines with an unknown directive are kept: False.
    any_line_ends_run: Whether any line ends a run of user-agent lines, not only Allow and Disallow: False.
    complete: Whether the bytes are the whole file: True. Of a part, a last line without its end is not read, and a
        group without a rule disallows everything.
    base_url: The URL of the file or its site, to resolve a relative Sitemap.
    max_findings: How many findings a report has in detail: 100. It counts all.
    over_limit: What happens to a rule over a limit: it is dropped and reported, widened, or ``Refused`` is raised.
    limits: Limits by name; see ``Limits``.
    """

    dialect: Literal["standard", "google", "processor"] | None
    order: Literal["longest-match", "file"] | None
    leniency: Literal["strict", "processor", "common", "generous", "prefix"] | None
    form: Literal["faithful", "portable"] | None
    newline: Literal["lf", "crlf"] | None
    fallback: bool | None
    known: bool | None
    fold: bool | None
    keep_trailing_spaces: bool | None
    complement_leading_slash: bool | None
    decode_wildcard: bool | None
    escaped_wildcard: bool | None
    keep_unknown: bool | None
    any_line_ends_run: bool | None
    complete: bool | None
    base_url: str | None
    max_findings: int | None
    over_limit: Literal["drop", "widen", "refuse"] | None
    limits: dict[str, int | None] | Limits | None
# Here is the end of it.


Json = dict[str, Any]
"""The command's JSON, as plain values."""


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that was found in a file.

    ``kind`` is a stable name, as in ``misspelled-directive``; ``severity`` is ``loss``, ``suspect``, ``repair``, ``ignored``
    or ``note``; ``effect`` on the result ``more-permissive``, ``more-restrictive``, ``either`` or ``none``. ``clause`` is
    that of the specification, ``text`` what happened, for people.

    >>> from robosieve import sieve
    >>> sieve("User-agent: *\\nDisalow: /x\\n", "MyBot").report.findings
    [<Finding line 2: a misspelled directive was understood [field.typo]>]
    """

    line: int | None
    kind: str
    effect: str
    severity: str
    clause: str
    text: str
    _words: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<Finding {self}>"


@dataclass(frozen=True, repr=False)
class Report:
    """What was changed, and the effect on verdicts: counts of all findings, and the first ``max_findings`` in detail.

    ``exact``: the text gives the same answer as the file for every URL. ``input`` is what the file looks like: ``text``,
    ``empty``, ``html``, ``json``, ``utf-16`` and so on. ``suspects`` are lines that look like a rule and are none, and files
    that are no robots.txt. The next three count losses by what they may do; of ``either``, nobody knows which.

    >>> from robosieve import sieve
    >>> report = sieve("User-agent: *\\nDisalow: /x\\n", "MyBot").report
    >>> report.exact, report.counts
    (True, {'misspelled-directive': 1})
    """

    exact: bool
    input: str
    suspects: int
    more_permissive: int
    more_restrictive: int
    either: int
    counts: dict[str, int]
    findings: list[Finding]
    _json: str
    _words: str

    @classmethod
    def _of(cls, said: Json, findings: list[tuple[str, str, str, str]], words: str) -> Report:
        """A report of what the command's JSON says, and the words of its findings."""
        found = [
            Finding(one["line"], one["kind"], one["effect"], *more)
            for one, more in zip(said["findings"], findings, strict=True)
        ]
        return cls(
            said["exact"], said["input"]["kind"], said["suspects"], **said["losses"], counts=said["counts"],
            findings=found, _json=json.dumps(said), _words=words,
        )

    def to_dict(self) -> Json:
        """The report as plain values: that of the command's JSON."""
        said: Json = json.loads(self._json)
        return said

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<Report {'exact' if self.exact else 'not exact'}, findings: {sum(self.counts.values())}>"
