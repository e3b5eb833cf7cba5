use std::time::Duration;

use robosieve_gate::{
    AddressGuard, AttemptEnd, Event, Head, Machine, Moment, Origin, Outcome, RetrievalLimits, Step, Validators,
};

use crate::retrieval::play::ip;

/// `SplitMix64`: the same sequence each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

const STATUSES: [u16; 14] = [0, 100, 101, 200, 204, 206, 301, 302, 304, 307, 404, 429, 503, 65_535];

const TARGETS: [&str; 7] =
    ["/a", "http://b.example/", "https://127.0.0.1/", "file:///x", "", "http://[2606:4700::1]:81/", "//c.example:0/"];

fn any_event(random: &mut Random, machine: &mut Machine, now: Moment) {
    let addresses: Vec<_> = (0..random.below(20))
        .map(|_| {
            ip(["93.184.215.14", "93.184.215.15", "127.0.0.1", "::1", "2606:4700::1", "::ffff:1.2.3.4"]
                [random.below(6)])
        })
        .collect();
    let chunk = vec![b'x'; random.below(60)];
    let head = Head::new(STATUSES[random.below(STATUSES.len())])
        .header("Location", TARGETS[random.below(TARGETS.len())].as_bytes());
    machine.on(
        match random.below(10) {
            0 => Event::Resolved(&addresses),
            1 => Event::NotResolved("no"),
            2 => Event::Failed("failed"),
            3 => Event::Head(head),
            4 => Event::Chunk(&chunk),
            5 => Event::End,
            6 => Event::BrokenOff("broken"),
            7 => Event::NotAsked("no descriptor"),
            8 => Event::NoRoute("no route"),
            _ => Event::Time,
        },
        now,
    );
}

/// Any events in any order at any time, forwards and backwards: no panic, no step past the end, nothing over a limit:
/// [retrieve.total]
#[test]
fn any_events_in_any_order() {
    let limits = RetrievalLimits { max_bytes: 100, max_redirects: 3, max_addresses: 4, ..RetrievalLimits::default() };
    let most_attempts = (limits.max_redirects + 1) * limits.max_addresses * (limits.extra_rounds as usize + 1) + 1;
    let (mut ended, mut outcomes) = (0, [0; 7]);
    for seed in 0..4_000 {
        let mut random = Random(seed);
        let mut now = Moment::from_millis(1_000_000);
        let guard = if seed % 3 == 0 { AddressGuard::anything() } else { AddressGuard::global_only() };
        let origin = Origin::of("https://a.example:8443/").unwrap();
        let mut machine = Machine::new(origin.clone(), limits, guard.clone(), now);
        if seed % 2 == 0 {
            machine = machine.conditional(Validators::new(Some("\"1\""), None));
        }
        for _ in 0..random.below(300) {
            any_event(&mut random, &mut machine, now);
            if let Step::Connect { address, url, .. } = machine.step() {
                assert!(guard.admits(address.ip()).is_ok(), "{address}");
                assert!(matches!(url.scheme(), "http" | "https"), "{url}");
            }
            now = match random.below(10) {
                0 => now.after(Duration::from_secs(2)),
                1 => Moment::from_millis(now.as_millis() - 1_000),
                _ => now.after(Duration::from_millis(random.below(100) as u64)),
            };
        }
        let before = machine.step();
        let retrieval = machine.into_retrieval(now);
        ended += usize::from(before == Step::Done);
        outcomes[retrieval.outcome as usize] += 1;
        assert_eq!(retrieval.origin, origin);
        assert!(retrieval.body.len() <= limits.max_bytes);
        assert!(retrieval.redirects.len() <= limits.max_redirects);
        assert!(retrieval.attempts.len() <= most_attempts, "{}", retrieval.attempts.len());
        let has_body = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
        assert!(has_body || retrieval.body.is_empty());
        assert_eq!(retrieval.cut.is_some(), retrieval.outcome == Outcome::Truncated);
        assert_eq!(has_body, retrieval.status.is_some_and(|status| (200..300).contains(&status)));
    }
    assert!(ended > 1_000, "only {ended} came to an end");
    assert!(outcomes.iter().all(|&count| count > 20), "{outcomes:?}");
}

/// After the budget, the next event of any kind is the last one: [retrieve.total] [retrieve.budget]
#[test]
fn time_ends_any_state() {
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let now = Moment::from_millis(0);
        let origin = Origin::of("http://a.example/").unwrap();
        let mut machine = Machine::new(origin, RetrievalLimits::default(), AddressGuard::global_only(), now);
        for _ in 0..random.below(6) {
            any_event(&mut random, &mut machine, now);
        }
        let deadline = machine.deadline();
        any_event(&mut random, &mut machine, deadline);
        assert_eq!(machine.step(), Step::Done);
    }
}

/// Foreign reasons are short and on one line: [retrieve.total] [harmless.bytes] [harmless.lines]
#[test]
fn reasons_are_short() {
    let now = Moment::from_millis(0);
    let origin = Origin::of("http://a.example/").unwrap();
    let mut machine = Machine::new(origin, RetrievalLimits::default(), AddressGuard::global_only(), now);
    let long = "\x1b[31m\r\n".to_owned() + &"é".repeat(100_000);
    machine.on(Event::NotResolved(&long), now);
    let retrieval = machine.into_retrieval(now);
    let AttemptEnd::Failed(why) = &retrieval.attempts[0].end else { panic!() };
    assert!((195..=200).contains(&why.len()) && why.ends_with('é'), "{why}");
    assert!(why.chars().all(robosieve::printable::is_shown), "{why}");
}
