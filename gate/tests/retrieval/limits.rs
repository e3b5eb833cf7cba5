use std::time::Duration;

use robosieve_gate::RetrievalLimits;

use crate::play::{Reply, World, several};

const SPEC: &str = include_str!("../../../SPEC.md");

/// The defaults are those of the table: [retrieve.limits]
#[test]
fn the_table_is_the_codes() {
    let limits = RetrievalLimits::default();
    let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap();
    for (name, value) in [
        ("max_bytes", limits.max_bytes),
        ("max_redirects", limits.max_redirects),
        ("max_addresses", limits.max_addresses),
        ("extra_rounds", limits.extra_rounds as usize),
        ("round_wait", seconds(limits.round_wait)),
        ("budget", seconds(limits.budget)),
        ("max_header", limits.max_header),
        ("max_retry_after", seconds(limits.max_retry_after)),
    ] {
        let start = format!("| `RetrievalLimits::{name}` |");
        let row = SPEC.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {start}"));
        let default: String = row.split('|').nth(2).unwrap().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(default, value.to_string(), "{name}");
    }
}

/// No more addresses are tried than the limit says, refused ones counted: [retrieve.limits] [retrieve.addresses]
#[test]
fn addresses_are_bounded() {
    for max_addresses in [0, 1, 16] {
        let limits = RetrievalLimits { max_addresses, ..RetrievalLimits::default() };
        for found in [15, 16, 17, 200] {
            let played = World { limits, ..World::default() }.play(|_| several(found), |_, _, _| Reply::Fail);
            assert_eq!(played.asked.len(), 2 * max_addresses.min(found.into()), "{found} of {max_addresses}");
        }
    }
}
