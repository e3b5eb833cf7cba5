"""A fresh place to install in, and what was found there.

Invariant: a place is a temporary folder. Nothing outside it changes, but for caches of compilers and of Debian's
packages in target/.
"""
import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
EXAMPLE = ROOT / "examples/robots.txt"
HERE = f"{platform.machine()} {platform.system()}, {platform.freedesktop_os_release()['PRETTY_NAME'].split(' (')[0]}"


class Failed(Exception):
    """What a check found, in a sentence."""


@dataclass
class Row:
    artefact: str
    size: int
    built: str
    where: str
    output: str
    seconds: float


@dataclass
class Place:
    folder: Path
    version: str = field(default_factory=lambda: run(["release/version"])[0].strip())

    def artefact(self, name):
        """A file of dist/, whose sum is the one of SHA256SUMS."""
        path = DIST / name.replace("VERSION", self.version)
        if not path.exists():
            raise Failed(f"dist/{path.name} is missing: release/build makes it")
        sums = (DIST / "SHA256SUMS").read_text(encoding="utf-8")
        sum_of_file = run(["sha256sum", path.name], cwd=DIST)[0].strip()
        if sum_of_file not in sums:
            raise Failed(f"SHA256SUMS has another sum for {path.name}")
        return path


def run(command, *, cwd=ROOT, codes=(0,), env=None, stdin=None, both=False):
    """The output of a command, and its seconds. Its exit code is one of `codes`. `both`: the errors' output follows."""
    began = time.monotonic()
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})}, input=stdin, capture_output=True,
        text=True, errors="replace", check=False)
    if done.returncode not in codes:
        tail = (done.stdout + done.stderr).strip()[-600:]
        raise Failed(f"{' '.join(map(str, command))[:160]}: exit code {done.returncode}: {tail}")
    return done.stdout + (done.stderr if both else ""), time.monotonic() - began


def expect(output, pattern):
    """The output, which has to hold the pattern."""
    if not re.search(pattern, output):
        raise Failed(f"the output has no {pattern!r}: {output[-600:]}")
    return output


def debian_package(program, package):
    """The path of a program, which is installed from Debian if it can be."""
    found = shutil.which(program)
    if not found and shutil.which("apt-get") and os.geteuid() == 0:
        run(["apt-get", "update", "-q"])
        run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package])
        found = shutil.which(program)
    return found
