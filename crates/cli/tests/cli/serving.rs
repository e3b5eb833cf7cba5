//! Sites on loopback for the commands that request them.
//!
//! Invariant: a server ends with its test, and never waits for more than ten seconds.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub(crate) const WHO: &str = "MyBot/1.0 (+https://example.com/bot)";
pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: OtherBot\nDisallow: /\n";

/// A complete response.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A server that sends the same response to every request.
pub(crate) struct Site {
    pub(crate) port: u16,
    answer: Arc<Mutex<Vec<u8>>>,
    requests: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (answer, requests, stop) =
            (Arc::new(Mutex::new(bytes.into())), Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let seen = (Arc::clone(&answer), Arc::clone(&requests), Arc::clone(&stop));
        let thread = Some(thread::spawn(move || {
            for stream in listener.incoming() {
                if seen.2.load(Ordering::SeqCst) {
                    break;
                }
                let bytes = seen.0.lock().unwrap().clone();
                serve(stream.unwrap(), &bytes, &seen.1);
            }
        }));
        Self { port, answer, requests, stop, thread }
    }

    /// A server with rules.
    pub(crate) fn good() -> Self {
        Self::new(answer(200, "", RULES))
    }

    pub(crate) fn says(&self, bytes: impl Into<Vec<u8>>) {
        *self.answer.lock().unwrap() = bytes.into();
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
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
