"""The documentation, the types and the package."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import robosieve
from robosieve import _core

FOLDER = Path(robosieve.__file__).parent


def documented() -> list[tuple[str, str]]:
    """Each docstring, with its name."""
    found = [("robosieve", robosieve.__doc__)]
    for name, thing in vars(_core).items():
        if name.startswith("_"):
            continue
        found.append((name, thing.__doc__))
        if isinstance(thing, type):
            found += [(f"{name}.{key}", getattr(thing, key).__doc__) for key in vars(thing) if not key.startswith("_")]
    return found


def test_everything_is_documented_and_the_examples_hold():
    """[python.types]"""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    tried = 0
    for name, text in documented():
        assert text and text.strip(), f"{name} has no documentation"
        test = parser.get_doctest(text, {"robosieve": robosieve, **vars(robosieve)}, name, None, None)
        tried += len(test.examples)
        runner.run(test)
    page = (Path(__file__).parents[1] / "README.md").read_text()
    test = parser.get_doctest(page, {}, "README.md", None, None)
    runner.run(test)
    assert len(test.examples) > 5 and tried > 25 and not runner.summarize().failed
    for module in sorted(FOLDER.glob("*.py")):
        if module.stem != "__main__":
            found = doctest.testmod(importlib.import_module(f"robosieve.{module.stem}".removesuffix(".__init__")), extraglobs={"robosieve": robosieve})
            assert not found.failed, module
    for name in ("sieve", "Robots.parse", "Robots.can_fetch"):
        text = dict(documented())[name]
        assert "Args:" in text and "Raises:" in text and ">>>" in text


def test_the_stubs_agree_with_the_module(tmp_path):
    """[python.types]"""
    assert (FOLDER / "py.typed").exists()
    run = [sys.executable, "-m", "mypy.stubtest", "robosieve._core", "--ignore-disjoint-bases"]
    told = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
    program = tmp_path / "program.py"
    program.write_text(
        "import robosieve\n"
        "sieved = robosieve.sieve(b'', 'MyBot', dialect='google', limits={'max_bytes': 3})\n"
        "text: str = sieved.text\n"
        "allowed: bool = robosieve.Robots.parse(memoryview(b'')).can_fetch('/', ['MyBot'])\n"
        "robosieve.sieve(b'', 'MyBot', dialect='goggle')  # type: ignore[arg-type]\n"
    )
    run = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program)]
    told = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


