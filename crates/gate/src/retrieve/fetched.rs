//! What a client of the caller's own got for a robots.txt: a status, a body, and the headers that count.
//!
//! Invariant: it means what the same response means to the machine. The machine itself judges it.

#[cfg(feature = "async")]
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};

use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::{Attempt, Retrieval};
#[cfg(feature = "async")]
use crate::retrieve::retriever::AsyncRetriever;
use crate::retrieve::retriever::Retriever;
#[cfg(feature = "async")]
use crate::retrieve::validators::Validators;

/// The final response to a request for robots.txt, or the failure to get one.
///
/// The client has followed the redirects, decoded the body, and limited both. A status of 3xx means that it could not
/// follow further.
///
/// ```
/// use robosieve_gate::{Fetched, Origin, Outcome};
/// let origin = Origin::of("https://example.com/")?;
/// assert_eq!(Fetched::new(404, "").retrieval(&origin).outcome, Outcome::NoRules);
/// let busy = Fetched::new(503, "").header("Retry-After", b"120").retrieval(&origin);
/// assert_eq!((busy.outcome, busy.retry_after.map(|after| after.as_secs())), (Outcome::Unreachable, Some(120)));
/// assert_eq!(Fetched::failed("connection refused").retrieval(&origin).status, None);
/// assert_eq!(Fetched::not_asked("no file descriptor").retrieval(&origin).outcome, Outcome::NotAsked);
/// # Ok::<(), robosieve_gate::OriginError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fetched {
    came: Result<(Head, Vec<u8>), String>,
    is_broken_off: bool,
    was_asked: bool,
}

impl Fetched {
    /// A response with this status and decoded body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { came: Ok((Head::new(status), body.into())), is_broken_off: false, was_asked: true }
    }

    /// No response: the reason, for people.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        Self { came: Err(why.into()), is_broken_off: false, was_asked: true }
    }

    /// The site was not asked, because of trouble on our side: no file descriptor, no name server, no route. The
    /// reason, for people. This says nothing about the site, so nothing is stored.
    #[must_use]
    pub fn not_asked(why: impl Into<String>) -> Self {
        Self { was_asked: false, ..Self::failed(why) }
    }

    /// Adds a header line. `Cache-Control`, `Expires`, `Age`, `Date` and `Retry-After` count.
    #[must_use]
    pub fn header(self, name: &str, value: &[u8]) -> Self {
        Self { came: self.came.map(|(head, body)| (head.header(name, value), body)), ..self }
    }

    /// Says that the body is not complete: the connection broke, or the client stopped reading.
    #[must_use]
    pub fn broken_off(self) -> Self {
        Self { is_broken_off: true, ..self }
    }

    /// The retrieval that this response makes, with default limits. It took no time; set
    /// [`Retrieval::began`] and [`Retrieval::ended`] for the pace to know how long the server took.
    #[must_use]
    pub fn retrieval(self, origin: &Origin) -> Retrieval {
        let limits = RetrievalLimits { extra_rounds: 0, max_redirects: 0, ..RetrievalLimits::default() };
        // The client chose the address, so none is checked here. This one stands for it, and is not connected to.
        let now = Moment::now();
        let mut machine = Machine::new(origin.clone(), limits, AddressGuard::anything(), now);
        if matches!(machine.step(), Step::Resolve { .. }) {
            machine.on(Event::Resolved(&[IpAddr::V4(Ipv4Addr::LOCALHOST)]), now);
        }
        match self.came {
            Err(why) if self.was_asked => machine.on(Event::Failed(&why), now),
            Err(why) => machine.on(Event::NotAsked(&why), now),
            Ok((head, body)) => {
                machine.on(Event::Head(head), now);
                machine.on(Event::Chunk(&body), now);
                machine.on(if self.is_broken_off { Event::BrokenOff("the client") } else { Event::End }, now);
            }
        }
        let retrieval = machine.into_retrieval(now);
        let attempts = retrieval.attempts.into_iter().map(|attempt| Attempt { address: None, ..attempt }).collect();
        Retrieval { attempts, ..retrieval }
    }
}

/// A retriever that is one closure: an origin goes in, what the caller's own client got comes out.
///
/// ```
/// use robosieve::Agents;
/// use robosieve_gate::{Fetched, FetchWith, Gate, MemoryStore, Moment};
/// let fetch = FetchWith(|origin: &robosieve_gate::Origin| {
///     // your client: GET origin.robots_txt()
///     Fetched::new(200, "User-agent: *\nDisallow: /private\n")
/// });
/// let gate = Gate::new(fetch, MemoryStore::default(), Agents::new(["MyBot"]));
/// assert!(gate.permits("https://example.com/a", Moment::now())?.is_allowed());
/// assert!(!gate.permits("https://example.com/private", Moment::now())?.is_allowed());
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FetchWith<F>(pub F);

impl<F: Fn(&Origin) -> Fetched> Retriever for FetchWith<F> {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        let began = Moment::now();
        let retrieval = (self.0)(origin).retrieval(origin);
        Retrieval { began, ended: Moment::now().max(began), ..retrieval }
    }
}

#[cfg(feature = "async")]
impl<F, Response> AsyncRetriever for F
where
    F: Fn(Origin) -> Response,
    Response: Future<Output = Fetched> + Send,
{
    /// One closure over the caller's own client: an origin goes in, what the client got comes out.
    fn retrieve(&self, origin: &Origin, _: &Validators) -> impl Future<Output = Retrieval> + Send {
        let (origin, came, began) = (origin.clone(), self(origin.clone()), Moment::now());
        async move {
            let retrieval = came.await.retrieval(&origin);
            Retrieval { began, ended: Moment::now().max(began), ..retrieval }
        }
    }
}
