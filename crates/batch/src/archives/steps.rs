//! The records of an archive, read on one thread or on several.
//!
//! Invariant: the steps of a packed archive are those of the same archive unpacked.

use std::io::{self, Read};

use super::pieces::Pieces;
use super::pool::Hands;
use super::warc::{Archive, Step};
use crate::stream::{packing, unpacked};

type Stream = Box<dyn Read + Send>;

/// Reads an archive record by record.
pub(super) enum Steps {
    Whole(Archive<Stream>),
    Pieces(Box<Pieces>),
}

impl Steps {
    /// The steps of an archive that may be packed with gzip or zstd. Keeps at most `max_block` bytes of a block.
    pub(super) fn new(stream: Stream, max_block: usize, hands: Option<Hands>) -> io::Result<Self> {
        let (packing, stream) = packing(stream)?;
        Ok(match packing {
            Some(packing) => Self::Pieces(Box::new(Pieces::new(stream, packing, max_block, hands))),
            None => Self::of_unpacked(unpacked(stream)?, max_block),
        })
    }

    /// The same for an archive that is not packed.
    pub(super) fn of_unpacked(stream: Stream, max_block: usize) -> Self {
        Self::Whole(Archive::new(stream, max_block))
    }

    pub(super) fn next_step(&mut self) -> io::Result<Option<Step>> {
        match self {
            Self::Whole(archive) => archive.next_step(),
            Self::Pieces(pieces) => pieces.next_step(),
        }
    }
}
