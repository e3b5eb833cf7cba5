//! One retrieval by itself: nobody paces it, and nothing is remembered.

use robosieve_gate::retrieve::{AddressGuard, Follow, Retrieval, RetrievalLimits, Validators};
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
            then = match then {
                Ok(follow) => {
                    let fetched = client.fetch(follow.request().clone()).await;
                    follow.came(fetched, Moment::now())
                }
                Err(retrieval) => return *retrieval,
            }
        }
    })
}
