//! The memory that pages, inspections, trees and lints of hostile files take: the maximum number of bytes held
//! at once, counted by an allocator. [explain.memory]
//!
//! Invariant: the bound is that of SPEC.md, for a file as long as the default limit.

use allocation_counter::measure;
use robosieve_explain::{Explainer, Linter};

use crate::families::ALL;

/// The bytes of a file. Fewer in code that is not optimised.
const SIZE: usize = if cfg!(debug_assertions) { 32_000 } else { 512_000 };
/// The bytes that a step holds, for each byte of the file, and in addition: 64 MB for 512,000 bytes.
const A_BYTE: u64 = 115;
const BESIDES: u64 = 5_000_000;
/// A page as data has all lines, and a line can be a byte long.
const A_BYTE_OF_A_PAGE: u64 = 300;

/// What is made of a file.
type Step = fn(&[u8]);

/// All that a person asks for, each step by itself.
fn steps() -> [(&'static str, Step); 4] {
    [
        ("page", |file| drop(Explainer::new(["MyBot"]).page(file))),
        ("tree", |file| drop(Explainer::new(["MyBot"]).tree(file))),
        ("inspect", |file| drop(Explainer::new(["MyBot"]).inspect(file).map(|found| found.sections()))),
        ("lint", |file| drop(Linter::default().lint(file))),
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
        for (step, run) in steps() {
            let held = measure(|| run(file)).bytes_max;
            if held > most(if step == "page" { A_BYTE_OF_A_PAGE } else { A_BYTE }) {
                over.push(format!("{step} of {}: {held} bytes for {}", family.name, file.len()));
            }
        }
    }
    assert!(over.is_empty(), "too much:\n{}", over.join("\n"));
}
