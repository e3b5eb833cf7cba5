//! The origin that rules belong to: scheme, host and port of the first request.
//!
//! Invariant: the scheme is http or https, the host has the URL standard's ASCII form, and the port is always known.
//! Each site has one spelling.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::Ipv6Net;
use url::{Host, Url};

/// An origin (scheme, host and port) that can have its own robots.txt (RFC 9309 2.3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    https: bool,
    host: Host<String>,
    port: u16,
}

/// Why a URL has no origin of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OriginError {
    /// It is not an absolute URL.
    NoUrl,
    /// Its scheme is neither http nor https.
    Scheme,
    /// It names no host.
    NoHost,
}

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoUrl => "not an absolute URL; write it as https://host/path",
            Self::Scheme => "only http and https URLs have a robots.txt",
            Self::NoHost => "the URL names no host",
        })
    }
}

impl std::error::Error for OriginError {}

impl Origin {
    /// The origin of a URL.
    ///
    /// ```
    /// use robosieve_gate::Origin;
    /// let origin = Origin::of("HTTPS://Example.com:443/a?b#c")?;
    /// assert_eq!(origin.to_string(), "https://example.com");
    /// assert_eq!(origin.robots_txt(), "https://example.com/robots.txt");
    /// # Ok::<(), robosieve_gate::origin::OriginError>(())
    /// ```
    ///
    /// # Errors
    /// If the URL is not absolute, not http or https, or names no host.
    pub fn of(url: &str) -> Result<Self, OriginError> {
        Self::of_url(&Url::parse(url).map_err(|_| OriginError::NoUrl)?)
    }

    /// Like [`Origin::of`], for a parsed URL.
    ///
    /// # Errors
    /// If the URL is not http or https, or names no host.
    pub fn of_url(url: &Url) -> Result<Self, OriginError> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(OriginError::Scheme),
        };
        let host = url.host().ok_or(OriginError::NoHost)?.to_owned();
        let port = url.port_or_known_default().ok_or(OriginError::NoHost)?;
        Ok(Self { https, host, port })
    }

    /// The host: a name or an address.
    #[must_use]
    pub const fn host(&self) -> &Host<String> {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The URL of its robots.txt.
    #[must_use]
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

/// The address that a connection to this one leads to: the IPv4 address in an IPv6 one, if it has one.
pub(crate) fn inner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if NAT64.contains(&v6) => {
            let [.., a, b, c, d] = v6.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        other => other,
    }
}

/// RFC 6052: the last 32 bits are an IPv4 address, which a translator connects to.
const NAT64: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether a host name is this machine's (RFC 6761 6.3). URLs have names in lower case.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}
