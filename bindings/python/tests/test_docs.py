"""The documentation, the types and the package."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
import robosieve
from conftest import ROOT
from protego import Protego
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
        name = f"robosieve.{module.stem}".removesuffix(".__init__")
        assert not doctest.testmod(importlib.import_module(name), extraglobs={"robosieve": robosieve}).failed, module
    for name in ("sieve", "Robots.parse", "Robots.can_fetch"):
        text = dict(documented())[name]
        assert "Args:" in text and "Raises:" in text and ">>>" in text


def test_the_package_has_its_licences_and_is_not_shadowed():
    files = {path.name for path in importlib.metadata.files("robosieve") or []}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "py.typed", "_core.pyi"} <= files
    # In the folder of the package's source, the installed package is found.
    run = [sys.executable, "-c", "import robosieve; print(robosieve.__file__)"]
    done = subprocess.run(run, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert Path(done.stdout.strip()).parent == FOLDER, done.stderr


def test_the_stubs_agree_with_the_module(tmp_path):
    assert (FOLDER / "py.typed").exists()
    run = [sys.executable, "-m", "mypy.stubtest", "robosieve._core", "--ignore-disjoint-bases"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    program = tmp_path / "program.py"
    program.write_text(
        "import robosieve\n"
        "sieved = robosieve.sieve(b'', 'MyBot', dialect='google', limits={'max_bytes': 3})\n"
        "text: str = sieved.text\n"
        "from robosieve.answers import Changes, Linted, Page, Report, SignalsAnswer\n"
        "linted: Linted = robosieve.lint(b'')\n"
        "page: Page = robosieve.explain(b'')\n"
        "changes: Changes = robosieve.diff(b'', b'', 'MyBot')\n"
        "report: Report = changes['reports']['old']\n"
        "finding: robosieve.Finding = sieved.report.findings[0]\n"
        "witness: bool = changes['rules_added'][0]['witness'] == 'found'\n"
        "page['lins']  # type: ignore[typeddict-item]\n"
        "meaning = page['lines'][0]['meaning']\n"
        "if meaning['is'] == 'rule': pattern: str = meaning['pattern']\n"
        "if meaning['is'] == 'continued': meaning['pattern']  # type: ignore[typeddict-item]\n"
        "allowed: bool = robosieve.Robots.parse(memoryview(b'')).can_fetch('/', ['MyBot'])\n"
        "robosieve.sieve(robosieve.unpack(b'', max_bytes=9), iter(('a', 'b')))\n"
        "robosieve.sieve(b'', {'a'})  # type: ignore[arg-type]\n"
        "robosieve.Robots.parse(b'').can_fetch('/', frozenset(('a',)))  # type: ignore[arg-type]\n"
        "robosieve.GateCore({'a': 1}.keys())  # type: ignore[arg-type]\n"
        "robosieve.sieve(b'', 'MyBot', dialect='goggle')  # type: ignore[arg-type]\n"
        "import datetime\n"
        "answer: SignalsAnswer = robosieve.signals('/a', 'MyBot', headers=[('A', 'b')], robots='', time=0.5)\n"
        "at = datetime.datetime.now(datetime.timezone.utc)\n"
        "more = robosieve.signals(b'/a', ['a'], headers={'A': ['b', 'c']}, html=memoryview(b''), tdmrep='[]', time=at)\n"
        "said: bool = more['uses']['image-index'] == 'no'\n"
        "answer['uses']['images']  # type: ignore[index]\n"
        "robosieve.signals('/a', 'MyBot', time=b'2026')  # type: ignore[arg-type]\n"
        "from robosieve.protego import Protego\n"
        "from robosieve.robotparser import RobotFileParser\n"
        "from robosieve.scrapy import RobosieveRobotParser, RobotsTxtMiddleware\n"
        "import urllib.request\n"
        "class Own(Protego): ...\n"
        "own: Own = Own.parse('')\n"
        "rate: robosieve.RequestRate | None = own.request_rate('a')\n"
        "RobotFileParser(urllib.request.Request('https://e.example/robots.txt')).timeout = 1.5\n"
        "delay: float | None = RobosieveRobotParser.from_crawler(None, b'').crawl_delay('a')\n"
        "from robosieve.gate import AsyncGate, Gate, Response, Step\n"
        "middleware: type[object] = RobotsTxtMiddleware\n"
        "gate = Gate('MyBot', fetch=lambda url, headers: Response(404, {}, b''), store='sites')\n"
        "step: Step = gate.turn('https://e.example/')\n"
        "line: int | None = step.line\n"
        "async def turn(gate: AsyncGate) -> bool: return bool(await gate.turn('https://e.example/'))\n"
        "robosieve.GateCore('MyBot', per='cat')  # type: ignore[arg-type]\n"
        "wrong: int = Protego.parse('').crawl_delay('a')  # type: ignore[assignment]\n"
    )
    run = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    # Pyright has comments of its own.
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "enableTypeIgnoreComments": true}')
    run = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path), "--outputjson"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(done.stdout)["generalDiagnostics"] == [], done.stdout


def said(text: str, path: str) -> tuple[str, str]:
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
        assert said(file.decode(), path) == (urllib, protego)
        assert said(robosieve.sieve(file, "MyBot").text, path) == (both, both)
