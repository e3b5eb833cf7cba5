"""``python -m robosieve``: filters a robots.txt file, or answers for URLs, as the command ``robosieve`` does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO, NoReturn

from . import Refused, Robots, Unpacked, UnpackError, __version__, sieve, unpack
from ._core import _doubts, _printable, _read_as, _url_error

MAX_BYTES = 512_000
"""The limit of the dialects ``standard`` and ``processor``."""

MAX_OVERHEAD = 16 + 65_536
"""How much longer a packed file may be: bytes that show that there was more, headers, and what does not get smaller."""

FINE, DISALLOWED, FAILED, REFUSED = range(4)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        tell(f"{message}; try `python -m robosieve --help`")
        sys.exit(FAILED)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text}: write a whole number, for example 10000")
    # No file has as many bytes, nor a report as many findings.
    return int(text) if len(text) < 19 else sys.maxsize


def _most(text: str) -> int:
    return sys.maxsize if text == "none" else _count(text)


def _arguments() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m robosieve",
        usage="%(prog)s [options] --agent NAME FILE [URL ...]",
        description="Prints the canonical text of a robots.txt file for your crawler, and a summary on the standard "
        "error. With URLs, prints whether your crawler may fetch them, and which line decides.",
        epilog="Exit codes: 0 success, all URLs are allowed; 1 a URL is disallowed; 2 wrong arguments, or a file that "
        "cannot be read; 3 refused by --on-over-limit.",
    )
    # Not required here, so that a wrong flag is said first.
    parser.add_argument("file", metavar="FILE", nargs="?",
                        help="the robots.txt file, or packed with gzip or zstd; - for the standard input")
    parser.add_argument("urls", metavar="URL", nargs="*", help="a URL or a path, as /cart?x=1")
    parser.add_argument("--agent", metavar="NAME", action="append",
                        help="your crawler's product token; several, the preferred first")
    parser.add_argument("--dialect", choices=["standard", "google", "processor"], help="whose reading [default: standard]")
    parser.add_argument("--form", choices=["faithful", "portable"], help="whom the text is for [default: faithful]")
    parser.add_argument("--on-over-limit", dest="over_limit", choices=["drop", "widen", "refuse"],
                        help="what happens to a rule over a limit [default: drop]")
    parser.add_argument("--max-bytes", metavar="N", type=_count, help="bytes that are read of the file [default: 512000]")
    parser.add_argument("--max-findings", metavar="N", type=_most, help="findings that a report shows, or none for all [default: 100]")
    parser.add_argument("--report", choices=["text"], help="print the whole report, not a summary")
    parser.add_argument("--quiet", "-q", action="store_true", help="print no summary")
    parser.add_argument("--version", action="version", version=f"robosieve {__version__}")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit code."""
    parser = _arguments()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.error("the following arguments are required: FILE, --agent")
    # Which flag is wrong says more than which is missing.
    given, unknown = parser.parse_known_intermixed_args(arguments)
    if unknown:
        parser.error(f"there is no option {_name(unknown[0])}")
    if given.file is None:
        parser.error("name a robots.txt file, or `-` for the standard input")
    if not given.agent:
        parser.error("name an agent: `--agent MyBot`, your crawler's product token")
    try:
        options = _options(given)
        if (note := _read_as(given.agent)) and not given.quiet:
            tell(note)
        wrong = next(((url, error) for url in given.urls if (error := _url_error(os.fsencode(url)))), None)
        if wrong and os.path.isfile(wrong[0]):
            tell(f"{_name(wrong[0])} is a file, not a URL: one robots.txt file comes before the URLs\n"
                 "  try `python -m robosieve --help`")
            return FAILED
        if wrong:
            tell(f"`{_printable(os.fsencode(wrong[0]))}` cannot be tested as a URL: {wrong[1]}\n"
                 "  try `python -m robosieve --help`")
            return FAILED
        body = _read(given.file, given.quiet, None if given.dialect == "google" and not given.max_bytes
                     else (given.max_bytes or MAX_BYTES))
        return _test(given, body, options) if given.urls else _filter(given, body, options)
    except Refused as refused:
        tell(f"{_name(given.file)}: {refused}")
        return REFUSED
    except OSError as error:
        if given.file.lower().startswith(("http://", "https://")):
            tell(f"{_name(given.file)}: this is a URL, not a file: `curl -sSfL URL | python -m robosieve - --agent MyBot` "
                 "reads what is there\n  try `python -m robosieve --help`")
            return FAILED
        tell(f"{_name(given.file)}: {error.strerror or error}; check that it is a file that can be read")
        return FAILED
    except UnpackError as error:
        tell(f"{_name(given.file)}: {error}; get it once more, or unpack it and see")
        return FAILED
    except ValueError as error:
        tell(str(error))
        return FAILED


def _options(given: argparse.Namespace) -> dict[str, Any]:
    options = {"dialect": given.dialect, "form": given.form, "over_limit": given.over_limit}
    if given.max_bytes is not None:
        options["limits"] = {"max_bytes": given.max_bytes}
    if given.max_findings is not None:
        options["max_findings"] = given.max_findings
    return options


def _read(file: str, quiet: bool, max_bytes: int | None) -> Unpacked:
    """As much of a file as can matter, unpacked."""
    most = sys.maxsize if max_bytes is None else max_bytes
    with open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-") as opened:
        packed = opened.read() if max_bytes is None else _first(opened, max_bytes + MAX_OVERHEAD)
    content = unpack(packed, max_bytes=most)
    if file == "-" and not content.bytes and not quiet:
        tell("the standard input is empty, and an empty robots.txt allows everything: if it was piped in from a download, that "
             "may have failed")
    if not content.complete and len(content.bytes) <= most:
        tell(f"{_name(file)}: the {'gzip' if packed[0] == 0x1F else 'zstd'} data ends early, so this is only a part of the "
             "file: what it does not say counts as disallowed; get it once more")
    return content


def _first(opened: BinaryIO, most: int) -> bytes:
    """At most so many bytes. Memory for them is taken only if they are there."""
    parts: list[bytes] = []
    while most > 0 and (part := opened.read(min(most, 1 << 20))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _filter(given: argparse.Namespace, body: Unpacked, options: dict[str, Any]) -> int:
    sieved = sieve(body, given.agent, **options)
    print_all(sieved.text)
    if given.report or not given.quiet:
        tell(f"{_name(given.file)}: {sieved.summary(whole=given.report is not None)}")
    return FINE


def _test(given: argparse.Namespace, body: Unpacked, options: dict[str, Any]) -> int:
    doubts = _doubts(body, given.agent, **options)
    if doubts and not given.quiet:
        tell(f"{_name(given.file)}: {doubts}")
    robots = Robots.parse(body, **options)
    urls = [os.fsencode(url) for url in given.urls]
    verdicts = [robots.test(url, given.agent) for url in urls]
    if not given.quiet:
        lines = ((verdict, _printable(url)) for verdict, url in zip(verdicts, urls, strict=True))
        print_all("".join(f"{'allowed' if it else 'disallowed'}\t{url}\t{it.why}\n" for it, url in lines))
    return FINE if all(verdicts) else DISALLOWED


def _name(file: str) -> str:
    return _printable(os.fsencode(file))


def print_all(text: str) -> None:
    """Writes text to the standard output, in UTF-8 everywhere. A closed pipe is no error."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(message: str) -> None:
    """Writes a message to the standard error."""
    print(f"robosieve: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
