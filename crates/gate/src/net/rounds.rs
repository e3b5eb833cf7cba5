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
#[path = "tests/rounds.rs"]
mod tests;
