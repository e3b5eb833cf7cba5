//! A server of a test: a function says what it does with each connection.
//!
//! Invariant: it listens on loopback only, until its test ends.
#![allow(dead_code, reason = "each program of tests uses a part")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a server does with its nth connection, after TLS if it has TLS.
pub(crate) type Act = dyn Fn(usize, &mut Connection) + Send + Sync;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

impl Server {
    /// A server on a port that is free.
    pub(crate) fn new(act: impl Fn(usize, &mut Connection) + Send + Sync + 'static) -> Self {
        Self::of(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), None, Arc::new(act))
    }

    pub(crate) fn of(listener: TcpListener, tls: Option<Arc<ServerConfig>>, act: Arc<Act>) -> Self {
        let (address, shared) = (listener.local_addr().unwrap(), Arc::<Shared>::default());
        let of_all = Arc::clone(&shared);
        let run = move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if of_all.stop.load(Ordering::Relaxed) {
                    break;
                }
                let nth = of_all.connections.fetch_add(1, Ordering::SeqCst);
                let (act, tls, shared) = (Arc::clone(&act), tls.clone(), Arc::clone(&of_all));
                thread::spawn(move || {
                    let mut connection = Connection::new(stream, tls, shared);
                    act(nth, &mut connection);
                    connection.close();
                });
            }
        };
        Self { address, shared, thread: Some(thread::spawn(run)) }
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Wakes the listener, so it sees that the test is over.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A connection on the server's side.
pub(crate) struct Connection {
    pub(crate) tcp: TcpStream,
    stream: Box<dyn Stream>,
    shared: Arc<Shared>,
    /// Whether it ends with what is unread, which resets.
    pub(crate) resets: bool,
}

impl Connection {
    fn new(tcp: TcpStream, tls: Option<Arc<ServerConfig>>, shared: Arc<Shared>) -> Self {
        tcp.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        tcp.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
        tcp.set_nodelay(true).unwrap();
        let plain = tcp.try_clone().unwrap();
        let stream: Box<dyn Stream> = match tls {
            Some(tls) => Box::new(StreamOwned::new(ServerConnection::new(tls).unwrap(), plain)),
            None => Box::new(plain),
        };
        Self { tcp, stream, shared, resets: false }
    }

    /// Reads a request's head.
    pub(crate) fn request(&mut self) -> String {
        self.until(b"\r\n\r\n")
    }

    /// Reads a request up to these bytes.
    pub(crate) fn until(&mut self, end: &[u8]) -> String {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(end) && self.stream.read(&mut byte).is_ok_and(|count| count == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        self.shared.requests.lock().unwrap().push(head.clone());
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

    fn over(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// Ends the output, and waits a little until the client has read it: closing with unread bytes would reset.
    fn close(self) {
        if self.resets {
            return;
        }
        let _ = self.tcp.shutdown(Shutdown::Write);
        let _ = self.tcp.set_read_timeout(Some(Duration::from_millis(500)));
        while (&self.tcp).read(&mut [0; 1_024]).is_ok_and(|count| count > 0) {}
    }
}
