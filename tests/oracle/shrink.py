"""Makes a question as small as possible while it still fails the same check."""
import re
import time
from dataclasses import replace

import ours
import questions

MAX_SECONDS = 10


class Shrinker:
    def __init__(self, command, check):
        self.command, self.check, self.end = command, check, time.monotonic() + MAX_SECONDS
        self.commands = {"raw": ("test",), "one URL": ("test",), "the command died": ("test", "filter")}.get(check.partition(",")[0], ("filter",))

    def is_over(self):
        return time.monotonic() > self.end

    def failing(self, question):
        """The difference in the same check, if there is one."""
        try:
            answers, = questions.ask(self.command, [question], self.commands)
        except ours.Died as died:
            return questions.Disagreement("the command died", "", "answers", str(died))
        for found in question.judge(answers, lambda *_: None):
            if found.check == self.check:
                return found
        return None

    def holds(self, question):
        return not self.is_over() and self.failing(question) is not None

    def parts(self, items, build):
        """Delta debugging: a smallest part of the items for which the result of `build` still fails."""
        size = max(1, len(items) // 2)
        while True:
            at, before = 0, len(items)
            while at < len(items):
                fewer = items[:at] + items[at + size:]
                if self.holds(build(fewer)):
                    items = fewer
                else:
                    at += size
            if size == 1 and len(items) == before or self.is_over():
                return items
            size = max(1, size // 2)

    def shrink(self, question, url):
        if url and self.holds(replace(question, urls=(url,))):
            question = replace(question, urls=(url,))
        for name in ("options", "limits"):
            for key in list(getattr(question, name)):
                fewer = {other: value for other, value in getattr(question, name).items() if other != key}
                if self.holds(replace(question, **{name: fewer})):
                    question = replace(question, **{name: fewer})
        for simpler in ({"form": "faithful"}, {"all_agents": False}, {"agents": ("MyBot",)}):
            if self.holds(replace(question, **simpler)):
                question = replace(question, **simpler)

        def with_data(parts):
            return replace(question, data=b"".join(parts))

        lines = [line for line in re.findall(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)", question.data) if line]
        question = with_data(self.parts(lines, with_data))
        question = with_data(self.parts([bytes([byte]) for byte in question.data], with_data))
        if len(question.urls) == 1 and url:
            def with_url(parts):
                return replace(question, urls=("/" + "".join(parts),))
            path = url.partition("://")[2].partition("/")[2] if "://" in url else url[1:]
            if self.holds(with_url(list(path))):
                question = with_url(self.parts(list(path), with_url))
        return question, self.failing(question)


def shrunk(command, question, found):
    """The smallest question, and its difference."""
    smaller, disagreement = Shrinker(command, found.check).shrink(question, found.url)
    return (smaller, disagreement) if disagreement else (question, found)
