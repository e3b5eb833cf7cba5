//! The pace: slots, intervals, bounds.

use std::sync::Mutex;
use std::time::Duration;

use robosieve::policy::Parser;
use robosieve_gate::pace::{Asked, NoSlot, OverMax, Pace, PaceBy, Pacing, Page};
use robosieve_gate::{Answer, Gate, Moment, Origin, Why};

use crate::making::{DAY, Told, at, core, secs};

fn origin(host: &str) -> Origin {
    Origin::of(&format!("https://{host}/")).unwrap()
}

fn asked(lines: &str) -> Asked {
    let file = format!("User-agent: MyBot\nDisallow: /x\n{lines}");
    let interest = robosieve::agent::Interest::new(["MyBot"]);
    Asked::by(&Parser::default().for_agents(interest).parse(file.as_bytes()))
}

/// Why there is no slot, and until when.
#[derive(Clone, Copy, Debug, PartialEq)]
enum No {
    Later(Moment),
    InFlight(Moment),
    Crowded(Moment),
}

fn no(why: NoSlot) -> No {
    match why {
        NoSlot::Later(until) => No::Later(until),
        NoSlot::InFlight(until) => No::InFlight(until),
        NoSlot::Crowded(until) => No::Crowded(until),
        NoSlot::Store(error) => panic!("{error}"),
    }
}

fn take(pace: &Pace, origin: &Origin, asked: &Asked, now: Moment) -> Result<Duration, No> {
    pace.take(None, &pace.lane_of(origin, None), asked, now).map_err(no)
}

fn observe(pace: &Pace, origin: &Origin, took: Duration, now: Moment) {
    let seen = Page { took, status: Some(200), ..Page::default() };
    pace.observe(None, &pace.lane_of(origin, None), &seen, now).unwrap();
}

fn interval(pacing: &Pacing, lines: &str) -> Duration {
    pacing.interval(&asked(lines), at(0))
}

/// The default, the requested interval, and the bounds: one below, equal, one above: [gate.pace]
#[test]
fn intervals() {
    let pacing = Pacing::default();
    assert_eq!(interval(&pacing, ""), secs(1));
    assert_eq!(interval(&pacing, "Crawl-delay: 2.5\n"), Duration::from_millis(2_500));
    for (seconds, expected) in [("0", 1_000), ("0.001", 100), ("0.099", 100), ("0.1", 100), ("0.101", 101)] {
        assert_eq!(interval(&pacing, &format!("Crawl-delay: {seconds}\n")), Duration::from_millis(expected));
    }
    for (seconds, expected) in [(299, 299), (300, 300), (301, 300), (u64::MAX, 300)] {
        assert_eq!(interval(&pacing, &format!("Crawl-delay: {seconds}\n")), secs(expected));
    }
    let odd = Pacing { min: secs(10), max: secs(5), ..pacing };
    assert_eq!(interval(&odd, "Crawl-delay: 7\n"), secs(10), "an upper bound below the lower one is equal to it");
}

/// Request rates count as delays do, the longest interval applies, and some rates count only in their hours:
/// [gate.pace-rate]
#[test]
fn request_rates() {
    let pacing = Pacing::default();
    assert_eq!(interval(&pacing, "Request-rate: 1/5\n"), secs(5));
    assert_eq!(interval(&pacing, "Request-rate: 10/1m\nCrawl-delay: 2\n"), secs(6));
    assert_eq!(interval(&pacing, "Request-rate: 10/1m\nCrawl-delay: 20\n"), secs(20));
    let at_night = asked("Request-rate: 1/10 2200-0600\nRequest-rate: 1/2 0600-2200\n");
    for (hour, expected) in [(0, 10), (5, 10), (7, 2), (21, 2), (23, 10)] {
        assert_eq!(pacing.interval(&at_night, at(hour * 3_600)), secs(expected), "at {hour}:00 UTC");
    }
    assert_eq!(pacing.interval(&asked("Request-rate: 1/10 0900-1000\n"), at(0)), secs(1));
}

/// The requested interval can be ignored; the rest stays: [gate.ignore-crawl-delay]
#[test]
fn ignoring_crawl_delays() {
    let pacing = Pacing { ignore_crawl_delay: true, ..Pacing::default() };
    assert_eq!(interval(&pacing, "Crawl-delay: 60\nRequest-rate: 1/90\n"), secs(1));
}

/// A site that asks for more than the longest interval is shortened and says so, or skipped, or handed over:
/// [gate.over-max]
#[test]
fn sites_that_ask_for_too_much() {
    let gate = |over_max, file: &str| {
        let pacing = Pacing { over_max, ..Pacing::default() };
        Gate::over(Told::file(file), core().with_pacing(pacing))
    };
    let slow = "User-agent: *\nCrawl-delay: 3600\nDisallow: /private\n";
    let url = "http://a.test/";
    let shortened = gate(OverMax::Shorten, slow);
    let answer = shortened.check(url, at(0)).unwrap();
    assert_eq!(answer, Answer::Allowed { wait: secs(300), ignored: false, shortened: Some(secs(3_600)) });
    assert_eq!(answer.to_string(), "allowed after 300000 ms (the site asks for 3600 s between two requests)");
    assert_eq!(serde_json::to_value(&answer).unwrap()["shortened_ms"], 3_600_000);
    let why = Why::CrawlDelay { asks: secs(3_600) };
    let skipped = gate(OverMax::Skip, slow);
    for answer in [skipped.permits(url, at(0)), skipped.check(url, at(0)), skipped.start(url, at(400))] {
        assert_eq!(answer.unwrap(), Answer::NotNow { until: at(DAY), why });
    }
    assert!(matches!(skipped.check("http://a.test/private", at(0)).unwrap(), Answer::Denied { .. }));
    let handed = gate(OverMax::HandOver, slow);
    for (now, until) in [(0, 3_600), (3_599, 3_600)] {
        for answer in [handed.check(url, at(now)), handed.start(url, at(now))] {
            let answer = answer.unwrap();
            assert_eq!(answer, Answer::NotNow { until: at(until), why }, "{now}");
            assert_eq!(answer.to_string(), "not now: the site asks for 3600 s between two requests, over the limit");
        }
    }
    assert!(handed.permits(url, at(0)).unwrap().is_allowed());
    let now = Answer::Allowed { wait: secs(0), ignored: false, shortened: None };
    assert_eq!(handed.check(url, at(3_600)).unwrap(), now);
    assert_eq!(handed.check(url, at(3_601)).unwrap(), Answer::NotNow { until: at(7_200), why });
    // A site that asks for no more than the limit is treated the same by all three.
    for over_max in [OverMax::Shorten, OverMax::Skip, OverMax::HandOver] {
        let fine = gate(over_max, "User-agent: *\nCrawl-delay: 300\n");
        assert_eq!(
            fine.check(url, at(0)).unwrap(),
            Answer::Allowed { wait: secs(300), ignored: false, shortened: None }
        );
        assert_eq!(
            fine.check(url, at(0)).unwrap(),
            Answer::Allowed { wait: secs(600), ignored: false, shortened: None }
        );
    }
}

/// Each answer takes a separate slot: [gate.slots]
#[test]
fn slots_are_apart() {
    let pace = Pace::new(Pacing::default());
    let (host, five) = (origin("example.com"), asked("Crawl-delay: 5\n"));
    let waits: Vec<_> = (0..4).map(|_| take(&pace, &host, &five, at(0)).unwrap().as_secs()).collect();
    assert_eq!(waits, [0, 5, 10, 15]);
    assert_eq!(take(&pace, &host, &five, at(18)), Ok(secs(2)), "time counts");
    assert_eq!(take(&pace, &origin("example.org"), &five, at(18)), Ok(secs(0)), "hosts do not wait for each other");
    assert_eq!(take(&pace, &host, &five, at(DAY)), Ok(secs(0)), "a pause earns no burst");
    assert_eq!(take(&pace, &host, &five, at(DAY)), Ok(secs(5)));
}

/// Schemes and ports of a host share a pace; hosts of a domain share one if that is chosen: [gate.pace-by]
#[test]
fn which_sites_share_a_pace() {
    let key = |by: PaceBy, url: &str| by.lane(&Origin::of(url).unwrap(), None);
    for (url, host, domain) in [
        ("http://a.example.com/", "a.example.com", "example.com"),
        ("https://a.example.com:8443/", "a.example.com", "example.com"),
        ("https://x.y.example.co.uk/", "x.y.example.co.uk", "example.co.uk"),
        ("https://someone.github.io/", "someone.github.io", "someone.github.io"),
        ("https://co.uk/", "co.uk", "co.uk"),
        ("http://127.0.0.1/", "127.0.0.1", "127.0.0.1"),
        ("http://[::1]:80/", "[::1]", "[::1]"),
    ] {
        assert_eq!(key(PaceBy::Host, url), host);
        assert_eq!(key(PaceBy::RegisteredDomain, url), domain);
    }
    let pace = Pace::new(Pacing { by: PaceBy::RegisteredDomain, ..Pacing::default() });
    assert_eq!(take(&pace, &origin("a.example.com"), &Asked::default(), at(0)), Ok(secs(0)));
    assert_eq!(take(&pace, &origin("b.example.com"), &Asked::default(), at(0)), Ok(secs(1)));
}

/// No wait is longer than the bound: [gate.max-wait]
#[test]
fn queues_are_bounded() {
    let pace = Pace::new(Pacing { max_wait: secs(2), ..Pacing::default() });
    let host = origin("example.com");
    let take = |now| self::take(&pace, &host, &Asked::default(), now);
    assert_eq!([take(at(0)), take(at(0)), take(at(0))], [Ok(secs(0)), Ok(secs(1)), Ok(secs(2))]);
    assert_eq!(take(at(0)), Err(No::Later(at(3))));
    assert_eq!(take(at(1)), Ok(secs(2)), "a refused request takes no slot");
}

/// The number of hosts is limited, and a host is removed only if it has no slot in the future: [gate.max-hosts]
#[test]
fn hosts_are_bounded() {
    let pace = Pace::new(Pacing { max_hosts: 2, ..Pacing::default() });
    let take = |host: &str, now| self::take(&pace, &origin(host), &Asked::default(), now);
    assert_eq!((take("a.com", at(0)), pace.hosts()), (Ok(secs(0)), 1));
    assert_eq!((take("b.com", at(0)), pace.hosts()), (Ok(secs(0)), 2));
    assert_eq!(take("c.com", at(0)), Err(No::Crowded(at(1))));
    assert_eq!(take("a.com", at(0)), Ok(secs(1)), "a known host gets a slot");
    assert_eq!(take("c.com", at(1)), Ok(secs(0)), "b.com had no future slot and was removed");
    assert_eq!(pace.hosts(), 2);
    assert_eq!(take("a.com", at(1)), Ok(secs(1)), "a.com was not forgotten");
    let least = Pace::new(Pacing { max_hosts: 0, ..Pacing::default() });
    assert_eq!(self::take(&least, &origin("a.com"), &Asked::default(), at(0)), Ok(secs(0)));
}

/// A clock that is set back blocks no request: [gate.clock]
#[test]
fn clocks_set_back() {
    let pace = Pace::new(Pacing::default());
    let host = origin("example.com");
    assert_eq!(take(&pace, &host, &Asked::default(), at(DAY)), Ok(secs(0)));
    assert_eq!(take(&pace, &host, &Asked::default(), at(0)), Ok(secs(1)));
    assert_eq!(take(&pace, &host, &Asked::default(), at(0)), Ok(secs(2)));
}

/// Slow hosts get fewer requests, in proportion, within the bounds. A lane without requests learns nothing:
/// [gate.adaptive] [gate.page-bounds]
#[test]
fn adapting_to_response_times() {
    let pace = Pace::new(Pacing { adaptive: Some(10), max_wait: secs(DAY), ..Pacing::default() });
    let host = origin("example.com");
    // The interval after the slot taken now: the next slot shows it.
    let interval = |now: Moment| {
        take(&pace, &host, &Asked::default(), now).unwrap();
        take(&pace, &host, &Asked::default(), now).unwrap()
    };
    assert_eq!(take(&pace, &host, &Asked::default(), at(0)), Ok(secs(0)));
    observe(&pace, &host, Duration::from_millis(50), at(0));
    assert_eq!(interval(at(1)), secs(1), "ten times 50 ms is less than the default");
    observe(&pace, &host, Duration::from_millis(4_050), at(100));
    assert_eq!(interval(at(1_000)), Duration::from_millis(10_500), "a quarter of 4,050 and three of 50, ten times");
    for _ in 0..50 {
        observe(&pace, &host, secs(1_000), at(1_100));
    }
    assert_eq!(interval(at(10_000)), secs(300), "never more than the bound");
    let plain = Pace::new(Pacing { adaptive: Some(10), ..Pacing::default() });
    observe(&plain, &host, secs(1_000), at(0));
    assert_eq!(plain.hosts(), 0);
}

/// Each number of the pace at zero, one, around its default and at the maximum of its type, alone and with all others
/// at one: no wait is longer than the bound, no two slots are closer than the interval, and the number of hosts stays
/// within its limit: [gate.pace] [gate.max-wait] [gate.max-hosts] [gate.adaptive]
#[test]
fn every_number_at_every_value() {
    let times: [fn(&mut Pacing) -> &mut Duration; 4] = [
        |pacing| &mut pacing.default,
        |pacing| &mut pacing.min,
        |pacing| &mut pacing.max,
        |pacing| &mut pacing.max_wait,
    ];
    let one = Duration::from_millis(1);
    let usual = Pacing::default();
    let ones = Pacing { default: one, min: one, max: one, max_wait: one, max_hosts: 1, adaptive: Some(1), ..usual };
    let mut all = Vec::new();
    for base in [usual, ones] {
        for field in times {
            let default = *field(&mut Pacing::default());
            for value in [Duration::ZERO, one, default.saturating_sub(one), default, default + one, Duration::MAX] {
                let mut pacing = base;
                *field(&mut pacing) = value;
                all.push(pacing);
            }
        }
        all.extend([0, 1, 2, 3, 4, usize::MAX].map(|max_hosts| Pacing { max_hosts, ..base }));
        all.extend([Some(0), Some(1), Some(u32::MAX), None].map(|adaptive| Pacing { adaptive, ..base }));
    }
    let delays = [None, Some(Duration::ZERO), Some(one), Some(secs(300)), Some(Duration::MAX)];
    for (pacing, crawl_delay) in all.iter().flat_map(|pacing| delays.map(|delay| (pacing, delay))) {
        let asked = Asked { crawl_delay, ..Asked::default() };
        let interval = pacing.interval(&asked, at(0));
        let longest = pacing.max.max(pacing.min).max(pacing.default);
        assert!(interval >= pacing.min && interval <= longest, "{pacing:?}");
        assert!(interval >= pacing.default || crawl_delay.is_some_and(|delay| !delay.is_zero()), "{pacing:?}");
        let pace = Pace::new(*pacing);
        let mut last = None;
        for _ in 0..3 {
            let taken = take(&pace, &origin("a.example"), &asked, at(0));
            assert!(taken.is_ok_and(|wait| wait <= pacing.max_wait) || last.is_some(), "{pacing:?}");
            let Ok(wait) = taken else { break };
            // Moments are whole milliseconds and have a maximum.
            let end = Duration::from_millis(u64::MAX).saturating_sub(Duration::from_millis(at(0).as_millis()));
            let next = |last: Duration| last.saturating_add(interval).saturating_sub(one).min(end);
            assert!(last.is_none_or(|last| wait >= next(last)), "{pacing:?}");
            last = Some(wait);
            observe(&pace, &origin("a.example"), Duration::MAX, at(0));
            observe(&pace, &origin("a.example"), Duration::ZERO, at(0));
        }
        for host in ["b.example", "c.example", "d.example"] {
            let _ = take(&pace, &origin(host), &asked, at(0));
            let _ = take(&pace, &origin(host), &asked, Moment::from_millis(u64::MAX));
        }
        assert!(pace.hosts() <= pacing.max_hosts.max(1), "{pacing:?}");
    }
}

/// Slots of many threads are apart: [gate.slots]
#[test]
fn threads_get_separate_slots() {
    let pace = Pace::new(Pacing { max_wait: secs(DAY), ..Pacing::default() });
    let waits = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let wait = take(&pace, &origin("example.com"), &Asked::default(), at(0)).unwrap();
                    waits.lock().unwrap().push(wait.as_secs());
                }
            });
        }
    });
    let mut waits = waits.into_inner().unwrap();
    waits.sort_unstable();
    assert_eq!(waits, (0..400).collect::<Vec<u64>>());
}

/// Whom addresses belong to: [gate.pace-address]
#[test]
fn networks_share_a_lane() {
    let origin = Origin::of("http://a.test/").unwrap();
    for (address, lane) in [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("64:ff9b::192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
    ] {
        assert_eq!(PaceBy::Address.lane(&origin, Some(address.parse().unwrap())), lane, "{address}");
    }
}
