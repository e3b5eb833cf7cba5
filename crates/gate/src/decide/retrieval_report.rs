//! The retrieval report: how a retrieval went, for programs.
//!
//! Invariant: it has the bytes of the body only as a number.

use serde::Serialize;

use crate::decide::Class;
use crate::retrieve::{Cut, Outcome, Retrieval};

/// A retrieval report, which is JSON. Its moments are milliseconds since 1970.
#[derive(Debug, Serialize)]
pub struct RetrievalReport<'r> {
    origin: String,
    user_agent: &'r str,
    outcome: Outcome,
    class: Class,
    cut: Option<Cut>,
    status: Option<u16>,
    redirects: &'r [String],
    error: Option<&'r str>,
    requests: usize,
    fresh_for_s: Option<u64>,
    retry_after_s: Option<u64>,
    began: u64,
    took_ms: u64,
    bytes: usize,
}

impl<'r> RetrievalReport<'r> {
    /// Reports a retrieval that sent this `User-Agent`.
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
