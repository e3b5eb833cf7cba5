//! What a run makes of its files instead of texts: rows of a table.
//!
//! Invariant: the rows of a file depend on its record and its bytes, so their order is that of the input.

use std::fmt;

use robosieve::report::InputKind;

use super::record::Record;

/// Makes the rows of files. `Debug` shows everything that the rows depend on: a run that continues another one compares
/// it.
pub trait Table: fmt::Debug + Send + Sync {
    /// What stands before the first row.
    fn head(&self) -> Vec<u8>;

    /// Adds the rows of a file. `bytes`: the file, if there is one, and whether it is whole. The record has what is
    /// known of it. Returns what the file looks like.
    fn add(&self, record: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind>;
}
