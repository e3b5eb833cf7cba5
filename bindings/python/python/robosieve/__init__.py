r"""A hardened robots.txt filter and tester for files that come from anywhere on the web.

``sieve`` turns untrusted bytes into a bounded canonical text, an honest report and verdicts. ``Robots`` is a file that
is parsed once and answers for any agent. ``explain``, ``lint`` and ``diff`` tell people what a file means;
``robosieve.answers`` has the types of what they return. ``signals`` says what may be done with a page, by its headers,
its HTML, ``tdmrep.json`` and robots.txt.

>>> sieved = sieve(b"\xef\xbb\xbfUseragent: *\r\nDisalow: /cart # not for bots\r\n", "MyBot")
>>> sieved.text, sieved.exact, sieved.can_fetch("https://shop.example/cart/1")
('User-agent: *\nDisallow: /cart\n', True, False)
>>> robots = Robots.parse(b"User-agent: *\nDisallow: /cart\n")
>>> robots.can_fetch("https://shop.example/cart/1", "MyBot")
False

Drop-in replacements are in ``robosieve.protego``, ``robosieve.robotparser`` and ``robosieve.scrapy``, columns in
``robosieve.arrow``, archives in ``robosieve.warc``, and Spark in ``robosieve.spark``. ``robosieve.gate`` says
whether a URL may be fetched now; ``GateCore`` is the same for a client of your own.

No content of a file, URL or agent raises an error. Only wrong arguments do: ``TypeError`` and ``ValueError``. ``unpack``
reads packed files, and raises ``UnpackError`` for bytes that are known to be wrong.
"""

from ._core import (
    GateCore,
    Refused,
    Robots,
    Sieved,
    Step,
    UnpackError,
    Verdict,
    __version__,
    diff,
    explain,
    lint,
    sieve,
    signals,
    unpack,
)
from ._values import ContentUse, Finding, Limits, Options, Report, RequestRate, Unpacked, VisitTime

__all__ = [
    "ContentUse",
    "Finding",
    "GateCore",
    "Limits",
    "Options",
    "Refused",
    "Report",
    "RequestRate",
    "Robots",
    "Sieved",
    "Step",
    "UnpackError",
    "Unpacked",
    "Verdict",
    "VisitTime",
    "__version__",
    "diff",
    "explain",
    "lint",
    "sieve",
    "signals",
    "unpack",
]
