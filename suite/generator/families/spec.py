"""The examples of SPEC.md, which the project's own tests run too."""
import re

from .. import documents
from ..vectors import ROOT, Family
from .questions import paths

BLOCK = re.compile(r"^```robots([^\n]*)\n(.*?)^```$", re.M | re.S)
VERDICT = re.compile(r"^(allowed|disallowed) (\S+)", re.M)
# Options that change how a file is read: the RFC has no answer for them.
OPTIONS = ("run=", "order=", "dialect=", "max_", "over-limit=", " all")
# Chapters about reading and matching come first, if an example names several clauses.
READING = ("line", "field", "record", "agent", "path", "rule", "value", "ext", "input", "url")
SECTIONS = {"agent": "2.2.1", "record": "2.2.1", "path": "2.2.2", "rule": "2.2.2", "ext": "2.2.4", "value": "2.2.4",
            "url": "2.2.2"}


def make():
    spec = (ROOT / "SPEC.md").read_text()
    for info, text in BLOCK.findall(spec):
        clauses = re.findall(r"\[([a-z0-9.-]+)\]", info)
        if any(option in info for option in OPTIONS) or not clauses:
            continue
        clause = min(clauses, key=lambda name: name.partition(".")[0] not in READING)
        example(clause, info, text)


def example(clause, info, text):
    file = documents.unescape(text.partition("\n---\n")[0].encode() + b"\n")
    f = Family("spec." + clause.replace(".", "-"), clause, SECTIONS.get(clause.partition(".")[0], "2.2"), "spec")
    agents = re.findall(r"agent=(\S+)", info) or ["MyBot"]
    urls = [url for _, url in VERDICT.findall(text)] + paths(file)
    for url in list(dict.fromkeys(urls))[:8]:
        if url.startswith("/"):
            f.add(file, url, f"An example of [{clause}] in SPEC.md: {url}"[:160], agent=agents[0])
