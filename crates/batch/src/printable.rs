//! Makes text for terminals from untrusted bytes.
//!
//! Invariant: the output of this module is printable ASCII.

use std::path::Path;

pub use robosieve_explain::printable::escape;

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
