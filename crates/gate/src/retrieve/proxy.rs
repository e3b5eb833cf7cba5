//! Proxies: which one a request goes through, if any.
//!
//! Invariant: no proxy is used that was not set, and none is read from the environment unless that is asked for. A
//! password is never shown.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::error::Error;

/// A proxy: HTTP with CONNECT, or SOCKS5.
///
/// | URL | what | who looks names up |
/// |---|---|---|
/// | `http://proxy.example:3128` | CONNECT (RFC 9110 9.3.6), for http and https | the proxy |
/// | `socks5h://proxy.example:1080` | SOCKS5 (RFC 1928) | the proxy |
/// | `socks5://proxy.example:1080` | the same | the driver |
///
/// With a user and a password before the host, the proxy gets these (RFC 7617, RFC 1929). What a proxy looks up, no
/// guard can check.
///
/// ```
/// use robosieve_gate::retrieve::Proxy;
/// let proxy: Proxy = "http://bot:secret@proxy.example:3128".parse()?;
/// assert_eq!(proxy.to_string(), "http://proxy.example:3128");
/// assert!(!proxy.lets_names_be_checked());
/// assert!("socks5://127.0.0.1".parse::<Proxy>()?.lets_names_be_checked());
/// # Ok::<(), robosieve_gate::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// One of [`SCHEMES`].
    pub(crate) scheme: &'static str,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    pub(crate) user: Option<User>,
}

/// User and password.
pub(crate) type User = (Vec<u8>, Vec<u8>);

/// CONNECT, SOCKS5 with addresses, and SOCKS5 with names, each with its usual port.
const SCHEMES: [(&str, u16); 3] = [("http", 80), ("socks5", 1_080), ("socks5h", 1_080)];

impl FromStr for Proxy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        /// The most that SOCKS5 can carry (RFC 1929).
        const MOST: usize = 255;
        let no_url = || Error::setting("write a proxy as http://proxy.example:3128 or socks5h://proxy.example:1080");
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let unknown =
            || Error::setting("a proxy's scheme is http, socks5 (names are looked up here) or socks5h (by the proxy)");
        let mut known = SCHEMES.into_iter();
        let (scheme, usual_port) = known.find(|(known, _)| scheme.eq_ignore_ascii_case(known)).ok_or_else(unknown)?;
        // A URL does not show the port that is the default of its scheme. So two schemes are tried.
        let parsed = |scheme: &str| Url::parse(&format!("{scheme}://{rest}")).map_err(|_| no_url());
        let (url, other) = (parsed("http")?, parsed("https")?);
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(no_url());
        }
        let host = url.host().ok_or_else(no_url)?.to_owned();
        let port = url.port().or(other.port()).unwrap_or(usual_port);
        let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
        let user = (!url.username().is_empty() || url.password().is_some())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        if user.as_ref().is_some_and(|(user, password)| user.len() > MOST || password.len() > MOST) {
            return Err(Error::setting("a proxy's user or password is longer than 255 bytes"));
        }
        Ok(Self { scheme, host, port, user })
    }
}

impl Proxy {
    /// Whether the driver looks names up itself, so that the guard checks every address. If the proxy does, only
    /// addresses in URLs are checked, and `localhost`.
    pub fn lets_names_be_checked(&self) -> bool {
        self.scheme == "socks5"
    }
}

/// Without user and password.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

/// The proxies of a driver, by scheme, and the hosts that are asked without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    direct: Vec<Direct>,
}

/// Who is asked without a proxy.
#[derive(Clone, Debug, PartialEq)]
enum Direct {
    All,
    /// A host, and all below it.
    Domain(String),
    Network(IpNet),
}

impl Proxies {
    /// One proxy for all requests.
    pub fn all(proxy: Proxy) -> Self {
        Self { http: Some(proxy.clone()), https: Some(proxy), direct: Vec::new() }
    }

    /// The proxies of an environment: `https_proxy` and `http_proxy`, or else `all_proxy`, and `no_proxy`, in small
    /// letters or in capitals. Capitals do not count for `http_proxy`: in a CGI program, a client could set it.
    ///
    /// # Errors
    /// If one of them is not valid.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let of = |name: &str| value(name).or_else(|| value(&name.to_ascii_uppercase()));
        let parsed = |text: Option<String>| text.map(|text| text.trim().parse()).transpose();
        let direct = of("no_proxy").unwrap_or_default();
        Ok(Self {
            http: parsed(value("http_proxy").or_else(|| of("all_proxy")))?,
            https: parsed(of("https_proxy").or_else(|| of("all_proxy")))?,
            direct: direct
                .split([',', ' '])
                .filter(|name| !name.is_empty())
                .map(direct_of)
                .collect::<Result<_, _>>()?,
        })
    }

    /// The proxy for a URL.
    pub fn of(&self, url: &Url) -> Option<&Proxy> {
        let proxy = if url.scheme() == "https" { self.https.as_ref() } else { self.http.as_ref() };
        let host = url.host()?;
        proxy.filter(|_| !self.direct.iter().any(|direct| direct.has(&host)))
    }

    /// All proxies, each once.
    pub fn iter(&self) -> impl Iterator<Item = &Proxy> {
        let http = self.http.as_ref().filter(|http| self.https.as_ref() != Some(http));
        self.https.iter().chain(http)
    }
}

fn direct_of(name: &str) -> Result<Direct, Error> {
    if name == "*" {
        return Ok(Direct::All);
    }
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok().map(IpNet::from);
    if let Some(network) = address.or_else(|| name.parse().ok()) {
        return Ok(Direct::Network(network));
    }
    match Host::parse(name.trim_start_matches("*.").trim_matches('.')) {
        Ok(Host::Domain(name)) => Ok(Direct::Domain(name)),
        _ => Err(Error::setting("NO_PROXY names hosts, domains, addresses and networks, separated by commas")),
    }
}

impl Direct {
    fn has(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::All, _) => true,
            (Self::Domain(domain), Host::Domain(name)) => {
                let above = name.strip_suffix('.').unwrap_or(name).strip_suffix(domain.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
            (Self::Network(network), Host::Ipv4(address)) => network.contains(&IpAddr::V4(*address)),
            (Self::Network(network), Host::Ipv6(address)) => network.contains(&IpAddr::V6(*address)),
            (Self::Domain(_), _) | (Self::Network(_), Host::Domain(_)) => false,
        }
    }
}
