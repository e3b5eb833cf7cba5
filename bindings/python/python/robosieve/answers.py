"""The types of answers: what ``explain``, ``lint``, ``diff``, ``signals`` and ``Report.to_dict`` return, as plain values.

>>> from robosieve import lint
>>> from robosieve.answers import Linted
>>> found: Linted = lint("User-agent: *\\nDisalow: /x")
>>> found["lints"][0]["kind"]
'misspelled-directive'
"""

import sys
from typing import TYPE_CHECKING, Literal, Optional, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired
else:
    NotRequired = Optional

#: What a finding does to answers.
Effect = Literal["none", "more-permissive", "more-restrictive", "either"]
Kind = Literal["allow", "disallow"]


class Finding(TypedDict):
    """What was found at a line, or of the whole file (None); the words are in a page."""

    line: int | None
    kind: str
    effect: Effect


class Input(TypedDict):
    """What the first bytes of a file look like: text, html, json, utf-16 ..."""

    kind: str
    format: NotRequired[str]


class Report(TypedDict):
    """What was found, by kind, and the first findings. ``losses`` are those that may change answers, by the effect."""

    input: Input
    exact: bool
    losses: dict[Literal["more_permissive", "more_restrictive", "either"], int]
    suspects: int
    counts: dict[str, int]
    findings: list[Finding]


# "is" and "class" are Python's words.
PlainMeaning = TypedDict("PlainMeaning", {"is": Literal["blank", "comment", "left-out", "not-read"]})
UserAgentMeaning = TypedDict("UserAgentMeaning", {"is": Literal["user-agent"], "name": str})
#: ``as_written``: the line has the pattern, or value, as it is used.
RuleMeaning = TypedDict("RuleMeaning", {"is": Literal["rule"], "kind": Kind, "pattern": str, "as_written": bool})
#: A value of a group: for all agents of the group if it is ``shared``, or else for those directly above it.
ExtensionMeaning = TypedDict(
    "ExtensionMeaning", {"is": Literal["extension"], "name": str, "value": str, "shared": bool, "as_written": bool}
)
#: A value of the whole file.
FileLineMeaning = TypedDict("FileLineMeaning", {"is": Literal["file-line"], "name": str, "value": str, "as_written": bool})
#: It continues the line with this number.
ContinuedMeaning = TypedDict("ContinuedMeaning", {"is": Literal["continued"], "of": int})
Meaning = PlainMeaning | UserAgentMeaning | RuleMeaning | ExtensionMeaning | FileLineMeaning | ContinuedMeaning
#: What was found at a line, and its words.
LineFinding = TypedDict(
    "LineFinding",
    {
        "kind": str,
        "class": Literal["loss", "suspect", "repair", "ignored", "note"],
        "effect": Effect,
        "clause": str,
        "text": str,
    },
)


class PageLine(TypedDict):
    """A line, what it means, and whether it applies to the agents."""

    line: int
    text: str
    meaning: Meaning
    ours: bool
    findings: list[LineFinding]


class Page(TypedDict):
    """A file line by line.

    documented: The page of a known crawler's owner that documents it, if by the name alone another group would apply.
    read_as: The names that an agent was read as which is neither a name nor a usual header.
    """

    exact: bool
    suspects: int
    input: Input | None
    lines: list[PageLine]
    records: int
    user_agents: int
    refused: Finding | None
    counts: dict[str, int]
    answered_by: NotRequired[Literal["agent", "everyone", "nobody"]]
    agent: NotRequired[str | None]
    documented: NotRequired[str]
    read_as: NotRequired[list[str]]


class Fix(TypedDict):
    """Lines to write instead of ``first`` to ``last``; none to delete them. It was tried on the file.

    safe: Whether it changes nothing: no answer and no value, for no agent, as the standard and as Google read the file;
        and no word is lost. All others are suggestions.
    effect: What it changes and takes away, for people.
    """

    first: int
    last: int
    lines: list[str]
    safe: bool
    effect: str


class LintFinding(TypedDict):
    """What does not do what it seems to, and in which bytes of its line. ``fix`` is null if it is not known, or would do harm."""

    kind: str
    severity: Literal["error", "warning", "note"]
    line: int
    columns: dict[Literal["start", "end"], int]
    clause: str
    effect: Effect
    message: str
    help: str
    fix: Fix | None


class Linted(TypedDict):
    """What does not do what it seems to, errors first.

    withheld: Edits that are not offered: they could not be compared within the bounds, or do harm together with others.
    unlisted: Findings that are counted, but not listed: of each kind, the first 10,000 are.
    """

    input: Input
    errors: int
    warnings: int
    notes: int
    withheld: int
    unlisted: int
    lints: list[LintFinding]
    left_out: int


class Flip(TypedDict):
    """A URL whose answer changed."""

    path: str
    allowed: bool
    old_line: int | None
    new_line: int | None


class ChangedLine(TypedDict):
    """A line that only one of the files has."""

    name: str
    value: str


class ChangedRule(TypedDict):
    """A rule that only one of the files has; or that moved, then with ``old_line``. ``witness``: is there a URL that shows it?

    line: None for a rule that stands for lost ones.
    """

    kind: Kind
    pattern: str
    line: int | None
    old_line: NotRequired[int]
    witness: Literal["found", "impossible", "not-found", "not-searched"]


class Changes(TypedDict):
    """What changed between two files for the agents.

    documented: The agents whose owners document other groups than their names say.
    read_as: The names that an agent was read as which is neither a name nor a usual header.
    """

    same: bool
    answers: Literal["same", "changed", "unknown"]
    rules_added: list[ChangedRule]
    rules_removed: list[ChangedRule]
    rules_moved: list[ChangedRule]
    lines_added: list[ChangedLine]
    lines_removed: list[ChangedLine]
    flips: list[Flip]
    without_witness: int
    not_searched: int
    documented: NotRequired[list[str]]
    read_as: NotRequired[list[str]]
    reports: dict[Literal["old", "new"], Report]


Said = Literal["yes", "no", "unsaid"]
Source = Literal["robots-txt", "header", "html", "tdmrep"]


class SignalsDecided(TypedDict):
    """The place that decided: a line, a header line, or a rule of tdmrep.json, 0 for the whole; and its words."""

    source: Source
    place: int
    text: str


class SignalsFinding(TypedDict):
    """What is worth knowing about a source, and its place."""

    kind: str
    source: Source
    place: int
    text: str


class SignalsLicense(TypedDict):
    """A licence that a source names, its place, and its media type, if one is stated."""

    source: Source
    place: int
    type: NotRequired[str]
    url: str


#: How much of a page may be shown: characters and seconds, -1 for no limit.
SignalsLimits = TypedDict(
    "SignalsLimits",
    {
        "max-snippet": NotRequired[int],
        "max-image-preview": NotRequired[Literal["none", "standard", "large"]],
        "max-video-preview": NotRequired[int],
        "unavailable_after": NotRequired[str],
        "extent": NotRequired[Literal["immediate", "reference", "full"]],
    },
)

#: A use of a page.
Use = Literal[
    "fetch", "index", "follow", "archive", "snippet", "image-index", "translate", "tdm", "ai-training", "ai-use", "search"
]


class SignalsAnswer(TypedDict):
    """What may be done with a page, for an agent, at a time. ``more_findings`` are not listed."""

    uses: dict[Use, Said]
    decided_by: dict[Use, SignalsDecided]
    limits: SignalsLimits
    licenses: list[SignalsLicense]
    findings: list[SignalsFinding]
    more_findings: int
