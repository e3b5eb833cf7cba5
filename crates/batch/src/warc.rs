//! A stream -> the records of a WARC archive (ISO 28500, WARC 0.17 to 1.1), whatever the stream holds.
//!
//! Invariant: a record is given out only when what follows it is a record again, or the end: one whose length lies could
//! carry another site's rules. What is no record is skipped to the next line that begins one, and told once. At most one
//! head of [`MAX_HEAD`] bytes, one block of `max_block` and one window are held; every byte is looked at a bounded number
//! of times.
//!
//! This is no crate's work, since none was found that does all of it: `warc` and `rust_warc` read a record of any length
//! into memory; `fastwarc` bounds heads, but takes a block that the archive's end cut off, or whose length is no number,
//! for a whole one, and depends on crates that are no longer kept.

use std::io::{self, Read};
use std::mem;

use memchr::memmem;

use crate::window::{Window, is_between};

/// Bytes of a record's own head. House: 64 KiB; heads of real archives have 300 to 1,000.
pub const MAX_HEAD: usize = 1 << 16;
const MARK: &[u8] = b"WARC/";

/// What a record is, as its `WARC-Type` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// What a server sent, with its head.
    Response,
    /// A file, without a head.
    Resource,
    /// What a server sent, which another record holds.
    Revisit,
    /// Anything else, by its name.
    Other(&'static str),
}

impl Kind {
    fn of(name: &[u8]) -> Self {
        const OTHERS: [&str; 5] = ["request", "warcinfo", "metadata", "conversion", "continuation"];
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name {
            _ if is("response") => Self::Response,
            _ if is("resource") => Self::Resource,
            _ if is("revisit") => Self::Revisit,
            _ => Self::Other(OTHERS.into_iter().find(|known| is(known)).unwrap_or("unknown-type")),
        }
    }
}

/// A record.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// Its own head, not that of a response in it.
    pub head: Head,
    /// Of the kinds that are wanted; its front, where it is longer than the limit or where the archive ends within it.
    pub block: Vec<u8>,
    /// Whether there was more of the block than the limit allows.
    pub is_cut: bool,
    /// Whether the archive ends within the block.
    pub is_short: bool,
    /// Whether the compressed stream is damaged right behind the block, before anything said that its bytes are right.
    pub is_spoilt: bool,
}

/// The head of a record: its lines, and what is read of them on request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Head(Vec<u8>);

impl Head {
    /// The value of a field, whatever the case of its name, without blanks around it. A field that is there twice has its first value.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        self.values(name).next()
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.lines().filter_map(move |line| {
            let (front, value) = line.split_at_checked(name.len())?;
            let value = value.trim_ascii_start().strip_prefix(b":")?;
            front.eq_ignore_ascii_case(name.as_bytes()).then(|| value.trim_ascii())
        })
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        memchr::memchr_iter(b'\n', &self.0)
            .map(move |end| self.0.get(mem::replace(&mut start, end.saturating_add(1))..end).unwrap_or_default())
    }

    /// The block's length; none where it is missing, no number, or said twice and otherwise.
    fn length(&self) -> Option<u64> {
        let mut values = self.values("Content-Length");
        let first = values.next()?;
        let is_number = !first.is_empty() && first.iter().all(u8::is_ascii_digit);
        let is_said_once = values.all(|other| other == first);
        if is_number && is_said_once { str::from_utf8(first).ok()?.parse().ok() } else { None }
    }
}

/// Why a part of the archive holds no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// No record begins where one should.
    NoRecord,
    /// A head over [`MAX_HEAD`], or one that the archive's end cuts off.
    Head,
    /// No length, or none that can be.
    NoLength,
    /// The length leads to no record and not to the end.
    Length,
    /// The compressed stream is damaged.
    Stream,
}

impl Damage {
    /// In words, with what is done about it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoRecord => "no WARC record begins here: skipped to the next",
            Self::Head => "the record's head is longer than 65536 bytes or has no end: skipped to the next record",
            Self::NoLength => "the record has no usable Content-Length: skipped to the next",
            Self::Length => "the record's Content-Length is wrong: what follows it is no record; skipped to the next",
            Self::Stream => "the compressed stream is damaged: skipped to the next record that can be read",
        }
    }
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A record.
    Record(Record),
    /// Bytes that are none, up to the next record that can be read.
    Damage(Damage),
}

/// An archive that is read.
///
/// ```
/// use robosieve_batch::warc::{Archive, Step};
/// let bytes = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
/// let mut archive = Archive::new(&bytes[..], 1000);
/// let Some(Step::Record(record)) = archive.next_step()? else { panic!() };
/// assert_eq!(record.block, b"abc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Archive<R> {
    window: Window<R>,
    max_block: usize,
    /// What was found behind the last record.
    pending: Option<Damage>,
    /// Nothing but damage since it was told.
    told: bool,
}

/// Why a record ends where it does.
enum Stop {
    Damage(Damage),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    /// What the operating system says is final; a decoder's complaint is not.
    fn from(error: io::Error) -> Self {
        if error.raw_os_error().is_none() { Self::Damage(Damage::Stream) } else { Self::Io(error) }
    }
}

impl<R: Read> Archive<R> {
    /// Of each block, `max_block` bytes are kept.
    pub fn new(reader: R, max_block: usize) -> Self {
        Self { window: Window::new(reader), max_block, pending: None, told: false }
    }

    /// The next record, or what is there instead; none at the end.
    ///
    /// # Errors
    /// Those of the stream itself, after which there is nothing more.
    pub fn next_step(&mut self) -> io::Result<Option<Step>> {
        loop {
            let found = match self.pending.take() {
                Some(damage) => Err(Stop::Damage(damage)),
                None => self.record(),
            };
            match found {
                Ok(Some(record)) => {
                    self.told = false;
                    return Ok(Some(Step::Record(record)));
                }
                Ok(None) => return Ok(None),
                Err(Stop::Io(error)) => return Err(error),
                Err(Stop::Damage(damage)) => {
                    self.find_record(damage)?;
                    // A stream of nothing but damage is one; a record that is lost is always told.
                    if !mem::replace(&mut self.told, true) || damage == Damage::Length {
                        return Ok(Some(Step::Damage(damage)));
                    }
                }
            }
        }
    }

    fn record(&mut self) -> Result<Option<Record>, Stop> {
        self.skip_blank()?;
        let front = self.window.look(MARK.len())?;
        if front.is_empty() {
            return Ok(None);
        }
        if front.get(..MARK.len()) != Some(MARK) {
            return Err(Stop::Damage(Damage::NoRecord));
        }
        let head = self.head()?;
        let length = head.length().ok_or(Stop::Damage(Damage::NoLength))?;
        let kind = Kind::of(head.field("WARC-Type").unwrap_or_default());
        let max_block = if matches!(kind, Kind::Other(_)) { 0 } else { self.max_block };
        let (block, rest) = self.block(length, max_block)?;
        let is_cut = length > u64::try_from(max_block).unwrap_or(u64::MAX);
        let is_short = rest > 0;
        let is_spoilt = !is_short && !self.expect_record()?;
        Ok(Some(Record { kind, head, block, is_cut, is_short, is_spoilt }))
    }

    /// Takes the line ends between records.
    fn skip_blank(&mut self) -> io::Result<()> {
        loop {
            let held = self.window.look(1)?;
            let blank = held.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let is_all = blank == held.len() && blank > 0;
            self.window.take(blank);
            if !is_all {
                return Ok(());
            }
        }
    }

    /// Takes a head, to its empty line.
    fn head(&mut self) -> Result<Head, Stop> {
        let mut line = 0;
        let mut seen = 0;
        loop {
            let held = self.window.held();
            let fresh = held.get(seen..).unwrap_or_default();
            let Some(end) = memchr::memchr(b'\n', fresh).map(|at| seen.saturating_add(at)) else {
                seen = held.len();
                let more = seen.saturating_add(1);
                if more > MAX_HEAD || self.window.look(more)?.len() < more {
                    return Err(Stop::Damage(Damage::Head));
                }
                continue;
            };
            let text = held.get(line..end).unwrap_or_default();
            seen = end.saturating_add(1);
            if seen > MAX_HEAD {
                return Err(Stop::Damage(Damage::Head));
            }
            if text.is_empty() || text == b"\r" {
                let lines = held.get(..line).unwrap_or_default().to_vec();
                self.window.take(seen);
                return Ok(Head(lines));
            }
            line = seen;
        }
    }

    /// Takes a block: its front, and how many of its bytes are missing.
    fn block(&mut self, length: u64, max_block: usize) -> Result<(Vec<u8>, u64), Stop> {
        let wanted = usize::try_from(length).unwrap_or(usize::MAX).min(max_block);
        // What a head promises is not what comes: no more is set aside than has come.
        let mut block = Vec::with_capacity(wanted.min(crate::window::CAPACITY));
        let mut rest = length;
        while rest > 0 {
            let held = self.window.look(1)?;
            let count = usize::try_from(rest).unwrap_or(usize::MAX).min(held.len());
            if count == 0 {
                break;
            }
            let kept = wanted.saturating_sub(block.len()).min(count);
            block.extend_from_slice(held.get(..kept).unwrap_or(held));
            self.window.take(count);
            rest = rest.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
        }
        Ok((block, rest))
    }

    /// That a record follows, or the end. A damaged stream behind a record is told after it; returns whether the record is whole
    /// all the same, for a checksum comes behind what it is of.
    fn expect_record(&mut self) -> Result<bool, Stop> {
        let fits = self.skip_blank().and_then(|()| {
            let front = self.window.look(MARK.len())?;
            Ok(front.is_empty() || front.get(..MARK.len()) == Some(MARK))
        });
        let is_between = fits.as_ref().is_err_and(is_between);
        match fits.map_err(Stop::from) {
            Ok(true) => Ok(true),
            Ok(false) => Err(Stop::Damage(Damage::Length)),
            Err(Stop::Damage(damage)) => {
                self.pending = Some(damage);
                Ok(is_between)
            }
            Err(error) => Err(error),
        }
    }

    /// Goes to the next line that begins a record, or to the end.
    fn find_record(&mut self, damage: Damage) -> io::Result<()> {
        const LINE: &[u8] = b"\nWARC/";
        // Behind damage the stream goes on with something else, and what is held belongs to nothing.
        let mut is_fresh = damage == Damage::Stream;
        if is_fresh {
            self.window.clear();
        }
        loop {
            let held = match self.window.look(LINE.len()) {
                Ok(held) => held,
                Err(error) if error.raw_os_error().is_some() => return Err(error),
                Err(_) => {
                    self.window.clear();
                    is_fresh = true;
                    continue;
                }
            };
            if is_fresh && held.starts_with(MARK) {
                return Ok(());
            }
            is_fresh = false;
            if let Some(at) = memmem::find(held, LINE) {
                self.window.take(at.saturating_add(1));
                return Ok(());
            }
            if held.len() < LINE.len() {
                self.window.clear();
                return Ok(());
            }
            let passed = held.len().saturating_sub(LINE.len()).saturating_add(1);
            self.window.take(passed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n";

    fn archive(records: usize) -> Vec<u8> {
        let record = |number| {
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nX: {number}\r\nContent-Length: {}\r\n\r\n{BLOCK}\r\n\r\n",
                BLOCK.len()
            )
        };
        (0..records).map(record).collect::<Vec<_>>().concat().into_bytes()
    }

    fn steps(bytes: impl Read, max_block: usize) -> Vec<Step> {
        let mut archive = Archive::new(bytes, max_block);
        std::iter::from_fn(|| archive.next_step().ok().flatten()).collect()
    }

    /// Gives a few bytes at a time, as a pipe may.
    struct Dribble<'o>(&'o [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = into.len().min(self.1);
            self.0.read(into.get_mut(..most).unwrap_or_default())
        }
    }

    /// [batch.bounds]
    #[test]
    fn blocks_are_kept_to_the_limit() {
        for (max_block, is_cut) in [(BLOCK.len() - 1, true), (BLOCK.len(), false), (BLOCK.len() + 1, false)] {
            let found = steps(&archive(2)[..], max_block);
            assert_eq!(found.len(), 2);
            for step in found {
                assert!(
                    matches!(step, Step::Record(record) if record.is_cut == is_cut && record.block.len() == max_block.min(BLOCK.len()))
                );
            }
        }
    }

    /// The same bytes give the same steps however they come; no step holds more than its limits; all is read to the end in
    /// a bounded number of steps. Archives are made by changing whole ones, at places drawn with a fixed seed.
    /// [batch.warc] [batch.bounds]
    #[test]
    fn changed_archives_keep_the_invariants() {
        const PIECES: [&[u8]; 8] =
            [b"WARC/", b"\r\n", b"\n\nWARC/1.0\n", b"Content-Length: 9\r\n", b"\0", b"99999999", b"-", b"\r\n\r\n"];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0).checked_rem(below).unwrap_or(0)
        };
        for _ in 0..3000 {
            let mut bytes = archive(draw(6));
            for _ in 0..draw(8) {
                let at = draw(bytes.len().saturating_add(1));
                match draw(3) {
                    0 => bytes.truncate(at),
                    1 => {
                        let end = at.saturating_add(draw(60)).min(bytes.len());
                        bytes.drain(at..end);
                    }
                    _ => drop(bytes.splice(at..at, PIECES.get(draw(8)).copied().unwrap_or_default().iter().copied())),
                }
            }
            let max_block = draw(60);
            let whole = steps(&bytes[..], max_block);
            assert_eq!(whole, steps(Dribble(&bytes, draw(9).saturating_add(1)), max_block), "{}", bytes.escape_ascii());
            assert!(whole.len() <= bytes.len());
            for step in &whole {
                assert!(
                    matches!(step, Step::Damage(_))
                        || matches!(step, Step::Record(record) if record.block.len() <= max_block)
                );
            }
            let mut archive = Archive::new(&bytes[..], max_block);
            while matches!(archive.next_step(), Ok(Some(_))) {}
            assert_eq!(archive.window.look(1).ok(), Some(&[][..]));
        }
    }
}
