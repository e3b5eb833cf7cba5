//! What of an input is read, and what its first octets give away: byte order marks, UTF-16, and things that are no robots.txt.
//!
//! Invariant: a byte order mark and what is over the limit are not read; the rest is for the report. Looks at the first 512
//! octets at most, and at line ends.

use bstr::ByteSlice;

use crate::octets;
use crate::report::FindingKind;

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
const LOOKED_AT: usize = 512;

/// What other files begin with, blank lines apart: markup, JSON, and the signatures of common binary formats.
const FOREIGN_STARTS: &[&[u8]] = &[
    b"<",
    b"{",
    b"[{",
    b"[\"",
    b"%PDF",
    b"%!PS",
    b"\x89PNG",
    b"GIF8",
    b"\xFF\xD8\xFF",
    b"RIFF",
    b"BM",
    b"PK\x03\x04",
    b"\x1F\x8B",
    b"\x7FELF",
    b"\0\0\x01\0",
];

/// The input without its byte order mark, whole or in part, and what was seen.
pub(crate) fn sniff(input: &[u8]) -> (&[u8], impl Iterator<Item = FindingKind>) {
    let mark = input.iter().zip(UTF8_MARK).take_while(|(octet, mark)| octet == mark).count();
    let body = input.get(mark..).unwrap_or_default();
    let start = octets::part(body, 0..body.len().min(LOOKED_AT));
    let utf16 = is_utf16(start);
    let seen = [
        (mark > 0, FindingKind::ByteOrderMark),
        (!utf16 && matches!(body, [0xEF | 0xBB | 0xBF, ..]), FindingKind::StrayByteOrderMark),
        (utf16, FindingKind::Utf16),
        (!utf16 && is_foreign(start), FindingKind::NotRobotsTxt),
    ];
    (body, seen.into_iter().filter(|(is_seen, _)| *is_seen).map(|(_, kind)| kind))
}

/// A UTF-16 byte order mark, or a NUL in every other place of the first ones.
fn is_utf16(start: &[u8]) -> bool {
    match start {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [first, 0, second, 0, ..] | [0, first, 0, second, ..] => first.is_ascii_graphic() && second.is_ascii_graphic(),
        _ => false,
    }
}

fn is_foreign(start: &[u8]) -> bool {
    let text = start.trim_start_with(|c| c.is_ascii_whitespace());
    FOREIGN_STARTS.iter().any(|signature| text.starts_with(signature))
}

/// The whole lines among the first `max` octets, and whether anything but a line end is left behind them.
pub(crate) fn within(body: &[u8], max: usize) -> (&[u8], bool) {
    let Some((front, rest)) = body.split_at_checked(max) else { return (body, false) };
    if rest.first().copied().is_none_or(octets::is_line_end) {
        return (front, !matches!(rest, b"" | b"\n" | b"\r" | b"\r\n"));
    }
    let end = front.rfind_byteset(b"\r\n").map_or(0, |at| at.saturating_add(1));
    (octets::part(front, 0..end), true)
}

/// Lines in `bytes`, where CRLF ends one.
pub(crate) fn count_lines(bytes: &[u8]) -> u32 {
    let ends = memchr::memchr2_iter(b'\r', b'\n', bytes).count();
    let pairs = bytes.find_iter(b"\r\n").count();
    let unended = usize::from(bytes.last().is_some_and(|&octet| !octets::is_line_end(octet)));
    u32::try_from(ends.saturating_sub(pairs).saturating_add(unended)).unwrap_or(u32::MAX)
}
