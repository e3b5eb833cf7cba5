//! The store that lasts as long as the program.
//!
//! Invariant: bounded by octets, whatever the sites send; what is used least goes first.

use std::ops::ControlFlow;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::origin::Origin;
use crate::site::SiteRecord;
use crate::store::{SiteStore, StoreError, Visit};

/// Remembers sites in memory, within a bound.
///
/// A site that had to go is unknown again: it is asked once more, and a failing one before its time. Choose the bound so that the sites
/// of a crawl fit; a record is some 500 octets, its text and its report.
#[derive(Debug)]
pub struct MemoryStore {
    sites: Cache<(Origin, String), SiteRecord, Octets, DefaultHashBuilder>,
}

#[derive(Clone, Debug)]
struct Octets;

impl Weighter<(Origin, String), SiteRecord> for Octets {
    fn weight(&self, (_, reader): &(Origin, String), record: &SiteRecord) -> u64 {
        let texts = record.snapshot.as_ref().map_or(0, |kept| kept.text.len().saturating_add(kept.report.len()));
        // The key stands twice, and the longest host is 255 octets.
        let octets = texts.saturating_add(reader.len()).saturating_add(500);
        u64::try_from(octets).unwrap_or(u64::MAX)
    }
}

impl MemoryStore {
    /// 256 MiB. House: some 100,000 sites of the usual size.
    pub const DEFAULT_OCTETS: u64 = 256 << 20;
    /// 8 MiB, the least: a few sites with the longest texts that there can be.
    pub const LEAST_OCTETS: u64 = 8 << 20;

    /// A store that holds at most so many octets, or [`MemoryStore::LEAST_OCTETS`] if that is more.
    ///
    /// ```
    /// use robosieve_gate::{MemoryStore, SiteStore};
    /// let store = MemoryStore::new(64 << 20);
    /// assert!(store.is_empty()?);
    /// # Ok::<(), robosieve_gate::StoreError>(())
    /// ```
    #[must_use]
    pub fn new(octets: u64) -> Self {
        let octets = octets.max(Self::LEAST_OCTETS);
        // A site has to fit into one shard, or it would be asked before every page.
        let shards = usize::try_from(octets / Self::LEAST_OCTETS).unwrap_or(1).clamp(1, 16);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(usize::try_from(octets / 2_048).unwrap_or(usize::MAX).min(1 << 20))
            .weight_capacity(octets)
            .shards(shards)
            .build();
        let sites = match options {
            Ok(options) => {
                Cache::with_options(options, Octets, DefaultHashBuilder::default(), DefaultLifecycle::default())
            }
            Err(_) => Cache::with_weighter(4_096, octets, Octets),
        };
        Self { sites }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Self::DEFAULT_OCTETS)
    }
}

fn key(origin: &Origin, reader: &str) -> (Origin, String) {
    (origin.clone(), reader.to_owned())
}

impl SiteStore for MemoryStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        Ok(self.sites.get(&key(origin, reader)))
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        self.sites.insert(key(origin, reader), record.clone());
        Ok(())
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        Ok(self.sites.remove(&key(origin, reader)).is_some())
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.sites.clear();
        Ok(())
    }

    fn len(&self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.sites.len()).unwrap_or(u64::MAX))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        for ((origin, reader), record) in self.sites.iter() {
            if visit(&origin, &reader, record) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }
}
