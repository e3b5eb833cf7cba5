//! Pace as feedback: starts, clocks, answers of servers, requests in flight, slots given back; in memory and in a file.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::SiteStore;
use robosieve_gate::pace::{Asked, Lane, NoSlot, Pace, PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{FetchWith, Fetched, Request, Retriever};
use robosieve_gate::{Answer, Gate, GateError, Moment, Origin, SqliteStore, Why};

use crate::making::{DAY, FILE, HOUR, Told, at, core, origin, secs};

const LANE: &str = "example.com";

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Runs a case with lanes in memory and with lanes in a file.
fn both(pacing: Pacing, case: impl Fn(&Lanes)) {
    case(&Lanes { pace: Pace::new(pacing), store: None });
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("robots.sqlite")).unwrap();
    case(&Lanes { pace: Pace::new(pacing), store: Some(store) });
}

struct Lanes {
    pace: Pace,
    store: Option<SqliteStore>,
}

impl Lanes {
    fn kept(&self) -> Option<&dyn robosieve_gate::pace::Lanes> {
        self.store.as_ref().and_then(|store| store.lanes())
    }

    fn take(&self, now: Moment) -> Duration {
        self.pace.take(self.kept(), LANE, &Asked::default(), now).unwrap()
    }

    /// When to ask again; `None` if the request started.
    fn start(&self, now: Moment) -> Option<Moment> {
        match self.pace.start(self.kept(), LANE, &Asked::default(), now) {
            Ok(()) => None,
            Err(NoSlot::Later(until) | NoSlot::InFlight(until)) => Some(until),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn end(&self, page: &Page, now: Moment) {
        self.pace.observe(self.kept(), LANE, page, now).unwrap();
    }

    fn status(&self, status: u16, now: Moment) {
        self.end(&Page { status: Some(status), ..Page::default() }, now);
    }
}

/// A start takes a slot only when it is free, so being held up earns no burst: [gate.late-slot]
#[test]
fn starts_after_a_pause() {
    both(Pacing::default(), |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        assert_eq!([lanes.start(at(0)), lanes.start(at(0))], [Some(at(1)), Some(at(1))], "nothing was taken");
        // Held up for a minute: one start, and the next one a second later.
        assert_eq!([lanes.start(at(60)), lanes.start(at(60))], [None, Some(at(61))]);
        assert_eq!(lanes.start(at(61)), None);
        // A clock that jumps ahead by a day: the same.
        assert_eq!([lanes.start(at(DAY)), lanes.start(at(DAY))], [None, Some(at(DAY + 1))]);
    });
}

/// A start that is late by up to a twentieth of the interval keeps the rate; one that is later moves the next:
/// [gate.late-slot]
#[test]
fn small_delays_do_not_add_up() {
    both(Pacing::default(), |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        let mut due = at(1);
        for (late, next) in [(49, at(2)), (50, at(3)), (51, at(4).after(ms(51)))] {
            let now = due.after(ms(late));
            assert_eq!(lanes.start(now), None);
            assert_eq!(lanes.start(now), Some(next), "late by {late} ms");
            due = next;
        }
    });
    assert_eq!([Lane::tolerance(secs(1)), Lane::tolerance(ms(100)), Lane::tolerance(secs(300))], [50, 5, 50].map(ms));
}

/// After a clock was set back, by any amount, nobody waits longer than the interval: [gate.clock]
#[test]
fn clocks_set_back() {
    for back in [1, 10, 100, 101, 1_000, 60_000, HOUR * 1_000, DAY * 1_000] {
        both(Pacing::default(), |lanes| {
            let (then, now) = (at(2 * DAY), at(2 * DAY).before(ms(back)));
            assert_eq!(lanes.start(then), None);
            let until = lanes.start(now).expect("the slot is taken, whatever the clock says");
            assert!(until.since(now) <= secs(1) + ms(100), "set back by {back} ms: {:?}", until.since(now));
            assert_eq!(lanes.start(until), None);
            assert_eq!(lanes.take(until), secs(1));
        });
    }
    // What was ahead stays ahead: three slots were taken.
    both(Pacing::default(), |lanes| {
        assert_eq!([lanes.take(at(DAY)), lanes.take(at(DAY)), lanes.take(at(DAY))], [secs(0), secs(1), secs(2)]);
        assert_eq!(lanes.take(at(0)), secs(3));
    });
}

/// 429 and 503 double the interval, others halve it again, and a Retry-After holds the lane until a good page:
/// [gate.slow-down] [gate.hold]
#[test]
fn servers_slow_the_lane_down() {
    both(Pacing::default(), |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        lanes.status(429, at(0));
        assert_eq!(lanes.start(at(1)), Some(at(2)));
        assert_eq!(lanes.start(at(2)), None);
        lanes.status(503, at(2));
        assert_eq!(lanes.start(at(5)), Some(at(6)));
        assert_eq!(lanes.start(at(6)), None);
        lanes.status(200, at(6));
        assert_eq!(lanes.start(at(10)), None);
        lanes.status(404, at(10));
        assert_eq!(lanes.start(at(12)), None);
        assert_eq!(lanes.start(at(12)), Some(at(13)), "recovered");
        lanes.end(&Page { status: Some(429), retry_after: Some(secs(90)), ..Page::default() }, at(13));
        assert_eq!(lanes.start(at(14)), Some(at(103)));
        let began_before = Page { status: Some(200), retry_after: Some(secs(500)), took: secs(2), ..Page::default() };
        lanes.end(&began_before, at(14));
        assert_eq!(lanes.start(at(102)), Some(at(103)), "a request that began before the hold does not lift it");
        assert_eq!(lanes.start(at(103)), None, "a Retry-After counts with 429 and 503 only");
        lanes.end(&Page { status: Some(503), retry_after: Some(secs(9 * DAY)), ..Page::default() }, at(103));
        assert_eq!(lanes.start(at(104)), Some(at(103 + DAY)), "the longest hold");
        for status in [404, 500, 429] {
            lanes.status(status, at(110));
            assert_eq!(lanes.start(at(110)), Some(at(103 + DAY)), "{status}");
        }
        lanes.status(301, at(110));
        assert_eq!(lanes.start(at(110)), Some(at(103 + DAY)), "nobody knows when it began");
        lanes.end(&Page { status: Some(301), took: secs(1), ..Page::default() }, at(110));
        assert_eq!(lanes.start(at(114)), None, "a good page lifts it");
    });
    both(Pacing::default(), |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        (0..100).for_each(|_| lanes.status(429, at(0)));
        assert_eq!(lanes.start(at(1)), Some(at(300)), "never more than the longest interval");
        lanes.status(500, at(1));
        lanes.end(&Page::default(), at(1));
        assert_eq!(lanes.start(at(1)), Some(at(300)), "other failures change nothing");
    });
}

/// The interval can begin at the end of a request, which must be reported: [gate.from-end]
#[test]
fn from_the_end() {
    let pacing = Pacing { from_end: true, ..Pacing::default() };
    both(pacing, |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        assert!(lanes.start(at(30)).is_some_and(|until| until <= at(31)), "it still runs");
        lanes.status(200, at(40));
        assert_eq!([lanes.start(at(40)), lanes.start(at(41))], [Some(at(41)), None]);
        assert!(lanes.start(at(41 + 299)).is_some());
        assert_eq!(lanes.start(at(41 + 300)), None, "its end was never reported");
    });
}

/// So many requests run at a time, at N - 1, N and N + 1: [gate.in-flight]
#[test]
fn requests_in_flight() {
    both(Pacing { max_in_flight: Some(2), ..Pacing::default() }, |lanes| {
        assert_eq!([lanes.start(at(0)), lanes.start(at(1))], [None, None]);
        let again = lanes.start(at(2)).unwrap();
        assert!(again > at(2) && again <= at(3), "looked at again soon");
        lanes.status(200, at(3));
        assert_eq!(lanes.start(at(3)), None);
        assert!(lanes.start(at(4)).is_some());
        // Never reported: one lease ends after the other.
        assert!(lanes.start(at(300)).is_some());
        assert_eq!(lanes.start(at(301)), None);
    });
    both(Pacing { max_in_flight: Some(0), ..Pacing::default() }, |lanes| {
        assert_eq!(lanes.start(at(0)), None, "one at least");
        assert!(lanes.start(at(9)).is_some());
    });
    both(Pacing::default(), |lanes| {
        assert!((0..500).all(|turn| lanes.start(at(2 * turn)).is_none()), "without a limit nothing is counted");
    });
}

/// A slot given back is free again if it was the last, and never counts as running: [gate.give-back]
#[test]
fn giving_slots_back() {
    both(Pacing { max_in_flight: Some(3), ..Pacing::default() }, |lanes| {
        assert_eq!([lanes.take(at(0)), lanes.take(at(0)), lanes.take(at(0))], [secs(0), secs(1), secs(2)]);
        let back = |slot| lanes.pace.give_back(lanes.kept(), LANE, at(slot), at(0)).unwrap();
        back(2);
        assert_eq!(lanes.take(at(0)), secs(2), "the last one is free again");
        back(1);
        assert_eq!(lanes.take(at(0)), secs(3), "one in between is not, but its place is");
    });
}

/// Large pages are paced by their size: [gate.rate]
#[test]
fn bytes_a_second() {
    both(Pacing { bytes_per_second: Some(1_000), ..Pacing::default() }, |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        lanes.end(&Page { bytes: 30_000, took: secs(5), status: Some(200), ..Page::default() }, at(5));
        assert_eq!([lanes.start(at(29)), lanes.start(at(30))], [Some(at(30)), None]);
    });
    both(Pacing { bytes_per_second: Some(0), ..Pacing::default() }, |lanes| {
        assert_eq!(lanes.start(at(0)), None);
        lanes.end(&Page { bytes: 1, status: Some(200), ..Page::default() }, at(0));
        assert_eq!(lanes.start(at(1)), Some(at(DAY)), "bounded, even without any rate");
    });
}

/// A site that asks for no delay at all is paced as one that asks for nothing: [gate.pace]
#[test]
fn no_delay_is_our_delay() {
    let zero = Asked { crawl_delay: Some(Duration::ZERO), ..Asked::default() };
    for default in [1, 7] {
        let pacing = Pacing { default: secs(default), ..Pacing::default() };
        assert_eq!(pacing.interval(&zero, at(0)), secs(default));
    }
}

fn gate<R: Retriever>(retriever: R) -> Gate<R> {
    Gate::over(retriever, core())
}

/// The request for robots.txt is a request: the first page waits: [gate.pace-robots-txt]
#[test]
fn robots_txt_counts() {
    let told = Told::file("User-agent: *\nCrawl-delay: 5\n");
    let wait = |answer: Answer| match answer {
        Answer::Allowed { wait, .. } => wait,
        other => panic!("{other:?}"),
    };
    let known = gate(told.clone());
    assert_eq!(wait(known.check("https://example.com/a", at(0)).unwrap()), secs(5));
    let same_host = gate(told);
    same_host.permits("http://example.com/", at(0)).unwrap();
    assert_eq!(wait(same_host.check("https://example.com:8443/", at(3)).unwrap()), secs(5), "counted at 3 s again");
    // Without a response there was no request to the server.
    let none = gate(FetchWith::new(|_: &Request| Fetched::failed("no route")));
    let pacing = *none.core().pace().pacing();
    assert!(matches!(none.check("https://example.com/", at(0)), Ok(Answer::Closed { .. })));
    assert_eq!((none.core().pace().hosts(), pacing.default), (1, secs(1)));
    let robots = none.check("http://example.com/robots.txt", at(1)).unwrap();
    assert_eq!(wait(robots), Duration::ZERO, "its slot was given back");
}

/// The gate starts, observes and gives back by URL: [gate.late-slot] [gate.in-flight] [gate.give-back]
#[test]
fn the_gates_lanes() {
    let gate = Gate::over(Told::file(FILE), core().with_pacing(Pacing { max_in_flight: Some(1), ..Pacing::default() }));
    let url = "https://example.com/a";
    assert!(gate.permits(url, at(0)).unwrap().is_allowed());
    assert_eq!(gate.start(url, at(0)).unwrap(), Answer::NotNow { until: at(1), why: Why::Pace });
    assert_eq!(
        gate.start(url, at(1)).unwrap(),
        Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None }
    );
    assert!(matches!(gate.start(url, at(2)).unwrap(), Answer::NotNow { why: Why::InFlight, .. }));
    gate.observe(url, &Page { status: Some(200), ..Page::default() }, at(3)).unwrap();
    assert_eq!(
        gate.start(url, at(3)).unwrap(),
        Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None }
    );
    gate.give_back(url, at(3), at(3)).unwrap();
    assert_eq!(
        gate.start(url, at(3)).unwrap(),
        Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None }
    );
    assert!(matches!(gate.start("https://example.com/private", at(9)), Ok(Answer::Denied { .. })));
    assert!(matches!(gate.observe("mailto:a@b.c", &Page::default(), at(0)), Err(GateError::Url(_))));
    assert!(matches!(gate.give_back("x", at(0), at(0)), Err(GateError::Url(_))));
}

/// Lanes by host without its final dot, by domain, by address and by the caller's own names: [gate.pace-by]
#[test]
fn lanes_by_name() {
    let lane = |by: PaceBy, url: &str| by.lane(&Origin::of(url).unwrap(), Some([192, 0, 2, 7].into()));
    assert_eq!(lane(PaceBy::Host, "https://a.test./x"), lane(PaceBy::Host, "http://A.test:8080/"));
    assert_eq!(lane(PaceBy::RegisteredDomain, "https://www.example.co.uk./"), "example.co.uk");
    assert_eq!(lane(PaceBy::Address, "https://a.test/"), "192.0.2.7");
    assert_eq!(PaceBy::Address.lane(&origin(), None), "example.com", "not known yet");
    let mapped = "::ffff:192.0.2.7".parse().unwrap();
    assert_eq!(PaceBy::Address.lane(&origin(), Some(mapped)), "192.0.2.7");
    assert_eq!(PaceBy::Address.lane(&origin(), Some("2001:db8::1".parse().unwrap())), "2001:db8::/64");

    let name = |origin: &Origin| origin.to_string().contains("shop").then(|| "shops".to_owned());
    let gate = Gate::over(Told::file(FILE), core().with_lanes_by(name));
    let lane = |url: &str| gate.core().lane_of(&Origin::of(url).unwrap()).unwrap();
    assert_eq!([lane("https://shop.example/"), lane("https://a.example/")], ["shops", "a.example"]);
    assert!(gate.permits("https://shop.example/", at(0)).unwrap().is_allowed());
    assert!(matches!(gate.start("https://my.shop.test/", at(0)).unwrap(), Answer::NotNow { why: Why::Pace, .. }));
}

/// Two gates on one file never go faster together than the interval: [gate.shared-pace]
#[test]
fn two_gates_share_a_pace() {
    let folder = tempfile::tempdir().unwrap();
    let open = || SqliteStore::open(folder.path().join("robots.sqlite")).unwrap();
    let gates = [0, 1].map(|_| Gate::new(Told::file(FILE), open(), Agents::new(["MyBot"])));
    let waits: Vec<_> = (0..10_usize)
        .map(|turn| match gates[turn % 2].check("https://example.com/a", at(0)).unwrap() {
            Answer::Allowed { wait, .. } => wait.as_secs(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(waits, (1..=10).collect::<Vec<u64>>());
}

/// A lane's row that was changed by hand is a lane that nobody has used; old lanes are forgotten: [gate.shared-pace]
/// [gate.forget]
#[test]
fn rows_of_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.sqlite");
    let lanes = Lanes { pace: Pace::default(), store: Some(SqliteStore::open(&path).unwrap()) };
    let other = rusqlite::Connection::open(&path).unwrap();
    for change in ["x", "-1 0 0 - 0", "0 0 0 - many", "0 0 x - 0", "0 0 0 - 1000"] {
        assert_eq!(lanes.take(at(0)), secs(0), "{change}");
        other.execute("UPDATE lane SET lane = ?1", [change]).unwrap();
    }
    let count = || other.query_row("SELECT count(*) FROM lane", [], |row| row.get::<_, i64>(0)).unwrap();
    lanes.take(at(0));
    let store = lanes.store.as_ref().unwrap();
    store.forget_before(at(1)).unwrap();
    assert_eq!(count(), 1);
    store.forget_before(at(2)).unwrap();
    assert_eq!(count(), 0);
}

/// The clock of a run begins with the date, and only goes forward: [gate.run-clock]
#[test]
fn the_clock_of_a_run() {
    let clock = robosieve_gate::RunClock::from(at(0));
    let copy = clock;
    let times = [clock.now(), copy.now(), clock.now()];
    assert!(times.is_sorted() && times[2] < at(5) && times[0] >= at(0), "{times:?}");
    let gate = gate(Told::file(FILE));
    assert!(gate.now().since(Moment::now()) < secs(5) && Moment::now().since(gate.now()) < secs(5));
}
