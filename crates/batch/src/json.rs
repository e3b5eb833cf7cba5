//! JSON lines: reading requests, and writing answers that are harmless to every reader.

mod id;
mod line;
mod object;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

pub use id::Id;
pub use line::{line, write};
pub use object::{Object, object};

/// Accepts padding or none.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

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
