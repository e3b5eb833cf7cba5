//! The store in memory. It lasts as long as the program.
//!
//! Invariant: its size is limited, for any sites. The least used sites are dropped first. A lane is dropped only
//! when its slots and its hold are past, so the limit never shortens an interval.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder};

use crate::decide::SiteRecord;
use crate::error::Error;
use crate::keep::{Claim, Store, Visit};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Lane, Pacing, Page, Slot, Taken};

/// Remembers sites and lanes in memory, within limits.
///
/// A site that was dropped is unknown again: it is requested again, even a failing one before its time. Choose a limit
/// that fits the sites of a crawl. A site record takes some 500 bytes plus its text and its report.
#[derive(Debug)]
pub struct MemoryStore {
    sites: Cache<Key, SiteRecord, Weight<Key, SiteRecord>>,
    lanes: Mutex<HashMap<String, Lane>>,
}

/// What is kept weighs so many bytes.
#[derive(Clone, Debug)]
pub(crate) struct Weight<K, V>(pub(crate) fn(&K, &V) -> usize);

impl<K, V> Weighter<K, V> for Weight<K, V> {
    fn weight(&self, key: &K, kept: &V) -> u64 {
        u64::try_from((self.0)(key, kept)).unwrap_or(u64::MAX)
    }
}

fn weight((_, reader): &Key, record: &SiteRecord) -> usize {
    let texts = record.snapshot.as_ref().map_or(0, |kept| kept.text.len().saturating_add(kept.report.len()));
    // The key is stored twice, and the longest host is 255 bytes.
    texts.saturating_add(reader.len()).saturating_add(500)
}

/// A cache of so many bytes. It is not split into parts below `part` bytes, with any number of processor cores: a site
/// that does not fit into one would be requested, or read anew, for each URL.
pub(crate) fn sized<K, V>(bytes: u64, part: u64, weigh: Weight<K, V>) -> Cache<K, V, Weight<K, V>>
where
    K: Clone + Eq + Hash,
    V: Clone,
{
    let parts = usize::try_from(bytes.checked_div(part).unwrap_or(1)).unwrap_or(usize::MAX).clamp(1, 64);
    let items = usize::try_from(bytes / 2_048).unwrap_or(usize::MAX).min(1 << 20);
    let options = OptionsBuilder::new()
        .estimated_items_capacity(items)
        .weight_capacity(bytes)
        // A power of two: the cache makes it one by more parts.
        .shards(parts.next_power_of_two() >> usize::from(!parts.is_power_of_two()))
        .build();
    match options {
        Ok(options) => Cache::with_options(options, weigh, DefaultHashBuilder::default(), DefaultLifecycle::default()),
        Err(_) => Cache::with_weighter(items, bytes, weigh),
    }
}

impl MemoryStore {
    /// 256 MiB. Our choice: some 100,000 sites of the usual size.
    pub const DEFAULT_BYTES: u64 = 256 << 20;
    /// 8 MiB, the minimum: it fits a few sites with the longest possible texts.
    pub const LEAST_BYTES: u64 = 8 << 20;
    /// 100,000: the most lanes with a slot in the future. Our choice. A request of one more gets none.
    pub const MOST_LANES: usize = 100_000;

    /// Creates a store of at most this many bytes, or of [`MemoryStore::LEAST_BYTES`] if that is more.
    pub fn new(bytes: u64) -> Self {
        let sites = sized(bytes.max(Self::LEAST_BYTES), Self::LEAST_BYTES, Weight(weight));
        Self { sites, lanes: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

type Key = (Origin, String);

fn key(origin: &Origin, reader: &str) -> Key {
    (origin.clone(), reader.to_owned())
}

impl Store for MemoryStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, Error> {
        Ok(self.sites.get(&key(origin, reader)))
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), Error> {
        self.sites.insert(key(origin, reader), record.clone());
        Ok(())
    }

    fn remove(&self, origin: Option<&Origin>) -> Result<u64, Error> {
        let is_it = |key: &Key| origin.is_none_or(|origin| key.0 == *origin);
        let keys: Vec<_> = self.sites.iter().map(|(key, _)| key).filter(is_it).collect();
        let gone = keys.iter().filter(|key| self.sites.remove(*key).is_some()).count();
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.sites.iter().for_each(|((origin, reader), record)| visit(&origin, &reader, record));
        Ok(())
    }

    fn take(&self, name: &str, pacing: &Pacing, slot: Slot, now: Moment) -> Result<Taken, Error> {
        let mut lanes = self.lock();
        if let Some(lane) = lanes.get_mut(name) {
            return Ok(lane.take(pacing, slot, now));
        }
        if lanes.len() >= Self::MOST_LANES && !slot.interval.is_zero() {
            // Lanes that say nothing any more are as good as new ones.
            lanes.retain(|_, lane| lane.ends() > now);
            if lanes.len() >= Self::MOST_LANES {
                let free = lanes.values().map(|lane| lane.ends().since(now)).min();
                let wait = free.unwrap_or_default().max(Duration::from_millis(100));
                return Ok(Taken { is_yours: false, wait, held: Duration::ZERO });
            }
        }
        let mut lane = Lane::default();
        let taken = lane.take(pacing, slot, now);
        if taken.is_yours && lane != Lane::default() {
            lanes.insert(name.to_owned(), lane);
        }
        Ok(taken)
    }

    fn observe(&self, name: &str, pacing: &Pacing, page: &Page, now: Moment) -> Result<(), Error> {
        if let Some(lane) = self.lock().get_mut(name) {
            lane.observe(pacing, page, now);
        }
        Ok(())
    }

    fn claim(&self, _: &Origin, _: &str) -> Result<Option<Claim>, Error> {
        Ok(Some(Claim::default()))
    }
}
