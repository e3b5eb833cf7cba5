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

use crate::path::glob::{self, Literals};
use crate::syntax::bytes::{self, Flags};

/// A pattern, in the forms that the two kinds of readers compare. It borrows from the pattern where it can.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape<'p> {
    /// With units for literal stars and dollars.
    units: Literals<'p>,
    /// As bytes, if that is different.
    bytes: Option<Box<Literals<'p>>>,
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
        is_plain.then_some(Self { units: Literals::plain(pattern), bytes: None })
    }

    fn with_special(pattern: &'p [u8], flags: Flags) -> Self {
        let bytes = Literals::comparable(pattern);
        if !flags.has(Flags::DOLLAR | Flags::PERCENT) {
            return Self { units: bytes, bytes: None };
        }
        match glob::compared(&bytes.bytes) {
            Cow::Borrowed(_) => Self { units: bytes, bytes: None },
            Cow::Owned(units) => {
                Self { units: Literals::new(Cow::Owned(units), bytes.anchored), bytes: Some(Box::new(bytes)) }
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

    fn as_bytes(&self) -> &Literals<'p> {
        self.bytes.as_ref().map_or(&self.units, |bytes| bytes)
    }
}

/// Patterns that are compared with others: each begins with a slash, or with a star and a slash, and no two stars are
/// neighbours.
impl<'p> Literals<'p> {
    fn comparable(pattern: &'p [u8]) -> Self {
        let (bytes, anchored) = glob::without_end(pattern);
        if bytes.is_empty() {
            // `*` alone. Every path begins with a slash.
            return Self::new(Cow::Borrowed(b"/"), anchored);
        }
        let lacks_slash = bytes.first() == Some(&b'*') && bytes::trim_start(bytes, is_star).first() != Some(&b'/');
        if !lacks_slash && !bytes::star_runs(bytes).1 {
            return Self::new(Cow::Borrowed(bytes), anchored);
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
        Self::new(Cow::Owned(once), anchored)
    }

    fn tail(&self) -> &[u8] {
        if !self.anchored {
            return &[];
        }
        let star = memchr::memrchr(b'*', &self.bytes);
        self.bytes.get(star.map_or(0, |star| star.saturating_add(1))..).unwrap_or_default()
    }

    fn has_star(&self) -> bool {
        !self.anchored || self.has_inner_star()
    }

    fn has_inner_star(&self) -> bool {
        self.literal_prefix().len() < self.bytes.len()
    }

    fn is_plain(&self) -> bool {
        !self.anchored && !self.has_inner_star()
    }

    fn fixed(&self) -> usize {
        let stars = if self.has_inner_star() { self.bytes.iter().filter(|&&byte| is_star(byte)).count() } else { 0 };
        self.bytes.len().saturating_sub(stars)
    }

    /// Treats the stars of the other pattern as bytes that only a star matches.
    fn contains(&self, other: &Literals<'_>) -> bool {
        // Only a star matches the star at the end.
        if self.anchored && !other.anchored {
            return false;
        }
        // `*/x` matches all paths that `/x` and `/*/x` match.
        match other.bytes.split_first() {
            Some((b'*', front)) => glob::matches(self, front) && glob::matches(self, &[b"/", &*other.bytes].concat()),
            _ => glob::matches(self, &other.bytes),
        }
    }

    /// If both have stars, a path that both match is: the longer head, all inner literals of one, all inner literals
    /// of the other, and the longer tail.
    fn overlaps(&self, other: &Literals<'_>) -> bool {
        match (self.has_star(), other.has_star()) {
            (true, true) => {
                let (head, other_head) = (self.literal_prefix(), other.literal_prefix());
                let (tail, other_tail) = (self.tail(), other.tail());
                (head.starts_with(other_head) || other_head.starts_with(head))
                    && (tail.ends_with(other_tail) || other_tail.ends_with(tail))
            }
            (true, false) => glob::matches(self, &other.bytes),
            (false, _) => glob::matches(other, &self.bytes),
        }
    }
}

fn is_star(byte: u8) -> bool {
    byte == b'*'
}
