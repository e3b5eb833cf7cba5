"""Times of usual calls, next to those of two others. README.md has the command."""

import io
import gzip
from functools import partial

import fastrobots
import pyarrow as pa
import pytest
from protego import Protego
from robosieve import Robots, arrow, sieve, warc

SHORT = b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /account/\n"
LONG = SHORT + b"".join(b"Disallow: /section-%d/private\n" % number for number in range(60))
URL = "https://shop.example/cart/1"
PATH = fastrobots.url_path(URL)
FILES = pytest.mark.parametrize("file", [SHORT, LONG], ids=["short", "long"])

CALLS = {
    "parse and a verdict": lambda file: lambda: Robots.parse(file).can_fetch(URL, "MyBot"),
    "parse and a verdict of protego": lambda file: lambda: Protego.parse(file.decode()).can_fetch(URL, "MyBot"),
    "parse and a verdict of fastrobots": lambda file: lambda: fastrobots.Robots.parse(file.decode()).allowed(PATH, "MyBot"),
    "a verdict": lambda file: partial(Robots.parse(file).can_fetch, URL, "MyBot"),
    "sieve": lambda file: lambda: not sieve(file, "MyBot").text,
}


@FILES
@pytest.mark.parametrize("call", CALLS)
def test_a_call(benchmark, call, file):
    assert not benchmark(CALLS[call](file))


def test_sieve_of_a_column(benchmark):
    column = pa.array([SHORT, LONG] * 1_000)
    assert len(benchmark(lambda: arrow.sieve(column, "MyBot"))) == 2_000


def test_an_archive(benchmark):
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://e.com/robots.txt\r\nContent-Length: %d\r\n\r\n"
    packed = gzip.compress(head % len(LONG) + LONG + b"\r\n\r\n") * 2_000
    assert benchmark(lambda: sum(map(len, warc.read(io.BytesIO(packed), "MyBot")))) == 2_000
