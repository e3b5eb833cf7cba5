//! Reads lines of bounded length from a stream: NDJSON requests, URLs, and names of files.
//!
//! Invariant: a line over the limit, not counting its end, is skipped to its end and not kept. Memory holds at most
//! the limit and one buffer.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use robosieve_printable::escape_short;

use crate::packed::{GZIP, is_zstd};
use crate::stream::BUFFER;

/// The next result.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<'b> {
    /// A line, without its end.
    Line(&'b [u8]),
    /// A line over the limit. It was skipped.
    TooLong,
    /// No more lines.
    End,
}

/// Reads lines.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    max: usize,
    /// Whether the next line is the first.
    is_first: bool,
    /// Whether what is not lines is an error.
    is_checked: bool,
}

/// The byte order mark that a text in UTF-8 may begin with.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// What to do about a stream that is not lines, as its first bytes show.
fn no_lines(bytes: &[u8]) -> Option<&'static str> {
    // A name in Latin-1 can begin so, too, but has no NUL.
    if matches!(bytes, [0xFF, 0xFE, _, 0, ..] | [0xFE, 0xFF, 0, ..]) {
        return Some("the text is UTF-16: save it as UTF-8");
    }
    let is_packed = bytes.starts_with(GZIP) || is_zstd(bytes);
    is_packed.then_some("these are packed data, not lines: unpack them first, or name an archive as an input")
}

/// The path that a list of names has in a line.
///
/// # Errors
/// With what to do: it has a NUL, or the platform has no such path.
pub fn listed(line: &[u8]) -> Result<PathBuf, String> {
    let name = escape_short(line);
    if line.contains(&0) {
        return Err(format!("the name {name} has a NUL: write each name on a line of its own"));
    }
    #[cfg(unix)]
    let path = Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(line));
    #[cfg(not(unix))]
    let path = str::from_utf8(line).ok();
    path.map(PathBuf::from).ok_or_else(|| format!("the name {name} is not UTF-8: name its directory instead"))
}

impl<R: Read> Lines<R> {
    /// The lines of a reader, each with at most `max` bytes. A byte order mark before the first is left out.
    pub fn new(reader: R, max: usize) -> Self {
        // As large as that of a stream, which then copies nothing.
        let reader = BufReader::with_capacity(BUFFER, reader);
        Self { reader, line: Vec::new(), max, is_first: true, is_checked: false }
    }

    /// The same for a list that people make: if it begins as packed data, or as UTF-16, that is an error.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.is_checked = true;
        self
    }

    /// The next line. Waits for it if the stream pauses.
    ///
    /// # Errors
    /// Those of the reader. `InvalidData` with what to do, for what [`Lines::checked`] finds.
    pub fn next_line(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        self.line.shrink_to(BUFFER);
        let is_first = std::mem::take(&mut self.is_first);
        // Allows two bytes for the line's end. If the line is longer, the first of them shows that.
        let most = self.max.saturating_add(2).saturating_add(if is_first { MARK.len() } else { 0 });
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        let read = (&mut self.reader).take(most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Next::End);
        }
        if is_first
            && self.is_checked
            && let Some(what) = no_lines(&self.line)
        {
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let ended = self.line.strip_suffix(b"\n");
        let line = ended.unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = if is_first { line.strip_prefix(MARK).unwrap_or(line) } else { line };
        if line.len() <= self.max {
            return Ok(Next::Line(line));
        }
        if ended.is_none() {
            self.reader.skip_until(b'\n')?;
        }
        Ok(Next::TooLong)
    }

    /// The longest line in bytes.
    pub const fn max(&self) -> usize {
        self.max
    }

    /// Whether the next call may have to wait, because no whole line has arrived.
    pub fn pauses(&self) -> bool {
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
            match lines.next_line() {
                Ok(Next::Line(line)) => seen.push(String::from_utf8_lossy(line).into_owned()),
                Ok(Next::TooLong) => seen.push("!".into()),
                Ok(Next::End) | Err(_) => return seen,
            }
        }
    }

    /// [batch.bounds]
    #[test]
    fn a_long_line_affects_no_other() {
        assert_eq!(read(b"abc\nabcd\nabcde\nabcdef\nx\r\n\ny", 4), ["abc", "abcd", "!", "!", "x", "", "y"]);
        assert_eq!(read(b"abcd", 4), ["abcd"]);
        assert_eq!(read(b"abcde", 4), ["!"]);
        assert_eq!(read(b"", 4), [""; 0]);
        assert_eq!(read(b"abcd\r\nabcde\r\nabcd\r\r\nabcd\rx\nabcd\r", 4), ["abcd", "!", "!", "!", "abcd"]);
    }

    /// [batch.bounds] [batch.mark]
    #[test]
    fn a_mark_before_the_first_line_is_none_of_it() {
        assert_eq!(read(b"\xEF\xBB\xBFabcd\n\xEF\xBB\xBFa\n", 4), ["abcd", "\u{feff}a"]);
        assert_eq!(read(b"\xEF\xBB\xBFabcde\nx", 4), ["!", "x"]);
        assert_eq!(read(b"\xEF\xBB\xBFabcdefghijkl\nx", 4), ["!", "x"]);
        assert_eq!(read(b"abcdefg\nx", 4), ["!", "x"]);
        assert_eq!(read(b"\xEF\xBB\xBF", 4), [""]);
        assert_eq!(read(b"\xEF\xBB\xBF\r\nx", 4), ["", "x"]);
    }

    /// [batch.lines]
    #[test]
    fn what_is_not_lines_is_an_error() {
        for (bytes, words) in [
            (&b"\xFF\xFEa\0\n\0"[..], "UTF-16"),
            (b"\xFE\xFF\0a\0\n", "UTF-16"),
            (b"\x1F\x8B\x08\n", "packed"),
            (b"\x28\xB5\x2F\xFD\n", "packed"),
            (b"\x50\x2A\x4D\x18\n", "packed"),
        ] {
            let mut lines = Lines::new(bytes, 2).checked();
            assert!(lines.next_line().is_err_and(|error| error.to_string().contains(words)), "{words}");
        }
        // A name in Latin-1.
        let mut latin = Lines::new(&b"\xFF\xFEa\n"[..], 4).checked();
        assert!(matches!(latin.next_line(), Ok(Next::Line(b"\xFF\xFEa"))));
        let mut later = Lines::new(&b"a\n\xFF\xFE\n"[..], 4).checked();
        assert!(matches!(later.next_line(), Ok(Next::Line(b"a"))));
        assert!(matches!(later.next_line(), Ok(Next::Line(b"\xFF\xFE"))));
        assert_eq!(read(b"\xFF\xFE\n\x1F\x8B\x08", 4).len(), 2);
    }

    /// [batch.bounds]
    #[test]
    fn a_limit_is_exact_to_the_byte() {
        for max in [0, 1, 4, BUFFER.saturating_sub(1), BUFFER, BUFFER.saturating_add(1)] {
            for length in [max.saturating_sub(1), max, max.saturating_add(1), max.saturating_add(2), 3 * BUFFER] {
                for end in ["", "\n", "\r\n"] {
                    let line = "a".repeat(length);
                    let expected = match length {
                        0 if end.is_empty() => Vec::new(),
                        _ if length > max => vec!["!"],
                        _ => vec![line.as_str()],
                    };
                    assert_eq!(read(format!("{line}{end}").as_bytes(), max), expected, "{length} of {max}, {end:?}");
                }
            }
        }
        assert_eq!(read(b"abc\r\nd", usize::MAX), ["abc", "d"]);
    }
}
