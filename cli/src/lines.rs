//! Lines of a stream, of bounded length: NDJSON requests, and URLs.
//!
//! Invariant: a line over the limit is skipped to its end without being kept; at most the limit and one buffer are held.

use std::io::{self, BufRead, BufReader, Read, StdinLock};

/// The longest line that is read: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 << 20;
const BUFFER: usize = 1 << 16;

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next<'b> {
    /// A line, without its end.
    Line(&'b [u8]),
    /// A line over the limit, which is gone.
    TooLong,
    /// No more lines.
    End,
}

/// Reads lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    max: usize,
}

impl Lines<StdinLock<'static>> {
    /// Those of the standard input.
    pub(crate) fn of_stdin() -> Self {
        Self::new(io::stdin().lock(), MAX_LINE)
    }
}

impl<R: Read> Lines<R> {
    /// Those of a stream, of at most so many octets.
    pub(crate) fn new(reader: R, max: usize) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER, reader), line: Vec::new(), max }
    }

    /// The next line; waits for it where the stream pauses.
    pub(crate) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        self.line.shrink_to(BUFFER);
        // One octet for the line's end, and one that shows that there is more.
        let most = u64::try_from(self.max).unwrap_or(u64::MAX).saturating_add(2);
        let read = (&mut self.reader).take(most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Next::End);
        }
        let line = match self.line.strip_suffix(b"\n") {
            Some(line) => line,
            None if self.line.len() > self.max => {
                self.reader.skip_until(b'\n')?;
                return Ok(Next::TooLong);
            }
            None => &self.line,
        };
        if line.len() > self.max {
            return Ok(Next::TooLong);
        }
        Ok(Next::Line(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Whether the next call may have to wait: no whole line has come yet.
    pub(crate) fn pauses(&self) -> bool {
        !self.reader.buffer().contains(&b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(input, max);
        let mut seen = Vec::new();
        loop {
            match lines.next() {
                Ok(Next::Line(line)) => seen.push(String::from_utf8_lossy(line).into_owned()),
                Ok(Next::TooLong) => seen.push("!".into()),
                Ok(Next::End) | Err(_) => return seen,
            }
        }
    }

    #[test]
    fn a_long_line_costs_itself_only() {
        assert_eq!(read(b"abc\nabcd\nabcde\nabcdef\nx\r\n\ny", 4), ["abc", "abcd", "!", "!", "x", "", "y"]);
        assert_eq!(read(b"abcd", 4), ["abcd"]);
        assert_eq!(read(b"abcde", 4), ["!"]);
        assert_eq!(read(b"", 4), [""; 0]);
    }
}
