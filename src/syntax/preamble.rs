//! Checks the start of an input: byte order marks, UTF-16, and formats other than robots.txt. Also applies the limit
//! on bytes.
//!
//! Invariant: a byte order mark and the bytes over the limit are not parsed. Everything else is only for the report.
//! Looks at the first 512 bytes at most, and at line ends.

use core::fmt;

use bstr::ByteSlice;

use crate::report::finding::{Effect, FindingKind};
use crate::syntax::{bytes, names};

pub(crate) const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
const LOOKED_AT: usize = 512;

/// Text has fewer control characters than one in this many bytes.
const TEXT_PER_CONTROL: usize = 32;
/// Text in an old encoding, without fields or comments, has fewer bytes outside ASCII than one in this many.
const TEXT_PER_HIGH: usize = 4;

/// The first bytes of formats. Each signature contains a byte that no robots.txt begins with, or is too long to occur
/// in one by chance.
const SIGNATURES: &[(&[u8], InputKind)] = &[
    (b"\x1F\x8B", InputKind::Gzip),
    (b"\x28\xB5\x2F\xFD", InputKind::Zstd),
    (b"\xFD7zXZ\0", InputKind::Compressed("xz")),
    (b"\x04\x22\x4D\x18", InputKind::Compressed("lz4")),
    (b"\x1F\x9D", InputKind::Compressed("compress")),
    (b"PK\x03\x04", InputKind::Archive("zip")),
    (b"7z\xBC\xAF\x27\x1C", InputKind::Archive("7z")),
    (b"Rar!\x1A\x07", InputKind::Archive("rar")),
    (b"WARC/1.", InputKind::Archive("warc")),
    (b"\x89PNG", InputKind::Image("png")),
    (b"GIF8", InputKind::Image("gif")),
    (b"\xFF\xD8\xFF", InputKind::Image("jpeg")),
    (b"\0\0\x01\0", InputKind::Image("ico")),
    (b"II*\0", InputKind::Image("tiff")),
    (b"MM\0*", InputKind::Image("tiff")),
    (b"%PDF", InputKind::Document("pdf")),
    (b"%!PS", InputKind::Document("ps")),
    (b"{\\rtf", InputKind::Document("rtf")),
    (b"\xD0\xCF\x11\xE0", InputKind::Document("ole")),
    (b"\x7FELF", InputKind::Program("elf")),
    (b"\0asm", InputKind::Program("wasm")),
    (b"HTTP/1.", InputKind::HttpResponse),
    (b"HTTP/2 ", InputKind::HttpResponse),
];

/// The properties of an input other than its lines.
pub(crate) struct Preamble<'a> {
    /// The input without its byte order mark, which may be incomplete.
    pub(crate) body: &'a [u8],
    pub(crate) kind: InputKind,
    has_mark: bool,
    /// Whether the body is the text of a file in UTF-16 or UTF-32.
    is_decoded: bool,
}

/// Looks at the first bytes of an input.
pub(crate) fn sniff(input: &[u8]) -> Preamble<'_> {
    let plain = as_text(input);
    Preamble { kind: kind_of(plain.body), ..plain }
}

/// The preamble of a file, where nobody asks what kind of input it is.
pub(crate) fn as_text(input: &[u8]) -> Preamble<'_> {
    let mark = mark_length(input);
    let body = input.get(mark..).unwrap_or_default();
    Preamble { body, kind: InputKind::Text, has_mark: mark > 0, is_decoded: false }
}

/// Looks at the first bytes of a text that was decoded.
pub(crate) fn sniff_decoded(text: &[u8]) -> Preamble<'_> {
    Preamble { body: text, kind: kind_of(text), has_mark: false, is_decoded: true }
}

/// How many bytes of a byte order mark the input begins with.
pub(crate) fn mark_length(input: &[u8]) -> usize {
    input.iter().zip(UTF8_MARK).take_while(|(byte, mark)| byte == mark).count()
}

impl Preamble<'_> {
    /// The findings to report.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (FindingKind, Effect)> {
        let is_wide = matches!(self.kind, InputKind::Utf16(_) | InputKind::Utf32(_));
        let has_stray_mark = matches!(self.body, [0xEF | 0xBB | 0xBF, ..]);
        let is_foreign = !is_wide && !self.kind.may_be_robots_txt();
        let seen = [
            (self.has_mark, FindingKind::ByteOrderMark, Effect::None),
            (self.is_decoded, FindingKind::Decoded, Effect::None),
            (has_stray_mark, FindingKind::StrayByteOrderMark, Effect::None),
            (is_wide, FindingKind::Utf16, Effect::Either),
            (is_foreign, FindingKind::NotRobotsTxt, effect_of(self.kind)),
        ];
        seen.into_iter().filter(|(is_seen, ..)| *is_seen).map(|(_, kind, effect)| (kind, effect))
    }
}

/// Packed files may contain rules that are not read. An error page instead of a robots.txt contains none.
const fn effect_of(kind: InputKind) -> Effect {
    match kind {
        InputKind::Gzip
        | InputKind::Zstd
        | InputKind::Compressed(_)
        | InputKind::Archive(_)
        | InputKind::Document(_)
        | InputKind::Binary => Effect::Either,
        _ => Effect::None,
    }
}

/// `[input.kind]`
fn kind_of(body: &[u8]) -> InputKind {
    if body.is_empty() {
        return InputKind::Empty;
    }
    let start = bytes::part(body, 0..body.len().min(LOOKED_AT));
    let text = start.trim_start_with(|c| c.is_ascii_whitespace());
    let of_format = match text.first() {
        None => None,
        // Nearly all files begin with one of these.
        Some(b'#' | b'A' | b'a' | b'D' | b'd' | b'S' | b's' | b'U' | b'u') => archived(start),
        Some(b'A'..=b'Z' | b'a'..=b'z') => signed(start),
        Some(_) => wide(start).or_else(|| foreign(start, text)),
    };
    match of_format.or_else(|| wide_without_mark(start)) {
        Some(kind) => kind,
        None if is_binary(start) => InputKind::Binary,
        None => InputKind::Text,
    }
}

/// UTF-16 or UTF-32 with a byte order mark.
fn wide(start: &[u8]) -> Option<InputKind> {
    match start {
        [0xFF, 0xFE, 0, 0, ..] => Some(InputKind::Utf32("le")),
        [0, 0, 0xFE, 0xFF, ..] => Some(InputKind::Utf32("be")),
        [0xFF, 0xFE, ..] => Some(InputKind::Utf16("le")),
        [0xFE, 0xFF, ..] => Some(InputKind::Utf16("be")),
        _ => None,
    }
}

/// Recognises UTF-16 without a mark: every other byte of the first four is NUL.
fn wide_without_mark(start: &[u8]) -> Option<InputKind> {
    let are_text = |first: u8, second: u8| first.is_ascii_graphic() && second.is_ascii_graphic();
    match *start {
        [first, 0, second, 0, ..] if are_text(first, second) => Some(InputKind::Utf16("le")),
        [0, first, 0, second, ..] if are_text(first, second) => Some(InputKind::Utf16("be")),
        _ => None,
    }
}

/// Recognises formats that begin like no line of a robots.txt. `text` is `start` without leading white space.
fn foreign(start: &[u8], text: &[u8]) -> Option<InputKind> {
    match text.first() {
        Some(b'<') => Some(markup(text)),
        Some(b'{' | b'[' | b'"') => signed(start).or_else(|| json(text)),
        _ => signed(start),
    }
}

fn signed(start: &[u8]) -> Option<InputKind> {
    let by_signature = SIGNATURES.iter().find(|(signature, _)| start.starts_with(signature));
    match start {
        _ if by_signature.is_some() => by_signature.map(|it| it.1),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(InputKind::Image("webp")),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => Some(InputKind::Compressed("bzip2")),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some(InputKind::Image("bmp")),
        [b'M', b'Z', _, 0, ..] => Some(InputKind::Program("exe")),
        _ => archived(start),
    }
}

/// A tar archive begins with the name of its first file, so its signature comes later.
fn archived(start: &[u8]) -> Option<InputKind> {
    (start.get(257..262) == Some(b"ustar")).then_some(InputKind::Archive("tar"))
}

/// The format of a text that begins with `<`.
fn markup(text: &[u8]) -> InputKind {
    let mut lower = [0; LOOKED_AT];
    lower.iter_mut().zip(text).for_each(|(lower, byte)| *lower = byte.to_ascii_lowercase());
    let lower = bytes::part(&lower, 0..text.len());
    let is_xml = lower.starts_with(b"<?xml") || lower.starts_with(b"<urlset") || lower.starts_with(b"<sitemapindex");
    if is_xml && !lower.contains_str("<html") && !lower.contains_str("<!doctype html") {
        InputKind::Xml
    } else if lower.starts_with(b"<?php") {
        InputKind::Php
    } else {
        InputKind::Html
    }
}

/// JSON: an object or an array by its first two tokens, or a file that is one string.
fn json(text: &[u8]) -> Option<InputKind> {
    let next = text.get(1..).unwrap_or_default().trim_start_with(|c| c.is_ascii_whitespace());
    let is_json = match (text.first(), next.first()) {
        (Some(b'{'), next) => matches!(next, Some(b'"' | b'}')),
        (Some(b'['), next) => matches!(next, Some(b'"' | b'{' | b'[' | b']')),
        _ => {
            let text = bytes::trim_end(text, |byte| byte.is_ascii_whitespace());
            text.len() > 1 && text.ends_with(b"\"") && !text.contains(&b'\n')
        }
    };
    is_json.then_some(InputKind::Json)
}

/// Whether the bytes are not text: too many are control characters, or are neither ASCII nor UTF-8. Bytes with a line
/// that begins like a field are always text. A comment makes them text in some old encoding.
fn is_binary(start: &[u8]) -> bool {
    let exceeds = |count: usize, share: usize| count > 1 && count.saturating_mul(share) >= start.len();
    let has_controls = exceeds(bytes::controls(start), TEXT_PER_CONTROL);
    let has_high = || !start.is_ascii() && !is_utf8(start) && exceeds(high(start), TEXT_PER_HIGH);
    let begins = |with: fn(&[u8]) -> bool| start.split(|&byte| bytes::is_line_end(byte)).any(with);
    if has_controls { !begins(is_field) } else { has_high() && !begins(|line| is_field(line) || is_comment(line)) }
}

/// Whether the bytes are UTF-8. The last character may be cut.
fn is_utf8(start: &[u8]) -> bool {
    start.to_str().err().is_none_or(|error| error.error_len().is_none())
}

#[allow(clippy::naive_bytecount)] // At most 512 bytes, and only if they are not UTF-8.
fn high(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !byte.is_ascii()).count()
}

fn is_comment(line: &[u8]) -> bool {
    bytes::trim_start(line, bytes::is_blank).starts_with(b"#")
}

/// Whether a line begins with the name of a directive and a colon.
fn is_field(line: &[u8]) -> bool {
    line.split_once_str(":").is_some_and(|(name, _)| names::may_be_known(bytes::trim(name, bytes::is_blank)))
}

/// The whole lines among the first `max` bytes, and whether more than a line end follows them.
pub(crate) fn within(body: &[u8], max: usize) -> (&[u8], bool) {
    let Some((front, rest)) = body.split_at_checked(max) else { return (body, false) };
    if rest.first().copied().is_none_or(bytes::is_line_end) {
        return (front, !matches!(rest, b"" | b"\n" | b"\r" | b"\r\n"));
    }
    let end = front.rfind_byteset(b"\r\n").map_or(0, |at| at.saturating_add(1));
    (bytes::part(front, 0..end), true)
}

/// The number of lines in `bytes`. CRLF ends one line.
pub(crate) fn count_lines(bytes: &[u8]) -> u32 {
    let ends = memchr::memchr2_iter(b'\r', b'\n', bytes).count();
    let pairs = bytes.find_iter(b"\r\n").count();
    let unended = usize::from(bytes.last().is_some_and(|&byte| !bytes::is_line_end(byte)));
    u32::try_from(ends.saturating_sub(pairs).saturating_add(unended)).unwrap_or(u32::MAX)
}

/// What the first bytes of an input look like. SPEC.md has the rules under `[input.kind]`.
///
/// ```
/// use robosieve::report::InputKind;
/// let page = robosieve::Sieve::new(["MyBot"]).filter(b"<!DOCTYPE html>\n<title>Not found</title>\n").unwrap();
/// assert_eq!(page.report().input(), InputKind::Html);
/// assert_eq!(page.report().input().to_string(), "an HTML page");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", content = "format", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum InputKind {
    /// Text. It may be a robots.txt file.
    #[default]
    Text,
    /// No bytes, or nothing but a byte order mark.
    Empty,
    /// HTML, or a part of an HTML page.
    Html,
    /// XML that is not HTML.
    Xml,
    /// PHP source.
    Php,
    /// JSON.
    Json,
    /// An HTTP response with its head.
    HttpResponse,
    /// An image, with the short name of its format.
    Image(&'static str),
    /// A document, such as a PDF, with the short name of its format.
    Document(&'static str),
    /// An archive of files, with the short name of its format.
    Archive(&'static str),
    /// A program.
    Program(&'static str),
    /// Compressed data that this project does not decompress, with the short name of its format.
    Compressed(&'static str),
    /// Data compressed with gzip.
    Gzip,
    /// Data compressed with zstd.
    Zstd,
    /// UTF-16 text, `le` or `be`: its least or its most significant byte comes first.
    #[cfg_attr(feature = "serde", serde(rename = "utf-16"))]
    Utf16(&'static str),
    /// UTF-32 text, `le` or `be`.
    #[cfg_attr(feature = "serde", serde(rename = "utf-32"))]
    Utf32(&'static str),
    /// Bytes of no known format that are not text.
    Binary,
}

impl InputKind {
    /// Whether the input may be a robots.txt file: text, or no bytes at all.
    #[must_use]
    pub const fn may_be_robots_txt(self) -> bool {
        matches!(self, Self::Text | Self::Empty)
    }

    /// The names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let text = [Self::Text, Self::Empty, Self::Html, Self::Xml, Self::Php, Self::Json, Self::HttpResponse];
        let named = [Self::Image(""), Self::Document(""), Self::Archive(""), Self::Program(""), Self::Compressed("")];
        let data = [Self::Gzip, Self::Zstd, Self::Utf16(""), Self::Utf32(""), Self::Binary];
        text.into_iter().chain(named).chain(data).map(Self::as_str)
    }

    /// A stable name for machines, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.words().0
    }

    /// The name, what people call it, and which format it is.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Text => ("text", "text", ""),
            Self::Empty => ("empty", "an empty file", ""),
            Self::Html => ("html", "an HTML page", ""),
            Self::Xml => ("xml", "XML", ""),
            Self::Php => ("php", "PHP source", ""),
            Self::Json => ("json", "JSON", ""),
            Self::HttpResponse => ("http-response", "an HTTP response with its head", ""),
            Self::Image(format) => ("image", "an image", format),
            Self::Document(format) => ("document", "a document", format),
            Self::Archive(format) => ("archive", "an archive", format),
            Self::Program(format) => ("program", "a program", format),
            Self::Compressed(format) => ("compressed", "compressed data", format),
            Self::Gzip => ("gzip", "compressed data", "gzip"),
            Self::Zstd => ("zstd", "compressed data", "zstd"),
            Self::Utf16(order) => ("utf-16", "UTF-16 text", in_words(order)),
            Self::Utf32(order) => ("utf-32", "UTF-32 text", in_words(order)),
            Self::Binary => ("binary", "binary data", ""),
        }
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            (_, words, "") => f.write_str(words),
            (_, words, format) => write!(f, "{words} ({format})"),
        }
    }
}

/// Which byte of a character comes first.
const fn in_words(order: &str) -> &'static str {
    match order.as_bytes() {
        b"le" => "little-endian",
        _ => "big-endian",
    }
}
