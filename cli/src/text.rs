//! Octets that nobody vouches for -> text that a terminal can be shown.
//!
//! Invariant: what leaves this module is printable ASCII, and a line of it is never ended by what came in: who has several
//! lines to write says so, with a [`Message`]. Nothing of an input, an argument or a file name is printed that has not been
//! through here, through [`crate::json`], or through the library's canonical text.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

/// Octets of a line that are shown to a person; more than fill a screen help nobody.
const SHOWN: usize = 160;

/// The octets with each that is not printable ASCII as `\xNN`. What is escaped already stays as it is.
pub(crate) fn escape(octets: &[u8]) -> String {
    let mut out = String::with_capacity(octets.len());
    for &octet in octets {
        if matches!(octet, b' '..=b'~') {
            out.push(char::from(octet));
        } else {
            let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
            out.extend(['\\', 'x', digit(octet >> 4), digit(octet & 0xF)]);
        }
    }
    out
}

/// The same, less its end where it is very long.
pub(crate) fn escape_short(octets: &[u8]) -> String {
    match octets.get(..SHOWN) {
        Some(front) if octets.len() > SHOWN => format!("{}... ({} octets)", escape(front), octets.len()),
        _ => escape(octets),
    }
}

/// A line for people, and maybe lines below it, which are set in by two blanks: so they are told from lines that others wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message(Vec<String>);

impl Message {
    pub(crate) fn new(line: &str) -> Self {
        Self(vec![escape(line.as_bytes())])
    }

    /// One more line below.
    pub(crate) fn add(&mut self, line: &str) {
        self.0.push(format!("  {}", escape(line.as_bytes())));
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

/// Without the end of the last line.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// A file's name as messages have it.
pub(crate) fn name_of(path: &Path) -> String {
    escape_os(path.as_os_str())
}

/// An argument as messages have it.
pub(crate) fn escape_os(argument: &OsStr) -> String {
    escape(argument.as_encoded_bytes())
}

/// `1 record`, `2 records`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A length as a count.
pub(crate) fn counted_len(count: usize, one: &str, many: &str) -> String {
    counted(u64::try_from(count).unwrap_or(u64::MAX), one, many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_becomes_printable_ascii_and_stays() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let escaped = escape(&all);
        assert!(escaped.bytes().all(|octet| matches!(octet, b' '..=b'~')));
        assert_eq!(escape(escaped.as_bytes()), escaped);
        assert_eq!(escape(b"a\x1b[2J\xff\n"), "a\\x1B[2J\\xFF\\x0A");
    }

    /// [harmless.lines]
    #[test]
    fn no_string_opens_a_line_of_a_message() {
        let evil = "a\nrobosieve: b\r\n  c\u{2028}d\u{85}e\u{1b}[2J";
        let mut message = Message::new(evil).with(evil);
        message.extend([evil.to_owned()]);
        let page = message.to_string();
        let starts: Vec<&str> = page.split('\n').map(|line| line.get(..4).unwrap_or_default()).collect();
        assert_eq!(starts, ["a\\x0", "  a\\", "  a\\"]);
        assert!(page.bytes().all(|octet| matches!(octet, b' '..=b'~' | b'\n')), "{page}");
    }

    #[test]
    fn long_lines_are_cut_for_people_only() {
        assert_eq!(escape_short(&[b'a'; SHOWN]), "a".repeat(SHOWN));
        assert!(escape_short(&[b'a'; 1000]).ends_with("... (1000 octets)"));
    }
}
