//! The core's steps: asking, the requests of a retrieval, what is learnt, and who retrieves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Fetched, Outcome, RetrievalLimits};
use robosieve_gate::{Action, Answer, Ask, Core, Errand, MemoryStore, Moment, Next};

use crate::making::{DAY, FILE, FailingStore, all, at, core, origin, retrieval, said, secs, settings};

const URL: &str = "https://example.com/private/a";

fn ask(core: &Arc<Core>, url: &str, now: Moment) -> Next {
    core.ask(url, Ask::Permission, now)
}

#[track_caller]
fn errand(next: Next) -> Errand {
    match next {
        Next::Fetch(errand) => errand,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn answer(next: Next) -> Answer {
    match next {
        Next::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn again(next: Next) -> Moment {
    match next {
        Next::Again(until) => until,
        other => panic!("{other:?}"),
    }
}

/// One caller retrieves, the others look again, and after learning all are answered, until the site is due again. A
/// redirect is one request more, in the slot of its host: [gate.ask] [gate.errand]
#[test]
fn a_redirect_then_rules() {
    let core = core();
    let first = errand(ask(&core, URL, at(0)));
    assert_eq!(first.starts_at(), at(0));
    assert_eq!((first.request().url.as_str(), first.request().hop), ("https://example.com/robots.txt", 0));
    assert_eq!(again(ask(&core, URL, at(0))), at(0).after(Core::LOOK_AGAIN));
    let moved = Fetched::new(301, "").header("Location", b"/robots-new.txt");
    let second = errand(first.came(moved, at(0)));
    assert_eq!((second.request().url.path(), second.request().hop), ("/robots-new.txt", 1));
    assert_eq!(second.starts_at(), at(1), "its host's next slot");
    again(ask(&core, URL, at(1)));
    assert_eq!(again(second.came(Fetched::new(200, FILE), at(2))), at(2));
    let denied = answer(ask(&core, URL, at(2)));
    assert_eq!(
        (said(&denied), denied.rule.as_deref(), denied.line),
        (("denied", 0), Some("Disallow: /private"), Some(2))
    );
    assert_eq!(core.report(&origin(), at(2)).unwrap().unwrap().last_attempt, Some(at(2)), "the caller's clock counts");
    errand(ask(&core, URL, at(DAY + 2)));
}

/// Waits for slots take nothing of the site's time, but a retrieval does not wait for ever: [gate.pace-robots-txt]
/// [retrieve.budget]
#[test]
fn waits_of_redirects() {
    let core = Arc::new(Core::new(
        settings(|settings| {
            settings.pacing.default = secs(30);
            settings.pacing.robots_txt_wait = secs(30);
        }),
        MemoryStore::default(),
    ));
    let moved = || Fetched::new(301, "").header("Location", b"/robots.txt?x");
    let mut under_way = errand(ask(&core, URL, at(0)));
    for hop in [1, 2] {
        under_way = errand(under_way.came(moved(), at(hop * 30 - 30)));
        assert_eq!((under_way.starts_at(), under_way.request().time), (at(hop * 30), secs(60)));
    }
    // A third wait would make 90 seconds.
    let put_off = answer(under_way.came(moved(), at(60)));
    assert_eq!((put_off.reason, put_off.until), ("pace", Some(at(90))));
    assert!(all(&**core.store()).is_empty());
}

/// While a retrieval runs, no lock is held. What it brings is not learnt if the site was cleared: [gate.ask]
/// [gate.clear]
#[test]
fn a_retrieval_holds_no_lock() {
    let core = core();
    for clears_all in [false, true] {
        let own = errand(ask(&core, URL, at(0)));
        let other = format!("https://{clears_all}.example/");
        again(errand(ask(&core, &other, at(0))).came(Fetched::new(404, ""), at(0)));
        assert!(answer(ask(&core, &other, at(0))).is_allowed());
        assert!(core.report(&origin(), at(0)).unwrap().is_none());
        if clears_all {
            core.clear_all(at(0)).unwrap();
        } else {
            assert!(!core.clear(&origin(), at(0)).unwrap());
        }
        again(own.came(Fetched::new(200, FILE), at(0)));
        assert!(core.report(&origin(), at(0)).unwrap().is_none());
        let next = errand(ask(&core, URL, at(5)));
        drop(next);
    }
}

/// Dropped before its end, a retrieval is left to the next caller, and the site is not charged: [gate.single-flight]
/// [gate.errand]
#[test]
fn a_dropped_retrieval_is_the_next_ones() {
    let core = core();
    let own = errand(ask(&core, URL, at(0)));
    again(ask(&core, URL, at(0)));
    drop(own);
    errand(ask(&core, URL, at(0)));
    assert_eq!(core.report(&origin(), at(0)).unwrap(), None);
}

/// Of many threads that ask at once, one retrieves, and other origins do not wait; a thread that panics leaves the
/// retrieval to the next: [gate.ask] [gate.single-flight]
#[test]
fn one_retrieval_for_a_hundred_threads() {
    let (core, retrieved) = (core(), AtomicUsize::new(0));
    let panicked = thread::scope(|scope| {
        let panics = || {
            let _errand = errand(ask(&core, URL, at(0)));
            panic!("a client that panics");
        };
        scope.spawn(panics).join()
    });
    assert!(panicked.is_err());
    thread::scope(|scope| {
        for number in 0..100 {
            let (core, retrieved) = (&core, &retrieved);
            scope.spawn(move || {
                let url = if number < 90 { URL.to_owned() } else { format!("https://{number}.example/private") };
                loop {
                    match ask(core, &url, at(1)) {
                        Next::Answer(answer) => break assert_eq!(answer.kind(), "denied"),
                        Next::Again(_) => thread::sleep(Duration::from_millis(1)),
                        Next::Fetch(own) => {
                            retrieved.fetch_add(1, Ordering::SeqCst);
                            thread::sleep(Duration::from_millis(20));
                            again(own.came(Fetched::new(200, FILE), at(1)));
                        }
                    }
                }
            });
        }
    });
    assert_eq!(retrieved.into_inner(), 11);
}

/// What is learnt is used even if the store can't keep it, and the failure is an answer: [gate.store-fails]
#[test]
fn a_store_that_fails_loses_nothing() {
    let core = Arc::new(Core::new(settings(|_| {}), FailingStore::of(usize::MAX)));
    let failed = answer(errand(ask(&core, URL, at(0))).came(Fetched::new(200, FILE), at(0)));
    assert_eq!((failed.action, failed.reason, failed.until), (Action::No, "store", Some(at(10))));
    assert_eq!(failed.to_string(), "the store of sites failed: the disk is full");
    assert_eq!(answer(ask(&core, URL, at(1))).kind(), "denied");
    let learnt = core.learn(retrieval(Outcome::Rules, Some(200), "", at(0)), at(0));
    assert!(learnt.is_err());
    assert!(answer(ask(&core, URL, at(1))).is_allowed());
}

/// A site too large for the gate's memory costs one retrieval, not one after the other: [gate.ask] [gate.store]
#[test]
fn answers_without_memory_for_ready_sites() {
    for bytes in [0, 1, u64::MAX] {
        let core = Arc::new(Core::new(settings(|settings| settings.ready_bytes = bytes), MemoryStore::default()));
        again(errand(ask(&core, URL, at(0))).came(Fetched::new(200, FILE), at(0)));
        for _ in 0..3 {
            assert_eq!(answer(ask(&core, URL, at(0))).kind(), "denied", "{bytes}");
            assert!(answer(ask(&core, "https://example.com/free", at(0))).is_allowed());
        }
    }
}

/// A request has the limits and the guard of the settings: [gate.ask]
#[test]
fn the_limits_of_a_request() {
    let core = Arc::new(Core::new(
        settings(|settings| settings.limits = RetrievalLimits { budget: secs(7), ..settings.limits }),
        MemoryStore::default(),
    ));
    let own = errand(ask(&core, URL, at(0)));
    let request = own.request();
    assert_eq!((request.time, request.limits.budget), (secs(7), secs(7)));
    assert_eq!(request.guard, AddressGuard::global_only());
    let refused = answer(ask(&core, "http://10.0.0.1/", at(0))).naming("allow_private");
    assert_eq!((refused.action, refused.reason), (Action::No, "not-asked"));
    assert_eq!(
        refused.why,
        "the site could not be asked: refused: 10.0.0.1 is a private address; allow_private allows it"
    );
}
