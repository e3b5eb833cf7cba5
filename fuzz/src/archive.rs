//! Archives by their structure: records with heads of WARC and HTTP, bodies in chunks, then some bytes that are wrong.
//!
//! Invariant: any archive can come of it, and most are whole but for a detail.

use arbitrary::{Arbitrary, Result, Unstructured};

#[rustfmt::skip]
const TYPES: &[&str] = &[
    "response", "resource", "warcinfo", "request", "revisit", "metadata", "Response", "conversion",
];
#[rustfmt::skip]
const STATUSES: &[&str] = &[
    "200 OK", "404 Not Found", "301 Moved", "503 Busy", "206 Part", "429 Slow", "200", "x",
];
#[rustfmt::skip]
const HEADERS: &[&str] = &[
    "Content-Type: text/plain", "Content-Type: text/html", "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip", "Content-Encoding: gzip", "Content-Encoding: br", "Location: /robots.txt",
    "Content-Length: 5", "X: y", "X", " x",
];
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "WARC-Target-URI: https://example.com/robots.txt", "WARC-Target-URI: <http://example.com/robots.txt>",
    "WARC-Target-URI: https://example.com/", "WARC-Date: 2026-01-01T00:00:00Z", "WARC-Truncated: length",
    "Content-Type: application/http; msgtype=response", "WARC-Identified-Payload-Type: text/plain", "x",
    " folded",
];
const FILE: &str = "User-agent: *\nDisallow: /x\n";

/// An archive, and how its bytes arrive.
#[derive(Debug)]
pub struct Archive {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The most bytes of a block that are kept.
    pub max_block: usize,
    /// How many bytes arrive at a time.
    pub step: usize,
}

impl<'a> Arbitrary<'a> for Archive {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let (max_block, step) = (usize::from(u.arbitrary::<u8>()?) * 4, usize::from(u.arbitrary::<u8>()?) + 1);
        if u.ratio(1_u8, 8)? {
            return Ok(Self { bytes: u.bytes(u.len())?.to_vec(), max_block, step });
        }
        let mut bytes = Vec::new();
        for _ in 0..u.int_in_range(1..=4)? {
            record(u, &mut bytes)?;
        }
        for _ in 0..u.int_in_range(0..=2)? {
            broken(u, &mut bytes)?;
        }
        Ok(Self { bytes, max_block, step })
    }
}

fn line(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(b"\r\n");
}

/// A record. Its length is right three times in four.
fn record(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let block = block(u)?;
    line(bytes, u.choose(&["WARC/1.0", "WARC/1.1", "WARC/1.1", "WARC/0.18", "warc/1.0"])?);
    line(bytes, &format!("WARC-Type: {}", u.choose(TYPES)?));
    for _ in 0..u.int_in_range(0..=4)? {
        line(bytes, u.choose(FIELDS)?);
    }
    let length = if u.ratio(1_u8, 4)? { usize::from(u.arbitrary::<u16>()?) } else { block.len() };
    line(bytes, &format!("Content-Length: {length}"));
    line(bytes, "");
    bytes.extend_from_slice(&block);
    bytes.extend_from_slice(u.choose(&[&b"\r\n\r\n"[..], b"\r\n\r\n", b"\n\n", b""])?);
    Ok(())
}

/// The answer of a server.
fn block(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    line(
        &mut block,
        &format!("{} {}", u.choose(&["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2"])?, u.choose(STATUSES)?),
    );
    for _ in 0..u.int_in_range(0..=3)? {
        line(&mut block, u.choose(HEADERS)?);
    }
    line(&mut block, "");
    let file = if u.arbitrary()? {
        FILE.as_bytes()
    } else {
        let most = u.len().min(40);
        u.bytes(most)?
    };
    if u.arbitrary()? {
        for chunk in file.chunks(usize::from(u.arbitrary::<u8>()?) + 1) {
            line(&mut block, &format!("{:x}{}", chunk.len(), u.choose(&["", "", ";a=b", " "])?));
            block.extend_from_slice(chunk);
            line(&mut block, "");
        }
        line(&mut block, "0");
        line(&mut block, "");
    } else {
        block.extend_from_slice(file);
    }
    Ok(block)
}

/// Some bytes are lost, replaced or added.
fn broken(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let at = usize::from(u.arbitrary::<u16>()?) % (bytes.len() + 1);
    match u.int_in_range(0..=3)? {
        0 => bytes.truncate(at),
        1 => {
            let end = (at + usize::from(u.arbitrary::<u8>()?)).min(bytes.len());
            bytes.drain(at..end);
        }
        2 => bytes.insert(at, u.arbitrary()?),
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = u.arbitrary()?;
            }
        }
    }
    Ok(())
}
