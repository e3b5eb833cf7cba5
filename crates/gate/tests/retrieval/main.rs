//! The retrieval machine, tested without a socket and without a clock.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod addresses;
mod any_order;
mod body;
mod classes;
mod guard;
mod headers;
mod identity;
mod limits;
mod play;
mod redirects;
mod rounds;
mod trouble;
