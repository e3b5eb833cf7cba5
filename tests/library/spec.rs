//! Tests SPEC.md: its examples are run, its tables match the code, and a test names every clause.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use robosieve::parts::{known_directives, misspellings};
use robosieve::report::{FindingKind, InputKind};
use robosieve::settings::{Dialect, DirectiveScope, Leniency, Limits};
use robosieve::values::Label;

use crate::files::cases;
use crate::files::documents::unescape;
use crate::number;
use crate::words::{Asked, reported};

const SPEC: &str = include_str!("../../SPEC.md");
/// Specifications that SPEC.md refers to.
const OTHERS: [&str; 2] = [include_str!("../../crates/gate/SPEC.md"), include_str!("../../crates/signals/SPEC.md")];
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The examples: the words after the fence, and the lines inside.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let blocks = SPEC.split("\n```robots ").skip(1);
    blocks.map(|block| block.split_once("\n```").unwrap().0.split_once('\n').unwrap())
}

/// An example as it should be: its file, the text, the findings, and the verdicts on the URLs that it asks about.
fn answered(words: &str, lines: &str) -> String {
    let (file, rest) = lines.split_once("\n---\n").unwrap();
    let input = unescape(&format!("{file}\n"));
    let sieved = Asked::read(words.split(' ')).sieve().filter(&input).unwrap();
    let mut notes = String::new();
    for finding in sieved.report().details() {
        writeln!(notes, "line {} {}", number(finding.line), reported(*finding)).unwrap();
    }
    let tester = sieved.text_tester();
    for url in rest.lines().filter_map(|line| line.split_once("allowed ")?.1.split(' ').next()) {
        let verdict = tester.test(url.as_bytes());
        let answer = if verdict.allowed() { "allowed" } else { "disallowed" };
        let line = verdict.line().map(|line| format!(" line {line}")).unwrap_or_default();
        writeln!(notes, "{answer} {url}{line}").unwrap();
    }
    let marked = if notes.is_empty() { notes } else { format!("---\n{notes}") };
    format!("{file}\n---\n{}{marked}", sieved.text()).trim_end().to_owned()
}

/// [text.form] and the clauses that the examples name. README.md and the crate's page begin with the same example.
#[test]
fn examples_hold() {
    let page = include_str!("../../src/lib.rs").lines().map_while(|line| line.strip_prefix("//!"));
    let page: String = page.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect();
    let first = |text: &str, fence: &str| Some(text.split_once(fence)?.1.split_once("```")?.0.to_owned());
    assert_eq!(first(include_str!("../../README.md"), "```rust\n"), first(&page, "```\n"));
    assert!(examples().count() > 10);
    for (words, lines) in examples() {
        assert_eq!(answered(words, lines), lines, "{words}");
    }
}

/// The names in square brackets in `text`.
fn clauses_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    let names = text.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    names.filter(move |name| name.contains('.') && name.chars().all(is_part))
}

fn clauses_of(spec: &str) -> BTreeSet<&str> {
    let mut defined = BTreeSet::new();
    for name in spec.split("**[").skip(1).filter_map(|rest| rest.split("]**").next()) {
        assert!(defined.insert(name), "[{name}] is defined twice");
    }
    defined
}

/// The tests in a file, or in a folder and in its subfolders, each with its doc comment.
fn tests_in(place: &Path, found: &mut Vec<(String, String)>) {
    if place.is_dir() {
        for entry in fs::read_dir(place).unwrap() {
            tests_in(&entry.unwrap().path(), found);
        }
    } else if place.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(place).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "#[test]") {
            let comment: String =
                lines[..at].iter().rev().take_while(|line| line.starts_with("///")).copied().collect();
            found.push((format!("{}:{}", place.display(), at + 1), comment));
        }
    }
}

/// Every test of the library names a clause of SPEC.md, and every clause has a test, an example or a check of the
/// corpus. Crates that a clause is about may test it: [text.form]
#[test]
fn clauses_and_tests_cover_each_other() {
    let (defined, mut tests, mut of_crates) = (clauses_of(SPEC), Vec::new(), Vec::new());
    // Lines cannot be reached from outside.
    let lines = "src/syntax/every_line.rs";
    for place in ["tests/library", "tests/growth.rs", "tests/heap.rs", "tests/suite.rs", "tests/wild.rs", lines] {
        tests_in(&Path::new(ROOT).join(place), &mut tests);
    }
    let nameless: Vec<_> = tests.iter().filter(|(_, comment)| clauses_in(comment).next().is_none()).collect();
    assert!(tests.len() > 100 && nameless.is_empty(), "tests that name no clause: {nameless:?}");

    let by_data = examples().map(|example| example.0.to_owned()).chain(cases().into_iter().flat_map(|it| it.checks));
    let said = tests.into_iter().map(|test| test.1).chain(by_data).collect::<Vec<_>>().join(" ");
    let mut tested: BTreeSet<&str> = clauses_in(&said).collect();
    let unknown: Vec<_> = tested.difference(&defined).collect();
    assert!(unknown.is_empty(), "tests name clauses that SPEC.md does not have: {unknown:?}");
    tests_in(&Path::new(ROOT).join("crates"), &mut of_crates);
    tested.extend(of_crates.iter().flat_map(|test| clauses_in(&test.1)));
    let untested: Vec<_> = defined.difference(&tested).collect();
    assert!(untested.is_empty(), "clauses without a test: {untested:?}");
}

/// A clause that SPEC.md or a finding refers to is defined, and the links between the project's pages lead to files:
/// [text.form] [report.direction]
#[test]
fn references_lead_somewhere() {
    let mut defined = clauses_of(SPEC);
    let dangling: Vec<_> = FindingKind::ALL.iter().filter(|kind| !defined.contains(kind.clause())).collect();
    assert!(dangling.is_empty(), "SPEC.md lacks the clauses of {dangling:?}");
    defined.extend(OTHERS.iter().flat_map(|spec| clauses_of(spec)));
    let dangling: Vec<_> = clauses_in(SPEC).filter(|name| !defined.contains(name)).collect();
    assert!(dangling.is_empty(), "SPEC.md refers to {dangling:?}, which no specification has");

    let crates = fs::read_dir(Path::new(ROOT).join("crates")).unwrap().map(|it| it.unwrap().path());
    let folders = crates.chain(["", "bindings/python", "bindings/wasm"].map(|folder| Path::new(ROOT).join(folder)));
    let names = ["README.md", "SPEC.md", "SECURITY.md", "CONTRIBUTING.md"];
    let pages = folders.flat_map(|folder| names.map(|name| folder.join(name)));
    let mut links = 0;
    for page in pages.filter(|page| page.exists()) {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in targets.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(page.with_file_name(link).exists(), "{} links to {link}, which is not there", page.display());
            links += 1;
        }
    }
    assert!(links > 20, "only {links} links were found");
}

/// The cells of the rows of a table, by the beginning of its header.
fn table(header: &str) -> Vec<Vec<&'static str>> {
    let rows =
        SPEC.lines().skip_while(|line| !line.starts_with(header)).skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The names in backticks.
fn named(cell: &str) -> BTreeSet<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The tables of kinds, misspellings, directives and labels match the code: [input.kind] [field.typo] [ext.scope]
/// [value.labels]
#[test]
fn the_tables_of_names_match_the_code() {
    let kinds: BTreeSet<&str> = table("| kind | what the file").iter().flat_map(|row| named(row[0])).collect();
    assert_eq!(kinds, InputKind::names().collect());

    let mut known = BTreeSet::new();
    assert_eq!(misspellings(Leniency::Strict).count(), 0);
    for (at, leniency) in [Leniency::Processor, Leniency::Common, Leniency::Generous].into_iter().enumerate() {
        known.extend(named(table("| leniency |")[at][1]));
        assert_eq!(known, misspellings(leniency).map(|entry| entry.0).collect(), "{leniency:?}");
    }
    for (at, scope) in [DirectiveScope::Record, DirectiveScope::File].into_iter().enumerate() {
        let others = known_directives().filter(|entry| !["User-agent", "Allow", "Disallow"].contains(&entry.0));
        let of_scope: BTreeSet<&str> = others.filter(|entry| entry.1 == scope).map(|entry| entry.0).collect();
        assert_eq!(of_scope, named(table("| belongs to |")[at][1]));
    }

    let rows = table("| directive | names |");
    for label in Label::all() {
        let when = if label.is_removed { ", removed" } else { "" };
        let directive = format!("`{}`{when}", label.directive.name().unwrap());
        let values = label.values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" ");
        let has = |row: &Vec<&str>| row[0] == directive && named(row[1]).contains(label.name) && row[2] == values;
        assert!(rows.iter().any(has), "SPEC.md lacks {label:?}");
        let found = [Label::find, Label::retired].map(|find| find(label.directive, label.name).is_some());
        assert_eq!(found, [!label.is_removed, label.is_removed], "{label:?}");
    }
    assert_eq!(rows.iter().map(|row| named(row[1]).len()).sum::<usize>(), Label::all().count());
}

/// The table of default limits matches each dialect: [limit.bytes] [limit.counts]
#[test]
fn the_limits_match_the_code() {
    let said = |cell: &str| if cell == "none" { usize::MAX } else { cell.replace(',', "").parse().unwrap() };
    let rows = table("| clause | field |");
    assert_eq!(rows.len(), Limits::NAMES.len());
    for (row, name) in rows.iter().zip(Limits::NAMES) {
        assert_eq!(row[1], format!("`{name}`"));
        for (at, dialect) in [(2, Dialect::Standard), (3, Dialect::Google), (4, Dialect::Processor)] {
            assert_eq!(dialect.options().limits.named_mut(name), Some(&mut said(row[at])), "{name} of {dialect:?}");
        }
    }
}
