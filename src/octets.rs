//! Byte classes and leaf scans: the alphabet that every other module spells its rules in.
//!
//! Invariant: nothing here knows what a robots.txt file is. A class is a bit of one table, so a test is one load, and a
//! scan looks at each octet once.

use alloc::vec::Vec;
use core::ops::{BitOr, Range};

/// SP / HTAB: what RFC 9309 calls `WS`.
const BLANK: u8 = 1;
/// `[0-9A-Za-z-]`: what a field name is made of.
const NAME: u8 = 1 << 1;
/// `[A-Za-z_-]`: RFC 9309's `identifier`, what a product token is made of.
const TOKEN: u8 = 1 << 2;
/// `[A-Za-z0-9._-]`: a product token with the digits and dots that real ones hold.
const WIDE_TOKEN: u8 = 1 << 3;
/// RFC 3986 `unreserved`: an escape of such an octet means the octet itself.
const UNRESERVED: u8 = 1 << 4;
/// RFC 3986 `unreserved / reserved / "%"` without `#`: what the path and the query of a URL can hold as they are.
const URL: u8 = 1 << 5;
/// 0-9 / A-F / a-f.
const HEX: u8 = 1 << 6;
/// CR / LF.
const LINE_END: u8 = 1 << 7;

const CLASSES: [u8; 256] = classes();

// An index that runs over the table itself cannot leave it.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut octet = 0_u8;
    loop {
        let mut class = 0;
        let letter = octet.is_ascii_alphabetic();
        let digit = octet.is_ascii_digit();
        if matches!(octet, b' ' | b'\t') {
            class |= BLANK;
        }
        if letter || digit || octet == b'-' {
            class |= NAME;
        }
        if letter || matches!(octet, b'_' | b'-') {
            class |= TOKEN;
        }
        if letter || digit || matches!(octet, b'_' | b'-' | b'.') {
            class |= WIDE_TOKEN;
        }
        if letter || digit || matches!(octet, b'-' | b'.' | b'_' | b'~') {
            class |= UNRESERVED;
            class |= URL;
        }
        if matches!(
            octet,
            b':' | b'/'
                | b'?'
                | b'['
                | b']'
                | b'@'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b'%'
        ) {
            class |= URL;
        }
        if octet.is_ascii_hexdigit() {
            class |= HEX;
        }
        if matches!(octet, b'\r' | b'\n') {
            class |= LINE_END;
        }
        table[octet as usize] = class;
        if octet == u8::MAX {
            return table;
        }
        octet += 1;
    }
}

/// What an octet of a path asks of whoever normalises it; nothing, where it is plain.
pub(crate) mod asks {
    /// A star: a pattern means something by it.
    pub(crate) const STAR: u8 = 1;
    /// A dollar: so it does by this one, at its end.
    pub(crate) const DOLLAR: u8 = 1 << 1;
    /// `%`: it may be an escape.
    pub(crate) const PERCENT: u8 = 1 << 2;
    /// ASCII that no URL holds raw.
    pub(crate) const RAW: u8 = 1 << 3;
    /// Not ASCII.
    pub(crate) const HIGH: u8 = 1 << 4;

    /// Whether this is among what is asked for.
    #[inline]
    pub(crate) const fn has(asked: u8, this: u8) -> bool {
        asked & this != 0
    }
}

const ASKS: [u8; 256] = asks_of_octets();

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn asks_of_octets() -> [u8; 256] {
    let mut table = [0; 256];
    let mut octet = 0_u8;
    loop {
        table[octet as usize] = match octet {
            b'*' => asks::STAR,
            b'$' => asks::DOLLAR,
            b'%' => asks::PERCENT,
            0x80.. => asks::HIGH,
            _ if CLASSES[octet as usize] & URL == 0 => asks::RAW,
            _ => 0,
        };
        if octet == u8::MAX {
            return table;
        }
        octet += 1;
    }
}

/// All that the octets of a path ask for.
#[inline]
pub(crate) fn asked_by(path: &[u8]) -> u8 {
    all_of(path, asked_by_octet)
}

/// What all octets have by `of`, together. Eight are taken without a look at where the end is, which is half of the work; the
/// last eight may be taken twice, so that none are left over.
#[inline]
fn all_of<T: BitOr<Output = T> + Default>(bytes: &[u8], of: impl Fn(u8) -> T) -> T {
    let add = |all: T, bytes: &[u8]| bytes.iter().fold(all, |all, octet| all | of(*octet));
    match bytes.last_chunk::<8>() {
        Some(last) => {
            let (eights, _) = bytes.as_chunks::<8>();
            add(eights.iter().fold(T::default(), |all, eight| add(all, eight)), last)
        }
        None => add(T::default(), bytes),
    }
}

/// How many stars there are.
#[inline]
#[allow(clippy::naive_bytecount)] // In patterns of some twenty octets nothing is faster.
pub(crate) fn stars(path: &[u8]) -> usize {
    path.iter().filter(|octet| **octet == b'*').count()
}

/// The octets at the front that a URL's path and query can hold, and what they ask for: in most lines all of the value.
#[inline]
pub(crate) fn leading_path(bytes: &[u8]) -> (&[u8], u8) {
    let mut length = plain_length(bytes);
    let mut asked = 0;
    while let Some(octet) = bytes.get(length)
        && let asks = asked_by_octet(*octet)
        && !asks::has(asks, asks::RAW)
        && !asks::has(asks, asks::HIGH)
    {
        asked |= asks;
        length = length.saturating_add(1);
    }
    (part(bytes, 0..length), asked)
}

/// How many octets at the front ask for nothing.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    // Eight without a look at where the end is: that is half of the work.
    while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
        if let Some(at) = eight.iter().position(|octet| asked_by_octet(*octet) != 0) {
            return bytes.len().wrapping_sub(rest.len()).wrapping_add(at);
        }
        rest = behind;
    }
    let plain = rest.iter().take_while(|octet| asked_by_octet(**octet) == 0).count();
    bytes.len().wrapping_sub(rest.len()).wrapping_add(plain)
}

#[inline]
fn asked_by_octet(octet: u8) -> u8 {
    ASKS.get(usize::from(octet)).copied().unwrap_or(0)
}

#[inline]
fn has(octet: u8, class: u8) -> bool {
    // The table has a place for each octet: the compiler drops the check.
    CLASSES.get(usize::from(octet)).is_some_and(|bits| bits & class != 0)
}

#[inline]
pub(crate) fn is_blank(octet: u8) -> bool {
    has(octet, BLANK)
}

#[inline]
pub(crate) fn is_name(octet: u8) -> bool {
    has(octet, NAME)
}

#[inline]
pub(crate) fn is_token(octet: u8) -> bool {
    has(octet, TOKEN)
}

#[inline]
pub(crate) fn is_wide_token(octet: u8) -> bool {
    has(octet, WIDE_TOKEN)
}

#[inline]
pub(crate) fn is_unreserved(octet: u8) -> bool {
    has(octet, UNRESERVED)
}

#[inline]
pub(crate) fn is_url(octet: u8) -> bool {
    has(octet, URL)
}

#[inline]
pub(crate) fn is_hex(octet: u8) -> bool {
    has(octet, HEX)
}

#[inline]
pub(crate) fn is_line_end(octet: u8) -> bool {
    has(octet, LINE_END)
}

/// Which octets there are in `bytes`, roughly: 64 classes, of which small letters, digits and marks have one each. What lacks a
/// class of another sketch cannot hold the other.
#[inline]
pub(crate) fn sketch(bytes: &[u8]) -> u64 {
    all_of(bytes, |octet| 1_u64 << ((octet ^ octet >> 1) & 63))
}

/// Some of the 256 octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OctetSet([u64; 4]);

impl OctetSet {
    /// Adds a letter in both cases.
    pub(crate) fn insert(&mut self, octet: u8) {
        for octet in [octet.to_ascii_lowercase(), octet.to_ascii_uppercase()] {
            if let Some(bits) = self.0.get_mut(usize::from(octet >> 6)) {
                *bits |= 1 << (octet & 63);
            }
        }
    }

    #[inline]
    pub(crate) fn contains(&self, octet: u8) -> bool {
        self.0.get(usize::from(octet >> 6)).is_some_and(|bits| bits >> (octet & 63) & 1 == 1)
    }
}

/// What C's `isspace` takes: blanks, line ends, VT and FF. Google's parser trims with it.
#[inline]
pub(crate) fn is_c_space(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t'..=b'\r')
}

/// `bytes` divided before the first octet that is not of the class.
#[inline]
pub(crate) fn split_while(bytes: &[u8], class: fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|&octet| !class(octet)).unwrap_or(bytes.len());
    bytes.split_at_checked(at).unwrap_or((bytes, &[]))
}

#[inline]
pub(crate) fn trim_start(bytes: &[u8], class: fn(u8) -> bool) -> &[u8] {
    split_while(bytes, class).1
}

#[inline]
pub(crate) fn trim_end(bytes: &[u8], class: fn(u8) -> bool) -> &[u8] {
    let kept = bytes.iter().rposition(|&octet| !class(octet)).map_or(0, |last| last.saturating_add(1));
    bytes.get(..kept).unwrap_or(bytes)
}

#[inline]
pub(crate) fn trim(bytes: &[u8], class: fn(u8) -> bool) -> &[u8] {
    trim_end(trim_start(bytes, class), class)
}

/// The part of `bytes` in `range`, empty where there is none.
#[inline]
pub(crate) fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

/// The octet that the two hexadecimal digits spell.
#[inline]
pub(crate) fn unhex(high: u8, low: u8) -> Option<u8> {
    let digit = |octet: u8| char::from(octet).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)?.wrapping_mul(16).wrapping_add(digit(low)?))
}

/// The octet that an escape at the front of `bytes` stands for: `%41` is `A`.
#[inline]
pub(crate) fn escape_at(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => unhex(*high, *low),
        _ => None,
    }
}

/// Appends `%XX`, in upper case.
pub(crate) fn push_escape(out: &mut Vec<u8>, octet: u8) {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).map_or(b'0', |c| c.to_ascii_uppercase() as u8);
    out.extend_from_slice(&[b'%', digit(octet >> 4), digit(octet & 0xF)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_round_trip() {
        for octet in 0..=u8::MAX {
            let mut out = Vec::new();
            push_escape(&mut out, octet);
            assert_eq!(escape_at(&out), Some(octet));
        }
        assert_eq!(escape_at(b"%4"), None);
        assert_eq!(escape_at(b"%zz"), None);
    }

    #[test]
    fn trims_at_both_ends_only() {
        assert_eq!(trim(b" \ta b\t ", is_blank), b"a b");
        assert_eq!(trim(b" \t ", is_blank), b"");
        assert_eq!(split_while(b"abc:", is_name), (&b"abc"[..], &b":"[..]));
    }
}
