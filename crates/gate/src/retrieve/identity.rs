//! The crawler's identity.
//!
//! Invariant: the header is one line of printable ASCII, and it names the product that is looked up in robots.txt.

use robosieve::Agents;
use robosieve::settings::Agent;

use crate::error::Error;

/// A crawler's `User-Agent` header. The names for the rules are made of it, so a crawler can't use one name for these
/// and another for its requests.
///
/// ```
/// use robosieve_gate::CrawlerIdentity;
/// let identity = CrawlerIdentity::new("Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)")?;
/// let agents = identity.agents();
/// assert_eq!(agents.iter().next().and_then(|agent| agent.token()), Some("DanBot"));
/// # Ok::<(), robosieve_gate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlerIdentity(String);

impl CrawlerIdentity {
    /// Takes a whole `User-Agent` header: `MyBot/1.0 (+https://example.com/bot)`, with the URL of a page that says what
    /// the crawler is and how to block it. [`Agent::new`] finds its product.
    ///
    /// # Errors
    /// If it is not a valid header value, names no product, or is longer than 512 bytes.
    pub fn new(header: &str) -> Result<Self, Error> {
        let is_printable = header.trim() == header && header.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let why = if header.len() > 512 {
            "the User-Agent header is longer than 512 bytes"
        } else if !is_printable {
            "a User-Agent header is printable ASCII with no blanks at its ends"
        } else if Agent::new(header).token().is_none() {
            "the User-Agent header names no product; write it as MyBot/1.0 (+https://example.com/bot)"
        } else {
            return Ok(Self(header.to_owned()));
        };
        Err(Error::setting(why))
    }

    /// The header's value.
    pub fn header(&self) -> &str {
        &self.0
    }

    /// The crawler as the library's type for agents: with all names of the header.
    pub fn agents(&self) -> Agents {
        Agents::new([&self.0])
    }
}
