use std::time::Duration;

use robosieve_gate::retrieve::{AttemptEnd, Outcome, RetrievalLimits};

use crate::retrieval::play::{BEGAN, Reply, World, rules, several, status};

/// After all addresses have failed: two seconds, then a second round, then no more: [retrieve.rounds]
#[test]
fn two_rounds_two_seconds_apart() {
    let played = World::default().play(|_| several(3), |_, _, _| Reply::Fail);
    let asked: Vec<_> = played.asked.iter().map(|(address, _)| address.ip()).collect();
    assert_eq!(asked, [several(3), several(3)].concat());
    assert_eq!(played.waits, [Duration::from_secs(2)]);
    assert_eq!(played.looked_up.len(), 1, "the addresses are those already known");
    let retrieval = played.retrieval;
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Unreachable, None));
    assert_eq!(retrieval.attempts.len(), 6);
    assert_eq!(retrieval.ended.since(BEGAN), Duration::from_millis(2_060));
}

/// An address that fails in the first round may answer in the second: [retrieve.rounds]
#[test]
fn the_second_round_counts() {
    let server = |at, _, _: &str| if at < 4 { status(503) } else { rules("User-agent: *\n") };
    let played = World::default().play(|_| several(3), server);
    assert_eq!(played.retrieval.outcome, Outcome::Rules);
    assert_eq!(played.asked.len(), 5);
}

/// The status of an unreachable site is the last one received: [retrieve.rounds]
#[test]
fn the_last_bad_status_is_known() {
    let server = |at, _, _: &str| if at == 1 { status(503) } else { Reply::Fail };
    let played = World::default().play(|_| several(2), server);
    assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unreachable, Some(503)));
    assert_eq!(played.retrieval.attempts[1].end, AttemptEnd::Status(503));
}

/// The number of rounds follows the limits: [retrieve.rounds] [retrieve.limits]
#[test]
fn extra_rounds() {
    for extra_rounds in [0, 1, 2, 3] {
        let limits = RetrievalLimits { extra_rounds, ..RetrievalLimits::default() };
        let played = World { limits, ..World::default() }.play(|_| several(2), |_, _, _| Reply::Fail);
        assert_eq!(played.waits.len(), extra_rounds as usize);
        assert_eq!(played.asked.len(), 2 * (extra_rounds as usize + 1));
    }
}

/// After the budget nothing more is tried: [retrieve.budget]
#[test]
fn the_budget_ends_it() {
    let takes = Duration::from_secs(10);
    // The second attempt ends at 20 s. An attempt that ends at or after the budget's end is the last one.
    for (budget, tries) in [(19_999, 2), (20_000, 2), (20_001, 3)] {
        let limits = RetrievalLimits { budget: Duration::from_millis(budget), ..RetrievalLimits::default() };
        let played = World { limits, takes, ..World::default() }.play(|_| several(16), |_, _, _| Reply::Fail);
        assert_eq!(played.asked.len(), tries, "{budget}");
        assert_eq!(played.retrieval.outcome, Outcome::Unreachable);
        assert_eq!(played.retrieval.attempts.len(), tries);
    }
}

/// It does not wait for a round that would begin after the budget's end: [retrieve.budget]
#[test]
fn no_wait_beyond_the_budget() {
    for (budget, waits) in [(2_009, 0), (2_010, 0), (2_011, 1)] {
        let limits = RetrievalLimits { budget: Duration::from_millis(budget), ..RetrievalLimits::default() };
        let played = World { limits, ..World::default() }.one(|_, _, _| Reply::Fail);
        assert_eq!(played.waits.len(), waits, "{budget}");
    }
}

/// An answer that is too late does not count, and a body that is incomplete by then is cut: [retrieve.budget]
#[test]
fn late_answers_do_not_count() {
    let limits = RetrievalLimits { budget: Duration::from_secs(5), ..RetrievalLimits::default() };
    let world = World { limits, takes: Duration::from_secs(5), ..World::default() };
    let played = world.one(|_, _, _| status(404));
    assert_eq!((played.retrieval.outcome, played.retrieval.status), (Outcome::Unreachable, None));
    let AttemptEnd::Failed(why) = &played.retrieval.attempts[0].end else { panic!() };
    assert!(why.contains("time for the whole retrieval"), "{why}");
}
