//! Commands that serve, and sites on loopback for those that request them.
//!
//! Invariant: a command ends with its test, and nothing waits for more than half a minute.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) use crate::site::{Site, answer};

pub(crate) const WHO: &str = "MyBot/1.0 (+https://example.com/bot)";
pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: OtherBot\nDisallow: /\n";

impl Site {
    /// A server with rules.
    pub(crate) fn good() -> Self {
        Self::new(answer(200, "", RULES))
    }
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
