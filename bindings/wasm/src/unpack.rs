//! Unpacks a file that is packed with gzip.
//!
//! Invariant: members, padding and damage are read as the command reads them, by the same decoder, and in the same words.
//! Bytes that are known to be wrong are an error. Bytes that are missing, and those beyond the limit, make a part. Work
//! and memory are bounded.

use std::io::{self, BufRead as _, Read as _};

use flate2::bufread::GzDecoder;

/// RFC 1952: the magic number, and the method deflate.
const GZIP: &[u8] = &[0x1F, 0x8B, 0x08];
/// RFC 8878 3.1.1, and the same after a dictionary. Frames that are skipped may come first: 3.1.2.
const ZSTD: [&[u8]; 2] = [&[0x28, 0xB5, 0x2F, 0xFD], &[0x5D, 0x2A, 0x4D, 0x18]];
/// How much longer than its content a packed file may be: 64 KiB, as for the command.
const MAX_OVERHEAD: usize = 64 << 10;

/// The content, up to `most` bytes, and whether it is whole. None if the file is not packed; an error if its content is
/// not known.
pub(crate) fn unpacked(packed: &[u8], most: usize) -> Result<Option<(Vec<u8>, bool)>, String> {
    let is_zstd = |magic: &&[u8]| packed.starts_with(magic) || (packed.len() > 1 && magic.starts_with(packed));
    let is_skipped = matches!(packed, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]);
    if is_skipped || ZSTD.iter().any(is_zstd) {
        return Err("cannot be unpacked from zstd: this module reads gzip only; unpack the file before".into());
    }
    if !packed.starts_with(&[0x1F, 0x8B]) && packed != [0x1F] {
        return Ok(None);
    }
    let max_packed = most.saturating_add(MAX_OVERHEAD);
    let read = packed.get(..max_packed).unwrap_or(packed);
    let mut bytes = Vec::new();
    let why = match members(read, most, &mut bytes) {
        Ok(is_whole) => return Ok(Some((bytes, is_whole))),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => error.to_string(),
        // The end may be ours.
        Err(_) if packed.len() >= max_packed => format!("it is longer than {max_packed} bytes"),
        Err(_) => return Ok(Some((bytes, false))),
    };
    Err(format!("cannot be unpacked from gzip: {why}"))
}

/// The members of a stream, one after another. NULs between them and after the last one are padding.
fn members(mut packed: &[u8], most: usize, into: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let room = most.saturating_sub(into.len());
        let mut decoder = GzDecoder::new(packed);
        (&mut decoder).take(u64::try_from(room).unwrap_or(u64::MAX)).read_to_end(into)?;
        // There may be more of what fills all the room.
        if into.len() >= most {
            return Ok(false);
        }
        packed = decoder.into_inner();
        let padding = packed.iter().take_while(|&&byte| byte == 0).count();
        packed.consume(padding);
        if packed.is_empty() {
            return Ok(true);
        }
        // What is here may be the beginning of a member.
        if !packed.starts_with(GZIP) && !GZIP.starts_with(packed) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no gzip member begins where one should"));
        }
    }
}
