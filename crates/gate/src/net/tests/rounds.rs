//! Tests of `rounds`.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;

const NO_ROUTE: (u16, Whose) = (0, Whose::NoWay);
const WANT: (u16, Whose) = (0, Whose::Ours);
const DEAD: (u16, Whose) = (0, Whose::Site);
const BAD: (u16, Whose) = (503, Whose::Site);
const GOOD: (u16, Whose) = (404, Whose::Site);

/// What the rounds come to with these answers of the addresses, and how many requests they make.
fn ask(answers: &[(u16, Whose)], extra_rounds: u32, budget: u64) -> (Fetched, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let limits = RetrievalLimits { extra_rounds, round_wait: Duration::ZERO, ..RetrievalLimits::default() };
    let places: Vec<To> =
        (0..answers.len()).map(|port| To::Address(([127, 0, 0, 1], u16::try_from(port).unwrap()).into())).collect();
    let count = AtomicUsize::new(0);
    let ask = |to| {
        count.fetch_add(1, Ordering::Relaxed);
        let To::Address(to) = to else { return std::future::ready((Fetched::failed("no address"), Whose::Site)) };
        let (status, whose) = answers[usize::from(to.port())];
        let came = match (status, whose) {
            (0, Whose::Site) => Fetched::failed("dead"),
            (0, _) => Fetched::not_asked("ours"),
            _ => Fetched::new(status, ""),
        };
        std::future::ready((came, whose))
    };
    let came = runtime.block_on(async {
        let end = Instant::now() + Duration::from_secs(budget);
        rounds(&places, &limits, end, Fetched::not_asked("the time is over"), ask).await
    });
    (came, count.into_inner())
}

/// The first answer ends it, a response counts more than a failure, want of something here more than a failure, and
/// no way to some addresses less: [retrieve.addresses] [retrieve.rounds] [retrieve.own-trouble]
#[test]
fn what_counts_of_several_addresses() {
    for (answers, status, was_asked, requests) in [
        (&[GOOD, DEAD][..], Some(404), true, 1),
        (&[DEAD, BAD, NO_ROUTE, GOOD], Some(404), true, 4),
        (&[BAD, DEAD], Some(503), true, 4),
        (&[BAD, WANT], Some(503), true, 4),
        (&[DEAD, DEAD], None, true, 4),
        (&[NO_ROUTE, DEAD], None, true, 4),
        (&[DEAD, NO_ROUTE], None, true, 4),
        (&[NO_ROUTE, NO_ROUTE], None, false, 2),
        (&[DEAD, WANT], None, false, 2),
        (&[WANT, DEAD], None, false, 2),
        (&[], None, false, 0),
    ] {
        let (came, count) = ask(answers, 1, 60);
        assert_eq!((came.status(), came.was_asked(), count), (status, was_asked, requests), "{answers:?}");
    }
}

/// Their number follows the limits, and none begins that can't end in time: [retrieve.rounds] [retrieve.budget]
#[test]
fn as_many_rounds_as_are_set() {
    for extra_rounds in [0, 1, 3] {
        assert_eq!(ask(&[DEAD, DEAD], extra_rounds, 60).1, 2 * (extra_rounds as usize + 1));
    }
    assert_eq!(ask(&[DEAD], 1, 0).1, 0);
}
