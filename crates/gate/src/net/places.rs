//! Places for requests at an address: how many are made there at a time.
//!
//! Invariant: no address gets more than [`AT_AN_ADDRESS`] requests at a time from a client and its clones, under any
//! names, nor more than [`OF_A_DOMAIN`] for one registered domain, so that one domain's silent names do not keep others
//! waiting.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use crate::pace::pacing::domain_of;

/// Requests at an address at a time. Our choice.
const AT_AN_ADDRESS: usize = 8;

/// Requests of one registered domain among them. Our choice.
const OF_A_DOMAIN: usize = 4;

type Key = (IpAddr, Option<String>);

/// The places at addresses where requests are under way.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<Key, Weak<Semaphore>>>);

impl Places {
    /// Takes a place at an address for a request, as soon as there is one; `None` at `end`. It lasts until it is
    /// dropped.
    pub(super) async fn take(&self, address: IpAddr, url: &Url, end: Instant) -> Option<Vec<OwnedSemaphorePermit>> {
        let mut taken = Vec::new();
        let domain = match url.host() {
            Some(Host::Domain(name)) => Some(domain_of(name).to_ascii_lowercase()),
            _ => None,
        };
        let keys = domain.map(|domain| ((address, Some(domain)), OF_A_DOMAIN));
        for (key, most) in keys.into_iter().chain([((address, None), AT_AN_ADDRESS)]) {
            taken.push(timeout_at(end, self.room(key, most).acquire_owned()).await.ok()?.ok()?);
        }
        Some(taken)
    }

    /// The places of each key. All connections that have a place, or wait for one, share them.
    fn room(&self, key: Key, most: usize) -> Arc<Semaphore> {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.len() == rooms.capacity() {
            rooms.retain(|_, room| room.strong_count() > 0);
            // So that the next look at all comes after as many new ones.
            let left = rooms.len();
            rooms.reserve(left);
        }
        let known = rooms.get(&key).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let room = Arc::new(Semaphore::new(most));
            rooms.insert(key, Arc::downgrade(&room));
            room
        })
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    /// At N-1 and N there is a place. At N + 1 there is none until another one is given back. Nothing stays in the map:
    /// [retrieve.places]
    #[test]
    fn places_at_an_address() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (here, there): (IpAddr, IpAddr) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let places = Places::default();
        let take = async |address, host: &str| {
            let url = Url::parse(&format!("http://{host}/robots.txt")).unwrap();
            places.take(address, &url, Instant::now() + Duration::from_millis(20)).await
        };
        runtime.block_on(async {
            let mut taken = Vec::new();
            for number in 0..OF_A_DOMAIN {
                taken.push(take(here, &format!("{number}.one.example")).await.unwrap());
            }
            assert!(take(here, "x.one.example").await.is_none());
            assert!(take(there, "x.one.example").await.is_some());
            for number in OF_A_DOMAIN..AT_AN_ADDRESS {
                taken.push(take(here, &format!("site{number}.example")).await.unwrap());
            }
            assert!(take(here, "last.example").await.is_none());
            assert!(take(here, "192.0.2.1").await.is_none());
            taken.pop();
            taken.push(take(here, "192.0.2.1").await.unwrap());
            drop(taken);
            for number in 0..1_000_u32 {
                drop(take(Ipv4Addr::from_bits(number).into(), "x.one.example").await);
            }
            assert!(places.0.lock().unwrap().len() < 50, "those that nobody has are forgotten");
        });
    }
}
