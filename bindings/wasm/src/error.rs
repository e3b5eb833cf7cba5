//! Errors of a call.
//!
//! Invariant: a message says what to do. No body is an error.

use robosieve::{ConfigError, Refused};

/// Which error JavaScript throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// `TypeError`: something is missing.
    Type = 1,
    /// `RangeError`: a value does not exist.
    Range = 2,
    /// `Refused`: the options refuse the file.
    Refused = 3,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: Kind,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self { kind: Kind::Type, message: message.into() }
    }

    pub(crate) fn value(name: &str, error: &ConfigError) -> Self {
        Self { kind: Kind::Range, message: format!("{name}: {error}") }
    }

    pub(crate) fn range(message: impl Into<String>) -> Self {
        Self { kind: Kind::Range, message: message.into() }
    }
}

impl From<Refused> for Wrong {
    fn from(refused: Refused) -> Self {
        Self { kind: Kind::Refused, message: refused.to_string() }
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Self { kind: Kind::Range, message: error.to_string() }
    }
}
