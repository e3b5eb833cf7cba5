"""Checks what robosieve prints as JSON against its own schemas.

usage: check.py ROBOSIEVE            runs the commands on the corpus
       check.py ROBOSIEVE NAME       checks the lines of the standard input
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[4]
ROBOSIEVE = str(Path(sys.argv[1]).resolve())
REQUESTS = [
    {"id": 1, "agent": "MyBot", "robots": "User-agent: *\nDisallow: /x\nCrawl-delay: 2", "url": "/x"},
    {"id": "2", "agents": ["a", "*"], "robots": "\ufeffUser-agent: a\nDisalow: /%zz\n"},
    {"id": None, "agent": "MyBot", "robots_b64": "H4sI", "url": "/"},
    {"agent": "MyBot", "robots": "Disallow: /", "urls": ["/x", "nope"]},
    {"id": 5},
]
ANSWERED = b'{"robots":"User-agent: *\\nDisallow: /"}\n{"status":404}\n{"status":503}\n{"status":301}\n'

SITES = b"""{"url":"https://e.com/robots.txt","robots":"User-agent: *\\nDisallow: /x"}
{"url":"https://gone.com/robots.txt","status":404}
"""
QUESTIONS = b"""{"url":"https://e.com/x","agent":"GPTBot"}
{"url":"https://e.com/y","agent":"*","time":null}
{"url":"https://gone.com/y","agent":"*"}
{"url":"https://other.com/y","agent":"*","time":"2026-01"}
{"url":"/y","agent":"*"}
{}
"""


def archived(url, block):
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noarchive\r\n\r\n<meta name=robots content=noindex>"
ARCHIVE = (
    archived("https://e.com/robots.txt", b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nContent-Signal: ai-train=no\n")
    + archived("https://e.com/a", PAGE)
    + archived("https://f.com/a", PAGE)
    + archived("https://e.com/b", b"nonsense")
)

# Each vector without its answer, and a line that is no request.
ANSWER = ("source", "date", "uses", "limits", "findings", "licenses")
VECTORS = (ROOT / "crates/signals/data/vectors.ndjson").read_text(encoding="utf-8").splitlines()
PAGES = [{name: value for name, value in json.loads(line).items() if name not in ANSWER} for line in VECTORS]
SIGNALS = "".join(json.dumps(page) + "\n" for page in [*PAGES, {"id": 0}]).encode()


def validator(name):
    schema = json.loads(subprocess.run([ROBOSIEVE, "schema", name], check=True, stdout=subprocess.PIPE).stdout)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def check(name, output, least=1):
    """Checks each line, and that a line with one more field, and an empty one, is no valid line."""
    known = validator(name)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]
    assert len(lines) >= least, f"{name}: {len(lines)} lines"
    for line in lines:
        for error in known.iter_errors(line):
            sys.exit(f"{name}: {list(error.absolute_path)}: {error.message[:2000]}")
    assert not known.is_valid({**lines[0], "unknown": 1}), f"{name}: the schema allows any field"
    assert not known.is_valid({}), f"{name}: the schema needs no field"
    print(f"ok  schema {name}: {len(lines)} lines")
    return name


def run(*args, stdin=b"", stream="stdout"):
    done = subprocess.run([ROBOSIEVE, *args], cwd=ROOT, input=stdin, capture_output=True)
    assert done.returncode in (0, 1, 3), (args, done.stderr[-2000:])
    return getattr(done, stream)


def check_options():
    """Gives each option each value: what the schema of requests allows is what the commands take, and nothing else."""
    known = validator("request")
    properties = known.schema["$defs"]["options"]["properties"]
    literals = [name for one in properties.values() for name in one.get("enum", []) if name]
    values = [True, False, None, 0, 7, 100, 404, 1000, -1, 1.5, "x", "", "none", "12", "404", [], ["loss"], ["x"], {}]
    values += [*literals, "https://e.com/"]
    asked = [({name: value}, name) for name in properties for value in values if name != "limits"]
    asked += [({"limits": {name: value}}, name) for name in properties["limits"]["properties"] for value in values]
    asked += [({"limits": 5}, "limits"), ({"limits": {"form": 1}}, "limits"), ({"max_bytes": 5}, ""), ({"x": 1}, "x")]
    for command, is_ours in [("filter", False), ("test", True)]:
        ours = [options for options, name in asked if (name in ("status", "forbidden")) == is_ours]
        of = {"url": "/"} if is_ours else {}
        whose = [{} if options.get("all_agents") else {"agent": "MyBot"} for options in ours]
        requests = [{"robots": "", "options": options, **of, **agent} for options, agent in zip(ours, whose)]
        lines = "".join(json.dumps(request) + "\n" for request in requests).encode()
        answers = [json.loads(line) for line in run(command, "--ndjson", stdin=lines).splitlines()]
        assert len(answers) == len(requests)
        for request, answer in zip(requests, answers):
            taken = answer.get("error", {}).get("kind") != "bad-option"
            # A schema knows no URLs.
            is_text = isinstance(request["options"].get("base_url"), str)
            assert is_text or known.is_valid(request) == taken, (request, answer)
    print(f"ok  options of requests: {len(asked)} values")
    return "request"


def everything():
    corpus = subprocess.check_output([ROOT / "corpus/unfold"], text=True).strip()
    files = sorted(str(path) for path in Path(corpus).rglob("*.txt"))
    small = [file for file in files if Path(file).stat().st_size < 20_000]
    plain, wild, extensions = f"{corpus}/plain", f"{corpus}/wild", f"{corpus}/plain/all-extensions.txt"
    me = ["--agent", "MyBot"]
    requests = "".join(json.dumps(request) + "\n" for request in REQUESTS).encode()
    with (
        tempfile.NamedTemporaryFile("w", suffix=".txt") as expected,
        tempfile.NamedTemporaryFile("w", suffix="-2026-01-01.txt") as dated,
        tempfile.NamedTemporaryFile("wb", suffix=".ndjson") as stored,
    ):
        expected.write("Googlebot allow /\n* disallow /checkout\n")
        expected.flush()
        stored.write(run("census", "-q", "--input", "ndjson", "-", stdin=SITES))
        stored.flush()
        done = {
            check_options(),
            check("filter-report", b"".join(run("filter", *me, "--report", "json", file, stream="stderr") for file in small[:20])),
            check("filter-ndjson", run("filter", "--ndjson", stdin=requests)),
            check("test", b"".join(run("test", *me, "--json", file, "/", "/b c", "//e.com?q") for file in small[:20])),
            check("test-ndjson", run("test", "--ndjson", stdin=requests)),
            check("matrix", run("test", "--matrix", "--json", "examples/robots.txt", "/", "/cart"), 10),
            check("expect", run("test", "examples/robots.txt", "--expect", expected.name, "--format", "json")),
            check("explain", run("explain", "--json", *me, *small), 100),
            check("explain", run("explain", "--json", *me, "--max-wildcards=1", "--on-over-limit=refuse", *small[:60]), 50),
            check("explain", run("explain", "--json", "--max-bytes=40", *small[:60]), 50),
            check("why", run("explain", "--json", *me, "--url", "/a", "--url", "/b c", *small[:60]), 100),
            check("lint", run("lint", "--format", "json", "--fail-on", "never", *files), 100),
            check("inspect", run("inspect", "--json", *me, *small), 100),
            check("inspect-ndjson", run("inspect", "--ndjson", stdin=b"".join(requests.splitlines(True)[1:2] * 2))),
            check("usage", run("usage", *me, "--json", extensions, "/", "/tmp/")),
            check("signals", run("signals", *me, "--json", "--html", "crates/signals/README.md", "--robots", extensions, "/")),
            check("request", "".join(json.dumps(page) + "\n" for page in PAGES).encode(), 300),
            check("signals-ndjson", run("signals", "--ndjson", stdin=SIGNALS)),
            check("diff", run("diff", *me, "--json", "--files=*.txt", plain, wild), 10),
            check("diff", run("diff", "--all-agents", "--json", "--files=*.txt", plain, wild), 10),
            check("diff", run("diff", "--agents", "a,Googlebot", "--json", "examples/robots.txt")),
            check("batch", run("batch", "-q", *me, "--dedup", "--max-wildcards=1", "--on-over-limit=refuse", corpus), 100),
            check("batch", run("batch", "-q", "--all-agents", "--input", "ndjson", "-", stdin=requests)),
            check("batch", run("batch", "-q", *me, "--url", "/", "--input", "ndjson", "-", stdin=ANSWERED)),
            check("batch-signals", run("batch", "-q", "--signals", "--agents", "GPTBot,MyBot", "--input", "warc", "-", stdin=ARCHIVE), 6),
            check("census", run("census", "-q", "--expand", "--agents", "*,GPTBot,named", corpus), 500),
            check("census", run("census", "-q", "--expand", "--input", "ndjson", "-", stdin=requests), 500),
            check("census-normal", run("census", "-q", "--agents", "*,GPTBot", corpus), 100),
            check("census-ask", run("census", "ask", stored.name, stdin=QUESTIONS), 6),
            check("census-files", run("census", "-q", "--rows", "files", corpus), 100),
            check("history", run("history", "--format", "ndjson", "examples/robots.txt", extensions)),
            check("history-shares", run("history", "--shares", "--format", "ndjson", plain, wild), 100),
            check("history-at", run("history", "--format", "ndjson", "--url", "https://e.com/", "--at", "2027", dated.name)),
            check("batch-summary", run("batch", *me, "--summary", "json", corpus, stream="stderr").splitlines()[-1]),
        }
    listed = subprocess.run([ROBOSIEVE, "schema"], check=True, stdout=subprocess.PIPE, text=True).stdout
    unknown = {line.split()[0] for line in listed.splitlines()} - done - {"fetch", "check", "site", "metrics"}
    assert not unknown, f"not checked: {unknown}"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        check(sys.argv[2], sys.stdin.buffer.read())
    else:
        everything()
