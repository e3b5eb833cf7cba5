//! Counts allocations of one call, file by file: `robosieve-bench-allocations [FOLDER]`.
//!
//! Invariant: a call is from the file's bytes to its result. Growing counts as an allocation.
#![allow(clippy::cast_precision_loss, clippy::arithmetic_side_effects, reason = "a benchmark may overflow")]

use std::alloc::System;
use std::path::PathBuf;

use robosieve::Sieve;
use robosieve::records::Parser;
use robosieve_bench::AGENT;
use robosieve_bench::files::{Case, cases};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The number of allocations while this runs.
fn counted<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(GLOBAL);
    let kept = run();
    let change = region.change();
    drop(kept);
    change.allocations + change.reallocations
}

fn main() -> std::io::Result<()> {
    let cases = cases(std::env::args_os().nth(1).map(PathBuf::from).as_deref(), 2111)?;
    let (sieve, parser) = (Sieve::new([AGENT]), Parser::default());
    let show = |name, count: &dyn Fn(&Case) -> usize| {
        let mut counts: Vec<usize> = cases.iter().map(count).collect();
        counts.sort_unstable();
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        let median = counts.get(counts.len() / 2).copied().unwrap_or(0);
        println!("{name:8} median {median}, mean {mean:.2}, most {}", counts.last().copied().unwrap_or(0));
    };
    show("filter", &|case| counted(|| sieve.filter(&case.file)));
    show("parse", &|case| counted(|| parser.parse(&case.file)));
    show("robotxt", &|case| counted(|| robotxt::Robots::parse(&case.file, AGENT)));
    Ok(())
}
