//! A site that is ready to answer: its site record, and a tester with the rules of its text.
//!
//! Invariant: it is made once for each site record and shared between threads. Nothing in it changes.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robosieve::Tester;
use robosieve::records::RecordSet;
use robosieve::verdict::SiteAccess;

use crate::decide::{Reader, SiteRecord, Snapshot};
use crate::keep::sized;
use crate::origin::Origin;
use crate::pace::Asked;

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) record: SiteRecord,
    pub(crate) tester: Tester<'static>,
    pub(crate) asked: Asked,
}

impl Known {
    /// Cost: parsing the site record's text.
    pub(crate) fn new(record: SiteRecord, reader: &Reader) -> Self {
        let set = match &record.snapshot {
            Some(snapshot) if snapshot.access == SiteAccess::Rules => reader.records(&snapshot.text),
            _ => RecordSet::default(),
        };
        // Without a snapshot the tester is not used.
        let access = record.snapshot.as_ref().map_or(SiteAccess::DisallowAll, |snapshot| snapshot.access);
        let tester = Tester::new(&set, &Reader::everyone()).with_access(access);
        Self { tester, asked: Asked::by(&set), record }
    }
}

/// The memory for sites that are ready.
pub(crate) type Ready = Cache<Origin, Arc<Known>, Weight>;

/// A text takes so many times its length, with the rules made from it and the index of these. Counted: 14 for the
/// shortest rules with stars.
const READ: usize = 16;

/// 32 MiB: each part of the memory has at least so much, if there is so much. A file of 512,000 bytes takes 8 MiB.
const PART: u64 = 32 << 20;

/// A memory of that many bytes.
pub(crate) fn ready(bytes: u64) -> Ready {
    sized(bytes, PART, Weight)
}

/// Weighs sites by their size in bytes, as far as it grows with what a server sends.
#[derive(Clone, Debug)]
pub(crate) struct Weight;

impl Weighter<Origin, Arc<Known>> for Weight {
    fn weight(&self, _: &Origin, known: &Arc<Known>) -> u64 {
        let of = |kept: &Snapshot| kept.text.len().saturating_mul(READ).saturating_add(kept.report.len());
        let kept = known.record.snapshot.as_ref().map_or(0, of);
        u64::try_from(kept.saturating_add(2_000)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
#[path = "tests/known.rs"]
mod tests;
