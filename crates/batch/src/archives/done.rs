//! The result for an item.
//!
//! Invariant: each item has a record, or a reason why it has none.

use std::sync::Arc;
use std::time::Duration;

use super::item::Place;
use super::past::Input;
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
}

/// Receives events of a run.
///
/// The default methods do nothing, so `()` is an observer that ignores everything.
pub trait Observer {
    /// Reports how many bytes were read from all inputs, and how many records were written.
    fn progress(&mut self, bytes: u64, records: u64) {
        let _ = (bytes, records);
    }

    /// Reports a file that could not be used; the `error` of the record explains why. `before` is the number of
    /// earlier failures, including those of the runs that this one continues.
    fn failed(&mut self, record: &Record, before: u64) {
        let _ = (record, before);
    }

    /// Reports that a run should be continued but nothing of it was written, so it starts at the beginning.
    fn nothing_to_continue(&mut self) {}

    /// Whether the run is to stop. It then stops at the next point from which it can be continued, with
    /// [`Error::Stopped`](crate::Error::Stopped).
    fn stops(&self) -> bool {
        false
    }
}

impl Observer for () {}
