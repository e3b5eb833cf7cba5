//! What lints of long files cost: instructions under valgrind, so that the same file always has the same cost.
//!
//! Invariant: no clock is read, and only optimised code is counted.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)]

#[path = "../../../tests/callgrind/mod.rs"]
mod callgrind;

use std::hint::black_box;

use callgrind::Counted;
use robosieve_explain::Linter;

/// The lines of the short file. The long one has ten times as many.
const SHORT: usize = 100;

const LINES: [&str; 6] = [
    "Disallow: https://e.com/a b\n",
    "User-agent: a, b\n",
    "Disallow: /a\n",
    "Allow: /a*\n",
    "Host: a\n",
    "Content-Usage: /a b\n",
];

/// Each is repeated, and is the long name of a line. Another line of the file has an edit, so that words are compared.
const WORDS: [&str; 3] = ["a", "xdisallow", "*"];

/// A line that is repeated, and then another one, as often: a group with many names and many rules.
const GROUP: [&str; 2] = ["User-agent: Semrush\n", "Disallow: /a\n"];

/// The instructions of the law of advice, for any file: the bounds of [lint.bounds].
const LAW: u64 = 1_000_000_000;

#[inline(never)]
fn counted_lint(linter: &Linter, file: &str) {
    assert!(black_box(linter.lint(file.as_bytes())).lints.len() < usize::MAX);
}

/// Valgrind runs it: [lint.cost], [lint.bounds]
#[test]
#[ignore = "it is the workload of long_files_take_linear_time"]
fn workload() {
    for line in LINES {
        let file = |lines| format!("User-agent: *\n{}", line.repeat(lines));
        counted_lint(&Linter::default().without_fixes(), &file(SHORT));
        counted_lint(&Linter::default().without_fixes(), &file(SHORT * 10));
        counted_lint(&Linter::default(), &file(SHORT * 10));
    }
    for word in WORDS {
        let file = |count| format!("User-agent: *\nDisalow: /x\n{}: b\n", word.repeat(count));
        counted_lint(&Linter::default(), &file(SHORT * 10));
        counted_lint(&Linter::default(), &file(SHORT * 100));
    }
    for lines in [SHORT, SHORT * 10] {
        let group = GROUP.map(|line| line.repeat(lines)).concat();
        counted_lint(&Linter::default().without_fixes(), &format!("User-agent: SemrushBot\n{group}"));
    }
}

/// Ten times the file, or a word of it, costs at most some ten times the instructions; a quadratic lint would cost a
/// hundred times: [lint.cost], [lint.bounds], [explain.time].
#[test]
#[cfg_attr(debug_assertions, ignore = "takes half a minute unless it is optimised: --release")]
fn long_files_take_linear_time() {
    let Some((counted, _)) = Counted::run("cost", ("ROBOSIEVE_LINT_COST", "all")) else { return };
    for (place, line) in LINES.iter().enumerate() {
        let [short, long, fixed] = [1, 2, 3].map(|part| counted.part(place * 3 + part));
        println!("{line}: {short}, {long}, with edits {fixed}");
        assert!(long < short * 14, "{line}: {short}, {long}");
        assert!(fixed < long + LAW, "{line}: {long}, {fixed}");
    }
    let lines = LINES.len() * 3;
    for (place, word) in WORDS.iter().enumerate() {
        let [short, long] = [1, 2].map(|part| counted.part(lines + place * 2 + part));
        println!("a name of many `{word}`: {short}, {long}");
        assert!(long < short * 14, "{word}: {short}, {long}");
    }
    let [short, long] = [1, 2].map(|part| counted.part(lines + WORDS.len() * 2 + part));
    println!("a group: {short}, {long}");
    assert!(long < short * 14, "a group: {short}, {long}");
}
