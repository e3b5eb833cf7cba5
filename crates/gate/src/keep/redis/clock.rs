//! What is known of a server's clock.
//!
//! Invariant: a measurement that took long replaces none that took less, unless that one is old.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::moment::Moment;

/// How long a measurement counts if a quicker one does not replace it.
const LIFE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
struct Reading {
    shows: Moment,
    at: Instant,
    /// By how much it may be wrong.
    within: Duration,
}

/// When a call was sent, and when its answer came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) sent: Instant,
    pub(super) got: Instant,
}

impl Call {
    /// One whose answer came just now.
    pub(super) fn since(sent: Instant) -> Self {
        Self { sent, got: Instant::now() }
    }

    fn took(self) -> Duration {
        self.got.saturating_duration_since(self.sent)
    }
}

/// The clock of a server, as this program knows it.
#[derive(Debug)]
pub(super) struct ServerClock {
    reading: Mutex<Reading>,
    /// Since when the server has lost nothing. What was written before may be lost.
    started: AtomicU64,
}

impl Default for ServerClock {
    fn default() -> Self {
        let unknown = Reading { shows: Moment::now(), at: Instant::now(), within: Duration::MAX };
        Self { reading: Mutex::new(unknown), started: AtomicU64::new(0) }
    }
}

impl ServerClock {
    /// The server's time, as far as it is known.
    pub(super) fn now(&self) -> Moment {
        let reading = *self.lock();
        reading.shows.after(reading.at.elapsed())
    }

    /// Takes in what the server's clock showed at some moment of a call.
    pub(super) fn showed(&self, millis: u64, call: Call) {
        let within = call.took();
        let mut reading = self.lock();
        if within <= reading.within || reading.at.elapsed() > LIFE {
            let half = within.checked_div(2).unwrap_or_default();
            *reading = Reading { shows: Moment::from_millis(millis).after(half), at: call.got, within };
        }
    }

    /// The same, and believes it if the clock can't be what it was taken for.
    pub(super) fn corrected(&self, millis: u64, call: Call) {
        self.showed(millis, call);
        let (shows, known) = (Moment::from_millis(millis), self.now().before(call.got.elapsed()));
        if shows.since(known).max(known.since(shows)) > call.took().saturating_add(Duration::from_millis(2)) {
            *self.lock() = Reading { shows, at: call.got, within: Duration::MAX };
        }
    }

    /// When the server started. Slots that were taken before may be lost.
    pub(super) fn started(&self) -> Moment {
        Moment::from_millis(self.started.load(Ordering::Relaxed))
    }

    /// Takes in when the server started, in its own time, a second early or late.
    pub(super) fn start_is(&self, millis: u64) {
        // A second is not exact: the earliest that was seen is the start, unless the server started again.
        let _ = self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| {
            (millis < known || millis > known.saturating_add(1_500)).then_some(millis)
        });
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
