//! How long things hold: the times and bounds that a site's memory goes by.
//!
//! Invariant: times that a server names are always set to lie within bounds named here.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How long what is known holds, and when a failed site is asked again.
///
/// A bound that lies below its lower one counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lifetimes {
    /// How long an answer holds that does not say for how long. 24 hours: RFC 9309 2.4 allows no more.
    pub cache: Duration,
    /// The least, also of one that says `no-store`. House: 1 hour, so that no site is asked before every page.
    pub cache_min: Duration,
    /// The most. 24 hours, as above.
    pub cache_max: Duration,
    /// After what time a failed site is asked again; twice as long after each further failure. House: 5 minutes.
    pub retry: Duration,
    /// The most that this grows to, and the most of a `Retry-After`. House: 24 hours, the time after which a site that answers
    /// is asked again too.
    pub retry_max: Duration,
    /// With so many consecutive failures a site is disqualified; none: never. House: 100, a little over three months of them,
    /// which is beyond the 30 days of RFC 9309 2.3.1.4.
    pub max_failures: Option<u32>,
    /// After what time a disqualified site is asked once more. House: 30 days.
    pub requalify: Duration,
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
            requalify: Duration::from_secs(30 * DAY),
        }
    }
}

impl Lifetimes {
    /// 1 second: nothing is due sooner, whatever the bounds, or each page would cost a retrieval.
    pub const FLOOR: Duration = Duration::from_secs(1);

    /// The cache life of an answer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use robosieve_gate::Lifetimes;
    /// let lifetimes = Lifetimes::default();
    /// assert_eq!(lifetimes.cache_life(None), Duration::from_secs(86_400));
    /// assert_eq!(lifetimes.cache_life(Some(Duration::ZERO)), Duration::from_secs(3_600));
    /// ```
    #[must_use]
    pub fn cache_life(&self, fresh_for: Option<Duration>) -> Duration {
        bounded(fresh_for.unwrap_or(self.cache), self.cache_min, self.cache_max)
    }

    /// How long to wait after so many consecutive failures, the last of which maybe came with a `Retry-After`.
    #[must_use]
    pub fn back_off(&self, failures: u32, retry_after: Option<Duration>) -> Duration {
        if self.is_over(failures) {
            return self.requalify.max(Self::FLOOR);
        }
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let grown = bounded(self.retry.saturating_mul(doubled), self.retry, self.retry_max);
        bounded(retry_after.unwrap_or(grown), self.retry, self.retry_max)
    }

    /// Whether so many consecutive failures are too many.
    #[must_use]
    pub fn is_over(&self, failures: u32) -> bool {
        self.max_failures.is_some_and(|max| failures >= max)
    }
}

fn bounded(duration: Duration, min: Duration, max: Duration) -> Duration {
    duration.min(max).max(min).max(Lifetimes::FLOOR)
}
