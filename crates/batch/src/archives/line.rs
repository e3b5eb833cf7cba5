//! The line of a record.
//!
//! Invariant: it is the record as its `Serialize` writes it, then the text. It is printable ASCII. At most
//! [`MOST_SPARE`] buffers of lines are kept, of at most [`LARGEST_ROWS`] or [`LARGEST_LINE`] bytes each.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::record::Record;
use crate::json;

/// The number of buffers that are kept. Our choice: the items of four chunks.
const MOST_SPARE: usize = 256;
/// The size of a buffer of rows that is kept. Our choice: the rows of a file for 1,000 crawlers have half a megabyte.
const LARGEST_ROWS: usize = 1 << 19;
/// The size of a buffer of a line that is kept. Our choice: few texts are longer.
const LARGEST_LINE: usize = 1 << 16;

/// Memory of rows and lines that were written, for the next ones: they are made by one thread and written by another,
/// and memory that goes from one to the other costs more than the rows.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// An empty buffer for a line.
pub(crate) fn buffer() -> Vec<u8> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}

/// The line of a record.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    /// Whether it is rows.
    pub(crate) is_rows: bool,
}

impl Line {
    /// Makes the line, with the text or without it; or takes the rows.
    pub(crate) fn new(record: &mut Record, has_text: bool) -> io::Result<Self> {
        if let Some(bytes) = record.rows.take() {
            return Ok(Self { bytes, is_rows: true });
        }
        Self::of(record, has_text)
    }

    pub(super) fn of(record: &Record, has_text: bool) -> io::Result<Self> {
        let mut bytes = buffer();
        json::write(&mut bytes, record)?;
        // The brace at the end comes after the text.
        bytes.pop();
        if let Some(policy) = record.policy.as_ref().filter(|_| has_text) {
            bytes.extend_from_slice(b",\"text\":");
            push_text(&mut bytes, &policy.text);
        }
        bytes.extend_from_slice(b"}\n");
        Ok(Self { bytes, is_rows: false })
    }

    /// Gives back the memory of a line that was written.
    pub(crate) fn spare(self) {
        let (mut buffer, largest) = (self.bytes, if self.is_rows { LARGEST_ROWS } else { LARGEST_LINE });
        if buffer.capacity() > 0 && buffer.capacity() <= largest {
            buffer.clear();
            let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.len() < MOST_SPARE {
                spare.push(buffer);
            }
        }
    }
}

/// Adds a canonical text as JSON. The text is printable ASCII with line ends, so only LF, `"`, `\` and CR must be
/// escaped. The serializer would check each byte separately.
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

/// A CR occurs only before an LF.
fn push_plain(line: &mut Vec<u8>, plain: &[u8]) {
    match plain.strip_suffix(b"\r") {
        Some(front) => {
            line.extend_from_slice(front);
            line.extend_from_slice(b"\\r");
        }
        None => line.extend_from_slice(plain),
    }
}

impl Record {
    /// The record as a line of JSON, with the text and the line end. It is printable ASCII.
    ///
    /// # Errors
    /// None are known: writing to memory does not fail.
    pub fn line(&self) -> io::Result<Vec<u8>> {
        Ok(Line::of(self, true)?.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Filter, Items};

    /// [batch.record]
    #[test]
    fn texts_are_written_as_json_strings() {
        for text in
            ["", "\n", "User-agent: *\nDisallow: /\"a\\b\"\n", "Disallow: /x\r\nAllow: /\r\n", "\\\"\\", "no end"]
        {
            let mut line = Vec::new();
            push_text(&mut line, text);
            assert_eq!(serde_json::from_slice::<String>(&line).ok().as_deref(), Some(text));
        }
    }

    /// [batch.record]
    #[test]
    fn lines_are_those_of_the_serializer() {
        let lines = [
            r#"{"id":{"a":["\u00e9"]},"robots":"User-agent: *\nDisallow: /x\nSitemap: /s","url":"https://e.com/robots.txt","time":"now"}"#,
            r#"{"id":null,"robots":"User-agent: MyBot\nCrawl-delay: 2.5\nDisalow: /é\"","url":"a\"\\\u0007\u202eé"}"#,
            r#"{"robots":"User-agent: Googlebot\nDisallow: /","truncated":true,"status":200}"#,
            r#"{"status":301,"location":"https://e.com/\u00e9\"","url":""}"#,
            r#"{"status":404}"#,
            r#"{"status":503}"#,
            r#"{"status":304}"#,
            r#"{"robots":"<html>"}"#,
            r#"{"robots":1}"#,
            "nonsense\u{1b}",
        ]
        .join("\n");
        for filter in [
            Filter::new(["MyBot"]),
            Filter::new(["Googlebot-News"]),
            Filter::all_agents(),
            Filter::new(["MyBot"]).urls(["/x", "/\""]).unwrap_or_else(|_| Filter::all_agents()),
        ] {
            let mut count = 0;
            for item in Items::new("a\u{e9}\".ndjson", std::io::Cursor::new(lines.clone())) {
                let Some(mut record) = filter.run(item).into_record() else { continue };
                for file in [None, Some(PathBuf::from("a/\"\u{e9}"))] {
                    record.file = file;
                    let expected = json::line(&record).unwrap_or_default();
                    let line = Line::of(&record, false).unwrap_or_default();
                    assert_eq!(String::from_utf8_lossy(&line.bytes), String::from_utf8_lossy(&expected));
                    count += 1;
                }
            }
            assert_eq!(count, 20);
        }
    }
}
