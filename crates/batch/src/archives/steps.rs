//! The records of an archive, read on one thread or on several.
//!
//! Invariant: the steps of a packed archive are those of the same archive unpacked.

use std::io::{self, Read};

use super::piece::Packing;
use super::pieces::Pieces;
use super::pool::Hands;
use super::proven::{Check, Proven};
use super::warc::{Archive, Step};
use crate::stream::{Format, Opened, opened, with_format};

type Stream = Box<dyn Read + Send>;

/// Reads an archive record by record.
pub(super) struct Steps {
    reader: Reader,
}

enum Reader {
    Whole(Archive<Stream>),
    Pieces(Box<Pieces>),
}

impl Steps {
    /// The steps of an archive that may be packed with gzip or zstd. Keeps at most `max_block` bytes of a block.
    pub(super) fn new(stream: Stream, max_block: usize, hands: Option<Hands>, check: Check) -> io::Result<Self> {
        let (format, stream) = with_format(stream)?;
        let packing = match format {
            None => Packing::None,
            Some(Format::Gzip) => Packing::Gzip,
            Some(Format::Zstd | Format::ZstdDictionary) => {
                let stream: Stream = match opened(Box::new(stream))? {
                    Opened::Plain(stream) => stream,
                    Opened::Packed(parts) => Box::new(Proven::new(parts)),
                };
                return Ok(Self::of_unpacked(stream, max_block, check));
            }
        };
        let reader = Reader::Pieces(Box::new(Pieces::new(Box::new(stream), packing, max_block, hands, check)));
        Ok(Self { reader })
    }

    /// The same for an archive that is not packed, or [`Proven`].
    pub(super) fn of_unpacked(stream: Stream, max_block: usize, check: Check) -> Self {
        Self { reader: Reader::Whole(Archive::proven(stream, max_block, check)) }
    }

    pub(super) fn next_step(&mut self) -> io::Result<Option<Step>> {
        match &mut self.reader {
            Reader::Whole(archive) => archive.next_step(),
            Reader::Pieces(pieces) => pieces.next_step(),
        }
    }
}
