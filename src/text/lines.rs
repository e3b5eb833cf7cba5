//! The lines of a text that are neither user-agent lines nor rules, as they are written.
//!
//! Invariant: equal lines are written once, at the place of the first. A line is equal to another if both are the same
//! in the text: a name is never a part of another name, since a colon follows it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::policy::options::Newline;
use crate::policy::record::ExtensionLine;
use crate::policy::value;
use crate::syntax::bytes;

/// Appends lines to a text, each once, in their canonical spelling. A line without one is left out.
pub(crate) fn append(lines: &[&ExtensionLine<'_>], newline: Newline, out: &mut Vec<u8>) {
    let first = out.len();
    // A number for each line, the same for equal lines. In most files no two lines are equal, and numbers are sorted
    // faster than lines.
    let mut marks = Vec::with_capacity(if lines.len() > 1 { lines.len() } else { 0 });
    for line in lines {
        let start = out.len();
        if spell(line, out).is_none() {
            out.truncate(start);
            continue;
        }
        newline.push(out);
        if lines.len() > 1 {
            marks.push(mark(out.get(start..).unwrap_or_default()));
        }
    }
    marks.sort_unstable();
    if marks.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
        remove_repeated(first, marks.len(), out);
    }
}

/// Of so many lines from this place, removes each that is equal to one before it.
fn remove_repeated(first: usize, count: usize, out: &mut Vec<u8>) {
    let mut lines: Vec<Range<usize>> = Vec::with_capacity(count);
    let mut end = first;
    for line in bytes::part(out, first..out.len()).split_inclusive(|&byte| byte == b'\n') {
        let start = end;
        end = end.saturating_add(line.len());
        lines.push(start..end);
    }
    let spelled = |line: &Range<usize>| bytes::part(out, line.clone());
    // Compares the length first: URLs of one site have the same beginning.
    lines.sort_unstable_by(|left, right| {
        let by_text = left.len().cmp(&right.len()).then_with(|| spelled(left).cmp(spelled(right)));
        by_text.then(left.start.cmp(&right.start))
    });
    lines.dedup_by(|next, first| spelled(next) == spelled(first));
    lines.sort_unstable_by_key(|line| line.start);
    let once = lines.iter().map(spelled).collect::<Vec<_>>().concat();
    out.truncate(first);
    out.extend_from_slice(&once);
}

/// A number made of all bytes of a line, so that few different lines have the same.
fn mark(line: &[u8]) -> u64 {
    /// Odd, with bits everywhere.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = |mark: u64, eight: &[u8; 8]| (mark ^ u64::from_le_bytes(*eight)).wrapping_mul(FACTOR).rotate_left(32);
    line.as_chunks::<8>().0.iter().chain(line.last_chunk::<8>()).fold(line.len() as u64, mixed)
}

/// Appends a line in its canonical spelling, without its end. None if it has no such spelling.
fn spell(line: &ExtensionLine<'_>, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(&line.name);
    out.extend_from_slice(b": ");
    let value = out.len();
    value::spell(line.directive, &line.value, out)?;
    if out.len() == value {
        out.pop();
    }
    Some(())
}
