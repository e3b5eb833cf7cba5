//! Why there is no text or answer.
//!
//! Invariant: the kind is stable, for programs. The message is for people: it names the option, and says what to write
//! instead. No body is an error.

use std::fmt;

use robosieve::report::Finding;
use robosieve::settings::Refused;
use serde::Serialize;

/// The reason why there is no text or answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// A stable name for programs, as `bad-record`.
    pub kind: &'static str,
    /// A message for people. It may quote input, so it must be escaped for a terminal.
    pub message: String,
    /// The finding that made the options refuse a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// Whether an option exists and its value has the right type, but there is no such value.
    #[serde(skip)]
    pub is_value: bool,
}

impl Problem {
    /// A problem of this kind.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), finding: None, is_value: false }
    }

    /// `bad-request`: the line is JSON, but it is not a request that can be answered.
    pub fn request(message: impl Into<String>) -> Self {
        Self::new("bad-request", message)
    }

    /// `bad-option`: an option is unknown, has another type, or does nothing here.
    pub fn option(message: impl Into<String>) -> Self {
        Self::new("bad-option", message)
    }

    /// `bad-option`, too: there is no such value.
    pub fn value(message: impl Into<String>) -> Self {
        Self { is_value: true, ..Self::option(message) }
    }

    /// `refused`: the caller's options refuse the file.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new("refused", message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self { finding: Some(refused.finding), ..Self::refused(refused.to_string()) }
    }
}
