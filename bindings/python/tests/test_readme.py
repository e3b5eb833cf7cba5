"""The example of the project's README: two testers that disagree on a file, and agree on its text."""

import sys
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
import robosieve
from protego import Protego

ROOT = Path(__file__).resolve().parents[3]


def answers(text: str, path: str) -> tuple[str, str]:
    """What urllib and protego say of a path, in the words of the README."""
    url = f"https://shop.example{path}"
    urllib = RobotFileParser()
    urllib.parse(text.splitlines())
    found = (urllib.can_fetch("MyBot", url), Protego.parse(text).can_fetch(url, "MyBot"))
    return tuple("yes" if it else "no" for it in found)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the urllib of later releases is another one")
def test_the_readme_has_what_two_testers_say():
    rows = [line.split("|")[1:-1] for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `/c")]
    file = (ROOT / "examples/robots.txt").read_bytes()
    assert len(rows) == 3
    for path, urllib, protego, both in ([cell.strip(" `") for cell in row] for row in rows):
        assert answers(file.decode(), path) == (urllib, protego)
        assert answers(robosieve.sieve(file, "MyBot").text, path) == (both, both)
