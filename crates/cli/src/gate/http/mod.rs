//! What the commands that serve have in common: connections, whose requests are answered, and replies.
//!
//! Invariant: it knows no path. Heads, bodies, times and connections are bounded.

pub(super) mod connections;
pub(super) mod guard;
pub(super) mod replies;
pub(super) mod token;
