//! A retrieval under any responses, at any time.

use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Fetched, Follow, Outcome, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{Moment, Origin};

use super::choices::Choices;

const STATUSES: [u16; 14] = [0, 100, 101, 200, 204, 206, 301, 302, 304, 307, 404, 429, 503, 65_535];
const TARGETS: [&str; 7] =
    ["/a", "http://b.example/", "https://127.0.0.1/", "file:///x", "", "http://[2606:4700::1]:81/", "//c.example:0/"];
const ADDRESSES: [&str; 6] = ["93.184.215.14", "93.184.215.15", "127.0.0.1", "::1", "2606:4700::1", "::ffff:1.2.3.4"];
const NAMES: [&str; 8] = [
    "Location",
    "Retry-After",
    "Content-Type",
    "Content-Encoding",
    "Content-Length",
    "Cache-Control",
    "ETag",
    "Last-Modified",
];
const VALUES: [&str; 12] = [
    "text/html",
    "gzip",
    "gzip, br",
    "0",
    "59",
    "18446744073709551616",
    "max-age=60",
    "no-store, max-age=-1",
    "\"1\"",
    "W/\"\"",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "x",
];

fn fetched(choices: &mut impl Choices) -> Fetched {
    let body = match choices.below(4) {
        0 => choices.bytes(60),
        _ => vec![b'x'; choices.below(130)],
    };
    let mut fetched =
        Fetched::new(choices.one_of(&STATUSES), body).header("Location", choices.one_of(&TARGETS).as_bytes());
    for _ in 0..choices.below(4) {
        let name = choices.one_of(&NAMES);
        let value = match choices.below(3) {
            0 => choices.bytes(40),
            _ => choices.one_of(&VALUES).as_bytes().to_vec(),
        };
        fetched = fetched.header(name, &value);
    }
    match choices.below(8) {
        0 => Fetched::failed("failed"),
        1 => Fetched::not_asked("no descriptor"),
        2 => fetched.broken_off(),
        3 => fetched.decoded(),
        4 => fetched.from_address(choices.one_of(&ADDRESSES).parse().expect("it is an address")),
        _ => fetched,
    }
}

/// Any responses, at any time: no panic, an end, nothing over a limit, no request that the guard forbids. -> the
/// retrieval.
pub(crate) fn any_responses(choices: &mut impl Choices) -> Retrieval {
    let limits = RetrievalLimits {
        max_bytes: choices.one_of(&[100, 100, 100, 0, 1, usize::MAX]),
        max_redirects: choices.one_of(&[3, 3, 3, 0, 1, usize::MAX]),
        budget: choices.one_of(&[Duration::from_secs(60), Duration::from_secs(60), Duration::ZERO, Duration::MAX]),
        ..RetrievalLimits::default()
    };
    let mut now = Moment::from_millis(1_000_000);
    let guard = if choices.below(3) == 0 { AddressGuard::anything() } else { AddressGuard::global_only() };
    let origin = Origin::of("https://a.example:8443/").expect("it is a URL");
    let held = Validators::new(Some("\"1\"").filter(|_| choices.below(2) == 0), None);
    let mut then = Follow::begin(&origin, limits, &guard, held, now);
    let mut requests = 0;
    let retrieval = loop {
        let mut follow = match then {
            Err(retrieval) => break *retrieval,
            Ok(follow) => follow,
        };
        let request = follow.request();
        requests += 1;
        assert!(requests <= limits.max_redirects.saturating_add(1));
        assert!(matches!(request.url.scheme(), "http" | "https"), "{}", request.url);
        let address = request.url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().ok());
        assert!(address.is_none_or(|address| guard.refusal(address).is_none()), "{}", request.url);
        if choices.below(5) == 0 {
            follow.wait(Duration::from_millis(choices.below(5_000) as u64));
        }
        now = match choices.below(10) {
            0 => now.after(Duration::from_secs(choices.below(70) as u64)),
            1 => Moment::from_millis(now.as_millis() - 1_000),
            _ => now.after(Duration::from_millis(choices.below(100) as u64)),
        };
        if choices.below(20) == 0 {
            break follow.put_off(now.after(Duration::from_secs(9)), now);
        }
        then = follow.came(fetched(choices), now);
    };
    assert_eq!(retrieval.origin, origin);
    assert!(retrieval.body.len() <= limits.max_bytes);
    assert!(retrieval.redirects.len() <= limits.max_redirects);
    assert!(retrieval.retry_after.is_none_or(|after| after <= Duration::from_secs(86_400)));
    let has_body = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
    assert!(has_body || retrieval.body.is_empty());
    assert_eq!(retrieval.cut.is_some(), retrieval.outcome == Outcome::Truncated);
    assert_eq!(has_body, retrieval.status.is_some_and(|status| (200..300).contains(&status)));
    retrieval
}
