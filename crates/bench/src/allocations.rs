//! The number of allocations, as the other program counts them.
//!
//! Invariant: a separate program counts, because a counting allocator slows down the timed code.

use std::path::{Path, PathBuf};
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

/// The environment variable with the path of the counting program, if it is not next to this one.
pub const PROGRAM: &str = "ROBOSIEVE_BENCH_ALLOCATIONS";

/// Runs the counting program on the same files. Nothing is built here: it is in the same folder as this program.
///
/// # Errors
/// If the program is missing, or fails.
pub fn count(wild: Option<&Path>, files: usize) -> Result<Allocations, String> {
    let program = std::env::var_os(PROGRAM).map_or_else(neighbour, |path| Ok(path.into()))?;
    let mut run = Command::new(&program);
    let output = run.arg(files.to_string()).args(wild).output().map_err(|error| {
        format!("{}: {error}; build both programs with: cargo build --release -p robosieve-bench", program.display())
    })?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// The counting program in the folder of this one.
fn neighbour() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| format!("this program's own path: {error}"))?;
    Ok(here.with_file_name("robosieve-bench-allocations").with_extension(std::env::consts::EXE_EXTENSION))
}
