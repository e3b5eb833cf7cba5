//! The tests of the gate with servers on loopback, clocks and processes, in one program.
//!
//! Invariant: only loopback is connected to. Nothing here keeps a processor busy, since others measure time.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[cfg(feature = "driver")]
#[path = "../common/alone.rs"]
mod alone;
#[cfg(feature = "driver")]
mod async_gate;
#[cfg(feature = "sqlite")]
mod kill;
#[cfg(feature = "sqlite")]
mod processes;
#[cfg(feature = "driver")]
mod proxies;
#[path = "../common/server.rs"]
mod server;
#[cfg(feature = "driver")]
mod servers;
