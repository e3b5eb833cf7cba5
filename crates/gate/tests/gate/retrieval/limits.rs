use std::time::Duration;

use robosieve_gate::retrieve::{Cut, Fetched, Outcome, RetrievalLimits};

use crate::retrieval::play::{World, redirect};

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
    ] {
        let start = format!("| `RetrievalLimits::{name}` |");
        let row = SPEC.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {start}"));
        let default: String = row.split('|').nth(2).unwrap().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(default, value.to_string(), "{name}");
    }
}

/// The number of redirects at 0, at 1 and around them: [retrieve.limits] [retrieve.redirect]
#[test]
fn as_many_redirects_as_are_set() {
    for max_redirects in [0_usize, 1, 4, 5, 6, 100] {
        for hops in [max_redirects.saturating_sub(1), max_redirects, max_redirects + 1] {
            let limits = RetrievalLimits { max_redirects, ..RetrievalLimits::default() };
            let server = |at, _: &str| {
                if at < hops { redirect(301, &format!("/{at}")) } else { Fetched::new(200, "") }
            };
            let played = World { limits, ..World::default() }.one(server);
            let expected = if hops <= max_redirects { Outcome::Rules } else { Outcome::Unavailable };
            assert_eq!((played.retrieval.outcome, played.asked.len()), (expected, hops.min(max_redirects) + 1));
        }
    }
}

/// A body as long as the cap is whole, one byte more is cut there, and a body that the server cut has another cause:
/// [retrieve.cap] [retrieve.limits] [retrieve.broken-off]
#[test]
fn the_cap_is_exact() {
    for max_bytes in [0, 1, 1_000, RetrievalLimits::default().max_bytes] {
        let limits = RetrievalLimits { max_bytes, ..RetrievalLimits::default() };
        let world = World { limits, ..World::default() };
        for length in [max_bytes.saturating_sub(1), max_bytes, max_bytes + 1] {
            let came = Fetched::new(200, "x".repeat(length));
            let (whole, early) = (world.all(&came), world.all(&came.broken_off()));
            let (is_long, length) = (length > max_bytes, length.min(max_bytes));
            assert_eq!((whole.cut, whole.body.len()), (is_long.then_some(Cut::AtCap), length), "{max_bytes}");
            assert_eq!(whole.outcome, if is_long { Outcome::Truncated } else { Outcome::Rules });
            let cause = if is_long { Cut::AtCap } else { Cut::Early };
            assert_eq!((early.cut, early.body.len()), (Some(cause), length), "{max_bytes}");
        }
    }
}

/// Coded bytes that decode to nothing are limited too: [retrieve.coded]
#[test]
fn coded_bytes_that_decode_to_nothing() {
    const NOTHING: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0";
    let limits = RetrievalLimits { max_bytes: 1_000, ..RetrievalLimits::default() };
    let most = (limits.max_bytes + 65_536) / NOTHING.len();
    for (count, outcome) in [(most - 1, Outcome::Rules), (most, Outcome::Rules), (most + 1, Outcome::Truncated)] {
        let came = Fetched::new(200, NOTHING.repeat(count)).header("Content-Encoding", b"gzip");
        let retrieval = World { limits, ..World::default() }.all(&came);
        assert_eq!((retrieval.outcome, retrieval.body.len()), (outcome, 0), "{count}: {:?}", retrieval.error);
    }
}
