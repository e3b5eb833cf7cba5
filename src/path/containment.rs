//! How the paths of two patterns relate: whether one pattern matches all paths of the other, and whether some path
//! matches both.
//!
//! Invariant: [`Shape::contains`] returns true, and [`Shape::overlaps`] false, only if that is right for every path
//! that begins with a slash, as all paths do. It is right for two kinds of readers. The first treats a literal `*` or
//! `$` as one unit, raw and encoded the same. The second compares bytes: it distinguishes `$` from `%24`, and its `*4`
//! matches `%24`. Patterns have the same shape if the rewriting rules of `minimise` show that they match the same
//! paths.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use memchr::memmem;

use crate::path::glob;
use crate::syntax::bytes::{self, Flags};

/// A pattern, in the forms that the two kinds of readers compare. It borrows from the pattern where it can.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape<'p> {
    /// With units for literal stars and dollars.
    units: Whole<'p>,
    /// As bytes, if that is different.
    bytes: Option<Box<Whole<'p>>>,
}

impl<'p> Shape<'p> {
    /// `pattern` begins with a slash or a star, and has no other [`Flags`] bytes than these.
    #[inline]
    pub(crate) fn of(pattern: &'p [u8], flags: Flags) -> Self {
        Self::plain(pattern, flags).unwrap_or_else(|| Self::with_special(pattern, flags))
    }

    /// The shape of a pattern that is plain because it has no special bytes.
    #[inline]
    pub(crate) fn plain(pattern: &'p [u8], flags: Flags) -> Option<Self> {
        let is_plain = !flags.has(Flags::STAR | Flags::DOLLAR | Flags::PERCENT);
        let units = Whole { bytes: Cow::Borrowed(pattern), head: pattern.len(), is_open: true };
        is_plain.then_some(Self { units, bytes: None })
    }

    fn with_special(pattern: &'p [u8], flags: Flags) -> Self {
        let bytes = Whole::of(pattern);
        if !flags.has(Flags::DOLLAR | Flags::PERCENT) {
            return Self { units: bytes, bytes: None };
        }
        match glob::compared(&bytes.bytes) {
            Cow::Borrowed(_) => Self { units: bytes, bytes: None },
            Cow::Owned(units) => {
                Self { units: Whole::new(Cow::Owned(units), bytes.is_open), bytes: Some(Box::new(bytes)) }
            }
        }
    }

    pub(crate) fn into_owned(self) -> Shape<'static> {
        Shape { units: self.units.into_owned(), bytes: self.bytes.map(|bytes| Box::new(bytes.into_owned())) }
    }

    /// The common beginning of all paths that the pattern matches, for both kinds of readers.
    pub(crate) fn literal_prefix(&self) -> &[u8] {
        let head = self.units.literal_prefix();
        match self.bytes {
            Some(_) => bytes::split_while(head, |byte| !glob::is_unit(byte)).0,
            None => head,
        }
    }

    /// Its head, and the bytes after it.
    pub(crate) fn split(&self) -> (&[u8], &[u8]) {
        let head = self.literal_prefix();
        (head, self.units.bytes.get(head.len()..).unwrap_or_default())
    }

    /// Whether it is a plain prefix: no wildcards.
    pub(crate) fn is_plain(&self) -> bool {
        self.units.is_plain()
    }

    /// Whether it matches all paths that begin with its head, and no others.
    pub(crate) fn is_head(&self) -> bool {
        self.bytes.is_none() && self.units.is_plain()
    }

    /// The number of bytes that a comparison looks at.
    pub(crate) fn len(&self) -> usize {
        let bytes = self.bytes.as_ref().map_or(0, |bytes| bytes.bytes.len());
        self.units.bytes.len().saturating_add(bytes)
    }

    /// The number of its bytes that are no stars. A pattern contains none with fewer: each literal of the first lies in
    /// a literal of the second, apart from the others.
    pub(crate) fn fixed(&self) -> usize {
        self.units.fixed()
    }

    /// Whether this pattern matches all paths that the other matches.
    pub(crate) fn contains(&self, other: &Shape<'_>) -> bool {
        self.units.contains(&other.units) && (self.is_alike(other) || self.as_bytes().contains(other.as_bytes()))
    }

    /// Whether some path matches both patterns.
    pub(crate) fn overlaps(&self, other: &Shape<'_>) -> bool {
        self.units.overlaps(&other.units) || !self.is_alike(other) && self.as_bytes().overlaps(other.as_bytes())
    }

    /// Whether both kinds of readers compare these two patterns in the same way.
    fn is_alike(&self, other: &Shape<'_>) -> bool {
        self.bytes.is_none() && other.bytes.is_none()
    }

    fn as_bytes(&self) -> &Whole<'p> {
        self.bytes.as_ref().map_or(&self.units, |bytes| bytes)
    }
}

/// A pattern that must match a path as a whole: literals between stars. It begins with a slash, or with a star and a
/// slash. No two stars are neighbours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Whole<'p> {
    /// Its bytes. They do not end with a star.
    bytes: Cow<'p, [u8]>,
    /// The number of bytes before the first star.
    head: usize,
    /// Whether a star follows the bytes.
    is_open: bool,
}

impl<'p> Whole<'p> {
    fn of(pattern: &'p [u8]) -> Self {
        let (front, is_anchored) = match pattern.split_last() {
            Some((b'$', front)) => (front, true),
            _ => (pattern, false),
        };
        let bytes = bytes::trim_end(front, is_star);
        let is_open = !is_anchored || bytes.len() < front.len();
        let Some(star) = memchr::memchr(b'*', bytes) else {
            // `*` alone is left empty. Every path begins with a slash.
            return Self::new(Cow::Borrowed(if bytes.is_empty() { b"/" } else { bytes }), is_open);
        };
        let lacks_slash = star == 0 && bytes::trim_start(bytes, is_star).first() != Some(&b'/');
        if !lacks_slash && !bytes::star_runs(bytes).1 {
            return Self { bytes: Cow::Borrowed(bytes), head: star, is_open };
        }
        let mut once = Vec::with_capacity(bytes.len().saturating_add(1));
        if lacks_slash {
            once.push(b'/');
        }
        for &byte in bytes {
            if byte != b'*' || once.last() != Some(&b'*') {
                once.push(byte);
            }
        }
        Self::new(Cow::Owned(once), is_open)
    }

    fn new(bytes: Cow<'p, [u8]>, is_open: bool) -> Self {
        let head = memchr::memchr(b'*', &bytes).unwrap_or(bytes.len());
        Self { bytes, head, is_open }
    }

    fn into_owned(self) -> Whole<'static> {
        Whole { bytes: Cow::Owned(self.bytes.into_owned()), head: self.head, is_open: self.is_open }
    }

    fn literal_prefix(&self) -> &[u8] {
        bytes::part(&self.bytes, 0..self.head)
    }

    fn tail(&self) -> &[u8] {
        if self.is_open {
            return &[];
        }
        let star = memchr::memrchr(b'*', &self.bytes);
        self.bytes.get(star.map_or(0, |star| star.saturating_add(1))..).unwrap_or_default()
    }

    fn has_star(&self) -> bool {
        self.is_open || self.has_inner_star()
    }

    fn has_inner_star(&self) -> bool {
        self.head < self.bytes.len()
    }

    fn is_plain(&self) -> bool {
        self.is_open && !self.has_inner_star()
    }

    fn fixed(&self) -> usize {
        let stars = if self.has_inner_star() { self.bytes.iter().filter(|&&byte| is_star(byte)).count() } else { 0 };
        self.bytes.len().saturating_sub(stars)
    }

    /// Treats the stars of the other pattern as bytes that only a star matches.
    fn contains(&self, other: &Whole<'_>) -> bool {
        // Only a star matches the star at the end.
        if other.is_open && !self.is_open {
            return false;
        }
        // `*/x` matches all paths that `/x` and `/*/x` match.
        match other.bytes.split_first() {
            Some((b'*', front)) => self.matches(front) && self.matches(&[b"/", &*other.bytes].concat()),
            _ => self.matches(&other.bytes),
        }
    }

    /// If both have stars, a path that both match is: the longer head, all inner literals of one, all inner literals
    /// of the other, and the longer tail.
    fn overlaps(&self, other: &Whole<'_>) -> bool {
        match (self.has_star(), other.has_star()) {
            (true, true) => {
                let (head, other_head) = (self.literal_prefix(), other.literal_prefix());
                let (tail, other_tail) = (self.tail(), other.tail());
                (head.starts_with(other_head) || other_head.starts_with(head))
                    && (tail.ends_with(other_tail) || other_tail.ends_with(tail))
            }
            (true, false) => self.matches(&other.bytes),
            (false, _) => other.matches(&self.bytes),
        }
    }

    /// Whether it matches this whole path. Takes each literal at its leftmost place: a later one could only leave fewer
    /// bytes for the rest. An open one also matches if a star follows the path.
    fn matches(&self, path: &[u8]) -> bool {
        let Some(mut rest) = path.strip_prefix(self.literal_prefix()) else { return false };
        if !self.has_inner_star() {
            return self.is_open || rest.is_empty();
        }
        let behind = self.bytes.get(self.head.saturating_add(1)..).unwrap_or_default();
        let mut literals = behind.split(|&byte| is_star(byte));
        let tail = if self.is_open { &[] } else { literals.next_back().unwrap_or_default() };
        for literal in literals {
            let Some(at) = find(rest, literal) else { return false };
            rest = rest.get(at.saturating_add(literal.len())..).unwrap_or_default();
        }
        rest.ends_with(tail)
    }
}

/// The first place of a literal in a path. To prepare the search of a long literal takes longer than most searches here.
/// So this looks for its first bytes, as long as these do not occur often without the rest.
fn find(path: &[u8], literal: &[u8]) -> Option<usize> {
    /// The number of bytes of a short literal.
    const SHORT: usize = 12;
    /// How many places may have only the first bytes.
    const TRIES: usize = 4;
    let mut from = 0_usize;
    if let Some((front, _)) = literal.split_at_checked(SHORT) {
        for _ in 0..TRIES {
            let rest = path.get(from..)?;
            let at = memmem::find(rest, front)?;
            if rest.get(at..)?.starts_with(literal) {
                return Some(from.saturating_add(at));
            }
            from = from.saturating_add(at).saturating_add(1);
        }
    }
    Some(from.saturating_add(memmem::find(path.get(from..)?, literal)?))
}

fn is_star(byte: u8) -> bool {
    byte == b'*'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [portable.redundant]: literals around the length of the first bytes that are searched for, in paths that have
    /// these bytes alone, up to more often than is tried.
    #[test]
    fn the_first_place_of_a_literal_is_found() {
        let first = |path: &[u8], literal: &[u8]| path.windows(literal.len()).position(|window| window == literal);
        let mut found = 0;
        for length in [1, 11, 12, 13, 24, 40] {
            let literal = [b"a".repeat(length), b"b".to_vec()].concat();
            for (alone, gap) in (0..7).flat_map(|alone| [&b""[..], b"c", b"b"].map(|gap| (alone, gap))) {
                let lures = [&b"a".repeat(12.min(length)), gap].concat().repeat(alone);
                for path in [[&*lures, &literal].concat(), [&*lures, b"a", &literal, b"c", &literal].concat(), lures] {
                    for literal in [&*literal, literal.strip_suffix(b"b").unwrap_or_default()] {
                        assert_eq!(find(&path, literal), first(&path, literal), "{path:?} {literal:?}");
                        found += usize::from(first(&path, literal).is_some());
                    }
                }
            }
        }
        assert!(found > 400, "{found}");
    }
}
