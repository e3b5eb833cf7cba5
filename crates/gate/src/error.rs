//! Why a call failed.
//!
//! Invariant: the words are for people and harmless, and no secret is in them. An error opens nothing.

use std::fmt;

use robosieve_printable::harmless;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A URL can't have a robots.txt.
    Url(&'static str),
    /// A setting can't be used: a header, a proxy, a certificate, the name of a policy.
    Setting(String),
    /// A store can't be used.
    Store(String),
}

impl Error {
    /// A call of a store failed.
    #[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
    pub fn store(why: impl ToString) -> Self {
        Self::Store(format!("the store of sites failed: {}", harmless(&why.to_string())))
    }

    pub(crate) fn setting(why: &str) -> Self {
        Self::Setting(why.to_owned())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Url(why) => why,
            Self::Setting(why) | Self::Store(why) => why,
        })
    }
}

impl std::error::Error for Error {}
