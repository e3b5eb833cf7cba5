//! One retrieval at a time for each origin, in this program and among those that share a store.
//!
//! Invariant: at most one [`Flight`] of an origin is in the map. No lock is held while it exists. It ends when it is
//! dropped, also after a panic or in a task that was cancelled. What a flight brings is not learnt if the site was
//! cleared meanwhile.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::keep::Claim;
use crate::origin::Origin;

/// The flights under way, each with its token.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<UnderWay>);

type UnderWay = HashMap<Origin, Arc<()>>;

impl Flights {
    /// Begins a flight, unless one is under way.
    pub(super) fn begin(self: &Arc<Self>, origin: &Origin) -> Option<Flight> {
        let mut under_way = self.lock();
        let Entry::Vacant(place) = under_way.entry(origin.clone()) else { return None };
        let token = Arc::clone(place.insert(Arc::default()));
        Some(Flight { flights: Arc::clone(self), origin: origin.clone(), token, claim: None })
    }

    /// Forgets the flights to an origin, or all: they bring nothing.
    pub(super) fn forget(&self, origin: Option<&Origin>) {
        let mut under_way = self.lock();
        match origin {
            Some(origin) => drop(under_way.remove(origin)),
            None => under_way.clear(),
        }
    }

    /// A poisoned lock means that a thread panicked. No change under this lock can be half done.
    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to retrieve the robots.txt of an origin.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Arc<Flights>,
    pub(super) origin: Origin,
    token: Arc<()>,
    /// Among the programs that share the store.
    pub(super) claim: Option<Claim>,
}

impl Flight {
    /// Whether the site was not cleared since it began.
    pub(super) fn counts(&self) -> bool {
        self.is_in(&self.flights.lock())
    }

    fn is_in(&self, under_way: &UnderWay) -> bool {
        under_way.get(&self.origin).is_some_and(|token| Arc::ptr_eq(token, &self.token))
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // The store is asked without the lock.
        drop(self.claim.take());
        let mut under_way = self.flights.lock();
        if self.is_in(&under_way) {
            under_way.remove(&self.origin);
        }
    }
}
