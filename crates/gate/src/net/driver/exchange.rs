//! One request to one address.
//!
//! Invariant: the client gets exactly one address, from the machine, or a proxy that was set and what it is to connect
//! to. It has no redirect, cookie or pooled connection that could lead to another. TLS checks the URL's name, and
//! `Host` is the URL's.

use std::collections::HashMap;
use std::io::Read;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use ureq::config::Config;
use ureq::http::{HeaderName, HeaderValue, Uri, Version, header};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectionDetails, Connector, NextTimeout, RustlsConnector, TcpConnector, Transport,
};
use ureq::{Agent, Error};
use url::Url;

use super::ends::Ends;
use super::meter::Meter;
use super::through::Through;
use super::time_outs::TimeOuts;
use super::trouble::Trouble;
use crate::net::identity::CrawlerIdentity;
use crate::net::tls::{self, CertificateError};
use crate::net::tunnel::Target;
use crate::origin::Origin;
use crate::retrieve::coding::{ACCEPTED, Coding};
use crate::retrieve::connections::{Connections, HostConnection};
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::proxy::Proxy;
use crate::retrieve::validators::Validators;

/// The most bytes of a response's head.
const MAX_HEAD: usize = 65_536;

/// Bytes on the wire in addition to the body's: TLS with a long certificate chain, and the head.
const WIRE_EXTRA: usize = 262_144;

/// Bytes on the wire for each byte of the body's limit: a chunk of one byte takes six.
const WIRE_PER_BYTE: usize = 6;

/// So many addresses of a proxy are tried; the client has room for no more.
const MOST_ADDRESSES: usize = 16;

/// The longest time of one exchange, whatever the limits are. Our choice: a year. The client adds its times to the
/// system's clock and panics if that overflows.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Makes one request at a time.
#[derive(Clone)]
pub(super) struct Exchange {
    identity: CrawlerIdentity,
    roots: Arc<Vec<Certificate<'static>>>,
    tls: SharedTls,
    connections: Arc<Connections>,
    /// The configurations of the hosts that have one of their own, by name.
    hosts: Arc<HashMap<String, SharedTls>>,
}

static MOZILLA: LazyLock<Arc<Vec<Certificate<'static>>>> = LazyLock::new(|| {
    let all = webpki_root_certs::TLS_SERVER_ROOT_CERTS;
    Arc::new(all.iter().map(|certificate| Certificate::from_der(certificate)).collect())
});

static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| Arc::new(rustls::crypto::ring::default_provider()));

impl Exchange {
    pub(super) fn new(identity: CrawlerIdentity) -> Self {
        let (connections, hosts) = (Arc::default(), Arc::default());
        Self { identity, roots: Arc::clone(&MOZILLA), tls: SharedTls::default(), connections, hosts }
    }

    pub(super) fn add_roots(&mut self, pem: &[u8]) -> Result<(), CertificateError> {
        tls::add_roots(&mut RootCertStore::empty(), pem)?;
        let added = tls::certificates(pem)?;
        let added = added.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        self.roots = Arc::new(self.roots.iter().cloned().chain(added).collect());
        // The old configurations have the old roots.
        self.tls = SharedTls::default();
        self.hosts = Arc::new(self.hosts.keys().map(|name| (name.clone(), SharedTls::default())).collect());
        Ok(())
    }

    pub(super) fn connect_as(&mut self, connections: Connections) -> Result<(), CertificateError> {
        let mut hosts = HashMap::new();
        for (name, own) in connections.hosts() {
            // What the client can't read, it takes for a mistake of ours, and panics.
            if own.certificate.is_some() {
                tls::configured(&RootCertStore::empty(), Some(own))?;
                certificate_of(own)?;
            }
            if own.has_tls() {
                hosts.insert(name.to_owned(), SharedTls::default());
            }
        }
        (self.connections, self.hosts) = (Arc::new(connections), Arc::new(hosts));
        Ok(())
    }

    pub(super) fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Requests the URL. The caller reads the body within the same time.
    pub(super) fn get(
        &self,
        to: &Way,
        (url, origin, copy): (&Url, &Origin, &Validators),
        within: Duration,
        time_outs: &TimeOuts,
        limits: &RetrievalLimits,
    ) -> Result<(Head, Box<dyn Read>), Trouble> {
        let most = limits.max_bytes.saturating_mul(WIRE_PER_BYTE).saturating_add(WIRE_EXTRA);
        let own = self.connections.of(url);
        let tls = own.and_then(|(name, _)| self.hosts.get(name)).unwrap_or(&self.tls);
        let through = Through::new(to.proxy.as_ref().map(|proxy| (proxy.clone(), to.target.clone())));
        let came_through = through.outcome();
        let connector = TcpConnector::default().chain(through).chain(Meter { most }).chain(tls.clone()).chain(Ends);
        let config = self.config(own.map(|(_, own)| own), within, time_outs);
        let agent = Agent::with_parts(config, connector, Pinned(to.addresses.clone()));
        let headers = self.connections.headers_for(url, origin);
        let request =
            headers.into_iter().fold(agent.get(url.as_str()), |request, (name, value)| request.header(name, value));
        let request = copy.etag().into_iter().fold(request, |request, tag| request.header(header::IF_NONE_MATCH, tag));
        let since = copy.last_modified().into_iter();
        let request = since.fold(request, |request, date| request.header(header::IF_MODIFIED_SINCE, date));
        let response = request.call().map_err(|error| came_through.trouble(&Trouble::of_request, &error))?;
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

    fn config(&self, own: Option<&HostConnection>, within: Duration, time_outs: &TimeOuts) -> Config {
        let tls = TlsConfig::builder()
            .disable_verification(own.is_some_and(|own| own.insecure))
            .client_cert(own.and_then(|own| certificate_of(own).ok().flatten()))
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

/// The crawler's certificate for a host, as the client takes it.
fn certificate_of(own: &HostConnection) -> Result<Option<ClientCert>, CertificateError> {
    let Some(certificate) = &own.certificate else { return Ok(None) };
    let (chain, _) = tls::own(certificate)?;
    let chain: Vec<_> = chain.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    let key = PrivateKey::from_pem(&certificate.key).map_err(|why| CertificateError::Unreadable(why.to_string()))?;
    Ok(Some(ClientCert::new_with_certs(&chain, key)))
}

/// How a server is connected to: at its address, or through a proxy, whose addresses are connected to then.
pub(super) struct Way {
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) proxy: Option<Proxy>,
    pub(super) target: Target,
}

/// A resolver that always returns the same addresses.
#[derive(Debug)]
struct Pinned(Vec<SocketAddr>);

impl Resolver for Pinned {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        self.0.iter().take(MOST_ADDRESSES).for_each(|address| addresses.push(*address));
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
