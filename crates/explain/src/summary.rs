//! What an answer says about the whole file.
//!
//! Invariant: a file that was not read has no loss and no kind.

use robosieve::Report;
use robosieve::report::InputKind;

/// Whether anything was lost, how many suspects there are, and what the file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FileSummary {
    /// Whether no loss has an effect. False for a file that is refused.
    pub exact: bool,
    /// The number of suspects.
    pub suspects: u64,
    /// What the file looks like. None if no file was read.
    pub input: Option<InputKind>,
}

impl FileSummary {
    /// By the report of a file.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        Self { exact: report.is_exact(), suspects: report.suspects(), input: Some(report.input()) }
    }

    /// Of an answer for which no file was read.
    pub const NO_FILE: Self = Self { exact: true, suspects: 0, input: None };
}
