//! A client of the caller's own as a driver: a closure that makes one request.
//!
//! Invariant: the closure is called for each request of a retrieval, in its turn. It decides nothing: redirects,
//! limits and the guard are judged for it.

use std::future::{Future, ready};
use std::pin::pin;
#[cfg(feature = "async")]
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;

use crate::moment::RunClock;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
#[cfg(feature = "async")]
use crate::retrieve::drive::Shared;
use crate::retrieve::drive::drive;
use crate::retrieve::fetched::Fetched;
use crate::retrieve::follow::{Follow, Then};
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::retrieval::Retrieval;
#[cfg(feature = "async")]
use crate::retrieve::retriever::AsyncRetriever;
use crate::retrieve::retriever::{AtOnce, Request, Retriever, Turns};
use crate::retrieve::validators::Validators;

/// A retriever over the caller's own client: a closure that makes one request and follows no redirect.
///
/// It is called again for each redirect, at most [`RetrievalLimits::max_redirects`] times, in the turn that the gate
/// gives. An address in a URL, its port, and the address that the client reports ([`Fetched::from_address`]) are
/// checked. A client that looks names up itself should also check each address that it connects to, with
/// [`AddressGuard::admits`].
///
/// ```
/// use robosieve::agent::Agents;
/// use robosieve_gate::{Gate, MemoryStore, Moment};
/// use robosieve_gate::retrieve::{Fetched, FetchWith, Request};
/// let fetch = FetchWith::new(|request: &Request| {
///     // Your client: GET `request.url`, with the headers of `request.held`, and without following redirects.
///     match request.url.scheme() {
///         "http" => Fetched::new(301, "").header("Location", b"https://example.com/robots.txt"),
///         _ => Fetched::new(200, "User-agent: *\nDisallow: /private\n"),
///     }
/// });
/// let gate = Gate::new(fetch, MemoryStore::default(), Agents::new(["MyBot"]));
/// assert!(gate.permits("http://example.com/a", Moment::now())?.is_allowed());
/// assert!(!gate.permits("http://example.com/private", Moment::now())?.is_allowed());
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FetchWith<F> {
    fetch: F,
    limits: RetrievalLimits,
    guard: AddressGuard,
}

impl<F> FetchWith<F> {
    /// Creates a retriever over a closure. Defaults: global addresses only, and default limits, but one round: a client
    /// has its own ways to try again.
    #[must_use]
    pub fn new(fetch: F) -> Self {
        let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::DEFAULT };
        Self { fetch, limits, guard: AddressGuard::global_only() }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(self, limits: RetrievalLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the guard that decides which addresses are allowed.
    #[must_use]
    pub fn guard(self, guard: AddressGuard) -> Self {
        Self { guard, ..self }
    }
}

impl<F> FetchWith<F> {
    /// The first step of a retrieval, and its clock.
    fn begin(&self, origin: &Origin, held: &Validators) -> (Then, RunClock) {
        let clock = RunClock::default();
        (Follow::begin(origin, self.limits, &self.guard, held.clone(), clock.now()), clock)
    }
}

impl<F: Fn(&Request) -> Fetched + Sync> Retriever for FetchWith<F> {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        Retriever::retrieve_in_turn(self, origin, &Validators::default(), &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let (then, clock) = self.begin(origin, held);
        let fetch = |request| ready((self.fetch)(&request));
        let sleep = |time| {
            thread::sleep(time);
            ready(())
        };
        at_once(drive(then, &clock, fetch, sleep, turns))
    }
}

/// The result of work that never waits for anything else.
fn at_once<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
    }
}

#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for FetchWith<F>
where
    F: Fn(Request) -> Response + Sync,
    Response: Future<Output = Fetched> + Send,
{
    async fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: Arc<dyn Turns>) -> Retrieval {
        let (then, clock) = self.begin(origin, held);
        drive(then, &clock, &self.fetch, tokio::time::sleep, Shared(turns)).await
    }
}

/// One closure over the caller's own client is a retriever, with the defaults of [`FetchWith`].
#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for F
where
    F: Fn(Request) -> Response + Sync,
    Response: Future<Output = Fetched> + Send,
{
    async fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: Arc<dyn Turns>) -> Retrieval {
        FetchWith::new(self).retrieve_in_turn(origin, held, turns).await
    }
}
