use std::time::Duration;

use robosieve_gate::CrawlerIdentity;
use robosieve_gate::retrieve::{Fetched, Outcome, Retrieval};

use crate::retrieval::play::{World, redirect};

/// The retrieval with these header lines and this status. It began at 2023-11-14 22:13:20.
fn with(status: u16, lines: &[(&str, &str)]) -> Retrieval {
    let came = Fetched::new(status, "").headers(lines.iter().map(|(name, value)| (*name, value.as_bytes())));
    let retrieval = World { takes: Duration::ZERO, ..World::default() }.all(&came);
    assert_eq!(retrieval.status, Some(status));
    retrieval
}

fn fresh(lines: &[(&str, &str)]) -> Option<u64> {
    with(200, lines).fresh_for.map(|lifetime| lifetime.as_secs())
}

fn control(value: &str) -> Option<u64> {
    fresh(&[("Cache-Control", value)])
}

/// The lifetime from `Cache-Control`: [retrieve.fresh]
#[test]
fn cache_control() {
    for (value, expected) in [
        ("max-age=60", Some(60)),
        ("MAX-AGE=60", Some(60)),
        ("public , max-age = 60", Some(60)),
        ("max-age=\"60\"", Some(60)),
        ("max-age=0", Some(0)),
        ("max-age=2147483647", Some((1 << 31) - 1)),
        ("max-age=2147483648", Some(1 << 31)),
        ("max-age=2147483649", Some(1 << 31)),
        ("max-age=18446744073709551615", Some(1 << 31)),
        ("max-age=99999999999999999999999999", Some(1 << 31)),
        ("max-age=-1", Some(0)),
        ("max-age=1.5", Some(0)),
        ("max-age=", Some(0)),
        ("max-age", Some(0)),
        ("max-age=+5", Some(0)),
        ("max-age=5 s", Some(0)),
        ("max-age=60, max-age=30", Some(30)),
        ("max-age=30, max-age=60", Some(30)),
        ("no-store", Some(0)),
        ("No-Cache, max-age=60", Some(0)),
        ("max-age=60, no-store", Some(0)),
        ("no-cache=\"Set-Cookie\", max-age=60", Some(60)),
        ("private=\"a, no-store, max-age=1\", max-age=60", Some(60)),
        ("private=\"a\\\", no-store\", max-age=60", Some(60)),
        ("s-maxage=60", None),
        ("s-maxage=60, max-age=30", Some(30)),
        ("xmax-age=60", None),
        ("public", None),
        ("", None),
        (",,=,=\"", None),
    ] {
        assert_eq!(control(value), expected, "{value}");
    }
    assert_eq!(
        fresh(&[("cache-control", "public"), ("Cache-Control", "max-age=7")]),
        Some(7),
        "two lines are one list"
    );
}

/// `Expires` counts from `Date`, and after `Cache-Control`: [retrieve.fresh]
#[test]
fn expires() {
    const DATE: (&str, &str) = ("Date", "Tue, 14 Nov 2023 20:00:00 GMT");
    let at = |value| ("Expires", value);
    assert_eq!(fresh(&[DATE, at("Tue, 14 Nov 2023 21:00:00 GMT")]), Some(3_600));
    assert_eq!(fresh(&[DATE, at("Tuesday, 14-Nov-23 21:00:00 GMT")]), Some(3_600), "RFC 850's form");
    assert_eq!(fresh(&[DATE, at("Tue Nov 14 21:00:00 2023")]), Some(3_600), "asctime's form");
    assert_eq!(fresh(&[DATE, at("Tue, 14 Nov 2023 19:00:00 GMT")]), Some(0));
    assert_eq!(fresh(&[at("Tue, 14 Nov 2023 22:14:20 GMT")]), Some(60), "without Date from our own clock");
    assert_eq!(fresh(&[("Date", "x"), at("Tue, 14 Nov 2023 22:14:20 GMT")]), Some(60));
    for bad in ["0", "-1", "never", "", "Tue, 99 Nov 2023 22:14:20 GMT"] {
        assert_eq!(fresh(&[DATE, at(bad)]), Some(0), "{bad}");
    }
    assert_eq!(fresh(&[DATE, at("Tue, 14 Nov 2023 21:00:00 GMT"), ("Cache-Control", "max-age=5")]), Some(5));
    assert_eq!(fresh(&[DATE, at("Tue, 14 Nov 2023 21:00:00 GMT"), ("Cache-Control", "public")]), Some(3_600));
    assert_eq!(fresh(&[DATE]), None);
}

/// `Age` shortens the lifetime: [retrieve.fresh]
#[test]
fn age() {
    for (age, expected) in [("10", 50), ("60", 0), ("61", 0), ("x", 60), ("-5", 60), ("99999999999999999999", 0)] {
        assert_eq!(fresh(&[("Cache-Control", "max-age=60"), ("Age", age)]), Some(expected), "{age}");
    }
}

fn after(value: &str) -> Option<u64> {
    with(429, &[("Retry-After", value)]).retry_after.map(|after| after.as_secs())
}

/// Seconds or a date, within bounds: [retrieve.retry-after]
#[test]
fn retry_after() {
    for (value, expected) in [
        ("0", Some(0)),
        ("120", Some(120)),
        (" 120 ", Some(120)),
        ("86399", Some(86_399)),
        ("86400", Some(86_400)),
        ("86401", Some(86_400)),
        ("99999999999999999999999", Some(86_400)),
        ("Tue, 14 Nov 2023 22:14:20 GMT", Some(60)),
        ("Mon, 14 Nov 2022 22:14:20 GMT", Some(0)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", Some(86_400)),
        ("-1", None),
        ("1.5", None),
        ("1s", None),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(after(value), expected, "{value}");
    }
    let dated = [("Date", "Tue, 14 Nov 2023 20:00:00 GMT"), ("Retry-After", "Tue, 14 Nov 2023 20:01:00 GMT")];
    assert_eq!(with(429, &dated).retry_after, Some(Duration::from_secs(60)), "by the server's own clock");
}

/// The first line of a header counts, and a value over the limit counts as missing: [retrieve.headers]
/// [retrieve.limits]
#[test]
fn header_limits() {
    assert_eq!(with(503, &[("Retry-After", "1"), ("retry-after", "2")]).retry_after, Some(Duration::from_secs(1)));

    let max = 8_000;
    for (length, known) in [(max - 1, true), (max, true), (max + 1, false), (70_000, false)] {
        let digits = "0".repeat(length - 1) + "9";
        assert_eq!(with(503, &[("Retry-After", &digits)]).retry_after.is_some(), known, "{length}");
        let directive = "max-age=".to_owned() + &"0".repeat(length - 9) + "9";
        assert_eq!(directive.len(), length);
        assert_eq!(control(&directive), known.then_some(9), "{length}");
    }

    let base = "http://example.com/";
    for (length, followed) in [(max - 1, true), (max, true), (max + 1, false)] {
        let target = base.to_owned() + &"a".repeat(length - base.len());
        assert_eq!(redirected(&target), followed, "{length}");
    }
    // Each of these takes three bytes of the URL.
    assert!(redirected(&(base.to_owned() + &"<".repeat((max - base.len()) / 3))));
    assert!(!redirected(&(base.to_owned() + &"<".repeat((max - base.len()) / 3 + 1))));
}

fn redirected(target: &str) -> bool {
    let server = |at, _: &str| if at == 0 { redirect(301, target) } else { Fetched::new(200, "") };
    World::default().one(server).retrieval.outcome == Outcome::Rules
}

/// A value that is too long is missing, and never cut to a shorter one: also of blanks, and of all lines of a list,
/// where an early `max-age` must not count without a later `no-store`: [retrieve.headers] [retrieve.fresh]
#[test]
fn a_value_is_whole_or_missing() {
    for length in [7_999, 8_000, 8_001, 65_535, 65_536, 80_000] {
        let known = length <= 8_000;
        let fill = |less: usize| "x".repeat(length - less);
        for (lines, expected) in [
            (vec!["max-age=60".to_owned(), fill(11)], known.then_some(60)),
            (vec![fill(11), "max-age=60".into()], known.then_some(60)),
            (vec!["max-age=60".into(), fill(20), "no-store".into()], known.then_some(0)),
        ] {
            let lines: Vec<_> = lines.iter().map(|line| ("Cache-Control", line.as_str())).collect();
            assert_eq!(fresh(&lines), expected, "{length}");
        }
        // Blanks around a value do not count, and blanks inside do not end it.
        let (digits, blanks) = ("0".repeat(length - 1) + "9", " ".repeat(70_000));
        for (value, known) in [(format!("{blanks}{digits}{blanks}"), known), (format!("9{blanks}9"), false)] {
            assert_eq!(with(503, &[("Retry-After", &value)]).retry_after.is_some(), known, "{length}");
        }
    }
    // The codings are a list that must be known whole.
    for (length, outcome) in [(65_535, Outcome::Rules), (65_536, Outcome::Truncated)] {
        let names = format!("none{}", ",".repeat(length - 4));
        assert_eq!(with(200, &[("Content-Encoding", &names)]).outcome, outcome, "{length}");
    }
}

/// A whole header has the product token: [retrieve.identity]
#[test]
fn identities() {
    for (header, token) in [
        ("MyBot/1.0 (+https://example.com/bot)", "MyBot"),
        ("MyBot", "MyBot"),
        ("Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)", "DanBot"),
    ] {
        let identity = CrawlerIdentity::new(header).unwrap();
        let agents = identity.agents();
        let names: Vec<_> = agents.iter().map(|agent| agent.token().unwrap()).collect();
        assert_eq!((identity.header(), names), (header, vec![token]));
    }
    for (header, why) in [
        ("", "no product"),
        ("(+https://example.com)", "no product"),
        (" MyBot", "printable ASCII"),
        ("MyBot\n", "printable ASCII"),
        ("MyBot\r\nHost: x", "printable ASCII"),
        ("MyBot\0", "printable ASCII"),
        ("MyBot é", "printable ASCII"),
    ] {
        let error = CrawlerIdentity::new(header).unwrap_err().to_string();
        assert!(error.contains(why), "{header:?}: {error}");
    }
    for (length, good) in [(511, true), (512, true), (513, false)] {
        assert_eq!(CrawlerIdentity::new(&"a".repeat(length)).is_ok(), good, "{length}");
    }
}
