//! Turns untrusted bytes into text that is safe to show on a terminal.
//!
//! Invariant: what this module returns is safe to print, and input bytes never end a line. For several lines, use a
//! [`Message`]. Everything printed from an input, an argument or a file name passes through `escape` once; through
//! [`crate::json`]; or through the library's canonical text. Words of which parts are escaped pass through `harmless`.

use std::fmt;

pub(crate) use robosieve_explain::{counted, counted_len, listed};
pub(crate) use robosieve_printable::{escape, escape_short, front, harmless, name_of};

/// A message for people: a first line, and optional lines indented by two spaces. The indent shows that they belong to
/// it. Their foreign parts are escaped already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message(Vec<String>);

impl Message {
    pub(crate) fn new(line: &str) -> Self {
        Self(vec![harmless(line).into_owned()])
    }

    /// One more line below.
    pub(crate) fn add(&mut self, line: &str) {
        self.0.push(format!("  {}", harmless(line)));
    }

    /// The message of the program for a terminal of this width, or, without one, of any. Further lines are indented.
    pub(crate) fn shown(&self, width: Option<usize>) -> String {
        let all = format!("robosieve: {self}");
        let Some(width) = width else { return all };
        all.lines()
            .map(|line| {
                let column = line.len().saturating_sub(line.trim_start().len());
                format!("{:column$}{}", "", wrapped(line.trim_start(), column, 2, width))
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The same with one more line below.
    pub(crate) fn with(mut self, line: &str) -> Self {
        self.add(line);
        self
    }
}

impl Extend<String> for Message {
    fn extend<L: IntoIterator<Item = String>>(&mut self, lines: L) {
        lines.into_iter().for_each(|line| self.add(&line));
    }
}

/// Writes the message without a final line ending.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// A stream that may be a terminal.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    Output,
    Error,
}

/// The width of the terminal that a stream is. A module of WebAssembly has none.
pub(crate) fn terminal(stream: Stream) -> Option<usize> {
    #[cfg(any(unix, windows))]
    let size = match stream {
        Stream::Output => terminal_size::terminal_size_of(std::io::stdout()),
        Stream::Error => terminal_size::terminal_size_of(std::io::stderr()),
    };
    #[cfg(not(any(unix, windows)))]
    let (_, size) = (stream, terminal_size::terminal_size());
    size.map(|(width, _)| usize::from(width.0))
}

/// Wraps a text that begins at this column. Further lines begin there, and a bit further in.
pub(crate) fn wrapped(text: &str, column: usize, further: usize, width: usize) -> String {
    let width = width.saturating_sub(column).max(8);
    if textwrap::core::display_width(text) <= width {
        return text.to_owned();
    }
    let further = " ".repeat(further);
    let options = textwrap::Options::new(width)
        .subsequent_indent(&further)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).join(&format!("\n{:column$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.lines]
    #[test]
    fn no_string_opens_a_line_of_a_message() {
        let evil = "a\nrobosieve: b\r\n  c\u{2028}d\u{85}e\u{1b}[2J";
        let mut message = Message::new(evil).with(evil);
        message.extend([evil.to_owned()]);
        let page = message.to_string();
        let starts: Vec<&str> = page.split('\n').map(|line| line.get(..4).unwrap_or_default()).collect();
        assert_eq!(starts, ["a\\x0", "  a\\", "  a\\"]);
        assert!(page.chars().all(|one| one == '\n' || robosieve_printable::is_shown(one)), "{page}");
    }

    /// A message breaks between words on a terminal: [cmd.columns]
    #[test]
    fn a_message_fits_the_terminal() {
        let message =
            Message::new("a.txt: not exact: 1 rule was dropped").with("line 7: a rule with stars [limit.wildcards]");
        assert_eq!(message.shown(None).lines().count(), 2);
        let shown = message.shown(Some(30));
        let expected =
            "robosieve: a.txt: not exact: 1\n  rule was dropped\n  line 7: a rule with stars\n    [limit.wildcards]";
        assert_eq!(shown, expected);
    }
}
