//! What is different for single hosts, and the switches that leave a site alone, use a file for longer, or ignore it.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::ask::{HostSettings, OverrideError, Overrides};
use robosieve_gate::decide::{Class, Lifetimes, Preset, Ruling, StandingName};
use robosieve_gate::pace::Pacing;
use robosieve_gate::retrieve::{Outcome, Retrieval};
use robosieve_gate::{Answer, Gate, GateCore, Moment, Next, Origin, Why};

use crate::making::{DAY, FILE, Told, at, core, of_class, origin, secs};

const NOW: Answer = Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None };
const IGNORED: Answer = Answer::Allowed { wait: Duration::ZERO, ignored: true, shortened: None };

fn gate(told: &Told, overrides: Overrides) -> Gate<Told> {
    Gate::over(told.clone(), core().with_overrides(overrides))
}

fn settings() -> HostSettings {
    HostSettings::default()
}

fn ignoring(name: &str) -> Overrides {
    Overrides::default().with(name, HostSettings { ignore_robots_txt: true, ..settings() }).unwrap()
}

fn site(url: &str) -> Origin {
    Origin::of(url).unwrap()
}

/// A host whose robots.txt is ignored is open, is never requested, keeps its pace, and each answer says so:
/// [gate.ignore]
#[test]
fn ignored_hosts() {
    let told = Told::file("User-agent: *\nDisallow: /\nSitemap: https://example.com/s\nCrawl-delay: 9\n");
    let gate = gate(&told, ignoring("example.com"));
    assert_eq!(gate.permits("https://example.com/private", at(0)).unwrap(), IGNORED);
    assert_eq!(gate.check("http://EXAMPLE.com.:8080/private", at(0)).unwrap(), IGNORED);
    let second = gate.check("https://example.com/robots.txt", at(0)).unwrap();
    assert_eq!(second, Answer::Allowed { wait: secs(1), ignored: true, shortened: None });
    assert_eq!(second.to_string(), "allowed after 1000 ms (robots.txt is ignored for this host)");
    let json = serde_json::to_value(&second).unwrap();
    assert_eq!(json, serde_json::json!({ "answer": "allowed", "wait_ms": 1_000, "ignored": true }));
    assert!(matches!(gate.start("https://example.com/", at(1)).unwrap(), Answer::NotNow { why: Why::Pace, .. }));
    let report = gate.qualify(&origin(), at(0)).unwrap();
    assert_eq!((report.standing, report.is_due, report.next_attempt), (StandingName::Ignored, false, None));
    assert_eq!(gate.report(&origin(), at(0)).unwrap(), Some(report));
    assert!(gate.is_cached(&origin(), at(0)).unwrap() && gate.core().ignores_robots_txt(&origin()));
    assert!(gate.sitemaps(&origin(), at(0)).unwrap().is_empty());
    assert_eq!(gate.crawl_delay(&origin(), at(0)).unwrap(), None);
    let reasons = gate.reasons(&origin(), at(0)).unwrap();
    assert!(reasons.findings.is_none() && reasons.attempts.is_empty());
    assert_eq!((told.count(), gate.store().len().unwrap()), (0, 0));
    // Only the host that is named.
    for other in
        ["https://www.example.com/", "https://example.com.evil.test/", "https://xexample.com/", "http://1.2.3.4/"]
    {
        assert!(matches!(gate.permits(other, at(0)).unwrap(), Answer::Denied { .. }), "{other}");
    }
    assert_eq!(told.count(), 4);
    // What the store has of the host does not count, and is still there for others.
    let known = Gate::over(told.clone(), core());
    known.qualify(&origin(), at(0)).unwrap();
    let ignoring = GateCore::new(known.store().clone(), Agents::new(["MyBot"])).with_overrides(ignoring("example.com"));
    assert!(matches!(ignoring.ask("https://example.com/private", at(0)).unwrap(), Next::Answer(IGNORED)));
    assert_eq!(ignoring.reasons(&origin(), at(0)).unwrap().findings, None);
    assert_eq!(known.report(&origin(), at(0)).unwrap().unwrap().standing, StandingName::Fresh);
}

/// Names of hosts have one spelling, the most specific one counts, and what is no host's name is refused:
/// [gate.overrides]
#[test]
fn names_of_hosts() {
    let delay = |seconds| HostSettings { delay: Some(secs(seconds)), ..settings() };
    let mut overrides = Overrides::default();
    let names = ["b\u{fc}cher.example", "EXAMPLE.com.", "*.example.com", "*.a.example.com", "127.1", "[::1]", "*.test"];
    for (seconds, name) in (1..).zip(names) {
        overrides = overrides.with(name, delay(seconds)).unwrap();
    }
    for (url, seconds) in [
        ("https://xn--bcher-kva.example/", Some(1)),
        ("https://B%C3%9Ccher.EXAMPLE:444/", Some(1)),
        ("http://example.com/", Some(2)),
        ("http://example.com./", Some(2)),
        ("http://www.example.com/", Some(3)),
        ("http://a.example.com/", Some(3)),
        ("http://b.c.a.example.com./", Some(4)),
        ("http://notexample.com/", None),
        ("http://example.com.org/", None),
        ("http://0x7f000001/", Some(5)),
        ("http://2130706433/", Some(5)),
        ("http://[0:0:0:0:0:0:0:1]:81/", Some(6)),
        ("http://test/", None),
        ("http://a.test./", Some(7)),
    ] {
        let found = overrides.of(&site(url)).and_then(|found| found.delay);
        assert_eq!(found, seconds.map(secs), "{url}");
    }
    let refused = |name: &str| overrides.clone().with(name, settings()).unwrap_err();
    for name in
        ["", ".", "*", "*.", "*.127.0.0.1", "a.*.test", "a b", "https://a.test", "a.test/x", "a.test:80", "a@b", "::1"]
    {
        assert_eq!(refused(name), OverrideError::Name, "{name}");
    }
    for name in ["Example.COM", "example.com.", "127.0.0.1", "0x7f.1", "[0::1]", "*.TEST.", "xn--bcher-kva.example"] {
        assert_eq!(refused(name), OverrideError::Twice, "{name}");
    }
    let bad = |own| overrides.clone().with("*.x.test", own).unwrap_err();
    assert_eq!(bad(HostSettings { ignore_robots_txt: true, ..settings() }), OverrideError::IgnoredMany);
    let (min_delay, max_delay) = (Some(secs(2)), Some(secs(1)));
    assert_eq!(bad(HostSettings { min_delay, max_delay, ..settings() }), OverrideError::Delays);
    assert_eq!(overrides.clone().ignoring("*.test"), Err(OverrideError::IgnoredMany));
    let more = overrides.ignoring("example.com").unwrap();
    let own = more.of(&origin()).unwrap();
    assert_eq!((own.delay, own.ignore_robots_txt, more.len()), (Some(secs(2)), true, 7));
}

/// The number of hosts has a limit: [gate.overrides]
#[test]
fn a_bounded_number_of_hosts() {
    let mut overrides = Overrides::default();
    for number in 1..Overrides::MAX_HOSTS {
        overrides = overrides.with(&number.to_string(), settings()).unwrap();
    }
    assert_eq!(overrides.len(), Overrides::MAX_HOSTS - 1);
    let full = overrides.with("a.test", settings()).unwrap();
    assert_eq!(full.len(), Overrides::MAX_HOSTS);
    assert_eq!(full.with("b.test", settings()), Err(OverrideError::TooMany));
    assert!(OverrideError::TooMany.to_string().contains("more than 100000 hosts"));
}

/// Each setting counts for its host, also if those for all hosts are set later, and for no other: [gate.overrides]
#[test]
fn settings_of_a_host() {
    let read = |json| serde_json::from_value::<Overrides>(json).unwrap();
    let overrides = read(serde_json::json!({ "hosts": {
        "slow.test": { "delay": 2.5, "min-delay": 1, "max-delay": 400 },
        "quick.test": { "ignore-crawl-delay": true, "delay": 0.5 },
        "strict.test": { "policy": "strict", "policy-set": { "no-file": "deny" } },
        "week.test": { "recheck-after": 604_800 },
        "gone.test": { "give-up-after": 2, "retry": 60 },
        "rare.test": { "max-failures": 2 },
        "image.test": { "agents": ["MyBot-Image", "MyBot"] },
    } }));
    let told = Told::file("User-agent: mybot-image\nDisallow: /i\n\nUser-agent: *\nDisallow: /m\nCrawl-delay: 1000\n");
    let core = core().with_overrides(overrides).with_policy(Preset::Processor).with_pacing(Pacing::default());
    let gate = Gate::over(told.clone(), core);
    for (url, interval) in
        [("http://slow.test/", 400_000), ("http://quick.test/", 500), ("http://other.test/", 300_000)]
    {
        gate.permits(url, at(0)).unwrap();
        assert_eq!(gate.core().interval(&site(url), at(0)), Duration::from_millis(interval), "{url}");
    }
    let image = gate.permits("http://image.test/i", at(0)).unwrap();
    assert!(matches!(image, Answer::Denied { .. }) && gate.permits("http://image.test/m", at(0)).unwrap().is_allowed());
    assert_eq!(gate.qualify(&site("http://image.test/"), at(0)).unwrap().reader, "mybot-image, mybot");
    gate.permits("http://week.test/", at(0)).unwrap();
    assert!(gate.is_cached(&site("http://week.test/"), at(7 * DAY - 1)).unwrap());
    assert!(!gate.is_cached(&site("http://slow.test/"), at(DAY)).unwrap());
    told.tell(of_class(Class::NoFile, Moment::default()));
    assert_eq!(
        gate.check("http://open.test/", at(0)).unwrap(),
        Answer::Allowed { wait: secs(1), ignored: false, shortened: None }
    );
    assert!(matches!(gate.permits("http://strict.test/", at(0)).unwrap(), Answer::Closed { .. }));
    told.tell(of_class(Class::Forbidden, Moment::default()));
    assert!(matches!(gate.permits("http://strict.test:81/", at(0)).unwrap(), Answer::NotNow { .. }));
    assert!(matches!(gate.permits("http://processor.test/", at(0)).unwrap(), Answer::Closed { .. }));
    told.tell(of_class(Class::NoAnswer, Moment::default()));
    for (name, next) in [("gone.test", None), ("rare.test", Some(30 * DAY)), ("plain.test", Some(600))] {
        let origin = site(&format!("http://{name}/"));
        let first = gate.qualify(&origin, at(0)).unwrap().next_attempt.unwrap();
        let again = gate.qualify(&origin, first).unwrap();
        assert_eq!(again.next_attempt.map(|next| next.since(first)), next.map(secs), "{name}");
    }
    // Pages that were reported count with the host's own bounds.
    assert_eq!(gate.lane("http://slow.test/"), "slow.test");
}

trait LaneOf {
    fn lane(&self, url: &str) -> String;
}

impl LaneOf for Gate<Told> {
    fn lane(&self, url: &str) -> String {
        self.core().lane_of(&site(url)).unwrap()
    }
}

/// Wrong settings are refused, and none is ignored: [gate.overrides]
#[test]
fn wrong_settings() {
    for (wrong, why) in [
        (r#"{ "a.test": { "dely": 1 } }"#, "unknown field `dely`"),
        (r#"{ "a.test": [true] }"#, "expected a table of settings with their names"),
        (r#"{ "a.test": [] }"#, "expected a table of settings with their names"),
        (r#"{ "a.test": { "delay": -1 } }"#, "number of seconds"),
        (r#"{ "a.test": { "delay": "1" } }"#, "invalid type"),
        (r#"{ "a.test": { "delay": 1e300 } }"#, "number of seconds"),
        (r#"{ "a.test": { "policy": "polite" } }"#, "unknown variant `polite`"),
        (r#"{ "a.test": { "policy-set": { "forbiden": "deny" } } }"#, "unknown variant `forbiden`"),
        (r#"{ "a.test": { "policy-set": { "forbidden": "open" } } }"#, "a ruling is rules, allow"),
        (r#"{ "a.test": { "agents": [] } }"#, "product token"),
        (r#"{ "a.test": { "agents": ["My Bot"] } }"#, "product token"),
        (r#"{ "a.test": { "give-up-after": 0 } }"#, "at least 1"),
        (r#"{ "a.test": { "ignore-robots-txt": 1 } }"#, "invalid type"),
        (r#"{ "*.test": { "ignore-robots-txt": true } }"#, "name each host"),
        (r#"{ "a.test": {}, "A.TEST.": {} }"#, "settings already"),
        (r#"{ "http://a.test/": {} }"#, "without scheme"),
    ] {
        let read = serde_json::from_str::<Overrides>(&format!(r#"{{ "hosts": {wrong} }}"#));
        let error = read.unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
    }
    assert!(serde_json::from_str::<Overrides>(r#"{ "host": {} }"#).is_err());
    assert!(serde_json::from_str::<Overrides>("{}").unwrap().is_empty());
}

/// A site that failed so often is never requested again, under any policy and clock, until it is cleared; a success
/// before that counts from zero: [gate.give-up]
#[test]
fn a_site_that_is_left_alone() {
    for preset in Preset::ALL {
        let told = Told::new(of_class(Class::NoAnswer, Moment::default()));
        let lifetimes = Lifetimes::default().give_up_after(3);
        let gate = Gate::over(told.clone(), core().with_policy(preset).with_lifetimes(lifetimes));
        let mut now = at(0);
        let mut ask = |times: usize| {
            for _ in 0..times {
                let report = gate.qualify(&origin(), now).unwrap();
                now = report.next_attempt.unwrap_or(now.after(secs(1_000 * DAY)));
            }
            (gate.qualify(&origin(), now.before(secs(1))).unwrap().failures, told.count(), now)
        };
        assert_eq!((ask(2).0, told.count()), (2, 2), "N-1: {preset}");
        told.tell(Retrieval { body: FILE.into(), ..of_class(Class::Success, Moment::default()) });
        assert_eq!((ask(1).0, told.count()), (0, 3));
        told.tell(of_class(Class::NoAnswer, Moment::default()));
        assert_eq!((ask(3).0, told.count()), (3, 6), "N: {preset}");
        let (_, count, later) = ask(5);
        assert_eq!(count, 6, "N and more: {preset}");
        let answer = gate.check("https://example.com/a", later).unwrap();
        assert_eq!(answer, Answer::NotNow { until: Moment::NEVER, why: Why::GivenUp { failures: 3 } });
        // A clock that is set back, another ruling on the failure: neither asks again.
        let other = GateCore::new(gate.store().clone(), Agents::new(["MyBot"])).with_lifetimes(lifetimes);
        let other =
            other.with_policy(robosieve_gate::decide::Policy::from(preset).with(Class::NoAnswer, Ruling::NotNow));
        assert!(matches!(other.ask("https://example.com/a", at(0)).unwrap(), Next::Answer(Answer::NotNow { .. })));
        // Another program, without the switch, asks after its own longest time.
        let usual = GateCore::new(gate.store().clone(), Agents::new(["MyBot"]));
        assert!(matches!(usual.ask("https://example.com/a", later).unwrap(), Next::Retrieve(_)));
        told.tell(of_class(Class::NoFile, Moment::default()));
        assert!(gate.clear(&origin()).unwrap());
        assert!(gate.permits("https://example.com/a", later).unwrap().is_allowed(), "{preset}");
        assert_eq!(told.count(), 7);
    }
    // It is off by default, and a record of a program without it counts too.
    assert_eq!(Lifetimes::default().requalify, Some(secs(30 * DAY)));
    let told = Told::new(of_class(Class::ServerError, Moment::default()));
    let usual = Gate::over(told.clone(), core());
    usual.qualify(&origin(), at(0)).unwrap();
    let lifetimes = Lifetimes::default().give_up_after(1);
    let alone = GateCore::new(usual.store().clone(), Agents::new(["MyBot"])).with_lifetimes(lifetimes);
    let Next::Answer(answer) = alone.ask("https://example.com/a", at(DAY)).unwrap() else { panic!("asked") };
    assert_eq!(answer, Answer::NotNow { until: Moment::NEVER, why: Why::GivenUp { failures: 1 } });
}

/// A file may be used for any time, whatever the site says; more than a day leaves the standard: [gate.recheck]
#[test]
fn any_recheck_time() {
    for (time, leaves) in [(0, false), (1, false), (DAY - 1, false), (DAY, false), (DAY + 1, true), (400 * DAY, true)] {
        let lifetimes = Lifetimes::default().recheck_after(secs(time));
        assert_eq!(lifetimes.leaves_standard(), leaves, "{time}");
        for fresh_for in [None, Some(0), Some(5 * DAY)] {
            let told = Told::new(Retrieval {
                fresh_for: fresh_for.map(secs),
                ..crate::making::retrieval(Outcome::Rules, Some(200), FILE, Moment::default())
            });
            let gate = Gate::over(told, core().with_lifetimes(lifetimes));
            assert_eq!(gate.permits("https://example.com/", at(0)).unwrap(), NOW);
            let next = gate.report(&origin(), at(0)).unwrap().unwrap().next_attempt;
            assert_eq!(next, Some(at(time.max(1))));
        }
    }
}
