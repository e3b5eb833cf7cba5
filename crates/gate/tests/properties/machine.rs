//! The retrieval machine under any events, in any order, at any time.

use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::retrieve::{
    AddressGuard, Event, Head, Machine, Outcome, Retrieval, RetrievalLimits, Step, Validators,
};
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

fn head(choices: &mut impl Choices) -> Head {
    let mut head = Head::new(choices.one_of(&STATUSES)).header("Location", choices.one_of(&TARGETS).as_bytes());
    for _ in 0..choices.below(4) {
        let name = choices.one_of(&NAMES);
        let value = match choices.below(3) {
            0 => choices.bytes(40),
            _ => choices.one_of(&VALUES).as_bytes().to_vec(),
        };
        head = head.header(name, &value);
    }
    head
}

/// Any event happens.
pub(crate) fn any_event(choices: &mut impl Choices, machine: &mut Machine, now: Moment) {
    let head = head(choices);
    let addresses: Vec<IpAddr> =
        (0..choices.below(20)).filter_map(|_| choices.one_of(&ADDRESSES).parse().ok()).collect();
    let chunk = match choices.below(4) {
        0 => choices.bytes(60),
        _ => vec![b'x'; choices.below(60)],
    };
    machine.on(
        match choices.below(10) {
            0 => Event::Resolved(&addresses),
            1 => Event::NotResolved("no"),
            2 => Event::Failed("failed"),
            3 => Event::Head(head),
            4 => Event::Chunk(&chunk),
            5 => Event::End,
            6 => Event::BrokenOff("broken"),
            7 => Event::NotAsked("no descriptor"),
            8 => Event::NoRoute("no route"),
            _ => Event::Time,
        },
        now,
    );
}

/// No panic, no step after the end, nothing over a limit, no address that the guard forbids. -> the retrieval, and
/// whether the machine came to its end by itself.
pub(crate) fn any_events(choices: &mut impl Choices) -> (Retrieval, bool) {
    let limits = RetrievalLimits { max_bytes: 100, max_redirects: 3, max_addresses: 4, ..RetrievalLimits::default() };
    let most_attempts = (limits.max_redirects + 1) * limits.max_addresses * (limits.extra_rounds as usize + 1) + 1;
    let mut now = Moment::from_millis(1_000_000);
    let guard = if choices.below(3) == 0 { AddressGuard::anything() } else { AddressGuard::global_only() };
    let origin = Origin::of("https://a.example:8443/").expect("it is a URL");
    let mut machine = Machine::new(origin.clone(), limits, guard.clone(), now);
    if choices.below(2) == 0 {
        machine = machine.conditional(Validators::new(Some("\"1\""), None));
    }
    for _ in 0..choices.below(300) {
        let before = machine.step();
        any_event(choices, &mut machine, now);
        if let Step::Connect { address, url, .. } = machine.step() {
            assert!(guard.admits(address.ip()).is_ok(), "{address}");
            assert!(matches!(url.scheme(), "http" | "https"), "{url}");
        }
        assert!(before != Step::Done || machine.step() == Step::Done);
        now = match choices.below(10) {
            0 => now.after(Duration::from_secs(2)),
            1 => Moment::from_millis(now.as_millis() - 1_000),
            _ => now.after(Duration::from_millis(choices.below(100) as u64)),
        };
    }
    let has_ended = machine.step() == Step::Done;
    let retrieval = machine.into_retrieval(now);
    assert_eq!(retrieval.origin, origin);
    assert!(retrieval.body.len() <= limits.max_bytes);
    assert!(retrieval.redirects.len() <= limits.max_redirects);
    assert!(retrieval.attempts.len() <= most_attempts, "{}", retrieval.attempts.len());
    let has_body = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
    assert!(has_body || retrieval.body.is_empty());
    assert_eq!(retrieval.cut.is_some(), retrieval.outcome == Outcome::Truncated);
    assert_eq!(has_body, retrieval.status.is_some_and(|status| (200..300).contains(&status)));
    (retrieval, has_ended)
}
