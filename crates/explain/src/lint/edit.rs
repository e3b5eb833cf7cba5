//! [`Edit`]: lines of a file, and what to write instead.
//!
//! Invariant: an edit replaces whole logical lines. All other bytes of the file stay, with their line ends. The comment
//! of a line is kept. Without a safe way to write the new text there is no edit.

use std::num::NonZeroU32;

use robosieve::lines::{FileLines, LogicalLine};
use robosieve_printable::is_shown;

use super::field_text;

/// Lines to write instead of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Edit {
    /// The first line that is replaced, from 1.
    pub first: u32,
    /// The last line that is replaced.
    pub last: u32,
    /// The new lines, without line ends. None to delete the lines. No line has a control character.
    pub lines: Vec<String>,
}

impl Edit {
    /// Replaces the fields of a line. Its comment stays after the last of them.
    pub(super) fn of_line(line: &LogicalLine<'_, '_>, fields: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut lines: Vec<String> = fields.into_iter().collect();
        match (comment(line)?, lines.last_mut()) {
            ("", _) => {}
            (comment, Some(last)) if comment.starts_with('#') => *last = format!("{last}  {comment}"),
            (comment, Some(last)) => last.push_str(comment),
            (comment, None) => lines.push(comment.trim_start().to_owned()),
        }
        Self::new(line, lines)
    }

    /// Replaces a line by these.
    pub(super) fn new(line: &LogicalLine<'_, '_>, lines: Vec<String>) -> Option<Self> {
        let numbers = line.numbers();
        let edit = Self { first: numbers.start().get(), last: numbers.end().get(), lines };
        edit.is_printable().then_some(edit)
    }

    /// Replaces a line by a field with this value.
    pub(super) fn of_field(line: &LogicalLine<'_, '_>, name: &str, value: &[u8]) -> Option<Self> {
        Self::of_line(line, [field_text(name, value)?])
    }

    /// Whether people see what they write: no line has a control character or a sign that is not seen.
    pub(super) fn is_printable(&self) -> bool {
        self.lines.iter().all(|line| line.chars().all(|one| one == '\t' || is_shown(one)))
    }

    /// Deletes a line. Its comment stays.
    pub(super) fn deletion(line: &LogicalLine<'_, '_>) -> Option<Self> {
        Self::of_line(line, [])
    }

    /// The bytes of a file with these edits, as UTF-8 if the file was decoded, which are of different lines and in their order. None if an edit does not
    /// fit the lines of the file.
    pub(super) fn apply<'e>(edits: impl IntoIterator<Item = &'e Self>, file: &FileLines<'_>) -> Option<Vec<u8>> {
        let input = file.text();
        let mut out = Vec::with_capacity(input.len().saturating_add(64));
        let mut from = 0;
        for edit in edits {
            let span_of = |line| file.line_at(NonZeroU32::new(line)).map(|line| line.span());
            let span = span_of(edit.first)?.start..span_of(edit.last)?.end;
            let old = input.get(span.clone())?;
            out.extend_from_slice(input.get(from..span.start)?);
            let end = end_of(old);
            // The last line of a file may have no end. The lines of an edit are then separated as the others are.
            let between = if end.is_empty() { end_of(first_line(input)) } else { end };
            let between = if between.is_empty() { b"\n" } else { between };
            for (place, line) in edit.lines.iter().enumerate() {
                out.extend_from_slice(if place == 0 { b"" } else { between });
                out.extend_from_slice(line.as_bytes());
            }
            out.extend_from_slice(if edit.lines.is_empty() { b"" } else { end });
            from = span.end;
        }
        out.extend_from_slice(input.get(from..)?);
        Some(out)
    }
}

/// The line end of a line.
fn end_of(line: &[u8]) -> &[u8] {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    line.get(text.len()..).unwrap_or_default()
}

/// The first line of a file, with its end.
fn first_line(input: &[u8]) -> &[u8] {
    let at = input.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(input.len());
    let end = if input.get(at..).is_some_and(|rest| rest.starts_with(b"\r\n")) { 2 } else { 1 };
    input.get(..at.saturating_add(end)).unwrap_or(input)
}

/// The comment of a line, with the blanks before it; empty if there is none. None if it cannot be kept: it is no text, or
/// a line that is continued has it.
fn comment<'a>(line: &LogicalLine<'a, '_>) -> Option<&'a str> {
    let mut comment = "";
    for text in line.physical() {
        if !comment.is_empty() {
            return None;
        }
        let Some(at) = text.iter().position(|byte| *byte == b'#') else { continue };
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let blanks = text.get(..at)?.iter().rev().take_while(is_blank).count();
        comment = std::str::from_utf8(text.get(at.saturating_sub(blanks)..)?).ok()?.trim_end();
    }
    Some(comment)
}
