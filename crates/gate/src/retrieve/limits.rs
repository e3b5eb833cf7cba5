//! The limits of a retrieval.
//!
//! Invariant: a retrieval, from any server, ends within these limits. Each limit that can be set is defined only here.

use std::time::Duration;

/// Limits of one retrieval. Any value is valid. Smaller values end a retrieval sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetrievalLimits {
    /// Bytes of the decoded body. The rest is not read. RFC 9309 2.5 requires at least 500 KiB, and the library reads
    /// the same amount.
    pub max_bytes: usize,
    /// Redirects followed in a row. RFC 9309 2.3.1.2 requires at least five.
    pub max_redirects: usize,
    /// Addresses of a host that are tried. Further ones are ignored.
    pub max_addresses: usize,
    /// The number of extra rounds over all addresses of a host, after all have failed: one in the IBM crawler's
    /// documentation.
    pub extra_rounds: u32,
    /// The wait before an extra round: two seconds in the IBM crawler's documentation.
    pub round_wait: Duration,
    /// Time for the whole retrieval, with redirects and waits. It may end a step below earlier.
    pub budget: Duration,
    /// Time for the look-up of a host name.
    pub resolve: Duration,
    /// Time for connecting, with the TLS handshake, and for the talk with a proxy.
    pub connect: Duration,
    /// Time for the response's head, counted from the request.
    pub head: Duration,
    /// Time for the whole body, counted from the head.
    pub body: Duration,
    /// Time for one read of the body. A server that is silent for longer is given up.
    pub silence: Duration,
}

impl Default for RetrievalLimits {
    fn default() -> Self {
        Self {
            max_bytes: 512_000,
            max_redirects: 5,
            max_addresses: 16,
            extra_rounds: 1,
            round_wait: Duration::from_secs(2),
            budget: Duration::from_secs(60),
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            silence: Duration::from_secs(10),
        }
    }
}
