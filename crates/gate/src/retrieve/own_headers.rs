//! Headers that the crawler's operator adds to requests for robots.txt.
//!
//! Invariant: each name is there once, is none that a driver sends itself, and name and value have the form of a
//! header's. A value is never shown: it may be a secret.

use std::fmt;

/// Headers of your own. They are sent with each request for robots.txt.
///
/// ```
/// use robosieve_gate::retrieve::OwnHeaders;
/// let headers = OwnHeaders::default().with("From", "bot@example.com")?.with_line("Accept-Language: de")?;
/// assert_eq!(headers.iter().last(), Some(("Accept-Language", "de")));
/// assert!(headers.with("User-Agent", "Mozilla/5.0").is_err());
/// # Ok::<(), robosieve_gate::retrieve::HeaderError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OwnHeaders(Vec<(String, String)>);

/// Why a header can't be sent: the reason, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderError(&'static str);

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
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
        let (name, value) = line.split_once(':').ok_or(HeaderError("write a header as Name: value"))?;
        self.with(name, value.trim_matches(' '))
    }

    fn add(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        // The marks of a token (RFC 9110 5.6.2).
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_one_of = |names: &[&str]| names.iter().any(|one| name.eq_ignore_ascii_case(one));
        let bytes = self.0.iter().fold(name.len().saturating_add(value.len()), |sum, (name, value)| {
            sum.saturating_add(name.len()).saturating_add(value.len())
        });
        let refusals = [
            (name.is_empty() || !name.bytes().all(is_token), "a header's name is made of letters, digits and -"),
            (
                value.trim() != value || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
                "a header's value is printable ASCII with no blanks at its ends",
            ),
            (is_one_of(&RESERVED), "this header is set by the program, or would change what the answer means"),
            (is_one_of(&["authorization", "cookie"]), "Authorization and Cookie would go to every host"),
            (
                self.0.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)),
                "this header is there already; upper case does not count",
            ),
            (self.0.len() >= Self::MAX, "more than 32 headers"),
            (bytes > Self::MAX_BYTES, "the headers are longer than 8000 bytes"),
        ];
        if let Some((_, why)) = refusals.into_iter().find(|(is_refused, _)| *is_refused) {
            return Err(HeaderError(why));
        }
        self.0.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for OwnHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
