//! Gives what gzip members and zstd frames hold after their ends were seen: their checksums stand there.
//!
//! Invariant: of a part of at most [`MOST`] bytes that is known to be wrong, no byte is given, only its error. A longer one
//! of a file is first unpacked to its end, apart, so the same is true of it. Of a stream a longer part is given before
//! its end was seen; its damage is an error that says so, see [`is_late`]. What is given depends on the bytes only, not
//! on how they arrive. Memory holds one part, of [`MOST`] bytes at most.

use std::fmt;
use std::io::{self, Read};
use std::mem;

use crate::stream::{Came, Opened, Parts, opened};
use crate::window::between;

/// How much of a part is held: 16 MiB, the limit of a file.
const MOST: usize = 16 << 20;
const LEAST: usize = 1 << 16;

type Stream = Box<dyn Read + Send>;

/// Damage of a part of which bytes were given.
#[derive(Debug)]
struct Late(io::Error);

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        write!(
            f,
            "{error}; lines before this one came from the same part of a stream, so they may be wrong: discard what this \
             input gave, and name a file instead"
        )
    }
}

impl std::error::Error for Late {}

/// Whether an error is damage of a part of which bytes were given.
pub(super) fn is_late(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Late>)
}

/// Whether an error is damage: that is neither an early end nor an error of the operating system.
fn is_damage(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::UnexpectedEof && error.raw_os_error().is_none()
}

/// Which long parts of a file are wrong: the file is read once more, to its end, when it has one. A stream cannot be.
#[derive(Default)]
pub(crate) struct Check {
    open: Option<Box<dyn Fn() -> io::Result<Stream> + Send>>,
    /// Their numbers.
    wrong: Option<Vec<u64>>,
}

impl Check {
    /// `open` opens the file again.
    pub(crate) fn of(open: impl Fn() -> io::Result<Stream> + Send + 'static) -> Self {
        Self { open: Some(Box::new(open)), wrong: None }
    }

    fn worth(&mut self, part: u64) -> io::Result<Worth> {
        let Some(open) = &self.open else { return Ok(Worth::Unknown) };
        let wrong = match self.wrong.take() {
            Some(wrong) => wrong,
            None => long_wrong_parts(open()?)?,
        };
        let worth = if wrong.contains(&part) { Worth::Wrong } else { Worth::Unknown };
        self.wrong = Some(wrong);
        Ok(worth)
    }
}

/// The numbers of the long parts that are wrong.
fn long_wrong_parts(stream: Stream) -> io::Result<Vec<u64>> {
    let Opened::Packed(mut parts, _) = opened(stream)? else { return Ok(Vec::new()) };
    let mut buffer = vec![0; LEAST];
    let (mut wrong, mut part, mut length) = (Vec::new(), 0_u64, 0_usize);
    loop {
        match parts.step(&mut buffer) {
            Ok(Came::End) => return Ok(wrong),
            Ok(Came::Bytes(count)) => {
                length = length.saturating_add(count);
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.raw_os_error().is_some() => return Err(error),
            // Those before the first one that is read may count as its own bytes.
            Err(error) if is_damage(&error) && length >= MOST / 2 => wrong.push(part),
            Ok(Came::PartEnd) | Err(_) => {}
        }
        (part, length) = (part.saturating_add(1), 0);
    }
}

/// What is known of the rest of a long part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Unknown,
    Wrong,
}

/// What comes after the bytes that are held.
enum Next {
    Part,
    /// The rest of a part.
    Rest(Worth),
    Error(io::Error),
    End,
}

/// Reads parts, each to its end before its bytes are given.
pub(crate) struct Proven<P> {
    parts: P,
    /// The number of the part.
    part: u64,
    held: Vec<u8>,
    /// How many bytes at the front belong to the next part.
    begun: usize,
    /// What of it is still to be given.
    at: usize,
    end: usize,
    next: Next,
    /// The error after the bytes that were held from the start.
    failed: Option<io::Error>,
    check: Check,
}

impl<P: Parts> Proven<P> {
    /// The parts of which these bytes were read, and then perhaps an error. So many have ended.
    pub(crate) fn after((held, failed): (Vec<u8>, Option<io::Error>), parts: P, ended: u64, check: Check) -> Self {
        Self { parts, part: ended, begun: held.len(), held, at: 0, end: 0, next: Next::Part, failed, check }
    }

    /// Reads a part.
    fn fill(&mut self) -> io::Result<()> {
        (self.at, self.end) = (0, mem::take(&mut self.begun));
        while self.end < MOST {
            if self.end == self.held.len() {
                self.held.resize(self.end.saturating_mul(2).clamp(LEAST, MOST), 0);
            }
            let room = self.held.get_mut(self.end..).unwrap_or_default();
            match self.failed.take().map_or_else(|| self.parts.step(room), Err) {
                Ok(Came::Bytes(count)) => self.end = self.end.saturating_add(count),
                Ok(Came::PartEnd) => {
                    self.part = self.part.saturating_add(1);
                    return Ok(());
                }
                Ok(Came::End) => {
                    self.next = Next::End;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.part = self.part.saturating_add(1);
                    if is_damage(&error) {
                        self.end = 0;
                        return Err(between(error));
                    }
                    self.next = Next::Error(error);
                    return Ok(());
                }
            }
        }
        let worth = self.check.worth(self.part).inspect_err(|_| self.end = 0)?;
        if worth == Worth::Wrong {
            self.end = 0;
        }
        self.next = Next::Rest(worth);
        Ok(())
    }
}

impl<P: Parts> Read for Proven<P> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut held = self.held.get(self.at..self.end).unwrap_or_default();
            if !held.is_empty() || into.is_empty() {
                let count = held.read(into)?;
                self.at = self.at.saturating_add(count);
                return Ok(count);
            }
            match mem::replace(&mut self.next, Next::Part) {
                Next::Part => self.fill()?,
                Next::Error(error) => return Err(error),
                Next::End => {
                    self.next = Next::End;
                    return Ok(0);
                }
                Next::Rest(worth) => {
                    let came = self.parts.step(into);
                    if matches!(&came, Ok(Came::Bytes(_)))
                        || came.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted)
                    {
                        self.next = Next::Rest(worth);
                    } else {
                        self.part = self.part.saturating_add(1);
                    }
                    match came {
                        Ok(Came::Bytes(_)) if worth == Worth::Wrong => {}
                        Ok(Came::Bytes(count)) => return Ok(count),
                        Ok(Came::PartEnd) => {}
                        Ok(Came::End) => self.next = Next::End,
                        Err(error) if !is_damage(&error) || error.kind() == io::ErrorKind::Interrupted => {
                            return Err(error);
                        }
                        Err(error) if worth == Worth::Wrong => return Err(between(error)),
                        Err(error) => return Err(io::Error::new(error.kind(), Late(error))),
                    }
                }
            }
        }
    }
}
