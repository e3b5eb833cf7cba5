//! Reads URLs, one per line, from the standard input.
//!
//! Invariant: a blank line is skipped. Every other line is one item, also if it cannot be used. No line longer than
//! [`MAX_URL`] is kept.

use std::io::{self, Read};

use robosieve_batch::lines::{Lines, Next};

use super::answers::{MAX_URL, NOT_UTF8, too_long};
use crate::exit::Failure;
use crate::text;

/// Why there is no URL.
#[derive(Debug)]
pub(super) enum NoUrl {
    /// The line cannot be used: its beginning, and why.
    Line(String, String),
    /// The input cannot be read, or has no URL; nothing more comes.
    Input(Failure),
}

/// The URLs of the input. The iterator waits where the input pauses.
pub(super) struct Feed {
    lines: Lines<Box<dyn Read + Send>>,
    /// The number of the last line.
    line: u64,
    is_over: bool,
}

impl Feed {
    /// Those of the standard input.
    pub(super) fn of_stdin() -> Self {
        let input: Box<dyn Read + Send> = Box::new(io::stdin());
        Self { lines: Lines::new(input, MAX_URL).checked(), line: 0, is_over: false }
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
                Ok(Next::TooLong) => {
                    return Some(Err(NoUrl::Line(String::new(), format!("input line {}: {}", self.line, too_long()))));
                }
                Ok(Next::End) => self.is_over = true,
                Err(error) => {
                    self.is_over = true;
                    let message = format!("the standard input: {error}; the URLs before this were checked");
                    return Some(Err(NoUrl::Input(Failure::Io(message))));
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
        Err(_) => Err(NoUrl::Line(text::escape(line), NOT_UTF8.into())),
    }
}
