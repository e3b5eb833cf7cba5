//! Servers with a given behaviour, and a client that finds them by name.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use robosieve_gate::net::Names;
use robosieve_gate::retrieve::{AddressGuard, Cut, Outcome, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{Client, CrawlerIdentity, Origin};

use crate::servers::certificates::{self, Certificate};

/// The wait for a server that hangs. Long enough for the other servers on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// A server's behaviour on the nth connection. It gets the connection after TLS, if it has TLS.
type Act = dyn Fn(usize, &mut Connection) + Send + Sync;

/// The kind of a server.
#[derive(Clone)]
pub(crate) enum Server {
    /// No server listens.
    Refuse,
    /// Accepts, waits for the first bytes, sends this and resets.
    Reset(&'static [u8]),
    /// Accepts and sends nothing, not even in TLS.
    Mute,
    /// Uses plain HTTP.
    Plain(Arc<Act>),
    /// Uses TLS with this certificate.
    Tls(Certificate, Arc<Act>),
}

pub(crate) fn plain(act: impl Fn(usize, &mut Connection) + Send + Sync + 'static) -> Server {
    Server::Plain(Arc::new(act))
}

/// The head of a chunked response.
pub(crate) const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A server that sends these chunks.
pub(crate) fn chunked(chunks: &str) -> Server {
    says(format!("{CHUNKED}{chunks}"))
}

/// A server that answers every request with these bytes, and closes.
pub(crate) fn says(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    plain(move |_, connection| {
        connection.request();
        connection.send(&bytes);
    })
}

/// A whole response of this status and body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

pub(crate) fn good() -> Server {
    says(answer(200, "", RULES))
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A connection on the server's side.
pub(crate) struct Connection {
    stream: Box<dyn Stream>,
    stop: Arc<AtomicBool>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Connection {
    /// Reads the request's head.
    pub(crate) fn request(&mut self) -> String {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && self.stream.read(&mut byte).is_ok_and(|count| count == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        self.requests.lock().unwrap().push(head.clone());
        head
    }

    /// Sends bytes, and returns whether the client received them.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        !self.over() && self.stream.write_all(bytes).and_then(|()| self.stream.flush()).is_ok()
    }

    /// Waits until the test is over.
    pub(crate) fn hang(&self) {
        let began = Instant::now();
        while !self.over() && began.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Servers at 127.0.0.1, 127.0.0.2 …, all on one port.
pub(crate) struct Stage {
    pub port: u16,
    pub addresses: Vec<IpAddr>,
    stop: Arc<AtomicBool>,
    connections: Vec<Arc<AtomicUsize>>,
    requests: Vec<Arc<Mutex<Vec<String>>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Stage {
    pub(crate) fn new(servers: &[Server]) -> Self {
        let addresses: Vec<IpAddr> =
            (1..=servers.len()).map(|last| Ipv4Addr::new(127, 0, 0, u8::try_from(last).unwrap()).into()).collect();
        let (port, listeners) = listen(&addresses);
        let mut stage = Self {
            port,
            addresses,
            stop: Arc::default(),
            connections: Vec::new(),
            requests: Vec::new(),
            threads: Vec::new(),
        };
        for (listener, server) in listeners.into_iter().zip(servers) {
            stage.put_up(listener, server.clone());
        }
        stage
    }

    fn put_up(&mut self, listener: TcpListener, server: Server) {
        let (count, requests) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        self.connections.push(Arc::clone(&count));
        self.requests.push(Arc::clone(&requests));
        if matches!(server, Server::Refuse) {
            return;
        }
        let stop = Arc::clone(&self.stop);
        self.threads.push(thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let nth = count.fetch_add(1, Ordering::SeqCst);
                let (server, stop, requests) = (server.clone(), Arc::clone(&stop), Arc::clone(&requests));
                thread::spawn(move || serve(&server, nth, stream.unwrap(), &stop, &requests));
            }
        }));
    }

    /// The number of connections of this server, counted from 0.
    pub(crate) fn connections(&self, server: usize) -> usize {
        self.connections[server].load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self, server: usize) -> Vec<String> {
        self.requests[server].lock().unwrap().clone()
    }

    pub(crate) fn origin(&self, scheme: &str) -> Origin {
        Origin::of(&format!("{scheme}://site.test:{}/page", self.port)).unwrap()
    }

    /// A retrieval of `site.test`, which has all the addresses.
    pub(crate) fn crawl(&self) -> Crawl {
        // The two seconds between rounds are left out.
        let limits = RetrievalLimits { round_wait: Duration::ZERO, ..RetrievalLimits::default() };
        let names = [("site.test".to_owned(), self.addresses.clone())].into();
        let guard = AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap());
        let ports = vec![self.port];
        Crawl { origin: self.origin("http"), limits, names, ports, guard }
    }

    pub(crate) fn retrieve(&self) -> Retrieval {
        self.crawl().run()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for address in &self.addresses {
            // Wakes the listener, so it sees that the test is over.
            let _ = TcpStream::connect(SocketAddr::new(*address, self.port));
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Listeners on one port of several addresses. Servers that refuse drop theirs; the port stays known.
fn listen(addresses: &[IpAddr]) -> (u16, Vec<TcpListener>) {
    for _ in 0..100 {
        let first = TcpListener::bind((addresses[0], 0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let others = addresses[1..].iter().map(|address| TcpListener::bind((*address, port)));
        if let Ok(others) = others.collect::<Result<Vec<_>, _>>() {
            return (port, [first].into_iter().chain(others).collect());
        }
    }
    panic!("no port is free on all of {addresses:?}");
}

fn serve(server: &Server, nth: usize, stream: TcpStream, stop: &Arc<AtomicBool>, requests: &Arc<Mutex<Vec<String>>>) {
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.set_nodelay(true).unwrap();
    let closer = stream.try_clone().unwrap();
    let connect = |stream| Connection { stream, stop: Arc::clone(stop), requests: Arc::clone(requests) };
    match server {
        Server::Refuse => {}
        // Closing with unread bytes resets.
        Server::Reset(last_words) => {
            let _ = stream.peek(&mut [0]);
            let _ = (&stream).write_all(last_words);
            // Waits until the client has read the bytes: the reset would discard them.
            thread::sleep(Duration::from_millis(if last_words.is_empty() { 0 } else { 100 }));
        }
        Server::Mute => connect(Box::new(stream)).hang(),
        Server::Plain(act) => {
            act(nth, &mut connect(Box::new(stream)));
            close(&closer);
        }
        Server::Tls(certificate, act) => {
            let tls = rustls::ServerConnection::new(certificates::server(*certificate)).unwrap();
            act(nth, &mut connect(Box::new(rustls::StreamOwned::new(tls, stream))));
            close(&closer);
        }
    }
}

/// Ends the output, and waits a little until the client has read it: closing with unread bytes would reset.
fn close(stream: &TcpStream) {
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let mut rest = [0; 1_024];
    let mut stream = stream;
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}

/// The settings of a retrieval.
pub(crate) struct Crawl {
    pub origin: Origin,
    pub limits: RetrievalLimits,
    pub names: BTreeMap<String, Vec<IpAddr>>,
    /// The ports of all stages that it comes to.
    pub ports: Vec<u16>,
    pub guard: AddressGuard,
}

impl Crawl {
    /// Settings with short time-outs, for servers that hang.
    pub(crate) fn impatient(mut self) -> Self {
        self.limits = RetrievalLimits { connect: PATIENCE, head: PATIENCE, silence: PATIENCE, ..self.limits };
        self
    }

    pub(crate) fn client(&self) -> Client {
        let entries = self.names.iter().flat_map(|(name, all)| all.iter().map(move |address| (name, address)));
        let entries = entries.flat_map(|entry| self.ports.iter().map(move |port| (entry, port)));
        let names = entries.fold(Names::default(), |all, ((name, address), port)| all.with(name, *port, *address));
        let identity = CrawlerIdentity::new("TestBot/1.0 (+https://example.com/bot)").unwrap();
        Client::new(&identity).names(names).root_certificates(certificates::root_pem().as_bytes()).unwrap()
    }

    /// A retrieval of an origin with this client.
    pub(crate) fn by(&self, client: &Client, origin: &Origin) -> Retrieval {
        crate::alone::retrieve(client, origin, self.limits, &self.guard, Validators::default())
    }

    pub(crate) fn run(self) -> Retrieval {
        let began = Instant::now();
        let retrieval = self.by(&self.client(), &self.origin);
        assert_eq!(retrieval.origin, self.origin);
        assert!(began.elapsed() < Duration::from_secs(20), "took {:?}", began.elapsed());
        retrieval
    }
}

/// The reason why there is no answer, or why the body is not whole.
#[track_caller]
pub(crate) fn why(retrieval: &Retrieval) -> &str {
    retrieval.error.as_deref().unwrap_or_else(|| panic!("it did not fail: {retrieval:?}"))
}

#[track_caller]
pub(crate) fn is_rules(retrieval: &Retrieval) {
    assert_eq!((retrieval.outcome, &retrieval.body[..]), (Outcome::Rules, RULES.as_bytes()), "{retrieval:?}");
}

#[track_caller]
pub(crate) fn is_truncated(retrieval: &Retrieval, body: &[u8]) {
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Truncated, Some(200)), "{:?}", retrieval.error);
    assert_eq!(
        retrieval.cut == Some(Cut::AtCap),
        body.len() == RetrievalLimits::DEFAULT.max_bytes,
        "{:?}",
        retrieval.cut
    );
    assert!(retrieval.body == body, "{} bytes", retrieval.body.len());
}
