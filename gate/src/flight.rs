//! One at a time for each origin.
//!
//! Invariant: work for one origin never overlaps, and work for different origins never waits for another's. An origin is held only
//! while someone works or waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::origin::Origin;

#[derive(Debug, Default)]
pub(crate) struct Flights {
    turns: Mutex<HashMap<Origin, Arc<Mutex<()>>>>,
}

impl Flights {
    /// Does the work when nobody else works for this origin.
    pub(crate) fn alone<T>(&self, origin: &Origin, work: impl FnOnce() -> T) -> T {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(origin.clone()).or_default())
        };
        let leaving = Leaving { flights: self, origin, turn: &turn };
        // Poison means that someone's work ended in a panic; it guards nothing that could be by halves.
        let own = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work();
        drop(own);
        drop(leaving);
        done
    }
}

/// The last one to leave takes the origin along, after a panic too.
struct Leaving<'f> {
    flights: &'f Flights,
    origin: &'f Origin,
    turn: &'f Arc<Mutex<()>>,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut turns = self.flights.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // The map's and one's own; others come by through the map only, which is locked.
        if Arc::strong_count(self.turn) <= 2 {
            turns.remove(self.origin);
        }
    }
}
