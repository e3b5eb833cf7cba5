//! The counts of what a gate did.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::ask::{AnswerCounts, HostSettings, KnownFrom, Overrides, PageCounts, RetrievalCounts};
use robosieve_gate::decide::Class;
use robosieve_gate::pace::Page;
use robosieve_gate::retrieve::{Attempt, AttemptEnd, FetchWith, Fetched, Outcome, Request, Retrieval};
use robosieve_gate::{Gate, MemoryStore, Moment, Origin};

use crate::making::{DAY, FILE, FailingStore, Told, at, core, of_class, retrieval, secs};

/// Answers, waits, where a site was known from, retrievals and pages are counted by kind: [gate.metrics]
#[test]
fn counts_by_kind() {
    let told = Told::file(FILE);
    let own = HostSettings { ignore_robots_txt: true, ..HostSettings::default() };
    let core = core();
    let gate = Gate::over(told.clone(), core.with_overrides(Overrides::default().with("open.test", own).unwrap()));
    assert_eq!(gate.core().metrics(), robosieve_gate::ask::Metrics::default());
    for url in ["https://a.test/x", "https://a.test/y", "https://a.test/private", "https://open.test/", "no url"] {
        let _ = gate.check(url, at(10));
    }
    gate.permits("https://a.test/z", at(10)).unwrap();
    told.tell(of_class(Class::NoAnswer, Moment::default()));
    gate.check("https://down.test/", at(10)).unwrap();
    let found = gate.core().metrics();
    let expected = AnswerCounts {
        allowed: 2,
        ignored: 1,
        denied: 1,
        closed: 1,
        unusable: 1,
        waits: 2,
        waits_ms: 3_000,
        ..AnswerCounts::default()
    };
    assert_eq!(found.answers, expected);
    assert_eq!(found.permissions, AnswerCounts { allowed: 1, ..AnswerCounts::default() });
    assert_eq!(found.known_from, KnownFrom { memory: 3, store: 0, retrieval: 2 });
    assert_eq!((found.retrievals.rules, found.retrievals.unreachable), (1, 1));
    assert_eq!(found.retrievals.bytes, FILE.len() as u64);
    for (status, count) in [(Some(200), 3), (Some(429), 2), (Some(503), 1), (Some(404), 1), (None, 1)] {
        for _ in 0..count {
            let page = Page { took: Duration::from_millis(5), bytes: 10, status, retry_after: None };
            gate.observe("https://a.test/x", &page, at(20)).unwrap();
        }
    }
    let pages = PageCounts { good: 3, busy: 3, failed: 1, no_response: 1, bytes: 80, took_ms: 40 };
    assert_eq!(gate.core().metrics().pages, pages);
    // A lie about the time of one page is none about the sum.
    gate.observe("https://example.com/", &Page { took: Duration::MAX, ..Page::default() }, at(0)).unwrap();
    assert_eq!(gate.core().metrics().pages.took_ms, 40 + 3_600_000);
    assert_eq!(serde_json::to_value(gate.core().metrics()).unwrap()["answers"]["waits_ms"], 3_000);
    // Another gate over the same store knows the site from there.
    let other = Gate::new(told.clone(), gate.store().clone(), Agents::new(["MyBot"]));
    other.permits("https://a.test/z", at(10)).unwrap();
    assert_eq!(other.core().metrics().known_from, KnownFrom { store: 1, ..KnownFrom::default() });
}

/// A retrieval that is put off is counted when it is made, and what it got before then at once: [gate.metrics]
#[test]
fn what_is_put_off_is_not_counted() {
    let attempt = |end| Attempt { address: Some(([192, 0, 2, 1], 80).into()), end };
    let no_turn = || attempt(AttemptEnd::NotAsked("no slot".into()));
    let put_off = |attempts, redirects| Retrieval {
        attempts,
        redirects,
        not_before: Some(at(10)),
        ..retrieval(Outcome::NotAsked, None, "", at(0))
    };
    let told = Told::new(put_off(vec![no_turn()], Vec::new()));
    let gate = Gate::new(told.clone(), MemoryStore::default(), Agents::new(["a"]));
    assert!(!gate.permits("https://a.test/", at(0)).unwrap().is_allowed());
    assert_eq!(gate.core().metrics().retrievals, RetrievalCounts::default());
    let moved = vec!["https://b.test/robots.txt".to_owned()];
    told.tell(put_off(vec![attempt(AttemptEnd::Status(301)), no_turn()], moved));
    assert!(!gate.permits("https://a.test/", at(10)).unwrap().is_allowed());
    let made = RetrievalCounts { attempts: 1, redirects: 1, ..RetrievalCounts::default() };
    assert_eq!(gate.core().metrics().retrievals, made);
}

/// Trouble on our side is counted apart from the sites': [gate.metrics]
#[test]
fn trouble_is_counted_apart() {
    let gate = Gate::new(
        FetchWith::new(|_: &Request| Fetched::not_asked("no route")),
        MemoryStore::default(),
        Agents::new(["a"]),
    );
    for _ in 0..3 {
        assert!(gate.check("https://a.test/", at(0)).is_err());
    }
    let found = gate.core().metrics();
    assert_eq!((found.retrievals.not_asked, found.answers.not_asked), (1, 2), "the first one is a retrieval");
    let gate = Gate::new(Told::file(FILE), FailingStore::of(1), Agents::new(["a"]));
    assert!(gate.check("https://a.test/", at(0)).is_err());
    assert!(gate.check("https://a.test/", at(0)).is_ok());
    assert_eq!(gate.core().metrics().retrievals.rules, 1);
    assert!(!gate.is_cached(&Origin::of("https://a.test/").unwrap(), at(0).after(secs(DAY))).unwrap());
}
