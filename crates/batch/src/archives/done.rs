//! The result for an item.
//!
//! Invariant: each item has a record, or a reason why it has none.

use std::sync::Arc;
use std::time::Duration;

use super::item::{Input, Place};
use super::record::Record;

/// The result for an item: its record, or the reason why it has none.
#[derive(Debug)]
pub struct Done {
    pub(crate) place: Place,
    pub(crate) input: Arc<Input>,
    pub(crate) took: Duration,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Skipped(&'static str),
    Record(Box<Record>),
    /// The end of an input: there is no item.
    End,
}

impl Done {
    /// The record. None if the item is not a robots.txt file.
    #[must_use]
    pub fn record(&self) -> Option<&Record> {
        match &self.what {
            What::Record(record) => Some(record),
            What::Skipped(_) | What::End => None,
        }
    }

    /// Only the record.
    #[must_use]
    pub fn into_record(self) -> Option<Record> {
        match self.what {
            What::Record(record) => Some(*record),
            What::Skipped(_) | What::End => None,
        }
    }

    /// Why there is no record: `other-url`, `blank-line`, `link`, `not-a-file`, or the type of an archive's record.
    #[must_use]
    pub const fn skipped(&self) -> Option<&'static str> {
        match self.what {
            What::Skipped(kind) => Some(kind),
            What::Record(_) | What::End => None,
        }
    }

    /// The time that filtering the item took.
    #[must_use]
    pub const fn took(&self) -> Duration {
        self.took
    }
}
