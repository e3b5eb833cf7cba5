"""The model of tests/model, whose proofs Coq has checked, as a reference: RFC 9309 with no leniency."""
import atexit
import base64
import json
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "model" / "oracle"
_process = None


def is_here():
    """Whether the model could be built. Its program says on stderr why not."""
    return subprocess.run([PROGRAM], stdin=subprocess.DEVNULL).returncode == 0


def ask(request):
    global _process
    if _process is None:
        _process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(_process.kill)
    _process.stdin.write(json.dumps(request).encode() + b"\n")
    _process.stdin.flush()
    return json.loads(_process.stdout.readline())


class File:
    """A file, for some agents."""

    def __init__(self, data, agents, file_order=False):
        self.request = {"robots_b64": base64.b64encode(data).decode(), "agents": list(agents),
                        "order": "file" if file_order else "longest"}

    def allow(self, urls):
        """Whether each of some URLs may be fetched."""
        return ask(self.request | {"urls": [url.decode() for url in urls]})["allowed"]

    def text(self):
        """The canonical text."""
        return base64.b64decode(ask(self.request | {"urls": [], "text": True})["text"])
