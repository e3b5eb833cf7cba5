//! The time limits of the blocking driver.
//!
//! Invariant: each limit is defined only here.

use std::time::Duration;

/// Time limits for each step. The retrieval's budget may end a step earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOuts {
    /// For the look-up of a host name.
    pub resolve: Duration,
    /// For connecting, with the TLS handshake.
    pub connect: Duration,
    /// For the response's head, counted from the request.
    pub head: Duration,
    /// For the whole body, counted from the head.
    pub body: Duration,
    /// For one read or write. A server that is silent for longer is given up.
    pub silence: Duration,
}

impl TimeOuts {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        resolve: Duration::from_secs(10),
        connect: Duration::from_secs(10),
        head: Duration::from_secs(15),
        body: Duration::from_secs(30),
        silence: Duration::from_secs(10),
    };
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self::DEFAULT
    }
}
