//! The rounds over the addresses of a host (the IBM crawler's documentation, 3 to 5).
//!
//! Invariant: each address is asked at most once a round, and no round begins that can't end in time.

use tokio::time::Instant;

use crate::net::addresses::To;
use crate::net::trouble::Whose;
use crate::retrieve::{Fetched, RetrievalLimits};

/// Asks each address until one answers with a status below 500, in rounds. Otherwise it is the last response, so that
/// what it says of the next attempt is not lost; or else want of something here; or else a failure of the site. That
/// there is no way to an address counts if there is one to none: without IPv6 here, the site's IPv4 addresses decide.
/// If there is no time for any request, it is `unasked`. A request says what comes of it, and whose trouble it is if
/// nothing does.
pub(super) async fn rounds<Came: Future<Output = (Fetched, Whose)>>(
    places: &[To],
    limits: &RetrievalLimits,
    end: Instant,
    unasked: Fetched,
    ask: impl Fn(To) -> Came,
) -> Fetched {
    let mut last = (0, unasked);
    for round in 0..=limits.extra_rounds {
        if round > 0 {
            let until = Instant::now().checked_add(limits.round_wait);
            let Some(until) = until.filter(|until| *until < end) else { break };
            tokio::time::sleep_until(until).await;
        }
        for place in places {
            if Instant::now() >= end {
                break;
            }
            let (came, whose) = ask(*place).await;
            let weight = match (came.status(), whose) {
                (Some(200..=499), _) => return came,
                (Some(500..), _) => 3,
                (_, Whose::Ours) => 2,
                (_, Whose::Site) => 1,
                (_, Whose::NoWay) => 0,
            };
            if weight >= last.0 {
                last = (weight, came);
            }
        }
        // Trouble of ours ends no sooner if the site is asked twice.
        if matches!(last.0, 0 | 2) {
            break;
        }
    }
    last.1
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
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
}
