//! Trouble on our side, and what is the site's.

use std::net::SocketAddr;

use robosieve_gate::decide::Class;
use robosieve_gate::retrieve::{
    AddressGuard, Attempt, AttemptEnd, Event, Head, Machine, Outcome, Retrieval, RetrievalLimits, Step, Validators,
};
use robosieve_gate::{Moment, Origin};

use crate::retrieval::play::{Reply, World, ip, redirect, rules, several};

fn machine(url: &str) -> Machine {
    Machine::new(Origin::of(url).unwrap(), RetrievalLimits::default(), AddressGuard::global_only(), at(0))
}

fn at(seconds: u64) -> Moment {
    Moment::from_millis(seconds * 1_000)
}

/// Plays one event for each connection, for a host with these addresses.
fn with_events(addresses: &[&str], event: impl Fn(SocketAddr) -> Event<'static>) -> Retrieval {
    let mut machine = machine("http://example.com/");
    let addresses: Vec<_> = addresses.iter().map(|text| ip(text)).collect();
    machine.on(Event::Resolved(&addresses), at(0));
    loop {
        match machine.step() {
            Step::Connect { address, .. } => machine.on(event(address), at(1)),
            Step::Wait { until } => machine.on(Event::Time, until),
            _ => return machine.into_retrieval(at(9)),
        }
    }
}

const V4: &str = "93.184.215.14";
const V6: &str = "2606:4700::1";
const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

/// No descriptor, no name server, no route: the site was not asked: [retrieve.own-trouble]
#[test]
fn trouble_of_ours_is_not_the_sites() {
    let mut unasked = machine("http://example.com/");
    unasked.on(Event::NotAsked("no name server answered"), at(1));
    let retrieval = unasked.into_retrieval(at(1));
    assert_eq!((retrieval.outcome, retrieval.trouble()), (Outcome::NotAsked, Some("no name server answered")));
    for event in [Event::NotAsked("too many open files"), Event::NoRoute("network is unreachable")] {
        let retrieval = with_events(&[V4, V6], |_| event.clone());
        assert_eq!((retrieval.outcome, retrieval.status, retrieval.attempts.len()), (Outcome::NotAsked, None, 4));
    }
}

/// With several addresses: want of descriptors hides the others, want of IPv6 does not: [retrieve.own-trouble]
#[test]
fn trouble_with_one_of_several_addresses() {
    let mixed = |of_v6: Event<'static>| {
        let retrieval =
            with_events(&[V6, V4], |to| if to.is_ipv6() { of_v6.clone() } else { Event::Failed("refused") });
        retrieval.outcome
    };
    assert_eq!(mixed(Event::NoRoute("no route")), Outcome::Unreachable);
    assert_eq!(mixed(Event::NotAsked("no descriptor")), Outcome::NotAsked);
    let answered = with_events(&[V6, V4], |to| {
        if to.is_ipv6() { Event::NotAsked("no descriptor") } else { Event::Head(Head::new(503)) }
    });
    assert_eq!((answered.outcome, answered.status), (Outcome::Unreachable, Some(503)), "a server has answered");
}

/// A name server's denial is the site's failure: [retrieve.resolve] [retrieve.own-trouble]
#[test]
fn a_denied_name_is_the_sites() {
    let mut machine = machine("http://example.com/");
    machine.on(Event::NotResolved("no such name"), at(1));
    assert_eq!(machine.into_retrieval(at(1)).outcome, Outcome::Unreachable);
}

/// A look-up that takes all the time is ours; a connection that does is the site's: [retrieve.own-trouble]
/// [retrieve.budget]
#[test]
fn whose_time_it_was() {
    let budget = RetrievalLimits::DEFAULT.budget.as_secs();
    let mut looking = machine("http://example.com/");
    looking.on(Event::Time, at(budget));
    assert_eq!(looking.into_retrieval(at(budget)).outcome, Outcome::NotAsked);
    let mut connecting = machine("http://example.com/");
    connecting.on(Event::Resolved(&[ip(V4)]), at(0));
    connecting.on(Event::Time, at(budget));
    assert_eq!(connecting.into_retrieval(at(budget)).outcome, Outcome::Unreachable);
}

/// Trouble in the middle of a body: half a file is no file: [retrieve.own-trouble]
#[test]
fn trouble_in_a_body() {
    let mut machine = machine("http://example.com/");
    machine.on(Event::Resolved(&[ip(V4)]), at(0));
    machine.on(Event::Head(Head::new(200)), at(0));
    machine.on(Event::Chunk(b"User-agent: *\n"), at(0));
    machine.on(Event::NoRoute("network is down"), at(1));
    let retrieval = machine.into_retrieval(at(1));
    assert_eq!((retrieval.outcome, retrieval.body.len(), retrieval.cut), (Outcome::NotAsked, 0, None));
}

/// Ports 80, 443 and those above 1023 are asked, others need leave: [retrieve.ports]
#[test]
fn ports() {
    for (port, asked) in [(1, false), (25, false), (79, false), (80, true), (81, false), (442, false), (443, true)] {
        assert_eq!(AddressGuard::global_only().admits_port(port), asked, "{port}");
    }
    assert_eq!([1_023, 1_024, 65_535].map(|port| AddressGuard::global_only().admits_port(port)), [false, true, true]);
    assert!(AddressGuard::anything().admits_port(25));
    let of_url = |url: &'static str, guard: AddressGuard| {
        World { origin: url, guard, ..World::default() }.one(|_, _, _| rules("")).retrieval
    };
    let refused = of_url("http://example.com:25/", AddressGuard::global_only());
    assert_eq!((refused.outcome, refused.attempts.len()), (Outcome::NotAsked, 1));
    assert_eq!(refused.trouble(), Some("refused: port 25 is neither 80, 443 nor above 1023"));
    let allowed = of_url("http://example.com:25/", AddressGuard::global_only().allowing_port(25));
    assert_eq!(allowed.outcome, Outcome::Rules);
}

/// A redirect to another protocol's port is not followed, and the site was not asked: [retrieve.ports]
#[test]
fn ports_of_redirects() {
    for target in ["http://other.example:22/", "http://example.com:25/robots.txt", "https://[2606:4700::1]:993/"] {
        let played = World::default().one(|at, _, _| if at == 0 { redirect(301, target) } else { panic!("{target}") });
        assert_eq!((played.retrieval.outcome, played.asked.len()), (Outcome::NotAsked, 1), "{target}");
        let AttemptEnd::NotAsked(why) = &played.retrieval.attempts[1].end else { panic!("{target}") };
        assert!(why.starts_with("refused: port"), "{why}");
    }
}

/// A 304 that nobody asked for is no answer, like 500: [retrieve.not-modified]
#[test]
fn a_304_out_of_the_blue() {
    let played = World::default().play(|_| several(2), |_, _, _| crate::retrieval::play::status(304));
    assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unreachable, Some(304)));
    assert!(played.retrieval.attempts[0].end.words().contains("nobody asked"));
    assert_eq!(played.asked.len(), 4, "every address, twice");
}

/// A conditional request is made to the site only, not to a redirect's target: [retrieve.conditional]
/// [retrieve.not-modified]
#[test]
fn conditions_go_to_the_first_url_only() {
    let held = Validators::new(Some("\"1\""), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    let asked = |machine: &Machine| match machine.step() {
        Step::Connect { held, .. } => held,
        step => panic!("{step:?}"),
    };
    let mut machine = machine("http://example.com/").conditional(held.clone());
    machine.on(Event::Resolved(&[ip(V4)]), at(0));
    assert_eq!(asked(&machine), held);
    let mut redirected = machine.clone();
    machine.on(Event::Head(Head::new(304).header("ETag", b"\"2\"")), at(1));
    let retrieval = machine.into_retrieval(at(1));
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unchanged, Some(304)));
    assert_eq!(retrieval.validators.etag(), Some("\"2\""));

    redirected.on(Event::Head(Head::new(301).header("Location", b"/other")), at(1));
    redirected.on(Event::Resolved(&[ip(V4)]), at(1));
    assert!(asked(&redirected).is_empty());
    redirected.on(Event::Head(Head::new(304)), at(1));
    assert!(matches!(redirected.step(), Step::Wait { .. }), "nobody asked the target whether it has changed");
}

/// What is kept of a response for conditional requests: only of whole files without redirects, and only what is valid:
/// [retrieve.conditional]
#[test]
fn what_identifies_a_version() {
    let of = |headers: &[(&str, &str)], hops: usize| {
        let played = World::default().one(|at, _, _| {
            if at < hops {
                return redirect(301, "/x");
            }
            let lines = headers.iter();
            let head = lines.fold(Head::new(200), |head, (name, value)| head.header(name, value.as_bytes()));
            Reply::Answer(head, vec![b"User-agent: *\n".to_vec()], None)
        });
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
            let head = || Head::new(code).header("Location", target);
            let played = World::default().one(|_, _, _| Reply::Answer(head(), Vec::new(), None));
            assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unreachable, Some(code)));
            assert!(played.retrieval.redirects.is_empty());
            for attempt in &played.retrieval.attempts {
                let words = attempt.end.words();
                let why = "its Location has a byte outside ASCII";
                assert_eq!(words, format!("status {code}, which is no answer: {why}"));
                let stored = serde_json::to_string(attempt).unwrap();
                assert_eq!(&serde_json::from_str::<Attempt>(&stored).unwrap(), attempt, "{stored}");
            }
            assert_eq!(Class::of(&played.retrieval).words(Some(code)), "an answer that does not count");
            assert_eq!(Class::of(&played.retrieval).words(Some(500)), "a server error");
        }
    }
}
