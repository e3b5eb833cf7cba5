//! Writes the lines of rules.
//!
//! Invariant: each line is whole. If a bug leaves no space for a line, the rules are replaced by `Disallow: /`.

#![allow(clippy::inline_always, reason = "a rule is a few instructions")]

use alloc::vec::Vec;

use crate::closed;
use crate::policy::budget::BESIDE_PATTERN;
use crate::policy::record::RuleKind;
use crate::text::newline::{Newline, push_newline};

/// Appends the lines of rules to a text. They are written into memory that is already there, in pieces of fixed sizes.
pub(crate) struct RuleLines<'o> {
    /// What is not written yet.
    free: &'o mut [u8],
    newline: Newline,
    count: usize,
    /// Whether a line had no space.
    has_lost: bool,
}

impl<'o> RuleLines<'o> {
    /// Lets `write` append lines of rules. `bytes` is the total length of their patterns. Returns the number of lines.
    pub(crate) fn append(
        out: &'o mut Vec<u8>,
        (rules, bytes): (usize, usize),
        newline: Newline,
        write: impl FnOnce(&mut RuleLines<'_>),
    ) -> usize {
        let start = out.len();
        let room = rules.saturating_add(1).saturating_mul(BESIDE_PATTERN).saturating_add(bytes);
        out.resize(start.saturating_add(room), 0);
        let free = out.get_mut(start..).unwrap_or_default();
        let mut lines = RuleLines { free, newline, count: 0, has_lost: false };
        write(&mut lines);
        let (free, count, has_lost) = (lines.free.len(), lines.count, lines.has_lost);
        out.truncate(start.saturating_add(room.saturating_sub(free)));
        if has_lost {
            closed::because_of_a_bug(|| {
                out.truncate(start);
                out.extend_from_slice(b"Disallow: /");
                push_newline(out, newline);
            });
        }
        count
    }

    /// Writes a line. There is space for it, since [`Ordered::bytes`] is exact.
    #[inline(always)]
    pub(crate) fn push(&mut self, kind: RuleKind, pattern: &[u8]) {
        let (name, length): (&[u8; BESIDE_PATTERN], _) = match kind {
            RuleKind::Allow => (b"Allow: \0\0\0\0\0\0\0\0\0", 7),
            RuleKind::Disallow => (b"Disallow: \0\0\0\0\0\0", 10),
        };
        let free = core::mem::take(&mut self.free);
        if let Some(front) = free.first_chunk_mut() {
            *front = *name;
        }
        let Some((value, rest)) = free.get_mut(length..).and_then(|rest| rest.split_at_mut_checked(pattern.len()))
        else {
            self.has_lost = true;
            return;
        };
        copy(value, pattern);
        self.free = match (self.newline, rest) {
            (Newline::Lf, [end, rest @ ..]) => {
                *end = b'\n';
                rest
            }
            (Newline::Crlf, [cr, lf, rest @ ..]) => {
                (*cr, *lf) = (b'\r', b'\n');
                rest
            }
            (_, rest) => rest,
        };
        self.count = self.count.saturating_add(1);
    }
}

/// Copies bytes. Of a few, the first and the last are copied, which may overlap.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) -> Option<()> {
        *to.first_chunk_mut::<N>()? = *from.first_chunk()?;
        *to.last_chunk_mut::<N>()? = *from.last_chunk()?;
        Some(())
    }
    let copied = match from.len() {
        8..16 => ends::<8>(to, from),
        16..=32 => ends::<16>(to, from),
        _ => None,
    };
    if copied.is_none() {
        to.copy_from_slice(from);
    }
}
