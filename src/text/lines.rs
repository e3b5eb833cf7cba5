//! The lines of a text that are neither user-agent lines nor rules, as they are written.
//!
//! Invariant: equal lines are written once, at the place of the first. A line is equal to another if both are the same
//! in the text: a name is never a part of another name, since a colon follows it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::policy::record::ExtensionLine;
use crate::policy::spelling;
use crate::syntax::bytes;

/// Lines that are to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpelledLines {
    bytes: Vec<u8>,
    lines: Vec<Range<usize>>,
}

impl SpelledLines {
    /// Adds a line in its canonical spelling. A line without one is left out.
    pub(crate) fn add(&mut self, line: &ExtensionLine<'_>) {
        let start = self.bytes.len();
        if spell(line, &mut self.bytes).is_none() {
            return self.bytes.truncate(start);
        }
        self.lines.push(start..self.bytes.len());
    }

    /// Calls the function with each line once. No lines remain.
    pub(crate) fn take_each(&mut self, mut take: impl FnMut(&[u8])) {
        let Self { bytes, lines } = self;
        if lines.len() > 1 {
            let spelled = |line: &Range<usize>| bytes::part(bytes, line.clone());
            // Compares the length first: URLs of one site have the same beginning.
            lines.sort_unstable_by(|left, right| {
                let by_text = left.len().cmp(&right.len()).then_with(|| spelled(left).cmp(spelled(right)));
                by_text.then(left.start.cmp(&right.start))
            });
            lines.dedup_by(|next, first| spelled(next) == spelled(first));
            lines.sort_unstable_by_key(|line| line.start);
        }
        lines.drain(..).for_each(|line| take(bytes::part(bytes, line)));
        bytes.clear();
    }
}

/// Appends a line in its canonical spelling, without its end. None if it has no such spelling.
pub(crate) fn spell(line: &ExtensionLine<'_>, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(&line.name);
    out.extend_from_slice(b": ");
    let value = out.len();
    spelling::spell(line.directive, &line.value, out)?;
    if out.len() == value {
        out.pop();
    }
    Some(())
}
