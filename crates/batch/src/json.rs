//! JSON a line: reading requests, and writing answers that harm no reader.

mod id;
mod line;
mod object;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

pub use id::Id;
pub use line::line;
pub use object::{Object, object};

/// With padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes that a text in base64 stands for, with padding or without.
///
/// # Errors
/// What is wrong with it, in words.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| error.to_string())
}

/// Bytes as base64, with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}
