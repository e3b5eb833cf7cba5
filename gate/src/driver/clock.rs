//! The time, and waiting.
//!
//! Invariant: the system's clock is asked for the date once; from then on only its steady clock counts, so that setting the
//! clock neither ends a retrieval nor makes it last.

use std::thread;
use std::time::Instant;

use crate::moment::Moment;

/// Tells the time, and waits.
pub trait Clock: Send + Sync {
    /// What time it is.
    fn now(&self) -> Moment;

    /// Comes back at that time.
    fn sleep_until(&self, until: Moment);
}

/// The machine's clock.
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
