//! The result of a retrieval. The network part makes it, and the memory part reads it.
//!
//! Invariant: after any redirects, the result belongs to the origin of the first request.

use std::num::NonZeroU32;
use std::time::Duration;

use robosieve::report::{Effect, Finding, FindingKind, Report};
use robosieve::{Sieved, closed};

use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::Validators;

/// The outcome of a retrieval, before a policy decides what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A complete successful response, of any status of 2xx. Whether it is a file is not decided here: 202, 204, 205
    /// and a web page are none.
    Rules,
    /// The server says that there is no file: 400, 404 or 410.
    NoRules,
    /// Any other status below 500: the file is not available.
    Unavailable,
    /// No response, or none that counts: none has a status below 500.
    Unreachable,
    /// A successful response that was cut. [`Retrieval::cut`] has the cause.
    Truncated,
    /// 304 in answer to a conditional request: the copy that we hold is still the site's file.
    Unchanged,
    /// The site was not asked, because of trouble on our side: no file descriptor, no name server, no route. It says
    /// nothing about the site.
    NotAsked,
}

/// What cut a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Our limit: the body is longer than [`RetrievalLimits::max_bytes`](crate::retrieve::RetrievalLimits::max_bytes).
    /// We have the beginning of the file, as much as the limit allows.
    AtCap,
    /// Anything else: the connection, the decoder, the time, or a server that says that this is a part. Nearly all of
    /// the file may be missing, so its rules must not count as all the rules.
    Early,
}

/// A retrieval that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// The origin that the rules belong to.
    pub origin: Origin,
    /// The outcome.
    pub outcome: Outcome,
    /// What cut the body, if the outcome is [`Outcome::Truncated`]; otherwise `None`.
    pub cut: Option<Cut>,
    /// The status of the response that decided the outcome; `None` without a response.
    pub status: Option<u16>,
    /// The decoded body of a successful response, up to the limit; otherwise empty.
    pub body: Vec<u8>,
    /// The targets of the redirects, in order.
    pub redirects: Vec<String>,
    /// How long the response may be kept, by `Cache-Control` or else `Expires`. Zero for `no-store` and `no-cache`.
    pub fresh_for: Option<Duration>,
    /// The `Retry-After`: the time until the server wants the next request.
    pub retry_after: Option<Duration>,
    /// What identifies this version of the file in a later conditional request. Empty after a redirect, because it
    /// belongs to the target's URL.
    pub validators: Validators,
    /// The number of requests that were made or refused: the one to the site, and those to the targets of redirects.
    pub requests: usize,
    /// Why there is no answer, or why the body is not whole, for people. A status that counts needs no reason.
    pub error: Option<String>,
    /// When to begin again, if a request had no slot soon. The outcome is [`Outcome::NotAsked`] then.
    pub not_before: Option<Moment>,
    /// How long its requests waited for their slots.
    pub waited: Duration,
    /// When it began.
    pub began: Moment,
    /// When it ended.
    pub ended: Moment,
}

impl Retrieval {
    /// Creates a retrieval with this result, and without redirects and headers. It took no time.
    pub fn of(origin: Origin, outcome: Outcome, status: Option<u16>, body: impl Into<Vec<u8>>, now: Moment) -> Self {
        Self {
            origin,
            outcome,
            cut: None,
            status,
            body: body.into(),
            redirects: Vec::new(),
            fresh_for: None,
            retry_after: None,
            validators: Validators::default(),
            requests: 0,
            error: None,
            not_before: None,
            waited: Duration::ZERO,
            began: now,
            ended: now,
        }
    }

    /// How long the servers took.
    pub fn took(&self) -> Duration {
        self.ended.since(self.began).saturating_sub(self.waited)
    }

    /// Why the site was not asked: the trouble on our side.
    pub fn trouble(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| self.outcome == Outcome::NotAsked)
    }

    /// How it ended, for people.
    pub fn words(&self) -> String {
        let of_status =
            || self.status.map_or_else(|| "no reason given".to_owned(), |status| format!("status {status}"));
        self.error.clone().unwrap_or_else(of_status)
    }

    /// The part of the body that may be read. If the body was cut, its last line is left out unless it has a line end:
    /// half a rule is a different rule.
    pub fn whole_lines(&self) -> &[u8] {
        if self.outcome != Outcome::Truncated {
            return &self.body;
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let end = self.body.iter().rposition(is_end).map_or(0, |at| at.saturating_add(1));
        closed::expect(self.body.get(..end), || closed::TEXT.as_bytes())
    }

    /// The report on these lines after they were read, with a finding for the part that was cut off. That part may
    /// contain anything.
    pub fn report(&self, sieved: &Sieved<'_>) -> Report {
        let mut report = sieved.report().clone();
        let is_reported =
            [FindingKind::InputCut, FindingKind::InputIncomplete].iter().any(|&kind| report.count(kind) > 0);
        if self.outcome == Outcome::Truncated && !is_reported {
            let line = next_line(self.whole_lines());
            report.push(Finding::new(NonZeroU32::new(line), FindingKind::InputCut, Effect::Either));
        }
        report
    }
}

/// The number of the line after these whole lines. A CRLF ends one line.
fn next_line(lines: &[u8]) -> u32 {
    let ends = lines.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    let pairs = lines.windows(2).filter(|pair| *pair == b"\r\n").count();
    u32::try_from(ends.saturating_sub(pairs)).unwrap_or(u32::MAX).saturating_add(1)
}
