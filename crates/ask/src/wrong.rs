//! Why an option cannot be taken.
//!
//! Invariant: the message names the option, and says what to write instead.

use std::fmt;

/// What is wrong with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongKind {
    /// There is no such option, or its value has another type.
    Type,
    /// There is no such value.
    Value,
}

/// An option that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong with it.
    pub kind: WrongKind,
    /// What to do, for people. It may quote input, so it must be escaped for a terminal.
    pub message: String,
}

impl Wrong {
    pub(crate) fn of_type(message: String) -> Self {
        Self { kind: WrongKind::Type, message }
    }

    pub(crate) fn of_value(message: String) -> Self {
        Self { kind: WrongKind::Value, message }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Wrong {}
