"""What several tests use."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from sites import Site

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def corpus() -> list[Path]:
    """The small files of the project, one for each hazard."""
    folder = subprocess.check_output([ROOT / "corpus/unfold"], text=True).strip()
    files = sorted(Path(folder).rglob("*.txt"))
    assert len(files) > 30
    return files


@pytest.fixture(scope="session")
def command() -> str:
    """The command of the project, which README.md says how to build; name another with ROBOSIEVE_COMMAND."""
    built = [ROOT / "target" / name / "robosieve" for name in ("release", "debug")]
    for place in [os.environ.get("ROBOSIEVE_COMMAND"), *built]:
        if place and Path(place).exists():
            return str(place)
    pytest.fail("build the command first: cargo build --release -p robosieve-cli --features full; or name it with ROBOSIEVE_COMMAND")


@pytest.fixture(scope="session")
def reported(command):
    """Runs the command, and returns its lines as objects, without what only the command has."""

    def run(*arguments, requests=()):
        asked = "".join(json.dumps(one) + "\n" for one in requests)
        lines = subprocess.run([command, *arguments], input=asked, capture_output=True, text=True).stdout.splitlines()
        return [{name: value for name, value in json.loads(line).items() if name not in ("v", "file", "id")} for line in lines]

    return run


@pytest.fixture
def site():
    """Makes sites, and stops them."""
    made = []

    def make(*arguments):
        made.append(Site(*arguments))
        return made[-1]

    yield make
    for one in made:
        one.close()
