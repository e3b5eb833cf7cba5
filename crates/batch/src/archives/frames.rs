//! Unpacks zstd: the frames of a stream, also with a dictionary before them.
//!
//! Invariant: after the first damage the stream has ended. A dictionary has a maximum size, also unpacked.

use std::io::{self, BufRead, BufReader, Read};
use std::mem;

use zstd::stream::read::Decoder as ZstdDecoder;

use crate::stream::{ZSTD, ZSTD_DICTIONARY};

/// The maximum size of a dictionary. Our choice: 8 MiB; `zstd --train` makes 112 kB.
const MAX_DICTIONARY: u64 = 8 << 20;

/// The bytes of a stream that begins like this, unpacked.
///
/// # Errors
/// Those of the stream, and an invalid dictionary.
pub(crate) fn unpacked(
    front: &[u8],
    reader: BufReader<impl Read + Send + 'static>,
) -> io::Result<Box<dyn Read + Send>> {
    if front == ZSTD_DICTIONARY {
        return with_dictionary(reader);
    }
    Ok(Box::new(Frames::new(ZstdDecoder::with_buffer(reader)?)))
}

fn with_dictionary(mut reader: BufReader<impl Read + Send + 'static>) -> io::Result<Box<dyn Read + Send>> {
    let mut head = [0; 8];
    reader.read_exact(&mut head)?;
    let [.., a, b, c, d] = head;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let too_long = || io::Error::other(format!("the zstd dictionary is longer than {MAX_DICTIONARY} bytes"));
    if length > MAX_DICTIONARY {
        return Err(too_long());
    }
    let mut dictionary = Vec::new();
    (&mut reader).take(length).read_to_end(&mut dictionary)?;
    if dictionary.starts_with(ZSTD) {
        let packed = mem::take(&mut dictionary);
        ZstdDecoder::with_buffer(&packed[..])?.take(MAX_DICTIONARY.saturating_add(1)).read_to_end(&mut dictionary)?;
        if u64::try_from(dictionary.len()).unwrap_or(u64::MAX) > MAX_DICTIONARY {
            return Err(too_long());
        }
    }
    Ok(Box::new(Frames::new(ZstdDecoder::with_dictionary(reader, &dictionary)?)))
}

/// The frames of a zstd stream, up to the end or to the first damage.
struct Frames<'d, R: BufRead> {
    decoder: ZstdDecoder<'d, R>,
    is_over: bool,
}

impl<'d, R: BufRead> Frames<'d, R> {
    const fn new(decoder: ZstdDecoder<'d, R>) -> Self {
        Self { decoder, is_over: false }
    }
}

impl<R: BufRead> Read for Frames<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        let read = self.decoder.read(into);
        self.is_over = read.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        read
    }
}
