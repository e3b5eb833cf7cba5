//! Reads a file that may be packed with gzip or zstd.
//!
//! Invariant: the first bytes decide the format, never a file name. One layer is unpacked, up to the limit of the
//! caller, and 16 MiB at most. A file is whole, or it ends early and says so, or it is damaged and an error: wrong bytes
//! are never a file. All inputs of commands, requests, lines and archives are read here or as here.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::packed::damaged;
use crate::stream::{BEYOND, Format, gather, opened, read_within};

/// The maximum size of unpacked data, even if the caller's limit is higher: 16 MiB, as in batches.
pub(crate) const MAX_UNPACKED: usize = 16 << 20;
/// How much longer than its content packed data may be, for headers and incompressible content: 64 KiB.
pub(crate) const MAX_OVERHEAD: usize = 64 << 10;

/// A file as it was before it was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked<'b> {
    /// The content, or the part of it that came.
    pub bytes: Cow<'b, [u8]>,
    /// The format that ends early. The bytes are only a part of the file then, which answers as [input.incomplete] says.
    pub ends_early: Option<&'static str>,
}

impl<'b> Unpacked<'b> {
    /// A file that is all there.
    #[must_use]
    pub const fn whole(bytes: Cow<'b, [u8]>) -> Self {
        Self { bytes, ends_early: None }
    }

    /// Whether it is all there.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.ends_early.is_none()
    }
}

/// Reads at most `max_bytes` of a file's content and [`BEYOND`] more, which show whether there was more.
///
/// # Errors
/// Those of the reader. `InvalidData` if the file is packed, and is damaged (a wrong checksum, bytes that no decoder
/// takes, bytes after its end), or has more than 16 MiB where `max_bytes` allows more.
pub fn read_file(mut reader: impl Read + Send, max_bytes: usize) -> io::Result<Unpacked<'static>> {
    let bytes = read_within(&mut reader, max_bytes)?;
    match Format::of(&bytes) {
        None => Ok(Unpacked::whole(bytes.into())),
        Some(format) => unpack(format, io::Cursor::new(bytes).chain(reader), max_bytes),
    }
}

/// Unpacks a file in memory, if it is packed.
///
/// # Errors
/// As for [`read_file`].
pub fn unpack_bytes(bytes: Cow<'_, [u8]>, max_bytes: usize) -> io::Result<Unpacked<'_>> {
    match Format::of(&bytes) {
        None => Ok(Unpacked::whole(bytes)),
        Some(format) => unpack(format, &*bytes, max_bytes),
    }
}

/// Unpacks a stream.
///
/// # Errors
/// Those of the stream; and if the packing is damaged, or holds more than [`MAX_UNPACKED`] bytes where `max_bytes` allows
/// more.
fn unpack(format: Format, packed: impl Read + Send, max_bytes: usize) -> io::Result<Unpacked<'static>> {
    let failed = |why: String| damaged(format.name(), why);
    let most = max_bytes.min(MAX_UNPACKED).saturating_add(BEYOND);
    let max_packed = u64::try_from(most.saturating_add(MAX_OVERHEAD)).unwrap_or(u64::MAX);
    let mut packed = packed.take(max_packed);
    let (bytes, is_whole) = opened(Box::new(&mut packed)).and_then(|reader| gather(reader, most))?;
    if bytes.len() > MAX_UNPACKED && max_bytes > MAX_UNPACKED {
        return Err(failed(format!("it holds more than {MAX_UNPACKED} bytes")));
    }
    // The end may be ours.
    if !is_whole && packed.limit() == 0 {
        return Err(failed(format!("it is longer than {max_packed} bytes")));
    }
    Ok(Unpacked { bytes: bytes.into(), ends_early: (!is_whole).then_some(format.name()) })
}

#[cfg(all(test, feature = "archives"))]
mod skipped {
    use super::*;

    /// zstd may begin with frames that are skipped, of each kind: RFC 8878 3.1.2. [cmd.unpack]
    #[test]
    fn zstd_may_begin_with_a_skipped_frame() {
        let frame = zstd::encode_all(&b"User-agent: *\n"[..], 3).unwrap_or_default();
        let of = |kind: u8, content: &[u8]| [&[kind, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 2], content].concat();
        for kind in 0x50..=0x5F {
            let packed = of(kind, &frame);
            let file = unpack_bytes(Cow::Borrowed(&packed), 100).ok();
            assert_eq!(file.as_ref().map(|file| &*file.bytes), Some(&b"User-agent: *\n"[..]), "{kind:x}");
            assert!(file.is_some_and(|file| file.is_whole()));
        }
        for text in [&b"P*M"[..], b"\x4F\x2A\x4D\x18", b"\x60\x2A\x4D\x18"] {
            assert_eq!(unpack_bytes(Cow::Borrowed(text), 100).ok().as_ref().map(|file| &*file.bytes), Some(text));
        }
    }
}

#[cfg(all(test, not(feature = "archives")))]
mod tests {
    use super::*;

    /// Without a decoder, zstd is an error and never read as text. [cmd.unpack]
    #[test]
    fn zstd_is_refused_without_the_feature() {
        let packed = [0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x00];
        let why = unpack_bytes(Cow::Borrowed(&packed), 100).map_err(|error| error.to_string());
        assert!(why.is_err_and(|why| why.starts_with("cannot be unpacked from zstd: this program was built without")));
    }
}
