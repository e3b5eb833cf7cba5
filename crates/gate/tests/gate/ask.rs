//! The core's steps: asking, learning, and who retrieves.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use robosieve::agent::Agents;
use robosieve_gate::ask::{Cleared, Errand, Flight, Pending, Todo};
use robosieve_gate::retrieve::{Attempt, AttemptEnd, FetchWith, Fetched, Head, Outcome};
use robosieve_gate::{Answer, Gate, GateCore, GateError, MemoryStore, Moment, Next};

use crate::making::{DAY, FILE, FailingStore, Told, at, core, origin, retrieval, secs};

const URL: &str = "https://example.com/private/a";

fn flight<T: std::fmt::Debug>(next: Next<T>) -> Flight {
    match next {
        Next::Retrieve(flight) => flight,
        other => panic!("{other:?}"),
    }
}

fn pending<T: std::fmt::Debug>(next: Next<T>) -> Pending {
    match next {
        Next::Wait(pending) => pending,
        other => panic!("{other:?}"),
    }
}

fn answer<T: std::fmt::Debug>(next: Next<T>) -> T {
    match next {
        Next::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// One caller retrieves, the others wait, and after learning all are answered, until the site is due again: [gate.ask]
#[test]
fn ask_and_learn() {
    let core = core();
    let own = flight(core.ask(URL, at(0)).unwrap());
    assert_eq!(own.origin(), &origin());
    pending(core.ask(URL, at(0)).unwrap());
    pending(core.qualify(&origin(), at(0)).unwrap());
    core.learn(own.origin(), retrieval(Outcome::Rules, Some(200), FILE, Moment::default()), at(2)).unwrap();
    drop(own);
    assert!(matches!(answer(core.ask(URL, at(2)).unwrap()), Answer::Denied { .. }));
    let report = answer(core.qualify(&origin(), at(2)).unwrap());
    assert_eq!(report.last_attempt, Some(at(2)), "the caller's clock counts");
    flight(core.ask(URL, at(DAY + 2)).unwrap());
}

/// While a flight exists, no lock is held: everything else goes on in the same thread. [gate.ask]
#[test]
fn a_flight_holds_no_lock() {
    let core = core();
    let own = flight(core.ask(URL, at(0)).unwrap());
    core.learn(
        &robosieve_gate::Origin::of("https://b.example/").unwrap(),
        Fetched::new(404, "").retrieval(&origin()),
        at(0),
    )
    .unwrap();
    assert!(answer(core.ask_permission("https://b.example/x", at(0)).unwrap()).is_allowed());
    assert!(core.report(&origin(), at(0)).unwrap().is_none());
    assert!(matches!(core.clear(&origin()).unwrap(), Cleared::Wait(_)));
    core.clear_all().unwrap();
    drop(own);
    assert!(matches!(core.clear(&origin()).unwrap(), Cleared::Done(false)));
}

/// A flight that is dropped without learning leaves the turn to the next caller: [gate.single-flight]
#[test]
fn a_dropped_flight_is_the_next_ones() {
    let core = core();
    let own = flight(core.ask(URL, at(0)).unwrap());
    let waits = pending(core.ask(URL, at(0)).unwrap());
    drop(own);
    waits.wait();
    flight(core.ask(URL, at(0)).unwrap());
}

/// Counts how often it is woken.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waiting works without any runtime, and wakes each waiter once: [gate.ask]
#[test]
fn waiting_is_a_future() {
    let core = core();
    let own = flight(core.ask(URL, at(0)).unwrap());
    let mut waits = pin!(pending(core.ask(URL, at(0)).unwrap()));
    let counting = Arc::new(Counting::default());
    let waker = Waker::from(Arc::clone(&counting));
    let mut context = Context::from_waker(&waker);
    for _ in 0..3 {
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Pending);
    }
    drop(own);
    assert_eq!(counting.0.load(Ordering::SeqCst), 1);
    assert_eq!(waits.as_mut().poll(&mut context), Poll::Ready(()));
}

/// Of many threads that ask at once, one retrieves: [gate.ask] [gate.single-flight]
#[test]
fn threads_share_a_flight() {
    let (core, retrieved) = (core(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    match core.ask_permission(URL, at(0)).unwrap() {
                        Next::Answer(answer) => break assert!(matches!(answer, Answer::Denied { .. })),
                        Next::Wait(pending) => pending.wait(),
                        Next::Again(_) => panic!("no other program"),
                        Next::Retrieve(own) => {
                            retrieved.fetch_add(1, Ordering::SeqCst);
                            thread::sleep(std::time::Duration::from_millis(20));
                            core.learn(own.origin(), Fetched::new(200, FILE).retrieval(own.origin()), at(0)).unwrap();
                        }
                    }
                }
            });
        }
    });
    assert_eq!(retrieved.into_inner(), 1);
}

/// What is learnt is used even if the store can't keep it: [gate.store-fails]
#[test]
fn a_store_that_fails_loses_nothing() {
    let core = GateCore::new(FailingStore::of(1), Agents::new(["MyBot"]));
    let own = flight(core.ask(URL, at(0)).unwrap());
    let learnt = core.learn(own.origin(), retrieval(Outcome::Rules, Some(200), FILE, at(0)), at(0));
    assert!(matches!(learnt, Err(GateError::Store(_))));
    drop(own);
    assert!(matches!(answer(core.ask(URL, at(1)).unwrap()), Answer::Denied { .. }));
}

/// A site too large for the gate's memory costs one retrieval, not one after the other: [gate.ask]
#[test]
fn a_site_that_does_not_fit_is_answered() {
    let count = AtomicUsize::new(0);
    let fetch = FetchWith::new(|_: &robosieve_gate::retrieve::Request| {
        count.fetch_add(1, Ordering::SeqCst);
        Fetched::new(200, FILE)
    });
    let gate = Gate::over(fetch, core().with_ready_bytes(1));
    assert!(matches!(gate.check(URL, at(0)), Ok(Answer::Denied { .. })));
    assert!(matches!(gate.check(URL, at(0)), Ok(Answer::Denied { .. })));
    assert_eq!(count.into_inner(), 1);
}

/// The retrieval of an errand has the core's limits and guard: [gate.ask]
#[test]
fn the_limits_of_an_errand() {
    let limits = robosieve_gate::retrieve::RetrievalLimits { budget: secs(7), ..Default::default() };
    let guard = robosieve_gate::retrieve::AddressGuard::global_only();
    let core = Arc::new(core().with_limits(limits).with_guard(guard));
    let begin = |url: &str| Errand::new(&core, flight(core.ask(url, at(0)).unwrap()), at(0)).step(at(0));
    let Ok(Todo::Request { request, .. }) = begin(URL) else { panic!() };
    assert_eq!(request.until, at(7));
    assert!(matches!(begin("http://10.0.0.1/"), Err(GateError::NotAsked { .. })));
}

/// The response of a client of the caller's own means what its headers say: [gate.fetched]
#[test]
fn responses_of_other_clients() {
    let cases = [
        (Fetched::new(200, FILE), Outcome::Rules, Some(200)),
        (Fetched::new(206, FILE), Outcome::Truncated, Some(206)),
        (Fetched::new(204, ""), Outcome::Rules, Some(204)),
        (Fetched::new(302, ""), Outcome::Unavailable, Some(302)),
        (Fetched::new(404, FILE), Outcome::NoRules, Some(404)),
        (Fetched::new(403, ""), Outcome::Unavailable, Some(403)),
        (Fetched::new(503, ""), Outcome::Unreachable, Some(503)),
        (Fetched::new(999, ""), Outcome::Unreachable, Some(999)),
        (Fetched::failed("reset"), Outcome::Unreachable, None),
        (Fetched::new(200, FILE).broken_off(), Outcome::Truncated, Some(200)),
    ];
    for host in ["https://example.com/", "http://127.0.0.1:8080/", "http://[::1]/"] {
        let origin = robosieve_gate::Origin::of(host).unwrap();
        for (fetched, outcome, status) in &cases {
            let found = fetched.clone().retrieval(&origin);
            assert_eq!((found.outcome, found.status, &found.origin), (*outcome, *status, &origin), "{fetched:?}");
            let kept = matches!(outcome, Outcome::Rules | Outcome::Truncated) && *status != Some(204);
            assert_eq!(found.body.is_empty(), !kept, "{fetched:?}");
        }
    }
    let failed = Fetched::failed("reset").retrieval(&origin());
    assert_eq!(failed.attempts, [Attempt { address: None, end: AttemptEnd::Failed("reset".into()) }]);
    let fresh = Fetched::new(200, FILE).header("cache-control", b"max-age=7200").retrieval(&origin());
    assert_eq!(fresh.fresh_for, Some(secs(7_200)));
}

/// The head of a page is enough: its status and `Retry-After` count, and its `X-Robots-Tag` is kept whole or not at
/// all: [gate.page-head]
#[test]
fn the_head_of_a_page() {
    let gate = Gate::new(Told::file("User-agent: *\n"), MemoryStore::default(), Agents::new(["MyBot"]));
    let url = "https://example.com/a";
    gate.check(url, at(0)).unwrap();
    let head = Head::new(503).header("Retry-After", b"Tue, 14 Nov 2023 22:15:20 GMT");
    let head = head.header("Date", b"Tue, 14 Nov 2023 22:13:20 GMT").header("X-Robots-Tag", b"noindex");
    gate.observe_head(url, &head, secs(1), at(2)).unwrap();
    let Answer::Allowed { wait, .. } = gate.check(url, at(2)).unwrap() else { panic!("allowed later") };
    assert_eq!(wait, secs(120));
    assert_eq!(head.robots_tags().unwrap().len(), 1);
    let most = Head::MAX_ROBOTS_TAGS;
    for (length, is_kept) in [(most - 1, true), (most, true), (most + 1, false)] {
        // Two lines with their ends: one of a byte, and one of the rest.
        let head = Head::new(200).header("X-Robots-Tag", b"a").header("x-robots-tag", &vec![b'b'; length - 3]);
        assert_eq!(head.robots_tags().map(<[_]>::len), is_kept.then_some(2), "{length}");
    }
    assert_eq!((most, Head::new(200).robots_tags()), (16_384, Some(&[][..])));
}
