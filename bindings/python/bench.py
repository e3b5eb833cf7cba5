"""Times of usual calls, next to those of two others: `pip install pytest-benchmark protego fastrobots`, then `python -m
pytest bench.py`."""

import io
import gzip

import fastrobots
import pyarrow as pa
import pytest
from protego import Protego
from robosieve import Robots, arrow, sieve, warc

SHORT = b"User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /account/\n"
LONG = SHORT + b"".join(b"Disallow: /section-%d/private\n" % number for number in range(60))
URL = "https://shop.example/cart/1"
FILES = pytest.mark.parametrize("file", [SHORT, LONG], ids=["short", "long"])


@FILES
def test_parse_and_a_verdict(benchmark, file):
    assert not benchmark(lambda: Robots.parse(file).can_fetch(URL, "MyBot"))


@FILES
def test_parse_and_a_verdict_of_protego(benchmark, file):
    assert not benchmark(lambda: Protego.parse(file.decode()).can_fetch(URL, "MyBot"))


@FILES
def test_parse_and_a_verdict_of_fastrobots(benchmark, file):
    path_of, parse = fastrobots.url_path, fastrobots.Robots.parse
    assert not benchmark(lambda: parse(file.decode()).allowed(path_of(URL), "MyBot"))


@FILES
def test_a_verdict(benchmark, file):
    robots = Robots.parse(file)
    assert not benchmark(lambda: robots.can_fetch(URL, "MyBot"))


@FILES
def test_sieve(benchmark, file):
    assert benchmark(lambda: sieve(file, "MyBot").text)


def test_sieve_of_a_column(benchmark):
    column = pa.array([SHORT, LONG] * 1_000)
    assert len(benchmark(lambda: arrow.sieve(column, "MyBot"))) == 2_000


def test_an_archive(benchmark):
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://e.com/robots.txt\r\nContent-Length: %d\r\n\r\n"
    packed = gzip.compress(head % len(LONG) + LONG + b"\r\n\r\n") * 2_000
    assert benchmark(lambda: sum(map(len, warc.read(io.BytesIO(packed), "MyBot")))) == 2_000
