//! What the gate says.
//!
//! Invariant: an answer that is no "yes" says why, and until when if time can change it.

use std::fmt;
use std::time::Duration;

use crate::moment::Moment;
use crate::origin::OriginError;
use crate::policy::Class;
use crate::store::StoreError;

/// May this URL be fetched now?
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// It may, after a wait. The slot at its end is the asker's: one answer, one request.
    Allowed {
        /// How long to wait.
        #[serde(rename = "wait_ms", serialize_with = "millis")]
        wait: Duration,
    },
    /// A rule forbids it.
    Denied {
        /// The rule: `Disallow: /private`.
        rule: String,
        /// Its line in the text that is remembered, which [`SiteReport::contents`](crate::SiteReport::contents) shows.
        line: u32,
    },
    /// The site is closed, whatever the URL, by how its robots.txt was answered, or since it can't be reached.
    Closed {
        /// The status; none if nobody answered.
        status: Option<u16>,
        /// How many attempts have failed in a row: none if it is closed by what it answered.
        failures: u32,
        /// When the site will be asked again.
        until: Moment,
    },
    /// It is not known, or not the time for it.
    NotNow {
        /// When to ask again.
        until: Moment,
        /// Why.
        why: Why,
    },
}

/// Why something may not be fetched now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Why {
    /// The site can't be reached.
    Unreachable {
        /// What came of the last attempt.
        class: Class,
        /// How many have failed in a row.
        failures: u32,
    },
    /// The policy disqualifies the site for the time being.
    Disqualified {
        /// What came of the last attempt.
        class: Class,
        /// How many have failed in a row.
        failures: u32,
    },
    /// The site failed too often, and is asked but rarely.
    GivenUp {
        /// How many attempts have failed in a row.
        failures: u32,
    },
    /// Others wait for this host, for longer than one may be told to wait.
    Queue,
    /// Too many other hosts are waited for.
    Crowded,
}

impl Answer {
    /// Whether it is yes, be it after a wait.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed { wait } if wait.is_zero() => f.write_str("allowed"),
            Self::Allowed { wait } => write!(f, "allowed after {} ms", wait.as_millis()),
            Self::Denied { rule, line } => write!(f, "denied by line {line}, {rule}"),
            Self::Closed { status, failures, .. } => {
                match status {
                    Some(status) => write!(f, "closed: robots.txt was answered with status {status}")?,
                    None => f.write_str("closed: robots.txt was not answered")?,
                }
                if *failures == 0 { Ok(()) } else { write!(f, " ({failures} in a row could not be used)") }
            }
            Self::NotNow { why, .. } => write!(f, "not now: {why}"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { class, failures } => {
                write!(f, "robots.txt can't be reached ({class}; {failures} in a row)")
            }
            Self::Disqualified { class, failures } => {
                write!(f, "the site is disqualified for the time being ({class}; {failures} in a row)")
            }
            Self::GivenUp { failures } => write!(f, "the site is disqualified after {failures} failures in a row"),
            Self::Queue => f.write_str("too many requests wait for this host"),
            Self::Crowded => f.write_str("requests wait for too many hosts"),
        }
    }
}

fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// Why there is no answer.
#[derive(Debug)]
pub enum GateError {
    /// The URL has no robots.txt.
    Url(OriginError),
    /// The store failed. What was retrieved is known to this gate nevertheless, so that asking again does not retrieve again.
    Store(StoreError),
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Url(error) => Some(error),
            Self::Store(error) => Some(error),
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
