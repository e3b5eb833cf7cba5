//! What lints of long files cost: instructions under valgrind, so that the same file always has the same cost.
//!
//! Invariant: no clock is read.
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

#[inline(never)]
fn counted_lint(file: &str) {
    assert!(black_box(Linter::default().lint(file.as_bytes())).lints().len() < usize::MAX);
}

/// Valgrind runs it: [lint.cost]
#[test]
#[ignore = "it is the workload of long_files_take_linear_time"]
fn workload() {
    for line in LINES {
        for lines in [SHORT, SHORT * 10] {
            counted_lint(&format!("User-agent: *\n{}", line.repeat(lines)));
        }
    }
}

/// Ten times the file costs at most some ten times the instructions; a quadratic lint would cost a hundred times:
/// [lint.cost]
#[test]
fn long_files_take_linear_time() {
    let Some((counted, _)) = Counted::run("cost", ("ROBOSIEVE_LINT_COST", "all")) else { return };
    for (place, line) in LINES.iter().enumerate() {
        let (short, long) = (counted.part(place * 2 + 1), counted.part(place * 2 + 2));
        assert!(long < short * 14, "{line}: {short}, {long}");
    }
}
