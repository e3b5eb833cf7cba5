use std::time::Duration;

use robosieve_gate::retrieve::{Cut, Outcome, RetrievalLimits};

use crate::retrieval::play::{BEGAN, Head, Played, Reply, World, redirect, rules, status};

const SPEC: &str = include_str!("../../../SPEC.md");

/// The defaults agree with the table: [retrieve.limits]
#[test]
fn the_table_agrees_with_the_code() {
    let limits = RetrievalLimits::default();
    let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap();
    for (name, value) in [
        ("max_bytes", limits.max_bytes),
        ("max_redirects", limits.max_redirects),
        ("max_addresses", limits.max_addresses),
        ("extra_rounds", limits.extra_rounds as usize),
        ("round_wait", seconds(limits.round_wait)),
        ("budget", seconds(limits.budget)),
        ("resolve", seconds(limits.resolve)),
        ("connect", seconds(limits.connect)),
        ("head", seconds(limits.head)),
        ("body", seconds(limits.body)),
        ("silence", seconds(limits.silence)),
        ("max_header", limits.max_header),
        ("max_retry_after", seconds(limits.max_retry_after)),
    ] {
        let start = format!("| `RetrievalLimits::{name}` |");
        let row = SPEC.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {start}"));
        let default: String = row.split('|').nth(2).unwrap().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(default, value.to_string(), "{name}");
    }
}

/// The limits with one of them, by its place in the table, set to this number: bytes, counts, or milliseconds.
fn with(limits: RetrievalLimits, field: usize, number: u64) -> RetrievalLimits {
    let count = usize::try_from(number).unwrap_or(usize::MAX);
    // The maximum of the limit's own type.
    let time = if number == u64::MAX { Duration::MAX } else { Duration::from_millis(number) };
    match field {
        0 => RetrievalLimits { max_bytes: count, ..limits },
        1 => RetrievalLimits { max_redirects: count, ..limits },
        2 => RetrievalLimits { max_addresses: count, ..limits },
        3 => RetrievalLimits { extra_rounds: u32::try_from(number).unwrap_or(u32::MAX), ..limits },
        4 => RetrievalLimits { round_wait: time, ..limits },
        5 => RetrievalLimits { budget: time, ..limits },
        6 => RetrievalLimits { max_header: count, ..limits },
        _ => RetrievalLimits { max_retry_after: time, ..limits },
    }
}

const FIELDS: usize = 8;

/// The time of a connection. Endless redirects go on for as long as the budget.
const TAKES: Duration = Duration::from_millis(50);

/// Limits with the smallest useful values.
fn ones() -> RetrievalLimits {
    (0..FIELDS).fold(RetrievalLimits::default(), |limits, field| with(limits, field, 1))
}

/// Checks that a retrieval stayed within the limits.
fn keeps(limits: RetrievalLimits, world: &str, played: &Played) {
    let retrieval = &played.retrieval;
    let said = format!("{world}: {limits:?}");
    assert!(retrieval.body.len() <= limits.max_bytes, "{said}");
    assert!(retrieval.redirects.len() <= limits.max_redirects, "{said}");
    assert!(retrieval.redirects.iter().all(|url| url.len() <= limits.max_header), "{said}");
    assert!(retrieval.retry_after.is_none_or(|after| after <= limits.max_retry_after), "{said}");
    assert!(played.asked.len() <= limits.max_redirects.saturating_add(1), "{said}");
    assert!(retrieval.requests <= played.asked.len() + 1, "{said}");
    // The request that is running when the time ends is the last one.
    assert!(retrieval.ended.since(BEGAN) <= limits.budget.saturating_add(TAKES), "{said}");
}

/// Each limit at 0, 1, one below its default, at it, one above it and at the maximum of its type, alone and with all
/// others at 1: a retrieval ends within them, with any servers: [retrieve.limits] [retrieve.total]
#[test]
fn every_limit_at_every_value() {
    let default = RetrievalLimits::default();
    let defaults = [512_000, 5, 16, 1, 2_000, 60_000, 8_000, 86_400_000];
    let defaults_set = (0..FIELDS).fold(ones(), |limits, field| with(limits, field, defaults[field]));
    assert_eq!(defaults_set, default);
    for (field, usual) in defaults.into_iter().enumerate() {
        for number in [0, 1, usual - 1, usual, usual + 1, u64::MAX] {
            for base in [default, ones(), RetrievalLimits { budget: default.budget, ..ones() }] {
                let limits = with(base, field, number);
                let world = World { limits, takes: TAKES, ..World::default() };
                keeps(limits, "fails", &world.one(|_, _, _| Reply::Fail));
                let busy = || Head::new(503).header("Retry-After", b"99999999");
                keeps(limits, "busy", &world.one(|_, _, _| Reply::Answer(busy(), vec![], None)));
                keeps(limits, "loops", &world.one(|_, _, url| redirect(302, url)));
                let long = "a".repeat(7_990);
                keeps(limits, "leads far", &world.one(|at, _, _| redirect(302, &format!("/{long}{at}"))));
                let body = "x".repeat(600_000);
                keeps(limits, "sends much", &world.one(|_, _, _| rules(&body)));
                keeps(limits, "sends nothing", &world.one(|_, _, _| rules("")));
                let later = || Head::new(404).header("Retry-After", b"99999999").header("Cache-Control", b"max-age=9");
                keeps(limits, "has none", &world.one(|_, _, _| Reply::Answer(later(), vec![], None)));
            }
        }
    }
}

/// The longest `Retry-After` to the millisecond: [retrieve.limits] [retrieve.retry-after]
#[test]
fn times_are_met() {
    for (most, said, expected) in [
        (0, 5, 0),
        (1, 5, 1),
        (4_999, 5, 4_999),
        (5_000, 5, 5_000),
        (5_001, 5, 5_000),
        (u64::MAX, 1_u64 << 40, 1 << 31),
    ] {
        let limits = with(RetrievalLimits::default(), 7, most);
        let head = Head::new(503).header("Retry-After", said.to_string().as_bytes());
        let played = World { limits, ..World::default() }.one(|_, _, _| Reply::Answer(head.clone(), vec![], None));
        let expected = if most == u64::MAX { Duration::from_secs(expected) } else { Duration::from_millis(expected) };
        assert_eq!(played.retrieval.retry_after, Some(expected), "{most}");
    }
}

/// The number of redirects and the bytes of a header at 0, at 1 and around them: [retrieve.limits] [retrieve.redirect]
/// [retrieve.headers]
#[test]
fn counts_are_met() {
    for max_redirects in [0_usize, 1, 4, 5, 6, 100] {
        for hops in [max_redirects.saturating_sub(1), max_redirects, max_redirects + 1] {
            let limits = RetrievalLimits { max_redirects, ..RetrievalLimits::default() };
            let server = |at: usize, _, _: &str| if at < hops { redirect(301, &format!("/{at}")) } else { rules("") };
            let played = World { limits, ..World::default() }.one(server);
            let expected = if hops <= max_redirects { Outcome::Rules } else { Outcome::Unavailable };
            assert_eq!((played.retrieval.outcome, played.asked.len()), (expected, hops.min(max_redirects) + 1));
        }
    }
    for max_header in [0, 1, 2, 30] {
        for length in [max_header.max(2) - 1, max_header.max(1), max_header + 1] {
            let limits = RetrievalLimits { max_header, ..RetrievalLimits::default() };
            let value = "0".repeat(length - 1) + "9";
            let head = Head::new(503).header("Retry-After", value.as_bytes());
            let played = World { limits, ..World::default() }.one(|_, _, _| Reply::Answer(head.clone(), vec![], None));
            assert_eq!(played.retrieval.retry_after.is_some(), length <= max_header, "{length} of {max_header}");
        }
    }
}

fn pieces(lengths: &[usize], early: Option<&'static str>) -> Reply {
    Reply::Answer(Head::new(200), lengths.iter().map(|&length| vec![b'x'; length]).collect(), early)
}

/// A body as long as the cap is whole; one byte more is cut there: [retrieve.cap] [retrieve.limits]
#[test]
fn the_cap_is_exact() {
    for max_bytes in [0, 1, 1_000, RetrievalLimits::DEFAULT.max_bytes] {
        let limits = RetrievalLimits { max_bytes, ..RetrievalLimits::default() };
        let world = World { limits, ..World::default() };
        for length in [max_bytes.saturating_sub(1), max_bytes, max_bytes + 1] {
            for split in [0, 1, length / 2, length] {
                let played = world.one(|_, _, _| pieces(&[split.min(length), length - split.min(length)], None));
                let expected = if length > max_bytes { Outcome::Truncated } else { Outcome::Rules };
                assert_eq!(played.retrieval.outcome, expected, "{length} of {max_bytes}");
                assert_eq!(played.retrieval.body.len(), length.min(max_bytes));
            }
        }
    }
}

/// A body cut by our cap is distinguished from one that the server cut: [retrieve.broken-off]
#[test]
fn the_cause_of_a_cut() {
    let limits = RetrievalLimits { max_bytes: 5, ..RetrievalLimits::default() };
    let world = World { limits, ..World::default() };
    assert_eq!(world.one(|_, _, _| pieces(&[6], None)).retrieval.cut, Some(Cut::AtCap));
    assert_eq!(world.one(|_, _, _| pieces(&[5], None)).retrieval.cut, None);
    // As long as the cap, but not cut by it.
    assert_eq!(world.one(|_, _, _| pieces(&[5], Some("reset"))).retrieval.cut, Some(Cut::Early));
    assert_eq!(world.one(|_, _, _| pieces(&[4], Some("reset"))).retrieval.cut, Some(Cut::Early));
    assert_eq!(world.one(|_, _, _| status(206)).retrieval.cut, Some(Cut::Early));
    assert_eq!(world.one(|_, _, _| Reply::Fail).retrieval.cut, None);
}
