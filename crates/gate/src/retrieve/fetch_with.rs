//! A client of the caller's own as a driver: a closure that makes one request.
//!
//! Invariant: the closure is called for each request of a retrieval, as the machine says, in its turn. It decides
//! nothing: redirects, limits and the guard are the machine's.

#[cfg(feature = "async")]
use std::future::Future;
#[cfg(feature = "async")]
use std::sync::Arc;

use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::fetched::Fetched;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::Retrieval;
#[cfg(feature = "async")]
use crate::retrieve::retriever::AsyncRetriever;
use crate::retrieve::retriever::Retriever;
use crate::retrieve::turns::{AtOnce, Request, Turn, Turns};
use crate::retrieve::validators::Validators;

/// A retriever over the caller's own client: a closure that makes one request and follows no redirect.
///
/// It is called again for each redirect, at most [`RetrievalLimits::max_redirects`] times, in the turn that the gate
/// gives. An address in a URL, its port, and the address that the client reports ([`Fetched::from_address`]) are
/// checked. A client that looks names up itself should also check each address that it connects to, with
/// [`AddressGuard::admits`].
///
/// ```
/// use robosieve::Agents;
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
/// # let gate = gate.pacing(robosieve_gate::pace::Pacing { default: std::time::Duration::ZERO, ..Default::default() });
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
        Self { fetch, limits: limits(), guard: AddressGuard::global_only() }
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

/// A client tries again by itself.
const fn limits() -> RetrievalLimits {
    RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::DEFAULT }
}

impl<F: Fn(&Request) -> Fetched> Retriever for FetchWith<F> {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.retrieve_if_changed(origin, &Validators::default())
    }

    fn retrieve_if_changed(&self, origin: &Origin, held: &Validators) -> Retrieval {
        self.retrieve_in_turn(origin, held, &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), Moment::now());
        let mut machine = machine.conditional(held.clone());
        loop {
            let now = Moment::now();
            match next(&mut machine, now) {
                Next::Ask(request) => {
                    let turn = turns.turn(&request);
                    machine.on(Event::Turn(turn), now);
                    match turn {
                        Turn::Now => (self.fetch)(&request).report(&mut machine, Moment::now()),
                        Turn::Again(wait) if machine.request(now).is_some() => self.wait(wait),
                        Turn::Again(_) | Turn::NotBefore(_) => {}
                    }
                }
                Next::Wait(until) => {
                    self.wait(until.since(now));
                    machine.on(Event::Time, Moment::now().max(until));
                }
                Next::Done => return machine.into_retrieval(now),
            }
        }
    }
}

/// What a machine over the caller's client needs next.
pub(crate) enum Next {
    Ask(Box<Request>),
    Wait(Moment),
    Done,
}

/// The client looks names up itself, and reads bodies whole.
pub(crate) fn next(machine: &mut Machine, now: Moment) -> Next {
    if matches!(machine.step(), Step::Resolve { .. }) {
        machine.on(Event::ByClient, now);
    }
    match (machine.request(now), machine.step()) {
        (Some(request), _) => Next::Ask(Box::new(request)),
        (None, Step::Wait { until }) => Next::Wait(until),
        (None, _) => Next::Done,
    }
}

#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for FetchWith<F>
where
    F: Fn(Request) -> Response + Sync,
    Response: Future<Output = Fetched> + Send,
{
    fn retrieve(&self, origin: &Origin, held: &Validators) -> impl Future<Output = Retrieval> + Send {
        self.retrieve_in_turn(origin, held, Arc::new(AtOnce))
    }

    fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns + Send + Sync>,
    ) -> impl Future<Output = Retrieval> + Send {
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), Moment::now());
        ask_in_turn(&self.fetch, machine.conditional(held.clone()), turns)
    }
}

/// One closure over the caller's own client is a retriever, with the defaults of [`FetchWith`].
#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for F
where
    F: Fn(Request) -> Response + Sync,
    Response: Future<Output = Fetched> + Send,
{
    fn retrieve(&self, origin: &Origin, held: &Validators) -> impl Future<Output = Retrieval> + Send {
        self.retrieve_in_turn(origin, held, Arc::new(AtOnce))
    }

    fn retrieve_in_turn(
        &self,
        origin: &Origin,
        held: &Validators,
        turns: Arc<dyn Turns + Send + Sync>,
    ) -> impl Future<Output = Retrieval> + Send {
        let machine = Machine::new(origin.clone(), limits(), AddressGuard::global_only(), Moment::now());
        ask_in_turn(self, machine.conditional(held.clone()), turns)
    }
}

#[cfg(feature = "async")]
async fn ask_in_turn<F, Response>(fetch: &F, mut machine: Machine, turns: Arc<dyn Turns + Send + Sync>) -> Retrieval
where
    F: Fn(Request) -> Response,
    Response: Future<Output = Fetched> + Send,
{
    loop {
        let now = Moment::now();
        match next(&mut machine, now) {
            Next::Ask(request) => {
                let turn = turn_of(&turns, &request, now).await;
                machine.on(Event::Turn(turn), now);
                match turn {
                    Turn::Now => fetch(*request).await.report(&mut machine, Moment::now()),
                    Turn::Again(wait) if machine.request(now).is_some() => tokio::time::sleep(wait).await,
                    Turn::Again(_) | Turn::NotBefore(_) => {}
                }
            }
            Next::Wait(until) => {
                tokio::time::sleep(until.since(now)).await;
                machine.on(Event::Time, Moment::now().max(until));
            }
            Next::Done => return machine.into_retrieval(now),
        }
    }
}

/// Asks for the turn of a request, in a thread for blocking work if that may block.
#[cfg(feature = "async")]
pub(crate) async fn turn_of(turns: &Arc<dyn Turns + Send + Sync>, request: &Request, now: Moment) -> Turn {
    if !turns.blocks() {
        return turns.turn(request);
    }
    let (turns, request) = (Arc::clone(turns), request.clone());
    let asked = tokio::task::spawn_blocking(move || turns.turn(&request)).await;
    // Its thread ended, so nothing is known of the lane.
    asked.unwrap_or_else(|_| Turn::NotBefore(now.after(std::time::Duration::from_secs(1))))
}
