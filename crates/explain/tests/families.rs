//! The memory that pages, inspections, trees, tables and lints of hostile files take: the maximum number of bytes held
//! at once, counted by an allocator. [explain.memory]
//!
//! Invariant: the bound is that of SPEC.md, for a file as long as the default limit.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects)]

#[path = "../../../tests/families/mod.rs"]
mod families;

use allocation_counter::measure;
use families::ALL;
use robosieve::{Interest, Options};
use robosieve_explain::{Explainer, LintFilter, Linter, Names, Usage, explained_html, matrix, svg};

/// The bytes of a file. Fewer in code that is not optimised.
const SIZE: usize = if cfg!(debug_assertions) { 32_000 } else { 512_000 };
/// The bytes that a step holds, for each byte of the file, and besides: 64 MB for 512,000 bytes.
const A_BYTE: u64 = 115;
const BESIDES: u64 = 5_000_000;
/// A page as data has all lines, and a line can be a byte long.
const A_BYTE_OF_A_PAGE: u64 = 300;

fn held(step: impl FnOnce()) -> u64 {
    measure(step).bytes_max
}

fn steps(file: &[u8]) -> Vec<(&'static str, u64)> {
    let explainer = Explainer::new(["MyBot"]);
    let (options, interest) = (Options::default(), Interest::new(["MyBot"]));
    vec![
        ("page", held(|| drop(explainer.page(file)))),
        ("html", held(|| drop(explained_html("robots.txt", file, &explainer)))),
        ("svg", held(|| drop(svg("robots.txt", &explainer.tree(file))))),
        ("inspect", held(|| drop(explainer.inspect(file).map(|found| found.sections())))),
        ("usage", held(|| drop(Usage::new(file, &options, interest.clone(), "/a")))),
        (
            "matrix",
            held(|| assert_eq!(matrix(file, &options, Names::Known, ["MyBot", "Googlebot"], ["/a", "/b"]).count(), 2)),
        ),
        (
            "lint",
            held(|| {
                let linted = Linter::default().lint(file);
                drop(LintFilter::default().apply(&linted, file));
            }),
        ),
    ]
}

/// [explain.memory]
#[test]
fn memory_is_bounded_for_hostile_files() {
    let mut over = Vec::new();
    for family in ALL {
        let file = (family.file)(SIZE);
        let file = file.get(..SIZE).unwrap_or(&file);
        let most = |a_byte| a_byte * u64::try_from(file.len()).unwrap() + BESIDES;
        for (step, held) in steps(file) {
            if held > most(if step == "page" { A_BYTE_OF_A_PAGE } else { A_BYTE }) {
                over.push(format!("{step} of {}: {held} bytes for {}", family.name, file.len()));
            }
        }
    }
    assert!(over.is_empty(), "too much:\n{}", over.join("\n"));
}
