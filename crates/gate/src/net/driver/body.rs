//! The body without its content coding.
//!
//! Invariant: an unknown coding, or more than one, is an error. It is never read as text, because it would look like a
//! file without rules. The same holds for a transfer coding that the client does not decode. The number of coded bytes
//! is limited too, because coded bytes can decode to nothing.

use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};

/// The codings that requests accept. Not `deflate`: servers send two formats under that name, and we read one.
pub(super) const ACCEPTED: &str = "gzip";

/// Coded bytes allowed above the limit for decoded ones: a coding makes data that it can't compress a little longer.
const CODED_EXTRA: usize = 65_536;

/// Decodes while reading. `codings` are the values of all `Content-Encoding` lines. `max` is the limit of decoded
/// bytes.
pub(super) fn decoded<'a, R>(raw: R, codings: impl Iterator<Item = &'a [u8]>, max: usize) -> Box<dyn Read>
where
    R: Read + 'static,
{
    let mut named = names(codings);
    let bounded = |raw| Bounded { raw, left: max.saturating_add(CODED_EXTRA) };
    match (named.next(), named.next()) {
        (None, _) => Box::new(raw),
        (Some(coding), None) if is(coding, &[b"gzip", b"x-gzip"]) => Box::new(MultiGzDecoder::new(bounded(raw))),
        (Some(coding), None) if is(coding, &[b"deflate"]) => Box::new(ZlibDecoder::new(bounded(raw))),
        (Some(coding), _) => Box::new(Unknown::new("content", coding)),
    }
}

/// The first transfer coding that the client has not decoded, from the values of all `Transfer-Encoding` lines. The
/// client decodes one `chunked`. In HTTP/1.0, which has no transfer codings, it decodes nothing.
pub(super) fn left_over<'a>(codings: impl Iterator<Item = &'a [u8]>, is_http_10: bool) -> Option<Unknown> {
    let mut undone = is_http_10;
    let left = names(codings).find(|coding| !is(coding, &[b"chunked"]) || std::mem::replace(&mut undone, true));
    left.map(|coding| Unknown::new("transfer", coding))
}

/// The codings other than `identity`. Some servers write `none` or a character set, and code nothing.
fn names<'a>(lines: impl Iterator<Item = &'a [u8]>) -> impl Iterator<Item = &'a [u8]> {
    let named = lines.flat_map(|line| line.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    named.filter(|coding| !coding.is_empty() && !is(coding, &[b"identity", b"none", b"utf-8"]))
}

fn is(coding: &[u8], names: &[&[u8]]) -> bool {
    names.iter().any(|name| coding.eq_ignore_ascii_case(name))
}

/// A body that can't be decoded, with the reason.
pub(super) struct Unknown(String);

impl Unknown {
    fn new(kind: &str, coding: &[u8]) -> Self {
        Self(format!("{kind} coding not understood: {}", String::from_utf8_lossy(coding)))
    }
}

impl Read for Unknown {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::InvalidData, self.0.clone()))
    }
}

struct Bounded<R> {
    raw: R,
    left: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let came = self.raw.read(buffer)?;
        self.left = self.left.checked_sub(came).ok_or_else(|| io::Error::other("the coded body is too long"))?;
        Ok(came)
    }
}
