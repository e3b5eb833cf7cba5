//! Gives what gzip members and zstd frames hold after their ends were seen: their checksums stand there.
//!
//! Invariant: of a part of at most [`MOST`] bytes that is known to be wrong, no byte is given, only its error. A longer one
//! of a file is first unpacked to its end, apart, so the same is true of it. Of a stream a longer part is given before
//! its end was seen; its damage is an error that says so, see [`Given::Used`]. What is given depends on the bytes only, not
//! on how they arrive. Memory holds one part, of [`MOST`] bytes at most.

use std::io::{self, Read};
use std::mem;

use crate::packed::{Came, Given, Packed, given, having};
use crate::stream::{Bytes, Opened, opened};

/// How much of a part is held: 16 MiB, the limit of a file.
const MOST: usize = 16 << 20;
const LEAST: usize = 1 << 16;

/// Whether an error is damage: that is neither an early end nor an error of the operating system.
fn is_damage(error: &io::Error) -> bool {
    given(error).is_some() && error.kind() != io::ErrorKind::UnexpectedEof
}

/// Which long parts of a file are wrong: the file is read once more, to its end, when it has one. A stream cannot be.
#[derive(Default)]
pub(crate) struct Check {
    open: Option<Box<dyn Fn() -> io::Result<Bytes<'static>> + Send>>,
    /// Their numbers.
    wrong: Option<Vec<u64>>,
}

impl Check {
    /// `open` opens the file again.
    pub(crate) fn of(open: impl Fn() -> io::Result<Bytes<'static>> + Send + 'static) -> Self {
        Self { open: Some(Box::new(open)), wrong: None }
    }

    fn is_wrong(&mut self, part: u64) -> io::Result<bool> {
        if let (None, Some(open)) = (&self.wrong, &self.open) {
            self.wrong = Some(long_wrong_parts(open()?)?);
        }
        Ok(self.wrong.as_ref().is_some_and(|wrong| wrong.contains(&part)))
    }
}

/// The numbers of the long parts that are wrong.
fn long_wrong_parts(stream: Bytes<'_>) -> io::Result<Vec<u64>> {
    let Opened::Packed(mut parts) = opened(stream)? else { return Ok(Vec::new()) };
    let mut buffer = vec![0; LEAST];
    let (mut wrong, mut length) = (Vec::new(), 0_usize);
    loop {
        let part = parts.part;
        match parts.step(&mut buffer) {
            Ok(Came::End) => return Ok(wrong),
            Ok(Came::Bytes(count)) => {
                length = length.saturating_add(count);
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if given(&error).is_none() => return Err(error),
            // Those before the first one that is read may count as its own bytes.
            Err(error) if is_damage(&error) && length >= MOST / 2 => wrong.push(part),
            Ok(Came::PartEnd) | Err(_) => {}
        }
        length = 0;
    }
}

/// What comes after the bytes that are held.
enum Next {
    Part,
    /// The rest of a part, and whether it is known to be wrong.
    Rest(bool),
    Error(io::Error),
    End,
}

/// Reads parts, each to its end before its bytes are given.
pub(crate) struct Proven {
    parts: Box<Packed<Bytes<'static>>>,
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

impl Proven {
    /// The parts of which these bytes were read, and then perhaps an error.
    pub(crate) fn after(
        (held, failed): (Vec<u8>, Option<io::Error>),
        parts: Box<Packed<Bytes<'static>>>,
        check: Check,
    ) -> Self {
        Self { parts, begun: held.len(), held, at: 0, end: 0, next: Next::Part, failed, check }
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
                Ok(Came::PartEnd) => return Ok(()),
                Ok(Came::End) => {
                    self.next = Next::End;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_damage(&error) => {
                    self.end = 0;
                    return Err(having(Given::None, error));
                }
                Err(error) => {
                    self.next = Next::Error(error);
                    return Ok(());
                }
            }
        }
        let is_wrong = self.check.is_wrong(self.parts.part).inspect_err(|_| self.end = 0)?;
        if is_wrong {
            self.end = 0;
        }
        self.next = Next::Rest(is_wrong);
        Ok(())
    }

    /// Some of the rest of a long part. None if nothing of it is to be given yet.
    fn rest(&mut self, is_wrong: bool, into: &mut [u8]) -> io::Result<Option<usize>> {
        let came = self.parts.step(into);
        let is_within = match &came {
            Ok(came) => matches!(came, Came::Bytes(_)),
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        };
        if is_within {
            self.next = Next::Rest(is_wrong);
        }
        match came {
            Ok(Came::Bytes(count)) => Ok(Some(count).filter(|_| !is_wrong)),
            Ok(Came::PartEnd) => Ok(None),
            Ok(Came::End) => {
                self.next = Next::End;
                Ok(None)
            }
            Err(error) if !is_damage(&error) => Err(error),
            Err(error) => Err(having(if is_wrong { Given::None } else { Given::Used }, error)),
        }
    }
}

impl Read for Proven {
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
                Next::Rest(is_wrong) => {
                    if let Some(count) = self.rest(is_wrong, into)? {
                        return Ok(count);
                    }
                }
            }
        }
    }
}
