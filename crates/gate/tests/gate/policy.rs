//! The meaning of retrievals: the gate's answer for each cell of SPEC.md's tables.

use robosieve_gate::Moment;
use robosieve_gate::decide::{Class, Policy, Preset, Ruling, SiteRecord, Standing};
use robosieve_gate::retrieve::{Cut, Outcome, Retrieval};

use crate::making::{DAY, HOUR, Played, Web, at, of_class, origin, retrieval, secs, settings};

const SPEC: &str = include_str!("../../SPEC.md");

/// The cells after the first one of a table's row, without blanks and backticks.
fn cells(row: &str) -> Vec<&'static str> {
    let start = format!("| {row} |");
    let line =
        SPEC.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("SPEC.md has no row {row:?}"));
    line[start.len()..].trim_end_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()
}

/// The name of a class in the tables, which is that in JSON.
fn name(class: Class) -> String {
    serde_json::to_value(class).unwrap().as_str().unwrap().to_owned()
}

fn with(web: &Web, policy: impl Into<Policy>) -> Played {
    Played::with(web, settings(|settings| settings.policy = policy.into()))
}

/// The answers of a gate with this policy for an allowed and for a disallowed URL after one retrieval, in the table's
/// words.
fn cell(policy: &Policy, answer: robosieve_gate::retrieve::Retrieval) -> &'static str {
    let gate = with(&Web::new(answer), policy.clone());
    let free = gate.permits("https://example.com/free", at(0));
    let private = gate.permits("https://example.com/private/x", at(0));
    let fails = gate.report(&origin(), at(0)).unwrap().unwrap().failures > 0;
    match (free.is_allowed(), private.kind(), fails) {
        (true, "denied", false) => "rules",
        (true, "allowed", false) => "allow",
        (false, "closed", false) => "deny",
        (true, "allowed", true) => "retry, allow",
        (false, "closed", true) => "retry, deny",
        (false, "not-now", true) => "retry, not now",
        other => panic!("no cell has {other:?}"),
    }
}

/// Every cell of the table of presets: [gate.policy] [gate.rfc9309] [gate.google] [gate.strict]
#[test]
fn presets_agree_with_the_table() {
    for class in Class::ALL {
        let row = cells(&format!("`{}`", name(class)));
        for (preset, expected) in Preset::ALL.into_iter().zip(&row[1..]) {
            assert_eq!(cell(&preset.into(), of_class(class, at(0))), *expected, "{preset} {class:?}");
        }
        assert_eq!(row.len(), Preset::ALL.len() + 1);
    }
}

/// The row of contents with errors: [gate.errors] [gate.strict]
#[test]
fn contents_with_errors() {
    let row = cells("contents with errors");
    let page = "Not here\nUser-agent: *\nDisallow: /private\n";
    for (preset, expected) in Preset::ALL.into_iter().zip(&row[1..]) {
        let answer = retrieval(Outcome::Rules, Some(200), page, at(0));
        assert_eq!(cell(&preset.into(), answer), *expected, "{preset}");
    }
    // A line with an unknown or a misspelled name is not an error.
    let fine = "User-agent: *\nDisalow: /private\nFoo: bar\n";
    assert_eq!(cell(&Preset::Strict.into(), retrieval(Outcome::Rules, Some(200), fine, at(0))), "rules");
    // Neither is a line that looks like a rule: an error would open the site.
    let suspect = "User-agent: *\nDisallow: /private\nDisallow: /a /b\nDisallow: https://example.com/\nDisallowed: /\n";
    assert_eq!(cell(&Preset::Strict.into(), retrieval(Outcome::Rules, Some(200), suspect, at(0))), "rules");
    // An empty file has no errors and no rules.
    assert_eq!(cell(&Preset::Strict.into(), retrieval(Outcome::Rules, Some(200), "", at(0))), "allow");
}

/// Each status has one class: [gate.class]
#[test]
fn statuses_have_classes() {
    let class = |outcome, status| Class::of(&retrieval(outcome, Some(status), "", at(0)));
    for status in 100..=599_u16 {
        let outcome = match status {
            200..=299 => Outcome::Rules,
            400 | 404 | 410 => Outcome::NoRules,
            500.. => Outcome::Unreachable,
            _ => Outcome::Unavailable,
        };
        let expected = match status {
            200 => Class::Success,
            202 | 204 | 205 => Class::NoContent,
            201..=299 => Class::OtherSuccess,
            300..=399 => Class::Redirect,
            400 | 404 | 410 => Class::NoFile,
            401 | 403 => Class::Forbidden,
            429 => Class::TooManyRequests,
            407 | 408 | 412..=417 | 421 | 425 | 431 => Class::NotServed,
            402..=499 => Class::OtherRefusal,
            _ => Class::ServerError,
        };
        assert_eq!(class(outcome, status), expected, "{status}");
    }
}

/// The bytes decide whether a success is a robots.txt, also one that our cap cut: [gate.class]
#[test]
fn bytes_have_classes() {
    let utf16: Vec<u8> = "User-agent: *".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (body, is_file) in [
        (&b""[..], true),
        (b"# nothing", true),
        (b"Not here", true),
        (b"\xEF\xBB\xBFUser-agent: *", true),
        (b"<!doctype html>", false),
        (b"\n\n  <html>\nUser-agent: *\nDisallow: /", false),
        (b"{\"error\": 404}", false),
        (b"PK\x03\x04\x14\0\0\0", false),
        (b"\x1F\x8B\x08\0\0\0\0\0", false),
        (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", false),
        (b"\0\x01\x02\x03\0\x01\x02\x03\0\x01", false),
        (&utf16, false),
    ] {
        let whole = Retrieval { body: body.to_vec(), ..retrieval(Outcome::Rules, Some(200), "", at(0)) };
        let cut = Retrieval { outcome: Outcome::Truncated, cut: Some(Cut::AtCap), ..whole.clone() };
        let expected = if is_file { [Class::Success, Class::Oversize] } else { [Class::NotRobotsTxt; 2] };
        assert_eq!([Class::of(&whole), Class::of(&cut)], expected, "{:?}", String::from_utf8_lossy(body));
        // A body without a known cause does not count as the file's beginning.
        for cut in [Some(Cut::Early), None] {
            assert_eq!(Class::of(&Retrieval { outcome: Outcome::Truncated, cut, ..whole.clone() }), Class::Interrupted);
        }
    }
}

/// What comes after a good copy, by class: the copy counts, the site is not open, and it is requested again soon; or
/// the copy is replaced: [gate.not-robots-txt]
#[test]
fn copies_and_answers_that_are_no_file() {
    let closed = "User-agent: *\nDisallow: /\n";
    for class in Class::ALL {
        let row = cells(&format!("a copy, then `{}`", name(class)));
        for (preset, expected) in Preset::ALL.into_iter().zip(&row) {
            let web = Web::file(closed);
            let gate = with(&web, preset);
            assert!(!gate.permits("https://example.com/a", at(0)).is_allowed());
            web.set(of_class(class, at(0)));
            let now = at(25 * HOUR);
            let found = match gate.permits("https://example.com/a", now).kind() {
                "denied" => "copy",
                "allowed" => "open",
                "closed" => "closed",
                _ => "not now",
            };
            assert_eq!(found, *expected, "{preset} {class:?}");
            let fails = gate.report(&origin(), now).unwrap().unwrap().failures == 1;
            assert!(found == "closed" || fails == matches!(found, "copy" | "not now"), "{preset} {class:?}");
        }
        assert_eq!(row.len(), Preset::ALL.len());
    }
}

/// A page that is no robots.txt never becomes a copy, keeps the one that is held for 30 days, and counts as a file if
/// it has a group: [gate.not-robots-txt]
#[test]
fn pages_that_are_no_robots_txt() {
    let web = Web::new(of_class(Class::NotRobotsTxt, at(0)));
    let gate = Played::new(&web);
    let permits = |seconds| gate.permits("https://example.com/private", at(seconds));
    // Without a copy: as the standard does, for a cache life.
    assert!(permits(0).is_allowed());
    assert_eq!(gate.report(&origin(), at(0)).unwrap().unwrap().class, Some(Class::NotRobotsTxt));
    // It is no copy: the site is closed when it can't be reached.
    web.set(of_class(Class::ServerError, at(0)));
    assert_eq!(permits(DAY).kind(), "closed");
    web.set(of_class(Class::Success, at(0)));
    assert_eq!(permits(2 * DAY).kind(), "denied");
    web.set(of_class(Class::NotRobotsTxt, at(0)));
    for day in [3, 4, 20, 32] {
        assert_eq!(permits(day * DAY).kind(), "denied", "day {day}");
    }
    assert_eq!(gate.report(&origin(), at(32 * DAY)).unwrap().unwrap().standing, Standing::Stale);
    // The copy is too old, so the page is all there is.
    assert!(permits(34 * DAY).is_allowed());
    web.set(of_class(Class::Success, at(0)));
    assert_eq!(permits(36 * DAY).kind(), "denied");
    // Rules below a warning of PHP are rules.
    web.set(retrieval(Outcome::Rules, Some(200), "<br />Warning\nUser-agent: *\nDisallow: /other\n", at(0)));
    assert!(permits(38 * DAY).is_allowed());
    assert_eq!(gate.permits("https://example.com/other", at(38 * DAY)).kind(), "denied");
}

/// An answer that is none is asked for again when the server says, or after five minutes. With a 429 and a Retry-After
/// nothing is fetched until then, under any policy: [gate.not-robots-txt] [gate.retry-after]
#[test]
fn answers_that_are_none_come_again() {
    use Class::{NoContent, NotServed, TooManyRequests};
    let of_preset = |preset| (preset, TooManyRequests);
    let all =
        [NoContent, NotServed].map(|class| (Preset::Rfc9309, class)).into_iter().chain(Preset::ALL.map(of_preset));
    for (preset, class) in all {
        for (retry_after, next) in [(None, 300), (Some(secs(7_200)), 7_200)] {
            let web = Web::new(Retrieval { retry_after, ..of_class(class, at(0)) });
            let gate = with(&web, preset);
            for (now, count) in [(0, 1), (next - 1, 1), (next, 2)] {
                let answer = gate.permits("https://example.com/", at(now));
                assert_eq!((answer.is_allowed(), web.count()), (false, count), "{preset} {class:?}: {answer}");
                assert!(count == 2 || answer.until == Some(at(next)), "{preset} {class:?}: {answer}");
            }
            web.set(of_class(Class::Success, at(0)));
            assert_eq!(gate.permits("https://example.com/private", at(10 * next)).kind(), "denied");
        }
    }
    let busy = Retrieval { retry_after: Some(secs(60)), ..of_class(TooManyRequests, at(0)) };
    let opening = with(&Web::new(busy), Policy::default().with(TooManyRequests, Ruling::Allow));
    assert!(!opening.permits("https://example.com/", at(59)).is_allowed());
}

/// A gate that has retrieved a file (or nothing) and then finds the site down.
fn standing_after(preset: Preset, with_copy: bool, down_for: u64) -> Standing {
    let (policy, lifetimes, reader) =
        (Policy::from(preset), robosieve_gate::decide::Lifetimes::default(), crate::making::reader());
    let step = |record: &SiteRecord, class: Class, moment: Moment| {
        let retrieved = of_class(class, moment);
        let contents = reader.read(&retrieved);
        record.after(&retrieved, contents, &policy, &lifetimes)
    };
    let mut record = SiteRecord::default();
    if with_copy {
        record = step(&record, Class::Success, at(0));
    }
    record = step(&record, Class::ServerError, at(DAY));
    record.standing(at(DAY + down_for), &policy, &lifetimes)
}

/// Every cell of the table of outages, at its bounds: [gate.stale] [gate.outage] [gate.rfc9309] [gate.google]
#[test]
fn outages_agree_with_the_table() {
    let bounds = [
        ("first 12 hours, copy", true, 0, 12 * HOUR - 1),
        ("first 12 hours, no copy", false, 0, 12 * HOUR - 1),
        ("then, copy", true, 12 * HOUR, 30 * DAY - 1),
        ("then, no copy", false, 12 * HOUR, 30 * DAY - 1),
        ("after 30 days (and 12 hours), copy", true, 30 * DAY + 12 * HOUR, 60 * DAY),
        ("after 30 days (and 12 hours), no copy", false, 30 * DAY + 12 * HOUR, 60 * DAY),
    ];
    for (row, with_copy, from, to) in bounds {
        for (preset, expected) in Preset::ALL.into_iter().zip(cells(row)) {
            for down_for in [from, to] {
                let standing = serde_json::to_value(standing_after(preset, with_copy, down_for)).unwrap();
                assert_eq!(standing, expected, "{preset}, {row}, {down_for} s");
            }
        }
    }
}

/// The end of the 30 days, to the second: [gate.stale]
#[test]
fn a_stale_copy_is_used_for_thirty_days() {
    assert_eq!(standing_after(Preset::Rfc9309, true, 30 * DAY - 1), Standing::Stale);
    assert_eq!(standing_after(Preset::Rfc9309, true, 30 * DAY), Standing::ClosedMeanwhile);
    assert_eq!(standing_after(Preset::Google, true, 12 * HOUR + 30 * DAY - 1), Standing::Stale);
    assert_eq!(standing_after(Preset::Google, true, 12 * HOUR + 30 * DAY), Standing::OpenMeanwhile);
}

/// Custom policies: [gate.policy]
#[test]
fn custom_policies() {
    for class in Class::ALL {
        let own = Policy::default().with(class, Ruling::NotNow);
        assert_eq!(cell(&own, of_class(class, at(0))), "retry, not now", "{class:?}");
        let own = Policy::default().with(class, Ruling::Deny);
        assert_eq!(cell(&own, of_class(class, at(0))), "deny", "{class:?}");
    }
}

/// An unknown name gives an error with the known names: [gate.policy]
#[test]
fn presets_have_names() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(preset));
    }
    let message = "bing".parse::<Preset>().unwrap_err().to_string();
    assert_eq!(message, "unknown policy \"bing\"; use one of rfc9309, google, strict");
}
