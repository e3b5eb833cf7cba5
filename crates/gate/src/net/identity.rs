//! The crawler's identity.
//!
//! Invariant: the header is one line of printable ASCII, and it contains the product token that is looked up in
//! robots.txt.

use std::fmt;

use robosieve::agent::{Agent, Agents, ProductToken};
use url::Url;

/// A crawler's `User-Agent` header and product token, made from one value. So a crawler can't use one name for the
/// rules and another for its requests.
///
/// ```
/// use robosieve_gate::CrawlerIdentity;
/// let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot")?;
/// assert_eq!(identity.header(), "MyBot/1.0 (+https://example.com/bot)");
/// assert_eq!(identity.token().as_str(), "MyBot");
/// # Ok::<(), robosieve_gate::net::IdentityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlerIdentity {
    header: String,
    token: ProductToken,
}

/// Why an identity is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityError {
    /// The name is not a product token.
    Name,
    /// The version is not a token.
    Version,
    /// The URL is not absolute, or not http or https.
    Url,
    /// The header has a byte that headers must not have, or begins or ends with a blank.
    Header,
    /// The header names no product.
    NoProduct,
    /// The header is too long.
    TooLong,
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "a crawler's name is made of letters, digits, '-', '_' and '.', as in MyBot",
            Self::Version => "a version is made of letters, digits, '-', '_', '.' and '+', as in 1.0",
            Self::Url => "the crawler's URL must be absolute, as in https://example.com/bot",
            Self::Header => "a User-Agent header is printable ASCII with no blanks at its ends",
            Self::NoProduct => {
                "the User-Agent header names no product; write it as MyBot/1.0 (+https://example.com/bot)"
            }
            Self::TooLong => "the User-Agent header is longer than 512 bytes",
        })
    }
}

impl std::error::Error for IdentityError {}

impl CrawlerIdentity {
    /// The longest header, in bytes.
    pub const MAX_HEADER: usize = 512;

    /// Creates an identity from the crawler's name, its version, and the URL of a page that says what the crawler is
    /// and how to block it.
    ///
    /// # Errors
    /// If a part is not valid, or the header is longer than [`Self::MAX_HEADER`].
    pub fn new(name: &str, version: &str, url: &str) -> Result<Self, IdentityError> {
        let token = ProductToken::new(name).map_err(|_| IdentityError::Name)?;
        let is_version = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
        if version.is_empty() || !version.bytes().all(is_version) {
            return Err(IdentityError::Version);
        }
        let url = Url::parse(url).map_err(|_| IdentityError::Url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(IdentityError::Url);
        }
        // A comment in a header ends at its parenthesis (RFC 9110 5.6.5).
        let url = url.as_str().replace('(', "%28").replace(')', "%29");
        let header = checked(&format!("{name}/{version} (+{url})"))?;
        Ok(Self { header, token })
    }

    /// Creates an identity from a whole `User-Agent` header. [`Agent::new`] finds its product token.
    ///
    /// ```
    /// use robosieve_gate::CrawlerIdentity;
    /// let header = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)";
    /// assert_eq!(CrawlerIdentity::from_header(header)?.token().as_str(), "DanBot");
    /// # Ok::<(), robosieve_gate::net::IdentityError>(())
    /// ```
    ///
    /// # Errors
    /// If it is not a valid header value, names no product, or is longer than [`Self::MAX_HEADER`].
    pub fn from_header(header: &str) -> Result<Self, IdentityError> {
        let header = checked(header)?;
        let token = Agent::new(&header).token().cloned().ok_or(IdentityError::NoProduct)?;
        Ok(Self { header, token })
    }

    /// The header's value.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// The product token that is looked up in robots.txt files.
    #[must_use]
    pub const fn token(&self) -> &ProductToken {
        &self.token
    }

    /// The crawler as the library's type for agents: with all names of the header.
    #[must_use]
    pub fn agents(&self) -> Agents {
        let sent = Agent::new(&self.header);
        let agent = if sent.token() == Some(&self.token) { sent } else { Agent::from(self.token.clone()) };
        [agent].into_iter().collect()
    }
}

impl fmt::Display for CrawlerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.header)
    }
}

fn checked(header: &str) -> Result<String, IdentityError> {
    if header.len() > CrawlerIdentity::MAX_HEADER {
        return Err(IdentityError::TooLong);
    }
    if header.trim() != header || !header.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(IdentityError::Header);
    }
    Ok(header.into())
}
