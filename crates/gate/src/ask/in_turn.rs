//! The turns of the requests of one flight: each takes a slot of the lane of its host, and of its address.
//!
//! Invariant: a request has its slots before it is made. The flight's own slot counts for the first request. The other
//! addresses of a host that are tried after a failure are one request of the host's lane, and one each of their own.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::ask::flight::Flight;
use crate::ask::gate_core::GateCore;
use crate::ask::queues::Place;
use crate::keep::store::SiteStore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::pacing::{PaceBy, Pacing};
use crate::pace::slots::NoSlot;
use crate::retrieve::turns::{Request, Turn, Turns};

/// The turns of a flight, over a pointer to its core.
pub(crate) struct InTurn<C> {
    core: C,
    /// When the retrieval begins. Its requests say how much later they are.
    now: Moment,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The lane in which the flight has a slot that is not used yet.
    unused: Option<String>,
    /// The last request's redirects.
    hop: Option<usize>,
    /// The lanes in which this retrieval counts as running.
    places: HashMap<String, Option<Place>>,
}

/// An address may have so many times as many retrievals as a lane, since many sites share one. Our choice: 8.
const SITES_AT_AN_ADDRESS: u32 = 8;

impl<C> InTurn<C> {
    pub(crate) fn new(core: C, flight: &Flight, now: Moment) -> Self {
        let unused = flight.lane().map(str::to_owned);
        let places = unused.iter().map(|lane| (lane.clone(), None)).collect();
        Self { core, now, state: Mutex::new(State { unused, hop: None, places }) }
    }
}

impl<C, S> Turns for InTurn<C>
where
    C: Deref<Target = GateCore<S>>,
    S: SiteStore,
{
    fn turn(&self, request: &Request) -> Turn {
        let Ok(origin) = Origin::of_url(&request.url) else { return Turn::NOW };
        let now = self.now.after(request.after);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.core.turn_of_request(&mut state, &origin, request, now) {
            Ok(turn) => turn,
            Err(NoSlot::Later(until) | NoSlot::InFlight(until) | NoSlot::Crowded(until)) => Turn::NotBefore(until),
            // The lane is not known, so nothing is requested.
            Err(NoSlot::Store(_)) => Turn::NotBefore(now.after(GateCore::<S>::HOLD_OFF)),
        }
    }

    fn blocks(&self) -> bool {
        self.core.store().blocks()
    }
}

impl<S: SiteStore> GateCore<S> {
    /// The turns of a flight's requests, for
    /// [`Retriever::retrieve_in_turn`](crate::retrieve::Retriever::retrieve_in_turn). `now` is when its first request
    /// may be made.
    pub fn turns<'g>(&'g self, flight: &Flight, now: Moment) -> impl Turns + 'g {
        InTurn::new(self, flight, now)
    }

    fn turn_of_request(
        &self,
        state: &mut State,
        origin: &Origin,
        request: &Request,
        now: Moment,
    ) -> Result<Turn, NoSlot> {
        let (pace, lanes) = (self.pace_of(origin), self.store().lanes());
        let by_address = pace.pacing().by == PaceBy::Address;
        let lane = pace.lane_of(origin, request.address);
        let asked = self.asked_by(origin);
        let interval = pace.pacing().interval(&asked, now);
        let is_first = request.hop == 0 && state.unused.take().is_some_and(|unused| unused == lane);
        let takes = !is_first && (by_address || state.hop != Some(request.hop));
        if let Some(until) = self.enter(state, (&lane, pace.pacing(), 1), interval, now) {
            return Ok(Turn::NotBefore(until));
        }
        let mut start = now;
        if let Some(name) = request.address.and_then(|address| pace.lane_at(address)) {
            let gap = pace.pacing().address_gap;
            if let Some(until) = self.enter(state, (&name, pace.pacing(), SITES_AT_AN_ADDRESS), gap, now) {
                return Ok(Turn::NotBefore(until));
            }
            match pace.turn_at(lanes, &name, (now, now))? {
                Err(free) => return Ok(Turn::NotBefore(self.queues().promise(&name, free, gap, now))),
                Ok(slot) => start = slot,
            }
        }
        if takes {
            match pace.turn(lanes, &lane, &asked, (start, now))? {
                Err(free) => return Ok(Turn::NotBefore(self.queues().promise(&lane, free, interval, now))),
                Ok(slot) => start = slot,
            }
        } else if start > now {
            pace.moved(lanes, &lane, &asked, (start, now))?;
        }
        state.hop = Some(request.hop);
        Ok(Turn::After(start.since(now)))
    }

    /// Takes a place among the retrievals of a lane, or says when to come again.
    fn enter(
        &self,
        state: &mut State,
        (lane, pacing, times): (&str, &Pacing, u32),
        gap: Duration,
        now: Moment,
    ) -> Option<Moment> {
        if state.places.contains_key(lane) {
            return None;
        }
        match self.queues().enter(lane, pacing.robots_txt_in_flight.saturating_mul(times)) {
            Some(place) => {
                state.places.insert(lane.to_owned(), Some(place));
                None
            }
            None => Some(self.queues().promise(lane, now.after(gap), gap, now)),
        }
    }
}
