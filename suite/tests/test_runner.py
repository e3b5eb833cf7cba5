"""The runner against real processes that fail in many ways. Each test names the clause of runner/SPEC.md that it is about."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
FAKE = [sys.executable, str(SUITE / "tests" / "fake.py")]
sys.path.insert(0, str(SUITE))

from runner import costs, judge, vectors  # noqa: E402


def vector(name, agent="MyBot", answer="allow", level="must", path="yes", file="User-agent: *\nDisallow: /no\n", **more):
    rfc = {"answer": answer, "level": level, "section": "2.2.2", "clause": "[rule.longest]"}
    return {"id": name, "file": file, "agent": agent, "url": f"https://example.com/{path}", "rfc": rfc, "google": "allow",
            "robosieve": "allow", "tags": ["path"], "why": "made for this test", **more}


BEFORE, AFTER = vector("t.before.001"), vector("t.after.001", path="no", answer="disallow")


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_suite(self, questions, *options, command=None):
        Path(self.path("v.ndjson")).write_text("".join(json.dumps(question) + "\n" for question in questions))
        words = [str(SUITE / "run"), "--vectors", self.path("v.ndjson"), *options]
        words = [sys.executable, *words] + (["--", *command] if command else [])
        return subprocess.run(words, capture_output=True, text=True, timeout=120)

    def outcomes(self, mode, questions, *options):
        """{id: what came}, the failures by id, and the exit code."""
        done = self.run_suite(questions, "--json", self.path("r.json"), "--seconds", "1", "--megabytes", "150", *options,
                              command=[*FAKE, mode])
        result = json.loads(Path(self.path("r.json")).read_text())["results"][0]
        return result["answers"], {failure["id"]: failure for failure in result["failures"]}, done.returncode

    def between(self, mode, *options, answer="allow", level="must", **more):
        """What came for a question in trouble, asked between two others that have to be right."""
        middle = vector("t.middle.001", agent="Trouble", answer=answer, level=level, **more)
        answers, failures, code = self.outcomes(mode, [BEFORE, middle, AFTER], *options)
        self.assertEqual((answers["t.before.001"], answers["t.after.001"]), ("allow", "disallow"), mode)
        self.assertEqual(code, 1 if set(failures) - {"none"} else 0)
        return answers["t.middle.001"], failures.get("t.middle.001", {})


class Reports(Run):
    """[run.causes], [run.some], [run.baseline], [run.face]"""

    def test_causes_come_first_with_the_smallest_file(self):
        clause = {"answer": "allow", "level": "must", "section": "2.2.2", "clause": "[other.clause]"}
        wrong = [vector("t.long.001", answer="disallow", file="User-agent: *\n# long\n# long\nDisallow: /no\n"),
                 vector("t.short.001", answer="disallow"), vector("t.other.001", path="no", rfc=clause)]
        done = self.run_suite([BEFORE, *wrong], "--name", "mine <b>", "--html", self.path("r.html"), command=[*FAKE, "right"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("3 failures of 2 causes, with the smallest file of each:", done.stdout)
        self.assertLess(done.stdout.index("[rule.longest]: 2 vectors"), done.stdout.index("[other.clause]: 1 vector"))
        self.assertIn("t.short.001", done.stdout)
        self.assertNotIn("t.long.001", done.stdout)
        page = Path(self.path("r.html")).read_text()
        self.assertIn("mine &lt;b&gt;: 1 of 4 answers right", page)
        self.assertLess(page.index("<h2>Causes"), page.index("<h2>Testers"))
        self.assertIn("1 tester, 4 vectors", page)

    def test_some_vectors(self):
        many = [vector(f"t.many.{at:03}", path="yes") for at in range(100)]
        for options, count in ((["--core"], 2), (["--sample", "7"], 7), (["--sample", "1000"], 100)):
            done = self.run_suite(many, *options, "--json", self.path("r.json"), command=[*FAKE, "right"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(Path(self.path("r.json")).read_text())["results"][0]["vectors"], count, options)

    def test_only_new_failures_fail_against_a_baseline(self):
        old = vector("t.old.001", answer="disallow")
        new = vector("t.new.001", answer="disallow")
        self.run_suite([BEFORE, old], "--json", self.path("before.json"), command=[*FAKE, "right"])
        against = ["--baseline", self.path("before.json"), "--show", "0"]
        self.assertEqual(self.run_suite([BEFORE, old], *against, command=[*FAKE, "right"]).returncode, 0)
        # A vector that the baseline was not asked is not new trouble.
        self.assertEqual(self.run_suite([BEFORE, old, new], *against, command=[*FAKE, "right"]).returncode, 0)
        self.run_suite([BEFORE, {**old, "rfc": BEFORE["rfc"]}], "--json", self.path("good.json"), command=[*FAKE, "right"])
        worse = self.run_suite([BEFORE, old], "--baseline", self.path("good.json"), command=[*FAKE, "right"])
        self.assertEqual(worse.returncode, 1)
        self.assertIn("new: t.old.001", worse.stderr)
        Path(self.path("bad.json")).write_text("[]")
        self.assertEqual(self.run_suite([BEFORE], "--baseline", self.path("bad.json"), command=[*FAKE, "right"]).returncode, 2)

    def test_the_face_is_that_of_all_pages(self):
        self.run_suite([BEFORE], "--html", self.path("r.html"), command=[*FAKE, "right"])
        face = (SUITE.parent / "crates/explain/src/html/face.css").read_text()
        self.assertIn(face, Path(self.path("r.html")).read_text())


class Processes(Run):
    """[run.restart]: whatever happens, the next question is asked, and answered by a fresh process."""

    def test_a_tester_that_hangs_is_stopped_in_time(self):
        """[run.time]"""
        for mode in ("hang", "spin"):
            started = time.monotonic()
            came, failure = self.between(mode)
            self.assertEqual((came, failure["message"]), ("timeout", "no answer in 1 s"))
            self.assertLess(time.monotonic() - started, 15)

    def test_a_runner_that_is_ended_ends_its_testers(self):
        """[run.restart]"""
        Path(self.path("v.ndjson")).write_text(json.dumps(vector("t.middle.001", agent="Trouble")) + "\n")
        words = [sys.executable, str(SUITE / "run"), "--vectors", self.path("v.ndjson"), "--seconds", "60"]
        runner = subprocess.Popen([*words, "--", *FAKE, "spin"], stderr=subprocess.DEVNULL)
        children = Path(f"/proc/{runner.pid}/task/{runner.pid}/children")
        until = time.monotonic() + 30
        while not (tester := children.read_text().split()) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(len(tester), 1)
        runner.terminate()
        self.assertEqual(runner.wait(20), 128 + 15)
        while (alive := self.runs(tester[0])) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertFalse(alive)

    def runs(self, pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_the_time_is_that_of_the_processor(self):
        """[run.time]: six testers that work share what is there, and each gets its time."""
        many = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
        try:
            middle = vector("t.middle.001", agent="Trouble")
            answers, _, _ = self.outcomes("work", [middle], "--seconds", "0.8")
        finally:
            for process in many:
                process.kill()
                process.wait()
        self.assertEqual(answers, {"t.middle.001": "allow"})

    def test_the_bound_of_a_vector_is_kept(self):
        """[run.time]"""
        came, failure = self.between("hang", bound={"milliseconds": 300, "megabytes": 100})
        self.assertEqual((came, failure["message"]), ("timeout", "no answer in 0.3 s"))
        _, failure = self.between("hang", "--slow", "2", bound={"milliseconds": 300, "megabytes": 100})
        self.assertEqual(failure["message"], "no answer in 0.6 s")

    def test_a_slow_start_is_no_slow_answer(self):
        """[run.start]"""
        self.assertEqual(self.between("slow start"), ("allow", {}))

    def test_a_tester_that_ends_is_a_crash_with_its_last_words(self):
        """[run.crash]"""
        came, failure = self.between("exit")
        self.assertEqual((came, failure["message"]), ("crash", "it ended with exit code 3: no such file"))
        came, failure = self.between("signal")
        self.assertEqual((came, failure["message"]), ("crash", "it ended with signal SIGSEGV"))

    def test_its_children_end_with_it(self):
        """[run.restart]"""
        came, _ = self.between("child")
        self.assertEqual(came, "timeout")
        left = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                left.append(file.read_bytes())
            except OSError:  # it ended meanwhile
                continue
        self.assertFalse([line for line in left if b"fake.py\0child" in line])

    def test_memory_is_bounded_while_it_works_and_when_it_has_answered(self):
        """[run.memory]"""
        for mode in ("memory", "brief memory"):
            came, failure = self.between(mode, "--seconds", "20")
            self.assertEqual(came, "memory", failure)
            self.assertRegex(failure["message"], r"^\d+ MB of memory, more than 150 MB$")

    def test_the_address_space_can_be_limited(self):
        """[run.memory]"""
        came, failure = self.between("memory", "--seconds", "20", "--megabytes", "2000", "--address-space", "200")
        self.assertEqual((came, failure["message"]), ("crash", "it ended with exit code 1: MemoryError"))

    def test_an_answer_is_one_line_with_the_id_of_the_question(self):
        """[run.answer]"""
        for mode, message in (("disorder", "not the answer to t.middle.001"), ("noise", "not a line of JSON"),
                              ("twice", "more than one line"), ("endless", "an answer of more than"), ("deep", "not a line of JSON"),
                              ("word", "neither")):
            came, failure = self.between(mode, "--seconds", "10")
            self.assertEqual(came, "protocol", mode)
            self.assertIn(message, failure["message"])

    def test_much_on_the_standard_error_does_not_stop_it(self):
        """[run.answer]"""
        self.assertEqual(self.between("errors"), ("allow", {}))

    def test_a_long_question_for_a_tester_that_does_not_read(self):
        """[run.time]"""
        long = vector("t.long.001", file="#" * 2_000_000)
        done = self.run_suite([long], "--seconds", "1", command=[*FAKE, "deaf"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("no answer in 1 s", done.stdout)

    def test_a_tester_that_never_answers_is_given_up(self):
        """[run.give-up]"""
        many = [vector(f"t.many.{i:03}") for i in range(60)]
        done = self.run_suite(many, "--json", self.path("r.json"), command=["false"])
        result = json.loads(Path(self.path("r.json")).read_text())["results"][0]
        self.assertEqual((done.returncode, len(result["answers"])), (1, 3))
        self.assertIn("gave up after 3 questions", done.stderr)
        many = [vector(f"t.many.{i:03}", agent="Trouble") for i in range(60)]
        done = self.run_suite(many, "--json", self.path("r.json"), command=[*FAKE, "exit"])
        self.assertIn("gave up after 20 questions", done.stderr)

    def test_of_a_shape_that_took_too_long_no_longer_file_is_asked(self):
        """[run.grows]"""
        shape = [vector(f"t.g.{i:03}", agent="Trouble", grows="x", file="#" * i, bound={"milliseconds": 200, "megabytes": 100})
                 for i in (5, 6, 7)]
        answers, failures, _ = self.outcomes("hang", [*shape, AFTER])
        self.assertEqual(list(answers.values()), ["timeout"] * 3 + ["disallow"])
        self.assertEqual([failures[name]["message"][:12] for name in sorted(failures)], ["no answer in", "not asked: a", "not asked: a"])

    def test_a_command_that_is_not_there(self):
        """[run.crash]"""
        done = self.run_suite([BEFORE], command=["/no/such/command"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/command cannot be started: No such file or directory", done.stdout)


class Judgement(Run):
    def test_levels(self):
        """[judge.must] [judge.may] [judge.silent]"""
        for level, answer, code in (("must", "disallow", 1), ("may", "disallow", 0), ("silent", "either", 0), ("may", "either", 0)):
            answers, failures, returned = self.outcomes("plain", [vector("t.one.001", answer=answer, level=level)])
            self.assertEqual((answers["t.one.001"], returned), ("allow", code))
            self.assertEqual(bool(failures), answer == "disallow", level)
        _, _, returned = self.outcomes("plain", [vector("t.one.001", answer="disallow", level="may")], "--strict")
        self.assertEqual(returned, 1)

    def test_an_error_is_wrong_only_where_an_answer_is_demanded(self):
        """[judge.error]"""
        came, failure = self.between("error")
        self.assertEqual((came, failure["message"]), ("error", "cannot read this file"))
        self.assertEqual(self.between("error", answer="either", level="silent"), ("error", {}))

    def test_a_crash_is_wrong_everywhere(self):
        """[judge.bound]"""
        came, failure = self.between("exit", answer="either", level="silent")
        self.assertEqual((came, failure["level"]), ("crash", "bound"))

    def test_values_count_only_if_they_are_given(self):
        """[judge.values]"""
        wanted = {"values": {"crawl_delay": 2.5, "sitemaps": ["https://a.example/s.xml"]}}
        troubled = vector("t.v.001", agent="Trouble", **wanted)
        for mode, options, code in (("plain", [], 0), ("values", [], 0), ("values", ["--strict"], 1)):
            _, failures, returned = self.outcomes(mode, [troubled], *options)
            self.assertEqual(returned, code)
            wrong = failures.get("t.v.001", {}).get("wrong_values")
            self.assertEqual(wrong, {"crawl_delay": {"expected": 2.5, "came": 3}} if mode == "values" else None)
        self.assertTrue(judge.same(2.5, 2.5000000001) and judge.same(None, None) and judge.same(2, 2.0))
        self.assertFalse(judge.same(1, True) or judge.same(None, 0) or judge.same(0, None))

    def test_another_column_is_held_to_in_full(self):
        """[judge.expect]"""
        one = {**vector("t.one.001", answer="either", level="silent"), "google": "disallow"}
        _, failures, code = self.outcomes("plain", [one], "--expect", "google")
        self.assertEqual((code, failures["t.one.001"]["expected"]), (1, "disallow"))


class Questions(Run):
    def test_only_what_was_chosen_is_asked(self):
        """[run.only]"""
        other = {**vector("t.other.001"), "tags": ["BOM"]}
        answers, _, _ = self.outcomes("plain", [BEFORE, other], "--only", "BOM")
        self.assertEqual(list(answers), ["t.other.001"])
        answers, _, _ = self.outcomes("plain", [BEFORE, other], "--id", "t.before.001")
        self.assertEqual(list(answers), ["t.before.001"])
        self.assertEqual(self.run_suite([BEFORE], "--only", "nothing", command=FAKE).returncode, 2)

    def test_a_question_has_no_answer_in_it(self):
        """[run.question]"""
        repeated = {**vector("t.r.001"), "file_repeat": {"head": "a\n", "body": "ä\n", "times": 3, "tail": "z"}}
        del repeated["file"]
        made = vectors.Vector(repeated, "here")
        self.assertEqual(made.file(), "a\nä\nä\nä\nz".encode())
        self.assertEqual(set(made.question()), {"id", "file_base64", "agent", "url"})
        headed = {**vector("t.h.001"), "header": "Mozilla/5.0 (compatible; MyBot/1.0)"}
        del headed["agent"]
        asked = vectors.Vector(headed, "here").question()
        self.assertEqual((asked["agent"], asked["header"]), ("Mozilla/5.0 (compatible; MyBot/1.0)", True))

    def test_bad_vectors_are_named(self):
        """[run.vectors]"""
        for bad, message in (("{", "v.ndjson:1: not JSON"), ("{}", "v.ndjson:1: not a vector"),
                             (json.dumps(BEFORE) + "\n" + json.dumps(BEFORE), "v.ndjson:2: the id t.before.001 is there twice")):
            Path(self.path("v.ndjson")).write_text(bad + "\n")
            words = [sys.executable, str(SUITE / "run"), "--vectors", self.path("v.ndjson"), "--", *FAKE, "plain"]
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


class Page(HTMLParser):
    """Collects the tags and the text, and fails for a page that is not closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


class Reports(Run):
    HOSTILE = vector("t.h.001", agent="Trouble", answer="disallow", file="<script>alert(1)</script>\x1b[31m\u202e\x00&amp;\r\n# TODO",
                     why="<b>why</b> # SKIP\nnot ok 7")

    def test_the_page_is_whole_and_shows_what_is_hostile(self):
        """[report.html]"""
        self.run_suite([BEFORE, self.HOSTILE], "--html", self.path("p.html"), command=[*FAKE, "<i>"])
        text = Path(self.path("p.html")).read_text()
        page = Page(text)
        tags = {tag for tag, _ in page.tags}
        self.assertFalse(tags & {"script", "i", "b", "img", "link", "iframe"} - {"b"}, tags)
        self.assertNotIn("<b>why", text)
        self.assertIn("<script>alert(1)</script>\\x1B[31m\\u202E\\x00&amp;\\r\n# TODO", "".join(page.words))
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text))
        self.assertNotIn("http:", text)
        hrefs = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
        ids = {attributes.get("id") for _, attributes in page.tags}
        self.assertTrue(hrefs and all(href[0] == "#" and href[1:] in ids for href in hrefs), hrefs)

    def test_tap_has_a_line_for_each_vector(self):
        """[report.tap]"""
        may = vector("t.may.001", answer="disallow", level="may")
        silent = vector("t.silent.001", answer="either", level="silent")
        lines = self.run_suite([BEFORE, self.HOSTILE, may, silent], "--tap", command=[*FAKE, "plain"]).stdout.splitlines()
        self.assertEqual(lines[:3], ["TAP version 14", "1..4", "ok 1 - t.before.001 made for this test"])
        points = [line for line in lines if re.match(r"(not )?ok ", line)]
        self.assertEqual(points[1:], ["not ok 2 - t.h.001 <b>why</b> \\# SKIP not ok 7",
                                      "not ok 3 - t.may.001 made for this test # TODO recommended only",
                                      "ok 4 - t.silent.001 made for this test # SKIP nothing is demanded; came allow"])
        self.assertIn('  expected: "disallow"', lines)

    def test_json_counts(self):
        """[report.json]"""
        self.run_suite([BEFORE, self.HOSTILE, AFTER], "--json", self.path("r.json"), command=[*FAKE, "plain"])
        result = json.loads(Path(self.path("r.json")).read_text())["results"][0]
        self.assertEqual((result["counts"]["must"], result["tags"]["path"]["must"]), ([2, 3], [2, 3]))
        self.assertEqual([failure["id"] for failure in result["failures"]], ["t.h.001"])

    def test_a_report_is_whole_or_not_there(self):
        """[report.whole]"""
        done = self.run_suite([BEFORE], "--json", self.path("none/r.json"), command=[*FAKE, "plain"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("a report could not be written", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["v.ndjson"])

    def test_wrong_usage_is_told(self):
        """[run.usage]"""
        for words in ([], ["--all", "--", "true"], ["--tap", "--all"], ["--seconds", "0", "--", "true"]):
            done = subprocess.run([sys.executable, str(SUITE / "run"), *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        done = subprocess.run([sys.executable, str(SUITE / "run"), "--tester", "nobody"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such tester: nobody", done.stderr)


class Costs(unittest.TestCase):
    def test_growth_is_told_from_times(self):
        """[cost.growth]"""
        sizes = [100 * 2**step for step in range(9)]
        for word, time_of in (("linear", lambda n: n / 2e4), ("quadratic", lambda n: n * n / 2e7), ("cubic", lambda n: n**3 / 2e9),
                              ("fast", lambda n: n / 1e9), ("linear", lambda n: n * (1 + n % 3 / 10) / 2e4)):
            self.assertEqual(costs.growth([(n, 0.01 + time_of(n)) for n in sizes], 0.01)[0], word)
        few = [2, 3, 4, 5, 6, 7, 8, 10]
        self.assertEqual(costs.growth([(n, 3.0**n / 1e4) for n in few], 0)[0], "exponential")

    def test_shapes_stay_within_what_the_rfc_demands(self):
        """[cost.shapes]"""
        for name, (_, sizes, _) in costs.SHAPES.items():
            asked = [costs.question(name, n)[1] for n in sizes]
            self.assertTrue(sum(length <= costs.LONGEST for length in asked) >= 6, name)

    def test_a_real_tester_that_backtracks_is_found(self):
        """[cost.growth]"""
        from runner.process import Limits, Tester
        matcher = ("import sys,json,base64,re\nfor line in sys.stdin:\n q=json.loads(line)\n f=base64.b64decode(q['file_base64']).decode()\n"
                   " p=[l[10:] for l in f.splitlines() if l.startswith('Disallow:')]\n u=q['url'][19:]\n"
                   " a=not any(re.match(re.escape(x).replace(r'\\*','.*').replace(r'\\$','$'),u) for x in p)\n"
                   " print(json.dumps({'id':q['id'],'allow':a}),flush=True)")
        with Tester([sys.executable, "-c", matcher], Limits(5, 500)) as tester:
            measured = {name: costs.measure_one(tester, name, 1.0) for name in ("stars", "comments")}
        self.assertIn(costs.verdict(measured["stars"]), ("exponential", "steep", "cubic", "too slow"))
        self.assertIn(costs.verdict(measured["comments"]), ("fast", "linear"))


if __name__ == "__main__":
    unittest.main()
