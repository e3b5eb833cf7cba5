//! Holds: what one site asks for stops no other, is bounded, and can be seen and lifted.

use std::sync::Arc;
use std::time::Duration;

use robosieve_gate::decide::Class;
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{Request, Retrieval, Turn, Validators};
use robosieve_gate::{Answer, Gate, GateCore, Moment, Next, Origin, SqliteStore, Why};

use crate::making::{DAY, FILE, Told, at, core, of_class, secs};

/// The answer to one who asks for too much.
fn busy() -> Page {
    Page { status: Some(429), retry_after: Some(secs(DAY)), ..Page::default() }
}

/// A gate whose sites under `evil` answer robots.txt with a hold of a day, and all others have a file.
fn hostile(pacing: Pacing) -> Gate<impl robosieve_gate::retrieve::Retriever> {
    struct Sites(Retrieval, Retrieval);
    impl robosieve_gate::retrieve::Retriever for Sites {
        fn wait(&self, _: Duration) {}

        fn retrieve(&self, origin: &Origin) -> Retrieval {
            let is_evil = origin.to_string().contains("evil");
            let came = if is_evil { &self.0 } else { &self.1 };
            Retrieval { origin: origin.clone(), ..came.clone() }
        }
    }
    let evil = Retrieval { retry_after: Some(secs(DAY)), ..of_class(Class::TooManyRequests, Moment::default()) };
    Gate::over(Sites(evil, of_class(Class::Success, Moment::default())), core().with_pacing(pacing))
}

/// 103,000 names of one domain, or of as many domains, leave room for 20 good hosts: [gate.max-hosts] [gate.hold]
#[test]
fn hostile_names_stop_no_other() {
    let names: [fn(u32) -> String; 2] =
        [|number| format!("http://h{number}.evil.test/"), |number| format!("http://evil{number}.test/")];
    // The second with a tenth of all, for its time.
    for (name, (all, a_second)) in names.into_iter().zip([(103_000, u32::MAX), (10_300, 1_000)]) {
        let most = if all == 103_000 { 100_000 } else { 10_000 };
        let gate = hostile(Pacing { max_hosts: most, ..Pacing::default() });
        let mut crowded = 0_u64;
        for number in 0..all {
            let now = at(u64::from(number / a_second));
            match gate.permits(&name(number), now).unwrap() {
                Answer::NotNow { why: Why::Crowded, .. } => crowded += 1,
                answer => assert!(!answer.is_allowed(), "{answer}"),
            }
        }
        let now = at(u64::from(all / a_second));
        for number in 0..20 {
            let answer = gate.check(&format!("http://good{number}.example/"), now).unwrap();
            assert!(answer.is_allowed(), "{number}: {answer}");
        }
        assert_eq!(crowded, if all == 103_000 { 103_000 - 6_250 } else { 0 });
        assert!(gate.pace().hosts() <= most);
    }
}

/// The hosts at one address have a share of the lanes, under any names: [gate.max-hosts]
#[test]
fn hosts_of_a_network_have_a_share() {
    let pacing = Pacing { max_hosts: 2_000, address_gap: Duration::ZERO, ..Pacing::default() };
    for (addresses, expected) in [
        (["192.0.2.1", "::ffff:192.0.2.1", "64:ff9b::192.0.2.1"], 125),
        (["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:ffff::1"], 125),
        (["192.0.2.1", "192.0.2.2", "192.0.2.3"], 300),
        (["2001:db8:1::1", "2001:db8:2::1", "2001:db8:3::1"], 300),
    ] {
        let core = Arc::new(core().with_pacing(pacing));
        let turns = (0..300).map(|number| {
            let url = format!("http://host{number}.test/");
            let Next::Retrieve(flight) = core.ask_permission(&url, at(0)).unwrap() else { panic!("{number}") };
            core.turns(&flight, at(0)).turn(&Request {
                held: Validators::default(),
                url: format!("{url}robots.txt").parse().unwrap(),
                address: Some(addresses[number % 3].parse().unwrap()),
                hop: 0,
                after: Duration::ZERO,
            })
        });
        assert_eq!(turns.filter(|turn| *turn == Turn::Now).count(), expected, "{addresses:?}");
    }
}

/// Pages of hosts that nobody asked for make no lane, and numbers have bounds: [gate.page-bounds]
#[test]
fn pages_of_nobody_make_no_lane() {
    let pacing = Pacing { adaptive: Some(10), max_in_flight: Some(1), ..Pacing::default() };
    let wide = Pacing { by: PaceBy::RegisteredDomain, ..pacing };
    for pacing in [pacing, wide] {
        let core = core().with_pacing(pacing);
        for number in 0..1_000 {
            let page = Page { took: Duration::MAX, bytes: u64::MAX, ..busy() };
            core.observe(&format!("http://h{number}.example/"), &page, at(0)).unwrap();
        }
        assert_eq!(core.pace().hosts(), 0);
    }
}

/// A lane of several hosts is slowed down to one request a minute at most, and the hold stays with its host:
/// [gate.hold]
#[test]
fn a_hold_stops_no_neighbour() {
    let (evil, good) = ("http://evil.example.com/", "http://good.example.com/");
    let wide = Pacing { by: PaceBy::RegisteredDomain, ..Pacing::default() };
    let gates = [
        Gate::over(Told::file(FILE), core().with_pacing(wide)),
        Gate::over(Told::file(FILE), core().with_lanes_by(|_| Some("all".into()))),
    ];
    for gate in gates {
        for (url, now) in [(evil, 0), (good, 9)] {
            assert!(gate.permits(url, at(now)).unwrap().is_allowed());
        }
        assert!(gate.start(evil, at(20)).unwrap().is_allowed());
        (0..20).for_each(|_| gate.observe(evil, &busy(), at(20)).unwrap());
        let held =
            |now, why| assert_eq!(gate.start(evil, at(now)).unwrap(), Answer::NotNow { until: at(20 + DAY), why });
        held(21, Why::Pace);
        let answer = gate.start(good, at(20)).unwrap();
        let Answer::NotNow { until, why: Why::Pace } = answer else { panic!("{answer}") };
        assert!(until <= at(80) || gate.pace().pacing().by == PaceBy::Host, "{answer:?}");
        assert!(gate.start(good, until).unwrap().is_allowed());
        // Another scheme of the held host is not asked for its robots.txt either.
        let held_too = gate.permits("https://evil.example.com/", at(2_000)).unwrap();
        assert_eq!(held_too, Answer::NotNow { until: at(20 + DAY), why: Why::Pace });
        let origin = Origin::of(evil).unwrap();
        assert_eq!(gate.report(&origin, at(2_000)).unwrap().unwrap().held_until, Some(at(20 + DAY)));
        // One whose length nobody knows may have begun before the hold was said.
        let good_page = Page { status: Some(200), ..Page::default() };
        gate.observe(evil, &good_page, at(2_500)).unwrap();
        assert!(!gate.start(evil, at(2_600)).unwrap().is_allowed());
        gate.observe(evil, &Page { took: Duration::from_secs(1), ..good_page }, at(3_000)).unwrap();
        assert!(gate.start(evil, at(4_000)).unwrap().is_allowed(), "a good page lifts it");
    }
    // The answer of robots.txt is the site's word, too.
    let gate = hostile(wide);
    assert!(!gate.permits(evil, at(0)).unwrap().is_allowed());
    assert!(gate.check(good, at(10)).unwrap().is_allowed());
    let held = gate.permits("https://evil.example.com/", at(20)).unwrap();
    assert_eq!(held, Answer::NotNow { until: at(DAY), why: Why::Pace });
}

/// A hold is shown by the site's report, and lifted with the site or with all: [gate.hold]
#[test]
fn holds_are_seen_and_lifted() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("s.sqlite")).unwrap();
    let in_file = GateCore::new(store, robosieve::agent::Agents::new(["MyBot"]));
    for core in [core(), in_file] {
        let (gate, url) = (Gate::over(Told::file(FILE), core), "http://a.test/");
        let origin = Origin::of(url).unwrap();
        for (now, all) in [(0, false), (1_000, true)] {
            gate.permits(url, at(now)).unwrap();
            gate.observe(url, &busy(), at(now + 9)).unwrap();
            let report = gate.report(&origin, at(now + 10)).unwrap().unwrap();
            assert_eq!(report.held_until, Some(at(now + 9 + DAY)));
            assert!(!gate.start(url, at(now + 300)).unwrap().is_allowed());
            if all {
                gate.clear_all().unwrap();
            } else {
                assert!(gate.clear(&origin).unwrap());
            }
            assert!(gate.permits(url, at(now + 301)).unwrap().is_allowed());
            assert_eq!(gate.report(&origin, at(now + 302)).unwrap().unwrap().held_until, None);
            assert!(gate.start(url, at(now + 310)).unwrap().is_allowed());
        }
    }
}

/// A lane that has nothing but a hold makes room, and no other does: [gate.hold] [gate.max-hosts]
#[test]
fn a_hold_is_forgotten_before_a_slot() {
    let gate = Gate::over(Told::file(FILE), core().with_pacing(Pacing { max_hosts: 2, ..Pacing::default() }));
    let url = |name: &str| format!("http://{name}.test/");
    gate.permits(&url("held"), at(0)).unwrap();
    gate.observe(&url("held"), &busy(), at(0)).unwrap();
    assert!(gate.check(&url("b"), at(9)).unwrap().is_allowed());
    assert!(!gate.start(&url("held"), at(9)).unwrap().is_allowed(), "there was room");
    assert!(gate.check(&url("c"), at(9)).unwrap().is_allowed());
    let answer = gate.check(&url("d"), at(9)).unwrap();
    assert!(matches!(answer, Answer::NotNow { why: Why::Crowded, .. }), "{answer}");
}
