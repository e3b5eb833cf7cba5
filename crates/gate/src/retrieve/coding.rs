//! The coding of a body, by the headers of its response.
//!
//! Invariant: an unknown coding, or more than one, is an error. It is never read as text, because it would look like a
//! file without rules. The same holds for a transfer coding that the client does not decode. The number of coded bytes
//! is limited too, because coded bytes can decode to nothing.

use std::fmt;
use std::io::{self, Read, Write};

use flate2::read::ZlibDecoder;
use flate2::write::GzDecoder;

/// The codings that requests accept. Not `deflate`: servers send two formats under that name, and we read one.
#[cfg(feature = "driver")]
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
            Self::Gzip => Box::new(Unzipped { raw: Bounded { raw, left }, members: Members::new(), at_end: false }),
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

/// Decodes gzip: one member after another. Zeros after a member are padding, as of tapes and disks.
pub(crate) struct Members {
    member: GzDecoder<Vec<u8>>,
    is_padding: bool,
}

impl Members {
    pub(crate) fn new() -> Self {
        Self { member: GzDecoder::new(Vec::new()), is_padding: false }
    }

    /// Decodes a few bytes. What comes of them may be a thousand times as long.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = if self.is_padding { 0 } else { self.member.write(bytes).map_err(damage)? };
            bytes = bytes.get(count..).unwrap_or_default();
            if count > 0 {
                continue;
            }
            self.finish()?;
            self.is_padding |= bytes.first() == Some(&0);
            if self.is_padding {
                let is_zeros = bytes.iter().all(|&byte| byte == 0);
                return if is_zeros { Ok(()) } else { Err(damage(io::ErrorKind::InvalidInput.into())) };
            }
            self.member = GzDecoder::new(std::mem::take(self.decoded()));
        }
        Ok(())
    }

    /// Whether all came, and is right.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.member.try_finish().map_err(damage)
    }

    /// What was decoded; the caller takes it out.
    pub(crate) fn decoded(&mut self) -> &mut Vec<u8> {
        self.member.get_mut()
    }
}

/// The coded bytes that are decoded at once: they make half a megabyte at most.
pub(crate) const BITE: usize = 512;

/// Decodes gzip while reading.
struct Unzipped<R> {
    raw: R,
    members: Members,
    at_end: bool,
}

impl<R: Read> Read for Unzipped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.members.decoded().is_empty() && !self.at_end {
            let mut bite = [0; BITE];
            let count = self.raw.read(&mut bite)?;
            // After an error there is no end: who reads on has the error again.
            if count == 0 {
                self.members.finish()?;
                self.at_end = true;
            }
            self.members.push(bite.get(..count).unwrap_or_default())?;
        }
        let decoded = self.members.decoded();
        let count = decoded.len().min(buffer.len());
        buffer.iter_mut().zip(decoded.drain(..count)).for_each(|(to, byte)| *to = byte);
        Ok(count)
    }
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
