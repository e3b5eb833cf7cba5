//! The whole gate: its answers, what it remembers, and how often it retrieves.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::decide::{Class, Preset, Reader, StandingName};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::origin::OriginError;
use robosieve_gate::retrieve::{Outcome, Retrieval, Retriever};
use robosieve_gate::{Answer, Gate, GateCore, GateError, MemoryStore, Moment, Origin, Why};

use crate::making::{DAY, FILE, FailingStore, Told, at, core, of_class, origin, retrieval, secs};

const URL: &str = "https://example.com/free";

fn gate(told: &Told) -> Gate<Told> {
    Gate::over(told.clone(), core())
}

fn allowed(wait: u64) -> Answer {
    Answer::Allowed { wait: secs(wait), ignored: false, shortened: None }
}

/// `Allowed` with a wait, and `Denied` with the rule and its line: [gate.answer] [gate.slots]
#[test]
fn answers() {
    let told = Told::file(
        "# hello\nUser-agent: other\nDisallow: /\n\nUser-agent: mybot\nDisallow: /private\nCrawl-delay: 7\n",
    );
    let gate = gate(&told);
    assert_eq!(gate.check(URL, at(0)).unwrap(), allowed(7), "robots.txt has just been requested");
    assert_eq!(gate.check(URL, at(0)).unwrap(), allowed(14));
    let denied = gate.check("https://example.com/private/a?b#c", at(0)).unwrap();
    assert_eq!(denied, Answer::Denied { rule: "Disallow: /private".into(), line: 2 });
    assert_eq!(gate.check(URL, at(0)).unwrap(), allowed(21), "a denied URL takes no slot");
    let report = gate.report(&origin(), at(0)).unwrap().unwrap();
    let line = report.contents.as_ref().unwrap().lines().nth(1).unwrap();
    assert_eq!(line, "Disallow: /private", "the line is that of the remembered text");
    assert_eq!(serde_json::to_value(&denied).unwrap()["answer"], "denied");
    assert_eq!(
        serde_json::to_value(allowed(7)).unwrap(),
        serde_json::json!({"answer": "allowed", "wait_ms": 7_000, "ignored": false})
    );
    assert_eq!(told.count(), 1);
}

/// Within its cache life a site is not requested again: [gate.cache-life] [gate.is-cached]
#[test]
fn one_retrieval_a_cache_life() {
    let told = Told::file(FILE);
    let gate = gate(&told);
    assert!(!gate.is_cached(&origin(), at(0)).unwrap());
    gate.check(URL, at(0)).unwrap();
    gate.check(URL, at(DAY - 1)).unwrap();
    assert!(gate.is_cached(&origin(), at(DAY - 1)).unwrap());
    assert_eq!(told.count(), 1);
    assert!(!gate.is_cached(&origin(), at(DAY)).unwrap());
    gate.check(URL, at(DAY)).unwrap();
    assert_eq!(told.count(), 2);
    gate.check("http://example.com/", at(DAY)).unwrap();
    assert_eq!(told.count(), 3, "another scheme is another origin");
    gate.check("https://EXAMPLE.com:443/x", at(DAY)).unwrap();
    assert_eq!(told.count(), 3, "another spelling is the same origin");
}

/// While the site is down it is requested only at the retry interval, and the stale rules are used: [gate.stale]
/// [gate.back-off]
#[test]
fn a_site_goes_down_and_comes_back() {
    let told = Told::file(FILE);
    let gate = gate(&told);
    gate.check(URL, at(0)).unwrap();
    told.tell(of_class(Class::ServerError, Moment::default()));
    let down = DAY;
    for (moment, count) in [(0, 2), (299, 2), (300, 3), (899, 3), (900, 4)] {
        assert!(gate.permits(URL, at(down + moment)).unwrap().is_allowed());
        assert!(!gate.permits("https://example.com/private", at(down + moment)).unwrap().is_allowed());
        assert_eq!(told.count(), count, "{moment} s after it went down");
    }
    let report = gate.report(&origin(), at(down + 900)).unwrap().unwrap();
    assert_eq!((report.standing, report.failures, report.failing_since), (StandingName::Stale, 3, Some(at(down))));
    // After 30 days the copy is too old: the site is closed, by the standard.
    let late = gate.permits(URL, at(down + 30 * DAY)).unwrap();
    assert!(matches!(late, Answer::Closed { status: Some(503), .. }), "{late:?}");
    told.tell(retrieval(Outcome::Rules, Some(200), "User-agent: *\nDisallow: /free\n", Moment::default()));
    let back = gate.permits(URL, at(down + 32 * DAY)).unwrap();
    assert_eq!(back, Answer::Denied { rule: "Disallow: /free".into(), line: 2 });
    assert_eq!(gate.report(&origin(), at(down + 32 * DAY)).unwrap().unwrap().failures, 0);
}

/// Google's policy: nothing for 12 hours, and then the answer of its table: [gate.google] [gate.answer]
#[test]
fn google_allows_nothing_for_12_hours() {
    let told = Told::new(of_class(Class::TooManyRequests, Moment::default()));
    let gate = Gate::over(told.clone(), core().with_policy(Preset::Google));
    let answer = gate.check(URL, at(0)).unwrap();
    let why = Why::Unreachable { class: Class::TooManyRequests, failures: 1 };
    assert_eq!(answer, Answer::NotNow { until: at(300), why });
    assert_eq!(serde_json::to_value(&answer).unwrap()["why"]["why"], "unreachable");
}

/// A hundred threads cause one retrieval, and other origins do not wait: [gate.single-flight]
#[test]
fn one_retrieval_at_a_time() {
    let told = Told { takes: Duration::from_millis(100), ..Told::file(FILE) };
    let gate = gate(&told);
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| assert!(gate.permits(URL, at(0)).unwrap().is_allowed()));
        }
    });
    assert_eq!(told.count(), 1);
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let gate = &gate;
            scope.spawn(move || gate.permits(&format!("https://{number}.example.com/"), at(0)).unwrap());
        }
    });
    assert_eq!(told.count(), 21);
    assert!(started.elapsed() < secs(2), "they did not wait for each other");
}

/// A retriever that panics at the first call and answers after that.
struct Shaky(AtomicUsize);

impl Retriever for Shaky {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        assert!(self.0.fetch_add(1, Ordering::SeqCst) > 0, "the first one");
        Retrieval { origin: origin.clone(), ..of_class(Class::NoFile, Moment::default()) }
    }
}

/// A retriever that panics leaves the gate unchanged: [gate.single-flight]
#[test]
fn a_panic_leaves_the_gate_unchanged() {
    let gate = Gate::new(Shaky(AtomicUsize::new(0)), MemoryStore::default(), Agents::new(["MyBot"]));
    std::thread::scope(|scope| assert!(scope.spawn(|| gate.check(URL, at(0))).join().is_err()));
    assert_eq!(gate.check(URL, at(0)).unwrap(), allowed(1));
}

/// robots.txt itself may be fetched, whatever it contains, if the site can be asked: [gate.robots-txt]
#[test]
fn robots_txt_is_allowed() {
    let told = Told::file("User-agent: *\nDisallow: /\n");
    let gate = Gate::over(
        told.clone(),
        core().with_reader(Reader::new(Agents::new(["MyBot"])).dialect(robosieve::settings::Dialect::Google)),
    );
    assert_eq!(gate.check("https://example.com/robots.txt", at(0)).unwrap(), allowed(1));
    assert_eq!(gate.check("https://example.com/robots.txt#top", at(0)).unwrap(), allowed(2));
    assert_eq!(told.count(), 1);
    assert!(!gate.check("https://example.com/robots.txt?x", at(0)).unwrap().is_allowed());
    assert!(!gate.check("https://example.com/a/robots.txt", at(0)).unwrap().is_allowed());
}

/// A URL that is not valid gives an error that says what is valid: [gate.url]
#[test]
fn bad_urls() {
    let gate = gate(&Told::file(FILE));
    for (url, error) in [
        ("/private", OriginError::NoUrl),
        ("", OriginError::NoUrl),
        ("https://", OriginError::NoUrl),
        ("file:///etc/passwd", OriginError::Scheme),
        ("mailto:a@example.com", OriginError::Scheme),
    ] {
        let found = gate.check(url, at(0)).unwrap_err();
        assert!(matches!(found, GateError::Url(found) if found == error), "{url}: {found:?}");
    }
}

/// Paths are tested in the form that clients send: [gate.url]
#[test]
fn urls_are_resolved_first() {
    let gate = gate(&Told::file(FILE));
    for url in
        ["https://example.com/a/../private", "https://example.com\\private", "https://user@example.com/%70rivate"]
    {
        assert!(!gate.permits(url, at(0)).unwrap().is_allowed(), "{url}");
    }
}

/// Product tokens apply in the caller's order: [gate.reader]
#[test]
fn agents_in_order() {
    let told = Told::file("User-agent: mybot\nDisallow: /a\n\nUser-agent: mybot-image\nDisallow: /b\n");
    let gate = Gate::new(told, MemoryStore::default(), Agents::new(["MyBot-Image", "MyBot"]));
    assert!(gate.permits("https://example.com/a", at(0)).unwrap().is_allowed());
    assert!(!gate.permits("https://example.com/b", at(0)).unwrap().is_allowed());
}

/// Sitemaps, relative to the site, and the crawl delay, on request: [gate.says] [value.sitemap]
#[test]
fn sitemaps_and_crawl_delay() {
    let told = Told::file(&format!("{FILE}Crawl-delay: 2.5\nSitemap: /s.xml\n"));
    let own = gate(&told);
    let sitemaps = own.sitemaps(&origin(), at(0)).unwrap();
    assert_eq!(
        sitemaps.iter().map(robosieve::value::HttpUrl::as_str).collect::<Vec<_>>(),
        ["https://example.com/s.xml"]
    );
    assert_eq!(own.crawl_delay(&origin(), at(0)).unwrap(), Some(Duration::from_millis(2_500)));
    assert_eq!(told.count(), 1);
    let closed = gate(&Told::new(of_class(Class::NoAnswer, Moment::default())));
    assert_eq!(closed.sitemaps(&origin(), at(0)).unwrap(), []);
    assert_eq!(closed.crawl_delay(&origin(), at(0)).unwrap(), None);
}

/// The site report: [gate.site-report]
#[test]
fn site_reports() {
    let told = Told::file("User-agent: mybot\nDisalow: /private # x\n");
    let gate = gate(&told);
    assert_eq!(gate.report(&origin(), at(0)).unwrap(), None);
    assert_eq!(told.count(), 0, "a report retrieves nothing");
    gate.qualify(&origin(), at(0)).unwrap();
    told.tell(of_class(Class::NoAnswer, Moment::default()));
    let report = gate.qualify(&origin(), at(DAY)).unwrap();
    assert_eq!(Some(&report), gate.report(&origin(), at(DAY)).unwrap().as_ref());
    let json = serde_json::to_value(&report).unwrap();
    for (field, expected) in [
        ("origin", serde_json::json!("https://example.com")),
        ("reader", "mybot".into()),
        ("standing", "stale".into()),
        ("is_due", false.into()),
        ("last_attempt", at(DAY).as_millis().into()),
        ("next_attempt", at(DAY + 300).as_millis().into()),
        ("failures", 1.into()),
        ("outcome", "unreachable".into()),
        ("status", serde_json::Value::Null),
        ("class", "no-answer".into()),
        ("verdict", "unreachable".into()),
        ("contents", "User-agent: *\nDisallow: /private\n".into()),
        ("retrieved", at(0).as_millis().into()),
        ("good_until", at(DAY).as_millis().into()),
    ] {
        assert_eq!(json[field], expected, "{field}");
    }
    assert_eq!(json["report"]["counts"]["misspelled-directive"], 1);
}

/// Clearing removes a site from the store and from the gate: [gate.clear]
#[test]
fn clearing() {
    let told = Told::file(FILE);
    let gate = gate(&told);
    gate.check(URL, at(0)).unwrap();
    gate.check("https://example.org/", at(0)).unwrap();
    assert!(gate.clear(&origin()).unwrap());
    assert!(!gate.clear(&origin()).unwrap());
    assert!(!gate.is_cached(&origin(), at(0)).unwrap());
    assert!(gate.is_cached(&Origin::of("https://example.org/").unwrap(), at(0)).unwrap());
    gate.check(URL, at(0)).unwrap();
    assert_eq!(told.count(), 3);
    gate.clear_all().unwrap();
    assert_eq!(crate::making::all(&**gate.store()), []);
    gate.check(URL, at(0)).unwrap();
    assert_eq!(told.count(), 4);
}

/// Gates that share a store share what each retrieves: [gate.shared]
#[test]
fn gates_share_a_store() {
    let store: SharedStore = MemoryStore::default().into();
    let told = Told::file(FILE);
    let agents = || Agents::new(["MyBot"]);
    let (one, two) =
        (Gate::new(told.clone(), store.clone(), agents()), Gate::new(told.clone(), store.clone(), agents()));
    one.check(URL, at(0)).unwrap();
    two.check(URL, at(1)).unwrap();
    assert_eq!(told.count(), 1);
    two.check(URL, at(DAY)).unwrap();
    one.check(URL, at(DAY + 1)).unwrap();
    assert_eq!(told.count(), 2, "the first gate looks into the store before it retrieves");
    let other = Gate::new(told.clone(), store.clone(), Agents::new(["OtherBot"]));
    other.check(URL, at(DAY + 1)).unwrap();
    assert_eq!(told.count(), 3, "another crawler retrieves separately");
}

/// The retriever's clock does not count, but the time of the retrieval does: [gate.clock]
#[test]
fn the_callers_clock_counts() {
    let took = Retrieval { began: at(500 * DAY), ended: at(500 * DAY + 30), ..of_class(Class::Success, at(0)) };
    let told = Told::new(took);
    let gate = gate(&told);
    gate.check(URL, at(0)).unwrap();
    assert_eq!(gate.report(&origin(), at(0)).unwrap().unwrap().last_attempt, Some(at(30)));
    gate.check(URL, at(1)).unwrap();
    assert_eq!(told.count(), 1);
}

/// A store that fails gives an error and causes no second retrieval: [gate.store-fails]
#[test]
fn stores_that_fail() {
    let told = Told::file(FILE);
    let gate = Gate::new(told.clone(), FailingStore::of(usize::MAX), Agents::new(["MyBot"]));
    let error = gate.check(URL, at(0)).unwrap_err();
    assert_eq!(error.to_string(), "the store of sites failed: the disk is full");
    assert_eq!(gate.check(URL, at(0)).unwrap(), allowed(1));
    assert_eq!(told.count(), 1);
}

/// Without memory for ready sites the answers are the same: [gate.store]
#[test]
fn answers_without_memory_for_ready_sites() {
    for bytes in [0, 1, GateCore::READY_BYTES, u64::MAX] {
        let told = Told::file(FILE);
        let gate = Gate::over(told.clone(), core().with_ready_bytes(bytes));
        for _ in 0..3 {
            assert!(gate.permits(URL, at(0)).unwrap().is_allowed());
            assert!(!gate.permits("https://example.com/private", at(0)).unwrap().is_allowed());
        }
        assert_eq!(told.count(), 1, "{bytes}");
    }
}

/// The names of states and reasons are those in JSON: [gate.answer]
#[test]
fn names_are_those_in_json() {
    use StandingName::{ClosedMeanwhile, Disqualified, Fresh, GivenUp, OpenMeanwhile, Stale, Unknown, Unreachable};
    for standing in [Unknown, Fresh, Stale, OpenMeanwhile, ClosedMeanwhile, Unreachable, Disqualified, GivenUp] {
        assert_eq!(serde_json::to_value(standing).unwrap(), standing.as_str());
    }
    let (class, failures) = (Class::NoAnswer, 3);
    let unreachable = Why::Unreachable { class, failures };
    for why in [
        unreachable,
        Why::Disqualified { class, failures },
        Why::GivenUp { failures },
        Why::Queue,
        Why::Held,
        Why::Pace,
    ] {
        let json = serde_json::to_value(why).unwrap();
        assert_eq!((&json["why"], json["failures"].as_u64()), (&why.as_str().into(), why.failures().map(u64::from)));
    }
}
