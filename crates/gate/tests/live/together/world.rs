//! Sites with given responses, and a gate that requests them with the driver.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::{Clock, LookUpError, Resolver, Sleep};
use robosieve_gate::retrieve::{AddressGuard, RetrievalLimits};
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, Moment};

pub(crate) const HOUR: u64 = 3_600;
pub(crate) const MINUTE: u64 = 60;

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_millis(1_767_225_600_000 + seconds * 1_000)
}

/// A server of one site: every path has the same response, unless another is set.
pub(crate) struct Site {
    pub port: u16,
    answer: Arc<Mutex<Vec<u8>>>,
    requests: Arc<Mutex<Vec<String>>>,
    heads: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    pub(crate) fn new(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut site = Self {
            port,
            answer: Arc::new(Mutex::new(answer.into())),
            requests: Arc::default(),
            heads: Arc::default(),
            stop: Arc::default(),
            thread: None,
        };
        let (answer, requests, stop) = (Arc::clone(&site.answer), Arc::clone(&site.requests), Arc::clone(&site.stop));
        let heads = Arc::clone(&site.heads);
        site.thread = Some(thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let answer = answer.lock().unwrap().clone();
                serve(stream.unwrap(), &answer, (&requests, &heads));
            }
        }));
        site
    }

    pub(crate) fn says(&self, answer: impl Into<Vec<u8>>) {
        *self.answer.lock().unwrap() = answer.into();
    }

    /// The request lines since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// The heads of all requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut stream: TcpStream, answer: &[u8], (requests, heads): (&Mutex<Vec<String>>, &Mutex<Vec<String>>)) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        head.push(byte[0]);
    }
    let line = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
    requests.lock().unwrap().push(line);
    heads.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
    let _ = stream.write_all(answer);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    // Waits until the client has read all of it: closing with unread bytes would reset.
    let _ = stream.read(&mut [0; 64]);
}

pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// A clock that does not sleep the two seconds between rounds.
#[derive(Clone, Default)]
struct Skipping(Arc<Mutex<Duration>>);

impl Clock for Skipping {
    fn now(&self) -> Moment {
        at(0).after(*self.0.lock().unwrap())
    }

    fn sleep_until(&self, until: Moment) -> Sleep<'_> {
        let wait = until.since(self.now());
        *self.0.lock().unwrap() += wait;
        Box::pin(std::future::ready(()))
    }
}

struct Names(BTreeMap<&'static str, Ipv4Addr>);

impl Resolver for Names {
    fn resolve(&self, host: &str, _: u16, _: Duration) -> Result<Vec<IpAddr>, LookUpError> {
        self.0
            .get(host)
            .map(|&address| vec![address.into()])
            .ok_or_else(|| LookUpError::NoSuchName("no such name".into()))
    }
}

pub(crate) fn driver(limits: RetrievalLimits) -> Driver {
    let names = ["a.test", "b.test"].map(|name| (name, Ipv4Addr::LOCALHOST)).into();
    Driver::new(CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap())
        .guard(AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap()))
        .clock(Skipping::default())
        .resolver(Names(names))
        .limits(limits)
}

pub(crate) fn core(store: impl Into<SharedStore>) -> GateCore {
    GateCore::new(store, Agents::new(["MyBot"]))
}

pub(crate) fn gate(store: impl Into<SharedStore>) -> Gate<Driver> {
    gate_over(core(store))
}

pub(crate) fn gate_over(core: GateCore) -> Gate<Driver> {
    Gate::over(driver(RetrievalLimits::default()), core)
}
