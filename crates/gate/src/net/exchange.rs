//! One request to one address, and its response.
//!
//! Invariant: it connects to the address that it gets, or to a proxy that was set, and to nothing else. It follows no
//! redirect, and has no cookies and no pool. TLS checks the URL's name, and `Host` is the URL's.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::ext::ReasonPhrase;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Request, Response, Version, header};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use url::{Position, Url};

use crate::moment::Moment;
use crate::net::meter::Metered;
use crate::net::tls::{CertificateError, add_roots, configured};
use crate::net::trouble::{in_words, of_body};
use crate::net::tunnel::{NoWay, Target, Tunnel};
use crate::retrieve::coding::{ACCEPTED, Coding, EXTRA, is_damage};
use crate::retrieve::fetched::{feed, of_decoder};
use crate::retrieve::head::Head;
use crate::retrieve::identity::CrawlerIdentity;
use crate::retrieve::limits::TimeOuts;
use crate::retrieve::machine::{Event, Machine};
use crate::retrieve::own_headers::OwnHeaders;
use crate::retrieve::proxy::{Proxies, Proxy};
use crate::retrieve::validators::Validators;

/// The most bytes of a response's head.
const MAX_HEAD: usize = 65_536;

/// The most header lines of a response. Our choice: 128.
const MAX_LINES: usize = 128;

/// Bytes on the wire in addition to the body's: TLS with a long certificate chain, and the head.
const WIRE_EXTRA: usize = 262_144;

/// Bytes on the wire for each byte of the body's limit: a chunk of one byte takes six.
const WIRE_PER_BYTE: usize = 6;

/// The longest time of one exchange, whatever the limits are. Our choice: a year.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

static MOZILLA: LazyLock<RootCertStore> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    roots
});

/// Makes one request at a time.
#[derive(Clone)]
pub(super) struct Exchange {
    identity: CrawlerIdentity,
    roots: RootCertStore,
    tls: Result<Arc<ClientConfig>, CertificateError>,
    /// Sent with each request.
    pub(super) headers: OwnHeaders,
    pub(super) proxies: Proxies,
}

/// What is requested: a URL, unless it is as the copy is.
pub(super) type What<'w> = (&'w Url, &'w Validators);

/// What an exchange is made within.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) time_outs: TimeOuts,
    /// The end of all.
    pub(super) end: Instant,
    /// Bytes of the decoded body.
    pub(super) max_bytes: usize,
}

impl Bounds {
    pub(super) fn new(time_outs: TimeOuts, left: Duration, max_bytes: usize) -> Self {
        let now = Instant::now();
        Self { time_outs, end: now.checked_add(left.min(LONGEST)).unwrap_or(now), max_bytes }
    }

    /// The end of a step that begins now.
    fn end_of(&self, most: Duration) -> Instant {
        Instant::now().checked_add(most).map_or(self.end, |end| end.min(self.end))
    }
}

impl Exchange {
    pub(super) fn new(identity: CrawlerIdentity) -> Self {
        let roots = MOZILLA.clone();
        let tls = configured(&roots);
        Self { identity, tls, roots, headers: OwnHeaders::default(), proxies: Proxies::default() }
    }

    pub(super) fn add_roots(&mut self, pem: &[u8]) -> Result<(), CertificateError> {
        add_roots(&mut self.roots, pem)?;
        self.tls = configured(&self.roots);
        Ok(())
    }

    /// Requests the URL.
    pub(super) async fn get(&self, way: &Way<'_>, what: What<'_>, bounds: Bounds) -> io::Result<Answer> {
        let (url, _) = what;
        let end = bounds.end_of(bounds.time_outs.connect);
        let most = bounds.max_bytes.saturating_mul(WIRE_PER_BYTE).saturating_add(WIRE_EXTRA);
        let stream = Metered::new(way.connect(end).await?, most);
        if url.scheme() != "https" {
            return self.ask(stream, what, bounds).await;
        }
        let config = self.tls.clone().map_err(io::Error::other)?;
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = in_time(end, TlsConnector::from(config).connect(name, stream)).await?;
        self.ask(stream, what, bounds).await
    }

    async fn ask<T>(&self, stream: T, (url, held): What<'_>, bounds: Bounds) -> io::Result<Answer>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut builder = hyper::client::conn::http1::Builder::new();
        builder.max_buf_size(MAX_HEAD).max_headers(MAX_LINES);
        let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        let task = Task(tokio::spawn(async move { drop(connection.await) }));
        let request = Request::get(&url[Position::BeforePath..Position::AfterQuery])
            .header(header::HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(header::USER_AGENT, self.identity.header())
            .header(header::ACCEPT_ENCODING, ACCEPTED);
        let has_accept = self.headers.has("accept");
        let request = if has_accept { request } else { request.header(header::ACCEPT, "text/plain, */*;q=0.5") };
        let request = self.headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let held = [(header::IF_NONE_MATCH, held.etag()), (header::IF_MODIFIED_SINCE, held.last_modified())];
        let request = held.into_iter().fold(request, |request, (name, value)| match value {
            Some(value) => request.header(name, value),
            None => request,
        });
        let request = request.body(Empty::<Bytes>::new()).map_err(io::Error::other)?;
        let end = bounds.end_of(bounds.time_outs.head);
        let response = in_time(end, async { sender.send_request(request).await.map_err(io::Error::other) }).await?;
        if head_size(&response) > MAX_HEAD {
            return Err(io::Error::other("the response's head is too long"));
        }
        Ok(Answer::new(response, task, bounds))
    }
}

/// How a server is connected to: at its address, or through a proxy at one of these. A proxy is the operator's, so no
/// guard checks it.
pub(super) struct Way<'w> {
    pub(super) addresses: Vec<IpAddr>,
    pub(super) proxy: Option<&'w Proxy>,
    pub(super) target: Target,
}

impl Way<'_> {
    async fn connect(&self, end: Instant) -> io::Result<TcpStream> {
        let Some(proxy) = self.proxy else {
            let Target::Address(to) = self.target else { return Err(io::Error::other("the address is not known")) };
            return in_time(end, TcpStream::connect(to)).await;
        };
        let to: Vec<_> = self.addresses.iter().map(|&to| SocketAddr::new(to, proxy.port)).collect();
        let ours = |why: io::Error| NoWay::Ours(format!("{proxy}: {why}"));
        let through = async {
            let mut tunnel = Tunnel::new(proxy, self.target.clone())?;
            let mut stream = TcpStream::connect(to.as_slice()).await.map_err(ours)?;
            while !tunnel.is_done() {
                stream.write_all(&tunnel.take_to_send()).await.map_err(ours)?;
                let byte = stream.read_u8().await.map_err(|why| match why.kind() {
                    ErrorKind::UnexpectedEof => Tunnel::ended(),
                    _ => ours(why),
                })?;
                tunnel.on(byte)?;
            }
            Ok::<_, NoWay>(stream)
        };
        let stream = timeout_at(end, through).await.unwrap_or_else(|_| Err(ours(ErrorKind::TimedOut.into())))?;
        Ok(stream)
    }
}

async fn in_time<T>(end: Instant, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout_at(end, work).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

/// The bytes of a head. The client's own bound depends on the pieces in which a head comes.
fn head_size(response: &Response<Incoming>) -> usize {
    let own = response.extensions().get::<ReasonPhrase>().map(|reason| reason.as_bytes().len());
    let reason = own.unwrap_or_else(|| response.status().canonical_reason().map_or(0, str::len));
    let lines = response.headers().iter().map(|(name, value)| [name.as_str().len(), value.len(), ": \r\n".len()]);
    let start = ["HTTP/1.1 200 \r\n".len(), reason, "\r\n".len()];
    lines.flatten().chain(start).fold(0, usize::saturating_add)
}

/// The task of a connection. It ends with its response.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A response whose body is being read.
pub(super) struct Answer {
    pub(super) head: Head,
    body: Incoming,
    coding: Coding,
    /// A coded body is decoded when all of it is there, or when no more comes.
    coded: Vec<u8>,
    /// The most coded bytes.
    max_coded: usize,
    bounds: Bounds,
    /// The end of the body's time.
    end: Instant,
    _task: Task,
}

impl Answer {
    fn new(response: Response<Incoming>, task: Task, bounds: Bounds) -> Self {
        let (parts, body) = response.into_parts();
        let head = Head::new(parts.status.as_u16()).headers(&parts.headers);
        let values = |name: HeaderName| parts.headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
        let (content, transfer) = (values(header::CONTENT_ENCODING), values(header::TRANSFER_ENCODING));
        let coding = Coding::of(content, transfer, parts.version == Version::HTTP_10);
        let (max_coded, end) = (bounds.max_bytes.saturating_add(EXTRA), bounds.end_of(bounds.time_outs.body));
        Self { head, body, coding, coded: Vec::new(), max_coded, bounds, end, _task: task }
    }

    /// Reads some of the body, and gives it to the machine.
    pub(super) async fn read(&mut self, machine: &mut Machine, now: impl Fn() -> Moment) {
        // What is here came before this wait.
        let before = now();
        let came = match &self.coding {
            Coding::Unknown(why) => Err(io::Error::new(ErrorKind::InvalidData, why.clone())),
            _ => self.frame().await,
        };
        match came {
            Ok(Some(bytes)) if self.coding == Coding::Plain => machine.on(Event::Chunk(&bytes), now()),
            Ok(Some(bytes)) => self.coded.extend_from_slice(&bytes),
            Ok(None) => match self.decode(machine, now()) {
                Ok(()) => machine.on(Event::End, now()),
                Err(error) => machine.on(of_decoder(&error, &error.to_string()), now()),
            },
            Err(error) => match self.decode(machine, before) {
                Err(damage) if is_damage(&damage) => machine.on(of_decoder(&damage, &damage.to_string()), now()),
                _ => machine.on(of_body(&error, &in_words(&error)), now()),
            },
        }
    }

    /// The next bytes as they came; `None` at the end.
    async fn frame(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let end = self.bounds.end_of(self.bounds.time_outs.silence).min(self.end);
            let frame = timeout_at(end, self.body.frame()).await.map_err(|_| io::Error::from(ErrorKind::TimedOut))?;
            let Some(frame) = frame else { return Ok(None) };
            let Ok(bytes) = frame.map_err(io::Error::other)?.into_data() else { continue };
            if self.coding != Coding::Plain && self.coded.len().saturating_add(bytes.len()) > self.max_coded {
                return Err(io::Error::other("the coded body is too long"));
            }
            return Ok(Some(bytes));
        }
    }

    /// Gives the machine what is coded so far.
    fn decode(&self, machine: &mut Machine, now: Moment) -> io::Result<()> {
        match self.coding {
            Coding::Plain => Ok(()),
            _ => feed(machine, self.coding.clone(), &self.coded, now),
        }
    }
}
