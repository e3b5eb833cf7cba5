//! A site made ready to answer: its record, with the rules of its text in a tester.
//!
//! Invariant: made once for each record, and shared; nothing in it changes.

use robosieve::{Access, RecordSet, Tester};

use crate::origin::Origin;
use crate::pace::Asked;
use crate::reader::Reader;
use crate::site::SiteRecord;

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) record: SiteRecord,
    pub(crate) tester: Tester<'static>,
    pub(crate) asked: Asked,
}

impl Known {
    /// Cost: reading the record's text.
    pub(crate) fn new(record: SiteRecord, reader: &Reader) -> Self {
        let set = match &record.snapshot {
            Some(snapshot) if snapshot.access == Access::Rules => reader.records(&snapshot.text),
            _ => RecordSet::default(),
        };
        let access = record.snapshot.as_ref().map(|snapshot| snapshot.access).unwrap_or_default();
        let tester = Tester::new(&set, &Reader::everyone()).with_access(access);
        Self { tester, asked: Asked::by(&set), record }
    }
}

/// Weighs sites by the octets that they take, as far as those grow with what a server sends.
#[derive(Clone, Debug)]
pub(crate) struct Weight;

impl quick_cache::Weighter<Origin, std::sync::Arc<Known>> for Weight {
    fn weight(&self, _: &Origin, known: &std::sync::Arc<Known>) -> u64 {
        let text = known.record.snapshot.as_ref().map_or(0, |kept| kept.text.len());
        // The text, and the rules and the tree made of it.
        u64::try_from(text.saturating_mul(10).saturating_add(2_000)).unwrap_or(u64::MAX)
    }
}
