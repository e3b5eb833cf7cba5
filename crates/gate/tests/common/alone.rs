//! One retrieval by itself: nobody paces it, and nothing is remembered.

use robosieve_gate::retrieve::{AddressGuard, Follow, Retrieval, RetrievalLimits, Then, Validators};
use robosieve_gate::{Fetch, Moment, Origin};

/// Runs async work in a runtime of its own.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Makes a retrieval with a client.
pub(crate) fn retrieve(
    client: &impl Fetch,
    origin: &Origin,
    limits: RetrievalLimits,
    guard: &AddressGuard,
    held: Validators,
) -> Retrieval {
    run(async {
        let mut then = Follow::begin(origin, limits, guard, held, Moment::now());
        loop {
            match then {
                Then::Request(follow, request) => then = follow.came(client.fetch(*request).await, Moment::now()),
                Then::Done(retrieval) => return *retrieval,
            }
        }
    })
}
