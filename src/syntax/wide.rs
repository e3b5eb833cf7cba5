//! UTF-16 and UTF-32 with a byte order mark -> UTF-8.
//!
//! Invariant: of a file of any length at most `max_bytes` bytes of the text are made, and some more that show whether
//! there are more.

use alloc::vec::Vec;

/// Bytes of units that are decoded beyond `max_bytes`: a CRLF and another character of UTF-32.
const RAW_BEYOND: usize = 12;
/// Bytes of text that are made beyond `max_bytes`: a CRLF, and one that shows that there are more.
const TEXT_BEYOND: usize = 3;

/// A file that was decoded.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: Vec<u8>,
    /// How much of the text is within `max_bytes`, of its own bytes and of the bytes of its units.
    pub(crate) limit: usize,
    /// Whether the bytes end within a character.
    pub(crate) is_ragged: bool,
    /// The line of the first character that is none.
    pub(crate) broken: Option<u32>,
}

/// Decodes a file that begins with such a mark and a character of ASCII, or less than one. Other bytes may be of a file
/// that begins with a stray mark, and read as UTF-16 it would have no rule left. The mark of UTF-32 begins with that of
/// UTF-16, and no text begins with a NUL.
#[inline]
pub(crate) fn decode(input: &[u8], max_bytes: usize) -> Option<Decoded> {
    let (is_little, width, rest) = match input {
        [0xFF, 0xFE, 0, 0, rest @ ..] if begins_with_ascii(rest, [0, 1, 2, 3]) => (true, 4, rest),
        [0, 0, 0xFE, 0xFF, rest @ ..] if begins_with_ascii(rest, [3, 2, 1, 0]) => (false, 4, rest),
        [0xFF, 0xFE, rest @ ..] if begins_with_ascii(rest, [0, 1]) => (true, 2, rest),
        [0xFE, 0xFF, rest @ ..] if begins_with_ascii(rest, [1, 0]) => (false, 2, rest),
        _ => return None,
    };
    // Whole units of both widths, so that a file ends within one only at its own end.
    let most = max_bytes.saturating_add(RAW_BEYOND) & !3;
    let units = rest.get(..most).unwrap_or(rest);
    Some(if width == 4 { utf32(units, is_little, max_bytes) } else { utf16(units, is_little, max_bytes) })
}

/// Whether a unit, whose bytes have these places from the lowest on, is a character of ASCII, or is not whole.
fn begins_with_ascii<const N: usize>(rest: &[u8], places: [usize; N]) -> bool {
    let Some(unit) = rest.first_chunk::<N>() else { return true };
    let bytes = places.map(|at| unit.get(at).copied().unwrap_or_default());
    bytes.split_first().is_some_and(|(low, high)| *low != 0 && low.is_ascii() && high.iter().all(|byte| *byte == 0))
}

fn utf32(bytes: &[u8], is_little: bool, max_bytes: usize) -> Decoded {
    let (units, rest) = bytes.as_chunks::<4>();
    let mut text = Text::new(max_bytes);
    for &unit in units {
        let code = if is_little { u32::from_le_bytes(unit) } else { u32::from_be_bytes(unit) };
        if !text.push(char::from_u32(code), unit.len()) {
            break;
        }
    }
    text.decoded(!rest.is_empty())
}

fn utf16(bytes: &[u8], is_little: bool, max_bytes: usize) -> Decoded {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let unit = |&pair: &[u8; 2]| {
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    // The first half of a pair of surrogates, whose other half is missing.
    let (is_cut, whole) = match pairs.split_last() {
        Some((last, whole)) if (0xD800..=0xDBFF).contains(&unit(last)) => (true, whole),
        _ => (false, pairs),
    };
    let mut text = Text::new(max_bytes);
    for character in char::decode_utf16(whole.iter().map(unit)) {
        let character = character.ok();
        let units = character.map_or(1, char::len_utf16);
        if !text.push(character, units.saturating_mul(2)) {
            break;
        }
    }
    text.decoded(is_cut || !rest.is_empty())
}

/// A text while it is made.
struct Text {
    made: Vec<u8>,
    max_bytes: usize,
    /// The bytes of the units that were read.
    raw: usize,
    /// The bytes of the text whose units are within `max_bytes`.
    within: usize,
    /// The physical line, and whether a CR is at its front.
    line: u32,
    after_cr: bool,
    broken: Option<u32>,
}

impl Text {
    fn new(max_bytes: usize) -> Self {
        Self { made: Vec::new(), max_bytes, raw: 0, within: 0, line: 1, after_cr: false, broken: None }
    }

    /// Adds a character, or what is none, whose units have so many bytes. False if more would change nothing.
    fn push(&mut self, character: Option<char>, units: usize) -> bool {
        self.raw = self.raw.saturating_add(units);
        let is_within = self.raw <= self.max_bytes && self.made.len() < self.max_bytes;
        if character.is_none() && is_within {
            self.broken = self.broken.or(Some(self.line));
        }
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.made.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        if self.raw <= self.max_bytes {
            self.within = self.made.len();
        }
        let ends = character == '\r' || character == '\n' && !self.after_cr;
        self.after_cr = character == '\r';
        self.line = self.line.saturating_add(u32::from(ends));
        self.made.len() < self.max_bytes.saturating_add(TEXT_BEYOND)
    }

    fn decoded(self, is_ragged: bool) -> Decoded {
        let limit = if self.raw > self.max_bytes { self.within.min(self.max_bytes) } else { self.max_bytes };
        Decoded { text: self.made, limit, is_ragged, broken: self.broken }
    }
}
