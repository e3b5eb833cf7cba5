//! How often memory is asked for, as the other program counts it.
//!
//! Invariant: counting happens in a program of its own, since a counting allocator slows down what is timed.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// Allocations per file.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// In the middle.
    pub median: f64,
    /// On average.
    pub mean: f64,
    /// 99 % of files have no more.
    pub p99: f64,
    /// The most.
    pub max: f64,
}

impl Counts {
    /// Of one count a file.
    #[must_use]
    pub fn of(mut counts: Vec<usize>) -> Self {
        counts.sort_unstable();
        let at = |part: usize| counts.get((counts.len() * part / 100).min(counts.len().saturating_sub(1)));
        let value = |part| at(part).map_or(f64::NAN, |count| *count as f64);
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        Self { median: value(50), mean, p99: value(99), max: value(100) }
    }
}

/// What the counting program prints.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Allocations {
    /// Filtering for one agent, up to the text.
    pub filter: Counts,
    /// Parsing all records.
    pub parse: Counts,
    /// robotxt's parse.
    pub robotxt: Counts,
    /// How many more parsing takes for a record of 100,000 rules than for one of a rule, without limits.
    pub parse_per_100k_lines: f64,
}

/// The environment's name for the counting program, where it is built already; without it Cargo builds and runs it.
pub const PROGRAM: &str = "ROBOSIEVE_BENCH_ALLOCATIONS";

/// Runs the counting program on the same files.
///
/// # Errors
/// If Cargo is not there, or the program fails.
pub fn count(wild: Option<&Path>, files: usize) -> Result<Allocations, String> {
    let mut run = std::env::var_os(PROGRAM).map_or_else(by_cargo, Command::new);
    let output = run.arg(files.to_string()).args(wild).output().map_err(|error| format!("{run:?}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Cargo has built this program alone if it was told to run it: so it is asked for the other.
fn by_cargo() -> Command {
    let mut run = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    run.args(["run", "--quiet", "--locked", "--profile", profile]);
    run.args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    run.args(["--bin", "robosieve-bench-allocations", "--"]);
    run
}
