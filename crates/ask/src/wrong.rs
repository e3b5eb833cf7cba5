//! Why there is no answer.
//!
//! Invariant: the message names the option, and says what to write instead. No body is an error.

use std::fmt;

use robosieve::settings::Refused;

/// What is wrong. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WrongKind {
    /// There is no such option, or its value has another type.
    Type = 1,
    /// There is no such value.
    Value = 2,
    /// The options refuse the file.
    Refused = 3,
}

/// Why there is no answer: an option that cannot be taken, or a file that the options refuse.
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

impl From<Refused> for Wrong {
    fn from(refused: Refused) -> Self {
        Self { kind: WrongKind::Refused, message: refused.to_string() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Wrong {}
