//! Reads bytes of files and standard input, and unpacks gzip and zstd.
//!
//! Invariant: the first bytes of a stream determine its packing, never its name. Packed bytes that end early give an
//! error of the kind `UnexpectedEof`: bytes that could follow might make them whole. Any other error without an
//! operating system code is damage: no bytes that could follow make them right.

use std::io::{self, BufReader, Read};

use crate::packed::{Decoder, Packed, damaged, is_zstd};
use crate::window::Window;

/// The bytes that a reader holds.
pub(crate) const BUFFER: usize = 1 << 17;

/// A compression format that a file may have although nothing but its bytes says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The same after a dictionary: the `.warc.zst` specification of the IIPC, "Dictionary".
    ZstdDictionary,
}

impl Format {
    const MAGIC: [(Self, &[u8]); 3] = [
        (Self::Gzip, &[0x1F, 0x8B]),
        (Self::Zstd, &[0x28, 0xB5, 0x2F, 0xFD]),
        (Self::ZstdDictionary, &[0x5D, 0x2A, 0x4D, 0x18]),
    ];

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

    /// Its decoder. `reader` stands at the start.
    #[cfg(feature = "archives")]
    fn decoder(self, reader: &mut impl Read) -> io::Result<Decoder> {
        use crate::packed::Zstd;
        match self {
            Self::Gzip => Ok(Decoder::gzip()),
            Self::Zstd => Zstd::of_file(),
            Self::ZstdDictionary => Zstd::with_dictionary(reader).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => crate::packed::ends_early(self.name()),
                _ if error.raw_os_error().is_some() => error,
                _ => damaged(self.name(), error.to_string()),
            }),
        }
    }

    #[cfg(not(feature = "archives"))]
    fn decoder(self, _: &mut impl Read) -> io::Result<Decoder> {
        let why = "this program was built without zstd; unpack the file, or build with all features";
        if self == Self::Gzip { Ok(Decoder::gzip()) } else { Err(damaged(self.name(), why)) }
    }
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

/// Any stream.
pub(crate) type Bytes<'r> = Box<dyn Read + Send + 'r>;

/// An unpacked stream.
pub(crate) enum Opened<'r> {
    /// It was not packed.
    Plain(Bytes<'r>),
    Packed(Box<Packed<Bytes<'r>>>),
}

impl Read for Opened<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(into),
            Self::Packed(parts) => parts.read(into),
        }
    }
}

/// The bytes of a stream, unpacked.
///
/// # Errors
/// Those of the stream, and an invalid zstd dictionary.
pub(crate) fn opened(mut reader: Bytes<'_>) -> io::Result<Opened<'_>> {
    let mut front = Vec::new();
    (&mut reader).take(4).read_to_end(&mut front)?;
    let format = Format::of(&front);
    let mut reader: Bytes<'_> = Box::new(io::Cursor::new(front).chain(reader));
    Ok(match format {
        None => Opened::Plain(Box::new(BufReader::with_capacity(BUFFER, reader))),
        Some(format) => {
            let decoder = format.decoder(&mut reader)?;
            Opened::Packed(Box::new(Packed::new(Window::new(reader), decoder)))
        }
    })
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
