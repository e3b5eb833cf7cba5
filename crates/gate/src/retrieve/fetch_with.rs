//! A client of the caller's own as a driver: a closure that makes one request.
//!
//! Invariant: the closure is called for each request of a retrieval, as the machine says, in its turn. It decides
//! nothing: redirects, limits and the guard are the machine's.

use std::future::{Future, ready};
use std::pin::pin;
#[cfg(feature = "async")]
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use crate::moment::{Moment, RunClock};
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
#[cfg(feature = "async")]
use crate::retrieve::drive::Shared;
use crate::retrieve::drive::{Client, drive};
use crate::retrieve::fetched::Fetched;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine};
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
    /// The machine of a retrieval, and the time when it begins.
    fn machine(&self, origin: &Origin, held: &Validators) -> (Machine, RunClock) {
        let clock = RunClock::default();
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), clock.now());
        (machine.conditional(held.clone()), clock)
    }
}

impl<F: Fn(&Request) -> Fetched + Sync> Retriever for FetchWith<F> {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        Retriever::retrieve_in_turn(self, origin, &Validators::default(), &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let (machine, clock) = self.machine(origin, held);
        let fetch = |request| ready((self.fetch)(&request));
        let sleep = |time| {
            thread::sleep(time);
            ready(())
        };
        at_once(drive(machine, Own { fetch, sleep, clock }, turns))
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

/// The caller's client. It looks names up itself, and reads bodies whole.
struct Own<Fetch, Sleep> {
    fetch: Fetch,
    sleep: Sleep,
    clock: RunClock,
}

impl<Fetch, Response, Sleep, Wait> Client for Own<Fetch, Sleep>
where
    Fetch: Fn(Request) -> Response + Send + Sync,
    Response: Future<Output = Fetched> + Send,
    Sleep: Fn(Duration) -> Wait + Send + Sync,
    Wait: Future<Output = ()> + Send,
{
    fn now(&self) -> Moment {
        self.clock.now()
    }

    fn sleep_until(&self, until: Moment) -> impl Future<Output = ()> + Send {
        (self.sleep)(until.since(self.now()))
    }

    async fn resolve(&self, machine: &mut Machine, _: String, _: u16) {
        machine.on(Event::ByClient, self.now());
    }

    async fn request(&mut self, machine: &mut Machine) {
        if let Some(request) = machine.request(self.now()) {
            (self.fetch)(request).await.report(machine, self.clock.now());
        }
    }

    async fn read(&mut self, machine: &mut Machine) {
        machine.on(Event::BrokenOff("no body"), self.now());
    }
}

#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for FetchWith<F>
where
    F: Fn(Request) -> Response + Sync,
    Response: Future<Output = Fetched> + Send,
{
    fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns>,
    ) -> impl Future<Output = Retrieval> + Send {
        let (machine, clock) = self.machine(origin, held);
        drive(machine, Own { fetch: &self.fetch, sleep: tokio::time::sleep, clock }, Shared(turns))
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
