//! How the paths of two patterns relate: whether one pattern matches all paths of the other, and whether some path
//! matches both.
//!
//! Invariant: [`Shape::contains`] returns true, and [`Shape::overlaps`] false, only if that is right for every path
//! that begins with a slash, as all paths do. It is right for two kinds of readers. The first treats a literal `*` or
//! `$` as one unit, raw and encoded alike. The second compares bytes: it distinguishes `$` from `%24`, and its `*4`
//! matches `%24`. Patterns have the same shape if the rewriting rules of `minimise` show that they match the same
//! paths.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use memchr::memmem;

use crate::path::literal;
use crate::syntax::bytes;

/// A pattern, in the forms that the two kinds of readers compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// With units for literal stars and dollars.
    units: Whole,
    /// As bytes, if that is different.
    bytes: Option<Box<Whole>>,
}

impl Shape {
    /// `pattern` begins with a slash or a star.
    pub(crate) fn of(pattern: &[u8]) -> Self {
        let bytes = Whole::of(pattern);
        match literal::compared(&bytes.bytes) {
            Cow::Borrowed(_) => Self { units: bytes, bytes: None },
            Cow::Owned(units) => Self { units: Whole::new(units), bytes: Some(Box::new(bytes)) },
        }
    }

    /// The common beginning of all paths that the pattern matches, for both kinds of readers.
    pub(crate) fn head(&self) -> &[u8] {
        let head = self.units.head();
        match self.bytes {
            Some(_) => bytes::split_while(head, |byte| !literal::is_unit(byte)).0,
            None => head,
        }
    }

    /// Whether it is a plain prefix: no wildcards.
    pub(crate) fn is_plain(&self) -> bool {
        self.units.is_plain()
    }

    /// The number of bytes that a comparison looks at.
    pub(crate) fn len(&self) -> usize {
        let bytes = self.bytes.as_ref().map_or(0, |bytes| bytes.bytes.len());
        self.units.bytes.len().saturating_add(bytes)
    }

    /// Whether this pattern matches all paths that the other matches.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.units.contains(&other.units) && (self.is_alike(other) || self.as_bytes().contains(other.as_bytes()))
    }

    /// Whether some path matches both patterns.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.units.overlaps(&other.units) || !self.is_alike(other) && self.as_bytes().overlaps(other.as_bytes())
    }

    /// Whether both kinds of readers compare these two patterns in the same way.
    fn is_alike(&self, other: &Self) -> bool {
        self.bytes.is_none() && other.bytes.is_none()
    }

    fn as_bytes(&self) -> &Whole {
        self.bytes.as_ref().map_or(&self.units, |bytes| bytes)
    }
}

/// A pattern that must match a path as a whole: a pattern without an anchor gets a star at its end. It begins with a
/// slash, or with a star and a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Whole {
    bytes: Vec<u8>,
    /// The number of bytes before the first star.
    head: usize,
    /// The offset of the bytes after the last star.
    tail: usize,
}

impl Whole {
    fn of(pattern: &[u8]) -> Self {
        let (front, anchored) = match pattern.split_last() {
            Some((b'$', front)) => (front, true),
            _ => (pattern, false),
        };
        let mut bytes = Vec::with_capacity(front.len().saturating_add(2));
        if front.first() == Some(&b'*') && bytes::trim_start(front, is_star).first() != Some(&b'/') {
            bytes.push(b'/');
        }
        for &byte in front {
            if byte != b'*' || bytes.last() != Some(&b'*') {
                bytes.push(byte);
            }
        }
        if !anchored && bytes.last() != Some(&b'*') {
            bytes.push(b'*');
        }
        Self::new(bytes)
    }

    fn new(bytes: Vec<u8>) -> Self {
        let head = memchr::memchr(b'*', &bytes).unwrap_or(bytes.len());
        let tail = memchr::memrchr(b'*', &bytes).map_or(0, |star| star.saturating_add(1));
        Self { bytes, head, tail }
    }

    fn head(&self) -> &[u8] {
        bytes::part(&self.bytes, 0..self.head)
    }

    fn tail(&self) -> &[u8] {
        bytes::part(&self.bytes, self.tail..self.bytes.len())
    }

    fn has_star(&self) -> bool {
        self.head < self.bytes.len()
    }

    fn is_plain(&self) -> bool {
        self.has_star() && self.head.saturating_add(1) == self.bytes.len()
    }

    /// Treats the stars of the other pattern as bytes that only a star matches.
    fn contains(&self, other: &Self) -> bool {
        // `*/x` matches all paths that `/x` and `/*/x` match.
        match other.bytes.split_first() {
            Some((b'*', front)) => matches(&self.bytes, front) && matches(&self.bytes, &[b"/", &*other.bytes].concat()),
            _ => matches(&self.bytes, &other.bytes),
        }
    }

    /// If both have stars, a path that both match is: the longer head, all inner literals of one, all inner literals
    /// of the other, and the longer tail.
    fn overlaps(&self, other: &Self) -> bool {
        match (self.has_star(), other.has_star()) {
            (true, true) => {
                let (head, other_head) = (self.head(), other.head());
                let (tail, other_tail) = (self.tail(), other.tail());
                (head.starts_with(other_head) || other_head.starts_with(head))
                    && (tail.ends_with(other_tail) || other_tail.ends_with(tail))
            }
            (true, false) => matches(&self.bytes, &other.bytes),
            (false, _) => matches(&other.bytes, &self.bytes),
        }
    }
}

fn is_star(byte: u8) -> bool {
    byte == b'*'
}

/// Whether the whole path matches. Takes each literal at its leftmost place: a later one could only leave fewer bytes
/// for the rest.
fn matches(shape: &[u8], path: &[u8]) -> bool {
    let mut literals = shape.split(|&byte| byte == b'*');
    let Some(mut rest) = literals.next().and_then(|head| path.strip_prefix(head)) else { return false };
    let Some(tail) = literals.next_back() else { return rest.is_empty() };
    for literal in literals {
        let Some(at) = memmem::find(rest, literal) else { return false };
        rest = rest.get(at.saturating_add(literal.len())..).unwrap_or_default();
    }
    rest.ends_with(tail)
}
