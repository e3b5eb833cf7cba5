//! One request to one address.
//!
//! Invariant: the client gets exactly one address, from the machine. It has no proxy, redirect, cookie or pooled
//! connection that could lead to another. TLS checks the URL's name, and `Host` is the URL's.

use std::fmt;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use robosieve::printable::escape;
use rustls::crypto::CryptoProvider;
use ureq::config::Config;
use ureq::http::{HeaderName, HeaderValue, Uri, Version, header};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectionDetails, Connector, NextTimeout, RustlsConnector, TcpConnector, Transport,
};
use ureq::{Agent, Error};
use url::Url;

use super::ends::Ends;
use super::meter::Meter;
use super::time_outs::TimeOuts;
use super::trouble::Trouble;
use crate::net::identity::CrawlerIdentity;
use crate::retrieve::coding::{ACCEPTED, Coding};
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::validators::Validators;

/// The most bytes of a response's head.
const MAX_HEAD: usize = 65_536;

/// Bytes on the wire in addition to the body's: TLS with a long certificate chain, and the head.
const WIRE_EXTRA: usize = 262_144;

/// Bytes on the wire for each byte of the body's limit: a chunk of one byte takes six.
const WIRE_PER_BYTE: usize = 6;

/// The longest time of one exchange, whatever the limits are. Our choice: a year. The client adds its times to the
/// system's clock and panics if that overflows.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Why root certificates were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootError {
    /// The PEM has no certificate.
    None,
    /// A certificate can't be read: the reason.
    Unreadable(String),
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => {
                f.write_str("no certificate found; certificates must be PEM, with -----BEGIN CERTIFICATE-----")
            }
            Self::Unreadable(why) => write!(f, "a certificate can't be read: {}", escape(why.as_bytes())),
        }
    }
}

impl std::error::Error for RootError {}

/// Makes one request at a time.
#[derive(Clone)]
pub(super) struct Exchange {
    identity: CrawlerIdentity,
    roots: Arc<Vec<Certificate<'static>>>,
    tls: SharedTls,
}

static MOZILLA: LazyLock<Arc<Vec<Certificate<'static>>>> = LazyLock::new(|| {
    let all = webpki_root_certs::TLS_SERVER_ROOT_CERTS;
    Arc::new(all.iter().map(|certificate| Certificate::from_der(certificate)).collect())
});

static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(rustls::crypto::ring::default_provider()));

impl Exchange {
    pub(super) fn new(identity: CrawlerIdentity) -> Self {
        Self { identity, roots: Arc::clone(&MOZILLA), tls: SharedTls::default() }
    }

    pub(super) fn add_roots(&mut self, pem: &[u8]) -> Result<(), RootError> {
        let mut roots = self.roots.to_vec();
        let before = roots.len();
        for item in parse_pem(pem) {
            if let PemItem::Certificate(certificate) = item.map_err(|why| RootError::Unreadable(why.to_string()))? {
                let mut check = rustls::RootCertStore::empty();
                let der = rustls::pki_types::CertificateDer::from(certificate.der());
                check.add(der).map_err(|why| RootError::Unreadable(why.to_string()))?;
                roots.push(certificate);
            }
        }
        if roots.len() == before {
            return Err(RootError::None);
        }
        self.roots = Arc::new(roots);
        // The old configuration has the old roots.
        self.tls = SharedTls::default();
        Ok(())
    }

    /// Requests the URL from the address. The caller reads the body within the same time.
    pub(super) fn get(
        &self,
        address: SocketAddr,
        (url, copy): (&Url, &Validators),
        within: Duration,
        time_outs: &TimeOuts,
        limits: &RetrievalLimits,
    ) -> Result<(Head, Box<dyn Read>), Trouble> {
        let most = limits.max_bytes.saturating_mul(WIRE_PER_BYTE).saturating_add(WIRE_EXTRA);
        let connector = TcpConnector::default().chain(Meter { most }).chain(self.tls.clone()).chain(Ends);
        let agent = Agent::with_parts(self.config(within, time_outs), connector, Pinned(address));
        let request = agent.get(url.as_str());
        let request = copy.etag().into_iter().fold(request, |request, tag| request.header(header::IF_NONE_MATCH, tag));
        let since = copy.last_modified().into_iter();
        let request = since.fold(request, |request, date| request.header(header::IF_MODIFIED_SINCE, date));
        let response = request.call().map_err(|error| Trouble::of_request(&error))?;
        let (parts, raw) = response.into_parts();
        let headers = &parts.headers;
        let head = headers
            .iter()
            .fold(Head::new(parts.status.as_u16()), |head, (name, value)| head.header(name.as_str(), value.as_bytes()));
        let values = |name: HeaderName| headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
        let (content, transfer) = (values(header::CONTENT_ENCODING), values(header::TRANSFER_ENCODING));
        let coding = Coding::of(content, transfer, parts.version == Version::HTTP_10);
        Ok((head, coding.decoded(raw.into_reader(), limits.max_bytes)))
    }

    fn config(&self, within: Duration, time_outs: &TimeOuts) -> Config {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::clone(&PROVIDER))
            .root_certs(RootCerts::Specific(Arc::clone(&self.roots)))
            .build();
        let time = |time: Duration| Some(time.min(LONGEST));
        Config::builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(MAX_HEAD)
            .user_agent(self.identity.header())
            .accept("text/plain, */*;q=0.5")
            .accept_encoding(ACCEPTED)
            .tls_config(tls)
            .timeout_global(time(within))
            .timeout_connect(time(time_outs.connect))
            .timeout_recv_response(time(time_outs.head))
            .timeout_recv_body(time(time_outs.body))
            .timeout_per_read(time(time_outs.silence))
            .timeout_per_write(time(time_outs.silence))
            .build()
    }
}

/// A resolver that always returns one address.
#[derive(Debug)]
struct Pinned(SocketAddr);

impl Resolver for Pinned {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        addresses.push(self.0);
        Ok(addresses)
    }
}

/// One TLS configuration for all requests of a driver, so the root certificates are loaded only once.
#[derive(Clone, Debug, Default)]
struct SharedTls(Arc<RustlsConnector>);

impl<In: Transport> Connector<In> for SharedTls {
    type Out = <RustlsConnector as Connector<In>>::Out;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        self.0.connect(details, chained)
    }
}
