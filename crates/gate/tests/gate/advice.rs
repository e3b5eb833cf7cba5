//! Advice: what interfaces to other languages say.

use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::ask::{Advice, Errand, Todo};
use robosieve_gate::decide::Class;
use robosieve_gate::keep::StoreError;
use robosieve_gate::retrieve::{Fetched, RetrievalLimits};
use robosieve_gate::{Answer, GateCore, GateError, MemoryStore, Moment, Next, Why};

/// Only an answer that allows is `go`: [gate.advice]
#[test]
fn only_what_is_allowed_goes() {
    let now = Moment::from_millis(1_000);
    let until = Moment::from_millis(5_000);
    let not_now = |why| Answer::NotNow { until, why };
    let unreachable = Why::Unreachable { class: Class::Success, failures: 1 };
    let second = Duration::from_secs(1);
    for (answer, action, reason, wait) in [
        (Answer::Allowed { wait: second, ignored: false, shortened: None }, "go", "allowed", 1),
        (Answer::Allowed { wait: Duration::ZERO, ignored: true, shortened: None }, "go", "ignored", 0),
        (Answer::Denied { rule: "Disallow: /a".into(), line: 2 }, "no", "rule", 0),
        (Answer::Closed { status: Some(503), failures: 1, until }, "no", "closed", 0),
        (not_now(unreachable), "no", "unreachable", 0),
        (not_now(Why::Pace), "wait", "pace", 4),
        (not_now(Why::Queue), "wait", "queue", 4),
        (not_now(Why::Held), "wait", "held", 4),
    ] {
        let advice = Advice::of_answer(&answer, now);
        assert_eq!(
            (advice.action, advice.reason, advice.wait),
            (action, reason, Duration::from_secs(wait)),
            "{answer}"
        );
        assert_eq!(advice.action == "go", answer.is_allowed());
    }
    let store = GateError::Store(StoreError::Failed("gone".into()));
    let advice = Advice::of_error(&store, "allow_private", now);
    assert_eq!((advice.action, advice.reason, advice.until), ("no", "store", Some(Moment::from_millis(11_000))));
    for advice in [Advice::no_url("x"), Advice::pending(), Advice::learnt("x"), Advice::of_todo(&Todo::Done)] {
        assert_ne!(advice.action, "go");
    }
    let json = serde_json::to_value(Advice::of_answer(&not_now(Why::Pace), now)).unwrap();
    assert_eq!((&json["wait_ms"], &json["until_ms"]), (&4_000.into(), &5_000.into()));
}

/// An answer after a retrieval that failed says how it ended, and after how many requests: [gate.advice]
#[test]
fn the_last_error_stands_next_to_the_answer() {
    let (url, now) = ("https://example.com/a", Moment::from_millis(1_000_000));
    let said = |came: Vec<Fetched>| {
        let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::DEFAULT };
        let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])).with_limits(limits);
        let core = Arc::new(core);
        let Next::Retrieve(flight) = core.ask_permission(url, now).unwrap() else { panic!() };
        let (mut errand, mut came, mut then) = (Errand::new(&core, flight, now), came.into_iter(), now);
        loop {
            match errand.step(then) {
                Ok(Todo::Request { .. }) => errand.came(came.next().unwrap(), then),
                Ok(Todo::Wait(wait)) => then = then.after(wait),
                Ok(Todo::Done) | Err(_) => break,
            }
        }
        match core.ask_permission(url, then) {
            Ok(Next::Answer(answer)) => Advice::about(&core, url, &answer, then),
            Err(error) => Advice::of_error(&error, "allow_private", then),
            Ok(_) => panic!("it was retrieved"),
        }
    };
    let broken = "status 200, then: its body is not whole";
    let moved = || Fetched::new(302, "").header("Location", b"https://www.example.com/robots.txt");
    for (came, error, attempts) in [
        (vec![Fetched::new(404, "")], None, 0),
        (vec![moved(), Fetched::new(200, "")], None, 0),
        (vec![Fetched::failed("reset")], Some("reset"), 1),
        (vec![moved(), Fetched::new(503, "")], Some("status 503"), 2),
        (vec![Fetched::new(200, "User").broken_off()], Some(broken), 1),
        (vec![Fetched::not_asked("no descriptor")], Some("no descriptor"), 0),
    ] {
        let advice = said(came);
        assert_eq!((advice.error.as_deref(), advice.attempts), (error, attempts), "{advice:?}");
    }
}
