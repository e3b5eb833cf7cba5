//! How the paths that two patterns match relate: whether one pattern matches all that the other does, whether both match some.
//!
//! Invariant: [`Shape::contains`] says yes, and [`Shape::overlaps`] no, only where that holds for every path that begins with
//! a slash, as all paths do. It holds for readers that take a literal `*` or `$` for one unit, raw and encoded alike, as for
//! readers that compare bytes: those tell `$` from `%24`, and let `*4` match `%24`. Patterns that match the same paths by the
//! rewritings of `minimise` have the same shape.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use memchr::memmem;

use crate::path::literal;
use crate::syntax::bytes;

/// A pattern as both kinds of readers compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// With units for literal stars and dollars.
    units: Whole,
    /// As bytes, where that differs.
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

    /// What every path that it matches begins with, for both kinds of readers.
    pub(crate) fn head(&self) -> &[u8] {
        let head = self.units.head();
        match self.bytes {
            Some(_) => bytes::split_while(head, |byte| !literal::is_unit(byte)).0,
            None => head,
        }
    }

    /// Whether it matches as a prefix does.
    pub(crate) fn is_plain(&self) -> bool {
        self.units.is_plain()
    }

    /// How many bytes a comparison looks at.
    pub(crate) fn len(&self) -> usize {
        let bytes = self.bytes.as_ref().map_or(0, |bytes| bytes.bytes.len());
        self.units.bytes.len().saturating_add(bytes)
    }

    /// Whether it matches all that the other matches.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.units.contains(&other.units) && (self.is_alike(other) || self.as_bytes().contains(other.as_bytes()))
    }

    /// Whether both match some path.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.units.overlaps(&other.units) || !self.is_alike(other) && self.as_bytes().overlaps(other.as_bytes())
    }

    /// Whether the two kinds of readers compare the two alike.
    fn is_alike(&self, other: &Self) -> bool {
        self.bytes.is_none() && other.bytes.is_none()
    }

    fn as_bytes(&self) -> &Whole {
        self.bytes.as_ref().map_or(&self.units, |bytes| bytes)
    }
}

/// A pattern, spelled so that it has to match a path as a whole: without an anchor it ends in a star. It begins with a slash,
/// or with a star and a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Whole {
    bytes: Vec<u8>,
    /// Bytes before the first star.
    head: usize,
    /// Where the bytes behind the last star begin.
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

    /// The other's stars are taken for bytes that only a star matches.
    fn contains(&self, other: &Self) -> bool {
        // `*/x` matches what `/x` and `/*/x` match.
        match other.bytes.split_first() {
            Some((b'*', front)) => matches(&self.bytes, front) && matches(&self.bytes, &[b"/", &*other.bytes].concat()),
            _ => matches(&self.bytes, &other.bytes),
        }
    }

    /// Where both have stars, a path that both match is the longer head, all that stands between stars in the one and in
    /// the other, and the longer tail.
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

/// Whether all of the path is matched, each literal at the leftmost place: a later one could only leave less room.
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
