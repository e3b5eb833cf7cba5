//! Responses that break off, or are changed, at any byte.
//!
//! Invariant: the reader of responses here shares no code with the crate's but the library's own.

use std::io::Read as _;

use crate::Site;
use crate::cases::{RULES, gzip, raw};
use crate::clients::{head, unchunked};

/// Responses that close `/secret`, in each framing and coding.
fn closing() -> Vec<Vec<u8>> {
    let (zipped, rules) = (gzip(RULES.as_bytes()), RULES.as_bytes());
    let two = [gzip(b"User-agent: *\n"), gzip(b"Disallow: /secret\n")].concat();
    let sized =
        |start: &str, body: &[u8]| [format!("{start}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let gz = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let gz_chunked = chunked.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n");
    vec![
        sized("HTTP/1.1 200 OK\r\n", rules),
        sized("HTTP/1.0 200 OK\r\n", rules),
        [chunked.as_bytes(), &chunk(&rules[..9]), &chunk(&rules[9..]), b"0\r\n\r\n"].concat(),
        sized(gz, &zipped),
        sized(gz, &two),
        [gz_chunked.as_bytes(), &chunk(&zipped), b"0\r\nX: y\r\n\r\n"].concat(),
        sized("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n", rules),
        sized("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-31/900\r\n", rules),
        sized("HTTP/1.1 429 Busy\r\nRetry-After: 60\r\n", b"busy"),
        sized("HTTP/1.1 503 Busy\r\nRetry-After: 60\r\n", b"busy"),
    ]
}

/// Whether a whole response permits `/secret` by its own words.
fn permits(bytes: &[u8]) -> Option<bool> {
    let (status, fields, rest) = head(bytes)?;
    let values = |name: &str| -> Vec<String> {
        let of_name = fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let text = of_name.map(|(_, value)| String::from_utf8_lossy(value).to_ascii_lowercase()).collect::<Vec<_>>();
        text.join(",").split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
    };
    match status {
        300..=399 => return Some(true),
        400..=499 => return Some(!matches!(status, 407 | 408 | 412..=417 | 421 | 425 | 429 | 431)),
        202 | 204..=206 | 500.. => return Some(false),
        _ => {}
    }
    let body = if values("transfer-encoding").contains(&"chunked".to_owned()) {
        Some(unchunked(rest)).filter(|(_, is_whole)| *is_whole)?.0
    } else if let Some(length) = values("content-length").first() {
        rest.get(..length.parse().ok()?)?.to_vec()
    } else {
        rest.to_vec()
    };
    let codings = values("content-encoding");
    let text = match codings.first().map(String::as_str) {
        Some("gzip" | "x-gzip") => {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(&body[..]).read_to_end(&mut text).ok()?;
            text
        }
        None | Some("identity" | "none" | "utf-8") => body,
        Some(_) => return Some(false),
    };
    let tester = robosieve::Sieve::new(["MyBot"]).tester(&text).ok()?;
    Some(tester.is_allowed("/secret"))
}

/// Cut at any byte, or with any byte changed, a response allows nothing that the whole does not, unless what is left is
/// whole and says so: [retrieve.total] [retrieve.broken-off]
#[test]
fn nothing_is_allowed_that_the_whole_does_not() {
    let cases: Vec<Vec<u8>> = closing()
        .into_iter()
        .flat_map(|whole| {
            let changed = |at: usize, byte: u8| {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                bytes
            };
            let at = |at: usize| {
                [whole[..at].to_vec(), changed(at, whole[at] ^ (1 << (at % 7))), changed(at, b'0'), changed(at, b'\n')]
            };
            (0..whole.len()).flat_map(at).chain([whole.clone()]).collect::<Vec<_>>()
        })
        .collect();
    let site = Site::new(|_| {
        cases.iter().enumerate().map(|(number, bytes)| raw(format!("d{number}"), bytes.clone())).collect()
    });
    let allowed = site.each(4, |name| {
        let (is_allowed, bytes) = (!site.allowed(name, &["/secret"]).is_empty(), &site.cases[name].bytes);
        assert!(!is_allowed || permits(bytes) == Some(true), "{:?}", String::from_utf8_lossy(bytes));
        is_allowed
    });
    let allowed = allowed.into_values().filter(|allowed| *allowed).count();
    println!("{} responses, {allowed} of them say that all is allowed", cases.len());
    assert!(cases.len() > 3_000 && allowed > 20, "{} {allowed}", cases.len());
}
