use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use robosieve_gate::retrieve::{Cut, Outcome, RetrievalLimits};

use crate::servers::stage::{RULES, Stage, is_rules, is_truncated, says};

const MAX: usize = RetrievalLimits::DEFAULT.max_bytes;

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn coded(headers: &str, body: &[u8]) -> robosieve_gate::retrieve::Retrieval {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {}\r\n\r\n", body.len());
    Stage::new(&[says([head.as_bytes(), body].concat())]).retrieve()
}

/// Requested codings are decoded: [retrieve.cap]
#[test]
fn known_codings() {
    let zipped = gzip(RULES.as_bytes());
    is_rules(&coded("Content-Encoding: gzip", &zipped));
    is_rules(&coded("content-encoding: X-GZIP", &zipped));
    is_rules(&coded("Content-Encoding: identity, gzip", &zipped));
    is_rules(&coded("Content-Encoding: identity", RULES.as_bytes()));
    is_rules(&coded("Content-Encoding:", RULES.as_bytes()));
    for none in ["none", "NONE", "utf-8", "UTF-8", "identity, none"] {
        is_rules(&coded(&format!("Content-Encoding: {none}"), RULES.as_bytes()));
    }
    let (front, back) = RULES.as_bytes().split_at(7);
    is_rules(&coded("Content-Encoding: gzip", &[gzip(front), gzip(back)].concat()));
    // Padding.
    is_rules(&coded("Content-Encoding: gzip", &[&zipped[..], &[0; 600]].concat()));
}

/// A body that can't be decoded is truncated and not read as text: [retrieve.broken-off]
#[test]
fn bad_codings() {
    let zipped = gzip(RULES.as_bytes());
    let mut spoilt = zipped.clone();
    let sum = spoilt.len() - 6;
    spoilt[sum] ^= 1;
    for (headers, body) in [
        ("Content-Encoding: br", &zipped[..]),
        ("Content-Encoding: zstd", b"abc"),
        ("Content-Encoding: gzip, gzip", &gzip(&zipped)),
        ("Content-Encoding: gzip\r\nContent-Encoding: gzip", &gzip(&zipped)),
        ("Content-Encoding: gzip\r\nContent-Encoding: br", &zipped),
        ("Content-Encoding: \u{e9}", b"abc"),
        ("Content-Encoding: gzip", RULES.as_bytes()),
        ("Content-Encoding: gzip", &zipped[..5]),
        ("Content-Encoding: gzip", &zipped[..zipped.len() - 1]),
        ("Content-Encoding: gzip", &zipped[..zipped.len() - 12]),
        ("Content-Encoding: gzip", &spoilt),
        ("Content-Encoding: gzip", &[&zipped[..], b"\0\0x"].concat()),
        ("Content-Encoding: deflate", &deflate(RULES.as_bytes())),
    ] {
        let retrieval = coded(headers, body);
        assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Truncated, Some(200)), "{headers} {retrieval:?}");
        assert_eq!(retrieval.cut, Some(Cut::Early), "{headers}");
        assert!(RULES.as_bytes().starts_with(&retrieval.body), "{headers}");
        // Of wrong bytes nothing is read.
        assert!(body != spoilt || retrieval.body.is_empty(), "{headers}");
    }
}

/// A transfer coding that is not decoded is not read as text. HTTP/1.0 has none, so there it is no answer: [retrieve.broken-off]
#[test]
fn transfer_codings() {
    let zipped = gzip(RULES.as_bytes());
    let chunks = |body: &[u8]| [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
    let sent = |version: &str, codings: &str, body: &[u8]| {
        let head = format!("HTTP/{version} 200 OK\r\n{codings}\r\n\r\n");
        Stage::new(&[says([head.as_bytes(), body].concat())]).retrieve()
    };
    let rules = RULES.as_bytes();
    is_rules(&sent("1.1", "Transfer-Encoding: Chunked", &chunks(rules)));
    is_rules(&sent("1.1", "Transfer-Encoding: identity", rules));
    is_rules(&sent("1.1", "Transfer-Encoding: identity, chunked", &chunks(rules)));
    is_rules(&sent("1.1", "Transfer-Encoding: chunked\r\nContent-Encoding: gzip", &chunks(&zipped)));
    for (version, codings, body) in [
        ("1.1", "Transfer-Encoding: gzip, chunked", chunks(&zipped)),
        ("1.1", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", chunks(&zipped)),
        ("1.1", "Transfer-Encoding: chunked, gzip", chunks(&zipped)),
        ("1.1", "Transfer-Encoding: chunked, chunked", chunks(&chunks(rules))),
        ("1.1", "Transfer-Encoding: gzip", zipped.clone()),
        ("1.1", "Transfer-Encoding: \u{e9}", rules.to_vec()),
    ] {
        let retrieval = sent(version, codings, &body);
        assert_eq!(
            (retrieval.outcome, retrieval.cut),
            (Outcome::Truncated, Some(Cut::Early)),
            "{codings} {retrieval:?}"
        );
        assert_eq!((retrieval.status, retrieval.body.len()), (Some(200), 0), "{codings}");
    }
    for (version, codings, body) in [
        ("1.0", "Transfer-Encoding: identity", rules.to_vec()),
        ("1.0", "Transfer-Encoding: chunked", chunks(rules)),
        ("1.0", "Transfer-Encoding: gzip", zipped),
    ] {
        assert_eq!(sent(version, codings, &body).outcome, Outcome::Unreachable, "{version} {codings}");
    }
}

/// A decompression bomb is read only up to the cap: [retrieve.cap]
#[test]
fn bombs() {
    let megabytes = |count: usize| vec![b'#'; count * 1_000_000];
    let cut = vec![b'#'; MAX];
    is_truncated(&coded("Content-Encoding: gzip", &gzip(&megabytes(6))), &cut);
    // A gigabyte, written in parts.
    is_truncated(&coded("Content-Encoding: gzip", &gzip(&megabytes(1)).repeat(1_000)), &cut);
}

/// Coded bytes that decode to nothing are limited too: [retrieve.coded]
#[test]
fn coded_bytes_that_decode_to_nothing() {
    let max_bytes = 1_000;
    let nothing = gzip(b"");
    let most = (max_bytes + 65_536) / nothing.len();
    for (count, outcome) in [(most - 1, Outcome::Rules), (most, Outcome::Rules), (most + 1, Outcome::Truncated)] {
        let body = nothing.repeat(count);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        let stage = Stage::new(&[says([head.as_bytes(), &body].concat())]);
        let mut crawl = stage.crawl();
        crawl.limits = RetrievalLimits { max_bytes, ..RetrievalLimits::default() };
        let retrieval = crawl.run();
        assert_eq!((retrieval.outcome, retrieval.body.len()), (outcome, 0), "{count}");
    }
}
