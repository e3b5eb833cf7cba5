//! The interface of all stores of sites.
//!
//! Invariant: a store keeps site records and decides nothing. Its key is the origin and the reader's key: a server's
//! answer to one crawler is not an answer to another, and a text filtered for one crawler's agents is of no use to
//! others.

use std::fmt;
use std::ops::ControlFlow;
use std::ops::Deref;
use std::path::PathBuf;

use robosieve::printable::{escape, harmless, name_of};

use crate::lanes::Lanes;
use crate::origin::Origin;
use crate::run_clock::RunClock;
use crate::site::SiteRecord;

/// Keeps site records, each under an origin and a reader's key ([`Reader::key`](crate::Reader::key)).
///
/// Methods take `&self`, so threads can share a store.
pub trait SiteStore {
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

    /// A clock for a run of a program that uses the store. Programs that share a store should share its clock.
    fn clock(&self) -> RunClock {
        RunClock::default()
    }
}

/// The callback of [`SiteStore::for_each`].
pub type Visit<'v> = dyn FnMut(&Origin, &str, SiteRecord) -> ControlFlow<()> + 'v;

/// Why a store can't be used.
#[derive(Debug)]
pub enum StoreError {
    /// The file is something else. It was not changed.
    NotAStore {
        /// The file.
        path: PathBuf,
        /// Its kind, for people.
        is: &'static str,
    },
    /// The file was written by a later version. It was not changed.
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The latest version that this program can read.
        known: i64,
    },
    /// A row is not a valid site record: it was damaged or changed by hand.
    Row {
        /// The row's origin.
        origin: String,
        /// The column that is not valid.
        column: &'static str,
    },
    /// The store could not be opened.
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Reading or writing failed.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAStore { path, is } => {
                let path = name_of(path);
                write!(f, "{path} is {is}, not a store of sites; it was not changed; use another file")
            }
            Self::Newer { path, found, known } => write!(
                f,
                "{} was written by a newer robosieve (its tables are version {found}, this program reads {known}); it was not \
                 changed; update this program, or use another file",
                name_of(path)
            ),
            Self::Row { origin, column } => write!(
                f,
                "the store's row for \"{}\" has no valid {column}; that site counts as unknown and will be requested again",
                escape(origin.as_bytes())
            ),
            Self::Open { path, why } => {
                write!(f, "{} can't be opened as a store: {}", name_of(path), harmless(why))
            }
            Self::Failed(why) => write!(f, "the store of sites failed: {}", harmless(why)),
        }
    }
}

impl std::error::Error for StoreError {}

/// A pointer to a store is a store too: a reference, a box, a shared pointer.
impl<P: Deref> SiteStore for P
where
    P::Target: SiteStore,
{
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        (**self).get(origin, reader)
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        (**self).put(origin, reader, record)
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        (**self).remove(origin, reader)
    }

    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        (**self).forget(origin)
    }

    fn clear(&self) -> Result<(), StoreError> {
        (**self).clear()
    }

    fn len(&self) -> Result<u64, StoreError> {
        (**self).len()
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        (**self).for_each(visit)
    }

    fn lanes(&self) -> Option<&dyn Lanes> {
        (**self).lanes()
    }

    fn blocks(&self) -> bool {
        (**self).blocks()
    }

    fn clock(&self) -> RunClock {
        (**self).clock()
    }
}
