"""The testers of testers/testers.json: how each is started, and whether it is installed."""
import base64
import json
import os
from dataclasses import dataclass

from .process import Failed, Tester
from .vectors import DATA, BadVector

FOLDER = DATA / "testers"
PROBE = base64.b64encode(b"User-agent: *\nDisallow: /no/\n").decode()


@dataclass
class Known:
    """A tester of the list."""
    name: str
    package: str
    command: list
    least: float  # the share of the demanded answers that it gives at least

    def start(self, bounds):
        return Tester([program(word) for word in self.command], cwd=FOLDER, **bounds)


def program(word):
    target = os.environ.get("CARGO_TARGET_DIR", DATA.parent / "target")
    return word.format(python=DATA / ".venv/bin/python", target=os.path.abspath(os.path.join(target, "release")))


def present(tester):
    """Whether it answers two simple questions correctly."""
    try:
        return all(tester.ask({"id": path, "file_base64": PROBE, "agent": "AnyBot",
                               "url": f"https://example.com/{path}/"}).get("allow") is (path == "yes")
                   for path in ("no", "yes"))
    except Failed:
        return False


def known(names=()):
    file = FOLDER / "testers.json"
    testers = [Known(**data) for data in json.loads(file.read_text())] if file.exists() else []
    if unknown := set(names) - {tester.name for tester in testers}:
        raise BadVector(f"no such tester: {', '.join(sorted(unknown))}")
    return [tester for tester in testers if not names or tester.name in names]
