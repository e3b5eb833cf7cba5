//! Parses a server's response, as an archive stores it, into status, location and body.
//!
//! Invariant: no more of a body than the caller's limit is unpacked, through at most [`MAX_CODINGS`] layers, each
//! with one window. A coding that the body does not have, or that is unknown, is skipped, because archives often
//! store an unpacked body with the head of the packed one. A damaged body has no bytes.

use std::borrow::Cow;
use std::io;
use std::mem::MaybeUninit;

use crate::packed::{Brotli, Decoder, Packed, Zstd, damaged};
use crate::stream::{Format, gather};
use crate::unpack::{MAX_OVERHEAD, MAX_UNPACKED};
use crate::window::Window;

/// The maximum number of header lines in a response. Our choice; browsers allow a few hundred.
const MAX_HEADERS: usize = 256;
/// The maximum number of bytes in a response's head. Our choice: 64 KiB, as for a record's own head; servers send at
/// most 16 KiB.
pub(crate) const MAX_HEAD: usize = 1 << 16;
/// The maximum number of nested content codings. Our choice; more than one is already rare.
const MAX_CODINGS: usize = 4;

/// A server's response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response<'b> {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    /// The media type, in small letters, without its parameters.
    pub(crate) mime: Option<String>,
    /// The body, or why it is damaged.
    pub(crate) body: Result<Cow<'b, [u8]>, String>,
    /// Whether the body ends before its coding does, or has an unknown transfer coding.
    pub(crate) is_broken: bool,
    /// Whether the body is shorter than its length.
    pub(crate) is_short: bool,
}

impl Response<'_> {
    /// Why the body is not all there, if it is not. `is_cut`: whether the block is longer than what is kept of it.
    /// `most`: the number of bytes that matter.
    pub(crate) fn truncated(&self, is_cut: bool, most: usize) -> Option<&'static str> {
        let has_all = self.body.as_ref().is_ok_and(|body| body.len() > most);
        let cut = (is_cut && !has_all).then_some("block");
        let cut = cut.or(self.is_broken.then_some("encoding"));
        cut.or((self.is_short && !is_cut).then_some("content-length"))
    }
}

/// Reads the head, and `max_body` bytes of the body.
///
/// # Errors
/// Returns a message if there is no head or no usable body.
pub(crate) fn read(block: &[u8], max_body: usize) -> Result<Response<'_>, &'static str> {
    parsed(block, |status, headers, body| {
        let status = status.ok_or("the HTTP response has no status")?;
        let location = value(headers, "Location").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let mime = value(headers, "Content-Type").and_then(|value| value.split(|byte| *byte == b';').next());
        let mime = mime.map(|mime| String::from_utf8_lossy(mime.trim_ascii()).to_ascii_lowercase());
        let mime = mime.filter(|mime| !mime.is_empty());
        let (codings, is_known) = codings(headers, body)?;
        // A response without a body may still state a length: RFC 9110 8.6.
        let is_short = !matches!(status, 100..=199 | 204 | 304) && is_short(headers, &codings, body);
        let (body, is_whole) = match unpack(body, &codings, max_body) {
            Ok((body, is_whole)) => (Ok(body), is_whole),
            Err(error) => (Err(error.to_string()), true),
        };
        Ok(Response { status, location, mime, body, is_broken: !is_whole || !is_known, is_short })
    })
}

/// Whether one of the forms of a response's body is what is looked for: as it was stored, without its chunks, without
/// all codings. `None` if there is no response, or if a form is longer than any block, so that it can't be known.
pub(crate) fn payloads(block: &[u8], is: impl Fn(&[u8]) -> bool) -> Option<bool> {
    let found = parsed(block, |_, headers, body| {
        if is(body) {
            return Ok(Some(true));
        }
        let (codings, _) = codings(headers, body)?;
        let without_chunks = codings.iter().take_while(|&&coding| coding == Coding::Chunked).count();
        for forms in [codings.get(..without_chunks).unwrap_or_default(), &codings] {
            // A form that can't be unpacked is none.
            let Ok((form, _)) = unpack(body, forms, MAX_UNPACKED) else { continue };
            if is(&form) {
                return Ok(Some(true));
            }
            if form.len() >= MAX_UNPACKED {
                return Ok(None);
            }
        }
        Ok(Some(false))
    });
    found.ok().flatten()
}

/// Reads the head of a response. `with` gets its status, its headers, and the body as it was stored.
fn parsed<'b, T>(
    block: &'b [u8],
    with: impl FnOnce(Option<u16>, &[httparse::Header<'_>], &'b [u8]) -> Result<T, &'static str>,
) -> Result<T, &'static str> {
    // Without a value at first: to give one to each would take as long as to parse a usual head.
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut []);
    let front = block.get(..MAX_HEAD).unwrap_or(block);
    let known = in_version_1(front).ok_or("the record contains no HTTP response")?;
    let mut reading = httparse::ParserConfig::default();
    reading
        .ignore_invalid_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true);
    let length = match reading.parse_response_with_uninit_headers(&mut head, &known, &mut headers) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => {
            return Err("the head of the HTTP response has no end, or none in 65536 bytes");
        }
        Err(httparse::Error::TooManyHeaders) => return Err("the HTTP response has more than 256 header lines"),
        Err(_) => return Err("the head of the HTTP response can't be read"),
    };
    // The version may have been shorter than the one that replaced it.
    let start = length.saturating_add(front.len()).saturating_sub(known.len());
    // An empty body would allow everything, so a missing one is an error.
    let body = block.get(start..).ok_or("the HTTP response ends within its head")?;
    with(head.code, head.headers, body)
}

/// The head in the form of HTTP/1.1. Archives also contain `HTTP/2 200`.
fn in_version_1(front: &[u8]) -> Option<Cow<'_, [u8]>> {
    let version = front.split(|&byte| byte == b' ').next().filter(|word| word.starts_with(b"HTTP/"))?;
    if matches!(version, b"HTTP/1.1" | b"HTTP/1.0") {
        return Some(Cow::Borrowed(front));
    }
    let rest = front.get(version.len()..).filter(|_| version.len() >= b"HTTP/2".len() && version.len() <= 8)?;
    let mut made = b"HTTP/1.1".get(..8)?.to_vec();
    made.extend_from_slice(rest);
    Some(Cow::Owned(made))
}

fn value<'b>(headers: &[httparse::Header<'b>], name: &str) -> Option<&'b [u8]> {
    headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.trim_ascii())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Chunked,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// How many packed bytes are inspected at once.
const WINDOW: usize = 1 << 13;
/// How many bytes show whether bytes have a coding.
const FRONT: usize = 64;

impl Coding {
    /// Whether bytes look like this coding.
    fn is_of(self, bytes: &[u8]) -> bool {
        let front = bytes.get(..FRONT).unwrap_or(bytes);
        match self {
            // Looked at before.
            Self::Chunked => true,
            Self::Gzip => Format::of(front) == Some(Format::Gzip),
            // Some servers send deflate without the zlib head, which can look like anything.
            Self::Deflate => is_zlib(front) || !front.iter().take(16).all(u8::is_ascii),
            // Brotli has no signature, so everything that is not text is tried. An empty body is packed as one byte.
            Self::Brotli => (1..4).contains(&front.len()) || !front.iter().all(|&byte| is_text(byte)),
            Self::Zstd => matches!(Format::of(front), Some(Format::Zstd | Format::ZstdDictionary)),
        }
    }

    /// Up to so many bytes without this coding, and whether they are all there.
    fn undo(self, bytes: &[u8], most: usize) -> io::Result<(Vec<u8>, bool)> {
        let decoder = match self {
            Self::Chunked => return unchunked(bytes, most),
            Self::Gzip => Decoder::gzip(),
            Self::Deflate => Decoder::deflate(is_zlib(bytes)),
            Self::Brotli => Brotli::of_body(),
            Self::Zstd => Zstd::of_body()?,
        };
        gather(Packed::new(Window::of(bytes, WINDOW), decoder), most)
    }
}

/// The values in all lines with this name, except `identity`.
fn named<'h, 'b>(headers: &'h [httparse::Header<'b>], name: &'static str) -> impl Iterator<Item = &'b [u8]> + 'h {
    let lines = headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    let words = lines.flat_map(|header| header.value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    words.filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case(b"identity"))
}

/// Whether the body is shorter than a length that stands there: of several, the longest counts. Of a body with a coding
/// it is the length of the packed bytes, which archives often keep without them; then it says nothing, unless there are
/// none. In a transfer coding no length counts: RFC 9112 6.3.
fn is_short(headers: &[httparse::Header<'_>], codings: &[Coding], body: &[u8]) -> bool {
    let is_transferred = named(headers, "Transfer-Encoding").next().is_some();
    let is_unpacked = !body.is_empty() && codings.first().is_some_and(|coding| !coding.is_of(body));
    if is_transferred || is_unpacked {
        return false;
    }
    let numbers = named(headers, "Content-Length").filter(|length| length.iter().all(u8::is_ascii_digit));
    // A number that overflows is longer than every body.
    let length = |digits| str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX);
    numbers.map(length).max().is_some_and(|length| body.len() < length)
}

/// The codings to undo, the outermost first, and whether all transfer codings are known. An unknown content coding is
/// usually not a coding but a charset.
fn codings(headers: &[httparse::Header<'_>], body: &[u8]) -> Result<(Vec<Coding>, bool), &'static str> {
    let (chunked, transfer): (Vec<&[u8]>, Vec<&[u8]>) =
        named(headers, "Transfer-Encoding").partition(|coding| coding.eq_ignore_ascii_case(b"chunked"));
    let mut found: Vec<Coding> = Vec::new();
    if !chunked.is_empty() && begins_chunks(body) {
        found.push(Coding::Chunked);
    }
    let is_known = transfer.iter().all(|name| coding(name).is_some());
    let all = named(headers, "Content-Encoding").chain(transfer);
    let packed: Vec<Coding> = all.filter_map(coding).take(MAX_CODINGS.saturating_add(1)).collect();
    if packed.len() > MAX_CODINGS {
        return Err("the body is packed more than 4 times");
    }
    found.extend(packed.iter().rev());
    Ok((found, is_known))
}

fn coding(name: &[u8]) -> Option<Coding> {
    match name.to_ascii_lowercase().as_slice() {
        b"gzip" | b"x-gzip" => Some(Coding::Gzip),
        b"deflate" => Some(Coding::Deflate),
        b"br" => Some(Coding::Brotli),
        b"zstd" => Some(Coding::Zstd),
        _ => None,
    }
}

/// Undoes the codings. Also returns whether the body is all there, as far as it was read.
fn unpack<'b>(body: &'b [u8], codings: &[Coding], max_body: usize) -> io::Result<(Cow<'b, [u8]>, bool)> {
    let (mut bytes, mut is_whole) = (Cow::Borrowed(body), true);
    for (at, coding) in codings.iter().enumerate() {
        let is_last = at.saturating_add(1) == codings.len();
        let most = max_body.saturating_add(if is_last { 0 } else { MAX_OVERHEAD });
        if coding.is_of(&bytes) {
            let (inner, has_all) = coding.undo(&bytes, most)?;
            (bytes, is_whole) = (Cow::Owned(inner), is_whole && has_all);
        }
    }
    match &mut bytes {
        Cow::Borrowed(body) => *body = body.get(..max_body).unwrap_or(body),
        Cow::Owned(body) => body.truncate(max_body),
    }
    Ok((bytes, is_whole))
}

/// Whether bytes begin with the head of zlib (RFC 1950 2.2).
fn is_zlib(front: &[u8]) -> bool {
    matches!(front, [first, second, ..]
        if first & 0x0F == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31))
}

const fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')
}

/// The maximum number of bytes in a line with a chunk's size. Our choice.
const MAX_SIZE_LINE: usize = 4096;

/// The body in chunks (RFC 9112 7.1), without their sizes, extensions and trailers, up to so many bytes, and whether it
/// is all there. After each chunk comes an empty line.
fn unchunked(mut body: &[u8], most: usize) -> io::Result<(Vec<u8>, bool)> {
    let damaged = |why| Err(damaged("chunks", why));
    let mut bytes = Vec::new();
    let mut is_first = true;
    while bytes.len() < most {
        for is_end in if is_first { &[false][..] } else { &[true, false] } {
            let Some(end) = memchr::memchr(b'\n', body.get(..MAX_SIZE_LINE).unwrap_or(body)) else {
                return if body.len() < MAX_SIZE_LINE {
                    Ok((bytes, false))
                } else {
                    damaged("a chunk's size line is too long")
                };
            };
            let (line, rest) = body.split_at_checked(end.saturating_add(1)).unwrap_or_default();
            body = rest;
            if *is_end && !line.trim_ascii().is_empty() {
                return damaged("a chunk is longer than its size");
            }
            if *is_end {
                continue;
            }
            let Some(size) = size(line) else { return damaged("a chunk has no size") };
            if size == 0 {
                return Ok((bytes, true));
            }
            let wanted = usize::try_from(size).unwrap_or(usize::MAX);
            let (chunk, rest) = body.split_at_checked(wanted).unwrap_or((body, &[]));
            bytes.extend_from_slice(chunk);
            body = rest;
            if chunk.len() < wanted {
                return Ok((bytes, false));
            }
        }
        is_first = false;
    }
    Ok((bytes, true))
}

/// Whether a body begins with a chunk.
fn begins_chunks(body: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', body.get(..MAX_SIZE_LINE).unwrap_or(body));
    end.and_then(|end| body.get(..end)).is_some_and(|line| size(line).is_some())
}

/// The size at the start of a line, up to an extension.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    str::from_utf8(digits).ok().filter(|_| is_hex).and_then(|digits| u64::from_str_radix(digits, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::zstds::ZSTD_WINDOW;

    fn body(block: &[u8], max_body: usize) -> Result<(String, bool), String> {
        let response = read(block, max_body)?;
        Ok((String::from_utf8_lossy(&response.body?).into_owned(), response.is_broken))
    }

    /// [batch.body]
    #[test]
    fn chunks_are_joined_and_other_bodies_stay() {
        const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (sent, expected, is_broken) in [
            ("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", "abcde", false),
            ("3\nabc\n0\n\n", "abc", false),
            ("3\r\nabc\r\n2", "abc", true),
            ("ff\r\nabc", "abc", true),
            ("Disallow: /x\n", "Disallow: /x\n", false),
            ("", "", false),
            ("ffffffffffffffff\r\nabc", "abc", true),
            ("fffffffffffffffff\r\nabc", "fffffffffffffffff\r\nabc", false),
        ] {
            assert_eq!(body(format!("{HEAD}{sent}").as_bytes(), 100), Ok((expected.into(), is_broken)), "{sent}");
        }
        for sent in ["3\r\nabc\r\nzz\r\nde", "3\r\nabcd\r\n0\r\n\r\n"] {
            let why = body(format!("{HEAD}{sent}").as_bytes(), 100);
            assert!(why.is_err_and(|why| why.starts_with("cannot be unpacked from chunks: ")), "{sent}");
        }
    }

    /// [batch.warc]
    #[test]
    fn heads_are_read_as_archives_have_them() {
        for (block, status) in [
            (&b"HTTP/1.0 404\r\n\r\n"[..], 404),
            (b"HTTP/2 200\r\nx: y\r\n\r\nbody", 200),
            (b"HTTP/2.0 301 Moved\nLocation: /x\n\nbody", 301),
            (b"HTTP/1.1  200  OK\r\nno colon\r\nA : b\r\n\r\nbody", 200),
        ] {
            let read = read(block, 9).map(|response| (response.status, response.body));
            let expected = if block.ends_with(b"body") { &b"body"[..] } else { b"" };
            assert_eq!(read, Ok((status, Ok(expected.into()))), "{}", String::from_utf8_lossy(block));
        }
        for block in
            [&b""[..], b"User-agent: *\n", b"HTTP/1.1 200 OK\r\nServer: x\r\n", b"HTTP/1.1 x\r\n\r\n", b"HTTP/"]
        {
            assert!(read(block, 9).is_err(), "{}", String::from_utf8_lossy(block));
        }
    }

    /// [batch.bounds]
    #[test]
    fn a_body_of_any_limit() {
        let (block, packed) =
            (b"HTTP/1.1 200 OK\r\n\r\nabc", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n");
        for (max_body, expected) in [(0, ""), (1, "a"), (2, "ab"), (3, "abc"), (4, "abc"), (usize::MAX, "abc")] {
            assert_eq!(body(block, max_body), Ok((expected.into(), false)));
            assert_eq!(body(packed, max_body), Ok((expected.into(), false)));
        }
    }

    /// A response with these header lines.
    fn response(headers: &str, body: &[u8]) -> Vec<u8> {
        [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat()
    }

    /// One less than the limit and the limit are fine, and one more is not. [batch.bounds]
    #[test]
    fn limits_are_exact() {
        let is_read = |headers: &str| read(&response(headers, b"x"), 9).is_ok();
        let chunked = |sent: &str| body(&response("Transfer-Encoding: chunked\r\n", sent.as_bytes()), 9).ok();
        let size_line = |size: &str, length: usize| format!("{size};{}\n", "x".repeat(length - size.len() - 2));
        let of_window = |window: usize| -> io::Result<Vec<u8>> {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
            encoder.window_log(u32::try_from(window).unwrap_or(0))?;
            // If the encoder knows the whole length, it needs no window.
            io::Write::write_all(&mut encoder, b"abc")?;
            encoder.finish()
        };
        let limits: [(usize, &dyn Fn(usize) -> bool); 6] = [
            (MAX_HEADERS, &|lines| is_read(&"A: b\r\n".repeat(lines))),
            (MAX_HEAD, &|length| is_read(&format!("A: {}\r\n", "b".repeat(length - 24)))),
            (MAX_CODINGS, &|count| is_read(&format!("Content-Encoding: {}\r\n", vec!["gzip"; count].join(",")))),
            // A first line that is too long is not a chunk. A later one is damage.
            (MAX_SIZE_LINE, &|length| {
                chunked(&format!("{}abc\n0\n\n", size_line("3", length))) == Some(("abc".into(), false))
            }),
            (MAX_SIZE_LINE, &|length| {
                chunked(&format!("3\nabc\n{}de\n0\n\n", size_line("2", length))) == Some(("abcde".into(), false))
            }),
            (ZSTD_WINDOW as usize, &|window| {
                let packed = of_window(window).unwrap_or_default();
                body(&response("Content-Encoding: zstd\r\n", &packed), 9).is_ok_and(|found| found.0 == "abc")
            }),
        ];
        for (place, (most, is_fine)) in limits.into_iter().enumerate() {
            assert_eq!([most - 1, most, most + 1].map(is_fine), [true, true, false], "{place}");
        }
    }
}
