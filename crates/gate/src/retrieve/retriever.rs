//! The interface for retrieving a site's robots.txt.
//!
//! Invariant: a retrieval returns no error. A failure is an outcome.

#[cfg(feature = "async")]
use std::future::Future;
#[cfg(feature = "async")]
use std::sync::Arc;
use std::time::Duration;

use crate::origin::Origin;
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::turns::Turns;
use crate::retrieve::validators::Validators;

/// Retrieves the robots.txt of an origin. The driver does this, or a test double.
pub trait Retriever {
    /// Waits before a retrieval, until its slot is free. By default, the thread sleeps. A test double need not.
    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Makes one whole retrieval, with all its attempts, redirects and waits.
    fn retrieve(&self, origin: &Origin) -> Retrieval;

    /// The same, if the caller holds a copy of the file with these validators. If the site says that it has not
    /// changed, the outcome is [`Outcome::Unchanged`](crate::retrieve::Outcome::Unchanged). By default, it retrieves
    /// without a condition.
    fn retrieve_if_changed(&self, origin: &Origin, held: &Validators) -> Retrieval {
        let _ = held;
        self.retrieve(origin)
    }

    /// The same, with each request in its turn. The first one has its slot already, so by default nothing is asked: a
    /// retriever that follows redirects, or knows the addresses, asks before each request.
    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let _ = turns;
        self.retrieve_if_changed(origin, held)
    }
}

/// Retrieves the robots.txt of an origin in async code.
#[cfg(feature = "async")]
pub trait AsyncRetriever {
    /// Makes one whole retrieval, with all its attempts, redirects and waits. `held` is what to send to make it
    /// conditional; it may be ignored.
    fn retrieve(&self, origin: &Origin, held: &Validators) -> impl Future<Output = Retrieval> + Send;

    /// The same, with each request in its turn, as [`Retriever::retrieve_in_turn`].
    fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns>,
    ) -> impl Future<Output = Retrieval> + Send {
        let _ = turns;
        self.retrieve(origin, held)
    }
}
