//! The encoding of a text: UTF-16 by its mark, and else one that has ASCII for ASCII.
//!
//! Invariant: nothing is guessed. All names and words that count are ASCII.

use std::borrow::Cow;

/// The text in an encoding that has ASCII for ASCII: all names and words that count are ASCII. UTF-16 is known by its
/// mark, as browsers do.
pub(crate) fn ascii_based(text: &[u8]) -> Cow<'_, [u8]> {
    let of = |unit: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match text {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(of(u16::from_le_bytes, rest).into_bytes()),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(of(u16::from_be_bytes, rest).into_bytes()),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        _ => Cow::Borrowed(text),
    }
}
