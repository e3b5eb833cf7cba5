//! A site that is ready to answer: its site record, and a tester with the rules of its text.
//!
//! Invariant: it is made once for each site record and shared between threads. Nothing in it changes.

use std::net::IpAddr;
use std::sync::Arc;

use robosieve::verdict::SiteAccess;
use robosieve::{RecordSet, Tester};

use crate::findings::Findings;
use crate::origin::Origin;
use crate::pacing::Asked;
use crate::reader::Reader;
use crate::site::SiteRecord;

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) record: SiteRecord,
    pub(crate) tester: Tester<'static>,
    pub(crate) asked: Asked,
    /// The address of the server that answered last.
    pub(crate) address: Option<IpAddr>,
    /// The findings in the file that the rules come from.
    pub(crate) findings: Option<Arc<Findings>>,
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
        let findings = record.snapshot.as_ref().and_then(|snapshot| Findings::of_report(&snapshot.report));
        // If there was no file, the report is empty. For a file with errors the policy alone may decide.
        let findings = findings.filter(|found| access == SiteAccess::Rules || !found.exact || found.suspects > 0);
        let findings = findings.map(Arc::new);
        Self { tester, asked: Asked::by(&set), address: None, findings, record }
    }
}

/// Weighs sites by their size in bytes, as far as it grows with what a server sends.
#[derive(Clone, Debug)]
pub(crate) struct Weight;

impl quick_cache::Weighter<Origin, std::sync::Arc<Known>> for Weight {
    fn weight(&self, _: &Origin, known: &std::sync::Arc<Known>) -> u64 {
        let text = known.record.snapshot.as_ref().map_or(0, |kept| kept.text.len());
        // The text, with the rules and the tree made from it.
        u64::try_from(text.saturating_mul(10).saturating_add(2_000)).unwrap_or(u64::MAX)
    }
}
