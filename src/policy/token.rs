//! The names of crawlers, as RFC 9309 writes them.
//!
//! Invariant: a [`ProductToken`] contains token bytes only.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use bstr::ByteSlice;

use crate::error::ConfigError;
use crate::syntax::bytes;

/// The name of a crawler in robots.txt: `[0-9A-Za-z._-]+`. RFC 9309 2.2.1 allows no digits and dots, but names of real
/// crawlers contain them.
///
/// ```
/// use robosieve::settings::ProductToken;
/// assert_eq!(ProductToken::new("MJ12bot")?.as_str(), "MJ12bot");
/// assert!(ProductToken::new("Foo Bar").is_err());
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductToken(String);

impl ProductToken {
    /// Checks a token.
    ///
    /// # Errors
    /// If it is empty or contains a byte other than a letter, a digit, `_`, `-` and `.`.
    pub fn new(token: &str) -> Result<Self, ConfigError> {
        if token.is_empty() || !token.bytes().all(bytes::is_wide_token) {
            return Err(ConfigError::ProductToken(token.into()));
        }
        Ok(Self(token.into()))
    }

    /// The longest token at the front of `bytes`. None if the word goes on in another script.
    pub(crate) fn leading(bytes: &[u8]) -> Option<Self> {
        let (token, rest) = bytes::split_while(bytes, bytes::is_wide_token);
        if rest.first().is_some_and(|next| !next.is_ascii()) {
            return None;
        }
        token.to_str().ok().and_then(|token| Self::new(token).ok())
    }

    /// The token as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this byte after the token would make it a longer token.
    pub(crate) fn goes_on_with(&self, byte: u8) -> bool {
        bytes::is_token(byte)
            || byte.is_ascii_digit() && self.0.bytes().any(|own| own.is_ascii_digit())
            || byte == b'.' && self.0.bytes().any(|own| own == b'.')
    }
}

impl FromStr for ProductToken {
    type Err = ConfigError;

    fn from_str(token: &str) -> Result<Self, ConfigError> {
        Self::new(token)
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
