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

    fn of(bytes: Range<usize>) -> Self {
        Self { start: bytes.start.saturating_add(1), end: bytes.end.saturating_add(1) }
    }

    /// All of the first physical line, without the blanks around it.
    pub(super) fn of_line(line: &LogicalLine<'_, '_>) -> Self {
        let text = first(line);
        let start = text.len().saturating_sub(text.trim_ascii_start().len());
        Self::of(start..text.trim_ascii_end().len().max(start))
    }

    /// The name of a field, or all of the line.
    pub(super) fn of_name(line: &LogicalLine<'_, '_>) -> Self {
        name(line).map_or_else(|| Self::of_line(line), Self::of)
    }

    /// The value of a field, where the first physical line has it. Otherwise its name, or all of the line.
    pub(super) fn of_value(line: &LogicalLine<'_, '_>) -> Self {
        let Some(name) = name(line) else { return Self::of_line(line) };
        let text = first(line);
        let after = text.get(name.end..).unwrap_or_default().trim_ascii_start();
        let after = after.strip_prefix(b":").unwrap_or(after).trim_ascii_start();
        let start = text.len().saturating_sub(after.len());
        let value = line.value().unwrap_or_default();
        // A continued value has another part on the next line.
        let length = if after.starts_with(value) { value.len() } else { after.trim_ascii_end().len() };
        if length == 0 { Self::of(name) } else { Self::of(start..start.saturating_add(length)) }
    }
}

/// The first physical line.
fn first<'a>(line: &LogicalLine<'a, '_>) -> &'a [u8] {
    line.physical().next().unwrap_or_default()
}

/// Where the name of a field is.
fn name(line: &LogicalLine<'_, '_>) -> Option<Range<usize>> {
    let name = line.name()?;
    // Only blanks and a byte order mark are before it.
    let start = first(line).windows(name.len().max(1)).position(|window| name == window)?;
    Some(start..start.saturating_add(name.len()))
}
