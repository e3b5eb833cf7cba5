//! The loop over a retrieval: it makes each request with a client, in its turn.
//!
//! Invariant: this is the only loop over a retrieval that waits. A client reports what came, and decides nothing.

use std::future::{Future, ready};
#[cfg(feature = "async")]
use std::sync::Arc;
use std::time::Duration;

use crate::moment::RunClock;
use crate::retrieve::fetched::Fetched;
use crate::retrieve::follow::Then;
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::retriever::{Request, Turn, Turns};

/// Whom a loop asks for turns.
pub(crate) trait AskForTurn {
    fn turn(&self, request: Request) -> impl Future<Output = Turn> + Send;
}

/// Code that blocks waits for the answer.
impl AskForTurn for &dyn Turns {
    fn turn(&self, request: Request) -> impl Future<Output = Turn> + Send {
        ready(Turns::turn(*self, &request))
    }
}

/// Async code asks in a thread for blocking work, if the answer may wait for a disk.
#[cfg(feature = "async")]
pub(crate) struct Shared(pub(crate) Arc<dyn Turns>);

#[cfg(feature = "async")]
impl AskForTurn for Shared {
    async fn turn(&self, request: Request) -> Turn {
        if !self.0.blocks() {
            return self.0.turn(&request);
        }
        let turns = Arc::clone(&self.0);
        let asked = tokio::task::spawn_blocking(move || turns.turn(&request)).await;
        // Its thread ended, so nothing is known of the lane.
        asked.unwrap_or(Turn::Again(Duration::from_secs(1)))
    }
}

/// So long the requests of a retrieval may wait for their turns. Our choice: 70 seconds.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(70);

/// Makes a retrieval.
pub(crate) async fn drive<Came, Wait>(
    mut then: Then,
    clock: &RunClock,
    fetch: impl Fn(Request) -> Came,
    sleep: impl Fn(Duration) -> Wait,
    turns: impl AskForTurn,
) -> Retrieval
where
    Came: Future<Output = Fetched>,
    Wait: Future<Output = ()>,
{
    loop {
        let (mut follow, mut request) = match then {
            Then::Done(retrieval) => return *retrieval,
            Then::Request(follow, request) => (follow, request),
        };
        loop {
            let now = clock.now();
            request.after = follow.after(now);
            match turns.turn(request.clone()).await {
                Turn::Now => break,
                Turn::Again(wait) if follow.waited().saturating_add(wait) <= LONGEST_WAIT => {
                    follow.wait(&mut request, wait);
                    sleep(wait).await;
                }
                Turn::Again(wait) => return follow.put_off(now.after(wait), now),
                Turn::NotBefore(until) => return follow.put_off(until, now),
            }
        }
        let came = fetch(request).await;
        then = follow.came(came, clock.now());
    }
}
