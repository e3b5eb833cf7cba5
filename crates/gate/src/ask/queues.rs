//! Retrievals of robots.txt that share a lane: how many run, and when those that were put off come again.
//!
//! Invariant: no lane has more places taken than are allowed. Two retrievals of a lane that were put off come an
//! interval apart, so that they need not be put off again. Both are bounded: an entry that says nothing is removed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::moment::Moment;

#[derive(Debug, Default)]
pub(crate) struct Queues {
    running: Mutex<HashMap<String, u32>>,
    promised: Mutex<HashMap<String, Moment>>,
}

/// The most promises that are kept. More lanes than that come when their slot is free.
const MOST: usize = 100_000;

impl Queues {
    /// A place among the retrievals of a lane, unless so many run.
    pub(crate) fn enter(self: &Arc<Self>, lane: &str, most: u32) -> Option<Place> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let count = running.entry(lane.to_owned()).or_default();
        if *count >= most.max(1) {
            return None;
        }
        *count = count.saturating_add(1);
        Some(Place { queues: Arc::clone(self), lane: lane.to_owned() })
    }

    /// When a retrieval that has no slot before `free` comes again.
    pub(crate) fn promise(&self, lane: &str, free: Moment, gap: Duration, now: Moment) -> Moment {
        let mut promised = self.promised.lock().unwrap_or_else(PoisonError::into_inner);
        if promised.len() >= MOST {
            promised.retain(|_, next| *next > now);
        }
        let until = promised.get(lane).map_or(free, |next| free.max(*next));
        if promised.len() < MOST {
            promised.insert(lane.to_owned(), until.after(gap));
        }
        until
    }
}

/// A place among the retrievals of a lane, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    queues: Arc<Queues>,
    lane: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.queues.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.lane) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                running.remove(&self.lane);
            }
        }
    }
}
