//! The gate's answer: one struct and one JSON, for all languages and for the command.
//!
//! Invariant: `go` is given only for a URL that may be fetched. Every other answer says why, and when that may change,
//! if time can change it. Trouble on our side is `no`.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use robosieve::verdict::SiteAccess;
use robosieve_printable::escape_at_most;
use serde::Serialize as _;
use url::Url;

use crate::decide::{Class, SiteRecord, Snapshot};
use crate::error::Error;
use crate::moment::Moment;
use crate::retrieve::{AddressGuard, Request};

/// What the caller does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Fetch the page after the wait. The slot at its end is the caller's: one answer, one request.
    Go,
    /// Ask again after the wait.
    Wait,
    /// Do not fetch it.
    #[default]
    No,
    /// Request robots.txt at the request's URL after the wait, and say what came.
    Fetch,
}

/// The name, as in JSON.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The answer to whether a URL may be fetched. Serialised, times are milliseconds. As text, it is the reason for
/// people.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
#[must_use]
pub struct Answer {
    /// What to do.
    pub action: Action,
    /// How long to wait first.
    #[serde(rename = "wait_ms", serialize_with = "millis")]
    pub wait: Duration,
    /// `allowed`; `ignored` (robots.txt is, for this host); `rule`; `closed`; `unreachable`; `disqualified`;
    /// `given-up`; `pace` (the host's next slot is later); `queue` (too many wait for the host); `held` (the host said
    /// so with `Retry-After`); `retrieving`, `learnt` and `robots-txt` (of a retrieval); `not-asked` and `store`
    /// (trouble on our side); `not-a-url`.
    pub reason: &'static str,
    /// The reason for people.
    pub why: String,
    /// The rule that forbids it: `Disallow: /private`. A rule over 2,000 bytes is cut and ends with its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The line of the rule in the text that is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The URL as a client sends it, in the form in which it was tested: fetch this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The status that closed the site, or by which no rules count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The kind of answer that closed the site, or by which no rules count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// When another answer is possible: [`Moment::NEVER`] if somebody has to lift it.
    #[serde(rename = "until_ms", skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// The number of consecutive failures, if they are the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
    /// The interval that the site asks for, if it is over the longest one and was shortened to that.
    #[serde(rename = "asks_ms", serialize_with = "some_millis", skip_serializing_if = "Option::is_none")]
    pub asks: Option<Duration>,
    /// How the last retrieval of the site's robots.txt ended, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many requests that retrieval made; 0 if it did not fail.
    pub attempts: usize,
    /// The request of a `fetch`: its URL, and the header lines that make it conditional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Wanted>,
}

/// A request for robots.txt that the caller makes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Wanted {
    /// Its URL.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
}

/// The bytes of a rule in an answer. A file may have a rule as long as the whole file, and each URL has an answer.
const SHOWN: usize = 2_000;

impl Answer {
    fn new(action: Action, wait: Duration, reason: &'static str, why: impl Into<String>) -> Self {
        Self { action, wait, reason, why: why.into(), ..Self::default() }
    }

    fn no(reason: &'static str, why: impl Into<String>, until: Option<Moment>) -> Self {
        Self { until, ..Self::new(Action::No, Duration::ZERO, reason, why) }
    }

    /// It may be fetched.
    pub(super) fn go(wait: Duration) -> Self {
        let why = if wait.is_zero() { "allowed".into() } else { format!("allowed after {} ms", wait.as_millis()) };
        Self::new(Action::Go, wait, "allowed", why)
    }

    /// The same, where robots.txt is ignored.
    pub(super) fn where_ignored(self) -> Self {
        if !self.is_allowed() {
            return self;
        }
        Self { reason: "ignored", ..self.adding("robots.txt is ignored for this host") }
    }

    /// The same, where the site asks for a longer interval than it gets.
    pub(super) fn where_asked(self, asks: Option<Duration>) -> Self {
        let Some(time) = asks.filter(|_| self.is_allowed()) else { return self };
        let words = format!("the site asks for {} s between two requests", time.as_secs_f64());
        Self { asks, ..self.adding(&words) }
    }

    /// The same, where no rules count by what the site said.
    pub(super) fn where_open(self, snapshot: &Snapshot, class: Option<Class>) -> Self {
        if !self.is_allowed() || snapshot.access != SiteAccess::AllowAll {
            return self;
        }
        let words = match (snapshot.status, class) {
            (Some(status), _) if !(200..=299).contains(&status) => format!("no rules: status {status}"),
            (_, Some(class)) => format!("no rules: {class}"),
            _ => "no rules".into(),
        };
        Self { status: snapshot.status, class, ..self.adding(&words) }
    }

    fn adding(self, words: &str) -> Self {
        Self { why: format!("{} ({words})", self.why), ..self }
    }

    /// A rule forbids it.
    pub(super) fn denied(rule: &[u8], line: Option<NonZeroU32>) -> Self {
        // The text in a store may have been changed by hand.
        let text = escape_at_most(rule, SHOWN);
        let at = line.map_or_else(String::new, |line| format!(" by line {line}"));
        let why = format!("denied{at}, {text}");
        Self { rule: Some(text), line: line.map(NonZeroU32::get), ..Self::no("rule", why, None) }
    }

    /// The whole site is closed, because of the status of its robots.txt or because it can't be reached.
    pub(super) fn closed(status: Option<u16>, failures: u32, until: Moment) -> Self {
        let why = status.map_or_else(
            || "closed: no server answered for robots.txt".to_owned(),
            |status| format!("closed: robots.txt returned status {status}"),
        );
        let answer = Self { status, failures: Some(failures), ..Self::no("closed", why, Some(until)) };
        if failures == 0 { answer } else { answer.adding(&format!("failures in a row: {failures}")) }
    }

    /// The site is not asked before that, and so nothing is fetched.
    pub(super) fn kept_out(reason: &'static str, class: Class, failures: u32, until: Moment) -> Self {
        let why = match reason {
            "unreachable" => format!("not now: robots.txt unreachable ({class}; failures in a row: {failures})"),
            "given-up" => format!("not now: the site is disqualified after {failures} failures in a row"),
            _ => format!(
                "not now: the site is disqualified until the next attempt ({class}; failures in a row: {failures})"
            ),
        };
        Self { failures: Some(failures), class: Some(class), ..Self::no(reason, why, Some(until)) }
    }

    /// There is no slot before that: `pace`, `queue` or `held`.
    pub(super) fn not_before(until: Moment, reason: &'static str, now: Moment) -> Self {
        let why = match reason {
            "pace" => "not now: the host's next slot is later",
            "queue" => "not now: too many requests wait for this host",
            _ => "not now: the host takes no requests until then, as it said",
        };
        Self { action: Action::Wait, wait: until.since(now), ..Self::no(reason, why, Some(until)) }
    }

    /// The same for who asks later: the wait is shorter.
    pub(super) fn at(self, now: Moment) -> Self {
        let until = self.until.filter(|_| self.action == Action::Wait);
        Self { wait: until.map_or(self.wait, |until| until.since(now)), ..self }
    }

    /// The site could not be asked, because of trouble on our side: no file descriptor, no name server, no route. This
    /// says nothing about the site, and nothing is stored.
    pub(super) fn not_asked(why: &str, until: Moment) -> Self {
        let words = format!("the site could not be asked: {why}");
        Self { error: Some(why.into()), ..Self::no("not-asked", words, Some(until)) }
    }

    /// It is no URL that can have a robots.txt.
    pub fn no_url(why: &str) -> Self {
        Self::no("not-a-url", why, None)
    }

    /// An error: nothing is known, so nothing is allowed.
    pub(super) fn of_error(error: &Error, until: Moment) -> Self {
        match error {
            Error::Url(why) => Self::no_url(why),
            Error::Setting(why) | Error::Store(why) => Self::no("store", why, Some(until)),
        }
    }

    /// Somebody else retrieves the site's robots.txt, or it was just learnt.
    pub(super) fn again(wait: Duration) -> Self {
        if wait.is_zero() {
            return Self::new(Action::Wait, wait, "learnt", "the site's robots.txt was retrieved");
        }
        Self::new(Action::Wait, wait, "retrieving", "another request for its robots.txt runs")
    }

    /// The caller makes this request after the wait.
    pub(super) fn fetch(request: &Request, wait: Duration) -> Self {
        let headers = request.held.lines().map(|(name, value)| (name, value.to_owned())).collect();
        let request = Some(Wanted { url: request.url.as_str().to_owned(), headers });
        Self { request, ..Self::new(Action::Fetch, wait, "robots-txt", "the site's robots.txt is due") }
    }

    /// The same about this URL, with how the site's last retrieval ended, if it failed.
    pub(super) fn about(self, url: &Url, record: Option<&SiteRecord>) -> Self {
        let failed = record.filter(|record| record.failures > 0);
        let error = failed.and_then(|record| record.error.as_deref().map(str::to_owned));
        let attempts = failed.map_or(0, |record| record.requests);
        Self { target: Some(target_of(url.clone())), error: error.or(self.error), attempts, ..self }
    }

    /// The same, with the name of the caller's option that allows private addresses, if one was refused.
    pub fn naming(self, option: &str) -> Self {
        let is_allowed_by_it = |why: &String| {
            why.starts_with(AddressGuard::REFUSED) && ["loopback", "private"].iter().any(|kind| why.contains(kind))
        };
        if self.reason != "not-asked" || !self.error.as_ref().is_some_and(is_allowed_by_it) {
            return self;
        }
        Self { why: format!("{}; {option} allows it", self.why), ..self }
    }

    /// Whether the page may be fetched, after the wait.
    pub fn is_allowed(&self) -> bool {
        self.action == Action::Go
    }

    /// The kind of answer, as it is counted: `allowed`, `denied`, `closed`, `not-now`, `not-asked`, `store-failed` or
    /// `no-url`.
    pub fn kind(&self) -> &'static str {
        match self.reason {
            "allowed" | "ignored" => "allowed",
            "rule" => "denied",
            "closed" => "closed",
            "not-asked" => "not-asked",
            "store" => "store-failed",
            "not-a-url" => "no-url",
            _ => "not-now",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// A URL as a client sends it: in its normal form, without fragment, user and password.
fn target_of(mut url: Url) -> String {
    url.set_fragment(None);
    // Fails for URLs without a host only, which have no answer.
    let (_, _) = (url.set_username(""), url.set_password(None));
    url.into()
}

fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[allow(clippy::ref_option, reason = "serde calls it so")]
fn some_millis<S: serde::Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    millis(&duration.unwrap_or_default(), serializer)
}
