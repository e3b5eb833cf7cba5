//! URLs, one a line, from a file or the standard input.
//!
//! Invariant: a blank line is nothing; every other line is a URL, if one that can't be used, and none is held that is longer than
//! [`MAX_URL`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::exit::Failure;
use crate::gate::answers::Unusable;
use crate::input;
use crate::lines::{Lines, Next};
use crate::text;

/// Bytes of a URL: twice what RFC 9110 4.1 asks everyone to support.
pub(super) const MAX_URL: usize = 16_000;

/// A line: a URL, or its front and why it is none.
pub(super) type Found = Result<String, (String, Unusable)>;

/// Reads URLs.
pub(super) struct Feed {
    lines: Lines<Box<dyn Read + Send>>,
}

impl Feed {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if input::is_stdin(path) {
            return Ok(Self::new(Box::new(io::stdin())));
        }
        let failed =
            |error: io::Error| Failure::file(path, &error, "check the path, or use `-` for the standard input");
        let file = File::open(path).map_err(failed)?;
        if file.metadata().is_ok_and(|found| found.is_dir()) {
            return Err(Failure::Io(format!("{}: is a directory; name a file of URLs", text::name_of(path))));
        }
        Ok(Self::new(Box::new(file)))
    }

    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        Self { lines: Lines::new(reader, MAX_URL) }
    }

    /// The next URL; waits for it where the stream pauses.
    pub(super) fn next(&mut self) -> io::Result<Option<Found>> {
        loop {
            match self.lines.next_line()? {
                Next::End => return Ok(None),
                Next::TooLong => return Ok(Some(Err((String::new(), Unusable::TooLong)))),
                Next::Line(line) if line.trim_ascii().is_empty() => {}
                Next::Line(line) => return Ok(Some(of_bytes(line.trim_ascii()))),
            }
        }
    }
}

/// The standard input is to have URLs: where it has none, what was to write them failed.
pub(super) fn no_urls() -> Failure {
    Failure::Usage("the standard input has no URL: write one per line".into())
}

/// A byte order mark at the front is that of the file.
fn of_bytes(line: &[u8]) -> Found {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    match str::from_utf8(line) {
        Ok(url) => Ok(url.to_owned()),
        Err(_) => Err((text::escape(line), Unusable::NotUtf8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [cmd.crawl-check]
    #[test]
    fn urls_are_as_long_as_the_limit() {
        for (length, fine) in
            [(1, true), (MAX_URL - 1, true), (MAX_URL, true), (MAX_URL + 1, false), (MAX_URL + 2, false)]
        {
            for end in ["", "\n", "\r\n"] {
                let input = format!("\n{}{end}", "a".repeat(length)).into_bytes();
                let found = Feed::new(Box::new(io::Cursor::new(input))).next().ok().flatten();
                assert_eq!(
                    found.is_some_and(|found| found.is_ok_and(|url| url.len() == length)),
                    fine,
                    "{length} {end:?}"
                );
            }
        }
    }
}
