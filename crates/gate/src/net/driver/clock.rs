//! Reading the time, and waiting.
//!
//! Invariant: the system's clock is read once, for the date. After that only its steady clock counts, so changing the
//! clock neither ends a retrieval nor makes it longer.

use std::thread;
use std::time::Instant;

use crate::moment::Moment;

/// Tells the time, and waits.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Moment;

    /// Waits until that time.
    fn sleep_until(&self, until: Moment);
}

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    date: Moment,
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { date: Moment::now(), began: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        self.date.after(self.began.elapsed())
    }

    fn sleep_until(&self, until: Moment) {
        thread::sleep(until.since(self.now()));
    }
}
