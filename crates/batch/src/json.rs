//! JSON lines: reading requests, and writing answers that are harmless to every reader.

mod id;
mod line;
mod object;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

pub use id::Id;
pub use line::{line, write};
pub use object::{Object, object};

/// Accepts padding or none.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// With vector instructions, where the crate has them.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// With and without vectors, the bytes and the errors are the same: [batch.inputs]
    #[test]
    fn base64_is_read_in_one_way() {
        let portable = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG);
        let portable = |text: &str| portable.decode(text).map_err(|error| error.to_string());
        let bytes: Vec<u8> = (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect();
        for length in 0..200_usize {
            let file = bytes.get(length..length.saturating_mul(2)).unwrap_or_default();
            let text = encode(file);
            assert_eq!(decode(&text).as_deref(), Ok(file), "{length}");
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Ok(file), "{length}");
            for (at, _) in text.char_indices() {
                for wrong in ["-", "=", " ", "é"] {
                    let mut damaged = text.clone();
                    damaged.replace_range(at..=at, wrong);
                    assert_eq!(decode(&damaged), portable(&damaged), "{damaged}");
                }
            }
        }
    }
}
