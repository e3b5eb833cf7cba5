//! Unpacks a gzip member that is in memory as a whole.
//!
//! Invariant: a member is returned only if its checksum and its length are right and its end is known. Everything
//! else is left to the reader of streams. Work grows with the bytes of the member and what it holds.
//!
//! libdeflate takes half the time of zlib-rs, but does not say where a member ends. So it gets the bytes up to the
//! next magic number. If the member does not end exactly there, zlib-rs reads it.

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{Decompressor, crc32};
use memchr::memmem;

use crate::stream::{GZIP, TRAILER};

/// RFC 1952 2.3: the head without optional fields.
const HEAD: usize = 10;
/// The flag of the only optional field that is read here. Archives have it, and its length is simple.
const EXTRA: u8 = 4;

/// The decoders, which are used for many members.
pub(crate) struct Unpacker {
    magic: memmem::Finder<'static>,
    fast: Decompressor,
    exact: Decompress,
}

/// The length of a member, packed and unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) packed: usize,
    pub(crate) unpacked: usize,
}

impl Unpacker {
    pub(crate) fn new() -> Self {
        Self { magic: memmem::Finder::new(GZIP), fast: Decompressor::new(), exact: Decompress::new(false) }
    }

    /// Unpacks the member at the start of `packed`. None if it has no simple head, is damaged or has no room.
    pub(crate) fn member(&mut self, packed: &[u8], into: &mut [u8]) -> Option<Lengths> {
        let head = head(packed)?;
        let behind = packed.get(head..)?;
        let end = self.magic.find(behind).map_or(packed.len(), |at| head.saturating_add(at));
        let member = packed.get(..end)?;
        if let Ok(unpacked) = self.fast.gzip_decompress(member, into)
            && ends_here(member.get(head..)?, into.get(..unpacked)?)
        {
            return Some(Lengths { packed: end, unpacked });
        }
        self.exactly(behind, into, head)
    }

    fn exactly(&mut self, deflated: &[u8], into: &mut [u8], head: usize) -> Option<Lengths> {
        self.exact.reset(false);
        let status = self.exact.decompress(deflated, into, FlushDecompress::Finish).ok()?;
        if status != Status::StreamEnd {
            return None;
        }
        let end = usize::try_from(self.exact.total_in()).ok()?;
        let unpacked = usize::try_from(self.exact.total_out()).ok()?;
        let trailer = deflated.get(end..end.checked_add(TRAILER)?)?;
        (trailer == trailer_of(into.get(..unpacked)?))
            .then_some(Lengths { packed: head.checked_add(end)?.checked_add(TRAILER)?, unpacked })
    }
}

/// The length of a member's head, if it is a simple one.
fn head(packed: &[u8]) -> Option<usize> {
    let flags = *packed.get(GZIP.len()).filter(|_| packed.starts_with(GZIP))?;
    match flags {
        0 => Some(HEAD),
        EXTRA => {
            let length = packed.get(HEAD..)?.first_chunk().copied().map(u16::from_le_bytes)?;
            HEAD.checked_add(2)?.checked_add(length.into())
        }
        _ => None,
    }
}

/// Whether a member whose checksum is right ends with these bytes. Its end has the trailer, so it does if they end
/// with the trailer and have it nowhere else.
fn ends_here(deflated: &[u8], unpacked: &[u8]) -> bool {
    let trailer = trailer_of(unpacked);
    memmem::find(deflated, &trailer).and_then(|at| at.checked_add(TRAILER)) == Some(deflated.len())
}

/// RFC 1952 2.3.1: the checksum, and the length modulo 2^32.
fn trailer_of(unpacked: &[u8]) -> [u8; TRAILER] {
    let length = u64::try_from(unpacked.len()).unwrap_or(u64::MAX) << 32;
    (length | u64::from(crc32(unpacked))).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn packed(bytes: &[u8], level: u32, build: GzBuilder) -> Vec<u8> {
        let mut encoder = build.write(Vec::new(), Compression::new(level));
        let _ = encoder.write_all(bytes);
        encoder.finish().unwrap_or_default()
    }

    /// [batch.warc]
    #[test]
    fn a_member_is_read_to_its_exact_end() {
        let text = b"User-agent: *\nDisallow: /x\n".repeat(50);
        let simple = packed(&text, 6, GzBuilder::new());
        let extra = packed(&text, 6, GzBuilder::new().extra(&b"sl\x02\0ab"[..]));
        // A member within a member, not compressed.
        let inner = [&simple[..], &text[..]].concat();
        let nested = packed(&inner, 0, GzBuilder::new());
        let trailer = simple.get(simple.len() - TRAILER..).unwrap_or_default();
        let mut unpacker = Unpacker::new();
        let mut into = vec![0; 1 << 16];
        for (member, content) in [(&simple, &text), (&extra, &text), (&nested, &inner)] {
            for behind in [&b""[..], b"garbage", &simple, &[0; 9], trailer] {
                let bytes = [&member[..], behind].concat();
                let found = unpacker.member(&bytes, &mut into).map(|lengths| lengths.packed);
                assert_eq!(found, Some(member.len()), "{behind:?}");
            }
            for bits in 0..8 * member.len() {
                let mut bytes = member.clone();
                if let Some(byte) = bytes.get_mut(bits / 8) {
                    *byte ^= 1 << (bits % 8);
                }
                let found = unpacker.member(&bytes, &mut into);
                // Some changes are harmless: in the head, or where the text repeats itself.
                let is_same = found.is_some_and(|lengths| into.get(..lengths.unpacked) == Some(&content[..]));
                assert!(found.is_none() || is_same, "{bits}");
            }
            let all = unpacker.member(member, &mut into).map_or(0, |lengths| lengths.unpacked);
            for (room, fine) in [(all - 1, false), (all, true), (all + 1, true)] {
                let room_of = into.get_mut(..room).unwrap_or_default();
                assert_eq!(unpacker.member(member, room_of).is_some(), fine, "{room}");
            }
        }
        let named = packed(&text, 6, GzBuilder::new().filename("a"));
        assert_eq!(unpacker.member(&named, &mut into), None);
        let empty = packed(b"", 6, GzBuilder::new());
        assert_eq!(unpacker.member(&empty, &mut into), Some(Lengths { packed: empty.len(), unpacked: 0 }));
    }
}
