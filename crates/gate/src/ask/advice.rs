//! What to do about a URL, in the words that all languages use: `go`, `wait`, `no`, `fetch`.
//!
//! Invariant: `go` is [`Answer::Allowed`] and nothing else. Trouble on our side is `no`.

use std::time::Duration;

use url::Url;

use crate::ask::answer::{Answer, GateError, Why, millis, some_millis};
use crate::ask::errand::Todo;
use crate::ask::gate_core::GateCore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::retriever::Request;

/// What the caller does next, for callers in other languages. Serialised, times are milliseconds.
///
/// ```
/// use robosieve_gate::{Answer, Moment};
/// use robosieve_gate::ask::Advice;
/// let answer = Answer::Denied { rule: "Disallow: /private".into(), line: 2 };
/// let advice = Advice::of_answer(&answer, Moment::from_millis(0));
/// assert_eq!((advice.action, advice.reason, advice.line), ("no", "rule", Some(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Advice {
    /// `go`: fetch the page after the wait. `wait`: ask again after it. `no`: do not fetch it. `fetch`: request
    /// robots.txt at `request` after the wait, and say what came.
    pub action: &'static str,
    /// How long to wait first.
    #[serde(rename = "wait_ms", serialize_with = "millis")]
    pub wait: Duration,
    /// `allowed`, `ignored` (robots.txt is, for this host), `rule`, `closed`, a name of [`Why`], `retrieving`,
    /// `learnt`, `robots-txt`, `not-asked` or `store` (trouble on our side), or `not-a-url`.
    pub reason: &'static str,
    /// The reason for people.
    pub why: String,
    /// The rule that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The line of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The URL as a client sends it, in the form in which it was tested: fetch this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The status that closed the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When another answer is possible.
    #[serde(rename = "until_ms", skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// The number of consecutive failures, if they are the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
    /// The interval that the site asks for, if it is over the longest one.
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

impl Wanted {
    fn new(request: &Request) -> Self {
        let lines = [("If-None-Match", request.held.etag()), ("If-Modified-Since", request.held.last_modified())];
        let headers = lines.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))).collect();
        Self { url: request.url.as_str().to_owned(), headers }
    }
}

/// A URL as a client sends it: in its normal form, without fragment, user and password.
fn target_of(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_fragment(None);
    // Fails for URLs without a host only, which have no answer.
    let (_, _) = (url.set_username(""), url.set_password(None));
    Some(url.into())
}

/// 50 ms: between two looks at a retrieval that another caller makes. Our choice.
const LOOK: Duration = Duration::from_millis(50);

impl Advice {
    fn new(action: &'static str, wait: Duration, reason: &'static str, why: impl Into<String>) -> Self {
        let why = why.into();
        let (rule, line, target, status, until) = (None, None, None, None, None);
        let (failures, asks, error, attempts, request) = (None, None, None, 0, None);
        Self { action, wait, reason, why, rule, line, target, status, until, failures, asks, error, attempts, request }
    }

    fn no(reason: &'static str, why: impl Into<String>, until: Option<Moment>) -> Self {
        Self { until, ..Self::new("no", Duration::ZERO, reason, why) }
    }

    /// What is given is no URL.
    #[must_use]
    pub fn no_url(why: &str) -> Self {
        Self::no("not-a-url", why, None)
    }

    /// An answer.
    #[must_use]
    pub fn of_answer(answer: &Answer, now: Moment) -> Self {
        let words = answer.to_string();
        match answer {
            Answer::Allowed { wait, ignored, shortened } => {
                let reason = if *ignored { "ignored" } else { "allowed" };
                Self { asks: *shortened, ..Self::new("go", *wait, reason, words) }
            }
            Answer::Denied { rule, line } => {
                Self { rule: Some(rule.clone()), line: Some(*line), ..Self::no("rule", words, None) }
            }
            Answer::Closed { status, failures, until } => {
                Self { status: *status, failures: Some(*failures), ..Self::no("closed", words, Some(*until)) }
            }
            Answer::NotNow { until, why: why @ (Why::Pace | Why::Queue | Why::Held) } => {
                let until_then = Self::no(why.as_str(), words, Some(*until));
                Self { action: "wait", wait: until.since(now), ..until_then }
            }
            Answer::NotNow { until, why } => {
                Self { failures: why.failures(), ..Self::no(why.as_str(), words, Some(*until)) }
            }
        }
    }

    /// An answer of this core about a URL, with how the site's last retrieval ended, if it failed.
    #[must_use]
    pub fn about(core: &GateCore, url: &str, answer: &Answer, now: Moment) -> Self {
        let attempts = Origin::of(url).ok().and_then(|origin| core.failed_attempts(&origin).ok()).unwrap_or_default();
        let error = attempts.last().map(|last| last.end.words());
        Self { error, attempts: attempts.len(), target: target_of(url), ..Self::of_answer(answer, now) }
    }

    /// An error: nothing is known, so nothing is allowed. `option` is the name of the caller's option that allows private
    /// addresses.
    #[must_use]
    pub fn of_error(error: &GateError, option: &str, now: Moment) -> Self {
        match error {
            GateError::Url(why) => Self::no_url(&why.to_string()),
            GateError::NotAsked { why, until } => {
                let is_allowed_by_it = why.starts_with(AddressGuard::REFUSED)
                    && ["loopback", "private", "not a public"].iter().any(|kind| why.contains(kind));
                let words = if is_allowed_by_it { format!("{error}; {option} allows it") } else { error.to_string() };
                Self { error: Some(why.clone()), ..Self::no("not-asked", words, Some(*until)) }
            }
            GateError::Store(_) => Self::no("store", error.to_string(), Some(now.after(GateCore::HOLD_OFF))),
        }
    }

    /// Another caller retrieves the site's robots.txt.
    #[must_use]
    pub fn pending() -> Self {
        Self::new("wait", LOOK, "retrieving", "another request for its robots.txt runs")
    }

    /// The next step of a retrieval, or its end.
    #[must_use]
    pub fn of_todo(todo: &Todo) -> Self {
        match todo {
            Todo::Request { request, wait } => {
                let request = Some(Wanted::new(request));
                Self { request, ..Self::new("fetch", *wait, "robots-txt", "the site's robots.txt is due") }
            }
            Todo::Wait(wait) => {
                Self::new("wait", *wait, "turn", "the next request for its robots.txt has no turn before")
            }
            Todo::Done => Self::learnt("the site's robots.txt was retrieved"),
        }
    }

    /// The retrieval has ended: ask again.
    #[must_use]
    pub fn learnt(why: &str) -> Self {
        Self::new("wait", Duration::ZERO, "learnt", why)
    }
}
