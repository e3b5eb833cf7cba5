//! Where sites are remembered: what every store does.
//!
//! Invariant: a store keeps records and judges nothing. It is asked with the origin and the key of the reader: what a server answered
//! one crawler is nothing to another, and neither is a text that was filtered for other agents.

use std::fmt;
use std::ops::ControlFlow;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::origin::Origin;
use crate::printable::printable;
use crate::site::SiteRecord;

/// Keeps the records of sites, each under an origin and a reader's key ([`Reader::key`](crate::Reader::key)).
///
/// Methods take `&self`: a store is shared by threads.
pub trait SiteStore {
    /// The record of a site.
    ///
    /// # Errors
    /// If the store can't be read, or holds something else than a record there.
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError>;

    /// Keeps a record in place of the one before. When this returns, other users of the store see it.
    ///
    /// # Errors
    /// If the store can't be written.
    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError>;

    /// Forgets a site, and says whether it was known.
    ///
    /// # Errors
    /// If the store can't be written.
    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError>;

    /// Forgets a site of all readers, and says how many records that were. The store in a file does so where a record can't be read, too.
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

    /// How many records there are, of all readers.
    ///
    /// # Errors
    /// If the store can't be read.
    fn len(&self) -> Result<u64, StoreError>;

    /// Whether there are none.
    ///
    /// # Errors
    /// If the store can't be read.
    fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Shows each record with its origin and its reader's key, until told to stop.
    ///
    /// # Errors
    /// If the store can't be read, or holds something else than records.
    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError>;
}

/// What is shown each record of a store.
pub type Visit<'v> = dyn FnMut(&Origin, &str, SiteRecord) -> ControlFlow<()> + 'v;

/// Why a store can't be used.
#[derive(Debug)]
pub enum StoreError {
    /// The file is something else; it was left as it is.
    NotAStore {
        /// Which.
        path: PathBuf,
        /// What it is.
        is: &'static str,
    },
    /// The file was written by a later version; it was left as it is.
    Newer {
        /// Which.
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The latest version that is understood here.
        known: i64,
    },
    /// A row holds something that is no record, as after a change by hand.
    Row {
        /// The origin that it says.
        origin: String,
        /// Which column.
        column: &'static str,
    },
    /// The store could not be opened.
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Reading or writing failed.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAStore { path, is } => {
                let path = shown(path);
                write!(f, "{path} is {is}, not a store of sites, and was left as it is; name another file")
            }
            Self::Newer { path, found, known } => write!(
                f,
                "{} was written by a newer robosieve (its tables are version {found}, this program knows {known}), and was left as it \
                 is; update this program, or name another file",
                shown(path)
            ),
            Self::Row { origin, column } => write!(
                f,
                "the store's row for \"{}\" has no valid {column}; clear that site, and it will be asked again",
                printable(origin)
            ),
            Self::Open { path, why } => {
                write!(f, "{} can't be opened as a store: {}", shown(path), printable(why))
            }
            Self::Failed(why) => write!(f, "the store of sites failed: {}", printable(why)),
        }
    }
}

impl std::error::Error for StoreError {}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Whatever points to a store is one: a reference, a box, a shared pointer.
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
}
