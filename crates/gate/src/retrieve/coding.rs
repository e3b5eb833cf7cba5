//! The coding of a body, by the headers of its response.
//!
//! Invariant: an unknown coding, or more than one, is an error. It is never read as text, because it would look like a
//! file without rules. The same holds for a transfer coding that the client does not decode. The number of coded bytes
//! is limited too, because coded bytes can decode to nothing.

use std::fmt;
use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};

/// The codings that requests accept. Not `deflate`: servers send two formats under that name, and we read one.
#[cfg(any(feature = "driver", feature = "async-driver"))]
pub(crate) const ACCEPTED: &str = "gzip";

/// Coded bytes allowed above the limit for decoded ones: a coding makes data that it can't compress a little longer.
pub(crate) const EXTRA: usize = 65_536;

/// How a body is coded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
    Deflate,
    /// It can't be decoded: the reason.
    Unknown(String),
}

impl Coding {
    /// The coding by the values of all `Content-Encoding` and all `Transfer-Encoding` lines. The client has decoded one
    /// `chunked`. In HTTP/1.0, which has no transfer codings, it has decoded nothing.
    pub(crate) fn of<'a>(
        content: impl Iterator<Item = &'a [u8]>,
        transfer: impl Iterator<Item = &'a [u8]>,
        is_http_10: bool,
    ) -> Self {
        let mut undone = is_http_10;
        let mut transfer = names(transfer);
        if let Some(left) = transfer.find(|coding| !is(coding, &[b"chunked"]) || std::mem::replace(&mut undone, true)) {
            return Self::unknown("transfer", left);
        }
        let mut named = names(content);
        match (named.next(), named.next()) {
            (None, _) => Self::Plain,
            (Some(coding), None) if is(coding, &[b"gzip", b"x-gzip"]) => Self::Gzip,
            (Some(coding), None) if is(coding, &[b"deflate"]) => Self::Deflate,
            (Some(coding), _) => Self::unknown("content", coding),
        }
    }

    fn unknown(kind: &str, coding: &[u8]) -> Self {
        Self::Unknown(format!("{kind} coding not understood: {}", String::from_utf8_lossy(coding)))
    }

    /// Decodes while reading. `max` is the limit of decoded bytes.
    pub(crate) fn decoded<'r>(self, raw: impl Read + 'r, max: usize) -> Box<dyn Read + 'r> {
        let left = max.saturating_add(EXTRA);
        match self {
            Self::Plain => Box::new(raw),
            Self::Gzip => Box::new(Decoded(MultiGzDecoder::new(Bounded { raw, left }))),
            Self::Deflate => Box::new(Decoded(ZlibDecoder::new(Bounded { raw, left }))),
            Self::Unknown(why) => Box::new(Undecoded(why)),
        }
    }
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
struct Undecoded(String);

impl Read for Undecoded {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::InvalidData, self.0.clone()))
    }
}

/// Bytes that no decoder takes, or a wrong checksum.
#[derive(Debug)]
struct Damage(String);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damage {}

/// Marks what a decoder says of the bytes themselves. Its other errors are those of their source, and a missing end.
pub(crate) fn damage(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidInput => io::Error::new(io::ErrorKind::InvalidData, Damage(error.to_string())),
        _ => error,
    }
}

/// Whether a body is wrong, and not only cut.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Damage>)
}

/// A decoder whose errors are marked.
struct Decoded<D>(D);

impl<D: Read> Read for Decoded<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(damage)
    }
}

struct Bounded<R> {
    raw: R,
    left: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let came = self.raw.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => io::Error::other(error),
            _ => error,
        })?;
        self.left = self.left.checked_sub(came).ok_or_else(|| io::Error::other("the coded body is too long"))?;
        Ok(came)
    }
}
