//! The number of allocations, as the other program counts them.
//!
//! Invariant: a separate program counts, because a counting allocator slows down the timed code.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The number of allocations per file.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// 99 % of the files have no more than this.
    pub p99: f64,
    /// The maximum.
    pub max: f64,
}

impl Counts {
    /// Computes these from one count for each file.
    #[must_use]
    pub fn of(mut counts: Vec<usize>) -> Self {
        counts.sort_unstable();
        let at = |part: usize| counts.get((counts.len() * part / 100).min(counts.len().saturating_sub(1)));
        let value = |part| at(part).map_or(f64::NAN, |count| *count as f64);
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        Self { median: value(50), mean, p99: value(99), max: value(100) }
    }
}

/// The output of the counting program.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Allocations {
    /// Filtering for one agent, up to the text.
    pub filter: Counts,
    /// The same with a scratch that has filtered all files before.
    pub filter_with_scratch: Counts,
    /// Parsing all groups.
    pub parse: Counts,
    /// robotxt's parse.
    pub robotxt: Counts,
    /// How many more allocations parsing takes for a group of 100,000 rules than for a group of one rule, without
    /// limits.
    pub parse_per_100k_lines: f64,
}

/// The environment variable with the path of the counting program, if it is built. Otherwise Cargo builds and runs it.
pub const PROGRAM: &str = "ROBOSIEVE_BENCH_ALLOCATIONS";

/// Runs the counting program on the same files.
///
/// # Errors
/// If Cargo is missing, or the program fails.
pub fn count(wild: Option<&Path>, files: usize) -> Result<Allocations, String> {
    let mut run = std::env::var_os(PROGRAM).map_or_else(by_cargo, Command::new);
    let output = run.arg(files.to_string()).args(wild).output().map_err(|error| format!("{run:?}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// If Cargo runs this program, it has built only this one. So Cargo has to build the other one.
fn by_cargo() -> Command {
    let mut run = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    run.args(["run", "--quiet", "--locked", "--profile", profile]);
    run.args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    run.args(["--bin", "robosieve-bench-allocations", "--"]);
    run
}
