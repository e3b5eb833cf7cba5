//! The benchmark's measurements and workloads.
//!
//! Invariant: a workload is made without the library under test, from files or from a fixed seed, so every parser gets
//! the same input. Times are CPU times of this thread, taken in turn in one run.
#![allow(clippy::arithmetic_side_effects, clippy::cast_precision_loss)]

pub mod allocations;
pub mod classes;
pub mod cpp;
pub mod endure;
pub mod files;
pub mod floors;
pub mod hostile;
pub mod instructions;
pub mod measure;
pub mod peers;
pub mod plot;
pub mod race;
pub mod readme;
pub mod results;
pub mod rng;
pub mod stand_in;
pub mod table;
pub mod urls;

/// The crawler that the files are read for. Hardly any file names it, so the group `*` mostly applies.
pub const AGENT: &str = "MyBot";

/// The seed of all random choices.
pub const SEED: u64 = 9309;
