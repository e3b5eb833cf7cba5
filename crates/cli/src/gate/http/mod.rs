//! The HTTP of the commands that serve: connections, whose requests are answered, bodies, responses.
//!
//! Invariant: it knows no path. Heads, bodies, times and connections are bounded.

pub(super) mod connections;
pub(super) mod guard;
pub(super) mod messages;
pub(super) mod token;
