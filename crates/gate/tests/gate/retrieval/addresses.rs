use robosieve_gate::decide::Class;
use robosieve_gate::retrieve::{AttemptEnd, Outcome};

use crate::retrieval::play::{Reply, World, ip, rules, several, status};

/// Each address is tried in the order of the look-up, until one answers below 500: [retrieve.addresses]
#[test]
fn failures_and_bad_statuses_go_on_with_the_next() {
    let played = World::default().play(
        |_| several(5),
        |at, _, _| match at {
            0 => Reply::Fail,
            1 => status(500),
            2 => status(599),
            _ => rules("User-agent: *\nDisallow: /x\n"),
        },
    );
    let asked: Vec<_> = played.asked.iter().map(|(address, _)| address.ip()).collect();
    assert_eq!(asked, several(5)[..4]);
    assert_eq!(played.retrieval.outcome, Outcome::Rules);
    assert_eq!(played.retrieval.body, b"User-agent: *\nDisallow: /x\n");
    let ends: Vec<_> = played.retrieval.attempts.iter().map(|attempt| attempt.end.clone()).collect();
    let failed = AttemptEnd::Failed("connection refused".into());
    assert_eq!(ends, [failed, AttemptEnd::Status(500), AttemptEnd::Status(599), AttemptEnd::Status(200)]);
    assert!(played.waits.is_empty());
}

/// An answer below 500 ends the round, whatever other addresses would answer: [retrieve.addresses]
#[test]
fn an_answer_below_500_stops() {
    for code in [200, 305, 400, 403, 404, 429, 499] {
        let played = World::default().play(|_| several(3), |_, _, _| status(code));
        assert_eq!(played.asked.len(), 1, "{code}");
    }
}

/// A name without an address is unreachable at once, without a second round: [retrieve.resolve]
#[test]
fn no_address_no_wait() {
    let played = World::default().play(|_| Vec::new(), |_, _, _| panic!("nothing to connect to"));
    assert_eq!(played.retrieval.outcome, Outcome::Unreachable);
    assert_eq!(played.retrieval.status, None);
    assert_eq!(played.looked_up, ["example.com"]);
    assert!(played.waits.is_empty());
    let [attempt] = &played.retrieval.attempts[..] else { panic!() };
    assert_eq!((attempt.address, &attempt.end), (None, &AttemptEnd::Failed("no such name".into())));
}

/// An address in the URL is not looked up: [retrieve.resolve]
#[test]
fn an_address_needs_no_resolver() {
    for (origin, address) in
        [("http://93.184.215.14:8080/", "93.184.215.14:8080"), ("https://[2606:2800::1]/", "[2606:2800::1]:443")]
    {
        let world = World { origin, ..World::default() };
        let played = world.play(|_| panic!("looked up"), |_, _, _| status(404));
        assert_eq!(played.asked[0].0, address.parse().unwrap());
    }
}

/// An address found twice, in either form, is tried once a round: [retrieve.addresses]
#[test]
fn an_address_found_twice_is_tried_once() {
    let doubled = || vec![ip("93.184.215.14"), ip("::ffff:93.184.215.14"), ip("93.184.215.14")];
    let played = World::default().play(|_| doubled(), |_, _, _| Reply::Fail);
    assert_eq!(played.asked.len(), 2);
    assert!(played.asked.iter().all(|(address, _)| address.ip() == ip("93.184.215.14")));
}

/// The outcome and the class of each status, from one address: [retrieve.status] [gate.class]
#[test]
fn statuses() {
    for code in 0..=1_000 {
        let outcome = match code {
            206 => Outcome::Truncated,
            200..=299 => Outcome::Rules,
            400 | 404 | 410 => Outcome::NoRules,
            300..=303 | 305..=499 => Outcome::Unavailable,
            _ => Outcome::Unreachable,
        };
        let class = match code {
            0..=199 => Class::NoAnswer,
            200 => Class::Success,
            206 => Class::Interrupted,
            202 | 204 | 205 => Class::NoContent,
            407 | 408 | 421 | 425 => Class::NotServed,
            201..=299 => Class::OtherSuccess,
            304 | 500.. => Class::ServerError,
            300..=399 => Class::Redirect,
            400 | 404 | 410 => Class::NoFile,
            401 | 403 => Class::Forbidden,
            429 => Class::TooManyRequests,
            402..=499 => Class::OtherRefusal,
        };
        let played = World::default().one(|_, _, _| status(code));
        assert_eq!((played.retrieval.outcome, Class::of(&played.retrieval)), (outcome, class), "{code}");
        let counted = (code >= 200).then_some(code);
        assert_eq!(played.retrieval.status, counted, "{code}");
        let tries = if outcome == Outcome::Unreachable { 2 } else { 1 };
        assert_eq!(played.asked.len(), tries, "{code}");
    }
    assert_eq!(Class::of(&World::default().one(|_, _, _| Reply::Fail).retrieval), Class::NoAnswer);
}
