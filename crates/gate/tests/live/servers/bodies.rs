use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::servers::stage::{CHUNKED, RULES, Server, Stage, chunked, is_rules, is_truncated, plain, says, why};

const MAX: usize = RetrievalLimits::DEFAULT.max_bytes;

fn declared(length: usize, body: &str) -> Server {
    says(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"))
}

/// A body that is shorter than its length is truncated: [retrieve.broken-off]
#[test]
fn shorter_than_declared() {
    is_truncated(&Stage::new(&[declared(RULES.len() + 1, RULES)]).retrieve(), RULES.as_bytes());
    is_truncated(&Stage::new(&[declared(10_000_000_000, RULES)]).retrieve(), RULES.as_bytes());
}

/// Of one that is longer, the length counts: [retrieve.cap]
#[test]
fn longer_than_declared() {
    let body = format!("{RULES}Disallow: /more\n");
    is_rules(&Stage::new(&[declared(RULES.len(), &body)]).retrieve());
    let empty = Stage::new(&[declared(0, RULES)]).retrieve();
    assert_eq!((empty.outcome, empty.body.len()), (Outcome::Rules, 0));
}

/// Without a length the body ends with the connection: [retrieve.cap]
#[test]
fn until_the_connection_ends() {
    is_rules(&Stage::new(&[says(format!("HTTP/1.0 200 OK\r\n\r\n{RULES}"))]).retrieve());
    is_rules(&Stage::new(&[says(format!("HTTP/1.1 200 OK\r\n\r\n{RULES}"))]).retrieve());
}

/// A connection that hangs in the middle of a body: [retrieve.broken-off] [retrieve.time-outs]
#[test]
fn hangs_in_the_body() {
    let server = plain(|_, connection| {
        connection.request();
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent");
        connection.hang();
    });
    is_truncated(&Stage::new(&[server]).crawl().impatient().run(), b"User-agent");
}

/// A reset does not end a body, even one without a length: [retrieve.broken-off]
#[test]
fn reset_in_the_body() {
    for head in [
        &b"HTTP/1.1 200 OK\r\n\r\nUser-agent"[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nUser-agent",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nUser-agent\r\n",
    ] {
        is_truncated(&Stage::new(&[Server::Reset(head)]).retrieve(), b"User-agent");
    }
}

/// Complete and incomplete chunks: [retrieve.broken-off]
#[test]
fn chunks() {
    is_rules(&Stage::new(&[chunked(&format!("{:x}\r\n{RULES}\r\n0\r\n\r\n", RULES.len()))]).retrieve());
    is_rules(&Stage::new(&[chunked(&format!("{:X};a=b\r\n{RULES}\r\n0\r\n\r\n", RULES.len()))]).retrieve());
    for (chunks, body) in [
        ("5\r\nUser-", "User-"),
        ("5\r\nUser-\r\n", "User-"),
        ("5\r\nUse", "Use"),
        ("5\r\nUser-\r\nzz\r\n", "User-"),
        ("5\r\nUser-XX", "User-"),
        ("-5\r\nUser-\r\n0\r\n\r\n", ""),
        ("fffffffffffffffffffff\r\nUser-\r\n0\r\n\r\n", ""),
        ("", ""),
    ] {
        let retrieval = Stage::new(&[chunked(chunks)]).retrieve();
        assert_eq!(retrieval.outcome, Outcome::Truncated, "{chunks:?}: {retrieval:?}");
        assert!(retrieval.body.len() <= body.len(), "{chunks:?}: {retrieval:?}");
    }
}

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
