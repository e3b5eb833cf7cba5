"""What several tests use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

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
