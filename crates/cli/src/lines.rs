//! Lines of the standard input, of bounded length: NDJSON requests, and URLs.

use std::io::{self, StdinLock};

pub(crate) use robosieve_batch::lines::{Lines, Next};

/// The longest line that is read: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// Those of the standard input.
pub(crate) fn of_stdin() -> Lines<StdinLock<'static>> {
    Lines::new(io::stdin().lock(), MAX_LINE)
}
