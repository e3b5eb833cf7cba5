//! The pace: intervals, slots, feedback, holds, and which sites share a lane.

use std::sync::LazyLock;
use std::time::Duration;

use robosieve::records::Parser;
use robosieve_gate::decide::{Class, Lifetimes};
use robosieve_gate::keep::Store;
use robosieve_gate::pace::{Asked, Lane, PaceBy, Pacing, Page, Slot, Taken};
use robosieve_gate::retrieve::Retrieval;
use robosieve_gate::{Answer, Ask, Core, Errand, MemoryStore, Moment, Next, Origin};

use crate::making::{FILE, Played, Web, all, at, core, of_class, said, secs, settings};

fn asked(lines: &str) -> Asked {
    let text = format!("User-agent: *\n{lines}Disallow: /x\n");
    Asked::by(
        &Parser::default().for_agents(robosieve::settings::Interest::everyone()).parse(text.as_bytes()).into_owned(),
    )
}

fn interval(pacing: &Pacing, lines: &str) -> Duration {
    pacing.interval(&asked(lines), at(0))
}

/// Crawl delays within any bounds: [gate.pace] [value.crawl-delay]
#[test]
fn intervals() {
    let pacing = Pacing::default();
    assert_eq!(interval(&pacing, "Crawl-delay: 2.5\n"), Duration::from_millis(2_500));
    for (seconds, expected) in [("0", 1_000), ("0.099", 100), ("0.1", 100), ("0.101", 101)] {
        assert_eq!(
            interval(&pacing, &format!("Crawl-delay: {seconds}\n")),
            Duration::from_millis(expected),
            "{seconds}"
        );
    }
    for (seconds, expected) in [("299", 299), ("300", 300), ("301", 300), ("86400", 300)] {
        assert_eq!(interval(&pacing, &format!("Crawl-delay: {seconds}\n")), secs(expected), "{seconds}");
    }
    let odd = Pacing { min: secs(10), max: secs(5), ..pacing };
    assert_eq!(interval(&odd, "Crawl-delay: 7\n"), secs(10), "an upper bound below the lower one is equal to it");
    assert_eq!(interval(&pacing, "Request-rate: 10/1m\nCrawl-delay: 2\n"), secs(6));
    assert_eq!(interval(&pacing, "Request-rate: 10/1m\nCrawl-delay: 20\n"), secs(20));
    let ignoring = Pacing { ignore_crawl_delay: true, ..pacing };
    assert_eq!(interval(&ignoring, "Crawl-delay: 60\nRequest-rate: 1/90\n"), secs(1));
    assert_eq!(pacing.over_max(&asked("Crawl-delay: 3600\n"), at(0)), Some(secs(3_600)));
    assert_eq!(pacing.over_max(&asked("Crawl-delay: 300\n"), at(0)), None);
}

static PACING: LazyLock<Pacing> = LazyLock::new(Pacing::default);

fn slot(interval: u64, within: u64) -> Slot {
    Slot { interval: secs(interval), within: secs(within) }
}

fn taken(lane: &mut Lane, slot: Slot, now: Moment) -> Taken {
    lane.take(&PACING, slot, now)
}

fn yours(wait: u64) -> Taken {
    Taken { is_yours: true, wait: secs(wait), held: Duration::ZERO }
}

fn not_yours(wait: u64, held: u64) -> Taken {
    Taken { is_yours: false, wait: secs(wait), held: secs(held) }
}

/// Slots are an interval apart, also of different lengths; one that is too late takes nothing: [gate.pace] [gate.slots]
#[test]
fn slots_are_apart() {
    let mut lane = Lane::default();
    assert_eq!(taken(&mut lane, slot(5, 0), at(0)), yours(0));
    assert_eq!(taken(&mut lane, slot(2, 60), at(0)), yours(5));
    assert_eq!(taken(&mut lane, slot(5, 60), at(0)), yours(7));
    for (within, expected) in [(11, not_yours(12, 0)), (12, yours(12))] {
        assert_eq!(taken(&mut lane, slot(5, within), at(0)), expected);
    }
    let before = lane;
    assert_eq!(taken(&mut lane, slot(5, 0), at(1)), not_yours(16, 0));
    assert_eq!(taken(&mut lane, slot(0, 0), at(1)), not_yours(16, 0), "a look");
    assert_eq!(lane, before);
    assert_eq!(taken(&mut lane, slot(5, 0), at(17)), yours(0));
    assert_eq!(taken(&mut lane, slot(5, 0), at(1_000)), yours(0), "a pause makes no burst");
    assert_eq!(taken(&mut lane, slot(5, 0), at(1_000)), not_yours(5, 0));
    // The queue is bounded.
    let mut lane = Lane::default();
    let count = (0..5_000)
        .filter(|_| lane.take(&PACING, Slot { interval: secs(1), within: PACING.max_wait }, at(0)).is_yours)
        .count();
    assert_eq!(count, 3_601);
}

/// Small delays do not add up, and are no more than a hundredth of the interval, and 50 ms: [gate.late-slot]
#[test]
fn small_delays_do_not_add_up() {
    for (interval, late, next) in
        [(1, 10, 990), (1, 11, 1_000), (5, 50, 4_950), (5, 51, 5_000), (100, 50, 99_950), (100, 51, 100_000)]
    {
        let mut lane = Lane::default();
        taken(&mut lane, slot(interval, 0), at(0));
        let now = at(interval).after(Duration::from_millis(late));
        assert!(taken(&mut lane, slot(interval, 0), now).is_yours);
        assert_eq!(taken(&mut lane, slot(interval, 0), now).wait, Duration::from_millis(next));
    }
}

/// A clock that was set back, and a lane that was damaged, delay a host by no more than their slots: [gate.clock]
/// [gate.lane-damage]
#[test]
fn clocks_set_back_and_damage() {
    let mut lane = Lane::default();
    taken(&mut lane, slot(5, 0), at(100_000));
    assert_eq!(taken(&mut lane, slot(5, 60), at(10)), yours(5), "the slot before it counts");
    let far = Moment::from_millis(u64::MAX);
    for number in 0..128_u8 {
        let bit = |place: u8, moment: Moment| if number & (1 << place) == 0 { Moment::default() } else { moment };
        let mut lane = Lane {
            free: bit(0, far),
            at: bit(1, far),
            gap: if number & 4 == 0 { Duration::ZERO } else { Duration::MAX },
            held_since: bit(3, far),
            held: bit(4, far),
            level: if number & 32 == 0 { 0 } else { u8::MAX },
            answers_in: (number & 64 != 0).then_some(Duration::MAX),
        };
        let found = lane.take(&Pacing { adaptive: Some(u32::MAX), ..*PACING }, slot(1, 0), at(0));
        assert!(found.wait <= PACING.max_pause, "{number}: {found:?}");
        lane.observe(
            &PACING,
            &Page { status: Some(503), retry_after: Some(Duration::MAX), took: Some(Duration::MAX) },
            at(0),
        );
        assert!(lane.take(&PACING, slot(1, 0), at(0)).wait <= PACING.max_pause);
        // It heals.
        let later = at(2 * 86_400);
        assert!(lane.take(&PACING, slot(1, 0), later).is_yours, "{number}: {lane:?}");
    }
}

/// Steps of a clock between any two slots, forward too, never bring two starts closer than the steady clock allows:
/// [gate.clock]
#[test]
fn no_step_back_makes_a_burst() {
    let mut random = crate::properties::Random(7);
    let mut below = |most: usize| crate::properties::choices::Choices::below(&mut random, most) as u64;
    for _ in 0..200 {
        let (mut lane, mut real, mut last, mut offset) = (Lane::default(), 1_000_000_u64, None, 5_000_000_u64);
        for _ in 0..40 {
            real += below(400);
            if below(8) == 0 {
                offset = offset.saturating_sub(below(100_000));
            }
            let now = Moment::from_millis(real + offset);
            if taken(&mut lane, slot(1, 0), now).is_yours {
                assert!(last.is_none_or(|last| real - last >= 990), "{last:?} {real}");
                last = Some(real);
            }
        }
    }
}

/// 429 and 503 double the interval, up to the longest, and others halve it again; a lane that nobody used stays new:
/// [gate.slow-down] [gate.page-bounds]
#[test]
fn servers_slow_the_lane_down() {
    let page = |status| Page { status, ..Page::default() };
    let mut lane = Lane::default();
    lane.observe(&PACING, &page(Some(429)), at(0));
    assert_eq!(lane, Lane::default());
    let mut now = at(0);
    let mut gap = |lane: &mut Lane, status| {
        now = now.after(secs(1_000));
        assert!(taken(lane, slot(1, 0), now).is_yours);
        lane.observe(&PACING, &page(status), now);
        taken(lane, slot(1, 0), now).wait.as_secs()
    };
    let up: Vec<u64> = (0..10).map(|_| gap(&mut lane, Some(503))).collect();
    assert_eq!(up, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    assert_eq!([gap(&mut lane, Some(500)), gap(&mut lane, None)], [300, 300], "no answer says nothing");
    // Each gap is that of the slot before.
    let down: Vec<u64> = (0..11).map(|_| gap(&mut lane, Some(200))).collect();
    assert_eq!(down, [300, 300, 256, 128, 64, 32, 16, 8, 4, 2, 1]);
}

/// A Retry-After holds the host, for a day at most; a good page that began after it lifts it, others do not:
/// [gate.hold]
#[test]
fn holds() {
    let busy = |seconds| Page { status: Some(429), retry_after: Some(secs(seconds)), took: None };
    for (asked, held) in [(60, 60), (86_400, 86_400), (86_401, 86_400), (u64::MAX, 86_400)] {
        let mut lane = Lane::default();
        taken(&mut lane, slot(1, 0), at(0));
        lane.observe(&PACING, &busy(asked), at(0));
        assert_eq!(taken(&mut lane, slot(1, 0), at(0)), not_yours(held, held));
    }
    let good = |took: Option<u64>| Page { status: Some(200), retry_after: None, took: took.map(secs) };
    for (page, is_held) in [
        (good(None), true),
        (good(Some(10)), true),
        (good(Some(9)), false),
        (Page { status: Some(404), ..good(Some(0)) }, true),
    ] {
        let mut lane = Lane::default();
        taken(&mut lane, slot(1, 0), at(0));
        lane.observe(&PACING, &busy(60), at(0));
        lane.observe(&PACING, &page, at(10));
        assert_eq!(!taken(&mut lane, slot(0, 0), at(10)).held.is_zero(), is_held, "{page:?}");
    }
}

/// A multiple of the response time, smoothed; a retrieval's counts too: [gate.adaptive]
#[test]
fn adapting_to_response_times() {
    let pacing = Pacing { adaptive: Some(10), ..*PACING };
    let mut lane = Lane::default();
    let page = |millis| Page { status: Some(200), retry_after: None, took: Some(Duration::from_millis(millis)) };
    lane.take(&pacing, slot(1, 0), at(0));
    lane.observe(&pacing, &page(2_000), at(2));
    assert_eq!(lane.take(&pacing, slot(1, 0), at(2)).wait, secs(18), "from its beginning");
    lane.take(&pacing, slot(1, 0), at(20));
    assert_eq!(lane.take(&pacing, slot(1, 0), at(20)).wait, secs(20));
    lane.observe(&pacing, &page(0), at(40));
    lane.take(&pacing, slot(1, 0), at(40));
    assert_eq!(lane.take(&pacing, slot(1, 0), at(40)).wait, secs(15), "a quarter is new");
    for (class, wait) in [(Class::Success, 18), (Class::NoFile, 18)] {
        let answer = Retrieval { began: at(0), ..of_class(class, at(2)) };
        let gate = Played::with(&Web::new(answer), settings(|settings| settings.pacing.adaptive = Some(10)));
        assert_eq!(said(&gate.check("https://example.com/", at(0))), ("allowed", wait), "{class}");
    }
}

/// Sites of one host share a pace, with any scheme and port and a final dot; and by domain, all of the domain:
/// [gate.pace-by]
#[test]
fn which_sites_share_a_pace() {
    for (by, one, other, shares) in [
        (PaceBy::Host, "http://a.example.co.uk/", "https://A.example.co.uk.:8443/x", true),
        (PaceBy::Host, "http://a.example.co.uk/", "http://b.example.co.uk/", false),
        (PaceBy::RegisteredDomain, "http://a.example.co.uk/", "https://b.example.co.uk:8081/", true),
        (PaceBy::RegisteredDomain, "http://example.co.uk/", "http://other.co.uk/", false),
        (PaceBy::RegisteredDomain, "http://93.184.215.14/", "http://93.184.215.15/", false),
        (PaceBy::RegisteredDomain, "http://co.uk/", "http://example.co.uk/", false),
    ] {
        let core = std::sync::Arc::new(Core::new(settings(|settings| settings.pacing.by = by), MemoryStore::default()));
        let [first, second] = [one, other].map(|url| match core.ask(url, Ask::Permission, at(0)) {
            Next::Fetch(errand) => errand.starts_at(),
            next => panic!("{next:?}"),
        });
        assert_eq!(second > first, shares, "{one} {other}");
    }
}

/// A domain has a thousand lanes of its hosts, and one for the rest; no other domain waits for it: [gate.max-lanes]
#[test]
fn a_domain_has_a_thousand_lanes() {
    let gate = Played::new(&Web::file("User-agent: *\nCrawl-delay: 300\n"));
    let ask = |host: &str| gate.check(&format!("http://{host}/"), at(0));
    let is_first = |answer: Answer| answer.is_allowed() && answer.wait <= secs(300);
    let own = (0..1_000).filter(|number| is_first(ask(&format!("h{number}.hostile.example")))).count();
    assert_eq!(own, 1_000);
    assert!(is_first(ask("one-more.hostile.example")), "the first of the rest");
    assert!(!is_first(ask("another.hostile.example")), "the rest shares one lane");
    // 6,300 names in all, and twenty hosts elsewhere, which are asked and answered in 30 seconds.
    for number in 1_002..6_300 {
        let _ = ask(&format!("h{number}.hostile.example"));
    }
    for number in 0..20 {
        let url = format!("http://good{number}.example/");
        let (first, then) = (gate.permits(&url, at(number)), gate.start(&url, at(number + 301)));
        assert!(first.is_allowed() && then.is_allowed(), "{first} {then}");
    }
    assert_eq!(said(&ask("h7.hostile.example")), ("allowed", 600));
}

/// Memory has room for so many lanes with slots in the future; more get none until one is past; what only looks, and
/// what nobody asked for, takes no room: [gate.max-lanes]
#[test]
fn lanes_are_bounded() {
    let store = MemoryStore::default();
    let take = |name: &str, now| store.take(name, &PACING, slot(10, 0), now).unwrap();
    for number in 1..MemoryStore::MOST_LANES {
        assert!(take(&number.to_string(), at(0)).is_yours);
    }
    assert!(store.take("a", &PACING, slot(0, 0), at(0)).unwrap().is_yours);
    store.observe("b", &PACING, &Page { status: Some(429), ..Page::default() }, at(0)).unwrap();
    assert!(take("c", at(0)).is_yours);
    assert_eq!(take("d", at(4)), not_yours(6, 0));
    assert!(take("d", at(10)).is_yours);
}

/// A hold stops its host and no neighbour, is seen and lifted; the reason is its own: [gate.hold]
#[test]
fn a_hold_stops_no_neighbour() {
    for by in [PaceBy::Host, PaceBy::RegisteredDomain] {
        let gate = Played::with(&Web::file(FILE), settings(|settings| settings.pacing.by = by));
        let now = at(0);
        let (url, other) = ("http://a.example.com/", "http://b.example.com/");
        let origin = Origin::of(url).unwrap();
        for page in [url, other] {
            let _ = gate.check(page, now);
        }
        let busy = Page { status: Some(503), retry_after: Some(secs(600)), took: None };
        gate.observe(url, &busy, now).unwrap();
        let held = |url| gate.start(url, now).reason == "held";
        assert!(held(url) && !held(other), "{by:?}");
        let report = gate.report(&origin, now).unwrap().unwrap();
        assert_eq!(report.held_until, Some(at(600)));
        assert!(gate.clear(&origin, now).unwrap());
        assert_eq!(gate.report(&origin, now).unwrap(), None);
        assert!(!held(url));
        // Nothing is kept of a host that nobody asked about.
        gate.observe("http://new.example.org/", &busy, now).unwrap();
        assert!(!held("http://new.example.org/"));
        gate.observe(url, &busy, now).unwrap();
        gate.clear_all(now).unwrap();
        assert!(!held(url));
    }
}

/// Retrievals take slots too: pages wait after them, many sites of a lane take turns, and one without a slot soon is
/// not now, and is stored nowhere: [gate.pace-robots-txt]
#[test]
fn robots_txt_takes_slots() {
    let gate = Played::new(&Web::file("User-agent: *\nCrawl-delay: 5\n"));
    let later = gate.start("https://example.com/", at(0));
    assert_eq!((later.reason, later.until), ("pace", Some(at(5))));
    let (core, mut errands, mut refused) = (core(), Vec::new(), 0);
    for port in 1_024..1_124 {
        match core.ask(&format!("https://example.com:{port}/"), Ask::Permission, at(0)) {
            Next::Fetch(errand) => errands.push(errand),
            Next::Answer(answer) => {
                assert!(answer.reason == "pace" && answer.until > Some(at(5)));
                refused += 1;
            }
            Next::Again(_) => panic!(),
        }
    }
    assert!(all(&**core.store()).is_empty());
    let starts: Vec<_> = errands.iter().map(Errand::starts_at).collect();
    assert_eq!((starts, refused), ((0..6).map(at).collect(), 94), "as many as have a slot within five seconds");
    // What is put off comes when it was said.
    let next = core.ask("https://example.com:1123/", Ask::Permission, at(6));
    assert!(matches!(next, Next::Fetch(_)), "{next:?}");
}

/// However short the life of a file is, pages start with it: [gate.pace-robots-txt]
#[test]
fn a_short_life_lets_pages_start() {
    let short = Lifetimes { cache: secs(1), cache_min: secs(1), cache_max: secs(1), ..Lifetimes::default() };
    let both = settings(|settings| {
        settings.lifetimes = short;
        settings.pacing.default = secs(3);
    });
    let gate = Played::with(&Web::file(FILE), both);
    let (mut now, mut started) = (at(0), 0);
    for _ in 0..40 {
        started += u32::from(gate.start("http://c.test/", now).is_allowed());
        now = now.after(secs(1));
    }
    assert!(started >= 5, "{started} pages");
}
