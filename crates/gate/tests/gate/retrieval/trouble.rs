//! Trouble on our side, and what is the site's.

use robosieve_gate::decide::Class;
use robosieve_gate::retrieve::{AddressGuard, Fetched, Outcome};

use crate::retrieval::play::{World, redirect};

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

/// Ports 80, 443 and those above 1023 are asked, others need leave: [retrieve.ports]
#[test]
fn ports() {
    for (port, asked) in [(1, false), (25, false), (79, false), (80, true), (81, false), (442, false), (443, true)] {
        assert_eq!(AddressGuard::global_only().admits_port(port), asked, "{port}");
    }
    assert_eq!([1_023, 1_024, 65_535].map(|port| AddressGuard::global_only().admits_port(port)), [false, true, true]);
    assert!(AddressGuard::anything().admits_port(25));
    let of_url = |url: &'static str, guard: AddressGuard| {
        World { origin: url, guard, ..World::default() }.all(&Fetched::new(200, ""))
    };
    let refused = of_url("http://example.com:25/", AddressGuard::global_only());
    assert_eq!((refused.outcome, refused.requests), (Outcome::NotAsked, 1));
    assert_eq!(refused.trouble(), Some("refused: port 25 is neither 80, 443 nor above 1023"));
    let allowed = of_url("http://example.com:25/", AddressGuard::global_only().allowing_port(25));
    assert_eq!(allowed.outcome, Outcome::Rules);
}

/// What is kept of a response for conditional requests: only of whole files without redirects, and only what is valid:
/// [retrieve.conditional]
#[test]
fn what_identifies_a_version() {
    let of = |headers: &[(&str, &str)], hops: usize| {
        let file = Fetched::new(200, "").headers(headers.iter().map(|(name, value)| (*name, value.as_bytes())));
        let played = World::default().one(|at, _| if at < hops { redirect(301, "/x") } else { file.clone() });
        let kept = played.retrieval.validators;
        (kept.etag().map(str::to_owned), kept.last_modified().map(str::to_owned))
    };
    let both = (Some("W/\"a-1\"".to_owned()), Some(DATE.to_owned()));
    assert_eq!(of(&[("ETag", "W/\"a-1\""), ("Last-Modified", DATE)], 0), both);
    assert_eq!(of(&[("ETag", "W/\"a-1\""), ("Last-Modified", DATE)], 1), (None, None));
    let longest = format!("\"{}\"", "a".repeat(510));
    assert_eq!(of(&[("ETag", &longest)], 0).0, Some(longest.clone()));
    let longer = format!("\"{}\"", "a".repeat(511));
    for bad in ["a", "\"a", "\"a b\"", "\"a\"b\"", "\"\u{e9}\"", "w/\"a\"", "", &longer] {
        assert_eq!(of(&[("ETag", bad)], 0).0, None, "{bad}");
    }
    for bad in ["0", "yesterday", "", "Sun, 06 Nov 1994 08:49:37 GMT\u{a0}"] {
        assert_eq!(of(&[("Last-Modified", bad)], 0).1, None, "{bad}");
    }
}

/// A `Location` that is not ASCII is a bad answer, not an opening: [retrieve.redirect]
#[test]
fn locations_outside_ascii() {
    for target in [&b"http://ex\xe4mple.com/"[..], "http://ex\u{e4}mple.com/".as_bytes(), b"/\xff", b"/a\x80"] {
        for code in [300, 301, 302, 303, 307, 308] {
            let found = World::default().all(&Fetched::new(code, "").header("Location", target));
            assert_eq!((found.outcome, found.status, found.redirects.len()), (Outcome::Unreachable, Some(code), 0));
            let why = "its Location has a byte outside ASCII";
            assert_eq!(found.words(), format!("status {code}, which is no answer: {why}"));
            assert_eq!(Class::of(&found).words(Some(code)), "an answer that does not count");
            assert_eq!(Class::of(&found).words(Some(500)), "a server error");
        }
    }
}
