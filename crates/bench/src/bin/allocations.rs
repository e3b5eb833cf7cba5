//! Counts allocations, file by file: `robosieve-bench-allocations FILES [FOLDER]`.
//!
//! Invariant: it counts one call, from the file's bytes to its result. Growing counts as an allocation.

use std::alloc::System;
use std::error::Error;
use std::path::Path;

use robosieve::Sieve;
use robosieve::policy::Parser;
use robosieve::scratch::Scratch;
use robosieve::settings::{Limits, Options};
use robosieve_bench::allocations::{Allocations, Counts};
use robosieve_bench::files::Files;
use robosieve_bench::{AGENT, peers};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The number of allocations while this runs.
fn counted<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(GLOBAL);
    let kept = run();
    let change = region.change();
    drop(kept);
    change.allocations.saturating_add(change.reallocations)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let count = arguments.get(1).ok_or("usage: robosieve-bench-allocations FILES [FOLDER]")?.parse()?;
    let files = match arguments.get(2) {
        Some(folder) => Files::of_folder(Path::new(folder))?,
        None => Files::generated(count),
    };
    let sieve = Sieve::new([AGENT]);
    let parser = Parser::default();
    let each = |run: &dyn Fn(&[u8]) -> usize| Counts::of(files.contents.iter().map(|file| run(file)).collect());

    let unlimited = Parser::new(Options { limits: Limits::NONE, ..Options::default() });
    let long = format!("User-agent: *\n{}", "Disallow: /a\n".repeat(100_000));
    let [one, many] = ["User-agent: *\nDisallow: /a\n", &long].map(|file| counted(|| unlimited.parse(file.as_bytes())));
    let mut scratch = Scratch::new();
    let mut round = || files.contents.iter().map(|file| counted(|| sieve.run_with(&mut scratch, file))).collect();
    let (_, again): (Vec<usize>, _) = (round(), round());
    #[allow(clippy::cast_precision_loss)]
    let counts = Allocations {
        filter: each(&|file| counted(|| sieve.run(file))),
        filter_with_scratch: Counts::of(again),
        parse: each(&|file| counted(|| parser.parse(file))),
        robotxt: each(&|file| counted(|| peers::robotxt(file))),
        parse_per_100k_lines: many.saturating_sub(one) as f64,
    };
    println!("{}", serde_json::to_string(&counts)?);
    Ok(())
}
