"""The classes of published studies."""

from __future__ import annotations

import doctest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

pa = pytest.importorskip("pyarrow")

from robosieve.arrow import census  # noqa: E402
from robosieve.census import studies  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def parsers() -> ModuleType:
    """The parsers of the studies, in the words of their papers."""
    loader = SourceFileLoader("compare", str(ROOT / "crates/census/studies/compare"))
    spec = spec_from_loader("compare", loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def classes_of(body: bytes, agent: str) -> dict:
    [row] = studies.classes(census(pa.array([body]), agent)).to_pylist()
    return row


@pytest.mark.parametrize("cause", studies.CAUSES, ids=lambda cause: f"{cause.study}: {cause.name}")
def test_the_smallest_file_for_each_cause(cause):
    """[studies.causes]"""
    assert classes_of(cause.body, cause.agent)[cause.study] == cause.right
    compare = parsers()
    if cause.study != "somesite":
        found = {"consent": compare.consent, "ruleset": compare.common_crawl}[cause.study](cause.body, cause.agent)
        assert found == cause.found
    else:
        # It asks Google's parser for `/` and for another path: any parser answers the same for these.
        rows = studies.classes(census(pa.array([cause.body.replace(b"Allow: /x\n", b"")]), cause.agent)).to_pylist()
        assert rows[0]["somesite"] == cause.found
    # Each line is needed: without it the parser is right, or there is no rule.
    lines = cause.body.splitlines(keepends=True)
    assert len(lines) <= 6 and len(cause.body) <= 80


def test_classes_are_those_of_the_statuses():
    """[studies.classes]"""
    for body, words, explicit, ruleset in [
        (b"User-agent: a\nDisallow: /\n", ("full", "all", "fully_disallowed"), False, True),
        (b"User-agent: a\nDisallow: /x\n", ("partial", "some", "partially_disallowed"), False, True),
        (b"User-agent: a\nAllow: /\n", ("none", "none", "no_restrictions"), True, True),
        (b"User-agent: a\nDisallow:\n", ("none", "none", "no_restrictions"), True, False),
        (b"User-agent: *\nAllow: /\n", ("none", "none", "no_restrictions"), False, False),
        (b"", ("none", "none", "no_restrictions"), False, False),
        (b"<html><title>x</title></html>", ("none", "none", "no_restrictions"), False, False),
    ]:
        row = classes_of(body, "a")
        assert tuple(row[name] for name in studies.CLASSES) == words, body
        assert (row["explicitly_allowed"], row["ruleset"]) == (explicit, ruleset), body
    # Without rules, the HTTP status decides; what is not known has no class.
    columns = {"status": ["no-file", "no-file", "incomplete", "unknown"], "root": [True, False, False, None],
               "named": [None] * 4, "group": [None] * 4, "allows": [None] * 4, "disallows": [None] * 4}
    kinds = {"named": pa.bool_(), "root": pa.bool_(), "allows": pa.int64(), "disallows": pa.int64()}
    table = pa.table({name: pa.array(held, kinds.get(name, pa.string())) for name, held in columns.items()})
    found = studies.classes(table)
    assert found["restriction"].to_pylist() == ["none", "full", "full", None]
    assert found["explicitly_allowed"].to_pylist() == found["ruleset"].to_pylist() == [False] * 4
    with pytest.raises(ValueError, match="'restriction' already"):
        studies.classes(found)
    with pytest.raises(KeyError):
        studies.classes(table.drop_columns(["named"]))


def test_its_example():
    """[studies.classes]"""
    assert doctest.testmod(studies).failed == 0


def test_the_notebook_draws_the_figures(tmp_path, monkeypatch):
    """[studies.classes] The example is a script in the form of a notebook, with cells."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    script = (ROOT / "bindings/python/examples/figures_of_studies.py").read_text()
    notebook = nbformat.v4.new_notebook()
    for cell in script.split("# %%")[1:]:
        kind, _, source = cell.partition("\n")
        is_text = "markdown" in kind
        make = nbformat.v4.new_markdown_cell if is_text else nbformat.v4.new_code_cell
        notebook.cells.append(make(source.replace("# ", "") if is_text else source))
    assert sum(cell.cell_type == "code" for cell in notebook.cells) >= 5
    monkeypatch.setenv("FIGURES", str(tmp_path))
    # An assertion of a cell that fails is an error here.
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = sorted(tmp_path.glob("*.png"))
    assert [path.stem for path in pictures] == ["closed-over-time", "most-closed", "restrictions"]
    assert all(path.stat().st_size > 10_000 for path in pictures)
