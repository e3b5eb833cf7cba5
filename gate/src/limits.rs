//! What a retrieval may cost.
//!
//! Invariant: whatever the servers do, a retrieval ends within these; each limit is named here and nowhere else.

use std::time::Duration;

/// Bounds of one retrieval. Any value is valid; smaller ones give up sooner.
///
/// ```
/// use robosieve_gate::RetrievalLimits;
/// let limits = RetrievalLimits { max_redirects: 10, ..RetrievalLimits::default() };
/// assert_eq!(limits.max_bytes, 512_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetrievalLimits {
    /// Octets of the decoded body; what follows is not read. RFC 9309 2.5 asks for 500 KiB at least, and the library reads as
    /// much.
    pub max_bytes: usize,
    /// Redirects that are followed, one after the other. RFC 9309 2.3.1.2 asks for five at least.
    pub max_redirects: usize,
    /// Addresses of a host that are tried; further ones are not.
    pub max_addresses: usize,
    /// How often all addresses of a host are tried again after all have failed: once in the IBM crawler's documentation.
    pub extra_rounds: u32,
    /// How long to wait before that: two seconds in the IBM crawler's documentation.
    pub round_wait: Duration,
    /// Time for the whole retrieval, redirects and waits too.
    pub budget: Duration,
    /// Octets of a header's value; a longer one counts as missing, and so does one of 65,536 in any case. RFC 9110 4.1 asks for
    /// 8,000 in a URL.
    pub max_header: usize,
    /// The longest `Retry-After` that is believed; a longer one is shortened to it.
    pub max_retry_after: Duration,
}

impl RetrievalLimits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        max_bytes: 512_000,
        max_redirects: 5,
        max_addresses: 16,
        extra_rounds: 1,
        round_wait: Duration::from_secs(2),
        budget: Duration::from_secs(60),
        max_header: 8_000,
        max_retry_after: Duration::from_secs(86_400),
    };
}

impl Default for RetrievalLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
