//! The same answers through the client and through one of the caller's own. [gate.fetched]
//!
//! Invariant: the caller's client here knows nothing but a connection and how a body ends. It hands over the head as it
//! came.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use robosieve_gate::decide::Class;
use robosieve_gate::net::{Client, Names};
use robosieve_gate::retrieve::{AddressGuard, Fetched, Outcome, Request, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{CrawlerIdentity, Fetch, Origin};

use crate::cases::{RULES, gzip, usual};
use crate::{Site, addresses};

/// A client that looks up these names only.
pub(super) fn of(names: impl Iterator<Item = (String, IpAddr)>, port: u16) -> Client {
    let names = names.fold(Names::default(), |all, (name, address)| all.with(&name, port, address));
    Client::new(&CrawlerIdentity::new("TestBot").unwrap()).names(names)
}

/// A retrieval that asks nobody but this machine. The two seconds between rounds are left out.
pub(super) fn retrieve(client: &impl Fetch, origin: &Origin, is_slow: bool) -> Retrieval {
    // Long enough for a busy machine, unless it is waited for.
    let time = Duration::from_millis(if is_slow { 1_500 } else { 10_000 });
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits =
        RetrievalLimits { round_wait: Duration::ZERO, head: time, silence: time, ..RetrievalLimits::default() };
    crate::alone::retrieve(client, origin, limits, &guard, Validators::default())
}

/// A client is used in tasks that any thread may run: [retrieve.driver]
#[test]
fn its_work_can_be_sent() {
    fn sent(client: &Client, request: Request) -> impl Future<Output = Fetched> + Send {
        client.fetch(request)
    }
    let _ = sent;
}

/// A client that gets what comes until the connection ends.
fn get(request: &Request) -> Fetched {
    let host = request.url.host_str().unwrap();
    let found: Vec<_> = match host.parse::<IpAddr>() {
        Ok(address) => vec![address],
        Err(_) => addresses(host).into_iter().map(|(_, address)| address).collect(),
    };
    let Some(address) = found.iter().find(|address| request.guard.refusal(**address).is_none()) else {
        return Fetched::new(200, "").from_address(found[0]);
    };
    let Ok(mut stream) = TcpStream::connect((*address, request.url.port_or_known_default().unwrap())) else {
        return Fetched::failed("no connection");
    };
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let path = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    let is_whole = stream.take(3_000_000).read_to_end(&mut bytes).is_ok();
    parsed(&bytes, is_whole).unwrap_or_else(|| Fetched::failed("no head")).from_address(*address)
}

/// The final response in these bytes.
fn parsed(bytes: &[u8], is_whole: bool) -> Option<Fetched> {
    let (status, fields, rest) = head(bytes)?;
    let is_chunked = fields.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("transfer-encoding") && value.to_ascii_lowercase().ends_with(b"chunked")
    });
    let (body, is_whole) = if is_chunked { unchunked(rest) } else { (rest.to_vec(), is_whole) };
    let fetched = Fetched::new(status, body).headers(fields.iter().map(|(name, value)| (name.as_str(), *value)));
    Some(if is_whole { fetched } else { fetched.broken_off() })
}

/// Status, fields, and what follows.
type Head<'b> = (u16, Vec<(String, &'b [u8])>, &'b [u8]);

/// The final head in these bytes.
pub(super) fn head(bytes: &[u8]) -> Option<Head<'_>> {
    let (mut rest, mut status, mut fields) = (bytes, None, Vec::new());
    loop {
        let (line, others) = rest.split_at(rest.iter().position(|&byte| byte == b'\n')? + 1);
        (rest, status) = match (line.trim_ascii_end(), status) {
            (first, None) => (others, Some(str::from_utf8(first.get(9..12)?).ok()?.parse().ok()?)),
            (b"", Some(100..200)) => return head(others),
            (b"", Some(status)) => return Some((status, fields, others)),
            (field, status) => {
                let name = field.split(|&byte| byte == b':').next()?;
                fields.push((
                    String::from_utf8_lossy(name).into_owned(),
                    field.get(name.len() + 1..).unwrap_or_default(),
                ));
                (others, status)
            }
        };
    }
}

/// The bytes in chunks, and whether all came.
pub(super) fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(at) = rest.iter().position(|&byte| byte == b'\n') else { return (body, false) };
        let (line, others) = rest.split_at(at + 1);
        let size = String::from_utf8_lossy(line);
        match usize::from_str_radix(size.trim().split(';').next().unwrap_or_default(), 16) {
            Ok(0) => return (body, others.starts_with(b"\r\n") || others.ends_with(b"\r\n\r\n")),
            Ok(size) if others.len() >= size.saturating_add(2) => {
                body.extend_from_slice(&others[..size]);
                rest = &others[size + 2..];
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

/// Each response of the table with a usual head and an end means the same, whoever gets it: [gate.fetched] [gate.async]
/// [retrieve.broken-off] [retrieve.status] [retrieve.cap]
#[test]
fn every_client_means_the_same() {
    let site =
        Site::new(|port| usual(port).into_iter().filter(|case| !OTHERWISE.contains(&case.name.as_str())).collect());
    let other = |request: Request| std::future::ready(get(&request));
    let differs = site.each(4, |name| {
        let by_client = essence(&site.retrieve(name));
        let origin = Origin::of(&format!("http://{name}.test:{}/", site.port)).unwrap();
        let by_closure = essence(&retrieve(&other, &origin, false));
        (by_client != by_closure).then(|| format!("{by_client:?} {by_closure:?}"))
    });
    assert!(differs.len() > 250, "{}", differs.len());
    let differs: Vec<_> = differs.into_iter().filter_map(|(name, how)| Some((name, how?))).collect();
    assert!(differs.is_empty(), "{differs:#?}");
}

/// What a client of this size reads otherwise: long extensions of chunks, bytes after the length; and what leads to a case
/// that is not here.
const OTHERWISE: [&str; 5] = ["chunk-extension-long", "long", "status-204", "status-204-length", "to-a-close"];

/// A declared coding is read or is incomplete, a body that the client has decoded is not decoded again, and a length is
/// one number: [gate.fetched]
#[test]
fn what_a_response_declares() {
    let origin = Origin::of("http://example.com/").unwrap();
    let class = |fetched: Fetched| {
        let client = |_: Request| std::future::ready(fetched.clone());
        Class::of(&retrieve(&client, &origin, false))
    };
    let zipped = gzip(RULES.as_bytes());
    assert_eq!(class(Fetched::new(301, "")), Class::Redirect);
    assert_eq!(class(Fetched::new(200, zipped.clone()).header("Content-Encoding", b"gzip")), Class::Success);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"gzip")), Class::Interrupted);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"br")), Class::Interrupted);
    assert_eq!(class(Fetched::new(200, RULES).header("Content-Encoding", b"br").decoded()), Class::Success);
    let decoded = Fetched::new(200, RULES).header("Content-Encoding", b"gzip").header("Content-Length", b"900");
    assert_eq!(class(decoded.decoded()), Class::Success);
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
    assert_eq!(class(Fetched::new(200, zipped)), Class::Success);
    for (name, value) in [("x", "a\0b"), ("location", "/\0"), ("x", "a\r\n b"), ("x", "\x7f"), ("", "y"), ("x ", "y")] {
        assert_eq!(class(Fetched::new(404, "").header(name, value.as_bytes())), Class::NoAnswer, "{name:?} {value:?}");
    }
    let lines = |count: usize| (0..count).fold(Fetched::new(404, ""), |it, _| it.header("x", "\té".as_bytes()));
    assert_eq!([128, 129].map(|count| class(lines(count))), [Class::NoFile, Class::NoAnswer]);
}
