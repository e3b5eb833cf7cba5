//! The redirects of the table, and where they lead.
//!
//! Invariant: no target is asked but on this machine, at the port of the test.

use crate::cases::{Case, RULES, Then, raw, to};

pub(super) fn redirects(port: u16) -> Vec<Case> {
    let at = format!("http://ok.test:{port}/robots.txt");
    let with = |name: &str, number: u16| {
        raw(name, format!("HTTP/1.1 {number} X\r\nLocation: {at}\r\nContent-Length: 0\r\n\r\n"))
    };
    let mut all: Vec<Case> = [201, 202, 300, 301, 303, 304, 305, 306, 307, 308, 309, 404, 503]
        .map(|number| with(&format!("to-by-{number}"), number))
        .into();
    for hop in 1..=7 {
        let next = if hop == 1 { at.clone() } else { format!("http://to-hop-{}.test:{port}/robots.txt", hop - 1) };
        all.push(to(&format!("to-hop-{hop}"), next));
    }
    let head = |rest: &str| format!("HTTP/1.1 302 X\r\n{rest}\r\n");
    all.extend([
        to("to-itself", format!("http://to-itself.test:{port}/robots.txt")),
        to("to-relative", "/robots.txt"),
        to("to-ok", &at),
        to("to-no-scheme", format!("//ok.test:{port}/robots.txt")),
        to("to-user", format!("http://user:secret@ok.test:{port}/robots.txt")),
        to("to-fragment", format!("{at}#x")),
        to("to-query", format!("{at}?x=y")),
        to("to-upper", format!("HTTP://OK.TEST:{port}/robots.txt")),
        to("to-dot", format!("http://ok.test.:{port}/robots.txt")),
        to("to-space", format!(" {at}  ")),
        to("to-inner-space", format!("{at} x")),
        to("to-tab", format!("http://ok.test:{port}/\trobots.txt")),
        to("to-backslash", format!("http:\\\\ok.test:{port}\\robots.txt")),
        to("to-brace", format!("{at}{{x}}")),
        to("to-percent", format!("http://ok.test:{port}/%zz")),
        to("to-dots", format!("http://ok.test:{port}/{}robots.txt", "a/../".repeat(100))),
        to("to-7000", format!("{at}?{}", "a".repeat(7_000))),
        to("to-8000", format!("{at}?{}", "a".repeat(8_000))),
        to("to-9000", format!("{at}?{}", "a".repeat(9_000))),
        to("to-9000-dots", format!("http://ok.test:{port}/{}robots.txt", "a/../".repeat(1_800))),
        to("to-percent-long", format!("{at}?{}", "|".repeat(3_000))),
        to("to-an-answer-404", format!("http://status-404.test:{port}/robots.txt")),
        to("to-an-answer-403", format!("http://status-403.test:{port}/robots.txt")),
        to("to-an-answer-503", format!("http://retry-503.test:{port}/robots.txt")),
        to("to-an-answer-304", format!("http://status-304.test:{port}/robots.txt")),
        to("to-an-answer-etag", format!("http://etag.test:{port}/robots.txt")),
        to("to-a-cut-answer", format!("http://short.test:{port}/robots.txt")),
        to("to-a-close", format!("http://closes.test:{port}/robots.txt")),
        raw("to-two", head(&format!("Location: {at}\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n"))),
        raw("to-two-back", head(&format!("Location: http://10.0.0.1/\r\nLocation: {at}\r\nContent-Length: 0\r\n"))),
        raw("to-with-body", head(&format!("Location: {at}\r\nContent-Length: 32\r\n")) + RULES),
        raw("to-endless-body", head(&format!("Location: {at}\r\n"))).then(Then::Repeat(b"#".repeat(10_000))),
        raw("to-br", head(&format!("Location: {at}\r\nContent-Encoding: br\r\n"))),
        raw("to-te", head(&format!("Location: {at}\r\nTransfer-Encoding: foo\r\n"))),
        raw("to-hangs", head(&format!("Location: {at}\r\nContent-Length: 90\r\n"))).then(Then::Hang),
    ]);
    all
}

/// Targets of redirects that may not be asked, or are none.
pub(super) fn targets(port: u16) -> Vec<Case> {
    let hosts = [
        ("private", "10.0.0.1"),
        ("metadata", "169.254.169.254"),
        ("other-loopback", "127.0.0.2"),
        ("decimal", "167772161"),
        ("hex", "0x0a000001"),
        ("octal", "012.0.0.1"),
        ("short-address", "10.1"),
        ("mapped", "[::ffff:10.0.0.1]"),
        ("nat64", "[64:ff9b::10.0.0.1]"),
        ("six-to-four", "[2002:a00:1::]"),
        ("compatible", "[::10.0.0.1]"),
        ("loopback-6", "[::1]"),
        ("unspecified", "0.0.0.0"),
        ("unspecified-6", "[::]"),
        ("unique-local", "[fd00::1]"),
        ("link-local-6", "[fe80::1]"),
        ("multicast", "224.0.0.1"),
        ("broadcast", "255.255.255.255"),
        ("documentation", "192.0.2.1"),
        ("private-name", "private.test"),
        ("metadata-name", "metadata.test"),
        ("mixed-name", "mixed.test"),
        ("mapped-name", "mapped.test"),
        ("private-name-dot", "private.test."),
    ];
    let mut all: Vec<Case> =
        hosts.into_iter().map(|(name, host)| to(&format!("to-{name}"), format!("http://{host}:{port}/x"))).collect();
    all.extend([
        to("to-port-22", "http://ok.test:22/"),
        to("to-port-25", "http://ok.test:25/"),
        to("to-port-0", "http://ok.test:0/"),
        to("to-port-99999", "http://ok.test:99999/"),
        to("to-port-1023", "http://ok.test:1023/"),
        to("to-file", "file:///etc/passwd"),
        to("to-ftp", "ftp://ok.test/robots.txt"),
        to("to-data", "data:text/plain,User-agent:%20*"),
        to("to-javascript", "javascript:alert(1)"),
        to("to-unix", "unix:/run/x"),
        to("to-gopher", "gopher://ok.test/"),
        to("to-ws", format!("ws://ok.test:{port}/")),
        to("to-nothing", ""),
        to("to-blank", "   "),
        to("to-hash", "#x"),
        to("to-no-host", "http://"),
        to("to-bad-host", "http://a b/"),
        to("to-brace-host", "http://{x}/"),
        to("to-bad-bracket", "http://[::1/"),
        to("to-bad-port", "http://ok.test:x/"),
        to("to-utf8", format!("http://ok.test:{port}/\u{e9}")),
        to("to-utf8-host", format!("http://\u{e9}.test:{port}/")),
        to("to-latin1", [format!("http://ok.test:{port}/").as_bytes(), b"\xe9"].concat()),
        to("to-nul", format!("http://ok.test:{port}/\0")),
    ]);
    all
}
