//! Reads a file that may be packed with gzip or zstd, as a whole or not at all.
//!
//! Invariant: the first bytes decide the format, never a file name. One layer is unpacked, up to the limit of the
//! caller, and 16 MiB at most. Damaged or longer data is an error, never a shorter file.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::stream::{BEYOND, Counted, is_packed, read_within, unpacked};

/// The maximum size of unpacked data, even if the caller's limit is higher: 16 MiB, as in batches.
const MAX_UNPACKED: usize = 16 << 20;
/// How much longer than its content a packed file may be, for headers and incompressible content: 64 KiB.
const MAX_OVERHEAD: usize = 64 << 10;

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Packing {
    /// The format that the first bytes show.
    fn of(bytes: &[u8]) -> Option<Self> {
        let packing = if bytes.first() == Some(&0x1F) { Self::Gzip } else { Self::Zstd };
        is_packed(bytes).then_some(packing)
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// Reads at most `max_bytes` of a file's content and [`BEYOND`] more, which show whether there was more.
///
/// # Errors
/// Those of the reader. `InvalidData` if the file is packed, and is damaged or cut, or has more than 16 MiB where
/// `max_bytes` allows more.
pub fn read_file(mut reader: impl Read + Send + 'static, max_bytes: usize) -> io::Result<Vec<u8>> {
    let bytes = read_within(&mut reader, max_bytes)?;
    let Some(packing) = Packing::of(&bytes) else { return Ok(bytes) };
    unpack(packing, io::Cursor::new(bytes).chain(reader), max_bytes.saturating_add(BEYOND))
}

/// Unpacks a file in memory, if it is packed.
///
/// # Errors
/// As for [`read_file`].
pub fn unpack_bytes(bytes: Cow<'_, [u8]>, max_bytes: usize) -> io::Result<Cow<'_, [u8]>> {
    let Some(packing) = Packing::of(&bytes) else { return Ok(bytes) };
    unpack(packing, io::Cursor::new(bytes.into_owned()), max_bytes.saturating_add(BEYOND)).map(Cow::Owned)
}

/// Unpacks at most `most` bytes of a stream.
///
/// # Errors
/// Those of the stream; and if the packing is damaged or cut, or holds more than [`MAX_UNPACKED`] bytes where `most` allows
/// more.
fn unpack(packing: Packing, packed: impl Read + Send + 'static, most: usize) -> io::Result<Vec<u8>> {
    let most = most.min(MAX_UNPACKED.saturating_add(1));
    let max_packed = as_u64(most.saturating_add(MAX_OVERHEAD));
    let count = Arc::new(AtomicU64::new(0));
    let packed = Counted::new(packed.take(max_packed), Arc::clone(&count));
    let mut bytes = Vec::new();
    let done = unpacked(Box::new(packed)).and_then(|reader| reader.take(as_u64(most)).read_to_end(&mut bytes));
    let why = match done {
        Ok(_) if bytes.len() > MAX_UNPACKED => format!("it holds more than {MAX_UNPACKED} bytes"),
        Ok(_) => return Ok(bytes),
        Err(error) if error.raw_os_error().is_some() => return Err(error),
        Err(_) if count.load(Ordering::Relaxed) >= max_packed => format!("it is longer than {max_packed} bytes"),
        Err(error) => error.to_string(),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, format!("cannot be unpacked from {packing}: {why}")))
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
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
