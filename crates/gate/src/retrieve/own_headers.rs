//! Headers that the crawler's operator adds to requests for robots.txt.
//!
//! Invariant: each name is there once, is none that a driver sends itself, and name and value have the form of a
//! header's. A value is never shown: it may be a secret.

use std::fmt;

/// Headers of your own. They are sent with each request for robots.txt.
///
/// ```
/// use robosieve_gate::retrieve::{HeaderError, OwnHeaders};
/// let headers = OwnHeaders::default().with("From", "bot@example.com")?.with_line("Accept-Language: de")?;
/// assert_eq!(headers.iter().last(), Some(("Accept-Language", "de")));
/// assert_eq!(headers.with("User-Agent", "Mozilla/5.0"), Err(HeaderError::Reserved));
/// # Ok::<(), HeaderError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OwnHeaders(Vec<(String, String)>);

/// Why a header can't be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// The line has no colon.
    Line,
    /// The name is not a token.
    Name,
    /// The value has a byte that headers must not have, or begins or ends with a blank.
    Value,
    /// The header is one that a driver sends itself, or that changes what the answer means.
    Reserved,
    /// The header is there already.
    Twice,
    /// There are [`OwnHeaders::MAX`] already.
    TooMany,
    /// All together are longer than [`OwnHeaders::MAX_BYTES`].
    TooLong,
    /// A secret (`Authorization`, `Cookie`) is for one host, and would go to all.
    Secret,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "write a header as Name: value",
            Self::Name => "a header's name is made of letters, digits and -",
            Self::Value => "a header's value is printable ASCII with no blanks at its ends",
            Self::Reserved => "this header is set by the program, or would change what the answer means",
            Self::Twice => "this header is there already; upper case does not count",
            Self::TooMany => return write!(f, "more than {} headers", OwnHeaders::MAX),
            Self::TooLong => return write!(f, "the headers are longer than {} bytes", OwnHeaders::MAX_BYTES),
            Self::Secret => "Authorization and Cookie would go to every host",
        })
    }
}

impl std::error::Error for HeaderError {}

/// The headers of the driver; those that make a request conditional or partial, whose answers would look like others;
/// and those that are for a connection or a proxy.
const RESERVED: [&str; 20] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

fn is_secret(name: &str) -> bool {
    ["authorization", "cookie"].iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

impl OwnHeaders {
    /// 32: the most headers. Our choice.
    pub const MAX: usize = 32;
    /// 8,000: the most bytes of all names and values. Many servers refuse a head of more than 8,192 bytes.
    pub const MAX_BYTES: usize = 8_000;

    /// Adds a header.
    ///
    /// # Errors
    /// If it can't be sent.
    pub fn with(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        self.add(name, value)?;
        Ok(self)
    }

    /// Adds a header that is written as `Name: value`.
    ///
    /// # Errors
    /// If it can't be sent.
    pub fn with_line(self, line: &str) -> Result<Self, HeaderError> {
        let (name, value) = line.split_once(':').ok_or(HeaderError::Line)?;
        self.with(name, value.trim_matches(' '))
    }

    fn add(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        // The marks of a token (RFC 9110 5.6.2).
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(HeaderError::Name);
        }
        if value.trim() != value || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(HeaderError::Value);
        }
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(HeaderError::Reserved);
        }
        if is_secret(name) {
            return Err(HeaderError::Secret);
        }
        if self.has(name) {
            return Err(HeaderError::Twice);
        }
        if self.0.len() >= Self::MAX {
            return Err(HeaderError::TooMany);
        }
        let bytes: usize = self.0.iter().map(|(name, value)| name.len().saturating_add(value.len())).sum();
        if bytes.saturating_add(name.len()).saturating_add(value.len()) > Self::MAX_BYTES {
            return Err(HeaderError::TooLong);
        }
        self.0.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is one of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

impl fmt::Debug for OwnHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
