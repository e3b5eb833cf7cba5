//! Columns in characters, as editors count them.
//!
//! Invariant: a line is counted once, however many lints it has.

use robosieve_explain::{Lint, Linted};

/// The bytes between two marks.
const STEP: usize = 256;

/// The characters of the line that was asked for last.
#[derive(Default)]
pub(super) struct Characters {
    line: u32,
    /// The number of characters before each step.
    marks: Vec<usize>,
}

impl Characters {
    /// The columns of a lint, from 1: that of its first character, and that after its last.
    pub(super) fn of(&mut self, lint: &Lint, linted: &Linted<'_>) -> (usize, usize) {
        let bytes = lint.columns.bytes();
        let source = self.read(lint.line, linted);
        (self.column(source, bytes.start), self.column(source, bytes.end))
    }

    /// The column after the last character of a line.
    pub(super) fn last(&mut self, line: u32, linted: &Linted<'_>) -> usize {
        let source = self.read(line, linted);
        self.column(source, source.len())
    }

    fn read<'a>(&mut self, line: u32, linted: &'a Linted<'_>) -> &'a [u8] {
        let source = linted.line(line);
        if self.line != line || self.marks.is_empty() {
            let mut before: usize = 0;
            self.line = line;
            self.marks.clear();
            self.marks.push(0);
            for step in source.chunks(STEP) {
                before = before.saturating_add(begun(step));
                self.marks.push(before);
            }
        }
        source
    }

    fn column(&self, source: &[u8], end: usize) -> usize {
        let end = end.min(source.len());
        let step = end.div_euclid(STEP);
        let before = self.marks.get(step).copied().unwrap_or_default();
        let rest = source.get(step.saturating_mul(STEP)..end).map_or(0, begun);
        before.saturating_add(rest).saturating_add(1)
    }
}

/// The number of characters that begin in these bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xBF)).count()
}
