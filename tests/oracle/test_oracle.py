"""Tests that the questions reach each choice of SPEC.md, and that wrong answers are seen."""
import random
import unittest
from dataclasses import replace

import documents
import oracle
import urls
from sides import judge, model_is_here, readings


class Questions(unittest.TestCase):
    def test_each_choice_decides_something(self):
        """Each option, and each choice of SPEC.md beyond the RFC, changes some verdict, so the command's is compared."""
        left = {name: readings.standard({name: value}) for name, values in readings.OPTIONS.items() for value in values
                if readings.standard({name: value}) != readings.STANDARD}
        left |= {name: replace(readings.STANDARD, **{name: value}) for name, value in [
            ("byte_order_mark", "keep"), ("most_bytes", 40), ("odd_token", "leading"), ("robots_txt", "never")]}
        rnd = random.Random(7)
        for _ in range(4_000):
            data = documents.dense(rnd)
            agents, asked = documents.agents(rnd, data), [url.encode() for url in urls.urls(rnd, data, oracle.URLS)]
            before = judge.File(data, agents, readings.STANDARD).allow(asked)
            left = {name: reading for name, reading in left.items()
                    if judge.File(data, agents, reading).allow(asked) == before}
        self.assertEqual(sorted(left), [])


class Answers(unittest.TestCase):
    question = oracle.Question("standard", b"User-agent: *\nDisallow: /a\n", ("MyBot",), ("/a", "/b"))
    judge = oracle.Judge("nothing")

    def is_seen(self, check, *arguments):
        try:
            check(*arguments)
        except AssertionError:
            return True
        return False

    def test_texts(self):
        for text, exact, lost, seen in [
            ("User-agent: *\nDisallow: /a\n", True, 0, False), ("User-agent: *\nDisallow:\n", True, 0, True),
            ("User-agent: *\nDisallow: /\n", True, 0, True), ("User-agent: *\nDisallow:\n", False, 1, False),
            # A loss explains its direction only, and none explains exactness.
            ("User-agent: *\nDisallow: /\n", False, 1, True), ("User-agent: *\nDisallow: /a\n", True, 1, True),
        ]:
            losses = {"either": 0, "more_permissive": lost, "more_restrictive": 0}
            answer = {"text": text, "exact": exact, "report": {"losses": losses}}
            with self.subTest(answer):
                self.assertEqual(self.is_seen(self.judge.judge_text, "drop", self.question, answer, False), seen)

    def test_verdicts(self):
        one = {"allowed": False, "line": 2}
        for first, alone, seen in [(one, one, False), ({"allowed": True}, one, True), (one, one | {"line": 1}, True)]:
            answers = iter([{"results": [{"url": "/a", **first}, {"url": "/b", "allowed": True}]}, alone, {"allowed": True}])
            self.judge.tests = type("Fake", (), {"ask": lambda _, request: next(answers)})()
            with self.subTest(first=first, alone=alone):
                self.assertEqual(self.is_seen(self.judge.judge_tests, self.question), seen)

    @unittest.skipUnless(model_is_here(), "the model could not be built")
    def test_octets(self):
        question = replace(self.question, dialect="model")
        for text, seen in [(b"User-agent: *\nDisallow: /a\n", False), (b"User-agent: *\nDisallow: /%61\n", True)]:
            self.assertEqual(self.is_seen(self.judge.judge_octets, question, text), seen)

    def test_refusals(self):
        text = {"text": ""}
        for refused, dropped, exact, seen in [(text, text, True, False), (text, text, False, True), ({"error": {}}, text, True, True),
                                              (text, {"text": "x"}, True, True), ({"error": {}}, text, False, False)]:
            answers = {"refuse": refused, "drop": dropped, "widen": text}
            self.assertEqual(self.is_seen(self.judge.judge_refusal, answers, exact), seen)


if __name__ == "__main__":
    unittest.main()
