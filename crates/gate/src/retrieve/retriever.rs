//! The interface for retrieving a site's robots.txt, and for the turn of each of its requests: when it may be made.
//!
//! Invariant: a retrieval returns no error. A failure is an outcome. Whoever retrieves in turn makes no request before
//! its turn. A request that has none soon is not made, and says nothing about the site.

#[cfg(feature = "async")]
use std::future::Future;
use std::net::IpAddr;
#[cfg(feature = "async")]
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::validators::Validators;

/// Retrieves the robots.txt of an origin. The driver does this, or a test double.
pub trait Retriever {
    /// Waits before a retrieval, until its slot is free. By default, the thread sleeps. A test double need not.
    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Makes one whole retrieval, with all its attempts, redirects and waits.
    fn retrieve(&self, origin: &Origin) -> Retrieval;

    /// The same, with each request in its turn, for a caller who holds a copy of the file with these validators. If the
    /// site says that it has not changed, the outcome is
    /// [`Outcome::Unchanged`](crate::retrieve::Outcome::Unchanged). By default, it retrieves without a condition. The
    /// first request has its slot already, so by default nothing is asked: a retriever that follows redirects, or knows
    /// the addresses, asks before each request.
    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let _ = (held, turns);
        self.retrieve(origin)
    }
}

/// Retrieves the robots.txt of an origin in async code.
#[cfg(feature = "async")]
pub trait AsyncRetriever {
    /// Makes one whole retrieval, with all its attempts, redirects and waits. `held` is what to send to make it
    /// conditional; it may be ignored.
    fn retrieve(&self, origin: &Origin, held: &Validators) -> impl Future<Output = Retrieval> + Send {
        self.retrieve_in_turn(origin, held, Arc::new(AtOnce))
    }

    /// The same, with each request in its turn, as [`Retriever::retrieve_in_turn`]. The first one has its slot already.
    fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns>,
    ) -> impl Future<Output = Retrieval> + Send;
}

/// A request that a retrieval is about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is requested.
    pub url: Url,
    /// The address that gets the request; `None` if only the client knows.
    pub address: Option<IpAddr>,
    /// What makes it conditional: `If-None-Match` and `If-Modified-Since`. Empty if nothing does.
    pub held: Validators,
    /// The number of redirects before it: 0 for the request to the site itself.
    pub hop: usize,
    /// The time since the retrieval began.
    pub after: Duration,
    /// The end of its time.
    pub until: Moment,
}

/// When a request may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now. It has its slots.
    Now,
    /// Not yet, and it has no slot. Ask again after this time.
    Again(Duration),
    /// Not soon: end the retrieval, and begin another one at that moment.
    NotBefore(Moment),
}

/// Gives each request of a retrieval its turn. The gate does, by the lanes of the host and of the address.
pub trait Turns: Send + Sync {
    /// The turn of a request. Ask before each, until it is [`Turn::Now`]; then make the request at once.
    fn turn(&self, request: &Request) -> Turn;

    /// Whether [`Turns::turn`] may wait for a disk or for other programs.
    fn blocks(&self) -> bool {
        false
    }
}

/// All requests at once, for a retrieval that nobody paces.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

impl Turns for AtOnce {
    fn turn(&self, _: &Request) -> Turn {
        Turn::Now
    }
}
