//! One line of the output: what an item came to. cli/README.md documents the fields.
//!
//! Invariant: an item that is not skipped gives one record; the text stands last, so that it can be left out of a line that
//! is made already.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use robosieve::{Effect, Report};
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::who::Who;
use crate::{json, text};

/// What an item came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The file has the rules.
    Rules,
    /// The status opens the site.
    AllowAll,
    /// The status closes it.
    DisallowAll,
    /// The rules are elsewhere.
    Redirect,
    /// The rules are those that came before.
    NotModified,
    /// The archive holds them in another record.
    Revisit,
    /// A limit cost the file something, and --on-over-limit says to refuse it.
    Refused,
    /// It could not be read.
    Failed,
}

impl Outcome {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::AllowAll => "allow-all",
            Self::DisallowAll => "disallow-all",
            Self::Redirect => "redirect",
            Self::NotModified => "not-modified",
            Self::Revisit => "revisit",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Whether the exit code tells of it.
    pub(crate) const fn is_failure(self) -> bool {
        matches!(self, Self::Refused | Self::Failed)
    }
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

/// What is known of an item before its file is read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct About<'a> {
    pub(crate) v: u8,
    pub(crate) id: Option<Id<'a>>,
    pub(crate) source: &'a str,
    pub(crate) record: Option<u64>,
    pub(crate) url: Option<String>,
    pub(crate) time: Option<String>,
    pub(crate) status: Option<u16>,
}

/// What there is to say of it.
#[derive(Debug, Serialize)]
pub(crate) struct Body {
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<String>,
    /// Why the file is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncated: Option<&'static str>,
    /// Of the file as it was read, unpacked.
    pub(crate) octets: Option<usize>,
    /// The file that the text is written to, in the mirrored directory.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped")]
    pub(crate) file: Option<PathBuf>,
    #[serde(flatten)]
    pub(crate) found: Option<Found>,
}

#[allow(clippy::ref_option, reason = "serde has it so")]
fn escaped<S: serde::Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(text::name_of).serialize(serializer)
}

impl Body {
    pub(crate) const fn of(outcome: Outcome) -> Self {
        Self { outcome, error: None, location: None, truncated: None, octets: None, file: None, found: None }
    }

    pub(crate) fn failed(kind: &'static str, message: impl Into<String>) -> Self {
        Self { error: Some(Problem { kind, message: message.into() }), ..Self::of(Outcome::Failed) }
    }
}

/// What a text says, and what it cost.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    #[serde(flatten)]
    pub(crate) who: Who,
    pub(crate) exact: bool,
    pub(crate) report: Report,
    pub(crate) sitemaps: Vec<String>,
    /// In seconds.
    pub(crate) crawl_delay: Option<f64>,
    /// Of the text.
    pub(crate) hash: String,
    #[serde(skip)]
    pub(crate) digest: [u8; 32],
    #[serde(skip)]
    pub(crate) text: String,
}

/// A record, as it is written and counted.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) line: Vec<u8>,
    /// Where the text begins in it; its end, if there is none.
    text_at: usize,
    pub(crate) name: String,
    pub(crate) body: Body,
    pub(crate) url: Option<String>,
}

impl Rendered {
    /// Makes the line, with the text or for a file of its own.
    pub(crate) fn new(about: About<'_>, body: Body, has_text: bool) -> io::Result<Self> {
        #[derive(Serialize)]
        struct Whole<'w> {
            #[serde(flatten)]
            about: &'w About<'w>,
            #[serde(flatten)]
            body: &'w Body,
        }
        let mut line = json::line(&Whole { about: &about, body: &body })?;
        let text_at = line.len().saturating_sub(2);
        if let Some(found) = body.found.as_ref().filter(|_| has_text) {
            line.truncate(text_at);
            line.extend_from_slice(b",\"text\":");
            push_text(&mut line, &found.text);
            line.extend_from_slice(b"}\n");
        }
        let place = about.record.map(|record| format!(":{record}")).unwrap_or_default();
        Ok(Self { line, text_at, name: format!("{}{place}", about.source), body, url: about.url })
    }

    /// A record that could not be written down.
    pub(crate) fn unwritable(name: String, error: &io::Error) -> Self {
        let body = Body::failed("internal", error.to_string());
        Self { line: Vec::new(), text_at: 0, name, body, url: None }
    }

    /// The same line without the text, which an earlier one has.
    pub(crate) fn line_without_text(&self) -> Vec<u8> {
        let mut line = self.line.get(..self.text_at).unwrap_or_default().to_vec();
        line.extend_from_slice(b",\"text\":null}\n");
        line
    }
}

/// Adds a canonical text as JSON. That is printable ASCII and line ends, so three octets are all there is to be escaped, but
/// for CR; the serializer would look at each octet alone.
fn push_text(line: &mut Vec<u8>, text: &str) {
    line.reserve(text.len().saturating_add(64));
    line.push(b'"');
    let mut rest = text.as_bytes();
    while let Some((plain, behind)) = memchr::memchr3(b'\n', b'"', b'\\', rest).and_then(|at| rest.split_at_checked(at))
    {
        push_plain(line, plain);
        let Some((octet, behind)) = behind.split_first() else { break };
        line.extend_from_slice(match octet {
            b'\n' => b"\\n",
            b'"' => b"\\\"",
            _ => b"\\\\",
        });
        rest = behind;
    }
    push_plain(line, rest);
    line.push(b'"');
}

/// CR stands before a line end only.
fn push_plain(line: &mut Vec<u8>, plain: &[u8]) {
    match plain.strip_suffix(b"\r") {
        Some(front) => {
            line.extend_from_slice(front);
            line.extend_from_slice(b"\\r");
        }
        None => line.extend_from_slice(plain),
    }
}

/// Counts of losses by their direction, and of findings by their kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) more_permissive: u64,
    pub(crate) more_restrictive: u64,
    pub(crate) either: u64,
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Findings {
    pub(crate) fn add(&mut self, report: &Report) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.more_permissive, report.losses(Effect::MorePermissive));
        add(&mut self.more_restrictive, report.losses(Effect::MoreRestrictive));
        add(&mut self.either, report.losses(Effect::Either));
        for (kind, count) in report.counts() {
            match self.counts.get_mut(kind.as_str()) {
                Some(sum) => add(sum, count),
                None => drop(self.counts.insert(kind.as_str().to_owned(), count)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_json_has_them() {
        for text in
            ["", "\n", "User-agent: *\nDisallow: /\"a\\b\"\n", "Disallow: /x\r\nAllow: /\r\n", "\\\"\\", "no end"]
        {
            let mut line = Vec::new();
            push_text(&mut line, text);
            assert_eq!(serde_json::from_slice::<String>(&line).ok().as_deref(), Some(text));
        }
    }
}
