//! Writes values as JSON, one value on each line.
//!
//! Invariant: the line is ASCII without control characters. So it is UTF-8, one line for every reader, and harmless
//! on a terminal. JSON escapes keep the meaning of the values.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// The value as a line of JSON, with its line end.
///
/// # Errors
/// Those of the value's own `Serialize`.
///
/// ```
/// assert_eq!(robosieve_batch::json::line(&["a\u{1b}"])?, b"[\"a\\u001b\"]\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(256);
    write(&mut out, value)?;
    out.push(b'\n');
    Ok(out)
}

/// Writes the value as such JSON, without a line end. Holds nothing of it in memory.
///
/// # Errors
/// Those of the value's own `Serialize`, and of the writer.
pub fn write(out: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    // An error of the writer keeps its kind.
    value.serialize(&mut Serializer::with_formatter(out, Ascii)).map_err(io::Error::from)
}

struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_ascii(writer, fragment)
    }

    // JSON from a request's id. Bytes outside ASCII can only be in its strings, and controls only between its tokens.
    fn write_raw_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_ascii(writer, &fragment.replace(['\t', '\r', '\n'], " "))
    }
}

fn write_ascii<W: io::Write + ?Sized>(writer: &mut W, text: &str) -> io::Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
    // Checks all bytes without an early exit, so the processor can check many at once.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return writer.write_all(text.as_bytes());
    }
    let mut units = [0; 2];
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if is_plain(byte) => writer.write_all(&[byte])?,
            _ => {
                for unit in character.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.json]
    #[test]
    fn lines_are_ascii_and_read_back() {
        let value = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{1f916}\n\"\\";
        let bytes = line(&value).unwrap_or_default();
        assert!(bytes.strip_suffix(b"\n").is_some_and(|line| line.iter().all(|byte| matches!(byte, b' '..=b'~'))));
        assert_eq!(serde_json::from_slice::<String>(&bytes).ok().as_deref(), Some(value));
    }
}
