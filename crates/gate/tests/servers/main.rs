//! The driver against real servers on several loopback addresses.
//!
//! Invariant: only loopback is connected to. The two seconds between rounds are not slept. A server that hangs does so
//! until its test ends.
#![cfg(feature = "driver")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod bodies;
mod certificates;
mod codings;
mod distorted;
mod example;
mod failures;
mod limits;
mod redirects;
mod requests;
mod rounds;
mod stage;
mod statuses;
