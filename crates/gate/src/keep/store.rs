//! The interface of all stores of sites.
//!
//! Invariant: a store keeps site records and decides nothing. Its key is the origin and the reader's key: a server's
//! answer to one crawler is not an answer to another, and a text filtered for one crawler's agents is of no use to
//! others.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::decide::site::SiteRecord;
use crate::moment::{Moment, RunClock};
use crate::origin::Origin;
use crate::pace::lanes::Lanes;
use crate::store_error::StoreError;

/// Keeps site records, each under an origin and a reader's key ([`Reader::key`](crate::decide::Reader::key)).
///
/// Methods take `&self`, so threads can share a store.
pub trait SiteStore: Send + Sync {
    /// The site record.
    ///
    /// # Errors
    /// If the store can't be read. An entry that is not a site record counts as missing.
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError>;

    /// Stores a site record and replaces the old one. When this returns, other users of the store see it.
    ///
    /// # Errors
    /// If the store can't be written.
    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError>;

    /// Forgets a site, and returns whether it was known.
    ///
    /// # Errors
    /// If the store can't be written.
    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError>;

    /// Forgets a site of all readers, and returns the number of site records. The store in a file can also do this if a
    /// site record can't be read.
    ///
    /// # Errors
    /// If the store can't be written.
    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        let mut readers = Vec::new();
        self.for_each(&mut |found, reader, _| {
            if found == origin {
                readers.push(reader.to_owned());
            }
            ControlFlow::Continue(())
        })?;
        let gone = |reader: &String| self.remove(origin, reader).map(u64::from);
        readers.iter().map(gone).try_fold(0_u64, |all, gone| Ok(all.saturating_add(gone?)))
    }

    /// Forgets all sites of all readers.
    ///
    /// # Errors
    /// If the store can't be written.
    fn clear(&self) -> Result<(), StoreError>;

    /// Forgets the sites whose last attempt was before a moment, and returns the number of site records. Without this, a
    /// store in a file grows with the sites of a crawl.
    ///
    /// # Errors
    /// If the store can't be used, or, after all others were deleted, if an entry is not a site record.
    fn forget_before(&self, moment: Moment) -> Result<u64, StoreError> {
        let mut old = Vec::new();
        let seen = self.for_each(&mut |origin, reader, record| {
            if record.last.as_ref().is_none_or(|last| last.at < moment) {
                old.push((origin.clone(), reader.to_owned()));
            }
            ControlFlow::Continue(())
        });
        let mut gone = 0_u64;
        for (origin, reader) in old {
            gone = gone.saturating_add(self.remove(&origin, &reader)?.into());
        }
        seen.map(|()| gone)
    }

    /// The number of site records, of all readers.
    ///
    /// # Errors
    /// If the store can't be read.
    fn len(&self) -> Result<u64, StoreError>;

    /// Whether the store is empty.
    ///
    /// # Errors
    /// If the store can't be read.
    fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Passes each site record with its origin and its reader's key to `visit`, until `visit` returns `Break`.
    ///
    /// # Errors
    /// If the store can't be read, or, after all others were visited, if an entry is not a site record.
    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError>;

    /// The lanes of the store, if it keeps any. Otherwise the pace is in the memory of each gate.
    fn lanes(&self) -> Option<&dyn Lanes> {
        None
    }

    /// Whether a call may wait for a disk or for other programs. Async code then calls it in a thread of its own.
    fn blocks(&self) -> bool {
        false
    }

    /// Claims the retrieval of an origin among the programs that share the store: [`Claim`] for one of them at a time,
    /// and for the others how long to wait before they look again. A store that programs do not share gives one to
    /// everybody.
    ///
    /// # Errors
    /// If the store can't be used.
    fn claim(&self, _origin: &Origin, _reader: &str) -> Result<Result<Claim, Duration>, StoreError> {
        Ok(Ok(Claim::default()))
    }

    /// What is wrong with how the store is set up, if that can break the pace.
    fn warning(&self) -> Option<String> {
        None
    }

    /// A clock for a run of a program that uses the store. Programs that share a store should share its clock.
    fn clock(&self) -> RunClock {
        RunClock::default()
    }
}

/// The right to retrieve an origin, among the programs that share a store. It ends when this is dropped, or after its
/// lease if the program died.
#[derive(Default)]
pub struct Claim {
    end: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Claim {
    /// Two minutes: how long a program may take to retrieve an origin before another may. Our choice.
    pub const LEASE: Duration = Duration::from_secs(120);

    /// A quarter of a second: after it, those that wait for another program's retrieval look again. Our choice.
    pub const LOOK_AGAIN: Duration = Duration::from_millis(250);

    /// A claim with what is to be done when it is dropped.
    #[must_use]
    pub fn until_dropped(end: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self { end: Some(Box::new(end)) }
    }

    /// Whether other programs may have had it before.
    pub(crate) fn is_shared(&self) -> bool {
        self.end.is_some()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end();
        }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").finish_non_exhaustive()
    }
}

/// A number that no other claim has, of this program or another.
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(super) fn unique() -> u64 {
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id())
}

/// The callback of [`SiteStore::for_each`].
pub type Visit<'v> = dyn FnMut(&Origin, &str, SiteRecord) -> ControlFlow<()> + 'v;
