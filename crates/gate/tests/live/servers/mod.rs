//! The client against real servers on several loopback addresses.
//!
//! Invariant: only loopback is connected to. The two seconds between rounds are left out. A server that hangs does so
//! until its test ends.

pub(crate) mod certificates;
mod failures;
mod limits;
mod redirects;
mod requests;
pub(crate) mod stage;
