//! Runs one piece of work at a time for each origin.
//!
//! Invariant: work for one origin never overlaps. Work for different origins never waits for each other. An origin is
//! kept only while a thread works or waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::origin::Origin;

#[derive(Debug, Default)]
pub(crate) struct Flights {
    turns: Mutex<HashMap<Origin, Arc<Mutex<()>>>>,
}

impl Flights {
    /// Runs the work while no other thread works for this origin.
    pub(crate) fn alone<T>(&self, origin: &Origin, work: impl FnOnce() -> T) -> T {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(origin.clone()).or_default())
        };
        let leaving = Leaving { flights: self, origin, turn: &turn };
        // A poisoned lock means that a thread panicked. The lock guards no data, so nothing can be half done.
        let own = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work();
        drop(own);
        drop(leaving);
        done
    }
}

/// Removes the origin when its last thread is done, also after a panic.
struct Leaving<'f> {
    flights: &'f Flights,
    origin: &'f Origin,
    turn: &'f Arc<Mutex<()>>,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut turns = self.flights.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // One reference in the map and one here. Other threads get theirs from the map, which is locked.
        if Arc::strong_count(self.turn) <= 2 {
            turns.remove(self.origin);
        }
    }
}
