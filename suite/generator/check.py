"""Checks the data of the suite: the schema, the ids, the model's answers, and that vectors name the clauses of SPEC.md.

`suite/check` runs it after `suite/generate --check`, which compares each answer with the judge and Google's parser.
"""
import base64
import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

import jsonschema

from . import documents

SUITE = Path(__file__).resolve().parents[1]
sys.path.append(str(SUITE.parent / "tests" / "oracle"))
import model  # noqa: E402  The model of tests/model, whose proofs Coq has checked.

SPEC = (SUITE.parent / "SPEC.md").read_text()
VECTORS = [json.loads(line) for path in sorted((SUITE / "vectors").glob("*.ndjson"))
           for line in path.read_text().splitlines()]
# The chapters of SPEC.md about reading and matching.
CHAPTERS = ["Input", "Lines", "Fields", "Groups", "Agents", "Paths", "Precedence", "Dialects"]
# Clauses of these chapters that no answer of a tester can show.
NOT_SHOWN = {
    "input.bytes": "it says that any input is read, and each vector shows it",
    "input.directed": "two ways to read the same",
    "input.owned": "two ways to keep the same",
    "input.reader": "another way to read the same",
    "input.incomplete": "each vector is a whole file",
    "input.kind": "what a file looks like is in no answer",
    "url.parsed": "a type of a library in Rust",
    "processor.names": "a dialect that the suite does not have",
    "processor.run": "a dialect that the suite does not have",
    "line.number": "the number of a line is in no answer",
    "line.shortcuts": "two ways to read the same",
    "line.vectors": "two ways to read the same",
    "record.any-line-ends-run": "an option that is off",
    "path.decode-wildcard": "an option that is off",
    "rule.file-order": "an option that is off",
    "url.none": "each vector asks about a URL",
}
# Vectors that the RFC decides and the model answers otherwise.
MODEL_DIFFERS = {
    "encoding.table.002": "the RFC's table encodes reserved octets of a query; its text, and RFC 3986, do not",
    "encoding.table.003": "the same row of the table",
}


def octets(vector):
    if "file" in vector:
        return vector["file"].encode()
    if "file_base64" in vector:
        return base64.b64decode(vector["file_base64"])
    repeat = vector["file_repeat"]
    return (repeat["head"] + repeat["body"] * repeat["times"] + repeat["tail"]).encode()


def clauses(chapter):
    text = SPEC.split(f"\n## {chapter}\n")[1].split("\n## ")[0]
    return re.findall(r"\*\*\[([a-z0-9.-]+)\]\*\*", text)


class Data(unittest.TestCase):
    def test_each_vector_fits_the_schema(self):
        schema = json.loads((SUITE / "schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for vector in VECTORS:
            with self.subTest(vector["id"]):
                self.assertEqual([error.message for error in validator.iter_errors(vector)], [])

    def test_the_schema_refuses_what_is_no_vector(self):
        schema = json.loads((SUITE / "schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        good = VECTORS[0]
        for change in ({"google": "maybe"}, {"tags": []}, {"tags": ["nonsense"]}, {"file_base64": "QQ=="},
                       {"rfc": good["rfc"] | {"answer": "either", "level": "must"}}, {"extra": 1}, {"id": "x"}):
            with self.subTest(change):
                self.assertFalse(validator.is_valid(good | change))

    def test_inputs_of_the_corpus_are_escaped_and_back(self):
        for name, _, data in documents.load():
            for end in (b"", b"\n", b"\\", b" ", b"}" * 200, b"\xff\\x41\t\r"):
                lines = "".join(f"{line}\n" for line in documents.escape(data + end)).encode()
                self.assertEqual(documents.unescape(lines), data + end, name)

    def test_ids_are_unique(self):
        twice = [name for name, count in Counter(vector["id"] for vector in VECTORS).items() if count > 1]
        self.assertEqual(twice, [])

    def test_the_model_answers_as_the_rfc(self):
        if not model.is_here():
            self.skipTest("left out: the model could not be built")
        decided = [vector for vector in VECTORS if vector["rfc"]["answer"] in ("allow", "disallow")]
        self.assertGreater(len(decided), 1_500)
        others = []
        for vector in decided:
            allowed, = model.File(octets(vector), [vector["agent"]]).allow([vector["url"].encode()])
            if allowed != (vector["rfc"]["answer"] == "allow"):
                others.append(vector["id"])
        self.assertEqual(others, sorted(MODEL_DIFFERS))

    def test_each_clause_about_reading_and_matching_has_a_vector(self):
        named = {vector["rfc"]["clause"].strip("[]") for vector in VECTORS}
        needed = {clause for chapter in CHAPTERS for clause in clauses(chapter)}
        self.assertGreater(len(needed), 30)
        self.assertEqual(sorted(needed - named - set(NOT_SHOWN)), [])
        self.assertEqual(sorted(set(NOT_SHOWN) - needed), [])

    def test_each_clause_that_a_vector_names_is_in_spec_md(self):
        defined = set(re.findall(r"\*\*\[([a-z0-9.-]+)\]\*\*", SPEC))
        named = {vector["rfc"]["clause"].strip("[]") for vector in VECTORS}
        self.assertEqual(sorted(named - defined), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
