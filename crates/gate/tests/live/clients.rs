//! The same answers through the client and through one of the caller's own. [gate.fetched]
//!
//! Invariant: the caller's client here knows nothing but a connection and how a body ends. It hands over the head as it
//! came.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robosieve_gate::Origin;
use robosieve_gate::decide::Class;
use robosieve_gate::retrieve::{AddressGuard, Fetched, Outcome, Request, Retrieval, RetrievalLimits, Validators};

use crate::alone;
use crate::servers::codings::gzip;
use crate::servers::stage::{Connection, RULES, Stage, answer, plain};

fn guard() -> AddressGuard {
    AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap())
}

/// Short, so that a server that says nothing more does not hold the test up.
const PATIENCE: Duration = Duration::from_millis(400);

fn limits() -> RetrievalLimits {
    RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() }
}

/// A client that gets what comes until the connection ends.
async fn get(request: Request) -> Fetched {
    let host = request.url.host_str().unwrap();
    let Ok(mut stream) = TcpStream::connect((host, request.url.port_or_known_default().unwrap())) else {
        return Fetched::failed("no connection");
    };
    let address = stream.peer_addr().unwrap().ip();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let path = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    let tags = request.held.etag().map_or(String::new(), |tag| format!("If-None-Match: {tag}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{tags}Connection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    let is_whole = stream.take(3_000_000).read_to_end(&mut bytes).is_ok();
    parsed(&bytes, is_whole).unwrap_or_else(|| Fetched::failed("no head")).from_address(address)
}

/// The final response in these bytes.
fn parsed(bytes: &[u8], is_whole: bool) -> Option<Fetched> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = (&bytes[..end], &bytes[end + 4..]);
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let status: u16 = str::from_utf8(lines.next()?).ok()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    if (100..200).contains(&status) {
        return parsed(body, is_whole);
    }
    let headers: Vec<(&str, &[u8])> = lines
        .filter_map(|line| {
            let at = line.iter().position(|&byte| byte == b':')?;
            Some((str::from_utf8(&line[..at]).ok()?, &line[at + 1..]))
        })
        .collect();
    let is_chunked = headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("transfer-encoding") && value.to_ascii_lowercase().ends_with(b"chunked")
    });
    let (body, is_whole) = if is_chunked { unchunked(body) } else { (body.to_vec(), is_whole) };
    let fetched = Fetched::new(status, body).headers(headers);
    Some(if is_whole { fetched } else { fetched.broken_off() })
}

/// The bytes in chunks, and whether the last one came.
fn unchunked(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(at) = bytes.windows(2).position(|two| two == b"\r\n") else { return (body, false) };
        let length = str::from_utf8(&bytes[..at]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let rest = &bytes[at + 2..];
        match length {
            Some(0) => return (body, rest.starts_with(b"\r\n")),
            Some(length) if rest.len() >= length + 2 => {
                body.extend_from_slice(&rest[..length]);
                bytes = &rest[length + 2..];
            }
            _ => return (body, false),
        }
    }
}

/// What counts of a retrieval.
fn essence(retrieval: &Retrieval) -> (Outcome, Option<u16>, Class, usize, usize, Option<Duration>, Option<Duration>) {
    // What came of a body that broke off depends on how much of it is read at a time.
    let length = if retrieval.outcome == Outcome::Rules { retrieval.body.len() } else { 0 };
    let (redirects, fresh_for) = (retrieval.redirects.len(), retrieval.fresh_for);
    (retrieval.outcome, retrieval.status, Class::of(retrieval), length, redirects, fresh_for, retrieval.retry_after)
}

fn raw_answers() -> Vec<Vec<u8>> {
    let zipped = gzip(RULES.as_bytes());
    let page = "<!doctype html><title>Just a moment...</title>";
    let coded = |coding: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\n{coding}\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let chunks = |headers: &str, body: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\n{body}").into_bytes();
    let rules = format!("{:x}\r\n{RULES}\r\n", RULES.len());
    let mut all = vec![
        answer(200, "", RULES),
        answer(200, "Cache-Control: max-age=60\r\nAge: 10\r\n", RULES),
        answer(200, "Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\n", RULES),
        answer(200, "Cache-Control: no-store\r\nETag: \"a\"\r\n", RULES),
        answer(200, "", page),
        answer(200, "", ""),
        answer(202, "Retry-After: 30\r\n", page),
        answer(206, "Content-Range: bytes 0-32/900\r\n", RULES),
        answer(204, "", ""),
        b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /".to_vec(),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc".to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nUser-agent: *\nDisallow: /a\nAllow: /".to_vec(),
        answer(200, "", &"#".repeat(512_001)),
        answer(200, "", &"#".repeat(512_000)),
        answer(200, "", &("<html>".to_owned() + &"#".repeat(600_000))),
        coded("Content-Encoding: gzip", &zipped),
        coded("Content-Encoding: x-gzip", &zipped),
        coded("Content-Encoding: gzip", &zipped[..zipped.len() - 9]),
        coded("Content-Encoding: gzip", RULES.as_bytes()),
        coded("Content-Encoding: gzip", &[&zipped[..zipped.len() - 8], &[0; 8]].concat()),
        coded("Content-Encoding: gzip", &gzip(&vec![b'#'; 512_000])),
        coded("Content-Encoding: gzip", &gzip(&vec![b'#'; 512_001])),
        // A bomb.
        coded("Content-Encoding: gzip", &gzip(&vec![b'#'; 50_000_000])),
        coded("Content-Encoding: br", &zipped),
        coded("Content-Encoding: zstd", b"abc"),
        coded("Content-Encoding: gzip, gzip", &gzip(&zipped)),
        coded("Content-Encoding: gzip\r\nContent-Encoding: br", &zipped),
        coded("Content-Encoding: deflate", &zipped),
        coded("Content-Encoding: deflate", b"\x78\x9c\x00"),
        coded("Content-Encoding: deflate", b"\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"),
        coded("Content-Encoding: deflate", b"\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01"),
        coded("Content-Encoding: identity", RULES.as_bytes()),
        coded("Content-Encoding: none", RULES.as_bytes()),
        coded("Content-Encoding:", RULES.as_bytes()),
        // A file that was packed and not declared.
        coded("Content-Type: text/plain", &zipped),
        chunks("Transfer-Encoding: chunked\r\n", &format!("{rules}0\r\n\r\n")),
        chunks("Transfer-Encoding: chunked\r\n", &rules),
        chunks("Transfer-Encoding: chunked\r\n", "ffff\r\nUser-agent: *\nDisallow: /"),
        chunks("Transfer-Encoding: gzip, chunked\r\n", &format!("{rules}0\r\n\r\n")),
        chunks("Transfer-Encoding: chunked, gzip\r\n", &format!("{rules}0\r\n\r\n")),
        answer(301, "", ""),
        answer(301, "Location: ftp://a.example/robots.txt\r\n", ""),
        answer(301, "Location: javascript:1\r\n", ""),
        answer(301, "Location: http://\r\n", ""),
        answer(302, "Location: /\u{e9}\r\n", ""),
        answer(302, "Location: /robots.txt\r\n", ""),
        answer(302, "Location: \r\n", ""),
        answer(302, "Location: http://127.0.0.1:0/\r\n", ""),
        answer(302, "Location: /again\r\n", ""),
        answer(302, "Location: http://10.0.0.1/\r\n", ""),
        answer(302, "Location: http://[::ffff:10.0.0.1]/\r\n", ""),
        answer(302, "Location: http://169.254.169.254/latest\r\n", ""),
        answer(302, "Location: http://127.0.0.1:22/\r\n", ""),
        answer(304, "", ""),
        answer(429, "Retry-After: 30\r\n", ""),
        answer(503, "Retry-After: 30\r\n", "busy"),
        b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(),
        b"SSH-2.0-OpenSSH_9.6\r\n".to_vec(),
        b"HTTP/1.1 ".to_vec(),
        Vec::new(),
    ];
    all.extend([201, 203, 205, 300, 303, 305, 307, 308].map(|status| answer(status, "", RULES)));
    all.extend([400, 401, 403, 404, 405, 407, 408, 410, 418, 421, 425, 451, 499].map(|status| answer(status, "", "")));
    all.extend([500, 501, 502, 504, 511, 520, 599, 600, 999].map(|status| answer(status, "", "")));
    // Two redirects, and then a file.
    all.push(answer(301, "Location: /one\r\n", ""));
    all.push(answer(308, "Location: one?x=1#y\r\n", ""));
    all
}

/// A server with one answer; `/one` leads to `/two`, which is a file, `/again` to itself.
fn stage(bytes: &[u8]) -> Stage {
    let bytes = bytes.to_vec();
    Stage::new(&[plain(move |_, connection: &mut Connection| {
        let request = connection.request();
        let path = request.split(' ').nth(1).unwrap_or_default();
        match path.split('?').next().unwrap_or_default() {
            "/one" => connection.send(&answer(302, "Location: two\r\n", "")),
            "/two" => connection.send(&answer(200, "", RULES)),
            "/again" => connection.send(&answer(302, "Location: /again\r\n", "")),
            _ => connection.send(&bytes),
        };
    })])
}

/// Each raw answer means the same, whoever gets it: [gate.fetched] [gate.async] [retrieve.broken-off] [retrieve.status]
/// [retrieve.cap]
#[test]
fn every_client_means_the_same() {
    for bytes in raw_answers() {
        let front = String::from_utf8_lossy(&bytes[..bytes.len().min(90)]).into_owned();
        let stage = stage(&bytes);
        let origin = Origin::of(&format!("http://127.0.0.1:{}/", stage.port)).unwrap();
        let mut crawl = stage.crawl().impatient();
        crawl.limits.extra_rounds = 0;
        let by_client = crawl.by(&crawl.client(), &origin);
        let by_closure = alone::retrieve(&get, &origin, limits(), &guard(), Validators::default());
        assert_eq!(essence(&by_closure), essence(&by_client), "{front:?}\n{by_closure:?}\n{by_client:?}");
    }
}

/// A client that hands over one response without following: a redirect opens nothing, a declared coding is read or is
/// incomplete, and a body that the client has decoded is not decoded again: [gate.fetched]
#[test]
fn one_response_by_itself() {
    let origin = Origin::of("http://example.com/").unwrap();
    let class = |fetched: Fetched| Class::of(&fetched.retrieval(&origin));
    let zipped = gzip(RULES.as_bytes());
    for target in ["https://example.com/robots.txt", "/x", "http://127.0.0.1/", "http://127.0.0.1:22/"] {
        let moved = Fetched::new(301, "").header("location", target.as_bytes());
        assert_eq!(class(moved), Class::NoAnswer, "{target}");
    }
    assert_eq!(class(Fetched::new(301, "")), Class::Redirect);
    assert_eq!(class(Fetched::new(200, zipped.clone()).header("Content-Encoding", b"gzip")), Class::Success);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"gzip")), Class::Interrupted);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"br")), Class::Interrupted);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"br").decoded()), Class::Success);
    let length = zipped.len().to_string();
    let decoded = Fetched::new(200, RULES).header("Content-Encoding", b"gzip").header("Content-Length", b"900");
    assert_eq!(class(decoded.decoded()), Class::Success, "{length}");
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Length", b"34")), Class::Interrupted);
    let whole = RULES.len();
    for (lines, expected) in [
        (vec![format!("{whole}")], Class::Success),
        (vec![format!(" 0{whole}, {whole}\t")], Class::Success),
        (vec![whole.to_string(), whole.to_string()], Class::Success),
        (vec![whole.to_string(), (whole - 1).to_string()], Class::NoAnswer),
        (vec![format!("{whole},")], Class::NoAnswer),
        (vec![format!("+{whole}")], Class::NoAnswer),
        (vec!["1_3".into()], Class::NoAnswer),
        (vec!["-5".into()], Class::NoAnswer),
        (vec!["0x1b".into()], Class::NoAnswer),
        (vec!["\u{664}\u{664}".into()], Class::NoAnswer),
        (vec![String::new()], Class::NoAnswer),
        (vec!["9".repeat(30)], Class::NoAnswer),
    ] {
        let fetched =
            lines.iter().fold(Fetched::new(200, RULES), |it, line| it.header("content-length", line.as_bytes()));
        assert_eq!(class(fetched), expected, "{lines:?}");
    }
    assert_eq!(class(Fetched::new(200, zipped)), Class::NotRobotsTxt);
}

/// The closure's redirects are bounded and guarded: [gate.fetched] [retrieve.redirect] [retrieve.address-guard]
#[test]
fn a_closure_is_guarded() {
    let origin = Origin::of("http://example.com/").unwrap();
    let by = |origin: &Origin, guard: &AddressGuard, get: &(dyn Fn(Request) -> Fetched + Sync)| {
        let client = |request: Request| std::future::ready(get(request));
        alone::retrieve(&client, origin, limits(), guard, Validators::default())
    };
    let (global, count) = (AddressGuard::global_only(), AtomicUsize::new(0));
    let circle = by(&origin, &global, &|request| {
        let hop = count.fetch_add(1, Ordering::SeqCst);
        assert_eq!(request.hop, hop);
        Fetched::new(302, "").header("Location", format!("http://{hop}.example.com/").as_bytes())
    });
    assert_eq!((Class::of(&circle), count.into_inner()), (Class::Redirect, 6));
    // The client looked the name up and got an internal address.
    let inside = |_: Request| Fetched::new(200, RULES).from_address([10, 0, 0, 1].into());
    let refused = by(&origin, &global, &inside);
    assert_eq!((refused.outcome, refused.body.len()), (Outcome::NotAsked, 0));
    assert_eq!(by(&origin, &guard().allowing_private(), &inside).outcome, Outcome::Rules);
    let literal = Origin::of("http://127.0.0.1/").unwrap();
    assert_eq!(by(&literal, &global, &|_| panic!("it is not asked")).outcome, Outcome::NotAsked);
}
