//! The retrieval report: how a retrieval went, for programs.
//!
//! Invariant: it has the bytes of the body only as a number.

use serde::Serialize;

use crate::decide::Class;
use crate::retrieve::{Cut, Outcome, Retrieval};

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
    /// Why there is no answer, or why the body is not whole.
    pub error: Option<&'r str>,
    /// The number of requests.
    pub requests: usize,
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
            error: retrieval.error.as_deref(),
            requests: retrieval.requests,
            fresh_for_s: retrieval.fresh_for.map(|duration| duration.as_secs()),
            retry_after_s: retrieval.retry_after.map(|duration| duration.as_secs()),
            began: retrieval.began.as_millis(),
            took_ms: u64::try_from(retrieval.ended.since(retrieval.began).as_millis()).unwrap_or(u64::MAX),
            bytes: retrieval.body.len(),
        }
    }
}
