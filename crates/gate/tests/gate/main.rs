//! The tests of the gate without sockets and clocks, in one program. `cargo test -p robosieve-gate --test gate site::`
//! runs those of one file.
//!
//! Invariant: no test here measures time, waits for it, or connects to anything. Those that do are in `live`.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod answer;
mod ask;
mod follow;
mod gate;
mod making;
mod pace;
mod policy;
#[path = "../properties/mod.rs"]
mod properties;
mod retrieval;
mod rooms;
#[cfg(feature = "async")]
mod seeds;
mod site;
mod store;
#[cfg(feature = "tracing")]
mod trace;
mod trouble;
mod whole;
