//! UTF-16 and UTF-32 with a byte order mark -> UTF-8.
//!
//! Invariant: the text, and what is said about it, depend on the bytes only, not on the pieces that they come in. Of a
//! file of any length at most `max_bytes` bytes of the text are made, and some more that show whether there are more.

use alloc::vec::Vec;

use crate::input::ByteOrder;

/// Bytes of units that are decoded beyond `max_bytes`: a CRLF and another character of UTF-32.
const RAW_BEYOND: usize = 12;
/// Bytes of text that are made beyond `max_bytes`: a CRLF, and one that shows that there are more.
const TEXT_BEYOND: usize = 3;

/// Decodes the bytes after the mark.
#[derive(Debug)]
pub(crate) struct Decoder {
    order: ByteOrder,
    /// The bytes of a unit.
    width: usize,
    max_bytes: usize,
    /// The bytes of a unit that is not whole yet.
    unit: [u8; 4],
    held: usize,
    /// The first half of a pair of surrogates.
    high: Option<u32>,
    /// The bytes of whole units.
    raw: usize,
    /// The bytes of the text.
    length: usize,
    /// The bytes of the text whose units are within `max_bytes`.
    within: usize,
    /// The physical line, and whether a CR is at its front.
    line: u32,
    after_cr: bool,
    /// The line of the first character that is none.
    broken: Option<u32>,
}

/// A file that was decoded.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: Vec<u8>,
    /// How much of the text is within `max_bytes`.
    pub(crate) limit: usize,
    pub(crate) is_ragged: bool,
    pub(crate) broken: Option<u32>,
}

/// Decodes a file that begins with such a mark and a character of ASCII.
pub(crate) fn decode(input: &[u8], max_bytes: usize) -> Option<Decoded> {
    let (mut decoder, mark) = Decoder::of(input, max_bytes)?;
    let mut text = Vec::new();
    decoder.push(input.get(mark..).unwrap_or_default(), &mut text);
    let (limit, is_ragged, broken) = (decoder.limit(), decoder.is_ragged(), decoder.broken());
    Some(Decoded { text, limit, is_ragged, broken })
}

/// Whether a unit, whose bytes have these places from the lowest on, is a character of ASCII, or is not whole.
fn begins_with_ascii<const N: usize>(rest: &[u8], places: [usize; N]) -> bool {
    let Some(unit) = rest.first_chunk::<N>() else { return true };
    let bytes = places.map(|at| unit.get(at).copied().unwrap_or_default());
    bytes.split_first().is_some_and(|(low, high)| *low != 0 && low.is_ascii() && high.iter().all(|byte| *byte == 0))
}

impl Decoder {
    /// A decoder for what begins with these bytes, and the length of the mark. Only if a character of ASCII, or less than
    /// one, follows the mark: other bytes may be of a file that begins with a stray mark, and read as UTF-16 it would
    /// have no rule left. The mark of UTF-32 begins with that of UTF-16, and no text begins with a NUL, so eight bytes are needed.
    #[inline]
    pub(crate) fn of(start: &[u8], max_bytes: usize) -> Option<(Self, usize)> {
        let (order, width) = match start {
            [0xFF, 0xFE, 0, 0, rest @ ..] if begins_with_ascii(rest, [0, 1, 2, 3]) => (ByteOrder::Little, 4),
            [0, 0, 0xFE, 0xFF, rest @ ..] if begins_with_ascii(rest, [3, 2, 1, 0]) => (ByteOrder::Big, 4),
            [0xFF, 0xFE, rest @ ..] if begins_with_ascii(rest, [0, 1]) => (ByteOrder::Little, 2),
            [0xFE, 0xFF, rest @ ..] if begins_with_ascii(rest, [1, 0]) => (ByteOrder::Big, 2),
            _ => return None,
        };
        let decoder = Self {
            order,
            width,
            max_bytes,
            unit: [0; 4],
            held: 0,
            high: None,
            raw: 0,
            length: 0,
            within: 0,
            line: 1,
            after_cr: false,
            broken: None,
        };
        Some((decoder, width))
    }

    /// Decodes more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for &byte in bytes {
            if self.is_full() {
                return;
            }
            if let Some(place) = self.unit.get_mut(self.held) {
                *place = byte;
            }
            self.held = self.held.saturating_add(1);
            if self.held == self.width {
                self.held = 0;
                self.take_unit(text);
            }
        }
    }

    /// Whether more bytes would change nothing.
    pub(crate) const fn is_full(&self) -> bool {
        self.raw >= self.max_bytes.saturating_add(RAW_BEYOND)
            || self.length >= self.max_bytes.saturating_add(TEXT_BEYOND)
    }

    /// How much of the text is within `max_bytes`, of its own bytes and of the bytes of its units.
    pub(crate) fn limit(&self) -> usize {
        if self.raw > self.max_bytes { self.within.min(self.max_bytes) } else { self.max_bytes }
    }

    /// Whether the bytes end within a character.
    pub(crate) const fn is_ragged(&self) -> bool {
        self.held > 0 || self.high.is_some()
    }

    /// The line of the first character that is none.
    pub(crate) const fn broken(&self) -> Option<u32> {
        self.broken
    }

    fn take_unit(&mut self, text: &mut Vec<u8>) {
        let before = self.raw;
        self.raw = before.saturating_add(self.width);
        let [a, b, ..] = self.unit;
        let unit = match (self.width, self.order) {
            (2, ByteOrder::Little) => u32::from(u16::from_le_bytes([a, b])),
            (2, ByteOrder::Big) => u32::from(u16::from_be_bytes([a, b])),
            (_, ByteOrder::Little) => u32::from_le_bytes(self.unit),
            (_, ByteOrder::Big) => u32::from_be_bytes(self.unit),
        };
        if let Some(high) = self.high.take() {
            if (0xDC00..=0xDFFF).contains(&unit) {
                // Ten bits of each half, above the first plane.
                let code = (high & 0x3FF).wrapping_shl(10).saturating_add(unit & 0x3FF).saturating_add(0x1_0000);
                return self.write(char::from_u32(code), self.raw, text);
            }
            self.write(None, before, text);
        }
        if self.width == 2 && (0xD800..=0xDBFF).contains(&unit) {
            self.high = Some(unit);
        } else {
            self.write(char::from_u32(unit), self.raw, text);
        }
    }

    /// Writes a character, whose units end after so many bytes.
    fn write(&mut self, character: Option<char>, raw: usize, text: &mut Vec<u8>) {
        let is_within = raw <= self.max_bytes && self.length < self.max_bytes;
        if character.is_none() && is_within {
            self.broken = self.broken.or(Some(self.line));
        }
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        text.extend_from_slice(bytes);
        self.length = self.length.saturating_add(bytes.len());
        if raw <= self.max_bytes {
            self.within = self.length;
        }
        let ends = character == '\r' || character == '\n' && !self.after_cr;
        self.after_cr = character == '\r';
        self.line = self.line.saturating_add(u32::from(ends));
    }
}
