//! Times and bounds: how long an answer is valid, and when a site is requested again.
//!
//! Invariant: a time that a server sends is always limited to the bounds here.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How long an answer is valid, and when a failed site is requested again.
///
/// An upper bound below its lower bound counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// How long an answer is valid that does not say so itself. 24 hours: RFC 9309 2.4 allows no more.
    pub cache: Duration,
    /// The minimum, also for `no-store`. Our choice: 1 hour, so that robots.txt is not requested before every page.
    pub cache_min: Duration,
    /// The maximum. 24 hours, as above.
    pub cache_max: Duration,
    /// The time until a failed site is requested again. It doubles after each further failure. Our choice: 5 minutes.
    pub retry: Duration,
    /// The maximum for this time and for a `Retry-After`. Our choice: 24 hours, which is also the time between
    /// requests to a site that answers.
    pub retry_max: Duration,
    /// The number of consecutive failures that disqualifies a site; `None`: never. Our choice: 100. That is a little
    /// over three months of failures, beyond the 30 days of RFC 9309 2.3.1.4.
    pub max_failures: Option<u32>,
    /// The time until a disqualified site is requested again; `None`: never, until it is cleared
    /// ([`Core::clear`](crate::Core::clear)). Our choice: 30 days.
    pub requalify: Option<Duration>,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            cache: Duration::from_secs(DAY),
            cache_min: Duration::from_secs(HOUR),
            cache_max: Duration::from_secs(DAY),
            retry: Duration::from_secs(5 * MINUTE),
            retry_max: Duration::from_secs(DAY),
            max_failures: Some(100),
            requalify: Some(Duration::from_secs(30 * DAY)),
        }
    }
}

impl Lifetimes {
    /// 1 second: nothing is due sooner, also if the bounds allow it. Otherwise each page could cost a retrieval.
    pub const FLOOR: Duration = Duration::from_secs(1);

    /// The cache life of an answer, within the bounds.
    pub fn cache_life(&self, fresh_for: Option<Duration>) -> Duration {
        bounded(fresh_for.unwrap_or(self.cache), self.cache_min, self.cache_max)
    }

    /// The longest that an answer is valid, and the longest until a failed site is requested again.
    pub(crate) fn longest(&self) -> (Duration, Duration) {
        let retry = bounded(self.retry_max, self.retry, self.retry_max);
        let requalify = self.requalify.unwrap_or(Duration::MAX);
        (self.cache_life(Some(Duration::MAX)), retry.max(requalify))
    }

    /// The time to wait after this number of consecutive failures. The last one may have a `Retry-After`.
    pub fn back_off(&self, failures: u32, retry_after: Option<Duration>) -> Duration {
        if self.is_over(failures) {
            return self.requalify.unwrap_or(Duration::MAX).max(Self::FLOOR);
        }
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let grown = bounded(self.retry.saturating_mul(doubled), self.retry, self.retry_max);
        bounded(retry_after.unwrap_or(grown), self.retry, self.retry_max)
    }

    /// Whether this number of consecutive failures disqualifies a site.
    pub fn is_over(&self, failures: u32) -> bool {
        self.max_failures.is_some_and(|max| failures >= max)
    }

    /// Whether this number of consecutive failures leaves a site alone, until it is cleared.
    pub fn is_abandoned(&self, failures: u32) -> bool {
        self.requalify.is_none() && failures > 0 && self.is_over(failures)
    }
}

fn bounded(duration: Duration, min: Duration, max: Duration) -> Duration {
    duration.min(max).max(min).max(Lifetimes::FLOOR)
}
