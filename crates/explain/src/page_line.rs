//! A physical line of a file, explained.
//!
//! Invariant: its words are those of its meaning.

use std::borrow::Cow;

use robosieve::records::RuleKind;

use crate::meaning::Meaning;
use crate::report::ExplainedFinding;
use crate::why::pattern_in_words;

/// A physical line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PageLine<'a> {
    /// Its number, from 1.
    #[cfg_attr(feature = "serde", serde(rename = "line"))]
    pub number: u32,
    /// Its bytes, without its line end, decoded if the file is UTF-16 or UTF-32. Serialised as
    /// [`escape`](robosieve_printable::escape) writes them.
    #[cfg_attr(feature = "serde", serde(rename = "text", serialize_with = "text"))]
    pub bytes: Cow<'a, [u8]>,
    /// What it means.
    pub meaning: Meaning,
    /// Whether it is in a group that applies to the agents.
    pub ours: bool,
    /// What was found on it.
    pub findings: Vec<ExplainedFinding>,
}

impl PageLine<'_> {
    /// What it means, in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        self.meaning.words()
    }

    /// The same, and of a rule that is used as it is written what its pattern matches.
    #[must_use]
    pub fn long_words(&self) -> String {
        match &self.meaning {
            Meaning::Rule { kind, pattern, as_written: true } if !pattern.is_empty() => {
                let verb = if *kind == RuleKind::Allow { "allows" } else { "disallows" };
                format!("{verb} {}", pattern_in_words(pattern.as_bytes()))
            }
            _ => self.words(),
        }
    }
}

#[cfg(feature = "serde")]
fn text<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&robosieve_printable::escape(bytes))
}
