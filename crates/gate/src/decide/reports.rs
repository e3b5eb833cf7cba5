//! The site report: what is known of a site, for people who ask why it is not crawled (the IBM crawler's documentation,
//! "site report"); and the retrieval report: how a retrieval went, for programs.
//!
//! Invariant: a report is made from a site record or a retrieval. Making one retrieves nothing. Of a body it has the
//! length.

use std::sync::Arc;

use robosieve::Agents;
use robosieve::records::{RecordSet, Rule, RuleKind};
use robosieve::verdict::SiteAccess;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::decide::{Class, Lifetimes, Policy, Reader, Ruling, SiteRecord, Standing};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::{Outcome, Retrieval};

/// A site report. In JSON, moments are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteReport {
    /// The site.
    pub origin: String,
    /// The reader's key.
    pub reader: String,
    /// The state now.
    pub standing: Standing,
    /// Whether robots.txt will be requested before anything else is fetched.
    pub is_due: bool,
    /// When robots.txt was last requested, successfully or not.
    pub last_attempt: Option<Moment>,
    /// When it will be requested again; `None`: never, until it is cleared.
    pub next_attempt: Option<Moment>,
    /// The number of consecutive failures.
    pub failures: u32,
    /// When the first of these failures was.
    pub failing_since: Option<Moment>,
    /// The outcome of the last attempt.
    pub outcome: Option<Outcome>,
    /// The status of the last attempt.
    pub status: Option<u16>,
    /// The class of the last attempt.
    pub class: Option<Class>,
    /// The policy's ruling on the last attempt.
    pub verdict: Option<Ruling>,
    /// How the last retrieval ended, if it failed, for people.
    pub error: Option<Arc<str>>,
    /// The canonical text of the last good copy; empty if it is not by rules that the site is open or closed.
    pub contents: Option<String>,
    /// The crawl delay in that copy for this reader, in seconds.
    pub crawl_delay: Option<f64>,
    /// The sitemaps in that copy.
    pub sitemaps: Vec<String>,
    /// The report on that copy.
    pub report: Option<serde_json::Value>,
    /// When that copy was retrieved.
    pub retrieved: Option<Moment>,
    /// The end of its cache life.
    pub good_until: Option<Moment>,
    /// Until when the host takes no requests, as it said with `Retry-After`. The JSON has it only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_until: Option<Moment>,
}

/// The groups of a stored text, in which any reader's agents are written as `*`.
fn records(text: &str) -> RecordSet<'static> {
    Reader::new(Agents::default()).records(text)
}

/// A rule of a site for the crawler that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRule {
    /// The path, with `*` and `$`.
    pub path: String,
    /// Whether it allows.
    pub allow: bool,
}

impl SiteReport {
    /// The rules for this reader in the last good copy, in order of precedence: of those that match a URL, the first
    /// decides.
    pub fn rules(&self) -> Vec<SiteRule> {
        let set = records(self.contents.as_deref().unwrap_or_default());
        let rule_of = |rule: &Rule<'_>| SiteRule {
            path: String::from_utf8_lossy(rule.pattern().as_bytes()).into_owned(),
            allow: rule.kind() == RuleKind::Allow,
        };
        set.records().flat_map(|record| record.rules_by_precedence()).map(rule_of).collect()
    }

    /// Makes the report from a site record.
    pub fn of(
        origin: &Origin,
        reader: &str,
        record: &SiteRecord,
        now: Moment,
        policy: &Policy,
        lifetimes: &Lifetimes,
    ) -> Self {
        let (last, kept) = (record.last.as_ref(), record.snapshot.as_ref());
        // A text that came with an answer by which no rules count is not what the site asks for.
        let text = kept.map(|kept| if kept.access == SiteAccess::Rules { &*kept.text } else { "" });
        let said = text.map(records);
        let delay = said.as_ref().and_then(|set| {
            let delays = set.records().filter_map(|record| record.crawl_delay());
            delays.map(|delay| delay.as_duration()).max()
        });
        let sitemaps = said.map(|set| set.sitemaps().iter().map(ToString::to_string).collect());
        Self {
            origin: origin.to_string(),
            reader: reader.to_owned(),
            standing: record.standing_anew(now, policy, lifetimes),
            is_due: record.is_due(now, policy, lifetimes),
            last_attempt: last.map(|last| last.at),
            next_attempt: Some(record.next_attempt).filter(|next| *next < Moment::NEVER),
            failures: record.failures,
            failing_since: record.failing_since,
            outcome: last.map(|last| last.outcome),
            status: last.and_then(|last| last.status),
            class: last.map(|last| last.class),
            verdict: last.map(|last| last.ruling),
            error: record.error.clone(),
            crawl_delay: delay.map(|delay| delay.as_secs_f64()),
            sitemaps: sitemaps.unwrap_or_default(),
            contents: text.map(str::to_owned),
            report: kept.and_then(|kept| serde_json::from_str(&kept.report).ok()),
            retrieved: kept.map(|kept| kept.at),
            good_until: kept.map(|kept| kept.good_until),
            held_until: None,
        }
    }
}

/// A retrieval report, which is JSON. Its moments are milliseconds since 1970.
#[derive(Debug)]
pub struct RetrievalReport<'r> {
    retrieval: &'r Retrieval,
    user_agent: &'r str,
}

impl<'r> RetrievalReport<'r> {
    /// Reports a retrieval that sent this `User-Agent`.
    pub const fn new(retrieval: &'r Retrieval, user_agent: &'r str) -> Self {
        Self { retrieval, user_agent }
    }
}

impl Serialize for RetrievalReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = self.retrieval;
        let took = of.ended.since(of.began).as_millis();
        let mut fields = serializer.serialize_struct("RetrievalReport", 14)?;
        fields.serialize_field("origin", &of.origin.to_string())?;
        fields.serialize_field("user_agent", self.user_agent)?;
        fields.serialize_field("outcome", &of.outcome)?;
        fields.serialize_field("class", &Class::of(of))?;
        fields.serialize_field("cut", &of.cut)?;
        fields.serialize_field("status", &of.status)?;
        fields.serialize_field("redirects", &of.redirects)?;
        fields.serialize_field("error", &of.error)?;
        fields.serialize_field("requests", &of.requests)?;
        fields.serialize_field("fresh_for_s", &of.fresh_for.map(|time| time.as_secs()))?;
        fields.serialize_field("retry_after_s", &of.retry_after.map(|time| time.as_secs()))?;
        fields.serialize_field("began", &of.began)?;
        fields.serialize_field("took_ms", &u64::try_from(took).unwrap_or(u64::MAX))?;
        fields.serialize_field("bytes", &of.body.len())?;
        fields.end()
    }
}
