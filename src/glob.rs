//! Whether a pattern with stars matches a path.
//!
//! Invariant: no backtracking. The literals between the stars are found from left to right, each at its leftmost place, since
//! a later one could only leave less room for the rest. So a match looks at each octet of the path 36 times at most: a literal of
//! up to 32 octets is compared wherever it may begin, and a longer one is found in proportion to the path and to itself.

use alloc::borrow::Cow;

use bstr::ByteSlice;
use memchr::memmem;

use crate::octets;
use crate::pattern::{PathEncoding, PathForm};

/// What a pattern is compared by.
#[derive(Clone, Debug)]
pub(crate) struct Literals<'p> {
    /// It without an anchor and stars at its end, and with any other `$` as paths have it.
    pub(crate) octets: Cow<'p, [u8]>,
    /// How many of them stand before the first star.
    front: usize,
    /// Whether a path has to end with it.
    pub(crate) anchored: bool,
}

impl<'p> Literals<'p> {
    #[inline]
    pub(crate) fn of(pattern: &'p [u8], form: PathForm) -> Self {
        // Most have neither.
        if memchr::memchr2(b'*', b'$', pattern).is_none() {
            return Self { octets: Cow::Borrowed(pattern), front: pattern.len(), anchored: false };
        }
        let (whole, has_anchor) = match pattern.split_last() {
            Some((b'$', front)) => (front, true),
            _ => (pattern, false),
        };
        // Whatever follows a star, it matches.
        let front = octets::trim_end(whole, |octet| octet == b'*');
        let octets = match form.encoding {
            PathEncoding::Standard if memchr::memchr(b'$', front).is_some() => Cow::Owned(front.replace(b"$", b"%24")),
            _ => Cow::Borrowed(front),
        };
        let anchored = has_anchor && front.len() == whole.len();
        let front = memchr::memchr(b'*', &octets).unwrap_or(octets.len());
        Self { octets, front, anchored }
    }

    /// Those before the first star: a path has to begin with them.
    #[inline]
    pub(crate) fn front(&self) -> &[u8] {
        octets::part(&self.octets, 0..self.front)
    }
}

/// The octets that a path needs for it to match the literals, which have stars between them: see [`octets::sketch`].
pub(crate) fn needs(literals: &[u8]) -> u64 {
    // Paths hold no star, so it must not count, nor then what shares its class.
    octets::sketch(literals) & !octets::sketch(b"*")
}

/// Whether the rest of a path, behind the pattern's front and first star, matches the literals behind those.
pub(crate) fn tail_matches(literals: &[u8], anchored: bool, mut path: &[u8]) -> bool {
    let mut literals = literals.split(|&octet| octet == b'*');
    if anchored {
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

/// Whether a pattern of these literals matches a path.
pub(crate) fn matches(literals: &Literals<'_>, path: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(literals.front()) else { return false };
    match literals.octets.get(literals.front.saturating_add(1)..) {
        Some(tail) => tail_matches(tail, literals.anchored, rest),
        None => rest.is_empty() || !literals.anchored,
    }
}

/// Below this many octets, looking at each place is faster than getting ready for anything better: a literal of half the path
/// is looked at in as many places, so each octet of the path 16 times at most.
const SHORT_PATH: usize = 64;

/// What of the path stands behind the leftmost place of the literal.
#[inline]
fn behind_first<'a>(path: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
    let Some((&first, _)) = literal.split_first() else { return Some(path) };
    // Getting ready would look at each octet of a literal, however short what is left of the path.
    if literal.len() > path.len() {
        return None;
    }
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
