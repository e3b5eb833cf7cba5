//! The result of an item: one line of the output. README.md documents the fields.
//!
//! Invariant: every item that is not skipped gives one record. Each outcome has one name, as in JSON. The text is the last
//! field of its line.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use robosieve::report::{InputKind, Report};
use robosieve_ask::Problem;
use robosieve_explain::{Tested, Who};
use robosieve_printable::name_of;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::{self, Id};

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

/// The result of an item.
///
/// `Serialize` writes all fields except the text. [`Record::line`] also writes the text.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Record {
    pub(crate) v: u8,
    pub(crate) id: Option<Box<RawValue>>,
    /// The input that the item comes from, escaped: see [`robosieve_printable`].
    pub source: Arc<str>,
    /// The number of the record or line in that input, from 1. None for a file that is one item.
    #[serde(rename = "record")]
    pub number: Option<u64>,
    /// The URL of the file, from the request or the archive.
    pub url: Option<String>,
    /// The time of its retrieval, from the request or the archive.
    pub time: Option<String>,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// The result.
    pub outcome: Outcome,
    /// Why there is no text, if the outcome is a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// The target of a redirect, or the URL that a revisit refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The media type that the response states, in small letters.
    #[serde(skip)]
    pub mime: Option<String>,
    /// Why the file is incomplete, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<&'static str>,
    /// The size of the unpacked file in bytes, as far as it was read.
    pub bytes: Option<usize>,
    /// What the file looks like. None if no file was filtered.
    pub input: Option<InputKind>,
    /// The number of suspects. None if no file was filtered.
    pub suspects: Option<u64>,
    /// The file that the text is written to, if texts go to a directory.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped")]
    pub file: Option<PathBuf>,
    /// The rows of the file, if a [`Table`](crate::Table) is made instead of texts.
    #[serde(skip)]
    pub rows: Option<Vec<u8>>,
    /// The text and its properties, if there is a text.
    #[serde(flatten)]
    pub policy: Option<Policy>,
    /// The answers to the URLs of [`Filter::urls`](crate::Filter::urls), if the rules are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Tested>>,
}

/// A text and its properties.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Policy {
    /// Which group applies.
    #[serde(flatten)]
    pub who: Who,
    /// Whether the text gives the same answer as the file for every URL, and the file is complete.
    pub exact: bool,
    /// The findings in the file.
    pub report: Report,
    /// The URLs of its sitemaps.
    pub sitemaps: Vec<String>,
    /// The crawl delay in seconds. None if all agents are kept: each group has its own.
    pub crawl_delay: Option<f64>,
    /// SHA-256 of the text.
    #[serde(rename = "hash", serialize_with = "hash")]
    pub digest: [u8; 32],
    /// The canonical text.
    #[serde(skip)]
    pub text: String,
    /// The size of the text in bytes, also after it went into a line.
    #[serde(skip)]
    pub(crate) size: usize,
}

#[allow(clippy::ref_option, reason = "serde has it so")]
fn escaped<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(name_of).serialize(serializer)
}

fn hash<S: Serializer>(digest: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("sha256:{}", HEXLOWER.encode(digest)))
}

impl Record {
    /// The record as a line of JSON, with the text and the line end. It is printable ASCII.
    ///
    /// # Errors
    /// None are known: writing to memory does not fail.
    pub fn line(&self) -> io::Result<Vec<u8>> {
        let line = json::line(self)?;
        match &self.policy {
            Some(policy) => json::with_text(line, &policy.text),
            None => Ok(line),
        }
    }

    /// A record with only the source.
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
            mime: None,
            truncated: None,
            bytes: None,
            input: None,
            suspects: None,
            file: None,
            rows: None,
            policy: None,
            results: None,
        }
    }

    /// The same item with this error.
    #[must_use]
    pub(crate) fn failed(mut self, kind: &'static str, message: impl Into<String>) -> Self {
        self.fail(kind, message);
        self
    }

    /// Sets this error and removes all earlier results.
    pub(crate) fn fail(&mut self, kind: &'static str, message: impl Into<String>) {
        let fresh = Self::new(Arc::clone(&self.source), self.number);
        let Self { id, url, time, status, mime, .. } = std::mem::replace(self, fresh);
        (self.id, self.url, self.time, self.status, self.mime) = (id, url, time, status, mime);
        self.error = Some(Problem::new(kind, message.into()));
    }

    pub(crate) fn set_id(&mut self, id: Option<Id<'_>>) {
        self.id = id.map(Id::into_raw);
    }

    /// The `id` of a line of NDJSON, as it was written: any JSON value.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref().map(RawValue::get)
    }

    /// The input and the number in it, as in messages: `a.warc:7`.
    #[must_use]
    pub fn name(&self) -> String {
        self.number.map_or_else(|| self.source.to_string(), |number| format!("{}:{number}", self.source))
    }
}
