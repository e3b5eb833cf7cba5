//! Requests for robots.txt and the slots of their lanes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use robosieve_gate::decide::Lifetimes;
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{
    AddressGuard, Event, Fetched, Head, Machine, Outcome, Request, Retrieval, RetrievalLimits, Retriever, Step, Turn,
    Turns, Validators,
};
use robosieve_gate::{Answer, Gate, GateCore, GateError, Moment, Next, Origin, Why};

use crate::making::{FILE, Told, at, secs};

fn core(pacing: Pacing) -> Arc<GateCore> {
    Arc::new(crate::making::core().with_pacing(pacing))
}

/// When the flight for this URL starts, or when to ask again.
fn starts(core: &GateCore, url: &str, now: Moment) -> Result<Moment, Moment> {
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
    let core = crate::making::core().with_pacing(Pacing { default: secs(3), ..Pacing::default() });
    let gate = Gate::over(
        Told::file(FILE),
        core.with_lifetimes(Lifetimes {
            cache: secs(1),
            cache_min: secs(1),
            cache_max: secs(1),
            ..Lifetimes::default()
        }),
    );
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
    waited.on(Event::Turn(Turn::Again(secs(50))), at(0));
    waited.on(Event::Head(Head::new(404)), at(100));
    let retrieval = waited.into_retrieval(at(100));
    assert_eq!((retrieval.outcome, retrieval.took()), (Outcome::NoRules, secs(50)));
    // But not for ever: a caller may allow any number of redirects.
    let mut endless = machine();
    (0..8).for_each(|_| endless.on(Event::Turn(Turn::Again(secs(10))), at(0)));
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

/// A 429 of a redirect's target slows down neither its lane nor that of the site; one of the same host does:
/// [gate.pace-robots-txt] [gate.hold]
#[test]
fn a_status_counts_where_it_came_from() {
    let came = Retrieval {
        redirects: vec!["http://target.test/robots.txt".into()],
        retry_after: Some(secs(100)),
        ..crate::making::retrieval(Outcome::Unavailable, Some(429), "", Moment::default())
    };
    let gate = Gate::over(Told::new(came), core(Pacing::default()));
    gate.permits("http://a.test/", at(0)).unwrap();
    assert_eq!(starts(gate.core(), "http://target.test/", at(0)), Ok(at(0)), "the site chose this URL");
    assert_eq!(starts(gate.core(), "https://a.test/", at(0)), Ok(at(1)));
    gate.permits("http://target.test:8080/", at(0)).unwrap();
    assert_eq!(starts(gate.core(), "https://target.test/", at(9)), Err(at(101)), "its own word");
}

/// The request of a retrieval that began at 0.
fn request(hop: usize, url: &str, last: u8, after: u64) -> Request {
    Request {
        held: Validators::default(),
        url: url.parse().unwrap(),
        address: Some([192, 0, 2, last].into()),
        hop,
        after: Duration::from_millis(after),
    }
}

/// The milliseconds after which a request is made whose turn is asked for as drivers do.
fn goes(turns: &dyn Turns, (hop, url, last): (usize, &str, u8), mut now: u64) -> u64 {
    loop {
        match turns.turn(&request(hop, url, last, now)) {
            Turn::Now => return now,
            Turn::Again(wait) => now += u64::try_from(wait.as_millis()).unwrap().max(1),
            Turn::NotBefore(until) => panic!("{url}: not before {until}"),
        }
    }
}

/// Each hop takes a slot in the lane of its host; the other addresses of a host are one request of its lane, and one
/// each of their own: [gate.pace-robots-txt] [gate.pace-address]
#[test]
fn hops_and_addresses() {
    let core = core(Pacing::default());
    let Next::Retrieve(flight) = core.ask_permission("http://a.test/", at(0)).unwrap() else { panic!("due") };
    let turns = core.turns(&flight, at(0));
    for (what, now, expected) in [
        ((0, "http://a.test/robots.txt", 1), 0, 0),
        // Another address of the same host, and the same address once more.
        ((0, "http://a.test/robots.txt", 2), 0, 0),
        ((0, "http://a.test/robots.txt", 1), 0, 100),
        // A redirect to the same host, and to itself.
        ((1, "https://a.test/robots.txt", 3), 100, 1_000),
        ((2, "https://a.test/robots.txt", 4), 1_000, 2_000),
        ((3, "https://b.test/robots.txt", 5), 2_000, 2_000),
    ] {
        assert_eq!(goes(&*turns, what, now), expected, "{what:?}");
    }
    drop((turns, flight));
    let by_address = self::core(Pacing { by: PaceBy::Address, ..Pacing::default() });
    let flights =
        ["http://c.test/", "http://d.test/"].map(|url| match by_address.ask_permission(url, at(0)).unwrap() {
            Next::Retrieve(flight) => flight,
            other => panic!("{other:?}"),
        });
    let found = flights
        .each_ref()
        .map(|flight| goes(&*by_address.turns(flight, at(0)), (0, &flight.origin().robots_txt(), 9), 0));
    assert_eq!(found, [0, 1_000], "the first request counts at the address");
}

/// Names at the addresses of one /64 are requested one after the other: [gate.pace-address]
#[test]
fn a_network_is_one_server() {
    let core = core(Pacing::default());
    for number in 0..20 {
        let url = format!("http://{number}.test/");
        let Next::Retrieve(flight) = core.ask_permission(&url, at(0)).unwrap() else { panic!("due") };
        let address = format!("2606:4700:1::{number:x}").parse().unwrap();
        let robots = request(0, &format!("{url}robots.txt"), 1, 0);
        let (turns, mut now) = (core.turns(&flight, at(0)), 0);
        loop {
            let asked = Request { address: Some(address), after: Duration::from_millis(now), ..robots.clone() };
            match turns.turn(&asked) {
                Turn::Now => break,
                Turn::Again(wait) => now += u64::try_from(wait.as_millis()).unwrap().max(1),
                Turn::NotBefore(until) => panic!("not before {until}"),
            }
        }
        assert_eq!(now, number * 100);
    }
}

/// A flight that the lane of its address delays does not run into a slot of its host that somebody took meanwhile; and
/// one that its host delays keeps the gap at the address: [gate.pace-robots-txt] [gate.pace-address]
#[test]
fn a_wait_in_one_lane_costs_no_slot_of_the_other() {
    let core = core(Pacing::default());
    let flight = |url: &str| match core.ask_permission(url, at(0)).unwrap() {
        Next::Retrieve(flight) => flight,
        other => panic!("{other:?}"),
    };
    let others: Vec<_> = (0..20).map(|number| flight(&format!("http://o{number}.test/"))).collect();
    let mine = flight("http://a.test/");
    let same_host = flight("http://a.test:81/");
    assert_eq!(same_host.starts_at(), Some(at(1)));
    // The address has no slot before 2,000: that is after the slot of the other port.
    for (number, other) in (0..).zip(&others) {
        assert_eq!(goes(&*core.turns(other, at(0)), (0, &other.origin().robots_txt(), 1), 0), number * 100);
    }
    let first = goes(&*core.turns(&mine, at(0)), (0, "http://a.test/robots.txt", 1), 0);
    let second = goes(&*core.turns(&same_host, at(1)), (0, "http://a.test:81/robots.txt", 2), 0) + 1_000;
    assert!(first.abs_diff(second) >= 950, "{first} and {second}");
}

/// Sites with delays of their choice, one address for all, redirects among them, and pages in between: no server gets a
/// request before the interval of its lane or its address is over. [gate.pace-robots-txt] [gate.pace-address]
#[test]
fn no_choice_of_delays_makes_a_burst() {
    for seed in 0..300_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let core = core(Pacing::default());
        let hosts = 2 + random(12);
        // When each retrieval asks next, when it began, what it asks for, and its turns.
        let mut flights = Vec::new();
        let mut made: Vec<(u64, u64)> = Vec::new();
        for now in 0..8_000_u64 {
            if random(40) == 0 {
                let url = format!("http://h{}.test:{}/", random(hosts), 80 + random(4));
                if let Ok(Next::Retrieve(flight)) = core.ask_permission(&url, Moment::from_millis(now)) {
                    let begins = flight.starts_at().unwrap().since(Moment::default()).as_millis();
                    let begins = u64::try_from(begins).unwrap();
                    let hops = (0..=random(3)).map(|hop| match hop {
                        0 => (0, flight.origin().robots_txt()),
                        _ => (usize::try_from(hop).unwrap(), format!("http://h{}.test/robots.txt", random(hosts))),
                    });
                    let hops: Vec<_> = hops.collect();
                    let turns = core.turns(&flight, Moment::from_millis(begins));
                    flights.push((begins, begins, hops, turns, flight));
                }
            }
            let mut place = 0;
            while place < flights.len() {
                let (asks, began, hops, turns, _) = &mut flights[place];
                if *asks > now {
                    place += 1;
                    continue;
                }
                let (hop, url) = &hops[0];
                match turns.turn(&request(*hop, url, 7, now - *began)) {
                    Turn::Now => {
                        let host = url.trim_start_matches("http://h").split('.').next().unwrap().parse().unwrap();
                        made.push((now, host));
                        hops.remove(0);
                        *asks = now + 1 + random(60);
                        if hops.is_empty() {
                            flights.remove(place);
                            continue;
                        }
                    }
                    Turn::Again(wait) => *asks = now + u64::try_from(wait.as_millis()).unwrap().max(1) + random(4),
                    Turn::NotBefore(_) => {
                        flights.remove(place);
                        continue;
                    }
                }
                place += 1;
            }
        }
        for (place, (now, host)) in made.iter().enumerate() {
            let before = &made[..place];
            if let Some((last, _)) = before.last() {
                assert!(now - last >= 95, "seed {seed}: the address at {last} and {now}");
            }
            if let Some((last, _)) = before.iter().rev().find(|(_, other)| other == host) {
                assert!(now - last >= 950, "seed {seed}: host {host} at {last} and {now}");
            }
        }
        assert!(made.len() > 10, "seed {seed}: {} requests", made.len());
    }
}
