//! A stream that can be looked into before it is taken.
//!
//! Invariant: what was looked at and not taken stays, in order; at most [`CAPACITY`] bytes are held, however long the
//! stream is. After an error the stream may go on.

use std::fmt;
use std::io::{self, Read};

/// Bytes that are held at most, and so the longest look: 256 KiB.
pub(crate) const CAPACITY: usize = 1 << 18;

/// A stream, and what was read of it and not taken yet.
#[derive(Debug)]
pub(crate) struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; CAPACITY], start: 0, end: 0 }
    }

    /// What is held.
    pub(crate) fn held(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// At least so many bytes, unless the stream ends before them; waits for no more than these.
    pub(crate) fn look(&mut self, least: usize) -> io::Result<&[u8]> {
        let least = least.min(CAPACITY);
        while self.held().len() < least {
            if self.start > 0 && self.start.saturating_add(least) > CAPACITY {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end = self.held().len();
                self.start = 0;
            }
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.reader.read(room) {
                Ok(0) => break,
                Ok(count) => self.end = self.end.saturating_add(count).min(CAPACITY),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.held())
    }

    /// Takes bytes that are held.
    pub(crate) fn take(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// The stream behind what is held.
    pub(crate) fn into_reader(self) -> R {
        self.reader
    }

    /// Takes all that is held.
    pub(crate) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }
}

/// Damage of a part that has not given anything: what came before it has ended well.
#[derive(Debug)]
struct Between(Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Between {}

/// An error that says so.
pub(crate) fn between(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Between(why.into()))
}

/// Whether an error says so.
pub(crate) fn is_between(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Between>)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.bounds]
    #[test]
    fn bytes_come_in_order_however_they_are_looked_at() {
        let stream: Vec<u8> = (0..=u8::MAX).cycle().take(3 * CAPACITY).collect();
        for step in [1, 7, CAPACITY - 1, CAPACITY, CAPACITY + 1] {
            let mut window = Window::new(&stream[..]);
            let mut seen = Vec::new();
            while let Some(count) = window.look(step).ok().map(|held| held.len().min(step)).filter(|&count| count > 0) {
                seen.extend_from_slice(window.held().get(..count).unwrap_or_default());
                window.take(count);
                if step == 1 && seen.len() > 1000 {
                    break;
                }
            }
            assert!(stream.starts_with(&seen) && (step == 1 || seen.len() == stream.len()), "{step}");
        }
    }
}
