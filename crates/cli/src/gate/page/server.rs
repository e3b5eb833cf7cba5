//! A small server of files, for one person on this machine.
//!
//! Invariant: it answers only requests that name it as their host, so that no other site's name can lead to it, and it
//! retrieves a file only for a request with a header that pages of other sites cannot send. Heads, bodies, times and
//! connections are bounded.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::Live;
use super::files::{Files, INDEX};
use crate::exit::Failure;
use crate::gate::fetch::retrieval_words;
use crate::text;

/// The bytes of a request's head, and its fields. Our choices: browsers send less than 2 kB and 20.
const MAX_HEAD: usize = 16 << 10;
const MAX_FIELDS: usize = 64;
/// The bytes of a URL.
const MAX_URL: usize = 4_000;
/// Connections at a time. A browser has six.
const MAX_CONNECTIONS: usize = 32;
/// The time in which a whole request comes, and in which a whole response goes. Our choices: it is the same machine.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_OF_READER: Duration = Duration::from_secs(30);
/// The time after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(20);
/// The field that only the page itself can send: others would have to ask first, and get no answer.
const OWN_FIELD: &str = "robosieve-page";

pub(super) struct Server {
    listener: TcpListener,
    port: u16,
}

/// What each connection uses.
struct Shared {
    files: Files,
    live: Mutex<Live>,
    hosts: Vec<String>,
    connections: AtomicUsize,
}

impl Server {
    pub(super) fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr().map(|address: SocketAddr| address.port())?;
        Ok(Self { listener, port })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until the command is ended.
    pub(super) fn serve(self, files: Files, live: Live) {
        let names = ["127.0.0.1", "localhost"];
        let hosts = names.map(|host| format!("{host}:{}", self.port)).into_iter();
        // The usual port is left out.
        let usual = names.into_iter().filter(|_| self.port == 80).map(ToOwned::to_owned);
        let hosts = hosts.chain(usual).collect();
        let shared = Arc::new(Shared { files, live: Mutex::new(live), hosts, connections: AtomicUsize::new(0) });
        for stream in self.listener.incoming() {
            // A connection that is gone already, or one too many, is dropped.
            let Ok(stream) = stream else {
                // Nor does it turn without end if there are no descriptors left.
                thread::sleep(PAUSE);
                continue;
            };
            if shared.connections.load(Ordering::SeqCst) >= MAX_CONNECTIONS {
                continue;
            }
            shared.connections.fetch_add(1, Ordering::SeqCst);
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                // The other end may have gone.
                let _ = shared.answer(stream);
                shared.connections.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
}

/// A request, as far as it matters.
struct Request {
    method: String,
    path: String,
    host: String,
    is_own: bool,
    /// The number of bytes of the body.
    length: usize,
    /// What was read after the head.
    rest: Vec<u8>,
}

struct Response {
    status: &'static str,
    kind: &'static str,
    /// Words about a file, printable ASCII.
    says: Option<String>,
    body: Vec<u8>,
}

impl Response {
    fn text(status: &'static str, words: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", says: None, body: words.as_bytes().to_vec() }
    }
}

impl Shared {
    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let mut stream = Within { stream, until: deadline(PATIENCE) };
        let response = match read(&mut stream)? {
            Some(request) => self.response(&request, &mut stream)?,
            None => Response::text("400 Bad Request", "This is no request."),
        };
        let says = response.says.map(|says| format!("robosieve-says: {says}\r\n")).unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{says}Cache-Control: no-cache\r\n\
             X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             X-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
            response.status,
            response.kind,
            response.body.len()
        );
        stream.until = deadline(PATIENCE_OF_READER);
        stream.write_all(head.as_bytes())?;
        stream.write_all(&response.body)?;
        stream.flush()
    }

    fn response(&self, request: &Request, stream: &mut Within) -> io::Result<Response> {
        if !self.hosts.contains(&request.host) {
            return Ok(Response::text("403 Forbidden", "This server is for its own machine."));
        }
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix('/').unwrap_or(path);
        Ok(match (request.method.as_str(), path) {
            ("POST", "retrieve") if !request.is_own => {
                Response::text("403 Forbidden", "Only the page itself retrieves files.")
            }
            ("POST", "retrieve") if request.length > MAX_URL => {
                Response::text("413 Content Too Large", "A URL has at most 4,000 bytes.")
            }
            ("POST", "retrieve") => {
                let mut url = request.rest.clone();
                url.truncate(request.length);
                let left = request.length.saturating_sub(url.len());
                Read::take(&mut *stream, u64::try_from(left).unwrap_or(0)).read_to_end(&mut url)?;
                self.retrieve(&String::from_utf8_lossy(&url))
            }
            ("GET", path) => self.file(if path.is_empty() { INDEX } else { path }),
            _ => Response::text("405 Method Not Allowed", "There is nothing like that here."),
        })
    }

    fn file(&self, name: &str) -> Response {
        let Some(bytes) = self.files.get(name) else {
            return Response::text("404 Not Found", "There is no such file.");
        };
        // The page shows a field for a site if it is served by the command.
        let body = if name == INDEX {
            String::from_utf8_lossy(bytes)
                .replacen("<html lang=\"en\">", "<html lang=\"en\" data-live>", 1)
                .into_bytes()
        } else {
            bytes.to_vec()
        };
        Response { status: "200 OK", kind: kind_of(name), says: None, body }
    }

    fn retrieve(&self, url: &str) -> Response {
        // One after the other, so that all wait for their turn.
        let Ok(live) = self.live.lock() else {
            return Response::text("500 Internal Server Error", "An earlier request failed.");
        };
        match live.retrieve(url.trim()) {
            Ok(retrieval) => {
                let (words, has_rules) = retrieval_words(&retrieval, &live.reader);
                let words = text::escape(words.replace('\n', "; ").as_bytes());
                if !has_rules {
                    return Response::text("502 Bad Gateway", &words);
                }
                let body = retrieval.whole_lines().to_vec();
                Response { status: "200 OK", kind: "application/octet-stream", says: Some(words), body }
            }
            // What is quoted in it is escaped already.
            Err(Failure::Usage(words)) => Response::text("400 Bad Request", &text::harmless(&words)),
            Err(_) => Response::text("500 Internal Server Error", "The file could not be retrieved."),
        }
    }
}

fn deadline(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now)
}

/// A connection until a point in time, however slow the other end is.
struct Within {
    stream: TcpStream,
    until: Instant,
}

impl Within {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Within {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(part)
    }
}

impl Write for Within {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(part)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The head of a request. Nothing if it is none, or too long.
fn read(stream: &mut Within) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let mut part = [0; 2_048];
    while bytes.len() < MAX_HEAD {
        let read = stream.read(&mut part)?;
        bytes.extend_from_slice(part.get(..read).unwrap_or_default());
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut parsed = httparse::Request::new(&mut fields);
        match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(head)) => return Ok(request(&parsed, bytes.get(head..).unwrap_or_default())),
            Ok(httparse::Status::Partial) if read > 0 => {}
            _ => break,
        }
    }
    Ok(None)
}

fn request(parsed: &httparse::Request<'_, '_>, rest: &[u8]) -> Option<Request> {
    let field = |name: &str| {
        let mut found = parsed.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        let value = found.next().and_then(|field| std::str::from_utf8(field.value).ok());
        // Two that differ would be read in two ways.
        found.next().is_none().then_some(value).flatten()
    };
    Some(Request {
        method: parsed.method?.to_owned(),
        path: parsed.path?.to_owned(),
        host: field("Host")?.to_ascii_lowercase(),
        is_own: field(OWN_FIELD) == Some("1"),
        length: field("Content-Length").map_or(Some(0), |length| length.parse().ok())?,
        rest: rest.to_vec(),
    })
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}
