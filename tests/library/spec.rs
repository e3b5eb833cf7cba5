//! Tests SPEC.md: its examples are run, its tables match the code, and a test names every clause.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use robosieve::report::Effect;
use robosieve::settings::{Dialect, Limits};
use robosieve::syntax::{DirectiveScope, Leniency, known_directives, misspellings};
use robosieve::value::{Draft, Label};

use crate::files::cases;
use crate::files::documents::unescape;
use crate::words::Asked;

const SPEC: &str = include_str!("../../SPEC.md");
/// Specifications that SPEC.md refers to.
const OTHERS: [&str; 2] = [include_str!("../../crates/gate/SPEC.md"), include_str!("../../crates/signals/SPEC.md")];

/// An example block: the words after the fence, and the lines inside.
struct Example {
    /// `FILE:LINE`.
    at: String,
    info: Vec<String>,
    parts: Vec<Vec<String>>,
}

fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    let mut open: Option<Example> = None;
    for (number, line) in SPEC.lines().enumerate() {
        match &mut open {
            None => {
                if let Some(info) = line.strip_prefix("```robots") {
                    let info = info.split_whitespace().map(String::from).collect();
                    let at = format!("SPEC.md:{}", number + 1);
                    open = Some(Example { at, info, parts: vec![Vec::new()] });
                }
            }
            Some(_) if line == "```" => found.extend(open.take()),
            Some(example) if line == "---" => example.parts.push(Vec::new()),
            Some(example) => example.parts.last_mut().unwrap().push(line.into()),
        }
    }
    found
}

/// The lines, each with its end.
fn text_of(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The error of an example, if any.
fn check(example: &Example) -> Result<(), String> {
    let at = &example.at;
    let input = unescape(&text_of(&example.parts[0]));
    let sieve = Asked::read(example.info.iter().map(String::as_str)).sieve();
    let sieved = sieve.run(&input).map_err(|refused| format!("{at}: {refused}"))?;
    same(at, "text", sieved.text().as_str(), &text_of(&example.parts[1]))?;

    let empty = Vec::new();
    let notes = example.parts.get(2).unwrap_or(&empty);
    let (verdicts, findings): (Vec<_>, Vec<_>) = notes.iter().partition(|note| note.contains("allowed "));
    let mut found = String::new();
    for finding in sieved.report().details() {
        write!(found, "line {} {}", finding.line, finding.kind.as_str()).unwrap();
        if finding.effect != Effect::None {
            write!(found, " {}", finding.effect.as_str()).unwrap();
        }
        found.push('\n');
    }
    let findings: String = findings.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    same(at, "findings", &found, &findings)?;

    let tester = sieved.tester();
    for verdict in verdicts {
        let words: Vec<&str> = verdict.split(' ').collect();
        let answer = tester.test(words[1].as_bytes());
        let line = words.get(3).map_or(answer.line(), |line| line.parse().ok());
        if answer.allowed() != (words[0] == "allowed") || answer.line() != line {
            return Err(format!("{at}: expected {verdict}, got {answer:?}"));
        }
    }
    Ok(())
}

fn same(at: &str, what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{at}: {what}: found\n{found}expected\n{expected}")) }
}

/// [text.form] and the clauses that the examples name
#[test]
fn examples_hold() {
    let examples = examples();
    assert!(examples.len() > 10, "only {} examples were found", examples.len());
    let wrong: Vec<String> = examples.iter().filter_map(|example| check(example).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names in square brackets in `text`.
fn clauses_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|rest| {
        let name = rest.split(']').next()?;
        let is_clause = name.contains('.')
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c));
        is_clause.then_some(name)
    })
}

fn clauses_of(spec: &str) -> BTreeSet<&str> {
    let mut defined = BTreeSet::new();
    for name in spec.split("**[").skip(1).filter_map(|rest| rest.split("]**").next()) {
        assert!(defined.insert(name), "[{name}] is defined twice");
    }
    defined
}

/// The Rust files in a folder and in its subfolders.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The tests in these folders and files, each with the clauses in its doc comment.
fn tests_in(places: &[&str]) -> Vec<(String, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for place in places.iter().map(|place| root.join(place)) {
        if place.is_dir() { sources(&place, &mut paths) } else { paths.push(place) }
    }
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[test]") {
            let comment = lines[..at].iter().rev().take_while(|line| line.trim().starts_with("///")).copied();
            let clauses = comment.flat_map(clauses_in).map(String::from).collect();
            let name = format!("{}:{}", path.strip_prefix(root).unwrap().display(), at + 1);
            found.push((name, clauses));
        }
    }
    found
}

/// Every test of the library names a clause of SPEC.md, and every clause has a test, an example or a check of the
/// corpus. Crates that a clause is about may test it: [text.form]
#[test]
fn clauses_and_tests_cover_each_other() {
    let defined = clauses_of(SPEC);
    assert!(defined.len() > 60, "only {} clauses were found", defined.len());
    // Lines cannot be reached from outside.
    let tests = tests_in(&[
        "tests/library",
        "tests/growth.rs",
        "tests/heap.rs",
        "tests/suite.rs",
        "tests/wild.rs",
        "src/syntax/every_line.rs",
    ]);
    let nameless: Vec<_> = tests.iter().filter(|test| test.1.is_empty()).map(|test| &test.0).collect();
    assert!(nameless.is_empty(), "tests that name no clause: {nameless:?}");

    let by_examples = examples().into_iter().flat_map(|example| example.info);
    let by_data = by_examples.chain(cases().into_iter().flat_map(|case| case.checks)).collect::<Vec<_>>().join(" ");
    let mut tested: BTreeSet<String> = clauses_in(&by_data).map(String::from).collect();
    tested.extend(tests.into_iter().flat_map(|test| test.1));
    let unknown: Vec<_> = tested.iter().filter(|name| !defined.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "tests name clauses that SPEC.md does not have: {unknown:?}");
    tested.extend(tests_in(&["crates"]).into_iter().flat_map(|test| test.1));
    let untested: Vec<_> = defined.iter().filter(|name| !tested.contains(**name)).collect();
    assert!(untested.is_empty(), "clauses without a test: {untested:?}");
}

/// A clause that SPEC.md refers to is defined, and the links between the project's pages lead
/// to files: [text.form]
#[test]
fn references_lead_somewhere() {
    let mut defined = clauses_of(SPEC);
    defined.extend(OTHERS.iter().flat_map(|spec| clauses_of(spec)));
    let dangling: Vec<_> = clauses_in(SPEC).filter(|name| !defined.contains(name)).collect();
    assert!(dangling.is_empty(), "SPEC.md refers to {dangling:?}, which no specification has");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages =
        vec![root.join("README.md"), root.join("SPEC.md"), root.join("SECURITY.md"), root.join("CONTRIBUTING.md")];
    for krate in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = krate.unwrap().path();
        pages.extend(["README.md", "SPEC.md"].map(|name| folder.join(name)).into_iter().filter(|page| page.exists()));
    }
    pages.extend(["bindings/python/README.md", "bindings/wasm/README.md"].map(|page| root.join(page)));
    assert!(pages.len() > 6, "only {pages:?} were found");
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(page.with_file_name(link).exists(), "{} links to {link}, which is not there", page.display());
        }
    }
}

/// The clause of every finding is in SPEC.md: [report.direction]
#[test]
fn findings_name_clauses() {
    let defined = clauses_of(SPEC);
    for kind in robosieve::report::FindingKind::ALL {
        assert!(defined.contains(kind.clause()), "{kind:?} names [{}]", kind.clause());
    }
}

/// The table of input kinds matches the code: [input.kind]
#[test]
fn the_input_kinds_match_the_code() {
    let (_, table) = SPEC.split_once("| kind | what the file begins with |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let cells = table.lines().filter_map(|line| line.split('|').nth(1));
    let named: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let known = robosieve::report::InputKind::names().collect();
    assert_eq!(named, known);
}

/// The names in backticks in the table row that begins with `start`.
fn row(start: &str) -> BTreeSet<&'static str> {
    let line = SPEC.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no row {start:?}"));
    line[start.len()..].split('`').skip(1).step_by(2).collect()
}

/// The table of misspellings matches the code: [field.typo]
#[test]
fn the_misspellings_match_the_code() {
    let mut known = BTreeSet::new();
    for (leniency, start) in [
        (Leniency::Strict, ""),
        (Leniency::Processor, "| `Processor` |"),
        (Leniency::Common, "| `Common` |"),
        (Leniency::Generous, "| `Generous` |"),
    ] {
        let all: BTreeSet<&str> = misspellings(leniency).map(|entry| entry.0).collect();
        let added: BTreeSet<&str> = all.difference(&known).copied().collect();
        assert_eq!(added, if start.is_empty() { BTreeSet::new() } else { row(start) });
        known = all;
    }
}

/// The table of directives matches the code: [ext.scope]
#[test]
fn the_directives_match_the_code() {
    let of = |scope: DirectiveScope| -> BTreeSet<&str> {
        let extensions = known_directives().filter(|entry| !["User-agent", "Allow", "Disallow"].contains(&entry.0));
        extensions.filter(|entry| entry.1 == scope).map(|entry| entry.0).collect()
    };
    assert_eq!(of(DirectiveScope::Record), row("| its group |"));
    assert_eq!(of(DirectiveScope::File), row("| the file |"));
}

/// The table of labels matches the code: [value.labels]
#[test]
fn the_labels_match_the_code() {
    let of = |draft: Option<Draft>| draft.map_or(String::new(), |draft| format!("{}, {}", draft.name, draft.date));
    let rows: Vec<String> = Label::all()
        .map(|label| {
            let values = label.values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" ");
            let name = label.directive.name().unwrap();
            let row =
                [format!("`{name}`"), format!("`{}`", label.name), values, of(Some(label.added)), of(label.removed)];
            format!("| {} |", row.join(" | ")).replace("|  |", "| |")
        })
        .collect();
    let table: Vec<&str> = SPEC.lines().filter(|line| line.starts_with("| `Content-")).collect();
    assert_eq!(table, rows);
    for label in Label::all() {
        let (name, directive) = (label.name, label.directive);
        assert_eq!(Label::find(directive, name).is_some(), Label::retired(directive, name).is_none(), "{name}");
        assert!(label.removed.is_none_or(|removed| removed.date > label.added.date), "{name}");
    }
}

/// The table of default limits matches each dialect: [limit.bytes] [limit.counts]
#[test]
fn the_limits_match_the_code() {
    let named = |limits: Limits| {
        [
            ("max_bytes", limits.max_bytes),
            ("max_records", limits.max_records),
            ("max_lines", limits.max_lines),
            ("max_user_agents", limits.max_user_agents),
            ("max_directive_length", limits.max_directive_length),
            ("max_name_length", limits.max_name_length),
            ("max_value_length", limits.max_value_length),
            ("max_wildcards", limits.max_wildcards),
        ]
    };
    let said = |cell: &str| match cell.trim() {
        "none" => usize::MAX,
        number => number.replace(',', "").parse().unwrap(),
    };
    for (column, dialect) in [(3, Dialect::Standard), (4, Dialect::Google), (5, Dialect::Processor)] {
        for (name, value) in named(dialect.options().limits) {
            let row = SPEC.lines().find(|line| line.contains(&format!("| `{name}` |"))).unwrap();
            assert_eq!(said(row.split('|').nth(column).unwrap()), value, "{name} of {dialect:?}");
        }
    }
}
