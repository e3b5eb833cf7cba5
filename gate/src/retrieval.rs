//! What came of one attempt to learn a site's rules: the seam between the network's side and the memory's side.
//!
//! Invariant: whatever the hops were, all of it belongs to the origin first asked.

use std::net::SocketAddr;
use std::time::Duration;

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
    /// A successful answer that was cut: by our cap, or by a connection that ended early.
    Truncated,
}

/// One retrieval, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// Whose rules they are.
    pub origin: Origin,
    /// What it showed.
    pub outcome: Outcome,
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
    /// Whether a body is truncated by anything but our own cap: then what is missing may be the whole file, and its rules are not
    /// to be taken for all there are.
    #[must_use]
    pub fn ended_early(&self) -> bool {
        let whole_to_the_cap =
            self.attempts.last().is_some_and(|last| matches!(last.end, AttemptEnd::Status(status) if status != 206));
        self.outcome == Outcome::Truncated && !whole_to_the_cap
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
