//! How the paths that two patterns match relate: whether one pattern matches all that the other does, whether both match some.
//!
//! Invariant: [`Shape::contains`] says yes, and [`Shape::overlaps`] no, only where that holds for every path that begins with
//! a slash, as all paths do. Patterns that match the same paths by the rewritings of `minimise` have the same shape.

use alloc::vec::Vec;

use memchr::memmem;

use crate::octets;
use crate::pattern::PathEncoding;

/// A pattern, spelled so that it has to match a path as a whole: without an anchor it ends in a star. It begins with a slash,
/// or with a star and a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    octets: Vec<u8>,
    /// Octets before the first star.
    head: usize,
    /// Where the octets behind the last star begin.
    tail: usize,
}

impl Shape {
    /// `pattern` begins with a slash or a star.
    pub(crate) fn of(pattern: &[u8], encoding: PathEncoding) -> Self {
        let (front, anchored) = match pattern.split_last() {
            Some((b'$', front)) => (front, true),
            _ => (pattern, false),
        };
        let mut octets = Vec::with_capacity(front.len().saturating_add(2));
        if front.first() == Some(&b'*') && octets::trim_start(front, is_star).first() != Some(&b'/') {
            octets.push(b'/');
        }
        for &octet in front {
            match octet {
                b'*' if octets.last() == Some(&b'*') => {}
                // Paths have it encoded.
                b'$' if encoding == PathEncoding::Standard => octets::push_escape(&mut octets, octet),
                _ => octets.push(octet),
            }
        }
        if !anchored && octets.last() != Some(&b'*') {
            octets.push(b'*');
        }
        let head = memchr::memchr(b'*', &octets).unwrap_or(octets.len());
        let tail = memchr::memrchr(b'*', &octets).map_or(0, |star| star.saturating_add(1));
        Self { octets, head, tail }
    }

    /// What every path that it matches begins with.
    pub(crate) fn head(&self) -> &[u8] {
        octets::part(&self.octets, 0..self.head)
    }

    fn tail(&self) -> &[u8] {
        octets::part(&self.octets, self.tail..self.octets.len())
    }

    fn has_star(&self) -> bool {
        self.head < self.octets.len()
    }

    /// Whether it matches as a prefix does.
    pub(crate) fn is_plain(&self) -> bool {
        self.has_star() && self.head.saturating_add(1) == self.octets.len()
    }

    /// How many octets a comparison looks at.
    pub(crate) fn len(&self) -> usize {
        self.octets.len()
    }

    /// Whether it matches all that the other matches. The other's stars are taken for octets that only a star matches.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        // `*/x` matches what `/x` and `/*/x` match.
        match other.octets.split_first() {
            Some((b'*', front)) => {
                matches(&self.octets, front) && matches(&self.octets, &[b"/", &*other.octets].concat())
            }
            _ => matches(&self.octets, &other.octets),
        }
    }

    /// Whether both match some path. Where both have stars, such a path is the longer head, all that stands between stars in
    /// the one and in the other, and the longer tail.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        match (self.has_star(), other.has_star()) {
            (true, true) => {
                let (head, other_head) = (self.head(), other.head());
                let (tail, other_tail) = (self.tail(), other.tail());
                (head.starts_with(other_head) || other_head.starts_with(head))
                    && (tail.ends_with(other_tail) || other_tail.ends_with(tail))
            }
            (true, false) => matches(&self.octets, &other.octets),
            (false, _) => matches(&other.octets, &self.octets),
        }
    }
}

fn is_star(octet: u8) -> bool {
    octet == b'*'
}

/// Whether all of the path is matched, each literal at the leftmost place: a later one could only leave less room.
fn matches(shape: &[u8], path: &[u8]) -> bool {
    let mut literals = shape.split(|&octet| octet == b'*');
    let Some(mut rest) = literals.next().and_then(|head| path.strip_prefix(head)) else { return false };
    let Some(tail) = literals.next_back() else { return rest.is_empty() };
    for literal in literals {
        let Some(at) = memmem::find(rest, literal) else { return false };
        rest = rest.get(at.saturating_add(literal.len())..).unwrap_or_default();
    }
    rest.ends_with(tail)
}
