//! A retrieval whose requests the caller makes, one step at a time: for clients that no closure can hold.
//!
//! Invariant: it means what [`FetchWith`](crate::retrieve::FetchWith) means with the same responses. Each request has
//! its turn, and is named once. Dropped before its end, it gives the right to retrieve to the next caller.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::ask::answer::GateError;
use crate::ask::flight::Flight;
use crate::ask::gate_core::GateCore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::drive::LONGEST_WAIT;
use crate::retrieve::fetched::Fetched;
use crate::retrieve::follow::Then;
use crate::retrieve::retriever::{Request, Turn, Turns};

/// What the caller does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Make this request after a wait, follow no redirect, and call [`Errand::came`] with the response.
    Request {
        /// What to request.
        request: Box<Request>,
        /// How long to wait first: the slot is the request's.
        wait: Duration,
    },
    /// Wait so long, then call [`Errand::step`] again.
    Wait(Duration),
    /// Nothing: the gate has learnt what came. Ask it again.
    Done,
}

/// A flight and its retrieval.
///
/// ```
/// use std::sync::Arc;
/// use robosieve::agent::Agents;
/// use robosieve_gate::ask::{Errand, Todo};
/// use robosieve_gate::retrieve::Fetched;
/// use robosieve_gate::{GateCore, MemoryStore, Moment, Next};
///
/// let core = Arc::new(GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])));
/// let (url, now) = ("https://example.com/a", Moment::now());
/// let Next::Retrieve(flight) = core.ask_permission(url, now)? else { panic!() };
/// let mut errand = Errand::new(&core, flight, now);
/// while let Todo::Request { request, wait } = errand.step(now)? {
///     // Here your client waits, and requests it.
///     assert_eq!((request.url.as_str(), wait.is_zero()), ("https://example.com/robots.txt", true));
///     errand.came(Fetched::new(404, ""), now);
/// }
/// assert!(matches!(core.ask_permission(url, now)?, Next::Answer(answer) if answer.is_allowed()));
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
pub struct Errand {
    core: Arc<GateCore>,
    /// When its first request may be made.
    begins: Moment,
    /// When it goes on, if a request has to ask again for its turn.
    goes_on: Moment,
    under_way: Option<UnderWay>,
}

struct UnderWay {
    flight: Flight,
    then: Then,
    turns: Arc<dyn Turns>,
    /// When the caller may make the request, if it has its turn.
    asked: Option<Moment>,
}

impl Errand {
    /// Begins the retrieval that a flight is for, with the limits and the guard of the core.
    #[must_use]
    pub fn new(core: &Arc<GateCore>, flight: Flight, now: Moment) -> Self {
        let begins = flight.starts_at().map_or(now, |slot| slot.max(now));
        let then = core.begin(&flight, begins);
        let turns = core.turns(&flight, begins);
        let under_way = Some(UnderWay { flight, then, turns, asked: None });
        Self { core: Arc::clone(core), begins, goes_on: now, under_way }
    }

    /// The origin whose robots.txt is retrieved; `None` after its end.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.under_way.as_ref().map(|under_way| under_way.flight.origin())
    }

    /// What to do next. At the end, the core learns what came.
    ///
    /// # Errors
    /// As for [`GateCore::learn`]. The retrieval has ended then, too.
    pub fn step(&mut self, now: Moment) -> Result<Todo, GateError> {
        if now < self.goes_on {
            return Ok(Todo::Wait(self.goes_on.since(now)));
        }
        let early = now;
        let now = now.max(self.begins);
        let Some(under_way) = &mut self.under_way else { return Ok(Todo::Done) };
        let put_off = match &mut under_way.then {
            Then::Done(_) => None,
            Then::Request(_, request) if let Some(start) = under_way.asked => {
                return Ok(Todo::Request { request: Box::new(request.clone()), wait: start.since(early) });
            }
            Then::Request(follow, request) => {
                request.after = follow.after(now);
                match under_way.turns.turn(request) {
                    Turn::Now => {
                        under_way.asked = Some(now);
                        return Ok(Todo::Request { request: Box::new(request.clone()), wait: now.since(early) });
                    }
                    Turn::Again(wait) if follow.waited().saturating_add(wait) <= LONGEST_WAIT => {
                        follow.wait(request, wait);
                        self.goes_on = now.after(wait);
                        return Ok(Todo::Wait(self.goes_on.since(early)));
                    }
                    Turn::Again(wait) => Some(now.after(wait)),
                    Turn::NotBefore(until) => Some(until),
                }
            }
        };
        let Some(UnderWay { flight, then, turns, .. }) = self.under_way.take() else { return Ok(Todo::Done) };
        drop(turns);
        let retrieval = match then {
            Then::Done(retrieval) => *retrieval,
            Then::Request(follow, _) => follow.put_off(put_off.unwrap_or(now), now),
        };
        self.core.learn(flight.origin(), retrieval, now)?;
        Ok(Todo::Done)
    }

    /// Takes in what the request brought. Without a request that was named by [`Errand::step`], nothing happens.
    pub fn came(&mut self, fetched: Fetched, now: Moment) {
        if let Some(mut under_way) = self.under_way.take() {
            if under_way.asked.take().is_some()
                && let Then::Request(follow, _) = under_way.then
            {
                under_way.then = follow.came(fetched, now.max(self.begins));
            }
            self.under_way = Some(under_way);
        }
    }
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.under_way.as_ref().map(|under_way| under_way.flight.origin().to_string());
        f.debug_struct("Errand").field("origin", &origin).finish_non_exhaustive()
    }
}
