//! Reads an archive piece by piece, with other threads if there are any.
//!
//! Invariant: the result is that of [`Archive`] on the unpacked stream, for any bytes. A record is returned when the
//! record after it was read, so every cut is verified. Where a piece is not what its cut promised, it is read together
//! with the next. If that does not help, the rest of the archive is read as a stream. Memory holds a few pieces for
//! each thread.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::mem;
use std::sync::mpsc::{self, Receiver};

use super::cut::{Cutter, Mark};
use super::piece::{self, Packing, Piece};
use super::pool::Hands;
use super::proven::{Check, Proven};
use super::warc::{Archive, Record, Step};
use crate::stream::GZIP;
use crate::stream::members;

type Stream = Box<dyn Read + Send>;

/// An archive that is cut into pieces.
pub(crate) struct Pieces {
    cutter: Cutter<Stream>,
    packing: Packing,
    max_block: usize,
    hands: Option<Hands>,
    check: Check,
    /// The pieces that other threads read, in order.
    ahead: VecDeque<Receiver<Piece>>,
    ready: VecDeque<Record>,
    /// The end of what was read.
    held: Held,
    /// The rest of the archive, as a stream.
    rest: Option<Archive<Stream>>,
}

/// Bytes that are still to be confirmed.
#[derive(Default)]
struct Held {
    raw: Vec<u8>,
    /// The records of these bytes, if a record or the end follows. None if they must be read together with what follows.
    records: Vec<Record>,
    /// Whether they were not read because there was no room.
    is_full: bool,
}

impl Pieces {
    pub(crate) fn new(reader: Stream, packing: Packing, max_block: usize, hands: Option<Hands>, check: Check) -> Self {
        let mark = match packing {
            Packing::None => Mark { bytes: b"\nWARC/", before: 1 },
            Packing::Gzip => Mark { bytes: GZIP, before: 0 },
        };
        Self {
            cutter: Cutter::new(reader, mark),
            packing,
            max_block,
            hands,
            check,
            ahead: VecDeque::new(),
            ready: VecDeque::new(),
            held: Held::default(),
            rest: None,
        }
    }

    /// The next record or damage. None at the end.
    pub(crate) fn next_step(&mut self) -> io::Result<Option<Step>> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Ok(Some(Step::Record(record)));
            }
            if let Some(rest) = &mut self.rest {
                return rest.next_step();
            }
            self.advance()?;
        }
    }

    /// Reads another piece, or begins to read the rest as a stream.
    fn advance(&mut self) -> io::Result<()> {
        let held = mem::take(&mut self.held);
        if held.is_full {
            let piece = self.read(held.raw);
            return self.add(piece, 1);
        }
        let Some(piece) = self.next_piece()? else {
            if self.cutter.is_broken() || held.records.is_empty() {
                return self.read_on(held.raw);
            }
            self.ready.extend(held.records);
            self.rest = Some(Archive::new(Box::new(io::empty()), self.max_block));
            return Ok(());
        };
        if held.raw.is_empty() {
            return self.add(piece, 0);
        }
        if !held.records.is_empty() && !piece.records.is_empty() {
            // The cut before this piece was right: a record begins there.
            self.ready.extend(held.records);
            return self.add(piece, 0);
        }
        let least = held.raw.len();
        let joined = self.read([held.raw, piece.raw].concat());
        self.add(joined, least)
    }

    /// Takes the records of a piece. Fewer than `least` bytes of records show that it cannot be read as one.
    fn add(&mut self, mut piece: Piece, least: usize) -> io::Result<()> {
        if !piece.is_whole && piece.sure_raw < least {
            return self.read_on(piece.raw);
        }
        let records = piece.records.split_off(piece.sure);
        self.ready.extend(piece.records);
        let is_full = piece.is_full && piece.sure_raw > 0;
        self.held = Held { raw: piece.raw.split_off(piece.sure_raw), records, is_full };
        Ok(())
    }

    fn read(&self, raw: Vec<u8>) -> Piece {
        piece::read(raw, self.packing, self.max_block)
    }

    /// The next piece, read. None at the end.
    fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        let (packing, max_block) = (self.packing, self.max_block);
        let Some(hands) = &self.hands else {
            return Ok(self.cutter.next_piece().map(|raw| piece::read(raw, packing, max_block)));
        };
        while self.ahead.len() < hands.count() {
            let Some(raw) = self.cutter.next_piece() else { break };
            let (done, result) = mpsc::channel();
            hands.lend(move || drop(done.send(piece::read(raw, packing, max_block))));
            self.ahead.push_back(result);
        }
        self.ahead.pop_front().map(|result| received(&result)).transpose()
    }

    /// Reads everything from these bytes on as a stream.
    fn read_on(&mut self, mut raw: Vec<u8>) -> io::Result<()> {
        for result in mem::take(&mut self.ahead) {
            raw.append(&mut received(&result)?.raw);
        }
        let end: Stream = Box::new(io::empty());
        let cutter = mem::replace(&mut self.cutter, Cutter::new(end, Mark { bytes: GZIP, before: 0 }));
        let stream = Cursor::new(raw).chain(cutter.into_rest());
        let stream: Stream = match self.packing {
            Packing::None => Box::new(stream),
            Packing::Gzip => Box::new(Proven::new(members(stream))),
        };
        self.rest = Some(Archive::proven(stream, self.max_block, mem::take(&mut self.check)));
        Ok(())
    }
}

/// The piece that another thread has read.
fn received(result: &Receiver<Piece>) -> io::Result<Piece> {
    result.recv().map_err(|_| io::Error::other("a thread that was reading it ended early"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::archives::pool;

    /// Pseudo-random numbers below a limit.
    fn draws() -> impl FnMut(usize) -> usize {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0).checked_rem(below).unwrap_or(0)
        }
    }

    fn packed(bytes: &[u8], level: usize) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(u32::try_from(level).unwrap_or(0)));
        let _ = encoder.write_all(bytes);
        encoder.finish().unwrap_or_default()
    }

    fn record(body: &[u8]) -> Vec<u8> {
        let head = format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body, b"\r\n\r\n"].concat()
    }

    /// The members of an archive, of all sizes. Some hold members and records in their bodies.
    fn archive(draw: &mut impl FnMut(usize) -> usize) -> Vec<Vec<u8>> {
        let noise: Vec<u8> = (0..90_001).map(|_| u8::try_from(draw(256)).unwrap_or(0)).collect();
        let mut members = Vec::new();
        for _ in 0..draw(40) {
            let length = draw(60_000);
            let mut body: Vec<u8> = noise.iter().cycle().skip(draw(90_000)).take(length).copied().collect();
            match draw(12) {
                0 => body = packed(&record(&body), 0).repeat(draw(9)),
                1 => body = [&b"\n"[..], &record(&body)].concat().repeat(draw(9)),
                2 => body = vec![0; draw(12 << 20)],
                _ => {}
            }
            members.push(match draw(10) {
                0 => record(&body).repeat(2),
                _ => record(&body),
            });
        }
        members
    }

    fn changed(mut bytes: Vec<u8>, draw: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
        for _ in 0..draw(4) {
            let at = draw(bytes.len().saturating_add(1));
            match draw(6) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..at.saturating_add(draw(60_000)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, vec![0; draw(9)])),
                3 => drop(bytes.splice(at..at, *b"\nWARC/1.0\r\n")),
                4 => drop(bytes.splice(at..at, GZIP.to_vec())),
                _ => drop(bytes.get_mut(at).map(|byte| *byte ^= 1)),
            }
        }
        bytes
    }

    fn in_pieces(bytes: Vec<u8>, packing: Packing, jobs: usize) -> Vec<Step> {
        let read = move |feed: &mut pool::Feed<Step>| {
            let mut pieces =
                Pieces::new(Box::new(Cursor::new(bytes)), packing, 100_000, feed.hands(), Check::default());
            while let Ok(Some(step)) = pieces.next_step() {
                feed.push(step, 0);
            }
        };
        pool::start(jobs, read, |step| step).into_results().map_while(Result::ok).collect()
    }

    fn as_stream(bytes: &[u8], packing: Packing) -> Vec<Step> {
        let stream: Box<dyn Read + '_> = match packing {
            Packing::None => Box::new(bytes),
            Packing::Gzip => Box::new(Proven::new(members(bytes))),
        };
        let mut archive = Archive::new(stream, 100_000);
        std::iter::from_fn(|| archive.next_step().ok().flatten()).collect()
    }

    /// An archive in pieces is the archive as a stream, whatever its bytes are, for any number of threads.
    /// [batch.warc] [batch.order]
    #[test]
    fn pieces_are_the_stream() {
        let mut draw = draws();
        for round in 0..12 {
            let members = archive(&mut draw);
            let (bytes, packing) = match draw(4) {
                0 => (members.concat(), Packing::None),
                1 => (packed(&members.concat(), 1), Packing::Gzip),
                _ => (members.iter().flat_map(|member| packed(member, draw(3))).collect(), Packing::Gzip),
            };
            let bytes = if round % 3 == 0 { bytes } else { changed(bytes, &mut draw) };
            let expected = as_stream(&bytes, packing);
            for jobs in [1, 3] {
                assert!(in_pieces(bytes.clone(), packing, jobs) == expected, "round {round}, {jobs} jobs");
            }
        }
    }
}
