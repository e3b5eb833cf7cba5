"""Wheels, the archive of sources, and the suite's vectors, each in environments of their own.

Invariant: pip installs from dist/ alone, without an index, where nothing has to be built.
"""
import glob
import os
import platform
import shutil
import zipfile
from pathlib import Path

from .place import DIST, EXAMPLE, HERE, ROOT, Failed, Row, expect, run

FIRST = """\
import sys, robosieve
sieved = robosieve.sieve(open(sys.argv[1], "rb").read(), "MyBot")
print(robosieve.__version__, sieved.can_fetch("https://shop.example/cart/1"), sieved.exact)
"""


# Eight threads, and objects that all of them use.
UNLOCKED = """\
import sys, threading, robosieve
file = open(sys.argv[1], "rb").read()
robots, sieved, wrong = robosieve.Robots.parse(file), robosieve.sieve(file, "MyBot"), []
def ask():
    for _ in range(2000):
        if robots.can_fetch("/cart/1", "MyBot") or not robots.can_fetch("/cart/help", "MyBot"):
            wrong.append(robots)
        if sieved.can_fetch("/cart/1") or robosieve.sieve(file, "MyBot").text != sieved.text:
            wrong.append(sieved)
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("locked" if sys._is_gil_enabled() else "no lock", len(wrong), "wrong")
"""


def interpreters():
    """Supported interpreters that are here, one for each version."""
    managed = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    paths = [shutil.which(f"python3.{minor}") for minor in range(10, 20)]
    paths += sorted(glob.glob(f"{managed}/versions/3.1[0-9]*/bin/python3"))
    found = {}
    for path in filter(None, paths):
        try:
            version, _ = run([path, "-c", "import platform, ensurepip; print(platform.python_version())"])
        except Failed:
            continue  # without pip, or a name of a version that is not chosen
        found.setdefault(".".join(version.split(".")[:2]), (version.strip(), path))
    if not found:
        raise Failed("no supported Python with pip is here")
    return [found[minor] for minor in sorted(found, key=lambda minor: int(minor.split(".")[1]))]


def free_threaded():
    """A Python 3.14 without the interpreter's lock: one that is here, or one that uv fetches; None without."""
    here = shutil.which("python3.14t")
    if here:
        return here
    uv = ROOT / "target/release-uv"
    try:
        if not uv.exists():
            pinned = (ROOT / "release/requirements-check.txt").read_text(encoding="utf-8").split()
            run(["python3", "-m", "venv", uv])
            run([uv / "bin/pip", "install", "-q", *(line for line in pinned if line.startswith("uv=="))])
        run([uv / "bin/uv", "python", "install", "-q", "3.14t"])
        return run([uv / "bin/uv", "python", "find", "3.14t"])[0].strip()
    except Failed:
        return None


def whole(path):
    """Checks what each wheel has to have."""
    wheel = zipfile.ZipFile(path)
    names = wheel.namelist()
    for needed in ("robosieve/py.typed", "robosieve/_core.pyi", "licenses/LICENSE-MIT", "licenses/LICENSE-APACHE",
                   "licenses/LICENSE-DEPENDENCIES.txt"):
        if not any(name.endswith(needed) for name in names):
            raise Failed(f"{path.name} has no {needed}")
    if not any(name.startswith("robosieve/_core") and name.endswith((".so", ".pyd")) for name in names):
        raise Failed(f"{path.name} has no module")
    # Windows finds a function by its name in the module's list, which linkers get wrong.
    if any(b"\0PyInit__core\0" not in wheel.read(name) for name in names if name.endswith(".pyd")):
        raise Failed(f"{path.name}: its module does not export PyInit__core")


def wheels(here):
    found = sorted(DIST.glob(f"robosieve-{here.version}-*.whl"))
    if not found:
        raise Failed("dist/ has no wheels: release/build wheel")
    if not any(f"-abi3-manylinux2014_{platform.machine()}" in path.name for path in found):
        raise Failed("dist/ has no wheel for this machine")
    for path in found:
        whole(path)
        size = path.stat().st_size
        if f"manylinux_2_17_{platform.machine()}" not in path.name:
            yield Row(path.name, size, f"{HERE}, by zig", "only built", "its files are whole", 0)
            continue
        if "-cp314t-" in path.name:
            interpreter = free_threaded()
            if not interpreter:
                yield Row(path.name, size, f"{HERE}, by zig", "only built: no Python 3.14t is to be had", "its files are whole", 0)
                continue
            folder = here.folder / "unlocked"
            run([interpreter, "-m", "venv", folder])
            _, seconds = run([folder / "bin/pip", "install", "-q", "--no-index", path])
            output, more = run([folder / "bin/python", "-c", UNLOCKED, EXAMPLE])
            expect(output, r"no lock 0 wrong")
            yield Row(path.name, size, f"{HERE}, by zig", "CPython 3.14t", output, seconds + more)
            continue
        for version, interpreter in interpreters():
            folder = here.folder / version
            run([interpreter, "-m", "venv", folder])
            _, seconds = run([folder / "bin/pip", "install", "-q", "--no-index", path])
            output, more = run([folder / "bin/python", "-c", FIRST, EXAMPLE])
            expect(output, rf"{here.version} False False")
            run([folder / "bin/robosieve-py", EXAMPLE, "--agent", "MyBot", "/cart/1"], codes=(0, 1))
            yield Row(path.name, size, f"{HERE}, by zig", f"CPython {version}", output, seconds + more)


def sources(here):
    path = here.artefact("robosieve-VERSION.tar.gz")
    folder = here.folder / "venv"
    run(["python3", "-m", "venv", folder])
    _, seconds = run([folder / "bin/pip", "install", "-q", "--no-deps", path])
    output, _ = run([folder / "bin/python", "-c", FIRST, EXAMPLE])
    expect(output, rf"{here.version} False False")
    yield Row(path.name, path.stat().st_size, HERE, "pip install, compiled", output, seconds)


def vectors(here):
    path = here.artefact("robots_vectors-VERSION-py3-none-any.whl")
    tester = ROOT / "suite/examples/tester.py"
    for version, interpreter in interpreters():
        folder = here.folder / version
        run([interpreter, "-m", "venv", folder])
        _, seconds = run([folder / "bin/pip", "install", "-q", "--no-index", path])
        # Python's own tester, which fails: that is what the suite finds.
        output, more = run([folder / "bin/robots-vectors", "--only", "rank", "--", tester], cwd=here.folder, codes=(1,), both=True)
        last = expect(output, r"must +[0-9]+/[0-9]+ right").split("held to RFC 9309")[-1]
        yield Row(path.name, path.stat().st_size, HERE, f"CPython {version}", last, seconds + more)
