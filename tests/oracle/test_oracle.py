"""Tests the reference and the generator: the examples of RFC 9309, and that each choice is used."""
import random
import unittest
from dataclasses import replace

import choices
import documents
import model
import oracle
import questions
import urls
from reference import judge, readings

SIMPLE = b"""User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


def allows(data, url, agent="foobot", reading=readings.STRICT):
    return judge.File(data, [agent], reading).allow([url])[0]


class OfTheRfc(unittest.TestCase):
    def test_simple_example(self):
        """RFC 9309 5.1."""
        for agent, url, expected in [
            ("other", b"/a.gif", False), ("other", b"/a.gif?x", True), ("other", b"/example/x", False),
            ("other", b"/publications/", True), ("other", b"/publications/x.gif", True),
            ("foobot", b"/", False), ("foobot", b"/example/page.html", True), ("foobot", b"/example/allowed.gif", True),
            ("BarBot", b"/example/page.html", False), ("bazbot", b"/example/page.html", False), ("bazbot", b"/", True),
            ("quxbot", b"/example/page.html", True), ("foobot", b"/robots.txt", True),
        ]:
            with self.subTest(agent=agent, url=url):
                self.assertEqual(allows(SIMPLE, url, agent), expected)

    def test_longest_match(self):
        """RFC 9309 5.2."""
        data = b"User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
        self.assertFalse(allows(data, b"/example/page/disallowed.gif"))
        self.assertTrue(allows(data, b"/example/page/allowed.gif"))

    def test_groups_are_merged(self):
        """RFC 9309 2.2.1."""
        data = (b"user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\n"
                b"user-agent: ExampleBot\ndisallow: /baz\n")
        self.assertEqual([allows(data, url, "examplebot") for url in (b"/foo", b"/bar", b"/baz", b"/qux")],
                         [False, False, False, True])

    def test_comparison_of_octets(self):
        """RFC 9309 2.2.2, the table; not its second line, which SPEC.md names as a deviation."""
        for rule, url in [
            (b"/foo/bar?baz=quz", b"/foo/bar?baz=quz"), ("/foo/bar/\u30c4".encode(), b"/foo/bar/%E3%83%84"),
            (b"/foo/bar/%E3%83%84", b"/foo/bar/%E3%83%84"), (b"/foo/bar/%62%61%7A", b"/foo/bar/baz"),
        ]:
            with self.subTest(rule=rule):
                self.assertFalse(allows(b"User-agent: *\nDisallow: " + rule, url))
                self.assertTrue(allows(b"User-agent: *\nDisallow: " + rule, url[:-1]))

    def test_special_characters(self):
        """RFC 9309 2.2.3."""
        for rule, url, expected in [
            (b"/this/path/exactly$", b"/this/path/exactly", False), (b"/this/path/exactly$", b"/this/path/exactly1", True),
            (b"/this/*/exactly", b"/this/other/exactly", False), (b"/this/*/exactly", b"/this/exactly", True),
            (b"/path/file-with-a-%2A.html", b"/path/file-with-a-*.html", False),
            (b"/path/file-with-a-%2A.html", b"/path/file-with-a-x.html", True),
            (b"/path/foo-%24", b"/path/foo-$", False), (b"/path/foo-%24", b"/path/foo-", True),
        ]:
            with self.subTest(rule=rule, url=url):
                self.assertEqual(allows(b"User-agent: *\nDisallow: " + rule, url), expected)


class OfTheGenerator(unittest.TestCase):
    def test_each_choice_decides_something(self):
        """Each option, and each choice of SPEC.md beyond the RFC, changes some verdict, so the command's is compared."""
        others = {name: readings.standard({name: value}) for name, values in readings.OPTIONS.items() for value in values
                  if readings.standard({name: value}) != readings.STANDARD}
        others |= {name: replace(readings.STANDARD, **{name: value}) for name, value in [
            ("byte_order_mark", "keep"), ("most_bytes", 40), ("odd_token", "leading"), ("robots_txt", "never")]}
        rnd, left = random.Random(7), dict(others)
        for _ in range(4_000):
            data = documents.dense(rnd)
            agents, asked = documents.agents(rnd, data), [url.encode() for url in urls.urls(rnd, data, oracle.URLS)]
            before = judge.File(data, agents, readings.STANDARD).allow(asked)
            for name, reading in list(left.items()):
                if judge.File(data, agents, reading).allow(asked) != before:
                    del left[name]
        self.assertEqual(sorted(left), [])


class OfTheJudge(unittest.TestCase):
    def setUp(self):
        self.question = questions.Question("standard", b"User-agent: *\nDisallow: /a\n", ("MyBot",), ("/a", "/b"))

    def judged(self, text, exact, more_permissive=0):
        losses = {"either": 0, "more_permissive": more_permissive, "more_restrictive": 0}
        answer = {"text": text, "exact": exact, "report": {"losses": losses}}
        return [found.url for found in self.question.judge_text("defaults", answer, lambda *_: None)]

    def test_a_wrong_text_is_seen(self):
        self.assertEqual(self.judged("User-agent: *\nDisallow: /a\n", True), [])
        self.assertEqual(self.judged("User-agent: *\nDisallow:\n", True), ["/a"])
        self.assertEqual(self.judged("User-agent: *\nDisallow: /\n", True), ["/b"])

    def test_a_loss_explains_its_direction_only(self):
        self.assertEqual(self.judged("User-agent: *\nDisallow:\n", False, more_permissive=1), [])
        self.assertEqual(self.judged("User-agent: *\nDisallow: /\n", False, more_permissive=1), ["/b"])

    @unittest.skipUnless(model.is_here(), "the model could not be built")
    def test_other_octets_are_seen(self):
        question = replace(self.question, dialect="model", options=choices.MODEL)
        for text, wrong in [("User-agent: *\nDisallow: /a\n", 0), ("User-agent: *\nDisallow: /%61\n", 1)]:
            self.assertEqual(len(list(question.judge_octets({"text": text}, lambda *_: None))), wrong)

    def test_another_answer_to_one_url_is_seen(self):
        one = {"allowed": False, "line": 2}
        answers = {"raw": {"results": [{"url": "/a", **one}, {"url": "/b", "allowed": True}]},
                   ("one URL", 0): {"v": 1, **one}, ("one URL", 1): {"v": 1, "allowed": True}}
        judged = lambda: [found.url for found in self.question.judge_alone(answers, lambda *_: None)]
        self.assertEqual(judged(), [])
        answers["one URL", 0]["line"] = 1
        self.assertEqual(judged(), ["/a"])

    def test_a_wrong_verdict_is_seen(self):
        results = [{"allowed": True}, {"allowed": True}]
        found = list(self.question.judge_test("raw", {"results": results}, lambda *_: None))
        self.assertEqual([one.url for one in found], ["/a"])


if __name__ == "__main__":
    unittest.main()
