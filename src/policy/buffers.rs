//! The memory of a record set that is not needed any more, for the next set.
//!
//! Invariant: buffers hold no record and no line of a file. A set that is made from them is equal to a new one. They keep
//! no more memory than the largest set that was given back, and [`SpareReports::MOST`] reports.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::take;

use crate::policy::record::{Reading, RecordSet};
use crate::report::Report;

/// The memory of a set, and of what parsing needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    /// Whether another set follows. Otherwise memory is freed as soon as it is not needed.
    are_kept: bool,
    /// Empty. None before the first set is given back.
    set: Option<RecordSet<'static>>,
    pub(crate) spare: Spare,
}

/// What parsing needs besides a set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare {
    pub(crate) reports: SpareReports,
    /// For the canonical spelling of a value.
    pub(crate) spelled: Vec<u8>,
}

impl Buffers {
    /// Buffers for many sets.
    pub(crate) fn kept() -> Self {
        Self { are_kept: true, ..Self::default() }
    }

    /// An empty set.
    pub(crate) fn take_set<'a>(&mut self, reading: Reading, max_details: usize) -> RecordSet<'a> {
        let Some(mut set) = self.set.take() else { return RecordSet::new(reading, max_details) };
        set.reading = reading;
        set.report.reset(max_details);
        set
    }

    /// Takes the memory of this set, where it is more than that of the set before it. Leaves the set empty.
    pub(crate) fn give_back(&mut self, set: &mut RecordSet<'_>) {
        if !self.are_kept {
            return;
        }
        let of_entries = set.entries.drain(..).filter_map(|entry| entry.report);
        of_entries
            .chain(set.lost.drain(..).map(|(_, report)| report))
            .for_each(|report| self.spare.reports.give_back(report));
        let kept = self.set.get_or_insert_default();
        keep_larger(&mut kept.agents, emptied(take(&mut set.agents)));
        keep_larger(&mut kept.rules, emptied(take(&mut set.rules)));
        keep_larger(&mut kept.extensions, emptied(take(&mut set.extensions)));
        keep_larger(&mut kept.entries, take(&mut set.entries));
        keep_larger(&mut kept.loose, emptied(take(&mut set.loose)));
        keep_larger(&mut kept.general, emptied(take(&mut set.general)));
        keep_larger(&mut kept.lost, take(&mut set.lost));
        set.report.reset(0);
        kept.report.keep_larger(&mut set.report);
    }
}

/// Keeps the one of two empty lists that has more memory.
pub(crate) fn keep_larger<T>(kept: &mut Vec<T>, other: Vec<T>) {
    if other.capacity() > kept.capacity() {
        *kept = other;
    }
}

/// Empties a list. It keeps its memory, also if the types differ only in a lifetime: collecting the items of a list into
/// a list with items of the same size works in place.
pub(crate) fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().filter_map(|_| None).collect()
}

/// Reports that are not needed any more.
#[derive(Clone, Debug, Default)]
#[allow(clippy::vec_box)] // Sets hold their reports in boxes, since most records have none.
pub(crate) struct SpareReports(Vec<Box<Report>>);

#[allow(clippy::unnecessary_box_returns)] // The box is a part of the memory.
impl SpareReports {
    /// More are not kept: few records have a report.
    const MOST: usize = 16;

    /// An empty report.
    pub(crate) fn take(&mut self, max_details: usize) -> Box<Report> {
        let Some(mut report) = self.0.pop() else { return Box::new(Report::new(max_details)) };
        report.reset(max_details);
        report
    }

    pub(crate) fn give_back(&mut self, report: Box<Report>) {
        if self.0.len() < Self::MOST {
            self.0.push(report);
        }
    }
}
