"""Compares the command's decisions with the references; README.md says what. Exit code 1: a difference, made small."""
import argparse
import base64
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import documents
import urls
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies
from sides import ROOT, Google, Lines, Model, files, judge, model_is_here, readings

URLS = 14
DIALECTS = ["standard", "google", "model"]
NO_LIMITS = dict.fromkeys(
    "max_records max_lines max_user_agents max_directive_length max_name_length max_value_length max_wildcards".split(),
    1_000_000_000,
)
SWITCHES = {
    "leniency": ["strict", "processor", "generous"], "fold": [False], "keep_trailing_spaces": [True],
    "any_line_ends_run": [True], "fallback": [False], "complement_leading_slash": [False], "decode_wildcard": [True],
    "order": ["file"], "escaped_wildcard": [False], "keep_unknown": [True],
}
# Only the RFC, as far as the command's options allow.
STRICT = {"leniency": "strict", "fold": False, "complement_leading_slash": False}
LIMITS = {
    "max_bytes": range(0, 160), "max_records": range(0, 5), "max_lines": range(0, 6), "max_user_agents": range(0, 5),
    "max_directive_length": range(4, 12), "max_name_length": range(0, 9), "max_value_length": range(0, 16),
    "max_wildcards": range(0, 4),
}
# A text must not need more than the RFC, except digits in agent names.
TEXT_READING = replace(readings.STRICT, odd_token="leading-wide")
RULE_LINE = re.compile(rb"User-agent:|Allow:|Disallow:")


def chosen(rnd, table, counts):
    return {name: rnd.choice(table[name]) for name in rnd.sample(sorted(table), k=rnd.choice(counts))}


def options(rnd, dialect):
    """Options for reading: none in half of the questions, only the RFC in some, otherwise one or a few."""
    if dialect == "google":
        return {}
    if dialect == "model":
        return {"leniency": "strict", "fold": False} | ({"order": "file"} if rnd.random() >= 0.8 else {})
    kind = rnd.random()
    return {} if kind < 0.5 else dict(STRICT) if kind < 0.6 else chosen(rnd, SWITCHES, [1, 1, 2, 3])


@dataclass(frozen=True)
class Question:
    """A document, agents, URLs and options; and what the answers of the command have to be."""

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

    @classmethod
    def drawn(cls, rnd, dialect, others):
        data = documents.document(rnd, others)
        return cls(dialect, data, tuple(documents.agents(rnd, data)), tuple(urls.urls(rnd, data, URLS)),
                   options(rnd, dialect), chosen(rnd, LIMITS, [1, 1, 1, 2, 3]), rnd.choice(["faithful", "portable"]),
                   rnd.random() >= 0.7)

    def request(self, fields=(), **more):
        """Names are read alone ([names.plain]), as the references read them."""
        dialect = "google" if self.dialect == "google" else "standard"
        asked = {"robots_b64": base64.b64encode(self.data).decode(), **dict(fields),
                 "options": {"dialect": dialect, "known": False} | self.options | more}
        return asked if more.get("all_agents") else asked | {"agents": list(self.agents)}

    @property
    def file_order(self):
        return self.options.get("order") == "file"

    def reference(self, max_bytes=readings.STANDARD.most_bytes):
        """The reference's reader of the file."""
        reading = replace(readings.standard(self.options), most_bytes=max_bytes)
        if self.dialect == "standard":
            return judge.File(self.data, self.agents, reading)
        data = files.unmarked(self.data, reading)
        data = self.data[:len(self.data) - len(data)] + files.within_limit(data, reading)
        return Model(data, self.agents, self.file_order) if self.dialect == "model" else Google(data, self.agents)

    def reader(self, text, all_agents=False, file_order=None):
        """The reference's reader of a text, which has no leniency."""
        file_order = self.file_order if file_order is None else file_order
        if self.dialect == "google":
            return Google(text, self.agents)
        if self.dialect == "model":
            return Model(text, self.agents, file_order)
        fallback = readings.standard(self.options).fallback if all_agents else "star"
        return judge.File(text, self.agents,
                          replace(TEXT_READING, order="file" if file_order else "longest", fallback=fallback))

    def by(self, reader):
        return reader.allow([url.encode() for url in self.urls])

    @cached_property
    def verdicts(self):
        return self.by(self.reference())


class Judge:
    """Asks the command, and counts the decisions of each check. A difference is an AssertionError."""

    def __init__(self, command):
        self.tests, self.filters = (Lines(command, name, "--ndjson") for name in ("test", "filter"))
        self.decisions = Counter()

    def same(self, check, question, expected, found, text=""):
        self.decisions[check] += len(expected)
        for url, want, have in zip(question.urls, expected, found, strict=True):
            assert want == have, f"{check}: {url!r}: expected {want}, found {have}; text {text!r}"

    def judge(self, question):
        self.judge_tests(question)
        texts, exact = {}, {}
        for form in ("faithful", "portable"):
            for all_agents in (False, True):
                name = form + (", all agents" if all_agents else "")
                answer = self.filters.ask(question.request(form=form, limits=NO_LIMITS, all_agents=all_agents))
                texts[name], exact[name] = self.judge_text(name, question, answer, all_agents)
                assert question.dialect == "google" or exact[name], f"{name}: not exact without limits: {answer}"
        asked = {"form": question.form, "all_agents": question.all_agents}
        self.judge_text("defaults", question, self.filters.ask(question.request(**asked)), question.all_agents)
        policies = {policy: self.filters.ask(question.request(**asked, limits=question.limits, on_over_limit=policy))
                    for policy in ("drop", "widen", "refuse")}
        for policy in ("drop", "widen"):
            exact[policy] = self.judge_text(policy, question, policies[policy], question.all_agents)[1]
        self.judge_refusal(policies, exact["drop"])
        if question.dialect == "model":
            self.judge_octets(question, texts["faithful"])
        if question.dialect != "google" and not question.file_order:
            for form in ("faithful", "portable"):
                if texts[form]:
                    longest, first = (question.by(question.reader(texts[form], file_order=it)) for it in (False, True))
                    self.same(f"{form}, first match", question, longest, first, texts[form])
        if question.dialect == "standard" and not question.file_order:
            for suffix in ("", ", all agents"):
                self.judge_portable(question, texts["faithful" + suffix], texts["portable" + suffix], suffix)

    def judge_tests(self, question):
        listed = {"urls": list(question.urls)}
        raw = self.tests.ask(question.request(listed))["results"]
        self.same("raw", question, question.verdicts, [result["allowed"] for result in raw])
        if most := question.limits.get("max_bytes"):
            cut = self.tests.ask(question.request(listed, limits={"max_bytes": most}))["results"]
            self.same("raw, cut", question, question.by(question.reference(most)), [result["allowed"] for result in cut])
        for number, (url, among) in enumerate(zip(question.urls, raw)):
            # Another limit that decides nothing: the command keeps a tester of a file that it is asked for again.
            alone = self.tests.ask(question.request({"url": url}, limits={"max_lines": 1_000_000_000 - number}))
            del among["url"]
            assert among == {name: alone.get(name) for name in among}, f"one URL: {url!r}: {among} alone is {alone}"
        self.decisions["one URL"] += len(raw)

    def judge_text(self, name, question, answer, all_agents):
        """-> the text, and whether the report calls it exact. A text that is not may differ in the directions of its
        losses only; what a widened text allows, the file allows."""
        if "error" in answer:
            assert name == "widen" and answer["error"]["kind"] == "refused", f"{name}: {answer}"
            return None, False
        text, losses = answer["text"].encode(), answer["report"]["losses"]
        may_allow = losses["either"] + losses["more_permissive"] > 0 and name != "widen"
        may_forbid = losses["either"] + losses["more_restrictive"] > 0
        assert not (answer["exact"] and (may_allow or may_forbid)), f"{name}: exact with {losses}"
        found = question.by(question.reader(text, all_agents))
        expected = [have if (may_allow if have else may_forbid) else want
                    for want, have in zip(question.verdicts, found, strict=True)]
        self.same(name, question, expected, found, text)
        return text, answer["exact"]

    def judge_octets(self, question, text):
        """[text.order] [text.once] [text.spelling]: the model writes the same rules, byte for byte."""
        expected = question.reference().text()
        # A run of stars may be written shorter, [text.stars].
        if b"**" not in expected:
            self.decisions["octets of the text"] += 1
            found = b"".join(line for line in text.splitlines(True) if RULE_LINE.match(line))
            assert found == expected, f"octets of the text: expected {expected}, found {found}"

    def judge_portable(self, question, faithful, portable, suffix):
        """[portable.neutral]"""
        # Google's parser merges the groups of several agents; such a text is not made for that.
        before, after = (question.by(Google(text, question.agents[:1])) for text in (faithful, portable))
        self.same(f"portable for Google's parser{suffix}", question, before, after, portable)

    def judge_refusal(self, answers, is_exact):
        """`refuse` fails if and only if `drop` is not exact. If nothing is lost, all policies give the same."""
        self.decisions["refuse"] += 1
        refused, dropped, widened = answers["refuse"], answers["drop"], answers["widen"]
        assert ("error" in refused) != is_exact, f"refuse: {refused}, and drop is exact: {is_exact}"
        if is_exact:
            assert dropped["text"] == refused["text"] == widened.get("text"), f"refuse: {answers}"


def campaign(asked, dialect, others):
    """Asks until there are enough decisions, or the time is over."""
    held, ends, number = Judge(asked.robosieve), time.monotonic() + (asked.seconds or 1e9), 0

    while sum(held.decisions.values()) < asked.decisions and time.monotonic() < ends:
        @seed(f"{asked.seed}:{dialect}:{number}")
        @settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck),
                  phases=[Phase.generate, Phase.shrink])
        @given(strategies.randoms(use_true_random=False))
        def decide_alike(rnd):
            question = Question.drawn(rnd, dialect, others)
            try:
                held.judge(question)
            except AssertionError as wrong:
                raise AssertionError(f"{wrong}\n{question}") from wrong

        decide_alike()
        number += 1
    return held.decisions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robosieve", help="the command")
    parser.add_argument("--decisions", type=int, default=100_000, metavar="N", help="decisions with each reference")
    parser.add_argument("--seconds", type=float, metavar="N", help="stop earlier, after this time for each of them")
    parser.add_argument("--files", type=Path, metavar="DIR", help="files to mutate, in addition to those of corpus/")
    parser.add_argument("--seed", default="1", help="another seed asks other questions")
    parser.add_argument("--dialect", choices=DIALECTS, help="one of them instead of all")
    asked = parser.parse_args()
    others = documents.load(Path(subprocess.check_output([ROOT / "corpus/unfold"], text=True).strip()))
    others += documents.load(asked.files) if asked.files else []
    dialects = [asked.dialect] if asked.dialect else DIALECTS
    if "model" in dialects and not model_is_here():
        print("left out: the model could not be built")
        dialects.remove("model")
    failed = False
    for dialect in dialects:
        started = time.monotonic()
        try:
            decisions = campaign(asked, dialect, others)
        except (AssertionError, ExceptionGroup) as wrong:
            failed = True
            print(f"{dialect}: DIFFERENT: {wrong}", *getattr(wrong, "exceptions", ()), sep="\n")
            continue
        print(f"{dialect}: {sum(decisions.values()):,} decisions in {time.monotonic() - started:.0f} s, no difference")
        for check, count in sorted(decisions.items()):
            print(f"  {count:>10,}  {check}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
