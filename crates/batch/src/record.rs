//! What an item came to: the line of the output. README.md documents the fields.
//!
//! Invariant: an item that is not skipped gives one record; the text stands last in its line, so that it can be left out of a
//! line that is made already.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use robosieve::Report;
use robosieve::report::InputKind;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::{self, Id};
use crate::printable::{hex, name_of};
use crate::who::Who;

/// What an item came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
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
    /// The options say to refuse it: a limit cost the file something, or it has findings that are to fail.
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
            Self::AllowAll => "allow-all",
            Self::DisallowAll => "disallow-all",
            Self::Redirect => "redirect",
            Self::NotModified => "not-modified",
            Self::Revisit => "revisit",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Whether the file could not be used.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Refused | Self::Failed)
    }
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// A stable name for machines, as `bad-record`.
    pub kind: &'static str,
    /// For people. It may quote what was read: a message for a terminal has to be escaped.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What an item came to.
///
/// `Serialize` gives all fields but the text; [`Record::line`] has that, too.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Record {
    pub(crate) v: u8,
    pub(crate) id: Option<Box<RawValue>>,
    /// The input that the item comes from, in printable ASCII.
    #[serde(serialize_with = "shared")]
    pub source: Arc<str>,
    /// The number of the record or line in that input, counted from 1; none for a file that is one item.
    #[serde(rename = "record")]
    pub number: Option<u64>,
    /// Where the file comes from, as the request or the archive says.
    pub url: Option<String>,
    /// When it was retrieved, as the request or the archive says.
    pub time: Option<String>,
    /// The HTTP status that it came with.
    pub status: Option<u16>,
    /// What it came to.
    pub outcome: Outcome,
    /// Why there is no text, where the outcome is a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// Where a redirect leads; the URL that a revisit refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Why the file is not whole, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<&'static str>,
    /// Bytes of the file, unpacked, as far as it was read.
    pub bytes: Option<usize>,
    /// What the file looks like; none where no file was filtered.
    pub input: Option<InputKind>,
    /// How many findings are suspects; none where no file was filtered.
    pub suspects: Option<u64>,
    /// The file that the text is written to, in a directory of texts.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped")]
    pub file: Option<PathBuf>,
    /// The text and what is said of it, where there is one.
    #[serde(flatten)]
    pub policy: Option<Policy>,
}

/// What a text says, and what it cost.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Policy {
    /// Which group answered.
    #[serde(flatten)]
    pub who: Who,
    /// Whether the text answers every URL as the file does, and the file is whole.
    pub exact: bool,
    /// What was found in the file.
    pub report: Report,
    /// The URLs of its sitemaps.
    pub sitemaps: Vec<String>,
    /// The crawl delay in seconds.
    pub crawl_delay: Option<f64>,
    /// SHA-256 of the text.
    #[serde(rename = "hash", serialize_with = "hash")]
    pub digest: [u8; 32],
    /// The canonical text.
    #[serde(skip)]
    pub text: String,
}

fn shared<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

#[allow(clippy::ref_option, reason = "serde has it so")]
fn escaped<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(name_of).serialize(serializer)
}

fn hash<S: Serializer>(digest: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("sha256:{}", hex(digest)))
}

impl Record {
    /// One of which nothing is known yet but where it comes from.
    pub(crate) const fn new(source: Arc<str>, number: Option<u64>) -> Self {
        Self {
            v: 1,
            id: None,
            source,
            number,
            url: None,
            time: None,
            status: None,
            outcome: Outcome::Failed,
            error: None,
            location: None,
            truncated: None,
            bytes: None,
            input: None,
            suspects: None,
            file: None,
            policy: None,
        }
    }

    /// The same item, which failed.
    #[must_use]
    pub(crate) fn failed(mut self, kind: &'static str, message: impl Into<String>) -> Self {
        self.fail(kind, message);
        self
    }

    /// Says that the item failed, and nothing of what it came to before.
    pub(crate) fn fail(&mut self, kind: &'static str, message: impl Into<String>) {
        let fresh = Self::new(Arc::clone(&self.source), self.number);
        let Self { id, url, time, status, .. } = std::mem::replace(self, fresh);
        (self.id, self.url, self.time, self.status) = (id, url, time, status);
        self.error = Some(Problem { kind, message: message.into() });
    }

    pub(crate) fn set_id(&mut self, id: Option<Id<'_>>) {
        self.id = id.map(Id::into_raw);
    }

    /// The `id` of a line of NDJSON, as it was written: any JSON value.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref().map(RawValue::get)
    }

    /// The input and the number in it, as messages name the record: `a.warc:7`.
    #[must_use]
    pub fn name(&self) -> String {
        self.number.map_or_else(|| self.source.to_string(), |number| format!("{}:{number}", self.source))
    }

    /// The record as a line of JSON, with the text and the line's end. It is printable ASCII.
    ///
    /// # Errors
    /// None that is known: writing to memory does not fail.
    pub fn line(&self) -> io::Result<Vec<u8>> {
        Ok(Line::new(self, true)?.bytes)
    }
}

/// The line of a record.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    /// Where the text begins in it; its end, if there is none.
    text_at: usize,
}

impl Line {
    /// Makes the line, with the text or for a file of its own.
    pub(crate) fn new(record: &Record, has_text: bool) -> io::Result<Self> {
        let mut bytes = json::line(record)?;
        let text_at = bytes.len().saturating_sub(2);
        if let Some(policy) = record.policy.as_ref().filter(|_| has_text) {
            bytes.truncate(text_at);
            bytes.extend_from_slice(b",\"text\":");
            push_text(&mut bytes, &policy.text);
            bytes.extend_from_slice(b"}\n");
        }
        Ok(Self { bytes, text_at })
    }

    /// The same line without the text, which an earlier one has.
    pub(crate) fn without_text(&self) -> Vec<u8> {
        let mut line = self.bytes.get(..self.text_at).unwrap_or_default().to_vec();
        line.extend_from_slice(b",\"text\":null}\n");
        line
    }
}

/// Adds a canonical text as JSON. That is printable ASCII and line ends, so three bytes are all there is to be escaped, but
/// for CR; the serializer would look at each byte alone.
fn push_text(line: &mut Vec<u8>, text: &str) {
    line.reserve(text.len().saturating_add(64));
    line.push(b'"');
    let mut rest = text.as_bytes();
    while let Some((plain, behind)) = memchr::memchr3(b'\n', b'"', b'\\', rest).and_then(|at| rest.split_at_checked(at))
    {
        push_plain(line, plain);
        let Some((byte, behind)) = behind.split_first() else { break };
        line.extend_from_slice(match byte {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.record]
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
