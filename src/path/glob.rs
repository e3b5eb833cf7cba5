//! Whether a pattern with stars matches a path, and the forms of both.
//!
//! Invariant: no backtracking. The literals between the stars are found from left to right, each at its leftmost
//! place. A later place could only leave fewer bytes for the rest. So a match searches each byte of the path once,
//! and the cost of a search is bounded ([`crate::path::search`]).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::path::search::Searched;
use crate::syntax::bytes::{self, Flags};
use crate::syntax::grammar::Style;

/// How the values of Allow and Disallow, and the paths of URLs, are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PathForm {
    /// How bytes are normalised. Standard: as RFC 9309 2.2.2; bytes that a URL cannot contain are encoded, encoded
    /// unreserved bytes are decoded, hex digits are in upper case. Google: only in rules, bytes of 0x80 and above are encoded
    /// and hex digits put in upper case; a URL stays as it is.
    pub encoding: Style,
    /// Whether a slash is added to a path that begins with none of `/`, `*` and `$` (PROCESSOR
    /// `complementLeadingSlash`).
    pub complement_leading_slash: bool,
    /// Whether `%2A` counts as a wildcard against `max_wildcards`, because some testers read it as one (PROCESSOR
    /// `escapedWildcard` of the filter).
    pub escaped_wildcard: bool,
    /// Whether `%2A` in a rule becomes a wildcard (PROCESSOR `escapedWildcard` of the tester). Has no effect in
    /// Google's encoding.
    pub decode_wildcard: bool,
}

impl Default for PathForm {
    fn default() -> Self {
        Self {
            encoding: Style::Standard,
            complement_leading_slash: true,
            escaped_wildcard: true,
            decode_wildcard: false,
        }
    }
}

/// A pattern in the form that is compared with paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Literals<'p> {
    /// The pattern without its anchor and without stars at its end. In the standard's encoding, with units for
    /// literal stars and dollars.
    pub bytes: Cow<'p, [u8]>,
    /// The number of bytes before the first star.
    front: usize,
    /// Whether a path must end with the pattern.
    pub anchored: bool,
}

impl<'p> Literals<'p> {
    /// The literals of a normal pattern.
    #[must_use]
    pub fn of(pattern: &'p [u8], form: PathForm) -> Self {
        Self::with_special(pattern, bytes::flags_in(pattern), form)
    }

    /// The literals of a pattern whose special bytes are known.
    #[inline]
    pub(crate) fn with_special(pattern: &'p [u8], flags: Flags, form: PathForm) -> Self {
        // Most patterns need none.
        if flags.is_none() {
            return Self::plain(pattern);
        }
        let (front, anchored) = without_end(pattern);
        let bytes = match form.encoding {
            Style::Standard if !flags.without(Flags::STAR | Flags::STAR_RUN).is_none() => compared(front),
            _ => Cow::Borrowed(front),
        };
        let first_star = if flags.has(Flags::STAR) { memchr::memchr(b'*', &bytes) } else { None };
        let front = first_star.unwrap_or(bytes.len());
        Self { bytes, front, anchored }
    }

    /// A pattern without stars and without an anchor.
    #[inline]
    pub(crate) const fn plain(pattern: &'p [u8]) -> Self {
        Self { bytes: Cow::Borrowed(pattern), front: pattern.len(), anchored: false }
    }

    /// Literals between stars, in the form that is compared.
    pub(crate) fn new(bytes: Cow<'p, [u8]>, anchored: bool) -> Self {
        let front = memchr::memchr(b'*', &bytes).unwrap_or(bytes.len());
        Self { bytes, front, anchored }
    }

    /// These literals, not borrowed.
    #[must_use]
    pub fn into_owned(self) -> Literals<'static> {
        Literals { bytes: Cow::Owned(self.bytes.into_owned()), front: self.front, anchored: self.anchored }
    }

    /// The bytes before the first star. A path must begin with them.
    #[inline]
    #[must_use]
    pub fn literal_prefix(&self) -> &[u8] {
        bytes::part(&self.bytes, 0..self.front)
    }
}

/// A pattern without its anchor and without stars at its end, and whether it is anchored. Stars at the end match anything,
/// so an anchor after them has no meaning.
#[inline]
pub(crate) fn without_end(pattern: &[u8]) -> (&[u8], bool) {
    let (whole, has_anchor) = match pattern.split_last() {
        Some((b'$', front)) => (front, true),
        _ => (pattern, false),
    };
    let front = bytes::trim_end(whole, |byte| byte == b'*');
    (front, has_anchor && front.len() == whole.len())
}

/// The bytes that a path must contain to match the literals, which are separated by stars; see [`bytes::sketch`].
pub(crate) fn needs(literals: &[u8]) -> u64 {
    // Paths contain no star. So its class must not count, even if other bytes share that class.
    bytes::sketch(literals) & !bytes::sketch(b"*")
}

/// Whether the rest of a path, after the pattern's front and first star, matches the remaining literals.
pub(crate) fn tail_matches(literals: &[u8], anchored: bool, searched: &mut Searched<'_>, mut path: &[u8]) -> bool {
    let mut literals = literals.split(|&byte| byte == b'*');
    if anchored {
        // Checks the end first, because it can match in one place only.
        let Some(front) = path.strip_suffix(literals.next_back().unwrap_or_default()) else { return false };
        path = front;
    }
    for literal in literals {
        let Some(rest) = searched.after_first(path, literal) else { return false };
        path = rest;
    }
    true
}

/// Whether a pattern with these literals matches a path.
#[must_use]
pub fn matches(literals: &Literals<'_>, path: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(literals.literal_prefix()) else { return false };
    match literals.bytes.get(literals.front.saturating_add(1)..) {
        Some(tail) => tail_matches(tail, literals.anchored, &mut Searched::new(rest), rest),
        None => rest.is_empty() || !literals.anchored,
    }
}

const HIGH_BIT: u8 = 0x80;

/// The unit of a literal `*` or `$`.
pub(crate) const fn unit(byte: u8) -> u8 {
    byte | HIGH_BIT
}

/// Whether the byte is a unit.
#[must_use]
pub const fn is_unit(byte: u8) -> bool {
    byte & HIGH_BIT != 0
}

/// Converts a normal pattern without its anchor, in the standard's encoding: `%2A`, `%24` and `$` become units.
pub(crate) fn compared(pattern: &[u8]) -> Cow<'_, [u8]> {
    if !has_literal(pattern) {
        return Cow::Borrowed(pattern);
    }
    let mut out = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match (byte, tail) {
            (b'$', _) => {
                out.push(unit(b'$'));
                tail
            }
            (b'%', [b'2', low @ (b'4' | b'A'), after @ ..]) => {
                out.push(unit(if *low == b'A' { b'*' } else { b'$' }));
                after
            }
            _ => {
                out.push(byte);
                tail
            }
        };
    }
    Cow::Owned(out)
}

/// Whether a pattern without its anchor has a `$` or an escaped `*` or `$`.
pub(crate) fn has_literal(pattern: &[u8]) -> bool {
    memchr::memchr2_iter(b'$', b'%', pattern)
        .any(|at| matches!(pattern.get(at..), Some([b'$', ..] | [b'%', b'2', b'4' | b'A', ..])))
}

/// The path, with its units written as escapes.
#[must_use]
pub fn written(path: &[u8]) -> Cow<'_, [u8]> {
    if path.is_ascii() {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len().saturating_add(16));
    for &byte in path {
        if is_unit(byte) {
            bytes::push_escape(&mut out, byte & !HIGH_BIT);
        } else {
            out.push(byte);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_written_as_escapes() {
        assert_eq!(&*compared(b"/a%2Ab$c%24%2"), b"/a\xAAb\xA4c\xA4%2");
        assert_eq!(&*written(b"/a\xAAb\xA4c"), b"/a%2Ab%24c");
        assert!(matches!(compared(b"/a*%2F%"), Cow::Borrowed(_)));
        assert!(matches!(written(b"/a%2A"), Cow::Borrowed(_)));
    }
}
