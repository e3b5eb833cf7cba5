//! Requests for robots.txt and the slots of their lanes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::{
    Answer, Fetched, Gate, GateCore, GateError, Lifetimes, MemoryStore, Moment, Next, Origin, Outcome, PaceBy, Pacing,
    Page, Retrieval, Retriever, Why,
};

use crate::making::{FILE, Told, at, secs};

fn core(pacing: Pacing) -> GateCore<MemoryStore> {
    GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])).with_pacing(pacing)
}

/// When the flight for this URL starts; `None`: it has no slot.
fn starts(core: &GateCore<MemoryStore>, url: &str, now: Moment) -> Option<Moment> {
    let Next::Retrieve(flight) = core.ask_permission(url, now).unwrap() else { panic!("{url} is not due") };
    flight.starts_at()
}

/// Sites of a lane get slots one after the other, as long as one is free soon; then none is taken: [gate.pace-robots-txt]
#[test]
fn sites_of_a_lane_take_turns() {
    let core = core(Pacing { by: PaceBy::RegisteredDomain, ..Pacing::default() });
    let found: Vec<_> = (0..8).map(|number| starts(&core, &format!("http://{number}.example.com/"), at(9))).collect();
    let expected: Vec<_> = (0..8).map(|number| (number <= 5).then(|| at(9 + number))).collect();
    assert_eq!(found, expected, "5 seconds are the limit");
    assert_eq!(starts(&core, "http://other.test/", at(9)), Some(at(9)));
    for (wait, last) in
        [(Duration::ZERO, 0), (Duration::from_millis(999), 0), (secs(1), 1), (Duration::from_millis(1_001), 1)]
    {
        let core = self::core(Pacing { by: PaceBy::RegisteredDomain, robots_txt_wait: wait, ..Pacing::default() });
        let count = (0..9).filter_map(|number| starts(&core, &format!("http://{number}.example.com/"), at(9))).count();
        assert_eq!(count, last + 1, "{wait:?}");
    }
}

/// A page waits behind the slot of its robots.txt, with the delay that this asks for: [gate.pace-robots-txt]
#[test]
fn pages_wait_behind() {
    let gate = Gate::over(Told::file("User-agent: *\nCrawl-delay: 3\n"), core(Pacing::default()));
    assert_eq!(gate.check("http://a.test/", at(0)).unwrap(), Answer::Allowed { wait: secs(3), ignored: false });
    // The next slot is at 6: out of reach at 0, not at 1. The page is at 9 then, seen from 6.
    let Next::Retrieve(flight) = gate.core().ask("https://a.test/", at(0)).unwrap() else { panic!("due") };
    assert_eq!(flight.starts_at(), None);
    drop(flight);
    assert_eq!(gate.check("https://a.test/", at(1)).unwrap(), Answer::Allowed { wait: secs(3), ignored: false });
}

/// A request that does not count gives its slot back: one that got no response, and one whose file is too short-lived for
/// a page to start: [gate.pace-robots-txt]
#[test]
fn slots_that_are_given_back() {
    let told = Told::new(crate::making::of_class(robosieve_gate::Class::NoAnswer, Moment::default()));
    let gate = Gate::over(told.clone(), core(Pacing::default()));
    gate.permits("http://a.test/", at(0)).unwrap();
    assert_eq!(starts(gate.core(), "https://a.test/", at(0)), Some(at(0)), "no response");
    let refused = crate::making::retrieval(Outcome::NotAsked, None, "", Moment::default());
    let gate = Gate::over(Told::new(refused), core(Pacing::default()));
    assert!(matches!(gate.permits("http://b.test/", at(0)), Err(GateError::NotAsked { .. })));
    assert_eq!(starts(gate.core(), "https://b.test/", at(0)), Some(at(0)), "not asked");
    let core = core(Pacing { default: secs(3), ..Pacing::default() });
    let gate = Gate::over(Told::file(FILE), core.with_lifetimes(Lifetimes::default().recheck_after(secs(1))));
    let mut now = at(0);
    for _ in 0..5 {
        let Answer::Allowed { wait, .. } = gate.check("http://c.test/", now).unwrap() else { panic!("not allowed") };
        assert_eq!(wait, Duration::ZERO, "a page starts with each file");
        now = now.after(secs(3));
    }
}

/// While a server has too many requests, its robots.txt is not requested before the lane is free: [gate.pace-robots-txt]
#[test]
fn a_busy_server_is_left_alone() {
    let told = Told::file(FILE);
    let gate = Gate::over(told.clone(), core(Pacing::default()));
    gate.permits("http://a.test/", at(0)).unwrap();
    let page = Page { status: Some(429), retry_after: Some(secs(100)), ..Page::default() };
    gate.observe("http://a.test/", &page, at(10)).unwrap();
    let held = Answer::NotNow { until: at(110), why: Why::Pace };
    assert_eq!(gate.check("https://a.test/", at(11)).unwrap(), held);
    let asked = gate.qualify(&Origin::of("https://a.test/").unwrap(), at(11));
    assert!(matches!(asked, Err(GateError::NotAsked { until, .. }) if until == at(110)));
    assert_eq!(gate.permits("https://a.test/", at(104)).unwrap(), held);
    assert_eq!(told.count(), 1);
    assert!(gate.permits("https://a.test/", at(106)).unwrap().is_allowed(), "soon enough");
    assert_eq!(told.count(), 2);
}

/// The blocking gate waits for the slot before it retrieves, with its own clock or the driver's: [gate.pace-robots-txt]
#[test]
fn the_gate_waits_for_the_slot() {
    #[derive(Clone, Default)]
    struct Waits(Arc<Mutex<Vec<Duration>>>);
    impl Retriever for Waits {
        fn wait(&self, time: Duration) {
            self.0.lock().unwrap().push(time);
        }
        fn retrieve(&self, origin: &Origin) -> Retrieval {
            Retrieval::of(origin.clone(), Outcome::Rules, Some(200), FILE, Moment::default())
        }
    }
    let waits = Waits::default();
    let gate = Gate::over(waits.clone(), core(Pacing::default()));
    for (url, now) in [("http://a.test/", at(0)), ("https://a.test/", at(0)), ("http://a.test:8080/", at(1))] {
        gate.permits(url, now).unwrap();
    }
    assert_eq!(*waits.0.lock().unwrap(), [secs(1), secs(1)]);
    let began = std::time::Instant::now();
    let pacing = Pacing { default: Duration::from_millis(300), ..Pacing::default() };
    let gate = Gate::over(robosieve_gate::FetchWith(|_: &Origin| Fetched::new(404, "")), core(pacing));
    for url in ["http://a.test/", "https://a.test/"] {
        assert!(gate.permits(url, gate.now()).unwrap().is_allowed());
    }
    assert!(began.elapsed() >= Duration::from_millis(290));
}
