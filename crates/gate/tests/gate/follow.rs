//! What a retrieval makes of responses, without sockets and clocks. Its table with servers is in `tests/responses`.

use std::time::Duration;

use robosieve_gate::retrieve::{
    AddressGuard, Fetched, Follow, Outcome, Request, Retrieval, RetrievalLimits, Then, Validators,
};
use robosieve_gate::{Moment, Origin};

use crate::properties::Random;
use crate::properties::follow::any_responses;

const BEGAN: Moment = Moment::from_millis(1_700_000_000_000);

fn after(milliseconds: u64) -> Moment {
    BEGAN.after(Duration::from_millis(milliseconds))
}

fn begin(url: &str, guard: &AddressGuard, held: Validators) -> Then {
    Follow::begin(&Origin::of(url).unwrap(), RetrievalLimits::default(), guard, held, BEGAN)
}

#[track_caller]
fn request(then: Then) -> (Follow, Request) {
    let follow = *then.unwrap();
    let request = follow.request().clone();
    (follow, request)
}

#[track_caller]
fn done(then: Then) -> Retrieval {
    *then.unwrap_err()
}

fn to(location: &str) -> Fetched {
    Fetched::new(302, "").header("Location", location.as_bytes())
}

/// The first request is conditional if a copy is held, and a 304 to it says that the copy is the file. After a redirect
/// there is no condition, so a 304 is no answer: [retrieve.conditional] [retrieve.not-modified]
#[test]
fn conditions() {
    let guard = AddressGuard::global_only();
    let held = Validators::new(Some("\"a\""), None);
    let (follow, first) = request(begin("https://example.com/a", &guard, held.clone()));
    assert_eq!((first.url.as_str(), &first.held), ("https://example.com/robots.txt", &held));
    let same = Fetched::new(304, "").header("ETag", b"\"b\"").header("Cache-Control", b"max-age=60");
    let unchanged = done(follow.clone().came(same, BEGAN));
    assert_eq!((unchanged.outcome, unchanged.status), (Outcome::Unchanged, Some(304)));
    assert_eq!((unchanged.validators.etag(), unchanged.fresh_for), (Some("\"b\""), Some(Duration::from_secs(60))));
    let (follow, second) = request(follow.came(to("/other"), BEGAN));
    assert!(second.held.is_empty());
    let nothing = done(follow.came(Fetched::new(304, ""), BEGAN));
    assert_eq!((nothing.outcome, nothing.status), (Outcome::Unreachable, Some(304)));
    assert!(nothing.words().contains("nobody asked"));
    let (follow, _) = request(begin("https://example.com/", &guard, Validators::default()));
    assert_eq!(done(follow.came(Fetched::new(304, ""), BEGAN)).outcome, Outcome::Unreachable);
}

/// The result belongs to the first origin. Its redirects are shown without secrets: [retrieve.origin]
/// [retrieve.redirect]
#[test]
fn the_first_origin_has_the_rules() {
    let guard = AddressGuard::global_only();
    let (follow, _) = request(begin("http://example.com/", &guard, Validators::default()));
    let (follow, next) = request(follow.came(to("https://u:p@other.example/x#y"), BEGAN));
    assert_eq!((next.url.as_str(), next.hop), ("https://other.example/x", 1));
    let found = done(follow.came(Fetched::new(200, "User-agent: *\n").header("ETag", b"\"a\""), after(70)));
    assert_eq!((found.origin, found.outcome), (Origin::of("http://example.com/").unwrap(), Outcome::Rules));
    assert_eq!((found.redirects, found.validators.is_empty()), (vec!["https://other.example/x".to_owned()], true));
    assert_eq!((found.began, found.ended), (BEGAN, after(70)));
}

/// Trouble of ours is none of the site's, at any request: [retrieve.own-trouble]
#[test]
fn own_trouble() {
    let guard = AddressGuard::global_only();
    let (follow, _) = request(begin("http://example.com/", &guard, Validators::default()));
    for follow in [follow.clone(), request(follow.clone().came(to("/x"), BEGAN)).0] {
        let ours = done(follow.clone().came(Fetched::not_asked("no descriptor"), BEGAN));
        assert_eq!((ours.outcome, ours.status, ours.trouble()), (Outcome::NotAsked, None, Some("no descriptor")));
        let site = done(follow.clone().came(Fetched::failed("reset"), BEGAN));
        assert_eq!((site.outcome, site.trouble()), (Outcome::Unreachable, None));
        assert_eq!(site.error.as_deref(), Some("reset"));
        // An address that the caller's client was connected to.
        let inner = Fetched::new(200, "Allow: /").from_address("10.0.0.1".parse().unwrap());
        let refused = done(follow.came(inner, BEGAN));
        assert_eq!(refused.outcome, Outcome::NotAsked);
        assert!(refused.trouble().unwrap().starts_with(AddressGuard::REFUSED));
    }
    // No client is asked for these, nor for a redirect to them.
    for url in ["http://10.0.0.1/", "http://localhost/", "http://a.localhost/", "http://[::1]/", "http://a.test:25/"] {
        for then in [begin(url, &guard, Validators::default()), follow.clone().came(to(url), BEGAN)] {
            assert_eq!(done(then).outcome, Outcome::NotAsked, "{url}");
        }
    }
    let (follow, _) = request(begin("http://a.test:25/", &guard.allowing_port(25), Validators::default()));
    assert_eq!(done(follow.came(Fetched::new(404, ""), BEGAN)).outcome, Outcome::NoRules);
}

/// A wait for a slot takes nothing of the site's time, and no redirect is followed after its end: [retrieve.budget]
#[test]
fn the_budget() {
    let guard = AddressGuard::global_only();
    let (mut follow, first) = request(begin("http://example.com/", &guard, Validators::default()));
    assert_eq!(first.time, Duration::from_secs(60));
    let late = done(follow.clone().came(to("/x"), after(60_000)));
    assert_eq!((late.outcome, late.status, late.redirects.len()), (Outcome::Unreachable, None, 1));
    follow.wait(Duration::from_secs(5));
    let (follow, second) = request(follow.came(to("/x"), after(64_999)));
    assert_eq!(second.time, Duration::from_millis(1));
    let off = follow.clone().put_off(after(90_000), after(64_999));
    assert_eq!((off.outcome, off.not_before, off.status), (Outcome::NotAsked, Some(after(90_000)), None));
    let found = done(follow.came(Fetched::new(404, ""), after(65_100)));
    assert_eq!((found.waited, found.took()), (Duration::from_secs(5), Duration::from_millis(60_100)));
}

/// Foreign reasons are short and on one line: [retrieve.total] [harmless.bytes] [harmless.lines]
#[test]
fn reasons_are_short() {
    let guard = AddressGuard::global_only();
    let (follow, _) = request(begin("http://example.com/", &guard, Validators::default()));
    let long = "\x1b[31m\r\n".to_owned() + &"\u{e9}".repeat(100_000);
    let failed = done(follow.came(Fetched::failed(long), BEGAN));
    let why = failed.error.unwrap();
    assert!((195..=200).contains(&why.len()) && why.ends_with('\u{e9}'), "{why}");
    assert!(why.chars().all(robosieve_printable::is_shown), "{why}");
}

/// Any responses, at any time: [retrieve.total]
#[test]
fn any_responses_at_any_time() {
    let mut outcomes = [0; 7];
    for seed in 0..8_000 {
        outcomes[any_responses(&mut Random(seed)).outcome as usize] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 20), "{outcomes:?}");
}
