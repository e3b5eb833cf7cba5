//! Colour on the standard output.
//!
//! Invariant: colour is the only thing that a terminal gets in addition to the text.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::args::Color;
use crate::exit::Failure;
use crate::output;

/// Lines that apply to the agent, and URLs that it may fetch.
pub(crate) const OURS: Style = AnsiColor::Green.on_default().bold();
/// What is lost, and URLs that the agent may not fetch.
pub(crate) const LOST: Style = AnsiColor::Red.on_default().bold();
/// Headings.
pub(crate) const HEADING: Style = Style::new().bold();

/// Prints what `write` writes, with colour if that is wanted.
pub(crate) fn print(
    color: Color,
    write: impl FnOnce(&mut AutoStream<Vec<u8>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let choice = match color {
        // Asked of the standard output itself: a buffer is no terminal.
        Color::Auto => AutoStream::choice(&io::stdout()),
        Color::Always => ColorChoice::AlwaysAnsi,
        Color::Never => ColorChoice::Never,
    };
    let mut out = AutoStream::new(Vec::new(), choice);
    write(&mut out).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))?;
    output::print(&out.into_inner())
}

/// The width of the terminal, in columns. Without a terminal, `COLUMNS` or 100.
pub(crate) fn width() -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| (20..=1000).contains(columns));
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).unwrap_or(100)
}
