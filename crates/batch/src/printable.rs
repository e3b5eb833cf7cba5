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
