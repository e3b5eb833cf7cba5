use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::servers::stage::{Stage, says};

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
