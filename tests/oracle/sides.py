"""The sides that are compared: the command, the suite's second reader, Google's parser and the proved model."""
import atexit
import base64
import json
import subprocess
import sys
from pathlib import Path

from jwm.robotstxt.googlebot import RobotsMatcher

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "tests/model/oracle"
sys.path.append(str(ROOT / "suite"))

from reader import files, judge, readings  # noqa: E402,F401

#: What is no plain name is called by the first name in it ([agent.any]). Google's parser compares the text as given.
CALLED = {"mybot/2.1": "mybot", "Foo Bar": "Foo"}


class Lines:
    """A program that answers each line of JSON by one."""

    def __init__(self, *command):
        self.command, self.process = command, None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            atexit.register(self.process.kill)
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            code, self.process = self.process.wait(), None
            raise AssertionError(f"{' '.join(map(str, self.command))} ended with {code} and no answer")
        return json.loads(line)


_model = Lines(MODEL)


class Google:
    def __init__(self, data, agents):
        self.data, self.agents, self.matcher = data, [CALLED.get(agent, agent) for agent in agents], RobotsMatcher()

    def allow(self, urls):
        return [self.matcher.AllowedByRobots(self.data, self.agents, url) for url in urls]


class Model:
    """RFC 9309 with no leniency."""

    def __init__(self, data, agents, file_order=False):
        self.request = {"robots_b64": base64.b64encode(data).decode(), "agents": list(agents),
                        "order": "file" if file_order else "longest"}

    def allow(self, urls):
        return _model.ask(self.request | {"urls": [url.decode() for url in urls]})["allowed"]

    def text(self):
        """The canonical text."""
        return base64.b64decode(_model.ask(self.request | {"urls": [], "text": True})["text"])


def model_is_here():
    """Whether the model could be built. Its program says on stderr why not."""
    return subprocess.run([MODEL], stdin=subprocess.DEVNULL).returncode == 0
