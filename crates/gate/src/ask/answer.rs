//! The gate's answers.
//!
//! Invariant: every answer but [`Answer::Allowed`] gives the reason, and the time when it may change, if time can
//! change it.

use std::fmt;
use std::time::Duration;

use crate::decide::policy::Class;
use crate::moment::Moment;
use crate::origin::OriginError;
use crate::store_error::StoreError;

/// The answer to whether a URL may be fetched now. A later version may have other answers: none of them allows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Answer {
    /// It may, after a wait. The slot at the end of the wait belongs to the caller: one answer, one request.
    Allowed {
        /// How long to wait.
        #[serde(rename = "wait_ms", serialize_with = "millis")]
        wait: Duration,
        /// Whether this is so because robots.txt is ignored for the host, as the crawler's operator has set
        /// ([`GateCore::ignoring`](crate::GateCore::ignoring)). It was not requested.
        ignored: bool,
        /// The interval that the site asks for, if it is longer than [`Pacing::max`](crate::pace::Pacing::max) and was
        /// shortened to that.
        #[serde(rename = "shortened_ms", serialize_with = "some_millis", skip_serializing_if = "Option::is_none")]
        shortened: Option<Duration>,
    },
    /// A rule forbids it.
    Denied {
        /// The rule: `Disallow: /private`. A rule over 2,000 bytes is cut and ends with its length: `Disallow: /aaa...
        /// (9000 bytes)`.
        rule: String,
        /// Its line in the stored text, which [`SiteReport::contents`](crate::decide::SiteReport::contents) shows.
        line: u32,
    },
    /// The whole site is closed, because of the status of its robots.txt or because it can't be reached.
    Closed {
        /// The status; `None` if no server answered.
        status: Option<u16>,
        /// The number of consecutive failures; 0 if a status closed the site.
        failures: u32,
        /// When robots.txt will be requested again.
        until: Moment,
    },
    /// It may not be fetched now, but a later call may allow it.
    NotNow {
        /// When to call again.
        until: Moment,
        /// The reason.
        why: Why,
    },
}

/// The reason of [`Answer::NotNow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// The site can't be reached.
    Unreachable {
        /// The class of the last attempt.
        class: Class,
        /// The number of consecutive failures.
        failures: u32,
    },
    /// The policy disqualifies the site until the next attempt.
    Disqualified {
        /// The class of the last attempt.
        class: Class,
        /// The number of consecutive failures.
        failures: u32,
    },
    /// The site failed too often. It is now requested rarely.
    GivenUp {
        /// The number of consecutive failures.
        failures: u32,
    },
    /// The host's next slot is later. Only [`GateCore::start`](crate::GateCore::start) says this.
    Pace,
    /// The wait for this host would be longer than [`Pacing::max_wait`](crate::pace::Pacing::max_wait).
    Queue,
    /// The host takes no requests until then, as it said with `Retry-After`.
    Held,
}

impl Why {
    /// The name of the reason, as in JSON.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Disqualified { .. } => "disqualified",
            Self::GivenUp { .. } => "given-up",
            Self::Pace => "pace",
            Self::Queue => "queue",
            Self::Held => "held",
        }
    }

    /// The number of consecutive failures, if they are the reason.
    #[must_use]
    pub const fn failures(&self) -> Option<u32> {
        match self {
            Self::Unreachable { failures, .. } | Self::Disqualified { failures, .. } | Self::GivenUp { failures } => {
                Some(*failures)
            }
            Self::Pace | Self::Queue | Self::Held => None,
        }
    }
}

impl Answer {
    /// The same answer, where robots.txt is ignored.
    pub(crate) fn where_ignored(self) -> Self {
        match self {
            Self::Allowed { wait, shortened, .. } => Self::Allowed { wait, ignored: true, shortened },
            answer => answer,
        }
    }

    /// The name of the answer, as in JSON.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Allowed { .. } => "allowed",
            Self::Denied { .. } => "denied",
            Self::Closed { .. } => "closed",
            Self::NotNow { .. } => "not-now",
        }
    }

    /// When a refusal that time can change may change: [`Moment::NEVER`] for one that somebody has to lift.
    #[must_use]
    pub const fn until(&self) -> Option<Moment> {
        match self {
            Self::Allowed { .. } | Self::Denied { .. } => None,
            Self::Closed { until, .. } | Self::NotNow { until, .. } => Some(*until),
        }
    }

    /// Whether the answer is [`Answer::Allowed`], with or without a wait.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed { wait, ignored, shortened } => {
                f.write_str("allowed")?;
                if !wait.is_zero() {
                    write!(f, " after {} ms", wait.as_millis())?;
                }
                if let Some(asks) = shortened {
                    write!(f, " (the site asks for {} s between two requests)", asks.as_secs_f64())?;
                }
                if *ignored { f.write_str(" (robots.txt is ignored for this host)") } else { Ok(()) }
            }
            Self::Denied { rule, line } => write!(f, "denied by line {line}, {rule}"),
            Self::Closed { status, failures, .. } => {
                match status {
                    Some(status) => write!(f, "closed: robots.txt returned status {status}")?,
                    None => f.write_str("closed: no server answered for robots.txt")?,
                }
                if *failures == 0 { Ok(()) } else { write!(f, " (failures in a row: {failures})") }
            }
            Self::NotNow { why, .. } => write!(f, "not now: {why}"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { class, failures } => {
                write!(f, "robots.txt unreachable ({class}; failures in a row: {failures})")
            }
            Self::Disqualified { class, failures } => {
                write!(f, "the site is disqualified until the next attempt ({class}; failures in a row: {failures})")
            }
            Self::GivenUp { failures } => write!(f, "the site is disqualified after {failures} failures in a row"),
            Self::Pace => f.write_str("the host's next slot is later"),
            Self::Queue => f.write_str("too many requests wait for this host"),
            Self::Held => f.write_str("the host takes no requests until then, as it said"),
        }
    }
}

pub(super) fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[allow(clippy::ref_option, reason = "serde calls it so")]
pub(super) fn some_millis<S: serde::Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    millis(&duration.unwrap_or_default(), serializer)
}

/// The error of a call that has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum GateError {
    /// The URL is not one that can have a robots.txt.
    Url(OriginError),
    /// The store failed. The gate keeps what was retrieved nevertheless, so the next call does not retrieve again.
    Store(StoreError),
    /// The site could not be asked, because of trouble on our side: no file descriptor, no name server, no route. This
    /// says nothing about the site, and nothing is stored.
    NotAsked {
        /// The reason, for people.
        why: String,
        /// When to call again.
        until: Moment,
    },
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::NotAsked { why, .. } => write!(f, "the site could not be asked: {why}"),
        }
    }
}

impl std::error::Error for GateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Url(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::NotAsked { .. } => None,
        }
    }
}

impl From<OriginError> for GateError {
    fn from(error: OriginError) -> Self {
        Self::Url(error)
    }
}

impl From<StoreError> for GateError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
