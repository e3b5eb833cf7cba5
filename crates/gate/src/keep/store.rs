//! The interface of all stores.
//!
//! Invariant: a store keeps site records and lanes, and decides nothing. The key of a record is the origin and the
//! reader's key: a server's answer to one crawler is not an answer to another. A change of a lane is one step, which no
//! other change of it can come between.

use std::fmt;
use std::time::Duration;

use crate::decide::SiteRecord;
use crate::error::Error;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Pacing, Page, Slot, Taken};

/// Keeps site records, each under an origin and a reader's key ([`Reader::key`](crate::decide::Reader::key)), and
/// lanes, each under its name.
///
/// Methods take `&self`, so threads can share a store.
///
/// # Errors
/// Each method fails if the store can't be used. What can't be read in it is unknown: a record that is missing, or a
/// lane that nobody has used.
#[allow(clippy::missing_errors_doc, reason = "the trait says it")]
pub trait Store: Send + Sync {
    /// The site record.
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, Error>;

    /// Stores a site record and replaces the old one. When this returns, other users of the store see it.
    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), Error>;

    /// Forgets a site of all readers, or all sites, and returns the number of site records.
    fn remove(&self, origin: Option<&Origin>) -> Result<u64, Error>;

    /// Passes each site record with its origin and its reader's key to `visit`. The visitor does not use the store.
    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), Error>;

    /// Takes a slot of a lane: [`Lane::take`](crate::pace::Lane::take), by the clock that all programs of the store
    /// share.
    fn take(&self, lane: &str, pacing: &Pacing, slot: Slot, now: Moment) -> Result<Taken, Error>;

    /// Takes in how a request ended: [`Lane::observe`](crate::pace::Lane::observe).
    fn observe(&self, lane: &str, pacing: &Pacing, page: &Page, now: Moment) -> Result<(), Error>;

    /// Claims the retrieval of an origin among the programs that share the store: for one of them at a time. A store
    /// that programs do not share gives a claim to everybody.
    fn claim(&self, origin: &Origin, reader: &str) -> Result<Option<Claim>, Error>;

    /// Whether a call may wait for a disk or for other programs. Async code then calls it in a thread of its own.
    fn blocks(&self) -> bool {
        false
    }
}

/// The right to retrieve an origin, among the programs that share a store. It ends when this is dropped, or after its
/// lease if the program died.
#[derive(Default)]
#[must_use]
pub struct Claim {
    end: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Claim {
    /// 70 seconds: how long a program may take to retrieve an origin before another may. Our choice: longer than a
    /// retrieval takes.
    pub const LEASE: Duration = Duration::from_secs(70);

    /// A quarter of a second: after it, those that wait for another program's retrieval look again. Our choice.
    pub const LOOK_AGAIN: Duration = Duration::from_millis(250);

    /// A claim with what is to be done when it is dropped.
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

/// How long a store that lasts keeps a site after its last retrieval. Our choice: longer than the longest pause between
/// two attempts.
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(super) const SITE_LIFE: Duration = Duration::from_secs(40 * 86_400);

/// A number that no other claim has, of this program or another.
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(super) fn unique() -> i64 {
    let number = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
    number.cast_signed()
}

/// The callback of [`Store::for_each`].
pub type Visit<'v> = dyn FnMut(&Origin, &str, SiteRecord) + 'v;
