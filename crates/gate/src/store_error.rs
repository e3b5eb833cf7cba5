//! Why a store of sites or of lanes can't be used.
//!
//! Invariant: what a store's file says is shown without its controls.

use std::fmt;
use std::path::PathBuf;

use robosieve_printable::{harmless, name_of};

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
            Self::Open { path, why } => {
                write!(f, "{} can't be opened as a store: {}", name_of(path), harmless(why))
            }
            Self::Failed(why) => write!(f, "the store of sites failed: {}", harmless(why)),
        }
    }
}

impl std::error::Error for StoreError {}
