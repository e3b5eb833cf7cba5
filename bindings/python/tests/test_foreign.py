"""The originals' own tests, from where the registries carry them, with the drop-in replacements in their place.

A difference that is not in the list of README.md, or a row of the list that does not differ, is an error.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()

# The original's module becomes ours.
URLLIB = '''
import urllib.robotparser
import robosieve.robotparser
urllib.robotparser.RobotFileParser = robosieve.robotparser.RobotFileParser
'''

# Our class in the place of theirs. All else that the tests import is theirs.
PROTEGO = '''
import importlib.metadata
from robosieve.protego import *
__path__ = [str(importlib.metadata.distribution("protego").locate_file("protego"))]
'''

SCRAPY_TEST = '''
from tests.test_robotstxt_interface import BaseRobotParserTest
from robosieve.scrapy import RobosieveRobotParser

class TestRobosieve(BaseRobotParserTest):
    def setup_method(self):
        self._setUp(RobosieveRobotParser)
'''


def source_of(package: str, folder: Path) -> Path:
    """The source package of what is installed, unpacked. ROBOSIEVE_FOREIGN names a folder that has it."""
    version = importlib.metadata.version(package)
    packed = Path(os.environ.get("ROBOSIEVE_FOREIGN", folder)) / f"{package.lower()}-{version}.tar.gz"
    if not packed.exists():
        # Without an environment of its own for what packs it: that takes minutes.
        run = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", package, f"{package}=={version}"]
        done = subprocess.run([*run, "-d", packed.parent], capture_output=True, text=True, check=False)
        if not packed.exists():
            pytest.skip(f"NOT TESTED: {packed.name} cannot be downloaded: {done.stderr[-300:]}")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder / packed.name.removesuffix(".tar.gz")


def results(folder: Path, *arguments: str | Path, plugin: str = "") -> dict[str, str]:
    """Runs tests, and returns what each says. One with parts has failed if one of them has."""
    (folder / "foreign_plugin.py").write_text(plugin)
    run = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", folder, "-p", "foreign_plugin", "--junitxml", "found.xml"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([*run, "-p", "no:cacheprovider", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: dict[str, str] = {}
    for case in ElementTree.parse(folder / "found.xml").iter("testcase"):
        *_, last = case.get("classname", "").split(".")
        name = f"{last}::{case.get('name')}" if last[:1].isupper() else case.get("name")
        says = "failed" if case.find("failure") is not None or case.find("error") is not None else "passed" if case.find("skipped") is None else "skipped"
        if found.get(name) != "failed":
            found[name] = says
    return found


def judge(suite: str, found: dict[str, str], least: int) -> str:
    """Compares what failed with the list. Other versions may not have all of its tests. Returns how many pass of how many."""
    # The list has tests without their parameters; what CPython's classes are named after is what they test.
    named = {test: test.split("::")[0] if suite == "CPython" else re.sub(r".*::|\[.*", "", test) for test in found}
    ran = [test for test, says in found.items() if says != "skipped"]
    failed = [test for test in ran if found[test] == "failed"]
    differ = re.findall(rf"^\| {suite}[ .0-9]* \| `(\w+)` \| .+ \|$", README, re.MULTILINE)
    assert len(ran) >= least and differ
    assert {named[test] for test in failed} == set(differ) & {named[test] for test in ran}, failed
    return f"{len(ran) - len(failed)} of {len(ran)}"


def test_protegos_own_tests(tmp_path):
    source = source_of("protego", tmp_path)
    place = tmp_path / "run"
    shutil.copytree(source / "tests", place / "tests")
    (place / "protego").mkdir()
    (place / "protego/__init__.py").write_text(PROTEGO)
    found = results(place, "tests/test_protego.py", "tests/test_on_google_spec.py")
    assert judge("protego", found, 80) == "154 of 170" and "154 of protego's 170 pass" in README


def test_cpythons_own_tests(tmp_path):
    testing = pytest.importorskip("test.test_robotparser", reason="NOT TESTED: install libpython3-testsuite")
    shutil.copy(testing.__file__, tmp_path / "test_robotparser_of_cpython.py")
    found = results(tmp_path, "test_robotparser_of_cpython.py", plugin=URLLIB)
    passed = judge("CPython", found, 30)
    assert sys.version_info[:2] != (3, 11) or (passed == "57 of 60" and "57 of CPython 3.11's 60" in README)


def test_scrapys_own_tests(tmp_path):
    source = source_of("scrapy", tmp_path)
    place = tmp_path / "run"
    place.mkdir()
    shutil.copytree(source / "tests/utils", place / "tests/utils")
    shutil.copy(source / "tests/__init__.py", place / "tests")
    shutil.copy(source / "tests/test_robotstxt_interface.py", place / "tests")
    (place / "test_ours.py").write_text(SCRAPY_TEST)
    found = results(place, "test_ours.py::TestRobosieve")
    assert judge("Scrapy", found, 8) == "7 of 9" and "7 of\nScrapy's 9" in README
