//! A point in time that the caller gives.
//!
//! Invariant: only the driver and [`Moment::now`] read a clock, so every behaviour in time can be tested without
//! waiting.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The end of the year 9999: what never happens, such as the next attempt at a site that is left alone.
    pub const NEVER: Self = Self(253_402_300_799_000);

    /// From milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The time of the system's clock; 1970 if the clock is before that.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// The moment after a duration; the last possible moment if that overflows.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The moment before a duration; the first possible moment if there is none.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The time since an earlier moment; zero if it was not earlier, for example after a clock was set back.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// As text: `2026-11-21T14:08:34Z`.
///
/// ```
/// use robosieve_gate::Moment;
/// assert_eq!(Moment::from_millis(951_782_400_000).to_string(), "2000-02-29T00:00:00Z");
/// ```
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000;
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years begin in March here, so a leap
/// day is the last day of its year.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "a u64 of milliseconds holds fewer days than any step here overflows at"
)]
const fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // Counted from 1 March of the year 0.
    let days = days + 719_468;
    let day_of_era = days % DAYS_OF_400_YEARS;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / (DAYS_OF_400_YEARS - 1)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = days / DAYS_OF_400_YEARS * 400 + year_of_era;
    (if month <= 2 { year + 1 } else { year }, month, day)
}
