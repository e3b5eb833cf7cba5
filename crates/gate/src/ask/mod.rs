//! The gate: a question about a URL goes in, an answer or the right to retrieve the site's robots.txt comes out.
//!
//! Invariant: it imports from every room but `net`, and no room below imports from it.

mod advice;
pub(crate) mod answer;
#[cfg(feature = "async")]
mod async_gate;
mod counts;
mod errand;
mod flight;
pub(crate) mod gate;
pub(crate) mod gate_core;
mod in_turn;
mod known;
#[cfg(feature = "tracing")]
mod trace;

pub use advice::{Advice, Wanted};
pub use answer::{Answer, GateError, Why};
#[cfg(feature = "async")]
pub use async_gate::AsyncGate;
pub use counts::Counts;
pub use errand::{Errand, Todo};
pub use flight::{Flight, Pending};
pub use gate::Gate;
pub use gate_core::{Cleared, GateCore, Next};
