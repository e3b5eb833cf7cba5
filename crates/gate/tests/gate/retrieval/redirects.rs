use robosieve_gate::decide::Class;
use robosieve_gate::retrieve::{Outcome, RetrievalLimits};

use crate::retrieval::play::{World, redirect, rules, status};

/// Five redirects are followed, a sixth is not: [retrieve.redirect] [retrieve.limits]
#[test]
fn five_and_no_more() {
    for (hops, outcome) in [(4, Outcome::Rules), (5, Outcome::Rules), (6, Outcome::Unavailable)] {
        let server = |at: usize, _, _: &str| if at < hops { redirect(301, &format!("/{at}")) } else { rules("") };
        let played = World::default().one(server);
        assert_eq!(played.retrieval.outcome, outcome, "{hops}");
        assert_eq!(played.retrieval.redirects.len(), hops.min(5));
        assert_eq!(played.asked.len(), hops.min(5) + 1);
        assert_eq!(played.retrieval.status, Some(if outcome == Outcome::Rules { 200 } else { 301 }));
    }
    let limits = RetrievalLimits { max_redirects: 0, ..RetrievalLimits::default() };
    let played = World { limits, ..World::default() }.one(|_, _, _| redirect(302, "/x"));
    assert_eq!((played.retrieval.outcome, played.asked.len()), (Outcome::Unavailable, 1));
}

/// A loop ends like any other series of redirects: [retrieve.redirect]
#[test]
fn loops_end() {
    let played = World::default().one(|_, _, url| redirect(302, url));
    assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unavailable, Some(302)));
    assert_eq!(played.asked.len(), 6);
}

/// Which statuses redirect and which do not: [retrieve.redirect]
#[test]
fn which_statuses_redirect() {
    for code in 300..=399 {
        let follows = matches!(code, 300..=303 | 307 | 308);
        let played = World::default().one(|at, _, _| if at == 0 { redirect(code, "/x") } else { rules("") });
        let other = if code == 304 { Outcome::Unreachable } else { Outcome::Unavailable };
        assert_eq!(played.retrieval.outcome, if follows { Outcome::Rules } else { other }, "{code}");
        let expected = if code == 304 { Outcome::Unreachable } else { Outcome::Unavailable };
        assert_eq!(World::default().one(|_, _, _| status(code)).retrieval.outcome, expected, "{code}");
    }
}

/// Only http and https targets, and only valid URLs: [retrieve.redirect] [gate.class]
#[test]
fn bad_targets_are_unavailable() {
    for target in [
        "file:///etc/passwd",
        "ftp://example.com/robots.txt",
        "gopher://127.0.0.1:70/_x",
        "data:text/plain,User-agent:*",
        "javascript:1",
        "about:blank",
        "ws://example.com/",
        "http://",
        "http://exa mple.com/",
        "http://[::1",
        "http://a:99999/",
    ] {
        let played = World::default().one(|_, _, _| redirect(301, target));
        assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unavailable, Some(301)), "{target}");
        assert!(played.retrieval.redirects.is_empty(), "{target}");
        assert_eq!(Class::of(&played.retrieval), Class::Redirect, "{target}");
    }
}

/// User, password and fragment of a target are dropped: [retrieve.redirect]
#[test]
fn no_credentials_from_a_redirect() {
    let server = |at, _, _: &str| if at == 0 { redirect(301, "http://a:b@other.example/r#f") } else { rules("") };
    let played = World::default().one(server);
    assert_eq!(played.asked[1], "http://other.example/r");
}
