//! The store in memory. It lasts as long as the program.
//!
//! Invariant: its size in bytes is limited, whatever the sites send. The least used sites are dropped first.

use std::ops::ControlFlow;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::decide::site::SiteRecord;
use crate::keep::store::{SiteStore, Visit};
use crate::origin::Origin;
use crate::store_error::StoreError;

/// Remembers sites in memory, within a limit.
///
/// A site that was dropped is unknown again: it is requested again, even a failing one before its time. Choose a limit
/// that fits the sites of a crawl. A site record takes some 500 bytes plus its text and its report.
#[derive(Debug)]
pub struct MemoryStore {
    sites: Cache<(Origin, String), SiteRecord, Bytes, DefaultHashBuilder>,
}

#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<(Origin, String), SiteRecord> for Bytes {
    fn weight(&self, (_, reader): &(Origin, String), record: &SiteRecord) -> u64 {
        let texts = record.snapshot.as_ref().map_or(0, |kept| kept.text.len().saturating_add(kept.report.len()));
        let texts = texts.saturating_add(record.attempts.len().saturating_mul(300));
        // The key is stored twice, and the longest host is 255 bytes.
        let bytes = texts.saturating_add(reader.len()).saturating_add(500);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl MemoryStore {
    /// 256 MiB. Our choice: some 100,000 sites of the usual size.
    pub const DEFAULT_BYTES: u64 = 256 << 20;
    /// 8 MiB, the minimum: it fits a few sites with the longest possible texts.
    pub const LEAST_BYTES: u64 = 8 << 20;

    /// Creates a store of at most this many bytes, or of [`MemoryStore::LEAST_BYTES`] if that is more.
    ///
    /// ```
    /// use robosieve_gate::MemoryStore;
    /// use robosieve_gate::keep::SiteStore;
    /// let store = MemoryStore::new(64 << 20);
    /// assert!(store.is_empty()?);
    /// # Ok::<(), robosieve_gate::keep::StoreError>(())
    /// ```
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let bytes = bytes.max(Self::LEAST_BYTES);
        // A site must fit into one shard. Otherwise it would be requested before every page.
        let shards = usize::try_from(bytes / Self::LEAST_BYTES).unwrap_or(1).clamp(1, 16);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(usize::try_from(bytes / 2_048).unwrap_or(usize::MAX).min(1 << 20))
            .weight_capacity(bytes)
            .shards(shards)
            .build();
        let sites = match options {
            Ok(options) => {
                Cache::with_options(options, Bytes, DefaultHashBuilder::default(), DefaultLifecycle::default())
            }
            Err(_) => Cache::with_weighter(4_096, bytes, Bytes),
        };
        Self { sites }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
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
