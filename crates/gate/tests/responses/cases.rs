//! The responses of the table, as bytes.
//!
//! Invariant: a name is used once. What a response is to show is in its name, and its outcome only in the table.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::redirects::{redirects, targets};

/// 32 bytes.
pub(super) const RULES: &str = "User-agent: *\nDisallow: /secret\n";

/// What a server does after its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Close,
    Reset,
    /// Sends nothing more.
    Hang,
    /// Sends these again and again.
    Repeat(Vec<u8>),
    /// Sends these again and again, slowly.
    Drip(Vec<u8>),
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) then: Then,
}

impl Case {
    pub(super) fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

pub(super) fn raw(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Case {
    Case { name: name.into(), bytes: bytes.into(), then: Then::Close }
}

/// A 200 with these header lines, and this body after them.
fn ok(name: &str, lines: &str, body: impl AsRef<[u8]>) -> Case {
    raw(name, [b"HTTP/1.1 200 OK\r\n", lines.as_bytes(), b"\r\n", body.as_ref()].concat())
}

/// The same with its length.
fn sized(name: &str, lines: &str, body: impl AsRef<[u8]>) -> Case {
    let length = body.as_ref().len();
    ok(name, &format!("{lines}Content-Length: {length}\r\n"), body)
}

fn status(name: impl Into<String>, status: u16, lines: &str) -> Case {
    raw(name, format!("HTTP/1.1 {status} X\r\n{lines}Content-Length: 32\r\n\r\n{RULES}"))
}

/// A redirect to this.
pub(super) fn to(name: &str, location: impl AsRef<[u8]>) -> Case {
    let head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ";
    raw(name, [head, location.as_ref(), b"\r\n\r\n"].concat())
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn chunks(bytes: &[u8]) -> Vec<u8> {
    [&chunk(bytes)[..], b"0\r\n\r\n"].concat()
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
const GZIP: &str = "Content-Encoding: gzip\r\n";

pub(super) fn all(port: u16) -> Vec<Case> {
    let parts = [bodies(), codings(), transfers(), heads(), lengths(), slow(), first_lines(), statuses()];
    parts.into_iter().flatten().chain(headers()).chain(redirects(port)).chain(targets(port)).collect()
}

/// Those whose head has a usual form.
pub(super) fn usual(port: u16) -> Vec<Case> {
    let parts = [bodies(), codings(), statuses(), headers(), redirects(port), targets(port)];
    parts.into_iter().flatten().filter(|case| case.then == Then::Close).collect()
}

fn bodies() -> Vec<Case> {
    let rules = RULES.as_bytes();
    let start = chunk(rules);
    let after = |rest: &[u8]| [&start[..], rest].concat();
    let extended = |length: usize| format!("20;x={}\r\n{RULES}\r\n0\r\n\r\n", "y".repeat(length));
    vec![
        sized("ok", "", RULES),
        ok("close-delimited", "", RULES),
        ok("short", "Content-Length: 100\r\n", RULES),
        ok("long", "Content-Length: 14\r\n", RULES),
        ok("chunked", CHUNKED, chunks(rules)),
        ok("chunked-upper", "transfer-encoding: CHUNKED\r\n", chunks(rules)),
        ok("chunk-cut", CHUNKED, &start[..start.len() - 10]),
        ok("chunk-noend", CHUNKED, &start),
        ok("chunk-garbage", CHUNKED, after(b"zz\r\n")),
        ok("chunk-huge", CHUNKED, b"ffffffffffffffffff\r\nabc"),
        ok("chunk-large", CHUNKED, b"ffffffffffffffff\r\nabc"),
        ok("chunk-negative", CHUNKED, b"-20\r\nabc"),
        ok("chunk-blank", CHUNKED, b"\r\nabc"),
        ok("chunk-nocrlf", CHUNKED, [&start[..start.len() - 2], b"0\r\n\r\n"].concat()),
        ok("chunk-lf", CHUNKED, format!("20\n{RULES}\n0\n\n")),
        ok("chunk-extension", CHUNKED, extended(100)),
        ok("chunk-extension-long", CHUNKED, extended(20_000)),
        ok("chunk-extension-flood", CHUNKED, after(b"1;")).then(Then::Repeat(vec![b'x'; 10_000])),
        ok("chunk-trailer", CHUNKED, after(b"0\r\nX: y\r\n\r\n")),
        ok("chunk-trailer-cut", CHUNKED, after(b"0\r\nX: y\r\n")),
        ok("chunk-trailer-flood", CHUNKED, after(b"0\r\n")).then(Then::Repeat(b"X: y\r\n".repeat(1_000))),
        ok("chunk-of-one-byte", CHUNKED, b"").then(Then::Repeat(b"1\r\n#\r\n".repeat(1_000))),
        ok("chunk-extensions-of-one-byte", CHUNKED, b"").then(Then::Repeat(b"1;a=b;c=d;e=f\r\n#\r\n".repeat(1_000))),
        ok("reset-in-body", "Content-Length: 100\r\n", RULES).then(Then::Reset),
        ok("reset-close-delimited", "", RULES).then(Then::Reset),
        ok("chunk-underscore", CHUNKED, format!("2_0\r\n{RULES}\r\n0\r\n\r\n")),
        sized("html-cap", "", "<html>".to_owned() + &"#".repeat(600_000)),
        ok("endless", "", b"").then(Then::Repeat(b"#".repeat(10_000))),
        ok("endless-lines", "", b"").then(Then::Repeat(b"Allow: /\n".repeat(1_000))),
        ok("endless-chunked", CHUNKED, b"").then(Then::Repeat(chunk(&b"#".repeat(10_000)))),
        ok("endless-length", "Content-Length: 4000000000\r\n", b"").then(Then::Repeat(b"#".repeat(10_000))),
        sized("cap", "", "#".repeat(512_000)),
        sized("cap-less-1", "", "#".repeat(511_999)),
        sized("cap-and-1", "", "#".repeat(512_001)),
        sized("empty", "", ""),
        sized("html", "", "<!doctype html><title>x</title>"),
        sized("extra-after", "", RULES).then(Then::Repeat(b"HTTP/1.1 200 OK\r\n\r\n".repeat(100))),
        sized("keep-alive", "Connection: keep-alive\r\n", RULES).then(Then::Hang),
    ]
}

fn codings() -> Vec<Case> {
    let rules = RULES.as_bytes();
    let (zipped, other) = (gzip(rules), gzip(b"User-agent: x\nDisallow: /\n"));
    let at_end = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = zipped.clone();
        change(&mut changed);
        changed
    };
    let bad_crc = at_end(&|bytes| {
        let at = bytes.len() - 6;
        bytes[at] ^= 1;
    });
    let bad_length = at_end(&|bytes| {
        let at = bytes.len() - 2;
        bytes[at] ^= 1;
    });
    let flipped = at_end(&|bytes| {
        let at = bytes.len() / 2;
        bytes[at] ^= 0x55;
    });
    // A gzip head with a name that does not end, and one whose data are empty blocks.
    let named = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03".to_vec();
    let blocks = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    let bomb = gzip(&vec![b'#'; 1_000_000]).repeat(1_000);
    let mut all = vec![
        sized("gz", GZIP, &zipped),
        sized("gz-upper", "Content-Encoding: GZIP\r\n", &zipped),
        sized("gz-x", "Content-Encoding: x-gzip\r\n", &zipped),
        ok("gz-close", GZIP, &zipped),
        ok("gz-chunked", &format!("{GZIP}{CHUNKED}"), chunks(&zipped)),
        ok("gz-chunk-cut", &format!("{GZIP}{CHUNKED}"), chunk(&zipped)),
        sized("gz-cut", GZIP, &zipped[..zipped.len() - 12]),
        sized("gz-cut-crc", GZIP, &zipped[..zipped.len() - 4]),
        sized("gz-bad-crc", GZIP, &bad_crc),
        sized("gz-bad-length", GZIP, &bad_length),
        sized("gz-flipped", GZIP, &flipped),
        sized("gz-trailing", GZIP, [&zipped[..], b"Allow: /\n"].concat()),
        sized("gz-zeros", GZIP, [&zipped[..], &[0; 600]].concat()),
        sized("gz-zeros-then-more", GZIP, [&zipped[..], b"\0\0x"].concat()),
        sized("gz-zeros-then-member", GZIP, [&zipped[..], b"\0\0", &other].concat()),
        sized("gz-two", GZIP, [&zipped[..], &other].concat()),
        sized("gz-two-cut", GZIP, [&zipped[..], &other[..other.len() - 3]].concat()),
        sized("gz-two-bad-crc", GZIP, [&other[..], &bad_crc].concat()),
        sized("gz-empty-body", GZIP, b""),
        sized("gz-head-only", GZIP, &zipped[..10]),
        sized("gz-head-part", GZIP, &zipped[..5]),
        sized("gz-of-nothing", GZIP, gzip(b"")),
        sized("gz-not", GZIP, RULES),
        ok("gz-short", &format!("{GZIP}Content-Length: 900\r\n"), &zipped),
        ok("gz-short-cut", &format!("{GZIP}Content-Length: 900\r\n"), &zipped[..zipped.len() - 12]),
        sized("gz-undeclared", "", &zipped),
        sized("gz-undeclared-cut", "", &zipped[..zipped.len() - 12]),
        sized("zstd-undeclared", "", b"\x28\xB5\x2F\xFD\x20\x20"),
        sized("gz-cap", GZIP, gzip(&vec![b'#'; 512_000])),
        sized("gz-cap-and-1", GZIP, gzip(&vec![b'#'; 512_001])),
        sized("gz-bomb", GZIP, &bomb),
        ok("gz-bomb-cut", &format!("{GZIP}Content-Length: 90000000\r\n"), &bomb),
        ok("gz-endless-name", GZIP, named).then(Then::Repeat(vec![b'a'; 10_000])),
        ok("gz-empty-blocks", GZIP, blocks).then(Then::Repeat(b"\x00\x00\x00\xff\xff".repeat(2_000))),
        ok("gz-empty-members", GZIP, b"").then(Then::Repeat(gzip(b"").repeat(500))),
        sized("gz-gz", GZIP, gzip(&zipped)),
        sized("gz-weighed", "Content-Encoding: gzip;q=1\r\n", &zipped),
        sized("br-cut", "Content-Encoding: br\r\n", b"\x8b\x0c\x80\x55\x73\x65\x72"),
        sized("deflate", "Content-Encoding: deflate\r\n", deflate(rules)),
        sized("deflate-raw", "Content-Encoding: deflate\r\n", &deflate(rules)[2..]),
        sized("deflate-cut", "Content-Encoding: deflate\r\n", &deflate(rules)[..20]),
        sized("latin1-coding", "Content-Encoding: \u{e9}\r\n", RULES),
    ];
    let twice = gzip(&zipped);
    let lines: [(&str, &str, &[u8]); 17] = [
        ("gz-gz-lines", "gzip\r\nContent-Encoding: gzip", &twice),
        ("gz-gz-list", "gzip, gzip", &twice),
        ("gz-br-lines", "gzip\r\nContent-Encoding: br", &zipped),
        ("gz-foo-lines", "gzip\r\nContent-Encoding: foo", &zipped),
        ("br-gz-lines", "br\r\nContent-Encoding: gzip", &zipped),
        ("gz-foo-list", "gzip, foo", &zipped),
        ("gz-identity-lines", "gzip\r\nContent-Encoding: identity", &zipped),
        ("identity", "identity", rules),
        ("identity-none", "identity, none", rules),
        ("none", "none", rules),
        ("utf-8", "utf-8", rules),
        ("empty-coding", "", rules),
        ("br", "br", rules),
        ("zstd", "zstd", rules),
        ("compress", "compress", rules),
        ("aws-chunked", "aws-chunked", rules),
        ("foo", "foo", rules),
    ];
    all.extend(lines.map(|(name, coding, body)| sized(name, &format!("Content-Encoding: {coding}\r\n"), body)));
    all
}

fn transfers() -> Vec<Case> {
    let rules = RULES.as_bytes();
    let zipped = gzip(rules);
    let te = |name: &str, coding: &str, body: &[u8]| ok(name, &format!("Transfer-Encoding: {coding}\r\n"), body);
    let http_10 = |name: &str, lines: &str, body: &[u8]| {
        raw(name, [b"HTTP/1.0 200 OK\r\n", lines.as_bytes(), b"\r\n", body].concat())
    };
    vec![
        te("te-gzip", "gzip, chunked", &chunks(&zipped)),
        te("te-gzip-lines", "gzip\r\nTransfer-Encoding: chunked", &chunks(&zipped)),
        te("te-gzip-only", "gzip", &zipped),
        te("te-foo-chunked", "foo, chunked", &chunks(rules)),
        te("te-foo", "foo", rules),
        te("te-chunked-chunked", "chunked, chunked", &chunks(&chunks(rules))),
        te("te-chunked-lines", "chunked\r\nTransfer-Encoding: chunked", &chunks(&chunks(rules))),
        te("te-chunked-gzip", "chunked, gzip", &chunks(&zipped)),
        te("te-chunked-identity", "chunked, identity", &chunks(rules)),
        te("te-identity", "identity", rules),
        te("te-identity-chunked", "identity, chunked", &chunks(rules)),
        te("te-xchunked", "xchunked", &chunks(rules)),
        te("te-quoted", "\"chunked\"", &chunks(rules)),
        te("te-empty", "", rules),
        te("te-latin1", "\u{e9}", rules),
        te("te-and-length", "chunked\r\nContent-Length: 5", &chunks(rules)),
        te("te-identity-and-length", "identity\r\nContent-Length: 32", rules),
        http_10("http10", "", rules),
        http_10("http10-length", "Content-Length: 32\r\n", rules),
        http_10("http10-short", "Content-Length: 100\r\n", rules),
        http_10("http10-chunked", CHUNKED, &chunks(rules)),
        http_10("http10-te-identity", "Transfer-Encoding: identity\r\n", rules),
        http_10("http10-te-gzip", "Transfer-Encoding: gzip\r\n", &zipped),
        http_10("http10-gz", GZIP, &zipped),
    ]
}

fn heads() -> Vec<Case> {
    let with = |name: &str, line: &str| sized(name, &format!("{line}\r\n"), RULES);
    let mut all = vec![
        with("latin1-header", "X: \u{e9}"),
        with("bad-utf8-header", "X: y"),
        with("nul-header", "X: a\0b"),
        with("nul-location", "Location: http://ok.test/\0"),
        with("ctl-header", "X: a\x01b"),
        with("cr-header", "X: a\rb"),
        with("tab-header", "X: a\tb"),
        with("no-colon", "Nonsense"),
        with("no-name", ": x"),
        with("space-before-colon", "X : y"),
        with("fold", "X: y\r\n  z"),
        with("fold-length", "Content-\r\n Length: 3"),
        with("fold-length-value", "Content-Length:\r\n 14"),
        with("set-cookie", "Set-Cookie: a=b"),
        with("alt-svc", "Alt-Svc: h3=\":443\""),
        with("refresh", "Refresh: 0; url=http://ok.test/"),
        with("content-location", "Content-Location: /other"),
        with("upgrade", "Upgrade: h2c\r\nConnection: upgrade"),
        raw("bare-lf", format!("HTTP/1.1 200 OK\nContent-Length: 32\n\n{RULES}")),
        ok("head-endless", "", b"").then(Then::Close),
    ];
    for length in [60_000, 65_400, 65_536, 70_000, 300_000, 1_000_000] {
        all.push(with(&format!("head-{length}"), &format!("X: {}", "a".repeat(length))));
    }
    for count in [100, 126, 127, 128, 129, 1_000] {
        all.push(sized(&format!("lines-{count}"), &"X: a\r\n".repeat(count - 1), RULES));
    }
    let start = |name: &str| raw(name, "HTTP/1.1 200 OK\r\n");
    all.push(start("head-without-end").then(Then::Repeat(b"X: aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(100))));
    all.push(start("line-without-end").then(Then::Repeat(b"a".repeat(1_000))));
    all.push(raw("flood-100", "").then(Then::Repeat(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000))));
    all.push(raw("flood-103", "").then(Then::Repeat(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n".repeat(1_000))));
    for status in [100, 102, 103, 199] {
        let interim = format!("HTTP/1.1 {status} X\r\n\r\n");
        let rest = format!("HTTP/1.1 200 OK\r\nContent-Length: 32\r\n\r\n{RULES}");
        all.push(raw(format!("one-{status}"), interim.clone() + &rest));
        all.push(raw(format!("only-{status}"), interim));
    }
    all.push(raw("status-101", "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"));
    all
}

fn lengths() -> Vec<Case> {
    let lines = [
        ("same", "32\r\nContent-Length: 32"),
        ("two", "32\r\nContent-Length: 10"),
        ("list", "32, 32"),
        ("list-two", "32, 10"),
        ("negative", "-32"),
        ("plus", "+32"),
        ("huge", "99999999999999999999999"),
        ("over", "18446744073709551616"),
        ("hex", "0x20"),
        ("blank", ""),
        ("word", "x"),
        ("zero", "0"),
        ("zeros", "00032"),
        ("spaces", "  32  "),
        ("inner-space", "3 2"),
        ("list-empty", "32,"),
        ("fraction", "32.0"),
        ("underscore", "3_2"),
        ("vertical-tab", "32\x0b"),
    ];
    lines
        .into_iter()
        .map(|(name, value)| ok(&format!("length-{name}"), &format!("Content-Length: {value}\r\n"), RULES))
        .collect()
}

fn slow() -> Vec<Case> {
    let hang = |case: Case| case.then(Then::Hang);
    vec![
        hang(raw("never", "")),
        hang(raw("silent-head", "HTTP/1.1 200 OK\r\nX:")),
        hang(ok("silent-body", "Content-Length: 100\r\n", "User-agent: *\nDisallow: /x\n")),
        hang(ok("silent-close-delimited", "", RULES)),
        hang(ok("silent-chunk", CHUNKED, chunk(RULES.as_bytes()))),
        hang(ok("silent-gz", &format!("{GZIP}Content-Length: 900\r\n"), gzip(RULES.as_bytes()))),
        raw("drip-head", "HTTP/1.1 200 OK\r\nX: ").then(Then::Drip(b"a".to_vec())),
        raw("drip-100", "").then(Then::Drip(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())),
    ]
}

fn first_lines() -> Vec<Case> {
    let with = |name: &str, line: &[u8]| {
        let rest = format!("\r\nContent-Length: 32\r\n\r\n{RULES}");
        raw(name, [line, rest.as_bytes()].concat())
    };
    vec![
        raw("closes", ""),
        raw("resets", "").then(Then::Reset),
        raw("http09", RULES),
        raw("h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        raw("h2-settings", b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0"),
        raw("tls-alert", b"\x15\x03\x01\0\x02\x02\x28"),
        raw("ssh", "SSH-2.0-OpenSSH_9.9\r\n"),
        raw("smtp", "220 mail.test ESMTP\r\n"),
        raw("ftp", "220 ready\r\n"),
        raw("garbage", b"\xff\xfe\0garbage\r\n\r\n"),
        raw("blank-lines", "\r\n\r\n"),
        raw("part-of-head", "HTTP/1.1 200 OK\r\nContent-Length: 3"),
        with("leading-crlf", b"\r\nHTTP/1.1 200 OK"),
        with("http-2", b"HTTP/2 200 OK"),
        with("http-12", b"HTTP/1.2 200 OK"),
        with("http-19", b"HTTP/1.9 200 OK"),
        with("http-3", b"HTTP/3.0 200 OK"),
        with("icy", b"ICY 200 OK"),
        with("lower", b"http/1.1 200 OK"),
        with("no-reason", b"HTTP/1.1 200"),
        with("no-reason-space", b"HTTP/1.1 200 "),
        with("no-status", b"HTTP/1.1"),
        with("two-spaces", b"HTTP/1.1  200 OK"),
        with("tab", b"HTTP/1.1\t200 OK"),
        with("reason-latin1", b"HTTP/1.1 200 \xe9"),
        with("reason-nul", b"HTTP/1.1 200 a\0b"),
        with("reason-long", format!("HTTP/1.1 200 {}", "x".repeat(100_000)).as_bytes()),
        with("status-word", b"HTTP/1.1 OK OK"),
        with("status-20", b"HTTP/1.1 20 OK"),
        with("status-2x0", b"HTTP/1.1 2x0 OK"),
        with("status-000", b"HTTP/1.1 000 OK"),
        with("status-099", b"HTTP/1.1 099 OK"),
        with("status-1000", b"HTTP/1.1 1000 OK"),
        with("status-0200", b"HTTP/1.1 0200 OK"),
        with("status-2_00", b"HTTP/1.1 2_00 OK"),
        with("status-negative", b"HTTP/1.1 -200 OK"),
    ]
}

fn statuses() -> Vec<Case> {
    let statuses = [
        200, 201, 202, 203, 205, 206, 207, 208, 226, 250, 299, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 350,
        399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422,
        423, 424, 425, 426, 428, 429, 430, 431, 444, 451, 494, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510,
        511, 520, 521, 530, 598, 599, 600, 700, 800, 999,
    ];
    let mut all: Vec<Case> = statuses.iter().map(|&number| status(format!("status-{number}"), number, "")).collect();
    all.push(raw("status-204", format!("HTTP/1.1 204 X\r\n\r\n{RULES}")));
    all.push(raw("status-204-length", format!("HTTP/1.1 204 X\r\nContent-Length: 32\r\n\r\n{RULES}")));
    all.push(status("206-range", 206, "Content-Range: bytes 0-31/900\r\n"));
    all.push(raw("206-cap", "HTTP/1.1 206 X\r\n\r\n").then(Then::Repeat(b"#".repeat(10_000))));
    all.push(raw("206-br", "HTTP/1.1 206 X\r\nContent-Encoding: br\r\n\r\nabc"));
    all.push(raw("404-endless", "HTTP/1.1 404 X\r\n\r\n").then(Then::Repeat(b"#".repeat(10_000))));
    all.push(raw("403-br", "HTTP/1.1 403 X\r\nContent-Encoding: br\r\n\r\nabc"));
    all.push(raw("404-te", "HTTP/1.1 404 X\r\nTransfer-Encoding: foo\r\n\r\nabc"));
    all.push(raw("404-hangs", "HTTP/1.1 404 X\r\nContent-Length: 90\r\n\r\n").then(Then::Hang));
    all.push(raw("404-resets", "HTTP/1.1 404 X\r\nContent-Length: 90\r\n\r\n").then(Then::Hang));
    all
}

fn headers() -> Vec<Case> {
    let long = "a".repeat(600);
    let control =
        |name: &str, value: &str| status(format!("cache-{name}"), 200, &format!("Cache-Control: {value}\r\n"));
    let retry = |name: &str, number: u16, value: &str| {
        status(format!("retry-{name}"), number, &format!("Retry-After: {value}\r\n"))
    };
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    vec![
        control("60", "max-age=60"),
        control("0", "max-age=0"),
        control("huge", "max-age=99999999999999999999"),
        control("negative", "max-age=-1"),
        control("word", "max-age=soon"),
        control("quoted", "max-age=\"60\""),
        control("two", "max-age=60, max-age=30"),
        control("two-lines", "max-age=60\r\nCache-Control: max-age=30"),
        control("no-store", "no-store, max-age=60"),
        control("no-cache", "No-Cache"),
        control("no-cache-field", "no-cache=\"Set-Cookie\", max-age=60"),
        control("quoted-comma", "private=\"a, no-store\", max-age=60"),
        control("shared", "s-maxage=600"),
        control("latin1", "max-age=60, \u{e9}"),
        control("9000", &format!("{}max-age=60", "x, ".repeat(3_000))),
        status("cache-age", 200, "Cache-Control: max-age=60\r\nAge: 50\r\n"),
        status("cache-age-over", 200, "Cache-Control: max-age=60\r\nAge: 500\r\n"),
        status("cache-and-expires", 200, "Cache-Control: max-age=60\r\nExpires: 0\r\n"),
        status("cache-404", 404, "Cache-Control: max-age=60\r\n"),
        status("cache-503", 503, "Cache-Control: max-age=60\r\n"),
        status("expires", 200, &format!("{date}Expires: Sun, 06 Nov 1994 08:50:37 GMT\r\n")),
        status("expires-0", 200, "Expires: 0\r\n"),
        status("expires-past", 200, &format!("{date}Expires: Sun, 06 Nov 1994 08:40:37 GMT\r\n")),
        status("expires-long", 200, &format!("Expires: {long}\r\n")),
        // A redirect leads to it, too: the client waits before it asks the host again.
        retry("503", 503, "3"),
        retry("429", 429, "120"),
        // The site is open, so each client waits for its page.
        retry("404", 404, "2"),
        retry("200", 200, "120"),
        retry("202", 202, "120"),
        retry("206", 206, "120"),
        retry("302", 302, "120"),
        retry("huge", 503, "99999999999999999999999"),
        retry("word", 503, "soon"),
        retry("negative", 503, "-5"),
        retry("date", 503, "Sun, 06 Nov 1994 08:50:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT"),
        retry("past", 503, "Sun, 06 Nov 1994 08:50:37 GMT\r\nDate: Sun, 06 Nov 1994 08:59:37 GMT"),
        retry("two", 503, "120\r\nRetry-After: 5"),
        status("etag", 200, "ETag: \"a\"\r\n"),
        status("etag-weak", 200, "ETag: W/\"a\"\r\n"),
        status("etag-bad", 200, "ETag: abc\r\n"),
        status("etag-inner-quote", 200, "ETag: \"a\"b\"\r\n"),
        status("etag-space", 200, "ETag: \"a b\"\r\n"),
        status("etag-long", 200, &format!("ETag: \"{long}\"\r\n")),
        status("etag-latin1", 200, "ETag: \"\u{e9}\"\r\n"),
        status("last-modified", 200, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
        status("last-modified-bad", 200, "Last-Modified: yesterday\r\n"),
        status("etag-404", 404, "ETag: \"a\"\r\n"),
        status("etag-206", 206, "ETag: \"a\"\r\n"),
    ]
}

pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}
