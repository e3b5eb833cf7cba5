//! Reads the names of a list of files.
//!
//! Invariant: memory holds one name, of [`ListedNames::MAX_PATH`] bytes at most.

use std::io::{self, BufRead as _, BufReader, Read};

/// The names in a list.
pub(crate) struct ListedNames<R> {
    reader: BufReader<R>,
    /// The byte that ends a name.
    end: u8,
}

/// A name is longer than [`ListedNames::MAX_PATH`]. It was skipped.
pub(crate) struct TooLong;

impl<R: Read> ListedNames<R> {
    /// The maximum number of bytes in a path of a list. Our choice: more than any system accepts.
    pub(crate) const MAX_PATH: u64 = 1 << 16;

    pub(crate) fn new(reader: R, end: u8) -> Self {
        Self { reader: BufReader::new(reader), end }
    }

    /// The next name that is not empty.
    pub(crate) fn next_name(&mut self) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
        loop {
            let mut line = Vec::new();
            // Allows two bytes for the end of the longest line. If the line is longer, the first of them shows that.
            let most = Self::MAX_PATH.saturating_add(2);
            if (&mut self.reader).take(most).read_until(self.end, &mut line)? == 0 {
                return Ok(None);
            }
            let is_ended = line.last() == Some(&self.end);
            if is_ended {
                line.pop();
            }
            if self.end == b'\n' && line.last() == Some(&b'\r') {
                line.pop();
            }
            if u64::try_from(line.len()).unwrap_or(u64::MAX) > Self::MAX_PATH {
                if !is_ended {
                    let _ = self.reader.skip_until(self.end);
                }
                return Ok(Some(Err(TooLong)));
            }
            if !line.is_empty() {
                return Ok(Some(Ok(line)));
            }
        }
    }
}
