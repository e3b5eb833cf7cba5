//! Fixed workloads whose instructions are counted: crates/bench/instructions runs them under callgrind.
//!
//! Invariant: a workload prepares its input, then does the same work in each round. What a round costs is the difference
//! between two numbers of rounds.

use std::hint::black_box;

use robosieve::records::Parser;
use robosieve::settings::{Interest, TextForm};
use robosieve::{Sieve, Tester};

use crate::AGENT;
use crate::files::Case;

/// Runs a workload, and returns the units of a round: bytes, URLs, or files.
///
/// # Errors
/// If none has this name.
pub fn run(name: &str, cases: &[Case], rounds: usize) -> Result<usize, String> {
    let (sieve, parser, interest) = (Sieve::new([AGENT]), Parser::default(), Interest::new([AGENT]));
    let text = |sieve: &Sieve, case: &Case| sieve.filter(&case.file).map_or(0, |sieved| sieved.text().len());
    let bytes = cases.iter().map(|case| case.file.len()).sum();
    let urls = cases.iter().map(|case| case.urls.len()).sum();
    Ok(match name {
        "filter" => repeat(rounds, bytes, || cases.iter().map(|case| text(&sieve, case)).sum()),
        "portable" => {
            let portable = sieve.with(|options| options.form = TextForm::Portable);
            repeat(rounds, bytes, || cases.iter().map(|case| text(&portable, case)).sum())
        }
        "parse" => repeat(rounds, bytes, || cases.iter().map(|case| parser.parse(&case.file).records().len()).sum()),
        "verdicts" => {
            let sets: Vec<_> = cases.iter().map(|case| (parser.parse(&case.file), &case.urls)).collect();
            repeat(rounds, urls, || {
                let ask = |(set, urls): &(_, &Vec<String>)| {
                    let tester = Tester::new(set, &interest);
                    urls.iter().filter(|url| tester.test(url.as_bytes()).allowed()).count()
                };
                sets.iter().map(ask).sum()
            })
        }
        "one-url" => {
            let small: Vec<_> = cases.iter().filter(|case| case.file.len() < 300).collect();
            repeat(rounds, small.len(), || {
                let ask = |case: &&&Case| {
                    case.urls.last().is_some_and(|url| sieve.test(&case.file, url).is_ok_and(|answer| answer.allowed()))
                };
                small.iter().filter(ask).count()
            })
        }
        _ => return Err(format!("no workload is called {name}")),
    })
}

fn repeat(rounds: usize, units: usize, mut run: impl FnMut() -> usize) -> usize {
    for _ in 0..rounds {
        black_box(run());
    }
    units
}
