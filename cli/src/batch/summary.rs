//! What a run came to, for people and for machines.
//!
//! Invariant: sums only, of bounded size; those of a run that was interrupted and continued are those of one that was not, but
//! for times.

use std::collections::BTreeMap;

use robosieve::{Class, FindingKind};
use serde::{Deserialize, Serialize};

use super::record::{Findings, Outcome, Rendered};
use super::work::{Done, What};
use crate::text::{Message, counted};

/// The slowest items that are told.
const SLOWEST: usize = 5;

/// Sums over all items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Records that were made.
    pub(crate) records: u64,
    /// Octets of the files that were filtered, unpacked.
    pub(crate) octets_in: u64,
    /// Octets of their texts.
    pub(crate) octets_out: u64,
    pub(crate) outcomes: BTreeMap<Outcome, u64>,
    /// What could not be processed, by its kind.
    pub(crate) failures: BTreeMap<String, u64>,
    /// What was left out, by its kind.
    pub(crate) skipped: BTreeMap<String, u64>,
    /// Files that are not whole, by the reason.
    pub(crate) truncated: BTreeMap<String, u64>,
    /// Texts that do not answer every URL as their files do, or whose files are not whole.
    pub(crate) inexact: u64,
    pub(crate) losses: Findings,
    /// With --dedup: texts that differ.
    pub(crate) distinct: Option<u64>,
    pub(crate) slowest: Vec<Slow>,
    pub(crate) seconds: f64,
}

/// An item that took long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slow {
    seconds: f64,
    name: String,
    url: Option<String>,
}

impl Summary {
    pub(crate) fn add(&mut self, done: &Done) {
        match &done.what {
            What::Skipped(kind) => count(&mut self.skipped, kind),
            What::Record(record) => {
                self.add_record(record);
                self.add_slow(record, done.took.as_secs_f64());
            }
        }
    }

    fn add_record(&mut self, record: &Rendered) {
        let body = &record.body;
        add(&mut self.records, 1);
        add(self.outcomes.entry(body.outcome).or_default(), 1);
        add(&mut self.octets_in, body.octets.and_then(|octets| octets.try_into().ok()).unwrap_or(0));
        if let Some(error) = &body.error {
            count(&mut self.failures, error.kind);
        }
        if let Some(reason) = body.truncated {
            count(&mut self.truncated, reason);
        }
        if let Some(found) = &body.found {
            add(&mut self.octets_out, found.text.len().try_into().unwrap_or(0));
            add(&mut self.inexact, u64::from(!found.exact));
            self.losses.add(&found.report);
        }
    }

    fn add_slow(&mut self, record: &Rendered, seconds: f64) {
        if self.slowest.len() == SLOWEST && self.slowest.last().is_some_and(|last| last.seconds >= seconds) {
            return;
        }
        let at = self.slowest.partition_point(|slow| slow.seconds >= seconds);
        self.slowest.insert(at, Slow { seconds, name: record.name.clone(), url: record.url.clone() });
        self.slowest.truncate(SLOWEST);
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|(outcome, &count)| outcome.is_failure() && count > 0)
    }

    /// For people.
    pub(crate) fn words(&self) -> Message {
        let mut message = Message::new(&format!(
            "{} in {:.1} s: {} in, {} of text out",
            counted(self.records, "record", "records"),
            self.seconds,
            octets(self.octets_in),
            octets(self.octets_out)
        ));
        let outcomes: Vec<String> =
            self.outcomes.iter().map(|(outcome, count)| format!("{count} {}", outcome.as_str())).collect();
        message.extend((!outcomes.is_empty()).then(|| format!("outcomes: {}", outcomes.join(", "))));
        let mut list = |name: &str, counts: &BTreeMap<String, u64>| {
            let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            message.extend((!words.is_empty()).then(|| format!("{name}: {}", words.join(", "))));
        };
        list("failures", &self.failures);
        list("skipped", &self.skipped);
        list("not whole", &self.truncated);
        list("repairs", &self.of_class(Class::Repair));
        list("left out", &self.of_class(Class::Ignored));
        list("losses", &self.of_class(Class::Loss));
        if self.inexact > 0 {
            let losses = &self.losses;
            message.add(&format!(
                "not exact: {} ({} permit more, {} permit less, {} either)",
                counted(self.inexact, "text", "texts"),
                losses.more_permissive,
                losses.more_restrictive,
                losses.either
            ));
        }
        message.extend(self.distinct.map(|distinct| counted(distinct, "distinct text", "distinct texts")));
        message.extend(self.slowest.first().map(|slow| {
            let url = slow.url.as_deref().map(|url| format!(" ({url})")).unwrap_or_default();
            format!("slowest: {:.1} ms, {}{url}", slow.seconds * 1000.0, slow.name)
        }));
        message
    }

    fn of_class(&self, class: Class) -> BTreeMap<String, u64> {
        let is_of = |kind: &str| FindingKind::ALL.iter().any(|known| known.as_str() == kind && known.class() == class);
        let counts = self.losses.counts.iter().filter(|(kind, _)| is_of(kind));
        counts.map(|(kind, &count)| (kind.clone(), count)).collect()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, kind: &str) {
    match counts.get_mut(kind) {
        Some(sum) => add(sum, 1),
        None => drop(counts.insert(kind.to_owned(), 1)),
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// Octets as people read them.
#[allow(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
pub(crate) fn octets(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} octets"),
        10_000..=9_999_999 => format!("{:.1} kB", count as f64 / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
