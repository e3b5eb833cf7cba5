//! What an operator sets for the connections of the driver: headers, and what is different for single hosts.
//!
//! Invariant: what is set for a host is used for requests to that host only, also after redirects. A secret goes only
//! to the origin that was asked for. Only hosts that are named go without a check of certificates.

use std::fmt;

use url::Url;

use crate::by_host::{ByHost, is_wide, key_of};
use crate::origin::{Origin, is_localhost};
use crate::retrieve::own_headers::{HeaderError, OwnHeaders};
use crate::retrieve::proxy::{Proxies, Proxy};

/// What is different in the connections to a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostConnection {
    /// Headers. One of the same name for all hosts is replaced. `Authorization` and `Cookie` are sent only to the
    /// origin whose robots.txt is retrieved, and to no target of its redirects elsewhere; the others to such a target
    /// only by https.
    pub headers: OwnHeaders,
    /// Whether the certificates of the host are not checked, and secrets are sent without TLS too. Anybody on the way
    /// can then be this host, and read them.
    pub insecure: bool,
    /// The certificate of the crawler, if the host asks for one.
    pub certificate: Option<ClientCertificate>,
}

impl HostConnection {
    /// Whether its TLS is not that of all hosts.
    pub(crate) const fn has_tls(&self) -> bool {
        self.insecure || self.certificate.is_some()
    }
}

/// A crawler's certificate for TLS, with its key, in PEM. [`Driver::connections`](crate::Driver::connections) reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    pub(crate) chain: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl ClientCertificate {
    /// The certificate, and those that signed it, and the key. Both may be in one file.
    #[must_use]
    pub fn of_pem(chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self { chain: chain.into(), key: key.into() }
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate").finish_non_exhaustive()
    }
}

/// Why a connection can't be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionError {
    /// The name is not a host's, or `*.` and a domain.
    Name,
    /// The host is there already.
    Twice,
    /// All hosts of a public suffix would go without a check of certificates, or get a secret or a certificate.
    TooWide,
    /// A header for all hosts can't be sent.
    Header(HeaderError),
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("not a host, and not *. and a domain"),
            Self::Twice => f.write_str("this host has a connection already"),
            Self::TooWide => f.write_str(
                "certificates and secrets are for single hosts, or for the hosts of one domain, not for all of a public suffix",
            ),
            Self::Header(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConnectionError {}

/// The connections of a driver: what is sent to all hosts, and what is different for some.
///
/// ```
/// use robosieve_gate::retrieve::{ConnectionError, Connections, HostConnection, OwnHeaders};
/// let all = OwnHeaders::default().with("From", "bot@example.com").map_err(ConnectionError::Header)?;
/// let connections = Connections::default()
///     .headers(all)?
///     .host("intranet.example", HostConnection { insecure: true, ..HostConnection::default() })?;
/// # Ok::<(), ConnectionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connections {
    headers: OwnHeaders,
    hosts: ByHost<HostConnection>,
    proxies: Proxies,
}

impl Connections {
    /// Sets the headers for all hosts.
    ///
    /// # Errors
    /// If one is a secret ([`OwnHeaders::has_secrets`]), which would go to all hosts.
    pub fn headers(self, headers: OwnHeaders) -> Result<Self, ConnectionError> {
        if headers.has_secrets() {
            return Err(ConnectionError::Header(HeaderError::Secret));
        }
        Ok(Self { headers, ..self })
    }

    /// Sets the proxies. Without them, every host is connected to directly.
    #[must_use]
    pub fn proxies(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }

    /// The proxy for a URL, if it looks the URL's name up. It gets no name of its own computer: a guard that refuses
    /// such addresses would not see it.
    pub(crate) fn looks_up(&self, url: &Url) -> Option<&Proxy> {
        let is_local = is_localhost(url.domain()?);
        self.proxies.of(url).filter(|proxy| !is_local && !proxy.lets_names_be_checked())
    }

    /// The proxy for a URL.
    pub(crate) fn proxy(&self, url: &Url) -> Option<&Proxy> {
        self.proxies.of(url)
    }

    /// Sets what is different for a host, or for all hosts below a domain (`*.example.com`). The most specific name
    /// counts, and no other.
    ///
    /// # Errors
    /// If the name is not valid or there already, or if it is for all hosts of a public suffix and their certificates
    /// would not be checked, or they would get a secret or a certificate.
    pub fn host(mut self, name: &str, own: HostConnection) -> Result<Self, ConnectionError> {
        let key = key_of(name).ok_or(ConnectionError::Name)?;
        if (own.has_tls() || own.headers.has_secrets()) && is_wide(&key) {
            return Err(ConnectionError::TooWide);
        }
        if self.hosts.contains(&key) {
            return Err(ConnectionError::Twice);
        }
        self.hosts.insert(key, own);
        Ok(self)
    }

    /// Sets what is different for a host, whose name was checked.
    pub(crate) fn set(&mut self, key: &str, own: HostConnection) {
        self.hosts.insert(key.to_owned(), own);
    }

    /// What is different for the host of a URL, with the name that counts.
    pub(crate) fn of(&self, url: &Url) -> Option<(&str, &HostConnection)> {
        self.hosts.entry_of(&url.host()?.to_owned())
    }

    /// The headers for a request that is part of the retrieval of an origin's robots.txt. What is set for a host goes in
    /// the clear only if that was asked for: any site can redirect to one.
    pub(crate) fn headers_for<'c>(&'c self, url: &Url, origin: &Origin) -> Vec<(&'c str, &'c str)> {
        let Some(own) = self.of(url).map(|(_, own)| &own.headers) else { return self.headers.iter().collect() };
        let of_all = self.headers.iter().filter(|(name, _)| !own.has(name));
        if Origin::of_url(url).as_ref() == Ok(origin) {
            of_all.chain(own.iter()).collect()
        } else if url.scheme() == "https" {
            of_all.chain(own.open()).collect()
        } else {
            self.headers.iter().collect()
        }
    }

    /// Whether a request would show a secret to whoever is on the way, and that was not asked for.
    #[cfg(feature = "driver")]
    pub(crate) fn shows_secret(&self, url: &Url, origin: &Origin) -> bool {
        let is_first = || Origin::of_url(url).as_ref() == Ok(origin);
        let own = self.of(url).map(|(_, own)| own);
        url.scheme() != "https" && own.is_some_and(|own| own.headers.has_secrets() && !own.insecure) && is_first()
    }

    /// The hosts with something of their own.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = (&str, &HostConnection)> {
        self.hosts.iter()
    }
}
