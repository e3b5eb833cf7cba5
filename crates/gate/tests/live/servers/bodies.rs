use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::servers::stage::{CHUNKED, Server, Stage, is_truncated, plain, says, why};

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
    // A length that no client can count.
    for length in ["18446744073709551614", "18446744073709551615", "18446744073709551616"] {
        let stage = Stage::new(&[says(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nabc"))]);
        assert_eq!(stage.retrieve().outcome, Outcome::Unreachable, "{length}");
    }
}

/// Endless chunks of one byte are read up to the cap, endless digits of their sizes up to the wire limit, and endless
/// extensions up to the client's: [retrieve.wire]
#[test]
fn endless_chunks() {
    let max_bytes = 100_000;
    for (piece, cut) in [
        (&b"1\r\n#\r\n"[..], None),
        (b"00000000001\r\n#\r\n", Some("takes too many bytes")),
        (b"1;aaaaaaaaaa\r\n#\r\n", Some("chunk extensions over limit")),
    ] {
        let (server, sent) = endless(CHUNKED, piece);
        let stage = Stage::new(&[server]);
        let mut crawl = stage.crawl();
        crawl.limits = RetrievalLimits { max_bytes, ..RetrievalLimits::default() };
        let retrieval = crawl.run();
        assert_eq!((retrieval.outcome, retrieval.body.len() == max_bytes), (Outcome::Truncated, cut.is_none()));
        assert!(cut.is_none_or(|cut| why(&retrieval).contains(cut)), "{}", why(&retrieval));
        assert!(sent.load(Ordering::Relaxed) < 6 * max_bytes + 262_144 + BUFFERS);
    }
}
