//! Addresses: the URLs of sitemaps and licences, and the hosts in Host lines.
//!
//! Invariant: an [`HttpUrl`] is absolute, has the scheme http or https and a host, and is ASCII without blanks and
//! controls. One function decides what a host is, for all of them. The result does not depend on the spelling of a value.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::net::Ipv6Addr;
use core::str::FromStr;

use bstr::ByteSlice;

use crate::error::ConfigError;
use crate::path::pattern::{is_normal_url, normalised_url};
use crate::report::FindingKind;
use crate::syntax::bytes::{self, Flags};
use crate::syntax::punycode::{LONGEST_LABEL, LONGEST_NAME, host_to_ascii};

/// An absolute http or https URL. Scheme and host are in lower case. All bytes are allowed in URLs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HttpUrl(String);

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for HttpUrl {
    /// Any path on one host.
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let path: &[u8] = u.arbitrary()?;
        Self::read([b"https://example.com/", path].concat()).ok_or(arbitrary::Error::IncorrectFormat)
    }
}

impl HttpUrl {
    /// Reads a URL. The bytes after the host are normalised like those of paths. An empty path becomes `/`. A host in
    /// UTF-8 becomes Punycode. Other bytes that a host cannot contain are an error.
    ///
    /// ```
    /// use robosieve::values::HttpUrl;
    /// assert_eq!(HttpUrl::read(b"HTTPS://Example.com/a b.xml").unwrap().as_str(), "https://example.com/a%20b.xml");
    /// assert!(HttpUrl::read(b"/sitemap.xml").is_none());
    /// ```
    #[must_use]
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = value.as_ref();
        let (scheme, rest) = value.split_once_str("://")?;
        let scheme = web_scheme(scheme)?;
        let (authority, path) = bytes::split_while(rest, |byte| !matches!(byte, b'/' | b'?'));
        let host = in_ascii(authority)?;
        if !is_authority(&host) {
            return None;
        }
        let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
        let url = [scheme, b"://", &host.to_ascii_lowercase(), slash, &normalised_url(path)].concat();
        String::from_utf8(url).ok().map(Self)
    }

    /// The URL of the robots.txt file of its site (RFC 9309 2.3): scheme, host and port are the same.
    ///
    /// ```
    /// use robosieve::values::HttpUrl;
    /// let page: HttpUrl = "https://me:secret@Shop.example:8443/cart?a#b".parse()?;
    /// assert_eq!(page.robots_txt().as_str(), "https://shop.example:8443/robots.txt");
    /// # Ok::<(), robosieve::settings::ConfigError>(())
    /// ```
    #[must_use]
    pub fn robots_txt(&self) -> Self {
        let (scheme, host) = self.site();
        Self([scheme, "://", host, "/robots.txt"].concat())
    }

    /// The host: a name in ASCII and lower case, or an address, IPv6 in brackets. Without user and port.
    ///
    /// ```
    /// use robosieve::values::HttpUrl;
    /// let host = |url: &str| HttpUrl::read(url).map(|url| url.host().to_owned());
    /// assert_eq!(host("http://u:p@Shop.example:8080?a").as_deref(), Some("shop.example"));
    /// assert_eq!(host("http://[::1]:80/a").as_deref(), Some("[::1]"));
    /// ```
    #[must_use]
    pub fn host(&self) -> &str {
        let (_, host) = self.site();
        // The colons of an IPv6 address are in brackets.
        host.rsplit_once(':').filter(|(_, port)| !port.contains(']')).map_or(host, |(name, _)| name)
    }

    /// The scheme, and the host with its port.
    fn site(&self) -> (&str, &str) {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("https", &self.0));
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        (scheme, authority.rsplit('@').next().unwrap_or_default())
    }

    /// Resolves a reference in a file at this URL. Assumes that the file is at the root of its site, as robots.txt
    /// is. Returns none if the reference could also be a host without a scheme, or just a word.
    ///
    /// ```
    /// use robosieve::values::HttpUrl;
    /// let base = HttpUrl::read(b"https://example.com/robots.txt").unwrap();
    /// assert_eq!(base.resolve(b"/sitemap.xml").unwrap().as_str(), "https://example.com/sitemap.xml");
    /// assert_eq!(base.resolve(b"sitemap.xml").unwrap().as_str(), "https://example.com/sitemap.xml");
    /// assert_eq!(base.resolve(b"example.com/s.xml").unwrap().as_str(), "https://example.com/s.xml");
    /// assert!(base.resolve(b"none").is_none());
    /// ```
    #[must_use]
    pub fn resolve(&self, reference: impl AsRef<[u8]>) -> Option<Self> {
        let reference = reference.as_ref();
        let (scheme, rest) = self.0.as_bytes().split_once_str("://")?;
        let host = bytes::split_while(rest, |byte| byte != b'/').0;
        let first = bytes::split_while(reference, |byte| byte != b'/').0;
        let url = match Relative::of(reference) {
            _ if first.eq_ignore_ascii_case(host) => [scheme, b"://", reference].concat(),
            Some(Relative::Host) => [scheme, b":", reference].concat(),
            Some(Relative::Path(path)) => [scheme, b"://", host, b"/", path].concat(),
            None => return None,
        };
        Self::read(&url)
    }

    /// The URL of a line that the parser has kept. It is already canonical.
    pub(crate) fn kept(value: &[u8]) -> Option<Self> {
        value.to_str().ok().map(|url| Self(url.into()))
    }

    /// Whether the bytes already are such a URL, as most are. `flags` are the normalisation that they need.
    pub(crate) fn is_canonical(value: &[u8], flags: Flags) -> bool {
        if flags.has(Flags::RAW | Flags::HIGH) {
            return false;
        }
        let rest = value.strip_prefix(b"https://").or_else(|| value.strip_prefix(b"http://"));
        let Some((host, path)) = rest.map(split_plain_host) else { return false };
        is_name(host) && path.first() == Some(&b'/') && is_normal_url(path, flags)
    }

    /// Its bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits a URL, which has no bytes that a URL cannot contain, after the lower-case letters, digits and `-._~` at its
/// front. Takes eight bytes at once.
fn split_plain_host(url: &[u8]) -> (&[u8], &[u8]) {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let all = |byte: u8| u64::from_ne_bytes([byte; 8]);
    // The highest bit of each byte that is at least this one. No byte has this bit itself, so nothing is carried.
    let from = |eight: u64, least: u8| eight.wrapping_add(all(0x80_u8.wrapping_sub(least)));
    let mut rest = url;
    while let Some(eight) = rest.first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        // What a URL contains above `]` are letters, `_` and `~`.
        let plain = from(eight, b'^') | from(eight, b'-') & !from(eight, b':') & from(eight ^ all(b'/'), 1);
        let plain_bytes = (!plain & HIGH).trailing_zeros() as usize / 8;
        rest = bytes::split_at(rest, plain_bytes).1;
        if plain_bytes < 8 {
            return bytes::split_at(url, url.len().saturating_sub(rest.len()));
        }
    }
    let rest = bytes::trim_start(rest, |byte| bytes::is_unreserved(byte) && !byte.is_ascii_uppercase());
    bytes::split_at(url, url.len().saturating_sub(rest.len()))
}

/// `http` or `https`, in lower case.
fn web_scheme(scheme: &[u8]) -> Option<&'static [u8]> {
    [&b"http"[..], b"https"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known))
}

/// Whether this is a host, with an optional user (`user:password@`) and an optional port (`:443`).
fn is_authority(authority: &[u8]) -> bool {
    let (user, host) = authority.split_once_str("@").unwrap_or((b"", authority));
    user.iter().all(|&byte| bytes::is_unreserved(byte) || byte == b':') && is_host(host)
}

/// Whether this is a name or an address in brackets, with an optional port.
fn is_host(host: &[u8]) -> bool {
    let (name, port) = match host.rsplit_once_str(":") {
        // The colons of an IPv6 address are in brackets.
        Some((name, port)) if !port.contains(&b']') => (name, port),
        _ => (host, &[][..]),
    };
    let is_port = port.iter().copied().all(bytes::is_digit) && u16::try_from(bytes::decimal(port)).is_ok();
    is_port && (is_name(name) || is_address(name))
}

/// Whether this is the name of a host, in ASCII. Most are so short that no label can be too long.
#[inline]
fn is_name(name: &[u8]) -> bool {
    let is_short = |label: &[u8]| label.len() <= LONGEST_LABEL;
    name.iter().any(u8::is_ascii_alphanumeric)
        && name.iter().copied().all(bytes::is_unreserved)
        && (is_short(name)
            || name.strip_suffix(b".").unwrap_or(name).len() <= LONGEST_NAME
                && name.split(|&byte| byte == b'.').all(is_short))
}

/// Whether this is an IPv6 address in brackets.
fn is_address(host: &[u8]) -> bool {
    let address = host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]"));
    address.and_then(|address| address.to_str().ok()).is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// Reads the main mirror of a site: a host in lower case, with an optional `http://` or `https://` and an optional
/// port.
pub(crate) fn read_host(value: &[u8]) -> Option<String> {
    let (scheme, host) = value.split_once_str("://").map_or((None, value), |(scheme, host)| (Some(scheme), host));
    let scheme: &[u8] = match scheme.map(web_scheme) {
        Some(None) => return None,
        Some(Some(b"https")) => b"https://",
        Some(Some(_)) => b"http://",
        None => b"",
    };
    let host = in_ascii(host.strip_suffix(b"/").unwrap_or(host))?;
    // A tilde can be in a URL only.
    let is_valid = is_host(&host) && !host.contains(&b'~');
    is_valid.then(|| bytes::percent_encoded(&[scheme, &host].concat()).to_ascii_lowercase())
}

/// Converts what is between `://` and the path. A host in UTF-8 becomes Punycode. Returns none if bytes outside ASCII
/// are not a valid host.
fn in_ascii(authority: &[u8]) -> Option<Cow<'_, [u8]>> {
    if authority.is_ascii() {
        return Some(Cow::Borrowed(authority));
    }
    let (user, rest) = match authority.split_once_str("@") {
        Some((user, rest)) => (bytes::part(authority, 0..user.len().saturating_add(1)), rest),
        None => (&[][..], authority),
    };
    let (name, port) = bytes::split_while(rest, |byte| byte != b':');
    let name = host_to_ascii(name.to_str().ok()?)?;
    Some(Cow::Owned([user, name.as_bytes(), port].concat()))
}

/// A reference without a scheme.
enum Relative<'r> {
    /// `//host/path`.
    Host,
    /// A path from the root, without its slash.
    Path(&'r [u8]),
}

impl<'r> Relative<'r> {
    /// Endings of the files that sitemaps.org knows.
    const FILES: [&'static [u8]; 3] = [b".xml", b".gz", b".txt"];

    /// Accepts a value that begins with a slash, `./`, `../` or `?`, or that is a file name in folders without a dot.
    /// Such a value is neither a host nor a word.
    fn of(value: &'r [u8]) -> Option<Self> {
        if value.starts_with(b"//") {
            return Some(Self::Host);
        }
        if let Some(path) = value.strip_prefix(b"/") {
            return Some(Self::Path(path));
        }
        let mut path = value;
        while let Some(rest) = path.strip_prefix(b"./").or_else(|| path.strip_prefix(b"../")) {
            path = rest;
        }
        let is_marked = path.len() < value.len() || value.starts_with(b"?");
        let (folders, file) = value.rsplit_once_str("/").unwrap_or((b"", value));
        let file = bytes::split_while(file, |byte| byte != b'?').0;
        let is_file = Self::FILES.iter().any(|end| file.len() > end.len() && file.to_ascii_lowercase().ends_with(end));
        let is_name = |byte: &u8| bytes::is_wide_token(*byte) && *byte != b'.' || *byte == b'/';
        let is_plain = file.iter().all(|byte| !matches!(byte, b' ' | b'\t' | b':'));
        (is_marked || is_file && is_plain && folders.iter().all(is_name)).then_some(Self::Path(path))
    }
}

/// The address in a Sitemap or License line, and whether it was repaired beyond its spelling. If there is none, the finding that
/// explains why.
pub(crate) fn url_of_line(value: &[u8], base: Option<&HttpUrl>) -> Result<(HttpUrl, bool), FindingKind> {
    if let Some(url) = HttpUrl::read(value) {
        let authority = bytes::split_while(value.split_once_str("://").map_or(value, |it| it.1), |byte| byte != b'/').0;
        return Ok((url, !authority.is_ascii()));
    }
    if value.contains_str("://") {
        return Err(FindingKind::InvalidValue);
    }
    match base {
        Some(base) => base.resolve(value).map(|url| (url, true)).ok_or(FindingKind::InvalidValue),
        None if Relative::of(value).is_some() => Err(FindingKind::RelativeUrl),
        None => Err(FindingKind::InvalidValue),
    }
}

impl AsRef<str> for HttpUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<[u8]> for HttpUrl {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl TryFrom<&str> for HttpUrl {
    type Error = ConfigError;

    fn try_from(url: &str) -> Result<Self, ConfigError> {
        url.parse()
    }
}

/// ```
/// use robosieve::values::HttpUrl;
/// let page = url::Url::parse("https://Shop.example:443/cart?a#b")?;
/// assert_eq!(HttpUrl::try_from(&page)?.robots_txt().as_str(), "https://shop.example/robots.txt");
/// assert!(HttpUrl::try_from(&url::Url::parse("mailto:a@shop.example")?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "url")]
impl TryFrom<&url::Url> for HttpUrl {
    type Error = ConfigError;

    fn try_from(url: &url::Url) -> Result<Self, ConfigError> {
        url.as_str().parse()
    }
}

impl FromStr for HttpUrl {
    type Err = ConfigError;

    fn from_str(url: &str) -> Result<Self, ConfigError> {
        Self::read(url.as_bytes()).ok_or_else(|| ConfigError::HttpUrl(url.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every ASCII byte at every place of a host, with paths that end within eight bytes of it and after them.
    #[test]
    fn canonical_urls_stay_as_they_are() {
        for (byte, place) in (0..0x80).flat_map(|byte| (0..20).map(move |place| (byte, place))) {
            for path in ["/", "/sitemap.xml"] {
                let mut host = b"a1.example-host.com.".to_vec();
                host.iter_mut().skip(place).take(1).for_each(|it| *it = byte);
                let url = [b"https://", &*host, path.as_bytes()].concat();
                let is_canonical = HttpUrl::is_canonical(&url, bytes::flags_in(&url));
                let is_plain = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~');
                assert_eq!(is_canonical, is_plain || byte == b'/' && place > 0, "{}", url.as_bstr());
                let read = HttpUrl::read(&url).map(HttpUrl::into_bytes);
                assert!(!is_canonical || read.as_ref() == Some(&url), "{}", url.as_bstr());
            }
        }
    }
}
