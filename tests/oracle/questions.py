"""A question: a document, agents, URLs and options. What to ask the command about it, and what its answers have to be.

The rules that the answers are held to:
- `test` on the file decides as the reference decides on the file, and says the same of each URL alone: the command
  answers one URL without a tester, [verdict.once].
- A text decides, read by the reference, as the file does. Where its report says it is not exact, it may differ in the
  direction that the report names, and in no other.
- `drop` costs the lines that are over a limit and no others, for the limits that limits.py models.
- `widen`: what the text allows, the file allows. `refuse`: an error exactly where `drop` is not exact.
- A text for one crawler decides the same by first match as by longest match, [text.order].
- Google's parser decides by the portable text as by the faithful one, [portable.neutral].
- The rules of a faithful text are those of the model's text, byte for byte, unless they have runs of stars.
"""
import re
from dataclasses import dataclass, field, replace
from functools import cached_property

import google
import limits
import model
import ours
from reference import files, judge, readings

NO_LIMITS = dict.fromkeys(
    "max_records max_lines max_user_agents max_directive_length max_name_length max_value_length max_wildcards".split(),
    1_000_000_000,
)
# The options for reading a text. It must not need more than the RFC, except digits in agent names.
TEXT_READING = replace(readings.STRICT, odd_token="leading-wide")
RULE_LINE = re.compile(rb"User-agent:|Allow:|Disallow:")


@dataclass(frozen=True)
class Disagreement:
    check: str
    url: str
    expected: str
    found: str
    text: str = ""


@dataclass(frozen=True)
class Question:
    dialect: str
    data: bytes
    agents: tuple
    urls: tuple
    # Options for reading: they are in each request.
    options: dict = field(default_factory=dict)
    # For texts that may lose lines.
    limits: dict = field(default_factory=dict)
    form: str = "faithful"
    all_agents: bool = False

    # The requests.

    def request(self, urls=False, **options):
        agents = None if options.get("all_agents") else list(self.agents)
        dialect = "google" if self.dialect == "google" else "standard"
        return ours.request(self.data, agents, {"dialect": dialect} | self.options | options,
                            list(self.urls) if urls else None)

    def tests(self):
        """Requests to `robosieve test`, by name."""
        found = {"raw": self.request(urls=True)}
        if "max_bytes" in self.limits:
            found["raw, cut"] = self.request(urls=True, limits={"max_bytes": self.limits["max_bytes"]})
        for number, url in enumerate(self.urls):
            # Another limit that decides nothing: the command keeps a tester of a file that it is asked for again.
            one = self.request(limits={"max_lines": 1_000_000_000 - number})
            found["one URL", number] = {**one, "url": url}
        return found

    def filters(self):
        """Requests to `robosieve filter`, by name."""
        found = {}
        for form in ("faithful", "portable"):
            found[form] = self.request(form=form, limits=NO_LIMITS)
            found[f"{form}, all agents"] = self.request(form=form, limits=NO_LIMITS, all_agents=True)
        found["defaults"] = self.request(form=self.form, all_agents=self.all_agents)
        for policy in ("drop", "widen", "refuse"):
            found[policy] = self.request(form=self.form, all_agents=self.all_agents, limits=self.limits,
                                         on_over_limit=policy)
        return found

    # The expected answers.

    @cached_property
    def reading(self):
        return readings.standard(self.options)

    @property
    def file_order(self):
        return self.reading.order == "file"

    def reference(self, max_bytes=readings.STANDARD.most_bytes):
        """The reference's answers for the file."""
        reading = replace(self.reading, most_bytes=max_bytes)
        if self.dialect == "standard":
            return judge.File(self.data, self.agents, reading)
        data = files.unmarked(self.data, reading)
        marks = self.data[:len(self.data) - len(data)]
        data = marks + files.within_limit(data, reading)
        if self.dialect == "model":
            return model.File(data, self.agents, self.file_order)
        return google.File(data, list(self.agents))

    def limited(self):
        """The reference's answers for the file without the lines over a limit."""
        found = limits.groups(self.data, self.reading, self.limits, self.options.get("escaped_wildcard", True))
        return judge.File.of_groups(found, self.agents, self.reading)

    def reader(self, text, all_agents, file_order=None):
        """The reference's answers for a text."""
        file_order = self.file_order if file_order is None else file_order
        if self.dialect == "google":
            return google.File(text, list(self.agents))
        if self.dialect == "model":
            return model.File(text, self.agents, file_order)
        fallback = self.reading.fallback if all_agents else "star"
        order = "file" if file_order else "longest"
        return judge.File(text, self.agents, replace(TEXT_READING, order=order, fallback=fallback))

    @cached_property
    def encoded(self):
        return [url.encode() for url in self.urls]

    @cached_property
    def verdicts(self):
        return self.by(self.reference())

    def by(self, file):
        return file.allow(self.encoded)

    # The differences in the answers.

    def judge(self, answers, count):
        """The differences. `count` is called with a check's name and the number of decisions compared."""
        if "raw" in answers:
            yield from self.judge_tests(answers, count)
        if "drop" in answers:
            yield from self.judge_filters(answers, count)

    def judge_tests(self, answers, count):
        for name in ("raw", "raw, cut"):
            if name in answers:
                yield from self.judge_test(name, answers[name], count)
        yield from self.judge_alone(answers, count)

    def judge_filters(self, answers, count):
        exact = {}
        for name in self.filters():
            if name != "refuse":
                text, exact[name] = yield from self.judge_text(name, answers[name], count)
                if name in ("faithful", "portable") and text:
                    yield from self.judge_first_match(name, text, count)
        yield from self.judge_refusal(answers, exact["drop"], count)
        if self.dialect == "model":
            yield from self.judge_octets(answers["faithful"], count)
        if self.dialect == "standard" and not self.file_order:
            for suffix in ("", ", all agents"):
                yield from self.judge_portable(answers["faithful" + suffix], answers["portable" + suffix], suffix, count)

    def differences(self, check, expected, found, text):
        for url, want, have in zip(self.urls, expected, found):
            if want != have:
                yield Disagreement(check, url, word(want), word(have), text.decode())

    def judge_test(self, name, answer, count):
        if "error" in answer:
            yield Disagreement(name, "", "an answer", str(answer["error"]))
            return
        verdicts = self.verdicts if name == "raw" else self.by(self.reference(self.limits["max_bytes"]))
        count(name, len(verdicts))
        for url, want, result in zip(self.urls, verdicts, answer["results"]):
            if "allowed" not in result:
                yield Disagreement(f"{name}, not answered", url, word(want), str(result))
            elif result["allowed"] != want:
                yield Disagreement(name, url, word(want), word(result["allowed"]))

    def judge_alone(self, answers, count):
        """[verdict.once]: a URL alone has the answer that it has among others: the line, the rule, the group."""
        together = answers["raw"].get("results", [])
        count("one URL", len(together))
        for number, (url, among) in enumerate(zip(self.urls, together)):
            alone = answers["one URL", number]
            known = {name: value for name, value in among.items() if name != "url"}
            if known != {name: alone.get(name) for name in known}:
                yield Disagreement("one URL", url, str(known), str(alone))

    def judge_text(self, name, answer, count):
        """-> the text, and whether the report calls it exact."""
        if "error" in answer:
            if not (name == "widen" and answer["error"]["kind"] == "refused"):
                yield Disagreement(name, "", "an answer", str(answer["error"]))
            return None, False
        text, losses = answer["text"].encode(), answer["report"]["losses"]
        all_agents = self.all_agents if name in ("defaults", "drop", "widen") else "all" in name
        found = self.by(self.reader(text, all_agents))
        count(name, len(found))
        if name == "drop" and self.dialect == "standard" and limits.MODELLED.issuperset(self.limits):
            count("drop, line by line", len(found))
            yield from self.differences("drop, line by line", self.by(self.limited()), found, text)
        if name in ("faithful", "portable") and self.dialect != "google" and not answer["exact"]:
            yield Disagreement(name, "", "exact", str(losses), answer["text"])
        may_allow = losses["either"] + losses["more_permissive"] > 0 and name != "widen"
        may_forbid = losses["either"] + losses["more_restrictive"] > 0
        if answer["exact"] and (may_allow or may_forbid):
            yield Disagreement(name, "", "exact without losses", str(losses), text.decode())
        for url, want, have in zip(self.urls, self.verdicts, found):
            if want != have and not (may_allow if have else may_forbid):
                yield Disagreement(name, url, word(want), word(have), text.decode())
        return text, answer["exact"]

    def judge_first_match(self, name, text, count):
        """[text.order]: a tester that takes the first match gives the same answers as one that takes the longest."""
        if self.dialect == "google" or self.file_order:
            return
        longest, first = (self.by(self.reader(text, False, file_order)) for file_order in (False, True))
        count(f"{name}, first match", len(first))
        yield from self.differences(f"{name}, first match", longest, first, text)

    def judge_octets(self, answer, count):
        """[text.order] [text.once] [text.spelling]: the model writes the same rules, byte for byte."""
        expected = self.reference().text()
        # A run of stars may be written shorter, [text.stars].
        if "error" not in answer and b"**" not in expected:
            count("octets of the text", 1)
            found = b"".join(line for line in answer["text"].encode().splitlines(True) if RULE_LINE.match(line))
            if found != expected:
                yield Disagreement("octets of the text", "", expected.decode(), found.decode(), answer["text"])

    def judge_portable(self, faithful, portable, suffix, count):
        if "error" in faithful or "error" in portable:
            return
        texts = [answer["text"].encode() for answer in (faithful, portable)]
        # Google's parser merges the groups of several agents; such a text is not made for that.
        before, after = (self.by(google.File(text, list(self.agents[:1]))) for text in texts)
        name = f"portable for Google's parser{suffix}"
        count(name, len(after))
        yield from self.differences(name, before, after, texts[1])

    def judge_refusal(self, answers, is_exact, count):
        """`refuse` fails if and only if `drop` is not exact. If nothing is lost, all policies give the same."""
        refused, dropped, widened = answers["refuse"], answers["drop"], answers["widen"]
        count("refuse", 1)
        if "error" in dropped:
            return
        if ("error" in refused) == is_exact:
            yield Disagreement("refuse", "", "text" if is_exact else "error", str(refused.get("error", "text")))
        elif is_exact and not dropped["text"] == refused["text"] == widened.get("text"):
            yield Disagreement("refuse", "", dropped["text"], f"{refused['text']!r}, {widened.get('text')!r}")


def word(allowed):
    return "allowed" if allowed else "disallowed"


COMMANDS = {"test": Question.tests, "filter": Question.filters}


def ask(command, questions, commands=tuple(COMMANDS)):
    """The answers to the questions, each a dict from the request's name."""
    found = [{} for _ in questions]
    for name in commands:
        places, requests = [], []
        for answers, question in zip(found, questions):
            for label, request in COMMANDS[name](question).items():
                places.append((answers, label))
                requests.append(request)
        for (answers, label), answer in zip(places, command.answers(name, requests)):
            answers[label] = answer
    return found
