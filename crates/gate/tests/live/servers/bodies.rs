use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robosieve_gate::retrieve::RetrievalLimits;

use crate::servers::stage::{Server, Stage, is_truncated, plain};

const MAX: usize = RetrievalLimits::DEFAULT.max_bytes;

/// A server that sends for as long as it can, and the number of bytes that it sent.
fn endless(head: &'static str, piece: &'static [u8]) -> (Server, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let server = plain(move |_, connection| {
        connection.request();
        connection.send(head.as_bytes());
        let pieces = piece.repeat(1 + 16_384 / piece.len());
        while connection.send(&pieces) {
            count.fetch_add(pieces.len(), Ordering::Relaxed);
        }
    });
    (server, sent)
}

/// The bytes that the kernel buffers on both sides, in addition to those read.
const BUFFERS: usize = 12_000_000;

/// Of ten gigabytes, only the cap is read: [retrieve.cap]
#[test]
fn ten_gigabytes() {
    for head in [
        "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551613\r\n\r\n",
    ] {
        let (server, sent) = endless(head, b"#");
        let retrieval = Stage::new(&[server]).retrieve();
        is_truncated(&retrieval, &vec![b'#'; MAX]);
        assert!(sent.load(Ordering::Relaxed) < MAX + BUFFERS, "{}", sent.load(Ordering::Relaxed));
    }
}
