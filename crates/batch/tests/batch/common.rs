//! What these tests make and read.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use robosieve_batch::{Done, Filter, Form, Inputs};
use tempfile::TempDir;

/// A folder that is deleted after its test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        // In memory, if there is such a disk: a run waits for each point.
        Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// Pseudo-random numbers below a number: a linear congruential generator with the constants of Knuth's MMIX.
pub(crate) fn draws() -> impl FnMut(usize) -> usize {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

/// An archive's record with these lines in its head.
pub(crate) fn record(kind: &str, url: &str, lines: &str, block: &[u8]) -> Vec<u8> {
    let length = block.len();
    let head =
        format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A server's response with these header lines.
pub(crate) fn response(lines: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{lines}\r\n").as_bytes(), body].concat()
}

/// The record of the robots.txt of a site.
pub(crate) fn robots(number: usize, rules: &str) -> Vec<u8> {
    record("response", &format!("http://h{number}/robots.txt"), "", &response("", rules.as_bytes()))
}

/// The rules of a site.
pub(crate) fn rules(number: usize) -> String {
    format!("User-agent: *\nDisallow: /{number}\n")
}

/// Its line or its record, with so many blanks.
pub(crate) fn entry(form: Form, number: usize, blanks: usize) -> Vec<u8> {
    let rules = rules(number) + &" ".repeat(blanks);
    match form {
        Form::Warc => robots(number, &rules),
        _ => format!("{{\"url\":\"http://h{number}/robots.txt\",\"robots\":{rules:?}}}\n").into_bytes(),
    }
}

pub(crate) fn gzip(level: u32, bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(level));
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// With a checksum, as the program `zstd` writes it.
pub(crate) fn zstd(level: u32, bytes: &[u8]) -> Vec<u8> {
    let mut zstd = zstd::Encoder::new(Vec::new(), i32::try_from(level).unwrap()).unwrap();
    zstd.include_checksum(true).unwrap();
    zstd.write_all(bytes).unwrap();
    zstd.finish().unwrap()
}

/// What each item of a stream became.
pub(crate) fn of_stream(form: Form, bytes: &[u8]) -> Vec<Done> {
    let filter = Filter::new(["MyBot"]);
    filter.items("a", Cursor::new(bytes.to_vec())).form(form).map(|item| filter.run(item)).collect()
}

/// What each item of a file became.
pub(crate) fn of_file(path: &Path, bytes: &[u8]) -> Vec<Done> {
    fs::write(path, bytes).unwrap();
    Inputs::new().path(path).filtered(Filter::new(["MyBot"]), 1).map(Result::unwrap).collect()
}
