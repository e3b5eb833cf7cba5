//! The client: it carries out one request with names, sockets and TLS.
//!
//! Invariant: it connects to an address that the guard admits, or to the proxy, and to nothing else: nothing below it
//! can look a name up. It follows no redirect, undoes no coding, keeps no connection and no cookie, and ends in its
//! time and in its bytes. It decides nothing about a site. A certificate that can't be read is an error when it is set.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Empty;
use hyper::Response;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use hyper_util::rt::TokioIo;
use robosieve_printable::escape;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, join};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use url::{Position, Url};

use crate::ask::Fetch;
use crate::error::Error;
use crate::net::addresses::{self, To};
use crate::net::answer::{MAX_HEAD, MAX_LINES, read, within};
use crate::net::meter::Metered;
use crate::net::names::Names;
use crate::net::places::Places;
use crate::net::rounds::rounds;
use crate::net::trouble::{NoWay, Whose, in_words, whose};
use crate::net::{headers, tunnel};
use crate::retrieve::{CrawlerIdentity, Fetched, Proxies, Proxy, Request};

/// Bytes on the wire in addition to the body's: TLS with a long certificate chain, and the head.
const WIRE_EXTRA: usize = 262_144;

/// Bytes on the wire for each byte of the body's limit: a chunk of one byte takes six.
const WIRE_PER_BYTE: usize = 6;

/// The longest time of one request, also if the limits allow more. Our choice: a year.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Makes requests for robots.txt over the network, in async code over tokio. Limits and guard are those of each
/// request.
///
/// It uses no proxy unless one is set, no cookies and no connection pool. It accepts gzip. One client serves any number
/// of threads and tasks; clones share one TLS configuration.
#[derive(Clone, Debug)]
#[must_use]
pub struct Client {
    headers: HeaderMap,
    names: Arc<Names>,
    places: Arc<Places>,
    proxies: Arc<Proxies>,
    roots: RootCertStore,
    tls: Result<Arc<ClientConfig>, Error>,
}

impl Client {
    /// Creates a client with this identity: no proxy, Mozilla's root certificates.
    pub fn new(identity: &CrawlerIdentity) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
        Self {
            headers: headers::of(identity),
            names: Arc::default(),
            places: Arc::default(),
            proxies: Arc::default(),
            tls: configured(&roots),
            roots,
        }
    }

    /// Adds a header to each request, written as `Name: value`, in the place of the client's own of that name.
    ///
    /// # Errors
    /// If it can't be sent, or would change what an answer means; if it is there already; or if there are too many.
    pub fn header(mut self, line: &str) -> Result<Self, Error> {
        headers::add(&mut self.headers, line)?;
        Ok(self)
    }

    /// Uses these addresses for names, instead of looking them up.
    pub fn names(self, names: Names) -> Self {
        Self { names: Arc::new(names), ..self }
    }

    /// Goes through proxies.
    pub fn proxies(self, proxies: Proxies) -> Self {
        Self { proxies: Arc::new(proxies), ..self }
    }

    /// Adds root certificates in PEM to Mozilla's: a company's own, or a test's.
    ///
    /// # Errors
    /// If the PEM has no certificate, or one that can't be read.
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self, Error> {
        let before = self.roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            self.roots.add(certificate.map_err(unreadable)?).map_err(unreadable)?;
        }
        if self.roots.len() == before {
            let none = "no certificate found; certificates must be PEM, with -----BEGIN CERTIFICATE-----";
            return Err(Error::setting(none));
        }
        self.tls = configured(&self.roots);
        Ok(self)
    }

    /// The head of the response, and the connection that its body comes from.
    async fn respond(
        &self,
        request: &Request,
        proxy: Option<&Proxy>,
        to: To,
        end: Instant,
    ) -> io::Result<(Response<Incoming>, Task)> {
        let url = &request.url;
        let connect = within(end, request.limits.connect);
        let stream = self.connect(url, proxy, to, connect).await?;
        // Otherwise TLS waits 40 ms for an acknowledgement between its flights.
        stream.set_nodelay(true)?;
        let most = request.limits.max_bytes.saturating_mul(WIRE_PER_BYTE).saturating_add(WIRE_EXTRA);
        let (reader, writer) = stream.into_split();
        let stream = join(Metered::new(reader, most), writer);
        let (mut sender, connection) = if url.scheme() == "https" {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
            let tls = TlsConnector::from(self.tls.clone().map_err(io::Error::other)?);
            begin(in_time(connect, tls.connect(name, stream)).await?).await?
        } else {
            begin(stream).await?
        };
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let mut get = hyper::Request::get(target).body(Empty::<Bytes>::new()).map_err(io::Error::other)?;
        *get.headers_mut() = self.headers_of(request)?;
        let head = within(end, request.limits.head);
        let response = in_time(head, async { sender.send_request(get).await.map_err(io::Error::other) }).await?;
        Ok((response, connection))
    }

    async fn connect(&self, url: &Url, proxy: Option<&Proxy>, to: To, end: Instant) -> io::Result<TcpStream> {
        let Some(proxy) = proxy else {
            let To::Address(address) = to else { return Err(io::Error::other("an address that is not known")) };
            return in_time(end, TcpStream::connect(address)).await;
        };
        let ours = |why: &dyn ToString| NoWay(Whose::Ours, format!("{proxy}: {}", why.to_string()));
        let through = async {
            let addresses = addresses::of_proxy(proxy, &self.names, end).await.map_err(|why| ours(&why))?;
            let mut stream = TcpStream::connect(addresses.as_slice()).await.map_err(|why| ours(&why))?;
            tunnel::open(&mut stream, proxy, url, to).await?;
            Ok(stream)
        };
        timeout_at(end, through).await.unwrap_or_else(|_| Err(ours(&"timed out").into()))
    }

    fn headers_of(&self, request: &Request) -> io::Result<HeaderMap> {
        let host = &request.url[Position::BeforeHost..Position::AfterPort];
        let held = request.held.lines().filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
        let mut headers = self.headers.clone();
        headers.insert(HOST, host.parse().map_err(io::Error::other)?);
        headers.extend(held.collect::<Vec<(HeaderName, HeaderValue)>>());
        Ok(headers)
    }

    /// Makes a request to one of the places where it may go: what comes of it, and whose trouble it is if nothing does.
    async fn ask(&self, request: &Request, proxy: Option<&Proxy>, to: To, end: Instant) -> (Fetched, Whose) {
        // Of what a proxy asks, the address is not known.
        let _place = match (to, proxy) {
            (To::Address(address), None) => match self.places.take(address.ip(), &request.url, end).await {
                Some(place) => Some(place),
                None => return (Fetched::not_asked("too many requests to this address are under way"), Whose::Ours),
            },
            _ => None,
        };
        let (came, whose) = match self.respond(request, proxy, to, end).await {
            Ok((response, _connection)) => {
                let came = read(response, &request.limits, end).await;
                let whose = if came.was_asked() { Whose::Site } else { Whose::Ours };
                (came, whose)
            }
            Err(error) => match whose(&error) {
                Whose::Site => (Fetched::failed(in_words(&error)), Whose::Site),
                other => (Fetched::not_asked(in_words(&error)), other),
            },
        };
        match to {
            To::Address(address) => (came.from_address(address.ip()), whose),
            To::ByProxy => (came, whose),
        }
    }
}

impl Fetch for Client {
    /// To each address of the host until one answers with a status below 500, in rounds.
    async fn fetch(&self, request: Request) -> Fetched {
        let (request, start) = (&request, Instant::now());
        let end = start.checked_add(request.time.min(LONGEST)).unwrap_or(start);
        let (url, limits) = (&request.url, &request.limits);
        // Before any look-up: a host that is asked without a proxy is looked up here.
        let proxy = self.proxies.of(url);
        let known = (&*self.names, &request.guard, limits.max_addresses);
        match addresses::of(url, proxy, known, within(end, limits.resolve)).await {
            Ok(places) => {
                // A site whose redirects use up the time is not reached. Before the first request the time is ours.
                let why = "the time for the whole retrieval is over";
                let unasked = if request.hop > 0 { Fetched::failed(why) } else { Fetched::not_asked(why) };
                rounds(&places, limits, end, unasked, |to| self.ask(request, proxy, to, end)).await
            }
            Err(none) => Fetched::of(Err(none)),
        }
    }
}

/// The task of a connection. It ends with its response: a set of tasks that is dropped ends them.
type Task = JoinSet<()>;

async fn begin<T>(stream: T) -> io::Result<(SendRequest<Empty<Bytes>>, Task)>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new();
    builder.max_buf_size(MAX_HEAD).max_headers(MAX_LINES);
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let mut task = Task::new();
    task.spawn(async move { drop(connection.await) });
    Ok((sender, task))
}

async fn in_time<T>(end: Instant, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout_at(end, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn unreadable(why: impl ToString) -> Error {
    Error::Setting(format!("a certificate can't be read: {}", escape(why.to_string().as_bytes())))
}

/// The configuration for all hosts.
fn configured(roots: &RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(unreadable)?.with_root_certificates(roots.clone());
    Ok(Arc::new(builder.with_no_client_auth()))
}
