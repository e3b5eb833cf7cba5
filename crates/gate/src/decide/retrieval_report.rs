//! The retrieval report: how a retrieval went, for programs.
//!
//! Invariant: it has every attempt, and the bytes of the body only as a number.

use serde::Serialize;

use crate::decide::policy::Class;
use crate::retrieve::retrieval::{Attempt, AttemptEnd, Cut, Outcome, Retrieval};

/// A retrieval report. In JSON, moments are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RetrievalReport<'r> {
    /// The site.
    pub origin: String,
    /// The `User-Agent` that was sent.
    pub user_agent: &'r str,
    /// The outcome.
    pub outcome: Outcome,
    /// The class of the response.
    pub class: Class,
    /// What cut the body, if anything did.
    pub cut: Option<Cut>,
    /// The status; `None` without a response.
    pub status: Option<u16>,
    /// The targets of the redirects, in order.
    pub redirects: &'r [String],
    /// Every attempt, in order.
    pub attempts: Vec<AttemptReport>,
    /// How long the response may be kept, in seconds.
    pub fresh_for_s: Option<u64>,
    /// The time until the server wants the next request, in seconds.
    pub retry_after_s: Option<u64>,
    /// When it began.
    pub began: u64,
    /// The milliseconds that it took.
    pub took_ms: u64,
    /// The number of bytes of the body.
    pub bytes: usize,
}

/// One attempt: a status, an error, both if the response counts as none, or why it was not made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AttemptReport {
    /// The address; `None` if the look-up failed.
    pub address: Option<String>,
    /// The status of the response.
    pub status: Option<u16>,
    /// Why there was no response, or why it counts as none.
    pub error: Option<String>,
    /// Whether the error was trouble on our side.
    #[serde(skip_serializing_if = "is_false")]
    pub own_trouble: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl<'r> RetrievalReport<'r> {
    /// Reports a retrieval that sent this `User-Agent`.
    #[must_use]
    pub fn new(retrieval: &'r Retrieval, user_agent: &'r str) -> Self {
        Self {
            origin: retrieval.origin.to_string(),
            user_agent,
            outcome: retrieval.outcome,
            class: Class::of(retrieval),
            cut: retrieval.cut,
            status: retrieval.status,
            redirects: &retrieval.redirects,
            attempts: retrieval.attempts.iter().map(AttemptReport::new).collect(),
            fresh_for_s: retrieval.fresh_for.map(|duration| duration.as_secs()),
            retry_after_s: retrieval.retry_after.map(|duration| duration.as_secs()),
            began: retrieval.began.as_millis(),
            took_ms: u64::try_from(retrieval.ended.since(retrieval.began).as_millis()).unwrap_or(u64::MAX),
            bytes: retrieval.body.len(),
        }
    }
}

impl AttemptReport {
    /// Reports an attempt.
    #[must_use]
    pub fn new(attempt: &Attempt) -> Self {
        let address = attempt.address.map(|address| address.to_string());
        let (status, error, own_trouble) = match &attempt.end {
            AttemptEnd::Status(status) => (Some(*status), None, false),
            AttemptEnd::NoAnswer { status, why } => (Some(*status), Some(why.clone()), false),
            AttemptEnd::Failed(why) => (None, Some(why.clone()), false),
            AttemptEnd::NotAsked(why) => (None, Some(why.clone()), true),
        };
        Self { address, status, error, own_trouble }
    }

    /// How it ended, for people.
    #[must_use]
    pub fn words(&self) -> String {
        match (self.status, self.error.as_deref()) {
            (Some(status), Some(why)) => format!("status {status}, which is no answer: {why}"),
            (Some(status), None) => format!("status {status}"),
            (None, Some(why)) if self.own_trouble => format!("not asked: {why}"),
            (None, why) => why.unwrap_or_default().to_owned(),
        }
    }
}
