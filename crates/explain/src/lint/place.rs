//! Where on its line a lint is.
//!
//! Invariant: columns are within the physical line, and the end is not before the start.

use std::ops::Range;

use robosieve::lines::LogicalLine;

/// A part of a physical line: the columns of its first byte and after its last byte, from 1, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Columns {
    /// The column of the first byte.
    pub start: usize,
    /// The column after the last byte.
    pub end: usize,
}

impl Columns {
    /// The bytes of the line, from 0.
    #[must_use]
    pub fn bytes(self) -> Range<usize> {
        self.start.saturating_sub(1)..self.end.saturating_sub(1)
    }

    /// Of the first physical line: the `name` of its field, its `value`, or all of the `line` without the blanks around it.
    /// The value is where the physical line has it, or else its name is meant. A line without a name is meant as a whole.
    pub(super) fn of(place: &str, line: &LogicalLine<'_, '_>) -> Self {
        let text = line.physical().next().unwrap_or_default();
        let name = if place == "line" { None } else { name(text, line) };
        let bytes = match name {
            None => {
                let start = text.len().saturating_sub(text.trim_ascii_start().len());
                start..text.trim_ascii_end().len().max(start)
            }
            Some(name) if place == "name" => name,
            Some(name) => {
                let after = text.get(name.end..).unwrap_or_default().trim_ascii_start();
                let after = after.strip_prefix(b":").unwrap_or(after).trim_ascii_start();
                let start = text.len().saturating_sub(after.len());
                let value = line.value().unwrap_or_default();
                // A continued value has another part on the next line.
                let length = if after.starts_with(value) { value.len() } else { after.trim_ascii_end().len() };
                if length == 0 { name } else { start..start.saturating_add(length) }
            }
        };
        Self { start: bytes.start.saturating_add(1), end: bytes.end.saturating_add(1) }
    }
}

/// Where the name of a field is.
fn name(text: &[u8], line: &LogicalLine<'_, '_>) -> Option<Range<usize>> {
    let name = line.name()?;
    // Only blanks and a byte order mark are before it.
    let start = text.windows(name.len().max(1)).position(|window| name == window)?;
    Some(start..start.saturating_add(name.len()))
}
