//! The two errors: an invalid configuration, and a file that the caller's policy refuses.
//!
//! Invariant: no input is an error by itself. Each message says what to do. It contains no byte of the input. It is
//! one harmless line, whatever the configuration contains: see [`printable`](robosieve_printable).

use alloc::string::String;
use core::fmt;

use crate::choice::UnknownName;
use crate::report::Finding;
use robosieve_printable::{escape, escape_short};

/// An invalid configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not a product token.
    ProductToken(String),
    /// Not a name for a directive.
    DirectiveName(String),
    /// A directive name that already has a meaning.
    DirectiveTaken(String),
    /// A directive name that Google's parser reads as Allow or Disallow.
    DirectiveIsRule(String),
    /// Not an absolute http or https URL.
    HttpUrl(String),
    /// Neither a URL nor a path.
    UrlPath(String),
    /// Not one of the names of a choice, such as a dialect.
    UnknownName(UnknownName),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProductToken(token) => write!(
                f,
                "\"{}\" is not a product token: write letters, digits, `_`, `-` and `.` only, as in `MyBot-Image`, or use \
                 `Agent::new` for a whole User-Agent header",
                escape(token.as_bytes())
            ),
            Self::DirectiveName(name) => {
                let name = escape(name.as_bytes());
                write!(f, "\"{name}\" is not a directive name: write letters, digits and `-` only, as in `Crawl-delay`")
            }
            Self::DirectiveTaken(name) => {
                let name = escape(name.as_bytes());
                write!(f, "the directive \"{name}\" already has a meaning: leave it out, or choose another name")
            }
            Self::DirectiveIsRule(name) => {
                let name = escape(name.as_bytes());
                write!(
                    f,
                    "the directive \"{name}\" would be a rule for Google, which reads each name that begins with `allow` or \
                     `disallow`, or with a misspelling of it, as that rule: choose another name"
                )
            }
            Self::HttpUrl(url) => {
                let url = escape(url.as_bytes());
                write!(f, "\"{url}\" is not the URL of a site: write it with its scheme, as in `https://example.com/`")
            }
            Self::UrlPath(url) => {
                let url = escape_short(url.as_bytes());
                write!(f, "\"{url}\" is no URL: write it with its scheme and host, or as a path that begins with `/`")
            }
            Self::UnknownName(unknown) => unknown.fmt(f),
        }
    }
}

impl core::error::Error for ConfigError {}

impl From<UnknownName> for ConfigError {
    fn from(unknown: UnknownName) -> Self {
        Self::UnknownName(unknown)
    }
}

/// A file that exceeds a limit, under [`OverLimit::Refuse`](crate::settings::OverLimit::Refuse). Also a file that
/// [`OverLimit::Widen`](crate::settings::OverLimit::Widen) cannot widen, because the limits leave no space for `Disallow: /`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The first loss that concerns the chosen agents.
    pub finding: Finding,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused: {}; raise the limit, or let over-limit rules be dropped or widened", self.finding)
    }
}

impl core::error::Error for Refused {}
