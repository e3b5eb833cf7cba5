//! Driver, gate and store together, with servers on loopback.
//!
//! Invariant: only loopback is connected to, and no test waits for time to pass.
#![cfg(all(feature = "driver", feature = "sqlite"))]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod classes;
mod life;
mod world;
