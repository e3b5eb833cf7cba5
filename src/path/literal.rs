//! Represents a literal `*` or `$` of a path as one unit.
//!
//! Invariant: a unit is a byte of 0x80 or above. Normal paths and patterns contain no other such bytes. So no other
//! part of a pattern can match a part of a unit: `/*4` matches `/x4`, but not the `%24` of `/$`.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::syntax::bytes;

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
            (b'%', [b'2', b'4', behind @ ..]) => {
                out.push(unit(b'$'));
                behind
            }
            (b'%', [b'2', b'A', behind @ ..]) => {
                out.push(unit(b'*'));
                behind
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
