//! What came of an item.
//!
//! Invariant: each outcome has one name, as in JSON.

use serde::{Deserialize, Serialize};

/// The result of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// The file contains the rules.
    Rules,
    /// The file is not whole, and ends before any rule for one of the agents. The text disallows everything for it.
    Incomplete,
    /// The status allows the whole site.
    AllowAll,
    /// The status disallows the whole site.
    DisallowAll,
    /// A redirect: the rules are elsewhere.
    Redirect,
    /// The status says nothing about the file: it comes later, or the request was refused.
    NoAnswer,
    /// The rules have not changed since an earlier retrieval.
    NotModified,
    /// Another record of the archive contains the rules.
    Revisit,
    /// The options refuse it: it exceeds a limit, or it has findings that are configured to fail.
    Refused,
    /// It could not be read.
    Failed,
}

impl Outcome {
    /// The name of the outcome in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Incomplete => "incomplete",
            Self::AllowAll => "allow-all",
            Self::DisallowAll => "disallow-all",
            Self::Redirect => "redirect",
            Self::NoAnswer => "no-answer",
            Self::NotModified => "not-modified",
            Self::Revisit => "revisit",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Whether the file could not be used, or its rules are not known.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Incomplete | Self::Refused | Self::Failed)
    }
}
