//! Lines of the standard input, of bounded length: NDJSON requests, and URLs.

use std::io::{self, StdinLock};

pub(crate) use robosieve_batch::lines::{Lines, Next, listed};
pub(crate) use robosieve_batch::requests::MAX_LINE;

/// The lines of the standard input.
pub(crate) fn of_stdin() -> Lines<StdinLock<'static>> {
    Lines::new(io::stdin().lock(), MAX_LINE)
}
