//! Commands that serve, and sites on loopback for those that request them.
//!
//! Invariant: a command and a server end with their test, and nothing waits for more than half a minute.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;
#[cfg(feature = "redis")]
use std::{sync::atomic::AtomicU32, time::Instant};

pub(crate) const WHO: &str = "MyBot/1.0 (+https://example.com/bot)";
pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: OtherBot\nDisallow: /\n";

/// A server of one site: every path has the same response, unless another is set.
pub(crate) struct Site {
    pub(crate) port: u16,
    answer: Arc<Mutex<Vec<u8>>>,
    requests: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// A server with rules.
    pub(crate) fn good() -> Self {
        Self::new(answer(200, "", RULES))
    }

    pub(crate) fn new(answer: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = Arc::new(Mutex::new(answer.into()));
        let (requests, stop) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let seen = (Arc::clone(&answer), Arc::clone(&requests), Arc::clone(&stop));
        let thread = Some(thread::spawn(move || {
            for stream in listener.incoming() {
                if seen.2.load(Ordering::SeqCst) {
                    break;
                }
                let answer = seen.0.lock().unwrap().clone();
                serve(stream.unwrap(), &answer, &seen.1);
            }
        }));
        Self { port, answer, requests, stop, thread }
    }

    pub(crate) fn says(&self, answer: impl Into<Vec<u8>>) {
        *self.answer.lock().unwrap() = answer.into();
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        self.url_at("127.0.0.1", path)
    }

    pub(crate) fn url_at(&self, host: &str, path: &str) -> String {
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

fn serve(mut stream: TcpStream, answer: &[u8], requests: &Mutex<Vec<String>>) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        head.push(byte[0]);
    }
    requests.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
    let _ = stream.write_all(answer);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    // Waits until the client has read everything: closing with unread bytes would reset the connection.
    let _ = stream.read(&mut [0; 64]);
}

pub(crate) fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A command that serves, until it is dropped.
pub(crate) struct Service {
    pub(crate) child: Child,
    pub(crate) host: String,
}

impl Service {
    pub(crate) fn start(args: &[&str], log: Stdio) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let host = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).unwrap().to_owned();
        Self { child, host }
    }

    pub(crate) fn request(&self, target: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host)
    }

    pub(crate) fn open(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // The service may answer before it has read all.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    /// The response to a request as it is written here.
    pub(crate) fn send(&self, request: &str) -> String {
        response(&mut self.open(request))
    }

    pub(crate) fn get(&self, target: &str) -> String {
        self.send(&self.request(target))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next response of a connection, or what comes of it before the connection ends.
pub(crate) fn response(stream: &mut TcpStream) -> String {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    let length = |head: &[u8]| {
        let head = String::from_utf8_lossy(head).into_owned();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).map(str::to_owned);
        length.map_or(0, |length| length.parse().unwrap())
    };
    let mut missing = None;
    while missing != Some(0) && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        bytes.push(byte[0]);
        missing = missing.map(|count: usize| count - 1);
        if missing.is_none() && bytes.ends_with(b"\r\n\r\n") {
            missing = Some(length(&bytes));
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A Redis server on a socket, until it is dropped.
#[cfg(feature = "redis")]
pub(crate) struct Redis {
    child: Child,
    folder: std::path::PathBuf,
}

#[cfg(feature = "redis")]
impl Redis {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("robosieve-redis-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--unixsocket"]).arg(folder.join("socket"));
        command.arg("--dir").arg(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("Debian's package redis-server is needed");
        let until = Instant::now() + Duration::from_secs(10);
        while !folder.join("socket").exists() {
            assert!(Instant::now() < until);
            thread::sleep(Duration::from_millis(10));
        }
        // A server that lost its memory gives no slot at once, and this one looks like that.
        thread::sleep(Duration::from_millis(2_200));
        Self { child, folder }
    }

    pub(crate) fn store(&self) -> String {
        format!("unix://{}", self.folder.join("socket").display())
    }
}

#[cfg(feature = "redis")]
impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
