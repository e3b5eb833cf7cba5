//! The two ways in which a call can fail: a bad configuration, and a file that the caller's policy refuses.
//!
//! Invariant: no input fails. Each message says what to do about it, holds nothing of the input, and is printable ASCII on one
//! line, whatever the configuration holds.

use alloc::string::String;
use core::fmt;

use crate::report::Finding;

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not a product token.
    ProductToken(String),
    /// Not a name for a directive.
    DirectiveName(String),
    /// The directive's name has a meaning already.
    DirectiveTaken(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProductToken(token) => write!(
                f,
                "\"{}\" is no product token: write letters, digits, `_`, `-` and `.` only, as in `MyBot-Image`, or use \
                 `Agent::from_header` for a whole User-Agent header",
                token.escape_default()
            ),
            Self::DirectiveName(name) => {
                let name = name.escape_default();
                write!(f, "\"{name}\" is no directive name: write letters, digits and `-` only, as in `Crawl-delay`")
            }
            Self::DirectiveTaken(name) => {
                let name = name.escape_default();
                write!(f, "the directive \"{name}\" has a meaning already: leave it out, or choose another name")
            }
        }
    }
}

impl core::error::Error for ConfigError {}

/// A file lost something to a limit, and [`OverLimit::Refuse`](crate::OverLimit::Refuse) was asked for; or
/// [`OverLimit::Widen`](crate::OverLimit::Widen) was, with limits that leave no room for `Disallow: /`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The first loss that the chosen agents meet.
    pub finding: Finding,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused: {}; raise the limit, or let over-limit rules be dropped or widened", self.finding)
    }
}

impl core::error::Error for Refused {}
