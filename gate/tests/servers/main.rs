//! The driver against real servers on several loopback addresses.
//!
//! Invariant: nothing but loopback is connected to; the two seconds between the rounds are not slept; a server that hangs does so
//! until its test is over, and no longer.
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
