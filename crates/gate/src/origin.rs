//! The origin that rules belong to: scheme, host and port of the first request.
//!
//! Invariant: the scheme is http or https, the host has the URL standard's ASCII form, and the port is always known.
//! Each site has one spelling.

use std::fmt;

use url::{Host, Url};

use crate::error::Error;

/// An origin (scheme, host and port) that can have its own robots.txt (RFC 9309 2.3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    https: bool,
    host: Host<String>,
    port: u16,
}

impl Origin {
    /// The origin of a URL.
    ///
    /// ```
    /// use robosieve_gate::Origin;
    /// let origin = Origin::of("HTTPS://Example.com:443/a?b#c")?;
    /// assert_eq!(origin.to_string(), "https://example.com");
    /// assert_eq!(origin.robots_txt(), "https://example.com/robots.txt");
    /// # Ok::<(), robosieve_gate::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the URL is not absolute, not http or https, or names no host.
    pub fn of(url: &str) -> Result<Self, Error> {
        Self::of_url(&parse(url)?)
    }

    /// Like [`Origin::of`], for a parsed URL.
    ///
    /// # Errors
    /// If the URL is not http or https, or names no host.
    pub fn of_url(url: &Url) -> Result<Self, Error> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(Error::Url("only http and https URLs have a robots.txt")),
        };
        let no_host = Error::Url("the URL names no host");
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else { return Err(no_host) };
        Ok(Self { https, host: host.to_owned(), port })
    }

    /// The host: a name or an address.
    pub const fn host(&self) -> &Host<String> {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The URL of its robots.txt.
    pub fn robots_txt(&self) -> String {
        format!("{self}/robots.txt")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, known) = if self.https { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == known { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// Reads an absolute URL, unless clients read two hosts in it: a backslash ends the host by the URL standard, and is
/// part of a user's name by RFC 3986 (`http://one\@two/`).
pub(crate) fn parse(url: &str) -> Result<Url, Error> {
    let authority = url.split_once("//").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    if authority.and_then(|text| text.split_once('\\')).is_some_and(|(_, rest)| rest.contains('@')) {
        return Err(Error::Url("clients read two hosts in it; write it without backslashes"));
    }
    Url::parse(url).map_err(|_| Error::Url("not an absolute URL; write it as https://host/path"))
}

/// Whether a host name is this machine's (RFC 6761 6.3). URLs have names in lower case.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}
