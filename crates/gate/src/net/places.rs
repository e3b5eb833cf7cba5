//! Places for requests at an address: how many are made there at a time.
//!
//! Invariant: no address gets more than [`AT_AN_ADDRESS`] requests at a time from a client and its clones, under any
//! names, nor more than [`OF_A_DOMAIN`] for one registered domain, so that one domain's silent names do not keep others
//! waiting.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

/// Requests at an address at a time. Our choice.
const AT_AN_ADDRESS: usize = 8;

/// Requests of one registered domain among them. Our choice.
const OF_A_DOMAIN: usize = 4;

type Key = (IpAddr, Option<String>);

/// The places that are taken.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<Key, Arc<Semaphore>>>);

/// A place, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    taken: Vec<(Key, OwnedSemaphorePermit)>,
}

impl Places {
    /// Takes a place at an address for a request, as soon as there is one; `None` at `end`.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr, url: &Url, end: Instant) -> Option<Place> {
        let mut place = Place { places: Arc::clone(self), taken: Vec::new() };
        let domain = match url.host() {
            Some(Host::Domain(name)) => Some(psl::domain_str(name).unwrap_or(name).to_ascii_lowercase()),
            _ => None,
        };
        let keys = domain.map(|domain| ((address, Some(domain)), OF_A_DOMAIN));
        for (key, most) in keys.into_iter().chain([((address, None), AT_AN_ADDRESS)]) {
            let room = Arc::clone(self.lock().entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(most))));
            let permit = timeout_at(end, room.acquire_owned()).await.ok()?.ok()?;
            place.taken.push((key, permit));
        }
        Some(place)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut rooms = self.places.lock();
        for (key, permit) in self.taken.drain(..) {
            drop(permit);
            // Nobody else has it or waits for it.
            if rooms.get(&key).is_some_and(|room| Arc::strong_count(room) == 1) {
                rooms.remove(&key);
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/places.rs"]
mod tests;
