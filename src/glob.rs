//! Whether a pattern with stars matches a path.
//!
//! Invariant: no backtracking. The literals between the stars are found from left to right, each at its leftmost place, since
//! a later one could only leave less room for the rest; so a match looks at each octet of path and pattern a bounded number
//! of times.

use alloc::borrow::Cow;

use bstr::ByteSlice;
use memchr::memmem;

use crate::octets;
use crate::pattern::{PathEncoding, PathForm};

/// The octets that a pattern is compared by: it without an anchor at its end, and with any other `$` as paths have it.
pub(crate) fn literals(pattern: &[u8], form: PathForm) -> Cow<'_, [u8]> {
    let front = pattern.strip_suffix(b"$").unwrap_or(pattern);
    match form.encoding {
        PathEncoding::Standard if memchr::memchr(b'$', front).is_some() => Cow::Owned(front.replace(b"$", b"%24")),
        _ => Cow::Borrowed(front),
    }
}

/// What of a pattern stands before its first star: a path has to begin with it.
pub(crate) fn front(literals: &[u8]) -> &[u8] {
    octets::part(literals, 0..memchr::memchr(b'*', literals).unwrap_or(literals.len()))
}

/// What is known beforehand of the literals behind a pattern's first star.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    anchored: bool,
    /// Octets of the literals: a shorter path has no room for them.
    least: usize,
    /// The octets that they hold; see [`octets::sketch`].
    needs: u64,
}

impl Tail {
    /// `literals` have stars between them.
    pub(crate) fn of(literals: &[u8], anchored: bool) -> Self {
        let stars = octets::stars(literals);
        // Paths hold no star, so it must not count.
        let needs = literals.split(|&octet| octet == b'*').fold(0, |needs, part| needs | octets::sketch(part));
        Self { anchored, least: literals.len().saturating_sub(stars), needs }
    }

    /// False if a path of this [`octets::sketch`] lacks an octet that the literals have.
    #[inline]
    pub(crate) const fn may_match(&self, path: u64) -> bool {
        self.needs & !path == 0
    }

    /// Whether the rest of a path, behind the pattern's front, matches.
    pub(crate) fn matches(&self, literals: &[u8], mut path: &[u8]) -> bool {
        if path.len() < self.least {
            return false;
        }
        let mut literals = literals.split(|&octet| octet == b'*');
        if self.anchored {
            // The end first: it is looked at in one place only.
            let Some(front) = path.strip_suffix(literals.next_back().unwrap_or_default()) else { return false };
            path = front;
        }
        for literal in literals {
            let Some(rest) = behind_first(path, literal) else { return false };
            path = rest;
        }
        true
    }
}

/// Whether a pattern, whose [`literals`] these are, matches a path.
pub(crate) fn matches(literals: &[u8], anchored: bool, path: &[u8]) -> bool {
    let front = front(literals);
    let Some(rest) = path.strip_prefix(front) else { return false };
    match literals.get(front.len().saturating_add(1)..) {
        Some(tail) => Tail::of(tail, anchored).matches(tail, rest),
        None => rest.is_empty() || !anchored,
    }
}

/// Below this many octets, looking at each place is faster than getting ready for anything better.
const SHORT_PATH: usize = 64;

/// What of the path stands behind the leftmost place of the literal.
#[inline]
fn behind_first<'a>(path: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
    let Some((&first, _)) = literal.split_first() else { return Some(path) };
    if path.len() > SHORT_PATH && literal.len() > 1 {
        return memmem::find(path, literal).and_then(|at| path.get(at.saturating_add(literal.len())..));
    }
    let mut rest = path;
    loop {
        let at = rest.iter().position(|&octet| octet == first)?;
        rest = rest.get(at..)?;
        if let Some(behind) = rest.strip_prefix(literal) {
            return Some(behind);
        }
        rest = rest.get(1..)?;
    }
}
