//! Gives what gzip members and zstd frames hold after their ends were seen, or says before that nobody knows.
//!
//! Invariant: before the bytes of a part comes an error that is a [`Worth`], unless the part is known to be right. A
//! part that is known to be wrong has the worth [`Worth::Doomed`], and its own error after its bytes. Memory holds one
//! part, of [`MOST`] bytes at most. So what is said of a stream depends on its bytes only, not on how they arrive.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::mem;
use std::path::PathBuf;

use crate::stream::{Came, Parts, unpacked};

/// How much of a part is held: 16 MiB, the limit of a file.
const MOST: usize = 16 << 20;
const LEAST: usize = 1 << 16;

/// What is known of the bytes that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worth {
    /// Their part is right, or ends early.
    Proven,
    /// Their part is longer than what is held, so it may be found wrong after them.
    Unknown,
    /// Their part is damaged.
    Doomed,
}

impl Worth {
    /// The worth that an error is, if it is one. Reading goes on after it.
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what follows is of another worth")
    }
}

impl std::error::Error for Worth {}

impl From<Worth> for io::Error {
    fn from(worth: Worth) -> Self {
        Self::other(worth)
    }
}

/// Whether an error is damage: that is neither an early end nor an error of the operating system.
fn is_damage(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::UnexpectedEof && error.raw_os_error().is_none()
}

/// Whether what long parts hold is right: the file is read once more, to its end. A stream cannot be.
#[derive(Debug, Default)]
pub(crate) struct Check {
    path: Option<PathBuf>,
    found: Option<bool>,
}

impl Check {
    pub(crate) const fn of(path: PathBuf) -> Self {
        Self { path: Some(path), found: None }
    }

    /// Whether the file is right. False if nobody knows.
    ///
    /// # Errors
    /// Its damage.
    pub(crate) fn expect_fine(&mut self) -> io::Result<bool> {
        if let (Some(path), None) = (&self.path, self.found) {
            self.found = Some(false);
            let all = unpacked(Box::new(File::open(path)?)).and_then(|mut all| io::copy(&mut all, &mut io::sink()));
            all.map(drop)
                .or_else(|error| if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) })?;
            self.found = Some(true);
        }
        if self.found == Some(false) { Err(io::ErrorKind::InvalidData.into()) } else { Ok(self.found.is_some()) }
    }
}

/// Reads parts, each to its end before its bytes are given.
pub(crate) struct Proven<P> {
    parts: P,
    held: Vec<u8>,
    /// How many bytes at the front belong to the next part.
    begun: usize,
    /// What of it is still to be given.
    at: usize,
    end: usize,
    next: Next,
    /// The error after the bytes that were held from the start.
    failed: Option<io::Error>,
}

/// What comes after the bytes that are held.
enum Next {
    Part,
    /// The rest of a part.
    Rest,
    Error(io::Error),
    End,
}

impl<P: Parts> Proven<P> {
    /// The parts from here on.
    pub(crate) const fn new(parts: P) -> Self {
        Self::after(Vec::new(), None, parts)
    }

    /// The parts of which these bytes were read, and then perhaps an error.
    pub(crate) const fn after(held: Vec<u8>, failed: Option<io::Error>, parts: P) -> Self {
        Self { parts, begun: held.len(), held, at: 0, end: 0, next: Next::Part, failed }
    }

    /// Reads a part. Its worth is an error, if it is not proven.
    fn fill(&mut self) -> io::Result<()> {
        (self.at, self.end) = (0, mem::take(&mut self.begun));
        while self.end < MOST {
            if self.end == self.held.len() {
                self.held.resize(self.end.saturating_mul(2).clamp(LEAST, MOST), 0);
            }
            let room = self.held.get_mut(self.end..).unwrap_or_default();
            match self.failed.take().map_or_else(|| self.parts.step(room), Err) {
                Ok(Came::Bytes(count)) => self.end = self.end.saturating_add(count),
                Ok(Came::PartEnd) => return Ok(()),
                Ok(Came::End) => {
                    self.next = Next::End;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let is_doomed = is_damage(&error) && self.end > 0;
                    self.next = Next::Error(error);
                    return if is_doomed { Err(Worth::Doomed.into()) } else { Ok(()) };
                }
            }
        }
        self.next = Next::Rest;
        Err(Worth::Unknown.into())
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
                Next::Rest => match self.parts.step(into) {
                    Ok(Came::Bytes(count)) => {
                        self.next = Next::Rest;
                        return Ok(count);
                    }
                    Ok(Came::PartEnd) => return Err(Worth::Proven.into()),
                    Ok(Came::End) => self.next = Next::End,
                    Err(error) => {
                        if error.kind() == io::ErrorKind::Interrupted {
                            self.next = Next::Rest;
                        }
                        return Err(error);
                    }
                },
            }
        }
    }
}

/// Reads parts of which no damaged one is given.
pub(crate) struct Sure<P> {
    proven: Proven<P>,
    check: Check,
    /// Whether what is given now may be found wrong.
    is_unknown: bool,
}

impl<P: Parts> Sure<P> {
    pub(crate) const fn new(proven: Proven<P>, check: Check) -> Self {
        Self { proven, check, is_unknown: false }
    }
}

impl<P: Parts> Read for Sure<P> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let error = match self.proven.read(into) {
                Ok(count) => return Ok(count),
                Err(error) => error,
            };
            match Worth::of(&error) {
                Some(Worth::Doomed) => self.proven.at = self.proven.end,
                Some(Worth::Unknown) => self.is_unknown = !self.check.expect_fine()?,
                Some(Worth::Proven) => self.is_unknown = false,
                None if self.is_unknown && is_damage(&error) => {
                    return Err(io::Error::new(error.kind(), format!("{error}; {LATE}")));
                }
                None => return Err(error),
            }
        }
    }
}

/// What is to be said if damage is found after bytes of the same part were used.
pub(crate) const LATE: &str = "lines before this one came from the same part of a stream, so they may be wrong: discard \
                               what this input gave, and name a file instead";
