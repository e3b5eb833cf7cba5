"""The snippets of release/vectors/README.md, for four test runners, as they stand there.

Invariant: the vectors come from dist/. Each tester is real, and neither right nor wrong everywhere.
"""
import gzip
import json
import os
import re
import shutil
from pathlib import Path

from .place import HERE, ROOT, Failed, Row, debian_package, run

TESTERS = ROOT / "release/checks/testers"
JARS = "/usr/share/java/"


def snippet(language):
    text = (ROOT / "release/vectors/README.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)
    return found


def counted(output, passed, failed, demanded):
    """How many tests passed. All vectors were asked, more than half is right, and something is wrong."""
    right, wrong = (int(re.search(pattern, output)[1]) for pattern in (passed, failed))
    if right + wrong != demanded or not demanded / 2 < right < demanded:
        raise Failed(f"{right} passed and {wrong} failed of {demanded}: {output[-400:]}")
    return f"{right} of {demanded} passed"


def pytest(here, folder):
    run(["python3", "-m", "venv", folder / "venv"])
    wheel = here.artefact("robots_vectors-VERSION-py3-none-any.whl")
    run([folder / "venv/bin/pip", "install", "-q", wheel, "pytest"])
    shutil.copy(TESTERS / "my_tester.py", folder)
    (folder / "test_rfc.py").write_text(snippet("python"), encoding="utf-8")
    output, seconds = run([folder / "venv/bin/python", "-m", "pytest", "-q", "--tb=no"], cwd=folder, codes=(1,))
    return "pytest", output, r"(\d+) passed", r"(\d+) failed", seconds


def node(here, folder):
    (folder / "package.json").write_text('{"name": "fresh", "private": true}', encoding="utf-8")
    archive = here.artefact("robots-vectors-VERSION.tgz")
    run(["npm", "install", "--no-audit", "--no-fund", "--silent", archive, "robots-parser@3.0.1"], cwd=folder)
    package = folder / "node_modules/my-tester"
    package.mkdir()
    (package / "package.json").write_text('{"name": "my-tester", "main": "index.mjs"}', encoding="utf-8")
    shutil.copy(TESTERS / "my_tester.mjs", package / "index.mjs")
    (folder / "rfc.test.mjs").write_text(snippet("js"), encoding="utf-8")
    output, seconds = run(["node", "--test-reporter=tap", "rfc.test.mjs"], cwd=folder, codes=(1,))
    return "node:test", output, r"# pass (\d+)", r"# fail (\d+)", seconds


def go(_, folder):
    program = debian_package("go", "golang-go")
    if not program:
        return None
    shutil.copy(TESTERS / "tester.go", folder)
    (folder / "tester_test.go").write_text(snippet("go"), encoding="utf-8")
    run([program, "mod", "init", "mytester"], cwd=folder)
    output, seconds = run([program, "test", "-v"], cwd=folder, codes=(1,))
    # The one test that has all others is no vector.
    passed, failed = (len(re.findall(rf"^    --- {what}: ", output, re.MULTILINE)) for what in ("PASS", "FAIL"))
    return "go test", f"{passed} passed, {failed} failed", r"(\d+) passed", r"(\d+) failed", seconds


def junit(_, folder):
    program = debian_package("javac", "default-jdk-headless")
    if not (program and library("junit-jupiter-api.jar", "junit5") and library("gson.jar", "libgoogle-gson-java")):
        return None
    names = ["junit-jupiter-api", "junit-platform-commons", "apiguardian-api", "opentest4j", "gson"]
    classes = ":".join(f"{JARS}{name}.jar" for name in names)
    shutil.copy(TESTERS / "MyTester.java", folder)
    (folder / "Rfc9309Test.java").write_text(snippet("java"), encoding="utf-8")
    run([program, "-cp", classes, "MyTester.java", "Rfc9309Test.java"], cwd=folder)
    run_with = ["junit-jupiter-engine", "junit-platform-engine", "junit-platform-launcher", "junit-platform-console",
                "junit-platform-reporting", "opentest4j-reporting-events", "opentest4j-reporting-schema", "picocli"]
    classes = ":".join([classes, *(f"{JARS}{name}.jar" for name in run_with), str(folder)])
    output, seconds = run(
        ["java", "-cp", classes, "org.junit.platform.console.ConsoleLauncher", "--select-class", "Rfc9309Test",
         "--details=summary", "--disable-banner"], cwd=folder, codes=(1,))
    return "JUnit 5", output, r"(\d+) tests successful", r"(\d+) tests failed", seconds


def library(jar, package):
    """Whether a library of Debian's is here, after it was installed if it can be."""
    if not Path(JARS, jar).exists() and shutil.which("apt-get") and os.geteuid() == 0:
        run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package])
    return Path(JARS, jar).exists()


def all_four(here):
    packed = here.artefact("robots-vectors-1.json.gz")
    with gzip.open(packed) as text:
        demanded = sum(vector["rfc"]["level"] == "must" for vector in json.load(text))
    for runner in (pytest, node, go, junit):
        folder = here.folder / runner.__name__
        folder.mkdir()
        shutil.copy(packed, folder)
        found = runner(here, folder)
        if not found:
            yield Row(packed.name, packed.stat().st_size, HERE, runner.__name__, "not here, so not run", 0)
            continue
        where, output, passed, failed, seconds = found
        yield Row(packed.name, packed.stat().st_size, HERE, where, counted(output, passed, failed, demanded), seconds)
