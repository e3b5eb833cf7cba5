from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Literal, Protocol, SupportsIndex, TypeAlias, final

from typing_extensions import Buffer, Self, Unpack

from . import answers
from ._values import ContentUse, Json, Options, RequestRate, Unpacked, VisitTime

__all__ = [
    "Finding",
    "GateCore",
    "Refused",
    "Report",
    "Robots",
    "Sieved",
    "Signals",
    "Step",
    "UnpackError",
    "Verdict",
    "_Archive",
    "__version__",
    "_doubts",
    "_finding_classes",
    "_harmless",
    "_printable",
    "_read_as",
    "_report",
    "_sieve_column",
    "_signals_column",
    "_url_error",
    "_verdict_column",
    "diff",
    "explain",
    "lint",
    "sieve",
    "signals",
    "unpack",
]

__version__: str

_Body: TypeAlias = str | Buffer | Unpacked
_Url: TypeAlias = str | Buffer
_Agent: TypeAlias = str | bytes | bytearray
_Agents: TypeAlias = _Agent | Sequence[_Agent] | Iterator[_Agent]

class Refused(ValueError):
    """A file that exceeds a limit, with ``over_limit="refuse"``; or one that cannot be widened, with "widen"."""

class UnpackError(ValueError):
    """A packed file that cannot be unpacked: its bytes are known to be wrong."""

@final
class Finding:
    r"""One thing that was found in a file. It can be compared, hashed and pickled.

    >>> robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report.findings
    [<Finding line 2: a misspelled directive was understood [field.typo]>]
    """
    def __new__(cls, line: int, kind: str, effect: str = "none") -> Self: ...
    @property
    def line(self) -> int:
        """The line of the file, from 1."""
    @property
    def kind(self) -> str:
        """What was found: a stable name, as in ``misspelled-directive``."""
    @property
    def severity(self) -> Literal["loss", "suspect", "repair", "ignored", "note"]:
        """How much it matters: ``loss``, ``suspect``, ``repair``, ``ignored`` or ``note``."""
    @property
    def effect(self) -> Literal["none", "more-permissive", "more-restrictive", "either"]:
        """How it changes the result: ``more-permissive``, ``more-restrictive``, ``either`` or ``none``."""
    @property
    def clause(self) -> str:
        """The clause of the specification."""
    @property
    def text(self) -> str:
        """What happened, for people."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Report:
    r"""What was changed, and the effect on verdicts: counts of all findings, and the details of the first
    ``max_findings``. It can be pickled and copied.

    >>> report = robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report
    >>> report.exact, report.counts
    (True, {'misspelled-directive': 1})
    """
    @property
    def exact(self) -> bool:
        """Whether the text gives the same answer as the file for every URL: no loss has an effect."""
    @property
    def input(self) -> str:
        """What the file looks like: ``text``, ``empty``, ``html``, ``json``, ``utf-16`` and so on."""
    @property
    def suspects(self) -> int:
        """The number of suspects: lines that look like a rule and are none, and files that are no robots.txt."""
    @property
    def more_permissive(self) -> int:
        """The number of losses that may allow URLs that the file disallows."""
    @property
    def more_restrictive(self) -> int:
        """The number of losses that may disallow URLs that the file allows."""
    @property
    def either(self) -> int:
        """The number of losses of which it is not known whether they permit more or less."""
    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each kind."""
    @property
    def findings(self) -> list[Finding]:
        """The findings that are kept in detail, by line: a list of ``Finding``."""
    def to_dict(self) -> answers.Report:
        """The report as a dict of plain values: that of the command's JSON."""

@final
class Verdict:
    r"""The answer to a URL: whether it may be fetched, and why.

    Its truth value is ``allowed``. It can be compared, hashed and pickled.

    >>> verdict = robosieve.Robots.parse("User-agent: *\nDisallow: /x\n").test("/x/y", "MyBot")
    >>> verdict.allowed, verdict.line, verdict.rule, verdict.reason
    (False, 2, 'Disallow: /x', 'rule')
    >>> print(verdict)
    disallowed: line 2: Disallow: /x (group * applies)
    """
    def __new__(
        cls,
        allowed: bool,
        line: int | None = None,
        rule: str | None = None,
        reason: str = "no-rule",
        why: str = "",
        documented: str | None = None,
    ) -> Self: ...
    @property
    def allowed(self) -> bool:
        """Whether the URL may be fetched."""
    @property
    def line(self) -> int | None:
        """The line of the rule that decided, or None."""
    @property
    def rule(self) -> str | None:
        """The rule that decided, as in ``Disallow: /x``, or None. Printable ASCII."""
    @property
    def reason(self) -> str:
        """``rule``, ``no-rule`` (no rule matches), ``no-record`` (no group applies), ``robots-txt`` (always allowed),
        ``incomplete`` (the file is not whole, and no rule is known), or ``not-a-url``.
        """
    @property
    def why(self) -> str:
        """The reason for people: the line, the rule, and whose group applies."""
    @property
    def documented(self) -> str | None:
        """
        The page of a known crawler's owner that documents it, if by the name alone another group would apply; or None.
        """
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Robots:
    r"""A robots.txt file, parsed once. It answers for any agent and URL.

    It cannot be changed, any threads can use it at the same time, and it can be pickled. It reads the whole file, up to
    ``limits={"max_bytes": 512_000}``.

    >>> robots = robosieve.Robots.parse(b"User-agent: *\nDisallow: /cart\nCrawl-delay: 2.5\n")
    >>> robots.can_fetch("https://shop.example/cart/1", "MyBot")
    False
    >>> robots.can_fetch("https://shop.example/", "MyBot/1.0 (+https://example.com/bot)")
    True
    >>> robots.crawl_delay("MyBot")
    2.5
    """
    def __new__(cls, body: _Body, **options: Unpack[Options]) -> Self: ...
    @staticmethod
    def parse(body: _Body, **options: Unpack[Options]) -> Robots:
        r"""Parses a file.

        Args:
            body: The file: bytes, any buffer, or str. No content raises an error.
            **options: How it is read; see ``robosieve.Options``.

        Raises:
            TypeError: If the body is neither bytes nor str, or an option does not exist.
            ValueError: If the value of an option does not exist.

        >>> robosieve.Robots.parse("User-agent: *\nDisallow: /", dialect="google").can_fetch("/robots.txt", "MyBot")
        False
        """
    def can_fetch(self, url: _Url, agents: _Agents) -> bool:
        r"""Whether these agents may fetch a URL.

        Args:
            url: An absolute URL, or a path with its query: str or bytes.
            agents: A product token, as in ``"MyBot"``, a whole User-Agent header, or several, the preferred first.

        Raises:
            TypeError: If an argument has another type.
            ValueError: If an agent is empty, or is a URL. ``Refused`` with ``over_limit="refuse"``.

        >>> robosieve.Robots.parse("User-agent: a\nDisallow: /").can_fetch("/x", ["b", "a"])
        False
        """
    def test(self, url: _Url, agents: _Agents) -> Verdict:
        r"""Like ``can_fetch``, with the line and the rule that decided.

        >>> robosieve.Robots.parse("User-agent: *\nDisallow: /x").test("/x", "MyBot").line
        2
        """
    def crawl_delay(self, agents: _Agents) -> float | None:
        r"""The crawl delay of these agents in seconds, or None. Of several, the longest; at most a day.

        >>> robosieve.Robots.parse("User-agent: *\nCrawl-delay: 10").crawl_delay("MyBot")
        10.0
        """
    def request_rate(self, agents: _Agents) -> RequestRate | None:
        r"""The request rate of these agents, a ``robosieve.RequestRate``, or None. Of several, the slowest.

        >>> robosieve.Robots.parse("User-agent: *\nRequest-rate: 1/10m 0600-0845").request_rate("MyBot")
        RequestRate(requests=1, seconds=600, start_time=datetime.time(6, 0), end_time=datetime.time(8, 45))
        """
    def visit_time(self, agents: _Agents) -> VisitTime | None:
        r"""The first visit time of these agents in UTC, a ``robosieve.VisitTime``, or None.

        >>> robosieve.Robots.parse("User-agent: *\nVisit-time: 0200-0630").visit_time("MyBot")
        VisitTime(start_time=datetime.time(2, 0), end_time=datetime.time(6, 30))
        """
    def content_signals(self, agents: _Agents) -> list[ContentUse]:
        r"""What the Content-Signal lines of these agents say: a list of ``robosieve.ContentUse``.

        >>> robosieve.Robots.parse("User-agent: *\nContent-Signal: search=yes, ai-train=no").content_signals("MyBot")
        [ContentUse(path='', uses={'search': 'yes', 'ai-train': 'no'})]
        """
    def content_usage(self, url: _Url, agents: _Agents) -> dict[str, bool]:
        r"""
        What the content of a URL may be used for, by the Content-Usage lines of these agents: each use that they allow
        or disallow. Those of the longest path that matches count. They say nothing of a URL that is disallowed.

        >>> robots = robosieve.Robots.parse("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y")
        >>> robots.content_usage("https://example.com/open/1", "MyBot"), robots.content_usage("/", "MyBot")
        ({'train-ai': True}, {'train-ai': False})
        """
    @property
    def sitemaps(self) -> list[str]:
        """The URLs of the sitemaps, in the order of the file, each once."""
    @property
    def preferred_host(self) -> str | None:
        """The main host of the site, from its Host line, or None."""
    def __getnewargs_ex__(self) -> tuple[tuple[bytes], Options]: ...

@final
class Sieved:
    r"""The result of ``sieve``: a text, a report, and verdicts. It cannot be changed, and it can be pickled.

    >>> sieved = robosieve.sieve(b"User-agent: *\nDisallow: /cart # not for bots\n", "MyBot")
    >>> sieved.text
    'User-agent: *\nDisallow: /cart\n'
    >>> sieved.can_fetch("/cart/1")
    False
    """
    def __new__(cls, body: _Body, agents: _Agents | None, **options: Unpack[Options]) -> Self: ...
    @property
    def text(self) -> str:
        """The canonical text: printable ASCII, never empty."""
    @property
    def report(self) -> Report:
        """What was changed, and the effect on verdicts: a ``Report``."""
    @property
    def exact(self) -> bool:
        """Whether the text gives the same answer as the file for every URL."""
    @property
    def answered_by(self) -> Literal["agent", "everyone", "nobody", "all"]:
        """
        Whose group applies: ``agent``, ``everyone`` (the group for ``*``), ``nobody``, or ``all`` without agents.
        """
    @property
    def documented(self) -> str | None:
        """
        The page of a known crawler's owner that documents it, if by the name alone another group would apply; or None.
        """
    @property
    def agent(self) -> str | None:
        """The requested agent whose group applies, or None."""
    @property
    def sitemaps(self) -> list[str]:
        """The URLs of the sitemaps, each once."""
    def can_fetch(self, url: _Url) -> bool:
        r"""Whether the agents may fetch a URL, by the whole file: rules that did not fit into the text count too.

        Raises:
            TypeError: If the URL is neither str nor bytes.
            ValueError: ``Refused`` with ``over_limit="refuse"``, if the file is longer than ``max_bytes``.

        >>> robosieve.sieve("User-agent: *\nDisallow: /x", "MyBot").can_fetch("https://example.com/y")
        True
        """
    def test(self, url: _Url) -> Verdict:
        r"""Like ``can_fetch``, with the line and the rule that decided: a ``Verdict``.

        >>> print(robosieve.sieve("User-agent: *\nDisallow: /x", "MyBot").test("/x"))
        disallowed: line 2: Disallow: /x (group * applies)
        """
    def summary(self, *, whole: bool = False) -> str:
        """A summary in lines, for people. The whole report with ``whole=True``."""
    def __getnewargs_ex__(self) -> tuple[tuple[bytes, list[bytes] | None], Options]: ...

def sieve(body: _Body, agents: _Agents | None, **options: Unpack[Options]) -> Sieved:
    r"""Filters a file for some agents: untrusted bytes in, a bounded canonical text, a report and verdicts out.

    Args:
        body: The file: bytes, any buffer, or str. No content raises an error.
        agents: A product token, as in ``"MyBot"``, a whole User-Agent header, or several, the preferred first. None
            keeps all groups.
        **options: How the file is read; see ``robosieve.Options``.

    Raises:
        TypeError: If an argument has another type, or an option does not exist.
        ValueError: If the value of an option does not exist, or an agent is empty. ``Refused`` with
            ``over_limit="refuse"``, if the file exceeds a limit.

    >>> robosieve.sieve(b"\xef\xbb\xbfUseragent: *\r\nDisalow: /x # no\r\n", "MyBot").text
    'User-agent: *\nDisallow: /x\n'
    """
def unpack(body: str | Buffer, *, max_bytes: int = 512_000) -> Unpacked:
    r"""Unpacks a file that is packed with gzip or zstd. Other bytes are returned as they are.

    Args:
        body: The file: bytes, any buffer, or str.
        max_bytes: The most bytes that are unpacked, and 16 more: give the limit with which the file is read.

    Returns:
        An ``Unpacked``. Give it, or its ``bytes``, to ``sieve``, ``Robots`` and the others: if it is not ``complete``, it
        is read as a part of a file, which allows no more than the whole.

    Raises:
        UnpackError: If the bytes are known to be wrong: by their checksum, for example.

    >>> import gzip
    >>> packed = gzip.compress(b"User-agent: *\nDisallow: /cart\n")
    >>> robosieve.unpack(packed)
    Unpacked(bytes=b'User-agent: *\nDisallow: /cart\n', complete=True)
    >>> robosieve.Robots.parse(robosieve.unpack(packed[:14])).can_fetch("/", "MyBot")
    False
    """
def explain(body: _Body, agents: _Agents | None = None, **options: Unpack[Options]) -> answers.Page:
    r"""Explains a file line by line: what each line means, whether it applies to the agents, and what was found on it.

    Args:
        body: The file: bytes, any buffer, or str.
        agents: As for ``sieve``. None explains what the file says to all agents.
        **options: How the file is read; see ``robosieve.Options``.

    Raises:
        TypeError, ValueError: As ``sieve``. A file that is refused raises nothing; the result says so.

    >>> page = robosieve.explain("User-agent: *\nDisalow: tmp", "MyBot")
    >>> page["lines"][1]["meaning"]
    {'is': 'rule', 'kind': 'disallow', 'pattern': '/tmp', 'as_written': False}
    """
def lint(body: _Body, **options: Unpack[Options]) -> answers.Linted:
    r"""Tells the owner of a file which lines do not do what they seem to, and what to write instead.

    Args:
        body: The file: bytes, any buffer, or str.
        **options: How the file is read; see ``robosieve.Options``.

    Raises:
        TypeError, ValueError: As ``sieve``.

    >>> found = robosieve.lint("User-agent: *\nDisallow: https://example.com/private/")["lints"][0]
    >>> found["kind"], found["line"], found["fix"]["lines"], found["fix"]["safe"]
    ('url-in-rule', 2, ['Disallow: /private/'], False)
    """
def diff(old: _Body, new: _Body, agents: _Agents, **options: Unpack[Options]) -> answers.Changes:
    r"""Compares what two files say to the agents: changed rules, each with a URL that shows the change.

    Args:
        old: The older file: bytes, any buffer, or str.
        new: The newer file.
        agents: As for ``sieve``.
        **options: How the files are read; see ``robosieve.Options``.

    Raises:
        TypeError, ValueError: As ``sieve``.

    >>> changed = robosieve.diff("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /b", "MyBot")
    >>> changed["same"], [(flip["path"], flip["allowed"]) for flip in changed["flips"]]
    (False, [('/b', False), ('/a', True)])
    """
class _Response(Protocol):
    """A response of a client: its headers are a mapping, or have one. It also has ``url``, and a body."""
    @property
    def headers(self) -> object: ...

_Page: TypeAlias = _Url | _Response
_Time: TypeAlias = SupportsIndex | float | str | datetime | None
_Header: TypeAlias = str | bytes | list[str] | list[bytes]
_Lines: TypeAlias = Mapping[str, _Header] | Mapping[bytes, _Header] | Iterable[tuple[str | bytes, _Header]]
_Headers: TypeAlias = str | Buffer | _Lines

@final
class Signals:
    """
    What a page's headers, its HTML, ``tdmrep.json`` and robots.txt say of its use: read once, for any agent and time.

    It cannot be changed, and any threads can use it at the same time. ``signals`` is the same for one question.

    >>> read = robosieve.Signals("/a", headers={"X-Robots-Tag": "googlebot: noindex"})
    >>> [read.answer(agent)["uses"]["index"] for agent in ("MyBot", "Googlebot")]
    ['unsaid', 'no']
    """
    def __new__(
        cls,
        page: _Page,
        *,
        headers: _Headers | None = None,
        html: str | Buffer | None = None,
        robots: _Body | Robots | None = None,
        tdmrep: str | Buffer | None = None,
        **options: Unpack[Options],
    ) -> Self: ...
    def answer(self, agents: _Agents, time: _Time = None) -> answers.SignalsAnswer:
        """What may be done with the page, for an agent, at a time.

        Args:
            agents: As for ``sieve``. Several are the names of one crawler: what is said to any of them holds.
            time: When the page was fetched: seconds since 1970, a ``datetime`` with a time zone, or a text such as
                ``2026-11-27T12:00:00Z``. None is now.

        Returns:
            The command's JSON, as in ``robosieve.answers.SignalsAnswer``.

        Raises:
            TypeError, ValueError: As ``signals``.

        >>> read = robosieve.Signals("/a", headers={"X-Robots-Tag": "unavailable_after: 2026-01-01T00:00:00Z"})
        >>> read.answer("MyBot", 1_700_000_000)["uses"]["index"], read.answer("MyBot", 1_800_000_000)["uses"]["index"]
        ('unsaid', 'no')
        """

def signals(
    page: _Page,
    agents: _Agents,
    *,
    headers: _Headers | None = None,
    html: str | Buffer | None = None,
    robots: _Body | Robots | None = None,
    tdmrep: str | Buffer | None = None,
    time: _Time = None,
    **options: Unpack[Options],
) -> answers.SignalsAnswer:
    r"""
    What may be done with a page, by all that is known of it: its headers, its HTML, ``tdmrep.json`` and robots.txt. The
    strictest one counts.

    Args:
        page: The URL of the page, or its path: str or bytes. Or a response of requests, httpx, aiohttp, urllib3 or
            another client: whatever has ``url`` and ``headers``. Its body has to be read before, or given as ``html``.
        agents: As for ``sieve``. Several are the names of one crawler. For many crawlers make a ``Signals``.
        headers: A mapping, pairs of name and value, or the whole head as text or bytes, as ``curl -D`` writes it.
        html: The page, if it is HTML: bytes or str. 512 KiB of it are read.
        robots: The robots.txt of its host: as for ``sieve``, or a ``Robots``.
        tdmrep: The ``/.well-known/tdmrep.json`` of its host.
        time: When the page was fetched: see ``Signals.answer``. None is now.
        **options: How robots.txt is read; see ``robosieve.Options``.

    Returns:
        The command's JSON: ``uses`` with ``yes``, ``no`` or ``unsaid`` for each use, ``decided_by`` with the place that
        says so, ``limits``, ``licenses`` and ``findings``. ``robosieve.answers.SignalsAnswer`` is its type.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If an agent is empty, or a time cannot be read. ``Refused`` with ``over_limit="refuse"``.

    >>> answer = robosieve.signals(
    ...     "https://shop.example/a", "MyBot",
    ...     headers=[("X-Robots-Tag", "noindex"), ("Content-Signal", "search=yes, ai-train=no")],
    ...     html="<head><meta name=robots content='max-snippet:20'>", robots="User-agent: *\nDisallow: /cart\n")
    >>> answer["uses"]["fetch"], answer["uses"]["index"], answer["uses"]["ai-training"], answer["uses"]["archive"]
    ('yes', 'no', 'no', 'unsaid')
    >>> answer["decided_by"]["index"], answer["limits"]
    ({'source': 'header', 'place': 1, 'text': 'noindex'}, {'max-snippet': 20})
    """
_Column: TypeAlias = tuple[bytes, bytes, bytes | None, int, bool]
_Columns: TypeAlias = tuple[int, list[bytes | None], list["_Columns"]]

def _sieve_column(bodies: _Column, rows: int, agents: _Agents | None, **options: Unpack[Options]) -> _Columns: ...
def _verdict_column(
    bodies: _Column, urls: _Column, rows: int, agents: _Agents | None, by: _Column | None, **options: Unpack[Options]
) -> _Columns: ...
def _signals_column(
    pages: tuple[_Column, _Column | None, _Column | None, _Column | None, _Column | None, _Column | None],
    rows: int,
    agents: _Agents,
    at: _Time,
    **options: Unpack[Options],
) -> _Columns: ...
def _doubts(body: _Body, agents: _Agents, **options: Unpack[Options]) -> str | None: ...
def _read_as(agents: _Agents) -> str | None: ...
def _url_error(url: _Url) -> str | None: ...
def _harmless(bytes: _Url) -> str: ...
def _printable(bytes: _Url) -> str: ...
def _finding_classes() -> dict[str, str]: ...
def _report(copied: dict[str, object]) -> Report: ...

@final
class _Archive:
    def __new__(
        cls,
        source: object,
        name: str | Buffer,
        agents: _Agents | None,
        *,
        all_urls: bool = False,
        raises: bool = True,
        **options: Unpack[Options],
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> _Columns: ...
    @property
    def skipped(self) -> dict[str, int]: ...

@final
class Step:
    """What to do about a URL. Its truth value is whether ``action`` is "go".

    - "go": fetch the page after ``wait`` seconds.
    - "wait": ask again after ``wait`` seconds; if ``reason`` is "turn", give the step to ``again`` then.
    - "no": do not fetch it. ``reason``, and ``rule`` and ``line`` or ``status``, say why; ``until`` is when that may
      change.
    - "fetch": request ``url`` with ``headers`` after ``wait`` seconds, follow no redirect, and give the response to
      ``learn``.
    """
    @property
    def action(self) -> Literal["go", "wait", "no", "fetch"]:
        """``go``, ``wait``, ``no`` or ``fetch``."""
    @property
    def wait(self) -> float:
        """Seconds."""
    @property
    def reason(self) -> str:
        """``allowed``, ``ignored`` (robots.txt is, for this host), ``rule``, ``closed``, ``unreachable``,
        ``disqualified``, ``given-up``, ``pace``, ``in-flight``, ``queue``, ``crowded``, ``crawl-delay``,
        ``retrieving``, ``turn``, ``learnt``, ``robots-txt``, ``not-asked`` or ``store`` (trouble on our side), or
        ``not-a-url``.
        """
    @property
    def why(self) -> str:
        """The reason for people."""
    @property
    def url(self) -> str | None:
        """The robots.txt to request, or None."""
    @property
    def headers(self) -> list[tuple[str, str]]:
        """What makes that request conditional: pairs of name and value."""
    @property
    def rule(self) -> str | None:
        """The rule that forbids it, as in ``Disallow: /x``, or None."""
    @property
    def line(self) -> int | None:
        """The line of the rule, or None."""
    @property
    def status(self) -> int | None:
        """The status that closed the site, or None."""
    @property
    def until(self) -> float | None:
        """When another answer is possible, in seconds since 1970, or None."""
    @property
    def error(self) -> str | None:
        """How the last retrieval of the site's robots.txt ended, if it failed, or None."""
    @property
    def attempts(self) -> int:
        """How many requests that retrieval made; 0 if it did not fail."""
    def join(self) -> None:
        """Waits until the retrieval that another thread makes has ended. Returns at once if there is none."""
    def drop(self) -> None:
        """
        Gives up the retrieval of a "fetch" or a "turn", so that the next caller gets it. A step that nobody holds does
        that by itself.
        """
    def __bool__(self) -> bool: ...

@final
class GateCore:
    r"""Decides whether a URL may be fetched now: remembers sites, and paces requests. It makes no request itself.

    ``ask`` returns a ``Step``: go, wait, no, or fetch this robots.txt first and give the response to ``learn``.
    ``robosieve.gate`` has gates that do so themselves, for threads and for asyncio.

    ``store`` is a file that programs share, and is kept in memory without one. Seconds are ``float``. ``clock`` returns
    the seconds since 1970.

    >>> from robosieve import GateCore
    >>> gate = GateCore("MyBot")
    >>> step = gate.permits("https://shop.example/cart/1")
    >>> step.action, step.url
    ('fetch', 'https://shop.example/robots.txt')
    >>> learnt = gate.learn(step, 200, [("Content-Type", "text/plain")], b"User-agent: *\nDisallow: /cart\n")
    >>> print(gate.permits("https://shop.example/cart/1"))
    no: denied by line 2, Disallow: /cart
    """
    def __new__(
        cls,
        agent: _Agents,
        *,
        store: str | PathLike[str] | None = None,
        policy: Literal["rfc9309", "google", "strict", "processor", "permissive"] = "rfc9309",
        delay: float = 1.0,
        min_delay: float = 0.1,
        max_delay: float = 300.0,
        max_wait: float = 3600.0,
        per: Literal["host", "domain", "address"] = "host",
        allow_private: bool = False,
        allow_ports: Sequence[int] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> Self: ...
    def ask(self, url: _Url) -> Step:
        """May this URL be fetched now? "go" takes the host's next slot: wait ``step.wait`` seconds first."""
    def start(self, url: _Url) -> Step:
        """The same, but it takes a slot only if one is free at this moment. Otherwise: "wait", then start again."""
    def permits(self, url: _Url) -> Step:
        """May this URL be fetched at all? Takes no slot."""
    def learn(
        self,
        step: Step,
        status: int | None = None,
        headers: _Lines | None = None,
        body: str | Buffer | None = None,
        *,
        error: str | None = None,
        asked: bool = True,
        decoded: bool = False,
        broken_off: bool = False,
        address: str | None = None,
    ) -> Step:
        """
        Takes in what the request of a "fetch" came to: a response as it came, redirects too; or the error. Returns the
        next step: "fetch" for the target of a redirect, "wait" with the reason "turn" if that has no turn yet (see
        ``again``), or else "wait", and ask again.

        ``headers`` is a mapping or pairs. ``asked=False``: the request was not made, because of trouble on our side.
        ``decoded``: the client has undone the Content-Encoding, and an end that did not come or a wrong checksum is an
        error there. ``broken_off``: the body is not whole. ``address``: the server's, which is checked.
        """
    def again(self, step: Step) -> Step:
        """
        Goes on with a retrieval whose next request had no turn: ``step.reason`` is "turn", and ``step.wait`` is over.
        Returns the next step.
        """
    def observe(
        self,
        url: _Url,
        status: int | None = None,
        *,
        retry_after: float | None = None,
        took: float = 0.0,
    ) -> None:
        """Takes in how a page's request ended: after a 429 or 503 its host is asked less often."""
    def delay(self, url: _Url) -> float:
        """The seconds between two requests to a URL's host, as far as its robots.txt is known."""
    def admits(self, address: str) -> bool:
        """Whether a client may connect to this address to retrieve a robots.txt."""
    def counts(self) -> dict[str, dict[str, int]]:
        """What it counted since it began: answers by kind, and retrievals by outcome."""
