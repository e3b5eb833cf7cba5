//! Colour on the standard output: one rule for all commands.
//!
//! Invariant: colour is the only thing that a terminal gets in addition to the text.

use std::io::{self, Write};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use crate::exit::Failure;
use crate::output;
pub(crate) use crate::text::wrapped;
use crate::text::{self, Stream};

/// Lines that apply to the agent, and URLs that it may fetch.
pub(crate) const OURS: Style = AnsiColor::Green.on_default().bold();
/// What is lost, and URLs that the agent may not fetch.
pub(crate) const LOST: Style = AnsiColor::Red.on_default().bold();
/// Headings.
pub(crate) const HEADING: Style = Style::new().bold();

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always use colour
    Always,
    /// Never use colour
    Never,
}

/// The choice of --color.
static CHOSEN: OnceLock<Color> = OnceLock::new();

/// Sets it, once, before anything is printed.
pub(crate) fn choose(color: Color) {
    // A second choice does not exist.
    let _ = CHOSEN.set(color);
}

/// The standard output, with colour or without.
pub(crate) type Shaded = AutoStream<Box<dyn Write>>;

/// Prints what `write` writes, with colour if that is wanted. Holds only a little of it in memory.
pub(crate) fn print(write: impl FnOnce(&mut Shaded) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = stdout();
    write(&mut out).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// The standard output, buffered, with colour if that is wanted. The caller must flush it.
pub(crate) fn stdout() -> Shaded {
    AutoStream::new(Box::new(output::stdout()) as Box<dyn Write>, choice())
}

/// The style where colour is wanted, and none elsewhere: for long output, through which [`stdout`] would have to look
/// for what to take out.
pub(crate) fn wanted(style: Style) -> Style {
    if choice() == ColorChoice::Never { Style::new() } else { style }
}

fn choice() -> ColorChoice {
    match CHOSEN.get().copied().unwrap_or_default() {
        // Asked of the standard output itself: a buffer is no terminal.
        Color::Auto => AutoStream::choice(&io::stdout()),
        Color::Always => ColorChoice::AlwaysAnsi,
        Color::Never => ColorChoice::Never,
    }
}

/// The width of the terminal, in columns. Without a terminal, `COLUMNS` or 100.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).unwrap_or(100)
}

/// The width of the lines on the standard output: that of the terminal, or else `COLUMNS`, or else any width.
pub(crate) fn limit() -> usize {
    text::terminal(Stream::Output).or_else(columns).unwrap_or(usize::MAX)
}

fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| (20..=1000).contains(columns))
}
