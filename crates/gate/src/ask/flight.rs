//! One retrieval at a time for each origin, in this program and among those that share a store.
//!
//! Invariant: at most one [`Flight`] of an origin is in the map. No lock is held while it exists. It ends when it is
//! dropped, also after a panic or in a task that was cancelled. What a flight brings is not learnt if the site was
//! cleared meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::keep::Claim;
use crate::origin::Origin;

/// The flights under way, each with its number.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    under_way: HashMap<Origin, u64>,
    last: u64,
}

impl Flights {
    /// Begins a flight, unless one is under way.
    pub(super) fn begin(self: &Arc<Self>, origin: &Origin) -> Option<Flight> {
        let mut state = self.lock();
        if state.under_way.contains_key(origin) {
            return None;
        }
        state.last = state.last.wrapping_add(1);
        let number = state.last;
        state.under_way.insert(origin.clone(), number);
        Some(Flight { flights: Arc::clone(self), origin: origin.clone(), number, claim: None })
    }

    /// Forgets the flights to an origin, or all: they bring nothing.
    pub(super) fn forget(&self, origin: Option<&Origin>) {
        let mut state = self.lock();
        match origin {
            Some(origin) => drop(state.under_way.remove(origin)),
            None => state.under_way.clear(),
        }
    }

    /// A poisoned lock means that a thread panicked. No change under this lock can be half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to retrieve the robots.txt of an origin.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Arc<Flights>,
    origin: Origin,
    number: u64,
    /// Among the programs that share the store.
    claim: Option<Claim>,
}

impl Flight {
    pub(super) const fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn claiming(mut self, claim: Claim) -> Self {
        self.claim = Some(claim);
        self
    }

    /// Whether the site was not cleared since it began.
    pub(super) fn counts(&self) -> bool {
        self.flights.lock().under_way.get(&self.origin) == Some(&self.number)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // The store is asked without the lock.
        drop(self.claim.take());
        let mut state = self.flights.lock();
        if state.under_way.get(&self.origin) == Some(&self.number) {
            state.under_way.remove(&self.origin);
        }
    }
}
