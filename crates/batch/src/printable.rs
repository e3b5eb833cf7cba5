//! Makes text for terminals from untrusted bytes.
//!
//! Invariant: the output of this module is printable ASCII.

use std::path::Path;

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

/// The name of a file in messages.
#[must_use]
pub fn name_of(path: &Path) -> String {
    escape(path.as_os_str().as_encoded_bytes())
}

/// Each byte as two lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]).collect()
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
}
