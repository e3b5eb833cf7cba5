//! Makes text for terminals from untrusted bytes.
//!
//! Invariant: the output of this module is printable ASCII.

/// Writes each byte that is not printable ASCII as `\xNN`. Existing escapes do not change.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if matches!(byte, b' '..=b'~') {
            out.push(char::from(byte));
        } else {
            let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
            out.extend(['\\', 'x', digit(byte >> 4), digit(byte & 0xF)]);
        }
    }
    out
}

/// The bytes of a line that people are shown at most. More would only fill the screen.
const SHOWN: usize = 160;

/// Escapes the bytes of a line. Replaces the end of a very long one with its length.
#[must_use]
pub fn escape_short(bytes: &[u8]) -> String {
    escape_at_most(bytes, SHOWN)
}

/// Escapes the first `most` bytes. If there are more, the number of all bytes follows.
#[must_use]
pub fn escape_at_most(bytes: &[u8], most: usize) -> String {
    match bytes.get(..most) {
        Some(front) if bytes.len() > most => format!("{}... ({} bytes)", escape(front), bytes.len()),
        _ => escape(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.lines]
    #[test]
    fn every_byte_becomes_printable_ascii_and_stays() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let escaped = escape(&all);
        assert!(escaped.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        assert_eq!(escape(escaped.as_bytes()), escaped);
        assert_eq!(escape(b"a\x1b[2J\xff\n"), "a\\x1B[2J\\xFF\\x0A");
    }

    /// [cmd.explain]
    #[test]
    fn long_lines_are_cut() {
        assert_eq!(escape_short(&[b'a'; SHOWN]), "a".repeat(SHOWN));
        assert!(escape_short(&[b'a'; 1000]).ends_with("... (1000 bytes)"));
        assert_eq!(escape_at_most(b"abc", 2), "ab... (3 bytes)");
    }
}
