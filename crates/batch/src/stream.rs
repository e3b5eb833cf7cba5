//! Reads bytes of files and standard input, and unpacks gzip and zstd.
//!
//! Invariant: the first bytes of a stream determine its packing, never its name. Packed bytes that end early give an
//! error of the kind `UnexpectedEof`: bytes that could follow might make them whole. Any other error without an
//! operating system code is damage: no bytes that could follow make them right. After damage, the reader continues with
//! the next gzip member; zstd ends the stream.

#[cfg(feature = "archives")]
pub(crate) mod frames;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Crc;
use flate2::bufread::GzDecoder;
use memchr::memmem;

use crate::window::{Window, between, is_between};

const BUFFER: usize = 1 << 17;
/// RFC 1952 2.3: the checksum and the length at the end of a member.
pub(crate) const TRAILER: usize = 8;
/// RFC 1952: the magic number, and the method deflate.
pub(crate) const GZIP: &[u8] = &[0x1F, 0x8B, 0x08];
/// RFC 8878 3.1.1.
pub(crate) const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
/// Whether zstd data begins so: with a frame, or with one that is skipped (RFC 8878 3.1.2).
pub(crate) const fn is_zstd(front: &[u8]) -> bool {
    matches!(front, [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// A dictionary before the frames of an archive: the `.warc.zst` specification of the IIPC, "Dictionary".
pub(crate) const ZSTD_DICTIONARY: &[u8] = &[0x5D, 0x2A, 0x4D, 0x18];

/// A raw stream that counts the bytes read.
#[derive(Debug)]
pub struct Counted<R> {
    reader: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Counted<R> {
    /// Adds the bytes to `count`, which other threads may read.
    pub const fn new(reader: R, count: Arc<AtomicU64>) -> Self {
        Self { reader, count }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(into)?;
        self.count.fetch_add(u64::try_from(count).unwrap_or(0), Ordering::Relaxed);
        Ok(count)
    }
}

/// A compression format that a file may have although nothing but its bytes says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The same after a dictionary.
    ZstdDictionary,
}

impl Format {
    const MAGIC: [(Self, &[u8]); 3] =
        [(Self::Gzip, &[0x1F, 0x8B]), (Self::Zstd, ZSTD), (Self::ZstdDictionary, ZSTD_DICTIONARY)];

    /// The format of a file that begins so. Four bytes are enough; fewer are the whole file, which may end within
    /// the magic number, unless what is there could be text.
    pub(crate) fn of(front: &[u8]) -> Option<Self> {
        let is_cut = |magic: &[u8]| magic.starts_with(front) && front.iter().any(|byte| !matches!(byte, b' '..=b'~'));
        let found = Self::MAGIC.iter().find(|(_, magic)| front.starts_with(magic) || is_cut(magic));
        found.map(|(format, _)| *format).or(is_zstd(front).then_some(Self::Zstd))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd | Self::ZstdDictionary => "zstd",
        }
    }
}

/// Why bytes cannot be unpacked.
#[derive(Debug)]
struct Broken {
    coding: &'static str,
    why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot be unpacked from {}: {}", self.coding, self.why)
    }
}

impl std::error::Error for Broken {}

/// The error of a decoder, in words that say what it is of. `UnexpectedEof` stays what it is.
pub(crate) fn broken(coding: &'static str, error: io::Error) -> io::Error {
    let is_told = error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Broken>);
    if is_told || is_between(&error) || error.raw_os_error().is_some() {
        return error;
    }
    let is_cut = error.kind() == io::ErrorKind::UnexpectedEof;
    let kind = if is_cut { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::InvalidData };
    let why = if is_cut { "it ends early".to_owned() } else { error.to_string() };
    io::Error::new(kind, Broken { coding, why })
}

/// Damage, in these words.
pub(crate) fn damaged(coding: &'static str, why: &'static str) -> io::Error {
    broken(coding, io::Error::new(io::ErrorKind::InvalidData, why))
}

/// How many bytes are read beyond `max_bytes`, so that the library can see whether there are more. A byte order mark at
/// the start and a CRLF at the end do not count, and one more character is a loss: in UTF-32 each has four bytes.
pub const BEYOND: usize = 16;

/// Reads up to `max_bytes` and [`BEYOND`] more bytes.
///
/// # Errors
/// Those of the reader.
pub fn read_within(reader: impl Read, max_bytes: usize) -> io::Result<Vec<u8>> {
    /// Most files fit: an empty list would be read into in six small steps.
    const FIRST: usize = 4 << 10;
    let most = max_bytes.saturating_add(BEYOND);
    let mut bytes = Vec::with_capacity(most.min(FIRST));
    reader.take(u64::try_from(most).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads up to `most` bytes of what a decoder gives. Also returns whether the packed bytes are all there, as far as they
/// were read.
///
/// # Errors
/// Those of the reader, if the packed bytes do not only end early.
pub(crate) fn gather(reader: impl Read, most: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    match reader.take(u64::try_from(most).unwrap_or(u64::MAX)).read_to_end(&mut bytes) {
        Ok(_) => Ok((bytes, true)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok((bytes, false)),
        Err(error) => Err(error),
    }
}

/// One step through packed parts: gzip members, or zstd frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// So many bytes of a part.
    Bytes(usize),
    /// The part has ended without an error.
    PartEnd,
    End,
}

/// A reader of packed parts that says where they end.
pub(crate) trait Parts: Read {
    fn step(&mut self, into: &mut [u8]) -> io::Result<Came>;
}

impl<P: Parts + ?Sized> Parts for Box<P> {
    fn step(&mut self, into: &mut [u8]) -> io::Result<Came> {
        (**self).step(into)
    }
}

/// The content of all parts. Counts those that have ended.
pub(crate) fn read_parts(parts: &mut impl Parts, into: &mut [u8], ended: &mut u64) -> io::Result<usize> {
    while !into.is_empty() {
        match parts.step(into)? {
            Came::Bytes(count) => return Ok(count),
            Came::PartEnd => *ended = ended.saturating_add(1),
            Came::End => break,
        }
    }
    Ok(0)
}

/// An unpacked stream.
pub(crate) enum Opened<'r> {
    /// It was not packed.
    Plain(Box<dyn Read + Send + 'r>),
    /// What is packed, and how many of its parts have ended.
    Packed(Box<dyn Parts + Send + 'r>, u64),
}

impl Read for Opened<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(into),
            Self::Packed(parts, ended) => read_parts(parts, into, ended),
        }
    }
}

/// The bytes of a stream, unpacked.
///
/// # Errors
/// Those of the stream, and an invalid zstd dictionary.
pub fn unpacked<'r>(reader: Box<dyn Read + Send + 'r>) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(opened(reader)?))
}

/// The same, with the ends of its parts.
pub(crate) fn opened<'r>(reader: Box<dyn Read + Send + 'r>) -> io::Result<Opened<'r>> {
    let (format, reader) = with_format(reader)?;
    Ok(match format {
        None => Opened::Plain(Box::new(BufReader::with_capacity(BUFFER, reader))),
        Some(Format::Gzip) => Opened::Packed(Box::new(members(reader)), 0),
        Some(format) => Opened::Packed(from_zstd(format, BufReader::with_capacity(BUFFER, reader))?, 0),
    })
}

#[cfg(feature = "archives")]
fn from_zstd<'r>(format: Format, reader: BufReader<impl Read + Send + 'r>) -> io::Result<Box<dyn Parts + Send + 'r>> {
    frames::unpacked(format, reader)
}

#[cfg(not(feature = "archives"))]
fn from_zstd<'r>(format: Format, _: BufReader<impl Read + Send + 'r>) -> io::Result<Box<dyn Parts + Send + 'r>> {
    let why = "this program was built without zstd; unpack the file, or build with all features";
    Err(damaged(format.name(), why))
}

/// The members of a gzip stream, unpacked. A damaged one gives an error, and then the next one follows.
pub(crate) fn members(reader: impl Read + Send) -> impl Parts + Send {
    Members::new(Window::new(reader))
}

/// The same for a file that is in memory, with less memory.
#[cfg(feature = "archives")]
pub(crate) fn members_of_file(reader: impl Read) -> impl Read {
    Members::new(Window::small(reader))
}

/// The format of a stream, if it is packed, and a reader of the whole stream.
pub(crate) fn with_format<'r>(
    mut reader: Box<dyn Read + Send + 'r>,
) -> io::Result<(Option<Format>, impl Read + Send + 'r)> {
    let mut front = Vec::new();
    (&mut reader).take(4).read_to_end(&mut front)?;
    Ok((Format::of(&front), io::Cursor::new(front).chain(reader)))
}

/// A window that a decoder owns and that can be taken out of it.
#[derive(Debug)]
struct Slot<R> {
    window: Option<Window<R>>,
    /// What the decoder has of the trailer: it looks at the buffer for all that comes before it.
    trailer: Vec<u8>,
}

impl<R: Read> Slot<R> {
    const fn new(window: Option<Window<R>>) -> Self {
        Self { window, trailer: Vec::new() }
    }
}

impl<R: Read> Read for Slot<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(window) = &mut self.window else { return Ok(0) };
        let count = window.look(1)?.read(into)?;
        window.take(count);
        if self.trailer.len() < TRAILER {
            self.trailer.extend_from_slice(into.get(..count).unwrap_or_default());
        }
        Ok(count)
    }
}

impl<R: Read> BufRead for Slot<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.trailer.clear();
        self.window.as_mut().map_or(Ok(&[]), |window| window.look(1))
    }

    fn consume(&mut self, count: usize) {
        if let Some(window) = &mut self.window {
            window.take(count);
        }
    }
}

/// The members of a gzip stream, one after another.
#[derive(Debug)]
struct Members<R> {
    decoder: GzDecoder<Slot<R>>,
    state: State,
    /// Whether bytes of this member were returned. Its checksum is only checked at its end.
    has_given: bool,
    /// The checksum of these bytes.
    sum: Crc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Within,
    /// The member has ended without an error.
    Between,
    /// The member is damaged.
    Damaged,
    End,
}

impl<R: Read> Members<R> {
    fn new(window: Window<R>) -> Self {
        let decoder = GzDecoder::new(Slot::new(Some(window)));
        Self { decoder, state: State::Within, has_given: false, sum: Crc::new() }
    }

    /// Goes to the next member: directly after the last one, after padding, or, after damage, anywhere.
    fn next_member(&mut self) -> io::Result<()> {
        let Some(window) = &mut self.decoder.get_mut().window else {
            self.state = State::End;
            return Ok(());
        };
        self.state = match seek_member(window, self.state == State::Damaged)? {
            Start::Member => {
                let window = self.decoder.get_mut().window.take();
                self.decoder.reset(Slot::new(window));
                self.has_given = false;
                self.sum.reset();
                State::Within
            }
            Start::End => State::End,
            Start::Cut => {
                self.state = State::End;
                return Err(between(broken(Format::Gzip.name(), io::ErrorKind::UnexpectedEof.into())));
            }
            Start::Garbage => {
                self.state = State::Damaged;
                return Err(between(damaged(Format::Gzip.name(), "no gzip member begins where one should")));
            }
        };
        Ok(())
    }
}

impl<R: Read> Members<R> {
    /// The error of a member. One whose trailer is cut is damaged if the rest of its trailer is wrong.
    fn failed(&self, error: io::Error) -> io::Error {
        let trailer = &self.decoder.get_ref().trailer;
        let is_cut = error.kind() == io::ErrorKind::UnexpectedEof && self.decoder.header().is_some();
        let [sum, length] = [self.sum.sum(), self.sum.amount()].map(u32::to_le_bytes);
        let error = if is_cut && !sum.iter().chain(&length).zip(trailer).all(|(right, byte)| right == byte) {
            damaged(Format::Gzip.name(), "corrupt gzip stream does not have a matching checksum")
        } else {
            broken(Format::Gzip.name(), error)
        };
        if self.has_given { error } else { between(error) }
    }
}

impl<R: Read> Parts for Members<R> {
    fn step(&mut self, into: &mut [u8]) -> io::Result<Came> {
        loop {
            match self.state {
                State::End => return Ok(Came::End),
                State::Between | State::Damaged => self.next_member()?,
                State::Within => match self.decoder.read(into) {
                    Ok(0) if !into.is_empty() => {
                        self.state = State::Between;
                        return Ok(Came::PartEnd);
                    }
                    Ok(count) => {
                        self.has_given |= count > 0;
                        self.sum.update(into.get(..count).unwrap_or_default());
                        return Ok(Came::Bytes(count));
                    }
                    Err(error) if error.raw_os_error().is_none() && error.kind() != io::ErrorKind::Interrupted => {
                        self.state = State::Damaged;
                        return Err(self.failed(error));
                    }
                    Err(error) => return Err(error),
                },
            }
        }
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_parts(self, into, &mut 0)
    }
}

enum Start {
    Member,
    End,
    /// The stream ends within the magic number.
    Cut,
    Garbage,
}

/// Looks for a member at this place, after zeros, or anywhere. Each round either takes bytes or is the last.
fn seek_member(window: &mut Window<impl Read>, anywhere: bool) -> io::Result<Start> {
    loop {
        let held = window.look(GZIP.len())?;
        if held.is_empty() {
            return Ok(Start::End);
        }
        if held.starts_with(GZIP) {
            return Ok(Start::Member);
        }
        let passed = if anywhere {
            // The magic number may begin in the last two bytes, unless the stream ends there.
            let none = if held.len() < GZIP.len() { held.len() } else { held.len().saturating_sub(2) };
            memmem::find(held, GZIP).unwrap_or(none)
        } else {
            held.iter().take_while(|&&byte| byte == 0).count()
        };
        if passed == 0 {
            return Ok(if GZIP.starts_with(held) { Start::Cut } else { Start::Garbage });
        }
        window.take(passed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.bounds]
    #[test]
    fn an_endless_input_is_read_to_the_limit() {
        assert_eq!(read_within(io::repeat(b'a'), 100).map(|bytes| bytes.len()).ok(), Some(116));
        assert_eq!(read_within(&b"abc"[..], usize::MAX).ok().as_deref(), Some(&b"abc"[..]));
    }
}
