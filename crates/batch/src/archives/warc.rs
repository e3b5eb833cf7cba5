//! Reads the records of a WARC archive (ISO 28500, WARC 0.17 to 1.1) from any stream.
//!
//! Invariant: a record is returned only if another record or the end follows it. A record with a wrong length could
//! otherwise contain another site's rules. Bytes that are not a record are skipped up to the next line that begins
//! one, and reported once. Memory holds at most one head of [`MAX_HEAD`] bytes, one block of `max_block` bytes and
//! one window. Every byte is looked at a bounded number of times.
//!
//! This is our own code, because no crate was found that does all of this. `warc` and `rust_warc` read records of any
//! length into memory. `fastwarc` limits heads, but accepts a block that is cut by the end of the archive, or whose
//! length is not a number, as complete, and depends on crates that are no longer maintained.

use std::borrow::Cow;
use std::io::{self, Read};
use std::mem;

use memchr::memmem;

use crate::packed::{Given, given};
use crate::window::Window;

/// The maximum number of bytes in a record's own head. Our choice: 64 KiB; heads in real archives have 300 to 1,000.
pub const MAX_HEAD: usize = 1 << 16;
const MARK: &[u8] = b"WARC/";

/// The kind of a record, from its `WARC-Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A server's response, with its head.
    Response,
    /// A file, without a head.
    Resource,
    /// A response whose content is in another record.
    Revisit,
    /// Any other kind, by name.
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
    /// The kind of the record.
    pub kind: Kind,
    /// The head of the record itself, not that of a response inside it.
    pub head: Head,
    /// The block, only for kinds that are needed. If it is longer than the limit, or the archive ends within it, only
    /// its beginning.
    pub block: Vec<u8>,
    /// Whether the block is longer than the limit.
    pub is_cut: bool,
    /// Whether the archive ends within the block.
    pub is_short: bool,
    /// Why no checksum confirmed its bytes: the compressed stream ends directly after the block, or is damaged there and
    /// nobody could know it before.
    pub spoilt: Option<Damage>,
}

/// Why a record fails whose compressed stream is damaged directly after it.
pub(crate) const SPOILT: &str = "the compressed stream is damaged directly after it, so nothing confirms its bytes";

impl Record {
    /// Why it is incomplete: a word of `WARC-Truncated` or one of ours.
    pub(crate) fn truncated(&self) -> Option<&'static str> {
        const REASONS: [&str; 4] = ["length", "time", "disconnect", "unspecified"];
        if self.is_short {
            return Some("archive");
        }
        if self.spoilt.is_some() {
            return Some("damage");
        }
        if self.head.field("WARC-Segment-Number").is_some() {
            return Some("segment");
        }
        let reason = self.head.field("WARC-Truncated")?;
        REASONS.into_iter().find(|known| reason.eq_ignore_ascii_case(known.as_bytes())).or(Some("unspecified"))
    }
}

const LENGTH: &str = "Content-Length";

/// The head of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Head {
    lines: Vec<u8>,
}

impl Head {
    /// The value of a field without surrounding blanks. The name is in any case. If the field occurs twice, the first
    /// value.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields(name).next()
    }

    /// The value of a field as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.field(name).map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// The URL that the record is of. Some writers put it in angle brackets, as WARC 1.0 has it.
    pub(crate) fn url(&self) -> Option<Cow<'_, str>> {
        let url = self.field("WARC-Target-URI")?;
        let from = url.iter().take_while(|byte| **byte == b'<').count();
        let url = url.get(from..)?;
        let after = url.iter().rev().take_while(|byte| **byte == b'>').count();
        url.get(..url.len().saturating_sub(after)).map(String::from_utf8_lossy)
    }

    /// The values of all fields of this name.
    pub(crate) fn fields(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let fields = self.lines.split(|byte| *byte == b'\n').filter_map(field_of);
        fields.filter_map(move |(said, value)| said.eq_ignore_ascii_case(name.as_bytes()).then_some(value))
    }

    /// The block's length. None if it is missing, not a number, or given twice with different values.
    fn length(&self) -> Option<u64> {
        let mut values = self.fields(LENGTH);
        let value = values.next()?;
        let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        str::from_utf8(value).ok().filter(|_| is_number && values.all(|other| other == value))?.parse().ok()
    }
}

/// The name and the value of a line.
fn field_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = line.split_at_checked(memchr::memchr(b':', line)?)?;
    Some((name.trim_ascii_end(), value.get(1..)?.trim_ascii()))
}

/// Why a part of the archive is not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// No record begins where one should.
    NoRecord,
    /// A head over [`MAX_HEAD`].
    Head,
    /// The archive ends inside a record.
    Ends,
    /// The length is missing or not valid.
    NoLength,
    /// After the stated length there is neither a record nor the end.
    Length,
    /// The compressed stream is damaged.
    Stream,
    /// The compressed stream ends early.
    StreamEnds,
    /// The compressed stream is damaged, and records before the damage, of the same member or frame, were returned.
    StreamLate,
}

impl Damage {
    /// A description, with what the reader does about it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoRecord => "no WARC record begins here: skipped to the next",
            Self::Head => "the record's head is longer than 65536 bytes: skipped to the next record",
            Self::Ends => "the archive ends inside this record",
            Self::NoLength => "the record has no usable Content-Length: skipped to the next",
            Self::Length => "the record's Content-Length is wrong: what follows it is no record; skipped to the next",
            Self::Stream => "the compressed stream is damaged: skipped to the next record that can be read",
            Self::StreamEnds => "the compressed stream ends early, inside a gzip member or a frame",
            Self::StreamLate => {
                "the compressed stream is damaged, and records before this one are of the same part of it, so they may be \
                 wrong: discard what this archive gave, and name a file instead of a stream"
            }
        }
    }
}

/// The next result.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A record.
    Record(Record),
    /// Bytes that are not a record, up to the next record that can be read.
    Damage(Damage),
}

/// Reads an archive.
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
    /// Damage that was found after the last record.
    pending: Option<Damage>,
    /// Whether damage was reported and no record has followed since.
    reported: bool,
}

/// Why reading a record stopped.
enum Stop {
    Damage(Damage),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    /// Errors of a decoder are damage; all others are final.
    fn from(error: io::Error) -> Self {
        match (given(&error), error.kind()) {
            (None, _) => Self::Io(error),
            (Some(Given::Used), _) => Self::Damage(Damage::StreamLate),
            (_, io::ErrorKind::UnexpectedEof) => Self::Damage(Damage::StreamEnds),
            _ => Self::Damage(Damage::Stream),
        }
    }
}

impl<R: Read> Archive<R> {
    /// Keeps at most `max_block` bytes of each block.
    pub fn new(reader: R, max_block: usize) -> Self {
        Self { window: Window::new(reader), max_block, pending: None, reported: false }
    }

    /// The next record or damage. None at the end.
    ///
    /// # Errors
    /// Errors of the stream itself. Nothing can be read after them.
    pub fn next_step(&mut self) -> io::Result<Option<Step>> {
        loop {
            let found = match self.pending.take() {
                Some(damage) => Err(Stop::Damage(damage)),
                None => self.record(),
            };
            match found {
                Ok(Some(record)) => {
                    self.reported = false;
                    return Ok(Some(Step::Record(record)));
                }
                Ok(None) => return Ok(None),
                Err(Stop::Io(error)) => return Err(error),
                Err(Stop::Damage(damage)) => {
                    self.find_record(damage)?;
                    // Consecutive damage is reported once, but a lost record always.
                    if !mem::replace(&mut self.reported, true) || matches!(damage, Damage::Length | Damage::StreamLate)
                    {
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
        let spoilt = if is_short { None } else { self.expect_record()? };
        Ok(Some(Record { kind, head, block, is_cut, is_short, spoilt }))
    }

    /// Skips the line ends between records.
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

    /// Reads a head, up to its empty line.
    fn head(&mut self) -> Result<Head, Stop> {
        let mut line = 0;
        let mut seen = 0;
        loop {
            let held = self.window.held();
            let fresh = held.get(seen..).unwrap_or_default();
            let Some(end) = memchr::memchr(b'\n', fresh).map(|at| seen.saturating_add(at)) else {
                seen = held.len();
                let more = seen.saturating_add(1);
                if more > MAX_HEAD {
                    return Err(Stop::Damage(Damage::Head));
                }
                if self.window.look(more)?.len() < more {
                    return Err(Stop::Damage(Damage::Ends));
                }
                continue;
            };
            let text = held.get(line..end).unwrap_or_default();
            seen = end.saturating_add(1);
            if seen > MAX_HEAD {
                return Err(Stop::Damage(Damage::Head));
            }
            if text.is_empty() || text == b"\r" {
                let found = Head { lines: held.get(..line).unwrap_or_default().to_vec() };
                self.window.take(seen);
                return Ok(found);
            }
            line = seen;
        }
    }

    /// Reads a block. Returns its beginning, and how many of its bytes are missing.
    fn block(&mut self, length: u64, max_block: usize) -> Result<(Vec<u8>, u64), Stop> {
        let wanted = usize::try_from(length).unwrap_or(usize::MAX).min(max_block);
        // The head may state any length, so memory grows only with the bytes that arrive.
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

    /// Checks that a record or the end follows. Damage after a record is reported after the record. Returns it if the
    /// record is of the part of the stream that it is in: a checksum comes after the data that it protects.
    fn expect_record(&mut self) -> Result<Option<Damage>, Stop> {
        let fits = self.skip_blank().and_then(|()| {
            let front = self.window.look(MARK.len())?;
            Ok(front.is_empty() || front.get(..MARK.len()) == Some(MARK))
        });
        let is_between = fits.as_ref().is_err_and(|error| given(error) == Some(Given::None));
        match fits.map_err(Stop::from) {
            Ok(true) => Ok(None),
            Ok(false) => Err(Stop::Damage(Damage::Length)),
            Err(Stop::Damage(damage)) => {
                self.pending = Some(damage);
                Ok(Some(damage).filter(|_| !is_between))
            }
            Err(error) => Err(error),
        }
    }

    /// Skips to the next line that begins a record, or to the end.
    fn find_record(&mut self, damage: Damage) -> io::Result<()> {
        const LINE: &[u8] = b"\nWARC/";
        // After damage the stream continues at another place, so the bytes in the window belong to no record.
        let mut is_fresh = matches!(damage, Damage::Stream | Damage::StreamEnds | Damage::StreamLate);
        if is_fresh {
            self.window.clear();
        }
        loop {
            if let Err(error) = self.window.look(LINE.len()) {
                if given(&error).is_none() {
                    return Err(error);
                }
                self.window.clear();
                is_fresh = true;
                continue;
            }
            let held = self.window.held();
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
