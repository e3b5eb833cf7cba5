use robosieve_gate::retrieve::{AttemptEnd, Cut, Head, Outcome, RetrievalLimits};

use crate::retrieval::play::{Reply, World, status};

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

/// A body that ends early is kept up to there and marked as cut; other addresses are not tried: [retrieve.broken-off]
#[test]
fn broken_off() {
    let played = World::default().one(|_, _, _| pieces(&[7], Some("connection reset")));
    let retrieval = played.retrieval;
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Truncated, Some(200)));
    assert_eq!(retrieval.body, b"xxxxxxx");
    assert_eq!(retrieval.attempts[0].end, AttemptEnd::Failed("status 200, then: connection reset".into()));
    assert_eq!(played.asked.len(), 1);
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

/// A successful answer may be empty: [retrieve.status]
#[test]
fn empty_is_whole() {
    for code in [200, 204, 205] {
        let played = World::default().one(|_, _, _| status(code));
        assert_eq!((played.retrieval.outcome, played.retrieval.body.len()), (Outcome::Rules, 0));
    }
}

/// Only a successful answer has a body: [retrieve.status]
#[test]
fn other_bodies_are_not_read() {
    let page = || Reply::Answer(Head::new(404), vec![b"User-agent: *\nDisallow: /".to_vec()], None);
    assert!(World::default().one(|_, _, _| page()).retrieval.body.is_empty());
}
