//! What is known of a site, for people who wonder why it is not crawled (the IBM crawler's documentation, "site report").
//!
//! Invariant: a report is read from a record; making one retrieves nothing.

use serde::Serialize;

use crate::lifetimes::Lifetimes;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::policy::{Class, Policy, Ruling};
use crate::retrieval::Outcome;
use crate::site::{SiteRecord, Standing};

/// A site report. Moments are milliseconds since 1970 when serialised.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub origin: String,
    /// The key of the reader for whom it is.
    pub reader: String,
    /// What holds now.
    pub standing: StandingName,
    /// Whether the site will be asked before anything else is fetched.
    pub is_due: bool,
    /// When robots.txt was last asked for, whatever came of it.
    pub last_attempt: Option<Moment>,
    /// When it will be asked for again.
    pub next_attempt: Moment,
    /// How many attempts have failed in a row.
    pub failures: u32,
    /// Since when.
    pub failing_since: Option<Moment>,
    /// What the last attempt showed.
    pub outcome: Option<Outcome>,
    /// The status of its answer.
    pub status: Option<u16>,
    /// Its class.
    pub class: Option<Class>,
    /// What the policy made of it.
    pub verdict: Option<Ruling>,
    /// The canonical text of the last good copy.
    pub contents: Option<String>,
    /// The report on that copy.
    pub report: Option<serde_json::Value>,
    /// When that copy was retrieved.
    pub retrieved: Option<Moment>,
    /// The end of its cache life.
    pub good_until: Option<Moment>,
}

/// What holds for a site, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StandingName {
    /// It was never asked.
    Unknown,
    /// What it says.
    Fresh,
    /// What it said before it could not be reached any more.
    Stale,
    /// Open, since it can't be reached.
    OpenMeanwhile,
    /// Closed, since it can't be reached.
    ClosedMeanwhile,
    /// Not known, since it can't be reached.
    Unreachable,
    /// Disqualified for the time being.
    Disqualified,
    /// Disqualified after too many failures.
    GivenUp,
}

impl From<Standing<'_>> for StandingName {
    fn from(standing: Standing<'_>) -> Self {
        match standing {
            Standing::Unknown => Self::Unknown,
            Standing::Said { is_stale: false, .. } => Self::Fresh,
            Standing::Said { is_stale: true, .. } => Self::Stale,
            Standing::Meanwhile(true) => Self::OpenMeanwhile,
            Standing::Meanwhile(false) => Self::ClosedMeanwhile,
            Standing::Unreachable => Self::Unreachable,
            Standing::Disqualified => Self::Disqualified,
            Standing::GivenUp => Self::GivenUp,
        }
    }
}

impl SiteReport {
    /// The report on a record.
    #[must_use]
    pub fn of(
        origin: &Origin,
        reader: &str,
        record: &SiteRecord,
        now: Moment,
        policy: &Policy,
        lifetimes: &Lifetimes,
    ) -> Self {
        let (last, kept) = (record.last.as_ref(), record.snapshot.as_ref());
        Self {
            origin: origin.to_string(),
            reader: reader.to_owned(),
            standing: record.standing(now, policy, lifetimes).into(),
            is_due: record.is_due(now, policy),
            last_attempt: last.map(|last| last.at),
            next_attempt: record.next_attempt,
            failures: record.failures,
            failing_since: record.failing_since,
            outcome: last.map(|last| last.outcome),
            status: last.and_then(|last| last.status),
            class: last.map(|last| last.class),
            verdict: last.map(|last| last.ruling),
            contents: kept.map(|kept| kept.text.to_string()),
            report: kept.and_then(|kept| serde_json::from_str(&kept.report).ok()),
            retrieved: kept.map(|kept| kept.at),
            good_until: kept.map(|kept| kept.good_until),
        }
    }
}
