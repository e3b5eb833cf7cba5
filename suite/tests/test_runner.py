"""The runner against real processes that fail in many ways."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
FAKE = [sys.executable, str(SUITE / "tests" / "fake.py")]
sys.path.insert(0, str(SUITE))

from runner import vectors  # noqa: E402


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

    def words(self, questions, *options, command=()):
        Path(self.path("v.ndjson")).write_text("".join(json.dumps(question) + "\n" for question in questions))
        words = [sys.executable, str(SUITE / "run"), "--vectors", self.path("v.ndjson"), *options]
        return words + (["--", *command] if command else [])

    def run_suite(self, *arguments, **more):
        return subprocess.run(self.words(*arguments, **more), capture_output=True, text=True, timeout=120)

    def outcomes(self, mode, questions, *options):
        """The report, and the exit code."""
        done = self.run_suite(questions, "--json", "-", "--seconds", "1", "--megabytes", "150", *options, command=[*FAKE, mode])
        return json.loads(done.stdout)["results"][0], done.returncode

    def between(self, mode, *options, **more):
        """What came for a question in trouble, asked between two others that have to be right; and its failure."""
        result, code = self.outcomes(mode, [BEFORE, vector("t.middle.001", agent="Trouble", **more), AFTER], *options)
        answers = result["answers"]
        self.assertEqual((answers["t.before.001"], answers["t.after.001"]), ("allow", "disallow"), mode)
        failed = {failure["id"]: failure for failure in result["failures"]}
        return answers["t.middle.001"], failed.get("t.middle.001", {}), code


class Processes(Run):
    def test_what_ends_or_is_no_answer_has_crashed(self):
        for mode, message in (("exit", "exit code 3: no such file"), ("signal", "SIGSEGV"), ("disorder", "not the answer"),
                              ("noise", "not a line of JSON"), ("twice", "more than one line"), ("deep", "not a line of JSON"),
                              ("endless", "more than 4194304"), ("word", "neither"), ("memory", "MemoryError")):
            came, failure, code = self.between(mode)
            self.assertEqual((came, code), ("crashed", 1), mode)
            self.assertIn(message, failure["message"], mode)

    def test_what_takes_too_long_is_slow(self):
        for mode in ("hang", "child"):
            began = time.monotonic()
            self.assertEqual(self.between(mode)[0], "slow", mode)
            self.assertLess(time.monotonic() - began, 30)
        long = [vector(f"t.long.00{n}", agent="Trouble", file="x" * 100_000, path=path) for n, path in ((1, "yes"), (2, "no"))]
        result, _ = self.outcomes("deaf", long)
        self.assertEqual(set(result["answers"].values()), {"slow"})

    def test_a_vector_has_its_own_time_and_a_larger_file_of_its_shape_is_not_asked(self):
        sizes = [vector(f"t.grows.00{n}", agent="Trouble", file="#" * n, grows="stars", milliseconds=300) for n in (1, 2, 3)]
        began = time.monotonic()
        result, _ = self.outcomes("hang", sizes, "--seconds", "20")
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(result["counts"]["must"]["slow"], 3)
        self.assertIn("not asked", result["failures"][-1]["message"])

    def test_the_start_and_many_errors_cost_no_answer(self):
        for mode in ("slow start", "errors"):
            self.assertEqual(self.between(mode)[::2], ("allow", 0), mode)

    def test_nothing_more_is_asked_of_what_fails_again_and_again(self):
        many = [vector(f"t.many.{n:03}", agent="Trouble") for n in range(1, 40)]
        result, code = self.outcomes("exit", many)
        self.assertEqual((len(result["answers"]), code), (20, 1))
        done = self.run_suite(many, "--json", "-", command=["/nonexistent"])
        self.assertEqual(len(json.loads(done.stdout)["results"][0]["answers"]), 3)

    def test_a_signal_to_the_runner_ends_its_tester(self):
        command = [*FAKE, "hang", self.path("pid")]
        running = subprocess.Popen(self.words([vector("t.a.001", agent="Trouble")], command=command))
        while not os.path.exists(self.path("pid")):
            time.sleep(0.05)
        tester = int(Path(self.path("pid")).read_text())
        running.terminate()
        self.assertEqual(running.wait(20), 128 + 15)
        with self.assertRaises(ProcessLookupError):
            for _ in range(200):
                os.kill(tester, 0)
                time.sleep(0.05)


class Judging(Run):
    def test_levels(self):
        for level, answer, exits in (("must", "disallow", (1, 1)), ("may", "disallow", (0, 1)), ("may", "either", (0, 0)),
                                     ("silent", "either", (0, 0))):
            for options, code in ((), exits[0]), (("--strict",), exits[1]):
                self.assertEqual(self.between("right", *options, level=level, answer=answer)[2], code, (level, options))
        came, failure, code = self.between("error")
        self.assertEqual((came, failure["verdict"], code), ("error", "wrong", 1))
        self.assertEqual(self.between("error", answer="either", level="silent")[2], 0)
        self.assertEqual(self.between("hang", answer="either", level="silent")[2], 1)

    def test_values_count_if_they_are_given(self):
        expected = {"crawl_delay": 3.0, "sitemaps": ["https://other.example/"]}
        for options, code in ((), 0), (("--strict",), 1):
            _, failure, found = self.between("values", *options, values=expected)
            self.assertEqual((list(failure["wrong_values"]), found), (["sitemaps"], code))
        self.assertEqual(self.between("right", "--strict", values=expected)[2], 0)

    def test_another_column_demands_each_answer(self):
        open_one = vector("t.open.001", answer="either", level="silent") | {"google": "disallow"}
        self.assertEqual(self.outcomes("right", [open_one])[1], 0)
        self.assertEqual(self.outcomes("right", [open_one], "--expect", "google")[1], 1)


class Rows(Run):
    def test_vectors_are_selected(self):
        other = vector("t.other.001") | {"tags": ["BOM"]}
        for options, ids in (("--only", "BOM"), ["t.other.001"]), (("--without", "BOM"), ["t.before.001"]), \
                (("--id", "t.before.001"), ["t.before.001"]):
            self.assertEqual(list(self.outcomes("right", [BEFORE, other], *options)[0]["answers"]), ids)

    def test_a_question_has_no_answer_in_it(self):
        repeated = {**vector("t.r.001"), "file_repeat": {"head": "a\n", "body": "ä\n", "times": 3, "tail": "z"}}
        del repeated["file"]
        made = vectors.Vector(repeated, "here")
        self.assertEqual(made.file(), "a\nä\nä\nä\nz".encode())
        self.assertEqual(set(made.question()), {"id", "file_base64", "agent", "url"})

    def test_what_is_no_row_or_no_option_stops_the_run(self):
        for bad, message in (("{", "v.ndjson:1: not JSON"), ("{}", "v.ndjson:1: not a vector"),
                             (json.dumps(BEFORE) + "\n" + json.dumps(BEFORE), "the id t.before.001 is there twice")):
            words = self.words([], command=[*FAKE, "right"])
            Path(self.path("v.ndjson")).write_text(bad + "\n")
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        for options in (["--only", "nothing"], ["--seconds", "0"], ["--all"]):
            self.assertEqual(self.run_suite([BEFORE], *options, command=[*FAKE, "right"]).returncode, 2, options)
        self.assertIn("no such tester: nobody", self.run_suite([BEFORE], "--tester", "nobody").stderr)

    def test_reports_show_what_is_hostile_and_are_whole_or_not_there(self):
        hostile = vector("t.h.001", answer="disallow", file="\x1b[31m\u202e\x00")
        done = self.run_suite([hostile], command=[*FAKE, "right"])
        self.assertIn("\\x1b[31m\\u202e\\x00", done.stdout)
        self.assertIn("must    0 of 1 right, 1 wrong", done.stdout)
        done = self.run_suite([BEFORE], "--json", self.path("none/r.json"), command=[*FAKE, "right"])
        self.assertEqual((done.returncode, os.listdir(self.folder.name)), (2, ["v.ndjson"]))


if __name__ == "__main__":
    unittest.main()
