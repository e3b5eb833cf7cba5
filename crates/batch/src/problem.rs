//! Why there is no text or answer.
//!
//! Invariant: the kind is stable, for programs. The message is for people and may change.

use std::fmt;

use robosieve::report::Finding;
use robosieve::settings::{ConfigError, Refused};
use robosieve_ask::BadRequest;
use serde::Serialize;

/// The reason why there is no text or answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// A stable name for programs, as `bad-record`.
    pub kind: &'static str,
    /// A message for people. It may quote input, so it must be escaped for a terminal.
    pub message: String,
    /// The finding that made the options refuse a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), finding: None }
    }

    /// `bad-request`: the line is JSON, but it is not a request that can be answered.
    pub fn request(message: impl Into<String>) -> Self {
        Self::new("bad-request", message)
    }

    /// `bad-option`: an option is unknown, has no such value, or does nothing here.
    pub fn option(message: impl Into<String>) -> Self {
        Self::new("bad-option", message)
    }

    /// `refused`: the caller's options refuse the file.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new("refused", message)
    }

    /// `bad-url`: the value to test is not a URL.
    pub fn url(message: impl Into<String>) -> Self {
        Self::new("bad-url", message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<BadRequest> for Problem {
    fn from(bad: BadRequest) -> Self {
        Self::new(bad.kind, bad.message)
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        Self::option(error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self { finding: Some(refused.finding), ..Self::refused(refused.to_string()) }
    }
}
