//! The clock of a run: the date, and from then on steady time.
//!
//! Invariant: it never goes back and never jumps, whatever happens to the system's clock.

use std::time::Instant;

use crate::moment::Moment;

/// Tells the time of a run. It reads the system's clock once, when it is made. Copies agree with each other.
///
/// ```
/// use robosieve_gate::RunClock;
/// let clock = RunClock::default();
/// let now = clock.now();
/// assert!(clock.now() >= now);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RunClock {
    date: Moment,
    began: Instant,
}

impl RunClock {
    /// A clock that shows this date now.
    #[must_use]
    pub fn from(date: Moment) -> Self {
        Self { date, began: Instant::now() }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.date.after(self.began.elapsed())
    }
}

impl Default for RunClock {
    fn default() -> Self {
        Self::from(Moment::now())
    }
}
