//! A retrieval that the caller makes in steps.

use std::sync::Arc;
use std::time::Duration;

use robosieve_gate::ask::{Errand, Flight, Todo};
use robosieve_gate::retrieve::{Fetched, Request, RetrievalLimits};
use robosieve_gate::{Answer, GateCore, Next};

use crate::making::{FILE, at};

const URL: &str = "https://example.com/private/a";

fn core() -> Arc<GateCore> {
    let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::DEFAULT };
    Arc::new(crate::making::core().with_limits(limits))
}

fn flight(core: &GateCore) -> Flight {
    match core.ask_permission(URL, at(0)).unwrap() {
        Next::Retrieve(flight) => flight,
        other => panic!("{other:?}"),
    }
}

fn request(todo: Todo) -> (Request, Duration) {
    match todo {
        Todo::Request { request, wait } => (*request, wait),
        other => panic!("{other:?}"),
    }
}

/// A redirect is one request more, in its turn; at the end the core has learnt the file. [gate.errand]
#[test]
fn a_redirect_then_rules() {
    let core = core();
    let mut errand = Errand::new(&core, flight(&core), at(0));
    let (first, wait) = request(errand.step(at(0)).unwrap());
    assert_eq!((first.url.as_str(), wait), ("https://example.com/robots.txt", Duration::ZERO));
    assert_eq!(request(errand.step(at(0)).unwrap()).0, first, "the same until its response came");
    errand.came(Fetched::new(301, "").header("Location", b"/robots-new.txt"), at(0));
    let second = Duration::from_secs(1);
    assert_eq!(errand.step(at(0)).unwrap(), Todo::Wait(second), "its host's next slot");
    assert_eq!(errand.step(at(0)).unwrap(), Todo::Wait(second), "asked too early");
    let (second, wait) = request(errand.step(at(1)).unwrap());
    assert_eq!((second.url.path(), second.hop, wait), ("/robots-new.txt", 1, Duration::ZERO));
    assert!(matches!(core.ask_permission(URL, at(1)).unwrap(), Next::Wait(_)), "others wait");
    errand.came(Fetched::new(200, FILE), at(1));
    assert_eq!(errand.step(at(1)).unwrap(), Todo::Done);
    assert!(errand.origin().is_none());
    let Next::Answer(answer) = core.ask_permission(URL, at(1)).unwrap() else { panic!() };
    assert!(matches!(answer, Answer::Denied { .. }));
    // What comes too late changes nothing.
    errand.came(Fetched::new(404, ""), at(2));
    assert_eq!(errand.step(at(2)).unwrap(), Todo::Done);
}

/// Dropped before its end, it leaves the retrieval to the next caller, and the site is not charged. [gate.errand]
#[test]
fn dropped_before_its_end() {
    let core = core();
    let mut errand = Errand::new(&core, flight(&core), at(0));
    request(errand.step(at(0)).unwrap());
    assert!(matches!(core.ask_permission(URL, at(0)).unwrap(), Next::Wait(_)));
    drop(errand);
    flight(&core);
}

/// Trouble of the caller's is not the site's: nothing is learnt, and nothing opens. [gate.errand]
#[test]
fn not_asked() {
    let core = core();
    let mut errand = Errand::new(&core, flight(&core), at(0));
    request(errand.step(at(0)).unwrap());
    errand.came(Fetched::not_asked("no file descriptor"), at(0));
    assert!(errand.step(at(0)).is_err());
    assert!(core.ask_permission(URL, at(1)).is_err(), "held off");
    assert_eq!(core.report(&robosieve_gate::Origin::of(URL).unwrap(), at(1)).unwrap(), None);
}
