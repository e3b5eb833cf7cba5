//! What came of one attempt to learn a site's rules: the seam between the network's side and the memory's side.
//!
//! Invariant: whatever the hops were, all of it belongs to the origin first asked.

use std::net::SocketAddr;
use std::time::Duration;

use robosieve::{Effect, Finding, FindingKind, Report, Sieved};

use crate::moment::Moment;
use crate::origin::Origin;

/// What a retrieval showed, before a policy says what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A successful answer, whole.
    Rules,
    /// The server says that there is no file: 400, 404 or 410.
    NoRules,
    /// Any other status below 500: the file is there or not, it is not to be had.
    Unavailable,
    /// No answer at all, or none below 500.
    Unreachable,
    /// A successful answer that was cut; [`Retrieval::cut`] says by whom.
    Truncated,
}

/// Who cut a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// We did: more came than [`RetrievalLimits::max_bytes`](crate::RetrievalLimits::max_bytes). What is here is the file's beginning,
    /// and as much of it as we wanted.
    AtCap,
    /// Somebody else did: the connection, the decoder, the time, or a server that says itself that this is a part. What is missing may
    /// be nearly all of the file, so that its rules are not to be taken for all there are.
    Early,
}

/// One retrieval, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// Whose rules they are.
    pub origin: Origin,
    /// What it showed.
    pub outcome: Outcome,
    /// Who cut the body, if it was [`Outcome::Truncated`]; none otherwise.
    pub cut: Option<Cut>,
    /// The status of the answer that counted; none if there was no answer.
    pub status: Option<u16>,
    /// The decoded body of a successful answer, up to the cap; empty otherwise.
    pub body: Vec<u8>,
    /// Where redirects led, in order.
    pub redirects: Vec<String>,
    /// For how long the answer says that it may be kept: `Cache-Control`, or else `Expires`; zero for `no-store` and `no-cache`.
    pub fresh_for: Option<Duration>,
    /// After what time the server wants to be asked again: `Retry-After`.
    pub retry_after: Option<Duration>,
    /// Every address that was tried, in order.
    pub attempts: Vec<Attempt>,
    /// When it began.
    pub began: Moment,
    /// When it ended.
    pub ended: Moment,
}

impl Retrieval {
    /// The body, as far as it may be read: of one that was cut without its last line, unless that has an end. Half a rule is another
    /// rule.
    #[must_use]
    pub fn whole_lines(&self) -> &[u8] {
        if self.outcome != Outcome::Truncated {
            return &self.body;
        }
        let is_end = |octet: &u8| matches!(octet, b'\n' | b'\r');
        let end = self.body.iter().rposition(is_end).map_or(0, |at| at.saturating_add(1));
        self.body.get(..end).unwrap_or_default()
    }

    /// The report on these lines, once they are read, with what was cut off behind them: it may say anything.
    #[must_use]
    pub fn report(&self, sieved: &Sieved<'_>) -> Report {
        let mut report = sieved.report().clone();
        if self.outcome == Outcome::Truncated && report.count(FindingKind::InputCut) == 0 {
            let line = next_line(self.whole_lines());
            report.push(Finding { line, kind: FindingKind::InputCut, effect: Effect::Either });
        }
        report
    }
}

/// One try at one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Whom; none when the name could not be resolved.
    pub address: Option<SocketAddr>,
    /// How it ended.
    pub end: AttemptEnd,
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// With this status.
    Status(u16),
    /// Without one: what failed, for people.
    Failed(String),
}

/// The number of the line behind these whole ones, where a CRLF ends one line.
fn next_line(lines: &[u8]) -> u32 {
    let ends = |(at, octet): (usize, &u8)| match octet {
        b'\n' => true,
        b'\r' => lines.get(at.saturating_add(1)) != Some(&b'\n'),
        _ => false,
    };
    let count = lines.iter().enumerate().filter(|&place| ends(place)).count();
    u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1)
}
