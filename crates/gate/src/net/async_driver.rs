//! The async driver: carries out the machine's steps with tokio, rustls and hyper.
//!
//! Invariant: it connects to the address that the machine gives, and to no other. It reports every failure to the
//! machine and returns no error itself. It follows no redirect itself: the machine does, and checks each address.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, ErrorKind, Read as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Request, Response, Version, header};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Position, Url};

use crate::net::cached_names::CachedNames;
use crate::net::identity::CrawlerIdentity;
use crate::net::lacking::lacks_something;
use crate::net::names::{LookUpError, Resolver, SystemResolver};
use crate::net::tls::{CertificateError, add_roots, configured};
use crate::net::tunnel::{NoWay, Target, Tunnel};
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::coding::{ACCEPTED, BITE, Coding, EXTRA, Members, is_damage};
use crate::retrieve::connections::Connections;
use crate::retrieve::fetch_with::turn_of;
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::retriever::AsyncRetriever;
use crate::retrieve::turns::{AtOnce, Turn, Turns};
use crate::retrieve::validators::Validators;
use crate::run_clock::RunClock;

/// The most bytes of a response's head.
const MAX_HEAD: usize = 65_536;

/// The most header lines of a response. The other driver's client takes as many, and can't be told otherwise.
const MAX_LINES: usize = 128;

/// Size of the buffer for decoded bytes.
const BUFFER: usize = 16_384;

/// Retrieves robots.txt files over the network, in async code over tokio.
///
/// It uses no proxy unless one is set ([`Connections::proxies`]), no cookies and no connection pool. It accepts gzip.
/// Clones share one TLS configuration.
#[derive(Clone)]
pub struct AsyncDriver {
    identity: CrawlerIdentity,
    limits: RetrievalLimits,
    guard: AddressGuard,
    patience: Duration,
    resolver: Arc<dyn Resolver>,
    roots: RootCertStore,
    tls: Result<Arc<ClientConfig>, CertificateError>,
    connections: Arc<Connections>,
    /// The configurations of the hosts that have one of their own, by name.
    hosts: Arc<HashMap<String, Arc<ClientConfig>>>,
    clock: RunClock,
}

impl fmt::Debug for AsyncDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncDriver")
            .field("limits", &self.limits)
            .field("guard", &self.guard)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

impl AsyncDriver {
    /// Creates a driver with this identity. Defaults: global addresses only, default limits, the system's resolver,
    /// Mozilla's root certificates, ten seconds for each step.
    #[must_use]
    pub fn new(identity: CrawlerIdentity) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
        Self {
            identity,
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            patience: Duration::from_secs(10),
            resolver: Arc::new(CachedNames::new(SystemResolver::default())),
            tls: configured(&roots, None),
            connections: Arc::default(),
            hosts: Arc::default(),
            roots,
            clock: RunClock::default(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub const fn limits(mut self, limits: RetrievalLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the guard that decides which addresses are allowed.
    #[must_use]
    pub fn guard(mut self, guard: AddressGuard) -> Self {
        self.guard = guard;
        self
    }

    /// Sets the time for one look-up, one connection with TLS, one head, and one silence of a body.
    #[must_use]
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the resolver, instead of the system's with [`CachedNames`]. It may block: it is asked in tokio's threads
    /// for blocking work, if it does not know the name. The guard checks its addresses like any others.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Adds root certificates in PEM to Mozilla's.
    ///
    /// # Errors
    /// If the PEM has no certificate, or one that can't be read.
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self, CertificateError> {
        add_roots(&mut self.roots, pem)?;
        self.tls = configured(&self.roots, None);
        self.hosts = hosts_of(&self.connections, &self.roots)?;
        Ok(self)
    }

    /// Sets headers of your own, and what is different for single hosts.
    ///
    /// # Errors
    /// If a certificate or its key can't be read.
    pub fn connections(mut self, connections: Connections) -> Result<Self, CertificateError> {
        self.hosts = hosts_of(&connections, &self.roots)?;
        self.connections = Arc::new(connections);
        Ok(self)
    }

    async fn resolve(&self, machine: &mut Machine, host: String, port: u16, patience: Duration) {
        if machine.url().is_some_and(|url| self.connections.looks_up(url).is_some()) {
            return machine.on(Event::ByClient, self.clock.now());
        }
        let found = if let Some(addresses) = self.resolver.known(&host, port) {
            Ok(addresses)
        } else {
            let resolver = Arc::clone(&self.resolver);
            let work = tokio::task::spawn_blocking(move || resolver.resolve(&host, port, patience));
            work.await.unwrap_or_else(|error| Err(LookUpError::NotAsked(format!("its thread ended: {error}"))))
        };
        let now = self.clock.now();
        match found {
            Ok(addresses) => machine.on(Event::Resolved(&addresses), now),
            Err(LookUpError::NoSuchName(why)) => machine.on(Event::NotResolved(&why), now),
            Err(LookUpError::NotAsked(why)) => machine.on(Event::NotAsked(&why), now),
        }
    }

    /// Requests the URL from the address.
    async fn get(&self, address: SocketAddr, (url, origin, held): What<'_>, time: Duration) -> io::Result<Answer> {
        let stream = self.connect(address, url, time).await?;
        if url.scheme() != "https" {
            return self.ask(TokioIo::new(stream), (url, origin, held), time).await;
        }
        let own = self.connections.of(url).and_then(|(name, _)| self.hosts.get(name));
        let config = own.map_or_else(|| self.tls.clone().map_err(io::Error::other), |own| Ok(Arc::clone(own)))?;
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = in_time(time, TlsConnector::from(config).connect(name, stream)).await?;
        self.ask(TokioIo::new(stream), (url, origin, held), time).await
    }

    /// Connects to the address, or through a proxy. That is the operator's, so no guard checks it.
    async fn connect(&self, address: SocketAddr, url: &Url, time: Duration) -> io::Result<TcpStream> {
        let Some(proxy) = self.connections.proxy(url) else { return in_time(time, TcpStream::connect(address)).await };
        let ours = |why: io::Error| NoWay::Ours(format!("{proxy}: {why}"));
        let through = async {
            let mut tunnel = Tunnel::new(proxy, Target::of(address, url))?;
            let host = proxy.host.to_string();
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let mut stream = TcpStream::connect((host, proxy.port)).await.map_err(ours)?;
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
        let stream = timeout(time, through).await.unwrap_or_else(|_| Err(ours(ErrorKind::TimedOut.into())))?;
        Ok(stream)
    }

    async fn ask<T>(&self, stream: T, (url, origin, held): What<'_>, time: Duration) -> io::Result<Answer>
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let mut builder = hyper::client::conn::http1::Builder::new();
        builder.max_buf_size(MAX_HEAD).max_headers(MAX_LINES);
        let (mut sender, connection) = builder.handshake(stream).await.map_err(io::Error::other)?;
        let task = Task(tokio::spawn(async move { drop(connection.await) }));
        let request = Request::get(&url[Position::BeforePath..Position::AfterQuery])
            .header(header::HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(header::USER_AGENT, self.identity.header())
            .header(header::ACCEPT_ENCODING, ACCEPTED)
            .header(header::CONNECTION, "close");
        let own = self.connections.headers_for(url, origin);
        let has_accept = own.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept"));
        let request = if has_accept { request } else { request.header(header::ACCEPT, "text/plain, */*;q=0.5") };
        let request = own.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let held = [(header::IF_NONE_MATCH, held.etag()), (header::IF_MODIFIED_SINCE, held.last_modified())];
        let request = held.into_iter().fold(request, |request, (name, value)| match value {
            Some(value) => request.header(name, value),
            None => request,
        });
        let request = request.body(Empty::<Bytes>::new()).map_err(io::Error::other)?;
        let response = in_time(time, async { sender.send_request(request).await.map_err(io::Error::other) }).await?;
        Ok(Answer::new(response, task, self.limits.max_bytes))
    }
}

async fn in_time<T>(time: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(time, work).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

/// What is requested: a URL, as part of the retrieval of an origin's robots.txt, unless it is as the copy is.
type What<'w> = (&'w Url, &'w Origin, &'w Validators);

/// The configurations of the hosts that have one of their own.
fn hosts_of(
    connections: &Connections,
    roots: &RootCertStore,
) -> Result<Arc<HashMap<String, Arc<ClientConfig>>>, CertificateError> {
    let own = connections.hosts().filter(|(_, own)| own.has_tls());
    let hosts = own.map(|(name, own)| Ok((name.to_owned(), configured(roots, Some(own))?)));
    Ok(Arc::new(hosts.collect::<Result<_, _>>()?))
}

/// Why a proxy let nothing through, if that is the error.
fn no_way(error: &io::Error) -> Option<&NoWay> {
    error.get_ref()?.downcast_ref()
}

fn failure<'e>(error: &io::Error, why: &'e str) -> Event<'e> {
    match error.kind() {
        _ if lacks_something(error) => Event::NotAsked(why),
        _ if matches!(no_way(error), Some(NoWay::Ours(_))) => Event::NotAsked(why),
        ErrorKind::NetworkUnreachable
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::PermissionDenied => Event::NoRoute(why),
        _ => Event::Failed(why),
    }
}

/// The task of a connection. It ends with its response.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A response whose body is being read.
struct Answer {
    head: Head,
    body: Incoming,
    decoder: Decoder,
    /// Coded bytes that may still come.
    left: usize,
    _task: Task,
}

/// How a body is decoded.
enum Decoder {
    Plain,
    Gzip(Box<Members>),
    /// It is decoded when all of it is there: the end of its writer does not notice a missing end.
    Deflate(Vec<u8>),
    Unknown(String),
}

impl Answer {
    fn new(response: Response<Incoming>, task: Task, max: usize) -> Self {
        let (parts, body) = response.into_parts();
        let fields = parts.headers.iter();
        let head = fields
            .fold(Head::new(parts.status.as_u16()), |head, (name, value)| head.header(name.as_str(), value.as_bytes()));
        let values = |name: HeaderName| parts.headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
        let (content, transfer) = (values(header::CONTENT_ENCODING), values(header::TRANSFER_ENCODING));
        let decoder = match Coding::of(content, transfer, parts.version == Version::HTTP_10) {
            Coding::Plain => Decoder::Plain,
            Coding::Gzip => Decoder::Gzip(Box::new(Members::new())),
            Coding::Deflate => Decoder::Deflate(Vec::new()),
            Coding::Unknown(why) => Decoder::Unknown(why),
        };
        Self { head, body, decoder, left: max.saturating_add(EXTRA), _task: task }
    }

    /// Reads some of the body, and gives it to the machine.
    async fn read(&mut self, machine: &mut Machine, clock: &RunClock, patience: Duration) -> io::Result<()> {
        if let Decoder::Unknown(why) = &self.decoder {
            return Err(io::Error::new(ErrorKind::InvalidData, why.clone()));
        }
        let frame = timeout(patience, self.body.frame()).await.map_err(|_| io::Error::from(ErrorKind::TimedOut))?;
        let Some(frame) = frame else {
            match &mut self.decoder {
                Decoder::Gzip(decoder) => {
                    decoder.finish()?;
                    feed(machine, decoder.decoded(), clock);
                }
                Decoder::Deflate(coded) => inflate(machine, coded, clock)?,
                Decoder::Plain | Decoder::Unknown(_) => {}
            }
            machine.on(Event::End, clock.now());
            return Ok(());
        };
        let Ok(bytes) = frame.map_err(io::Error::other)?.into_data() else { return Ok(()) };
        if !matches!(self.decoder, Decoder::Plain) {
            let left = self.left.checked_sub(bytes.len());
            self.left = left.ok_or_else(|| io::Error::other("the coded body is too long"))?;
        }
        match &mut self.decoder {
            Decoder::Gzip(decoder) => {
                for bite in bytes.chunks(BITE) {
                    decoder.push(bite)?;
                    feed(machine, decoder.decoded(), clock);
                    if machine.step() != Step::Read {
                        break;
                    }
                }
            }
            Decoder::Deflate(coded) => coded.extend_from_slice(&bytes),
            Decoder::Plain | Decoder::Unknown(_) => machine.on(Event::Chunk(&bytes), clock.now()),
        }
        Ok(())
    }
}

/// Decodes a whole body.
fn inflate(machine: &mut Machine, coded: &[u8], clock: &RunClock) -> io::Result<()> {
    let mut decoded = Coding::Deflate.decoded(coded, machine.limits().max_bytes);
    let mut buffer = vec![0; BUFFER];
    while machine.step() == Step::Read {
        match decoded.read(&mut buffer)? {
            0 => break,
            count => machine.on(Event::Chunk(buffer.get(..count).unwrap_or_default()), clock.now()),
        }
    }
    Ok(())
}

/// Gives decoded bytes to the machine.
fn feed(machine: &mut Machine, decoded: &mut Vec<u8>, clock: &RunClock) {
    if !decoded.is_empty() {
        machine.on(Event::Chunk(decoded), clock.now());
        decoded.clear();
    }
}

impl AsyncDriver {
    /// Waits for the turn of the next request. Whether it has one.
    async fn take_turn(&self, machine: &mut Machine, turns: &Arc<dyn Turns + Send + Sync>) -> bool {
        loop {
            let now = self.clock.now();
            let Some(request) = machine.request(now) else { return false };
            let turn = turn_of(turns, &request, now).await;
            machine.on(Event::Turn(turn), now);
            match turn {
                Turn::Now => return true,
                // It waited too long.
                _ if machine.request(now).is_none() => return false,
                Turn::Again(wait) => tokio::time::sleep(wait).await,
                Turn::NotBefore(_) => {}
            }
        }
    }
}

impl AsyncRetriever for AsyncDriver {
    async fn retrieve(&self, origin: &Origin, held: &Validators) -> Retrieval {
        self.retrieve_in_turn(origin, held, Arc::new(AtOnce)).await
    }

    async fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns + Send + Sync>,
    ) -> Retrieval {
        let now = self.clock.now();
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), now);
        let mut machine = machine.conditional(held.clone());
        let mut answer = None;
        loop {
            let patience = machine.deadline().since(self.clock.now()).min(self.patience);
            match machine.step() {
                Step::Connect { .. } if !self.take_turn(&mut machine, &turns).await => {}
                Step::Resolve { host, port } => self.resolve(&mut machine, host, port, patience).await,
                Step::Connect { address, url, held } => {
                    match self.get(address, (&url, origin, &held), patience).await {
                        Ok(came) => {
                            machine.on(Event::Head(came.head.clone()), self.clock.now());
                            answer = Some(came);
                        }
                        Err(error) => machine.on(failure(&error, &error.to_string()), self.clock.now()),
                    }
                }
                Step::Read => {
                    let read = match &mut answer {
                        Some(answer) => answer.read(&mut machine, &self.clock, patience).await,
                        None => Err(io::Error::other("no body")),
                    };
                    if let Err(error) = read {
                        let why = error.to_string();
                        let event = if is_damage(&error) { Event::Damaged(&why) } else { Event::BrokenOff(&why) };
                        machine.on(event, self.clock.now());
                    }
                }
                Step::Wait { until } => {
                    tokio::time::sleep(until.since(self.clock.now())).await;
                    machine.on(Event::Time, self.clock.now().max(until));
                }
                Step::Done => return machine.into_retrieval(self.clock.now()),
            }
        }
    }
}
