//! The totals of a run.
//!
//! Invariant: only sums, with a bounded size. Apart from times, a run that was interrupted and continued has the same
//! totals as one that was not.

use std::collections::BTreeMap;

use robosieve::report::{Effect, FindingClass, FindingKind, Report};
use serde::{Deserialize, Serialize};

use super::done::{Done, What};
use super::record::{Outcome, Record};

/// The number of slowest items that are kept.
const SLOWEST: usize = 5;

/// Totals over all items.
///
/// ```
/// use robosieve_batch::{Filter, Items, Summary};
/// let filter = Filter::new(["MyBot"]);
/// let mut summary = Summary::default();
/// for item in Items::new("lines", &b"{\"robots\":\"Disallow: /\"}\n{}\n"[..]) {
///     summary.add(&filter.run(item));
/// }
/// assert_eq!((summary.records, summary.failures["bad-request"]), (2, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The number of records.
    pub records: u64,
    /// The size of the filtered files in bytes, unpacked.
    pub bytes_in: u64,
    /// The size of their texts in bytes.
    pub bytes_out: u64,
    /// Numbers of records by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Numbers of failures by kind.
    pub failures: BTreeMap<String, u64>,
    /// Numbers of skipped items by kind.
    pub skipped: BTreeMap<String, u64>,
    /// Numbers of files that do not look like robots.txt, by what they look like.
    pub inputs: BTreeMap<String, u64>,
    /// Numbers of incomplete files, by reason.
    pub truncated: BTreeMap<String, u64>,
    /// The number of texts that do not give the same answers as their files, or whose files are incomplete.
    pub inexact: u64,
    /// The findings in the files.
    pub losses: Findings,
    /// The slowest items, the slowest first.
    pub slowest: Vec<Slow>,
    /// The duration of the run, including those of the runs that it continues.
    pub seconds: f64,
}

/// A slow item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Slow {
    /// The time that filtering took.
    pub seconds: f64,
    /// Its input, and its number in that input.
    pub name: String,
    /// Its URL, from the input.
    pub url: Option<String>,
}

impl Summary {
    /// Adds an item.
    pub fn add(&mut self, done: &Done) {
        match &done.what {
            What::End => {}
            What::Skipped(kind) => count(&mut self.skipped, kind, 1),
            What::Record(record) => {
                self.add_record(record);
                self.add_slow(record, done.took.as_secs_f64());
            }
        }
    }

    fn add_record(&mut self, record: &Record) {
        add(&mut self.records, 1);
        add(self.outcomes.entry(record.outcome).or_default(), 1);
        add(&mut self.bytes_in, record.bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or(0));
        if let Some(error) = &record.error {
            count(&mut self.failures, error.kind, 1);
        }
        if let Some(kind) = record.input.filter(|kind| !kind.may_be_robots_txt()) {
            count(&mut self.inputs, kind.as_str(), 1);
        }
        if let Some(reason) = record.truncated {
            count(&mut self.truncated, reason, 1);
        }
        if let Some(policy) = &record.policy {
            add(&mut self.bytes_out, policy.size.try_into().unwrap_or(0));
            add(&mut self.inexact, u64::from(!policy.exact));
            self.losses.add(&policy.report);
        }
    }

    fn add_slow(&mut self, record: &Record, seconds: f64) {
        if self.slowest.len() == SLOWEST && self.slowest.last().is_some_and(|last| last.seconds >= seconds) {
            return;
        }
        let at = self.slowest.partition_point(|slow| slow.seconds >= seconds);
        self.slowest.insert(at, Slow { seconds, name: record.name(), url: record.url.clone() });
        self.slowest.truncate(SLOWEST);
    }

    /// Whether any file could not be used.
    #[must_use]
    pub fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|(outcome, &count)| outcome.is_failure() && count > 0)
    }

    /// Whether any input could be read.
    #[must_use]
    pub fn has_read(&self) -> bool {
        let number = |counts: &BTreeMap<String, u64>, kinds: [&str; 2]| -> u64 {
            kinds.iter().filter_map(|kind| counts.get(*kind)).fold(0, |sum, more| sum.saturating_add(*more))
        };
        let skipped = self.skipped.values().fold(0_u64, |sum, more| sum.saturating_add(*more));
        self.records > number(&self.failures, ["unreadable", "bad-path"])
            || skipped > number(&self.skipped, ["link", "not-a-file"])
    }

    /// Numbers of findings of a class, by kind.
    #[must_use]
    pub fn of_class(&self, class: FindingClass) -> BTreeMap<String, u64> {
        let is_of = |kind: &str| FindingKind::ALL.iter().any(|known| known.as_str() == kind && known.class() == class);
        let counts = self.losses.counts.iter().filter(|(kind, _)| is_of(kind));
        counts.map(|(kind, &count)| (kind.clone(), count)).collect()
    }
}

/// Numbers of losses by effect, and of findings by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Findings {
    /// Losses that may permit more.
    pub more_permissive: u64,
    /// Losses that may permit less.
    pub more_restrictive: u64,
    /// Losses that may permit more or less.
    pub either: u64,
    /// Numbers of findings by kind.
    pub counts: BTreeMap<String, u64>,
}

impl Findings {
    fn add(&mut self, report: &Report) {
        add(&mut self.more_permissive, report.losses(Effect::MorePermissive));
        add(&mut self.more_restrictive, report.losses(Effect::MoreRestrictive));
        add(&mut self.either, report.losses(Effect::Either));
        for (kind, count) in report.counts() {
            self::count(&mut self.counts, kind.as_str(), count);
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, kind: &str, more: u64) {
    match counts.get_mut(kind) {
        Some(sum) => add(sum, more),
        None => drop(counts.insert(kind.to_owned(), more)),
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}
