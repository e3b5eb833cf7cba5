//! Requests for robots.txt and the slots of their lanes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::decide::Lifetimes;
use robosieve_gate::keep::SiteStore as _;
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{
    AddressGuard, Event, Fetched, Head, Machine, Outcome, Request, Retrieval, RetrievalLimits, Retriever, Step, Turn,
    Turns as _, Validators,
};
use robosieve_gate::{Answer, Gate, GateCore, GateError, MemoryStore, Moment, Next, Origin, Why};

use crate::making::{FILE, Told, at, secs};

fn core(pacing: Pacing) -> GateCore<MemoryStore> {
    GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])).with_pacing(pacing)
}

/// When the flight for this URL starts, or when to ask again.
fn starts(core: &GateCore<MemoryStore>, url: &str, now: Moment) -> Result<Moment, Moment> {
    match core.ask_permission(url, now).unwrap() {
        Next::Retrieve(flight) => Ok(flight.starts_at().unwrap()),
        Next::Answer(Answer::NotNow { until, why: Why::Pace }) => Err(until),
        other => panic!("{url}: {other:?}"),
    }
}

/// Sites of a lane get slots one after the other, as long as one is free soon. Those that get none are put off, an
/// interval apart, and stay so until then: [gate.pace-robots-txt]
#[test]
fn sites_of_a_lane_take_turns() {
    let pacing = Pacing { by: PaceBy::RegisteredDomain, ..Pacing::default() };
    let core = core(pacing);
    let found: Vec<_> = (0..9).map(|number| starts(&core, &format!("http://{number}.example.com/"), at(9))).collect();
    let expected: Vec<_> =
        (0..9).map(|number| if number <= 5 { Ok(at(9 + number)) } else { Err(at(9 + number)) }).collect();
    assert_eq!(found, expected, "5 seconds are the limit");
    for (number, now) in [(8, 10), (6, 14), (8, 16)] {
        let again = starts(&core, &format!("http://{number}.example.com/"), at(now));
        assert_eq!(again, Err(at(9 + number)), "{number} at {now}");
    }
    assert_eq!(starts(&core, "http://6.example.com/", at(15)), Ok(at(15)));
    assert_eq!(starts(&core, "http://other.test/", at(9)), Ok(at(9)));
    for (wait, last) in
        [(Duration::ZERO, 0), (Duration::from_millis(999), 0), (secs(1), 1), (Duration::from_millis(1_001), 1)]
    {
        let core = self::core(Pacing { robots_txt_wait: wait, ..pacing });
        let count = (0..9).filter_map(|number| starts(&core, &format!("http://{number}.example.com/"), at(9)).ok());
        assert_eq!(count.count(), last + 1, "{wait:?}");
    }
}

/// So many retrievals of a lane run at a time, and one that ends makes room: [gate.robots-in-flight]
#[test]
fn retrievals_of_a_lane_are_bounded() {
    let pacing = Pacing { default: Duration::ZERO, min: Duration::ZERO, robots_txt_in_flight: 3, ..Pacing::default() };
    let core = core(pacing);
    let ask = |port: u16| core.ask_permission(&format!("http://a.test:{port}/"), at(0)).unwrap();
    let flights: Vec<_> = (0..3).map(|port| ask(8_000 + port)).collect();
    assert!(flights.iter().all(|next| matches!(next, Next::Retrieve(_))));
    assert!(matches!(ask(8_003), Next::Answer(Answer::NotNow { why: Why::Pace, .. })));
    assert!(matches!(core.ask_permission("http://b.test/", at(0)).unwrap(), Next::Retrieve(_)), "another lane");
    drop(flights);
    assert!(matches!(ask(8_004), Next::Retrieve(_)));
}

/// A page waits after the slot of its robots.txt, with the delay that this asks for: [gate.pace-robots-txt]
#[test]
fn pages_wait_behind() {
    let gate = Gate::over(Told::file("User-agent: *\nCrawl-delay: 3\n"), core(Pacing::default()));
    assert_eq!(
        gate.check("http://a.test/", at(0)).unwrap(),
        Answer::Allowed { wait: secs(3), ignored: false, shortened: None }
    );
    // The next slot is at 6: out of reach at 0, not at 6. The page is at 9 then.
    assert_eq!(starts(gate.core(), "https://a.test/", at(0)), Err(at(6)));
    assert_eq!(
        gate.check("https://a.test/", at(6)).unwrap(),
        Answer::Allowed { wait: secs(3), ignored: false, shortened: None }
    );
}

/// A request that does not count gives its slot back: one that got no response, and one whose file is too short-lived
/// for a page to start: [gate.pace-robots-txt]
#[test]
fn slots_that_are_given_back() {
    let told = Told::new(crate::making::of_class(robosieve_gate::decide::Class::NoAnswer, Moment::default()));
    let gate = Gate::over(told.clone(), core(Pacing::default()));
    gate.permits("http://a.test/", at(0)).unwrap();
    assert_eq!(starts(gate.core(), "https://a.test/", at(0)), Ok(at(0)), "no response");
    let refused = crate::making::retrieval(Outcome::NotAsked, None, "", Moment::default());
    let gate = Gate::over(Told::new(refused), core(Pacing::default()));
    assert!(matches!(gate.permits("http://b.test/", at(0)), Err(GateError::NotAsked { .. })));
    assert_eq!(starts(gate.core(), "https://b.test/", at(0)), Ok(at(0)), "not asked");
    let core = core(Pacing { default: secs(3), ..Pacing::default() });
    let gate = Gate::over(Told::file(FILE), core.with_lifetimes(Lifetimes::default().recheck_after(secs(1))));
    let mut now = at(0);
    for _ in 0..5 {
        let Answer::Allowed { wait, .. } = gate.check("http://c.test/", now).unwrap() else { panic!("not allowed") };
        assert_eq!(wait, Duration::ZERO, "a page starts with each file");
        now = now.after(secs(3));
    }
}

/// While a server has too many requests, its robots.txt is not requested before the lane is free:
/// [gate.pace-robots-txt]
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
    assert_eq!(gate.permits("https://a.test/", at(109)).unwrap(), held);
    assert_eq!(told.count(), 1);
    assert!(gate.permits("https://a.test/", at(110)).unwrap().is_allowed());
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
    let gate = Gate::over(robosieve_gate::retrieve::FetchWith::new(|_: &Request| Fetched::new(404, "")), core(pacing));
    for url in ["http://a.test/", "https://a.test/"] {
        assert!(gate.permits(url, gate.now()).unwrap().is_allowed());
    }
    assert!(began.elapsed() >= Duration::from_millis(290));
}

/// A wait for a turn takes nothing of the budget. A turn that is not soon ends the retrieval, and nothing is stored or
/// charged; the site is asked again at that time: [gate.pace-robots-txt]
#[test]
fn turns_cost_the_site_nothing() {
    let origin = Origin::of("http://192.0.2.1/").unwrap();
    let machine = || Machine::new(origin.clone(), RetrievalLimits::default(), AddressGuard::anything(), at(0));
    let mut waited = machine();
    let request = waited.request(at(0)).unwrap();
    assert_eq!((request.hop, request.address), (0, Some([192, 0, 2, 1].into())));
    waited.on(Event::Turn(Turn::After(secs(50))), at(0));
    waited.on(Event::Head(Head::new(404)), at(100));
    let retrieval = waited.into_retrieval(at(100));
    assert_eq!((retrieval.outcome, retrieval.took()), (Outcome::NoRules, secs(50)));
    // But not for ever: a caller may allow any number of redirects.
    let mut endless = machine();
    (0..8).for_each(|_| endless.on(Event::Turn(Turn::After(secs(10))), at(0)));
    assert_eq!(endless.step(), Step::Done);
    assert_eq!(endless.into_retrieval(at(0)).outcome, Outcome::Unreachable);
    let mut put_off = machine();
    put_off.on(Event::Turn(Turn::NotBefore(at(70))), at(0));
    assert_eq!(put_off.step(), Step::Done);
    let retrieval = put_off.into_retrieval(at(0));
    assert_eq!((retrieval.outcome, retrieval.not_before), (Outcome::NotAsked, Some(at(70))));
    let gate = Gate::over(Told::new(retrieval), core(Pacing::default()));
    let held = Answer::NotNow { until: at(70), why: Why::Pace };
    assert_eq!(gate.check("http://192.0.2.1/", at(0)).unwrap(), held);
    assert_eq!(gate.check("http://192.0.2.1/", at(69)).unwrap(), held);
    assert_eq!((gate.retriever().count(), gate.store().len().unwrap()), (1, 0));
    let later = gate.check("http://192.0.2.1/", at(70)).unwrap();
    assert_eq!(later, Answer::NotNow { until: at(70).after(Duration::from_millis(100)), why: Why::Pace });
    assert_eq!(gate.retriever().count(), 2, "a moment that is past asks once");
}

/// A 429 of a redirect's target slows down the target's lane, not that of the site: [gate.pace-robots-txt]
#[test]
fn a_status_counts_where_it_came_from() {
    let came = Retrieval {
        redirects: vec!["http://target.test/robots.txt".into()],
        retry_after: Some(secs(100)),
        ..crate::making::retrieval(Outcome::Unavailable, Some(429), "", Moment::default())
    };
    let gate = Gate::over(Told::new(came), core(Pacing::default()));
    gate.permits("http://a.test/", at(0)).unwrap();
    assert_eq!(starts(gate.core(), "http://target.test/", at(0)), Err(at(100)));
    assert_eq!(starts(gate.core(), "https://a.test/", at(0)), Ok(at(1)));
}

/// Each hop takes a slot in the lane of its host; the other addresses of a host are one request of its lane, and one
/// each of their own: [gate.pace-robots-txt] [gate.pace-address]
#[test]
fn hops_and_addresses() {
    let core = core(Pacing::default());
    let Next::Retrieve(flight) = core.ask_permission("http://a.test/", at(0)).unwrap() else { panic!("due") };
    let turns = core.turns(&flight, at(0));
    let turn = |hop: usize, url: &str, last: u8| {
        turns.turn(&Request {
            held: Validators::default(),
            url: url.parse().unwrap(),
            address: Some([192, 0, 2, last].into()),
            hop,
            after: Duration::ZERO,
        })
    };
    let after = |millis| Turn::After(Duration::from_millis(millis));
    assert_eq!(turn(0, "http://a.test/robots.txt", 1), after(0), "the flight has this slot");
    assert_eq!(turn(0, "http://a.test/robots.txt", 2), after(0), "another address of the same host");
    assert_eq!(turn(0, "http://a.test/robots.txt", 1), after(100), "the same address once more");
    assert_eq!(turn(1, "https://a.test/robots.txt", 3), after(1_100), "a redirect to the same host");
    assert_eq!(turn(2, "https://a.test/robots.txt", 4), after(2_100), "and to itself");
    assert_eq!(turn(3, "https://b.test/robots.txt", 5), after(0), "another host");
    drop((turns, flight));
    let by_address = self::core(Pacing { by: PaceBy::Address, ..Pacing::default() });
    let flights: Vec<_> = ["http://c.test/", "http://d.test/"]
        .into_iter()
        .map(|url| match by_address.ask_permission(url, at(0)).unwrap() {
            Next::Retrieve(flight) => flight,
            other => panic!("{other:?}"),
        })
        .collect();
    let waits: Vec<Turn> = flights
        .iter()
        .map(|flight| {
            by_address.turns(flight, at(0)).turn(&Request {
                held: Validators::default(),
                url: flight.origin().robots_txt().parse().unwrap(),
                address: Some([192, 0, 2, 9].into()),
                hop: 0,
                after: Duration::ZERO,
            })
        })
        .collect();
    assert_eq!(waits, [after(0), after(1_000)], "the first request counts at the address");
}
