//! How a site record changes, with the time given by the caller.

use std::time::Duration;

use robosieve::Agents;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Interest};
use robosieve_gate::decide::{Class, Lifetimes, Policy, Preset, Reader, Ruling, SiteRecord, SiteReport, Standing};
use robosieve_gate::retrieve::{Cut, Outcome, Retrieval};
use robosieve_gate::{Moment, Origin};

use crate::making::{DAY, FILE, HOUR, at, of_class, reader, retrieval, secs};

fn after(record: &SiteRecord, retrieved: &Retrieval, lifetimes: &Lifetimes) -> SiteRecord {
    record.after(retrieved, reader().read(retrieved), &Policy::default(), lifetimes)
}

fn fresh_for(seconds: Option<u64>) -> Duration {
    let retrieved = Retrieval { fresh_for: seconds.map(secs), ..of_class(Class::Success, at(0)) };
    let record = after(&SiteRecord::default(), &retrieved, &Lifetimes::default());
    assert_eq!(record.next_attempt, record.snapshot.as_ref().unwrap().good_until);
    record.next_attempt.since(at(0))
}

/// 24 hours, or the time that the response gives, within bounds: [gate.cache-life]
#[test]
fn cache_lives() {
    assert_eq!(fresh_for(None), secs(DAY));
    for (said, expected) in [
        (0, HOUR),
        (HOUR - 1, HOUR),
        (HOUR, HOUR),
        (HOUR + 1, HOUR + 1),
        (DAY - 1, DAY - 1),
        (DAY, DAY),
        (DAY + 1, DAY),
    ] {
        assert_eq!(fresh_for(Some(said)), secs(expected), "{said}");
    }
    assert_eq!(fresh_for(Some(u64::MAX)), secs(DAY));
}

/// Each lifetime at zero, 1 ms, around its default and at the maximum, alone and with all others at 1 ms: the results
/// are within the bounds and never below a second: [gate.floor] [gate.cache-life] [gate.back-off] [gate.max-failures]
#[test]
fn every_lifetime_at_every_value() {
    let set: [fn(&mut Lifetimes) -> &mut Duration; 6] = [
        |lifetimes| &mut lifetimes.cache,
        |lifetimes| &mut lifetimes.cache_min,
        |lifetimes| &mut lifetimes.cache_max,
        |lifetimes| &mut lifetimes.retry,
        |lifetimes| &mut lifetimes.retry_max,
        |lifetimes| lifetimes.requalify.as_mut().unwrap(),
    ];
    let one = Duration::from_millis(1);
    let default = Lifetimes::default();
    let mut ones = Lifetimes { max_failures: Some(1), ..default };
    for field in set {
        *field(&mut ones) = one;
    }
    let said = [None, Some(Duration::ZERO), Some(one), Some(secs(DAY)), Some(Duration::MAX)];
    for field in set {
        let usual = *field(&mut Lifetimes::default());
        for value in [Duration::ZERO, one, usual.saturating_sub(one), usual, usual + one, Duration::MAX] {
            for base in [default, ones] {
                for max_failures in [None, Some(0), Some(1), Some(99), Some(100), Some(101), Some(u32::MAX)] {
                    let mut lifetimes = Lifetimes { max_failures, ..base };
                    *field(&mut lifetimes) = value;
                    let within = |time: Duration, min: Duration, max: Duration| {
                        assert!(time >= min.max(Lifetimes::FLOOR), "{time:?} {lifetimes:?}");
                        assert!(time <= max.max(min).max(Lifetimes::FLOOR), "{time:?} {lifetimes:?}");
                    };
                    for said in said {
                        within(lifetimes.cache_life(said), lifetimes.cache_min, lifetimes.cache_max);
                        for failures in [0, 1, 2, 99, 100, 101, u32::MAX] {
                            let time = lifetimes.back_off(failures, said);
                            if lifetimes.is_over(failures) {
                                within(time, lifetimes.requalify.unwrap(), lifetimes.requalify.unwrap());
                            } else {
                                within(time, lifetimes.retry, lifetimes.retry_max);
                            }
                            assert_eq!(lifetimes.is_over(failures), max_failures.is_some_and(|max| failures >= max));
                        }
                    }
                    let failed = after(&SiteRecord::default(), &of_class(Class::NoAnswer, at(0)), &lifetimes);
                    let _ = failed.standing(at(DAY), &Policy::default(), &lifetimes);
                    assert!(failed.next_attempt >= at(1));
                }
            }
        }
    }
}

/// A site record is due at the end of its cache life, not before: [gate.cache-life]
#[test]
fn due_to_the_millisecond() {
    let record = after(&SiteRecord::default(), &of_class(Class::Success, at(0)), &Lifetimes::default());
    let (policy, lifetimes) = (Policy::default(), Lifetimes::default());
    let end = at(DAY).as_millis();
    assert!(!record.is_due(at(0), &policy, &lifetimes));
    assert!(!record.is_due(Moment::from_millis(end - 1), &policy, &lifetimes));
    assert!(record.is_due(Moment::from_millis(end), &policy, &lifetimes));
    assert!(SiteRecord::default().is_due(at(0), &policy, &lifetimes), "a site that was never requested is due");
    assert_eq!(SiteRecord::default().standing(at(0), &policy, &Lifetimes::default()), Standing::Unknown);
}

/// The interval doubles up to its bound: [gate.back-off]
#[test]
fn intervals_grow() {
    let lifetimes = Lifetimes::default();
    let minutes: Vec<u64> = (1..=11).map(|failures| lifetimes.back_off(failures, None).as_secs() / 60).collect();
    assert_eq!(minutes, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]);
    let endless = Lifetimes { max_failures: None, ..lifetimes };
    assert_eq!(endless.back_off(u32::MAX, None), secs(DAY));
}

/// `Retry-After` counts, within the bounds: [gate.retry-after]
#[test]
fn retry_after_within_bounds() {
    let lifetimes = Lifetimes::default();
    for (said, expected) in
        [(0, 300), (299, 300), (300, 300), (301, 301), (DAY - 1, DAY - 1), (DAY, DAY), (DAY + 1, DAY), (u64::MAX, DAY)]
    {
        let down = Retrieval { retry_after: Some(secs(said)), ..of_class(Class::ServerError, at(0)) };
        let record = after(&SiteRecord::default(), &down, &lifetimes);
        assert_eq!(record.next_attempt.since(at(0)), secs(expected), "{said}");
    }
}

/// With the maximum number of failures a site is disqualified, and requested again after a longer time:
/// [gate.max-failures]
#[test]
fn too_many_failures() {
    let lifetimes = Lifetimes { max_failures: Some(3), ..Lifetimes::default() };
    let policy = Policy::default();
    let mut record = after(&SiteRecord::default(), &of_class(Class::Success, at(0)), &lifetimes);
    for (failures, standing, pause) in [
        (1, Standing::Stale, 300),
        (2, Standing::Stale, 600),
        (3, Standing::GivenUp, 30 * DAY),
        (4, Standing::GivenUp, 30 * DAY),
    ] {
        let moment = record.next_attempt;
        record = after(&record, &of_class(Class::ServerError, moment), &lifetimes);
        assert_eq!(record.failures, failures);
        assert_eq!(record.standing(moment, &policy, &lifetimes), standing, "{failures}");
        assert_eq!(record.next_attempt.since(moment), secs(pause), "{failures}");
    }
    record = after(&record, &of_class(Class::Success, record.next_attempt), &lifetimes);
    assert_eq!(record.failures, 0);
    let never = Lifetimes { max_failures: None, ..lifetimes };
    assert!(!never.is_over(u32::MAX));
}

/// An answer that opened the site without a file is not a copy, also if it has a body; an answer that closed the site
/// is one: [gate.stale] [gate.outage]
#[test]
fn which_answers_leave_a_copy() {
    use Class::{Forbidden, NoFile, OtherRefusal, Oversize, Redirect, ServerError, Success, TooManyRequests};
    let lifetimes = Lifetimes::default();
    let after_all = |policy: &Policy, classes: &[Class]| {
        let step = |record: SiteRecord, (class, days): (&Class, u64)| {
            let retrieved = of_class(*class, at(days * DAY));
            record.after(&retrieved, reader().read(&retrieved), policy, &lifetimes)
        };
        let days = u64::try_from(classes.len()).unwrap() - 1;
        let record = classes.iter().zip(0..).fold(SiteRecord::default(), step);
        record.standing(at(days * DAY + 12 * HOUR), policy, &lifetimes)
    };
    for preset in [Preset::Rfc9309, Preset::Google] {
        let policy = Policy::from(preset);
        let without = after_all(&policy, &[ServerError]);
        for class in [NoFile, Forbidden, TooManyRequests, OtherRefusal, Redirect] {
            if policy.ruling(class, false) != Ruling::Allow {
                continue;
            }
            for before in [&[][..], &[Success]] {
                let classes = [before, &[class, ServerError]].concat();
                assert_eq!(after_all(&policy, &classes), without, "{preset} {classes:?}");
            }
        }
        for class in [Success, Oversize] {
            assert_eq!(after_all(&policy, &[class, ServerError]), Standing::Stale, "{preset} {class:?}");
        }
    }
    assert_eq!(after_all(&Policy::default(), &[TooManyRequests, ServerError]), Standing::ClosedMeanwhile);
    let closing = Policy::from(Preset::Google).with(Forbidden, Ruling::Deny);
    assert_eq!(after_all(&closing, &[Forbidden, ServerError]), Standing::Stale, "closed stays closed");
}

/// A site record from the future was written under a wrong clock: [gate.clock]
#[test]
fn records_from_the_future() {
    let policy = Policy::default();
    let lifetimes = Lifetimes::default();
    let ahead = after(&SiteRecord::default(), &of_class(Class::Success, at(10 * DAY)), &lifetimes);
    let skew = SiteRecord::CLOCK_SKEW.as_secs();
    assert!(!ahead.is_due(at(10 * DAY - skew), &policy, &lifetimes));
    assert!(ahead.is_due(at(10 * DAY - skew - 1), &policy, &lifetimes));
    // The report says what a question would do.
    let origin = Origin::of("http://a.test/").unwrap();
    let report = |record: &SiteRecord, now| SiteReport::of(&origin, "mybot", record, now, &policy, &lifetimes);
    for (ahead_by, standing) in [(skew - 1, Standing::Fresh), (skew, Standing::Fresh), (skew + 1, Standing::Unknown)] {
        let report = report(&ahead, at(10 * DAY - ahead_by));
        assert_eq!((report.standing, report.is_due), (standing, standing == Standing::Unknown), "{ahead_by}");
    }
    let failed = after(&SiteRecord::default(), &of_class(Class::ServerError, at(10 * DAY)), &lifetimes);
    assert_eq!(report(&failed, at(10 * DAY)).standing, Standing::ClosedMeanwhile);
    assert_eq!(report(&failed, at(9 * DAY)).standing, Standing::Unknown);
    let given_up = Lifetimes { max_failures: Some(1), requalify: None, ..lifetimes };
    let report = SiteReport::of(&origin, "mybot", &failed, at(9 * DAY), &policy, &given_up);
    assert_eq!((report.standing, report.is_due), (Standing::GivenUp, false), "nobody asks again");
    // Such a copy is not used when the site is down.
    let down = after(&ahead, &of_class(Class::NoAnswer, at(0)), &lifetimes);
    assert_eq!(down.standing(at(0), &policy, &lifetimes), Standing::ClosedMeanwhile);
}

/// A site record of another policy is due: [gate.other-policy]
#[test]
fn records_of_another_policy_are_due() {
    let record = after(&SiteRecord::default(), &of_class(Class::Forbidden, at(0)), &Lifetimes::default());
    assert!(!record.is_due(at(1), &Preset::Rfc9309.into(), &Lifetimes::default()));
    assert!(!record.is_due(at(1), &Preset::Google.into(), &Lifetimes::default()), "the same ruling");
    assert!(record.is_due(at(1), &Preset::Strict.into(), &Lifetimes::default()));
    let origin = Origin::of("http://a.test/").unwrap();
    for (preset, standing) in [(Preset::Rfc9309, Standing::Fresh), (Preset::Strict, Standing::Stale)] {
        let report = SiteReport::of(&origin, "mybot", &record, at(1), &preset.into(), &Lifetimes::default());
        assert_eq!(report.standing, standing, "{preset}");
    }
}

/// An incomplete last line at a cut is not read, and the cut is reported: as one of our limit, or as a file that is not
/// whole, which disallows everything if it ends before any rule: [gate.cut]
#[test]
fn incomplete_lines_are_not_read() {
    for (body, text, line) in [
        ("User-agent: *\nDisallow: /private\nAllow: /", "User-agent: *\nDisallow: /private\n", 3),
        ("User-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n", "User-agent: *\nDisallow: /a\nDisallow: /b\n", 4),
        ("User-agent: *\rDisallow: /a\rDisa", "User-agent: *\nDisallow: /a\n", 3),
        ("Disallow: /", "User-agent: *\nDisallow:\n", 1),
    ] {
        let broken_off = retrieval(Outcome::Truncated, Some(200), body, at(0));
        let found: serde_json::Value = serde_json::from_str(&reader().read(&broken_off).report).unwrap();
        assert_eq!(found["counts"][FindingKind::InputIncomplete.as_str()], 1, "{found}");
        let has_rules = text.contains("Disallow: /");
        assert_eq!(&*reader().read(&broken_off).text, if has_rules { text } else { "User-agent: *\nDisallow: /\n" });
        let contents = reader().read(&Retrieval { cut: Some(Cut::AtCap), ..broken_off });
        assert_eq!(&*contents.text, text);
        assert!(!contents.has_errors, "a cut is no error of the file");
        let report: serde_json::Value = serde_json::from_str(&contents.report).unwrap();
        assert_eq!(report["counts"][FindingKind::InputCut.as_str()], 1, "{report}");
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().any(|finding| finding["kind"] == "input-cut" && finding["line"] == line), "{report}");
    }
    assert!(!reader().read(&of_class(Class::Success, at(0))).has_errors);
}

/// Readers with other agents or options have other keys: [gate.reader]
#[test]
fn keys_of_readers() {
    let key = |names: &[&str]| Reader::new(Agents::new(names)).key().to_owned();
    assert_eq!(key(&["MyBot-Image", "MyBot/1.0"]), "mybot-image, mybot");
    assert_eq!(key(&["MYBOT"]), key(&["mybot"]));
    assert_ne!(key(&["a", "b"]), key(&["b", "a"]), "the order is a preference");
    assert_eq!(key(&[]), "*");
    assert_eq!(key(&["ÄB, c"]), "%C3%84b%2C%20c");
    let google = Reader::new(Agents::new(["My Bot"])).dialect(Dialect::Google, true);
    assert_eq!(google.key(), "my (google)");
    assert_eq!(google.dialect(Dialect::Standard, true).key(), "my+bot");
}

/// A stored text is read back unchanged, in each dialect: [gate.reader]
#[test]
fn texts_read_back() {
    let body = format!("User-agent: MyBot\nDisallow: /a\nAllow: /a/index.html\nCrawl-delay: 2\n\n{FILE}");
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let reader = reader().dialect(dialect, true);
        let contents = reader.read(&retrieval(Outcome::Rules, Some(200), &body, at(0)));
        let again = reader.read(&retrieval(Outcome::Rules, Some(200), &contents.text, at(0)));
        assert_eq!(contents.text, again.text, "{dialect:?}");
        let records = reader.records(&contents.text);
        let tester = robosieve::Tester::new(&records, &Interest::everyone());
        assert!(!tester.is_allowed("/a/b") && tester.is_allowed("/private"), "{dialect:?}");
        assert_eq!(tester.is_allowed("/a/"), dialect == Dialect::Google, "{dialect:?}");
    }
}
