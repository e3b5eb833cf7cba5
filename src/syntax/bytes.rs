//! Byte classes and simple scans, used by all other modules.
//!
//! Nothing here is about robots.txt. A class is one bit of a table, so a test is one load. A scan reads each byte once.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{BitOr, Range};

/// SP / HTAB: `WS` of RFC 9309.
const BLANK: u8 = 1;
/// `[0-9A-Za-z-]`: the bytes of field names.
const NAME: u8 = 1 << 1;
/// `[A-Za-z_-]`: RFC 9309's `identifier`, the bytes of product tokens.
const TOKEN: u8 = 1 << 2;
/// `[A-Za-z0-9._-]`: the same with digits and dots, which real tokens contain.
const WIDE_TOKEN: u8 = 1 << 3;
/// RFC 3986 `unreserved`: an escape of such a byte is equivalent to the byte itself.
const UNRESERVED: u8 = 1 << 4;
/// RFC 3986 `unreserved / reserved / "%"` without `#`: the bytes that the path and query of a URL can contain
/// unencoded.
const URL: u8 = 1 << 5;
/// 0-9 / A-F / a-f.
const HEX: u8 = 1 << 6;
/// CR / LF.
const LINE_END: u8 = 1 << 7;

const CLASSES: [u8; 256] = classes();

// The index stays within the table, because it is a byte.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut class = 0;
        let letter = byte.is_ascii_alphabetic();
        let digit = byte.is_ascii_digit();
        if matches!(byte, b' ' | b'\t') {
            class |= BLANK;
        }
        if letter || digit || byte == b'-' {
            class |= NAME;
        }
        if letter || matches!(byte, b'_' | b'-') {
            class |= TOKEN;
        }
        if letter || digit || matches!(byte, b'_' | b'-' | b'.') {
            class |= WIDE_TOKEN;
        }
        if letter || digit || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            class |= UNRESERVED;
            class |= URL;
        }
        if matches!(byte, b'!' | b'$'..=b'/' | b':' | b';' | b'=' | b'?' | b'@' | b'[' | b']') {
            class |= URL;
        }
        if byte.is_ascii_hexdigit() {
            class |= HEX;
        }
        if matches!(byte, b'\r' | b'\n') {
            class |= LINE_END;
        }
        table[byte as usize] = class;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Which bytes a path has that need more than a comparison; none of a plain path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    /// A plain byte.
    pub(crate) const NONE: Self = Self(0);
    /// `*`: a wildcard in a pattern.
    pub(crate) const STAR: Self = Self(1);
    /// `$`: the anchor at the end of a pattern.
    pub(crate) const DOLLAR: Self = Self(1 << 1);
    /// Both.
    pub(crate) const WILDCARDS: Self = Self(1 | 1 << 1);
    /// `%`: it may be an escape.
    pub(crate) const PERCENT: Self = Self(1 << 2);
    /// ASCII that a URL cannot contain unencoded.
    pub(crate) const RAW: Self = Self(1 << 3);
    /// Not ASCII.
    pub(crate) const HIGH: Self = Self(1 << 4);
    /// A run of `*`. Only a pattern has this flag, no single byte.
    pub(crate) const STAR_RUN: Self = Self(1 << 5);
    /// `:`: a name of a directive may be before it. A pattern does not have this flag.
    pub(crate) const COLON: Self = Self(1 << 6);
    /// All flags: nothing is known about the bytes.
    pub(crate) const ANY: Self = Self(u8::MAX);

    /// Whether it has any of these.
    #[inline]
    pub(crate) const fn has(self, these: Self) -> bool {
        self.0 & these.0 != 0
    }

    #[inline]
    pub(crate) const fn without(self, these: Self) -> Self {
        Self(self.0 & !these.0)
    }

    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Flags {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

const FLAGS: [Flags; 256] = flags_of_bytes();

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn flags_of_bytes() -> [Flags; 256] {
    let mut table = [Flags::NONE; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'*' => Flags::STAR,
            b'$' => Flags::DOLLAR,
            b'%' => Flags::PERCENT,
            b':' => Flags::COLON,
            0x80.. => Flags::HIGH,
            _ if CLASSES[byte as usize] & URL == 0 => Flags::RAW,
            _ => Flags::NONE,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// The flags of all bytes of a path.
///
/// Not inlined: where vectors may be used, the compiler would unroll it to 20 kB of code, which is slower.
#[inline(never)]
pub(crate) fn flags_in(path: &[u8]) -> Flags {
    all_of(path, flags_of)
}

/// Combines `of` for all bytes. Takes eight at once without a bounds check, which halves the work. The last eight may
/// be read twice, so that none are left over.
#[inline]
fn all_of<T: BitOr<Output = T> + Default>(bytes: &[u8], of: impl Fn(u8) -> T) -> T {
    let add = |all: T, bytes: &[u8]| bytes.iter().fold(all, |all, byte| all | of(*byte));
    match bytes.last_chunk::<8>() {
        Some(last) => {
            let (eights, _) = bytes.as_chunks::<8>();
            add(eights.iter().fold(T::default(), |all, eight| add(all, eight)), last)
        }
        None => add(T::default(), bytes),
    }
}

/// The number of runs of `*`, and whether any has more than one. Takes eight bytes at once, without branches: a byte that
/// differs from a star in no bit becomes 1, others 0. A run begins at a star with no star before it, and the product with
/// eight ones sums these bytes in the highest.
#[inline]
pub(crate) fn star_runs(path: &[u8]) -> (usize, bool) {
    const LOW: u64 = u64::from_ne_bytes([0x7F; 8]);
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let (eights, rest) = path.as_chunks::<8>();
    // Whether the byte before is a star, as the lowest bit.
    let mut before = 0;
    let (mut runs, mut repeated) = (0_u64, 0);
    for eight in eights {
        let differing = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([b'*'; 8]);
        // One bit for each star.
        let stars = !((differing & LOW).wrapping_add(LOW) | differing | LOW) >> 7;
        let after_star = stars << 8 | before;
        runs = runs.wrapping_add((stars & !after_star).wrapping_mul(ONES) >> 56);
        repeated |= stars & after_star;
        before = stars >> 56;
    }
    for byte in rest {
        let star = u64::from(*byte == b'*');
        runs = runs.wrapping_add(star & !before);
        repeated |= star & before;
        before = star;
    }
    (usize::try_from(runs).unwrap_or(usize::MAX), repeated != 0)
}

/// The flags of a byte.
#[inline]
pub(crate) fn flags_of(byte: u8) -> Flags {
    FLAGS.get(usize::from(byte)).copied().unwrap_or(Flags::NONE)
}

#[inline]
fn has(byte: u8, class: u8) -> bool {
    // The table has an entry for each byte, so the compiler removes the check.
    CLASSES.get(usize::from(byte)).is_some_and(|bits| bits & class != 0)
}

#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    has(byte, BLANK)
}

#[inline]
pub(crate) fn is_name(byte: u8) -> bool {
    has(byte, NAME)
}

#[inline]
pub(crate) fn is_token(byte: u8) -> bool {
    has(byte, TOKEN)
}

#[inline]
pub(crate) fn is_wide_token(byte: u8) -> bool {
    has(byte, WIDE_TOKEN)
}

/// Whether a byte needs no escape in a path.
#[inline]
#[must_use]
pub fn is_unreserved(byte: u8) -> bool {
    has(byte, UNRESERVED)
}

/// Whether a byte can stand in a URL as it is.
#[inline]
#[must_use]
pub fn is_url_byte(byte: u8) -> bool {
    has(byte, URL)
}

pub(crate) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Reads digits as a number; returns the largest number if they overflow.
pub(crate) fn decimal(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0_u64, |number, &digit| number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))))
}

/// Whether a byte is a hexadecimal digit.
#[inline]
#[must_use]
pub fn is_hex(byte: u8) -> bool {
    has(byte, HEX)
}

#[inline]
pub(crate) fn is_line_end(byte: u8) -> bool {
    has(byte, LINE_END)
}

/// A rough set of the bytes in `bytes`. It has 64 classes: one for each lower-case letter, digit and punctuation
/// mark. If a sketch lacks a class of another sketch, its bytes cannot contain all bytes of the other.
#[inline]
pub(crate) fn sketch(bytes: &[u8]) -> u64 {
    all_of(bytes, |byte| 1_u64 << ((byte ^ byte >> 1) & 63))
}

/// The number of control characters other than tabs, line ends, VT and FF.
#[inline]
#[allow(clippy::needless_bitwise_bool)] // Without branches the compiler uses vector instructions.
pub(crate) fn controls(bytes: &[u8]) -> usize {
    // The count of a block fits into a byte.
    let is_control = |byte: u8| (byte < b'\t') | (byte.wrapping_sub(0x0E) < 0x12) | (byte == 0x7F);
    let block = |bytes: &[u8]| bytes.iter().fold(0_u8, |count, &byte| count.wrapping_add(u8::from(is_control(byte))));
    bytes.chunks(128).map(|bytes| usize::from(block(bytes))).sum()
}

/// The class of C's `isspace`: blanks, line ends, VT and FF. Google's parser trims with it.
#[inline]
pub(crate) fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Splits `bytes` before the first byte that is not in the class.
#[inline]
pub(crate) fn split_while(bytes: &[u8], class: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = bytes.iter().position(|&byte| !class(byte)).unwrap_or(bytes.len());
    split_at(bytes, at)
}

/// The bytes before and after the first `byte`, if there is one. For short text: it prepares no search.
#[inline]
pub(crate) fn split_once(bytes: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let (before, after) = split_while(bytes, |other| other != byte);
    Some((before, after.split_first()?.1))
}

#[inline]
pub(crate) fn trim_start(bytes: &[u8], class: impl Fn(u8) -> bool) -> &[u8] {
    split_while(bytes, class).1
}

/// The bytes after the blanks at the front. Indented lines begin with many spaces: takes eight at once.
#[inline]
pub(crate) fn trim_blanks(bytes: &[u8]) -> &[u8] {
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    let mut rest = bytes;
    while let Some(eight) = rest.first_chunk::<8>() {
        let spaces = (u64::from_le_bytes(*eight) ^ SPACES).trailing_zeros() as usize / 8;
        rest = split_at(rest, spaces).1;
        match rest.first() {
            Some(b' ') => {}
            Some(b'\t') => rest = split_at(rest, 1).1,
            _ => return rest,
        }
    }
    trim_start(rest, is_blank)
}

#[inline]
pub(crate) fn trim_end(bytes: &[u8], class: impl Fn(u8) -> bool) -> &[u8] {
    let kept = bytes.iter().rposition(|&byte| !class(byte)).map_or(0, |last| last.saturating_add(1));
    bytes.get(..kept).unwrap_or(bytes)
}

#[inline]
pub(crate) fn trim(bytes: &[u8], class: impl Fn(u8) -> bool + Copy) -> &[u8] {
    trim_end(trim_start(bytes, class), class)
}

/// Splits `bytes` at `at`, or at their end.
#[inline]
pub(crate) fn split_at(bytes: &[u8], at: usize) -> (&[u8], &[u8]) {
    bytes.split_at_checked(at).unwrap_or((bytes, &[]))
}

/// The first `length` bytes of a text.
pub(crate) fn front(text: Cow<'_, [u8]>, length: usize) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(split_at(text, length).0),
        Cow::Owned(mut text) => {
            text.truncate(length);
            Cow::Owned(text)
        }
    }
}

/// The part of `bytes` in `range`, as far as it exists.
#[inline]
pub(crate) fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    split_at(split_at(bytes, range.end).0, range.start).1
}

/// The byte that two hexadecimal digits represent.
#[inline]
#[must_use]
pub fn unhex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)?.wrapping_mul(16).wrapping_add(digit(low)?))
}

/// The byte that an escape at the front of `bytes` represents: `%41` is `A`.
#[inline]
pub(crate) fn escape_at(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => unhex(*high, *low),
        _ => None,
    }
}

/// Appends `%XX`, in upper case.
pub(crate) fn push_escape(out: &mut Vec<u8>, byte: u8) {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).map_or(b'0', |c| c.to_ascii_uppercase() as u8);
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 0xF)]);
}

/// Percent-encodes all bytes that are not printable ASCII.
#[must_use]
pub fn percent_encoded(value: &[u8]) -> String {
    let mut out = Vec::with_capacity(value.len());
    push_percent_encoded(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a value with all bytes percent-encoded that are not printable ASCII.
pub(crate) fn push_percent_encoded(out: &mut Vec<u8>, value: &[u8]) {
    for &byte in value {
        if matches!(byte, b' '..=b'~') {
            out.push(byte);
        } else {
            push_escape(out, byte);
        }
    }
}

/// Percent-encodes all bytes that are not printable ASCII. Copies nothing if there are none.
pub(crate) fn as_percent_encoded(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~');
    if value.iter().all(plain) { value } else { Cow::Owned(percent_encoded(&value).into_bytes()) }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn escapes_round_trip() {
        for byte in 0..=u8::MAX {
            let mut out = Vec::new();
            push_escape(&mut out, byte);
            assert_eq!(escape_at(&out), Some(byte));
        }
        assert_eq!(escape_at(b"%4"), None);
        assert_eq!(escape_at(b"%zz"), None);
    }

    #[test]
    fn runs_of_stars_count_once() {
        for (path, found) in [(&b""[..], (0, false)), (b"/a", (0, false)), (b"*a*", (2, false)), (b"/**a*", (2, true))]
        {
            assert_eq!(star_runs(path), found);
        }
        // All places of stars in twelve bytes, in one and in two words.
        for bits in 0..1_u32 << 12 {
            let path: Vec<u8> = (0..12).map(|at| if bits >> at & 1 == 1 { b'*' } else { b'+' }).collect();
            let runs = path.split(|&byte| byte != b'*').filter(|run| !run.is_empty());
            assert_eq!(star_runs(&path), (runs.clone().count(), runs.into_iter().any(|run| run.len() > 1)));
        }
    }

    #[test]
    fn trims_at_both_ends_only() {
        assert_eq!(trim(b" \ta b\t ", is_blank), b"a b");
        assert_eq!(trim(b" \t ", is_blank), b"");
        assert_eq!(split_while(b"abc:", is_name), (&b"abc"[..], &b":"[..]));
    }
}
