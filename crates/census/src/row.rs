//! A row: what is known of a file, and one of its answers.
//!
//! Invariant: a row is one line of ASCII, in which all characters can be seen. The fields are the columns, in this order,
//! and README.md has a line for each.

use robosieve_batch::{Record, json};
use robosieve_printable::escape;
use serde::Serialize;

use crate::answer::Answer;
use crate::host::{domain, host_of};

/// The length of a text of the input in a row, in bytes of the input. A longer one is left out. Our choice: the longest
/// URL that browsers and sitemaps take.
pub(crate) const MAX_TEXT: usize = 2_048;

/// A text of the input for a row. None if it is too long.
fn text(input: &str) -> Option<String> {
    (input.len() <= MAX_TEXT).then(|| escape(input.as_bytes()))
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Row<'r> {
    /// Part of the key of a file, so it is never left out.
    source: &'r str,
    record: Option<u64>,
    url: Option<String>,
    host: Option<String>,
    domain: Option<String>,
    time: Option<String>,
    http_status: Option<u16>,
    outcome: &'static str,
    location: Option<String>,
    mime: Option<String>,
    pub(crate) kind: Option<&'static str>,
    bytes: Option<usize>,
    truncated: Option<&'static str>,
    pub(crate) hash: Option<String>,
    pub(crate) agents: Vec<&'r str>,
    pub(crate) named: Option<bool>,
    pub(crate) line: Option<u32>,
    #[serde(flatten)]
    pub(crate) answer: Answer,
}

impl<'r> Row<'r> {
    /// A row with what is known of the file before it is read.
    pub(crate) fn of(record: &'r Record) -> Self {
        let url = record.url.as_deref().filter(|url| url.len() <= MAX_TEXT);
        let host = url.and_then(host_of);
        Self {
            source: &record.source,
            record: record.number,
            url: url.and_then(text),
            domain: host.as_deref().and_then(domain),
            host,
            time: record.time.as_deref().and_then(text),
            http_status: record.status,
            outcome: record.outcome.as_str(),
            location: record.location.as_deref().and_then(text),
            mime: record.mime.as_deref().and_then(text),
            bytes: record.bytes,
            truncated: record.truncated,
            ..Self::default()
        }
    }

    /// Adds the line.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        // Writing to memory does not fail.
        let _ = json::write(out, self);
        out.push(b'\n');
    }
}
