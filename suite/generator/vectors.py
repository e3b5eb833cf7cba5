"""Makes vectors: what a family of them has in common, and the line of NDJSON that a vector becomes."""
import base64
import json
from dataclasses import dataclass, field
from pathlib import Path

from . import judge
from .readings import STANDARD

ROOT = Path(__file__).resolve().parents[2]
HOST = "https://example.com"
# Long files are written as a piece and a number of repetitions. The judge reads a shorter one of the same shape.
JUDGED_TIMES = 40


@dataclass
class Vector:
    file: bytes
    url: str
    why: str
    agent: str
    clause: str
    section: str
    tags: list
    family: str
    header: str = ""
    repeat: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    bound: dict = field(default_factory=dict)
    grows: str = ""
    # The judge reads the file as it is, and not a shorter one.
    whole: bool = False
    # It fails in the same testers as another vector, for the same cause. Its number is not used again.
    retired: bool = False
    # An answer that the text gives in so many words, where the judge sees two sentences that disagree.
    stated: str = ""

    def judged(self):
        """The file that the judge reads: a long one has fewer repetitions."""
        if not self.repeat or self.whole:
            return self.file
        times = min(self.repeat["times"], JUDGED_TIMES)
        return (self.repeat["head"] + self.repeat["body"] * times + self.repeat["tail"]).encode()

    def asked(self):
        return self.header or self.agent

    def rfc(self):
        if self.header:
            answer, level = "either", "silent"
        elif self.stated:
            answer, level = self.stated, "must"
        else:
            answer, level = judge.verdict(self.judged(), self.agent, self.url)
        return {"answer": answer, "level": level, "section": self.section, "clause": f"[{self.clause}]"}

    def robosieve(self):
        return word(*judge.File(self.judged(), [self.agent], STANDARD).allow([self.url.encode()]))

    def as_json(self, name, google):
        line = {"id": name}
        line |= self.contents()
        line |= {"header": self.header} if self.header else {"agent": self.agent}
        line |= {"url": self.url, "rfc": self.rfc(), "google": word(google(self.file, self.asked(), self.url))}
        line |= {"robosieve": self.robosieve(), "tags": self.tags, "why": self.why}
        for key in ("values", "bound", "grows"):
            if getattr(self, key):
                line[key] = getattr(self, key)
        return json.dumps(line, ensure_ascii=True)

    def contents(self):
        if self.repeat:
            return {"file_repeat": self.repeat}
        return contents(self.file)


def contents(data):
    """A file as text if a person can read it so, and as base64 if not."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None or any(ord(char) < 0x20 and char not in "\t\r\n" or 0x7F <= ord(char) < 0xA0 for char in text):
        return {"file_base64": base64.b64encode(data).decode()}
    return {"file": text}


def word(allows):
    return "allow" if allows else "disallow"


class Family:
    """Vectors about one thing. Its file of vectors is named by the first part of its name."""
    made = []
    # A question that an earlier family asks is not asked again.
    asked = set()
    # Vectors about which their author and the judge disagree: one of them has misread the RFC.
    doubts = []

    def __init__(self, name, clause, section, tags):
        self.name, self.clause, self.section, self.tags = name, clause, section, tags.split()

    def add(self, file, url, why, want="", agent="MyBot", **more):
        """Adds a vector. `want` is what the author of the vector reads in the RFC: the judge has to agree."""
        data = file if isinstance(file, bytes) else file.encode()
        url = HOST + url if url.startswith("/") else url
        tags = self.tags + [tag for tag in more.pop("tags", "").split() if tag not in self.tags]
        vector = Vector(data, url, why, agent, more.pop("clause", self.clause), more.pop("section", self.section), tags,
                        self.name, **more)
        question = data, vector.asked(), vector.url
        if question in Family.asked:
            return
        Family.asked.add(question)
        if want:
            rfc = vector.rfc()
            found = f"{rfc['level']} {rfc['answer']}"
            if found != want:
                question = f"{self.name}: {data[:200]!r} {url} {agent}"
                Family.doubts.append(f"{question}: the author says {want}, the judge {found}")
        Family.made.append(vector)

    def group(self, rules, url, why, want="", **more):
        """Adds a vector whose file is one group for all crawlers."""
        self.add("User-agent: *\n" + "".join(f"{rule}\n" for rule in rules.split(" | ")), url, why, want, **more)

    def long(self, head, body, times, tail, url, why, want="", **more):
        """Adds a vector whose file repeats a piece."""
        repeat = {"head": head, "body": body, "times": times, "tail": tail}
        self.add((head + body * times + tail).encode(), url, why, want, repeat=repeat, **more)
