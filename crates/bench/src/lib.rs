//! The benchmark: us and other parsers, in turn.
//!
//! Invariant: a workload is made without the library under test, from files or from a fixed seed, so every parser gets
//! the same input. Times are CPU times of one thread, taken in turn in one run.
#![allow(clippy::arithmetic_side_effects, clippy::cast_precision_loss, reason = "a benchmark may overflow")]

pub mod cpp;
pub mod files;
pub mod generated;
pub mod parsers;
pub mod race;
pub mod workloads;

/// The crawler that the files are read for. Hardly any file names it, so the group `*` mostly applies.
pub const AGENT: &str = "MyBot";
