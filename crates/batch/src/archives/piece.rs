//! Reads a piece of an archive, as if the archive began and ended with it.
//!
//! Invariant: a piece returns only records that the reader of streams would return too, if the piece begins where a
//! record begins and what follows begins with a record. What is damaged, cut or unusual is left to that reader. Memory
//! holds at most [`MAX_UNPACKED`] bytes of a piece.

use std::cell::RefCell;
use std::mem;

use super::cut::MAX_PIECE;
use super::member::Unpacker;
use super::warc::{Archive, Record, Step};

/// The maximum number of unpacked bytes of a piece. Our choice: 8 MiB, 32 times the usual size of a packed piece.
const MAX_UNPACKED: usize = 2 * MAX_PIECE;

/// How the bytes of an archive are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
}

/// A piece that was read.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// Its bytes, as they are in the stream.
    pub(crate) raw: Vec<u8>,
    pub(crate) records: Vec<Record>,
    /// The number of records that are followed by another one, so that they are complete.
    pub(crate) sure: usize,
    /// The place in `raw` after them.
    pub(crate) sure_raw: usize,
    /// Whether the records are the whole piece.
    pub(crate) is_whole: bool,
    /// Whether reading stopped only because there was no room.
    pub(crate) is_full: bool,
}

thread_local! {
    /// Each thread reads its pieces with the same memory.
    static WORK: RefCell<Option<(Unpacker, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Reads a piece.
pub(crate) fn read(raw: Vec<u8>, packing: Packing, max_block: usize) -> Piece {
    match packing {
        Packing::None => {
            let length = raw.len();
            let mut archive = Archive::whole(raw, length, max_block);
            let piece = records(&mut archive, length, Some);
            Piece { raw: archive.into_buffer(), ..piece }
        }
        Packing::Gzip => WORK.with_borrow_mut(|work| {
            let (unpacker, buffer) = work.get_or_insert_with(|| (Unpacker::new(), vec![0; MAX_UNPACKED]));
            let members = Members::unpack(&raw, unpacker, buffer);
            let mut archive = Archive::whole(mem::take(buffer), members.unpacked, max_block);
            let mut piece = records(&mut archive, members.unpacked, |at| members.raw_at(at));
            *buffer = archive.into_buffer();
            if members.packed < raw.len() {
                piece.is_whole = false;
                piece.is_full = members.unpacked > MAX_UNPACKED / 2;
                piece.records.truncate(piece.sure);
            }
            Piece { raw, ..piece }
        }),
    }
}

/// The members of a piece that could be unpacked.
struct Members {
    /// Where each begins: unpacked, and in the piece.
    starts: Vec<(usize, usize)>,
    packed: usize,
    unpacked: usize,
}

impl Members {
    fn unpack(raw: &[u8], unpacker: &mut Unpacker, buffer: &mut [u8]) -> Self {
        let mut members = Self { starts: Vec::new(), packed: 0, unpacked: 0 };
        while let Some(rest) = raw.get(members.packed..).filter(|rest| !rest.is_empty()) {
            let room = buffer.get_mut(members.unpacked..).unwrap_or_default();
            let Some(lengths) = unpacker.member(rest, room) else { break };
            members.starts.push((members.unpacked, members.packed));
            members.packed = members.packed.saturating_add(lengths.packed);
            members.unpacked = members.unpacked.saturating_add(lengths.unpacked);
        }
        members
    }

    /// The place in the piece of what is unpacked at `at`, if a member begins there.
    fn raw_at(&self, at: usize) -> Option<usize> {
        let found = self.starts.binary_search_by_key(&at, |&(unpacked, _)| unpacked).ok()?;
        self.starts.get(found).map(|&(_, raw)| raw)
    }
}

/// The records of `length` bytes. `raw_at` says where in the piece the rest begins.
fn records(archive: &mut Archive<std::io::Empty>, length: usize, raw_at: impl Fn(usize) -> Option<usize>) -> Piece {
    let mut piece = Piece::default();
    if !archive.begins_record() {
        return piece;
    }
    while let Ok(Some(Step::Record(record))) = archive.next_step() {
        if record.is_short {
            break;
        }
        piece.records.push(record);
        let at = length.saturating_sub(archive.held());
        if at == length {
            piece.is_whole = true;
            return piece;
        }
        if let Some(raw) = raw_at(at) {
            (piece.sure, piece.sure_raw) = (piece.records.len(), raw);
        }
    }
    piece.records.truncate(piece.sure);
    piece
}
