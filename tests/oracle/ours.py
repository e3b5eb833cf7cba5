"""Runs the command: many requests at once, as NDJSON, each answered by one line."""
import base64
import subprocess

import orjson


class Died(Exception):
    """The command ended with an error, or did not answer each request."""


class Command:
    def __init__(self, path):
        self.path = str(path)

    def answers(self, command, requests):
        """The answers of `robosieve test` or `robosieve filter` to requests, in order."""
        if not requests:
            return []
        lines = b"\n".join(map(orjson.dumps, requests))
        done = subprocess.run([self.path, command, "--ndjson"], input=lines, capture_output=True)
        found = done.stdout.split(b"\n")[:-1]
        if len(found) != len(requests):
            # One request made it stop. Sent alone, that request is found.
            if len(requests) == 1:
                raise Died(f"{command}, code {done.returncode}: {done.stderr[-400:].decode(errors='replace')}")
            half = len(requests) // 2
            return self.answers(command, requests[:half]) + self.answers(command, requests[half:])
        return [orjson.loads(line) for line in found]


def request(data, agents, options, urls=None):
    """A request. Without agents, all are kept. A filter request has no URLs. Names are read alone ([names.plain]), as
    the references read them."""
    asked = {"robots_b64": base64.b64encode(data).decode(), "options": {**options, "known": False}, "agents": agents, "urls": urls}
    return {name: value for name, value in asked.items() if value is not None}
