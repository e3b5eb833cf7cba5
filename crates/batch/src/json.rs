//! JSON lines: reading requests, and writing answers that are harmless to every reader.
//!
//! Invariant: what is read has names and every reader of JSON accepts it. A line that is written is ASCII without
//! control characters. So it is UTF-8, one line for every reader, and harmless on a terminal. JSON escapes keep the
//! meaning of the values.

use std::io;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
pub use robosieve_ask::{Id, json_error};
use serde::Serialize;
use serde_json::ser::Formatter;

/// Accepts padding or none.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// With vector instructions, where the crate has them: a file takes a seventh of the instructions.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
static BASE64: LazyLock<base64::engine::Simd> = LazyLock::new(|| base64::engine::Simd::standard(CONFIG));
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon"))))]
static BASE64: LazyLock<base64::engine::GeneralPurpose> =
    LazyLock::new(|| base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG));

/// Decodes base64, with or without padding.
///
/// # Errors
/// Returns a message about what is wrong.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| error.to_string())
}

/// Encodes bytes as base64, with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

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
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Ascii)).map_err(io::Error::from)
}

/// Adds the field `text`, as the last one, to the line of an object that has others. A text of plain lines is copied: serde
/// would look at each of its bytes.
#[cfg(feature = "archives")]
pub(crate) fn with_text(mut line: Vec<u8>, text: &str) -> io::Result<Vec<u8>> {
    line.truncate(line.len().saturating_sub(b"}\n".len()));
    line.extend_from_slice(b",\"text\":");
    if text.bytes().fold(true, |all, byte| all & (matches!(byte, b' '..=b'~' | b'\n'))) {
        line.push(b'"');
        let mut rest = text.as_bytes();
        while let Some((plain, after)) =
            memchr::memchr3(b'\n', b'"', b'\\', rest).and_then(|at| rest.split_at_checked(at))
        {
            line.extend_from_slice(plain);
            let (escaped, after) = after.split_first().unwrap_or((&b'\n', &[]));
            line.extend([b'\\', if *escaped == b'\n' { b'n' } else { *escaped }]);
            rest = after;
        }
        line.extend_from_slice(rest);
        line.push(b'"');
    } else {
        write(&mut line, &text)?;
    }
    line.extend_from_slice(b"}\n");
    Ok(line)
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

    /// [batch.inputs]
    #[test]
    fn base64_is_read_with_padding_or_without() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        for length in [0, 1, 2, 3, 254, 255, 256] {
            let file = bytes.get(..length).unwrap_or_default();
            let text = encode(file);
            assert_eq!(decode(&text).as_deref(), Ok(file), "{length}");
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Ok(file), "{length}");
        }
        assert!(["-", "a", "aa a", "aaa\u{e9}", "aa=a"].iter().all(|text| decode(text).is_err()));
    }

    /// [harmless.json]
    #[test]
    fn lines_are_ascii_and_read_back() {
        let value = "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{1f916}\n\"\\\nb\n";
        let bytes = line(&value).unwrap_or_default();
        #[cfg(feature = "archives")]
        for text in [value, "", "\n", "a", "\"", "a\r\nb"] {
            let expected = line(&serde_json::json!({"a": 1, "text": text})).ok();
            assert_eq!(line(&serde_json::json!({"a": 1})).and_then(|line| with_text(line, text)).ok(), expected);
        }
        assert!(bytes.strip_suffix(b"\n").is_some_and(|line| line.iter().all(|byte| matches!(byte, b' '..=b'~'))));
        assert_eq!(serde_json::from_slice::<String>(&bytes).ok().as_deref(), Some(value));
    }
}
