"""The testers of testers/testers.json: which are installed, and how each is started."""
import base64
import glob
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from .process import Failed, Tester
from .vectors import SUITE

FOLDER = SUITE / "testers"
PROBE = base64.b64encode(b"User-agent: *\nDisallow: /no/\n").decode()  # with a slash, since some match whole paths only
# robotspy iterates over a set of agents, so some of its answers depend on Python's hash seed.
ENVIRONMENT = {**os.environ, "PYTHONHASHSEED": "0"}
VERSIONS = {
    "perl": ["perl", "-MWWW::RobotRules", "-e", "print $WWW::RobotRules::VERSION"],
    "ruby": ["ruby", "-e", 'require "webrobots"; print Webrobots::VERSION'],
}


class Known:
    """A tester of the list."""

    def __init__(self, data, folder=FOLDER):
        self.name, self.language, self.group = data["name"], data["language"], data["group"]
        self.rfc, self.home, self.note = data["rfc"], data.get("home", ""), data.get("note", "")
        self._package, self.folder = data["package"], folder
        self.env = {**ENVIRONMENT, **data.get("env", {})}
        self.command = [program(word, folder) for word in data["command"]]

    @property
    def package(self):
        return self._package.replace("{version}", self._version()) if "{version}" in self._package else self._package

    def _version(self):
        command = VERSIONS.get(self.command[0], [self.command[-1], "--version"] if self.name == "robosieve" else [self.command[0], "-c", "import platform; print(platform.python_version())"])
        try:
            return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=20).stdout.split()[-1]
        except (OSError, IndexError, subprocess.TimeoutExpired):
            return "?"

    def start(self, limits):
        return Tester(self.command, limits, cwd=self.folder, env=self.env)

    def present(self, limits):
        """Whether it answers two simple questions correctly."""
        with self.start(limits) as tester:
            try:
                return all(tester.ask({"id": path, "file_base64": PROBE, "agent": "AnyBot",
                                       "url": f"https://example.com/{path}/"})[0].get("allow") is (path == "yes")
                           for path in ("no", "yes"))
            except Failed:
                return False


def program(word, folder):
    """{python} is the environment that setup.sh made. Another Python may be one of pyenv's."""
    if word == "{python}":
        return str(folder / ".venv/bin/python")
    if word == "{robosieve}":  # our own command, where it is built
        target = os.environ.get("CARGO_TARGET_DIR", SUITE.parent / "target")
        return os.environ.get("ROBOSIEVE", f"{target}/release/robosieve")
    if re.fullmatch(r"python3\.\d+", word):
        # pyenv puts a script of this name into the path, even where it selects no such version.
        root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
        under = glob.glob(f"{root}/versions/{word[6:]}.*/bin/{word}")
        return (sorted(under) or [shutil.which(word) or word])[-1]
    return word


def known(names=()):
    testers = [Known(data) for data in json.loads((FOLDER / "testers.json").read_text())]
    unknown = set(names) - {tester.name for tester in testers}
    if unknown:
        raise KeyError(f"no such tester: {', '.join(sorted(unknown))}; the names are in {FOLDER / 'testers.json'}")
    return [tester for tester in testers if not names or tester.name in names]
