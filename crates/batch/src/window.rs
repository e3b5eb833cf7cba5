//! A stream whose next bytes can be inspected before they are taken.
//!
//! Invariant: bytes that were inspected but not taken stay, in order. Memory holds at most [`CAPACITY`] bytes,
//! however long the stream is. After an error the stream may continue.

use std::io::{self, Read};

/// The maximum number of bytes in memory, and so of an inspection: 256 KiB.
pub(crate) const CAPACITY: usize = 1 << 18;

/// A stream, and the bytes that were read but not taken yet.
#[derive(Debug)]
pub(crate) struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::of(reader, CAPACITY)
    }

    /// A window that holds fewer bytes.
    pub(crate) fn of(reader: R, capacity: usize) -> Self {
        Self { reader, buffer: vec![0; capacity], start: 0, end: 0 }
    }

    /// The bytes in memory.
    pub(crate) fn held(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns at least `least` bytes, unless the stream ends before. Does not wait for more than these.
    pub(crate) fn look(&mut self, least: usize) -> io::Result<&[u8]> {
        let capacity = self.buffer.len();
        let least = least.min(capacity);
        while self.held().len() < least {
            if self.start > 0 && self.start.saturating_add(least) > capacity {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end = self.held().len();
                self.start = 0;
            }
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.reader.read(room) {
                Ok(0) => break,
                Ok(count) => self.end = self.end.saturating_add(count).min(capacity),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.held())
    }

    /// Takes bytes from the front.
    pub(crate) fn take(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }
}

#[cfg(feature = "archives")]
impl<R: Read> Window<R> {
    /// The rest of the stream, after the bytes in memory.
    pub(crate) fn into_reader(self) -> R {
        self.reader
    }

    /// Takes all bytes in memory.
    pub(crate) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.bounds]
    #[test]
    fn bytes_stay_in_order_however_they_are_inspected() {
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
