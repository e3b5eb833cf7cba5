//! Reads URLs, one per line, from a file or the standard input.
//!
//! Invariant: a blank line is skipped. Every other line is one item, also if it cannot be used. No line longer than
//! [`MAX_URL`] is kept.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use robosieve_batch::lines::{Lines, Next};

use super::answers::{MAX_URL, Unusable};
use crate::exit::Failure;
use crate::{input, text};

/// Why there is no URL.
#[derive(Debug)]
pub(super) enum NoUrl {
    /// The line cannot be used: its beginning, and why.
    Line(String, Unusable),
    /// The input cannot be read; nothing more comes. The message names the input.
    Input(String),
}

/// The URLs of an input. The iterator waits where the input pauses.
pub(super) struct Feed {
    name: String,
    lines: Lines<Box<dyn Read + Send>>,
    /// The number of the last line.
    line: u64,
    is_over: bool,
}

impl Feed {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if input::is_stdin(path) {
            return Ok(Self::new("the standard input", Box::new(io::stdin())));
        }
        let failed =
            |error: io::Error| Failure::file(path, &error, "check the path, or use `-` for the standard input");
        let file = File::open(path).map_err(failed)?;
        if file.metadata().is_ok_and(|found| found.is_dir()) {
            return Err(Failure::Io(format!("{}: is a directory; name a file of URLs", text::name_of(path))));
        }
        Ok(Self::new(&text::name_of(path), Box::new(file)))
    }

    fn new(name: &str, reader: Box<dyn Read + Send>) -> Self {
        Self { name: name.into(), lines: Lines::new(reader, MAX_URL).checked(), line: 0, is_over: false }
    }
}

impl Iterator for Feed {
    type Item = Result<String, NoUrl>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            self.line = self.line.saturating_add(1);
            match self.lines.next_line() {
                Ok(Next::Line(line)) if line.trim_ascii().is_empty() => {}
                Ok(Next::Line(line)) => return Some(url_of(line.trim_ascii())),
                Ok(Next::TooLong) => return Some(Err(NoUrl::Line(String::new(), Unusable::TooLong(Some(self.line))))),
                Ok(Next::End) => self.is_over = true,
                Err(error) => {
                    self.is_over = true;
                    let message = format!("{}: {error}; the URLs before this were checked", self.name);
                    return Some(Err(NoUrl::Input(message)));
                }
            }
        }
        None
    }
}

/// The error for a standard input without a URL. Probably the program that was to write them failed.
pub(super) fn no_urls() -> Failure {
    Failure::Usage("the standard input has no URL: write one per line".into())
}

/// The URL of a line.
fn url_of(line: &[u8]) -> Result<String, NoUrl> {
    match str::from_utf8(line) {
        Ok(url) => Ok(url.to_owned()),
        Err(_) => Err(NoUrl::Line(text::escape(line), Unusable::NotUtf8)),
    }
}
