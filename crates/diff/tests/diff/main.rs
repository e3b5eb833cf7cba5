//! What two files allow differently, and how much of a site one forbids. `cargo test -p robosieve-diff flips::`.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod changes;
mod coverage;
mod flips;

use std::num::NonZeroU32;

/// The line with this number, as rules have it.
const fn at(line: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(line)
}
