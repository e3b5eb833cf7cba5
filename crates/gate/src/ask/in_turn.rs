//! The turns of the requests of one flight: each takes a slot of the lane of its host, and of its address.
//!
//! Invariant: a request takes its slots at the moment when it is made, of both lanes or of none. So a wait for one lane
//! moves no request into a slot of the other that somebody has. The flight's own slot counts for the first request. The
//! other addresses of a host that are tried after a failure are one request of the host's lane, and one each of their
//! own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ask::flight::Flight;
use crate::ask::gate_core::GateCore;
use crate::ask::queues::Place;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::lane::Lane;
use crate::pace::pacing::{PaceBy, Pacing};
use crate::pace::slots::NoSlot;
use crate::retrieve::retriever::{Request, Turn, Turns};

/// The turns of a flight.
struct InTurn {
    core: Arc<GateCore>,
    /// When the retrieval begins. Its requests say how much later they are.
    now: Moment,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The lane in which the flight has a slot that is not used yet, and the slot.
    unused: Option<(String, Moment)>,
    /// The last request's redirects.
    hop: Option<usize>,
    /// When the request that has no turn yet asked first.
    waits_since: Option<Moment>,
    /// The lanes in which this retrieval counts as running.
    places: HashMap<String, Option<Place>>,
}

/// An address may have so many times as many retrievals as a lane, since many sites share one. Our choice: 8.
const SITES_AT_AN_ADDRESS: u32 = 8;

impl InTurn {
    fn new(core: Arc<GateCore>, flight: &Flight, now: Moment) -> Self {
        let unused = flight.lane().map(|lane| (lane.to_owned(), flight.starts_at().unwrap_or(now)));
        let places = unused.iter().map(|(lane, _)| (lane.clone(), None)).collect();
        Self { core, now, state: Mutex::new(State { unused, places, ..State::default() }) }
    }
}

impl Turns for InTurn {
    fn turn(&self, request: &Request) -> Turn {
        let Ok(origin) = Origin::of_url(&request.url) else { return Turn::Now };
        let now = self.now.after(request.after);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.core.turn_of_request(&mut state, &origin, request, now) {
            Ok(turn) => turn,
            Err(NoSlot::Later(until) | NoSlot::InFlight(until) | NoSlot::Crowded(until)) => Turn::NotBefore(until),
            // The lane is not known, so nothing is requested.
            Err(NoSlot::Store(_)) => Turn::NotBefore(now.after(GateCore::HOLD_OFF)),
        }
    }

    fn blocks(&self) -> bool {
        self.core.store().blocks()
    }
}

impl GateCore {
    /// The turns of a flight's requests, for
    /// [`Retriever::retrieve_in_turn`](crate::retrieve::Retriever::retrieve_in_turn). `now` is when its first request
    /// may be made.
    #[must_use]
    pub fn turns(self: &Arc<Self>, flight: &Flight, now: Moment) -> Arc<dyn Turns> {
        Arc::new(InTurn::new(Arc::clone(self), flight, now))
    }

    fn turn_of_request(
        &self,
        state: &mut State,
        origin: &Origin,
        request: &Request,
        now: Moment,
    ) -> Result<Turn, NoSlot> {
        let (pace, lanes) = (self.pace(), self.store().lanes());
        let here = pace.at(lanes, now);
        let by_address = pace.pacing().by == PaceBy::Address;
        let lane = pace.lane_of(origin, request.address);
        let asked = self.asked_by(origin);
        let interval = pace.pacing().interval(&asked, now);
        // A slot of another lane is not for this request, nor one for the requests after it.
        state.unused.take_if(|(unused, _)| request.hop > 0 || *unused != lane);
        let since = *state.waits_since.get_or_insert(now);
        let comes_again = since < now;
        // What comes later than this is another retrieval.
        let longest = since.after(pace.pacing().robots_txt_wait);
        let later = |name: &str, free: Moment, gap: Duration| {
            // Who comes when it was promised, and finds the lane a little late, keeps its place.
            let is_near = comes_again && free.since(now) < gap;
            let until = if is_near { free } else { self.queues().promise(name, free, gap, now) };
            if until > longest { Turn::NotBefore(until) } else { Turn::Again(until.since(now)) }
        };
        if let Some(until) = self.enter(state, (&lane, pace.pacing(), 1), interval, now) {
            return Ok(Turn::NotBefore(until));
        }
        here.expect_unheld(origin)?;
        if let Some(address) = request.address {
            here.join(&lane, address)?;
        }
        let takes = state.unused.is_none() && (by_address || state.hop != Some(request.hop));
        if takes
            && let [free] = pace.next_free(lanes, [lane.as_str()], now)?[..]
            && free > now
        {
            return Ok(later(&lane, free, interval));
        }
        let address = request.address.and_then(|address| pace.lane_at(address));
        if let Some(name) = &address {
            let gap = pace.pacing().address_gap;
            if let Some(until) = self.enter(state, (name, pace.pacing(), SITES_AT_AN_ADDRESS), gap, now) {
                return Ok(Turn::NotBefore(until));
            }
            if let Err(free) = here.go_at(name)? {
                let turn = later(name, free, gap);
                if let (Turn::Again(wait), Some((_, slot))) = (turn, &mut state.unused) {
                    // The slot waits, too, or is lost to those who have the ones after it.
                    let until = now.after(wait);
                    match here.late(&lane, &asked, (*slot, until))? {
                        Ok(()) => *slot = until,
                        Err(_) => state.unused = None,
                    }
                }
                return Ok(turn);
            }
        }
        let goes = match &state.unused {
            // In time, the slot is as it was taken.
            Some((_, slot)) if now.since(*slot) <= Lane::tolerance(interval) => Ok(()),
            Some((_, slot)) => here.late(&lane, &asked, (*slot, now))?,
            None if takes => here.go(&lane, &asked)?,
            None => Ok(()),
        };
        if let Err(free) = goes {
            state.unused = None;
            if let Some(name) = &address {
                here.stay_at(name)?;
            }
            return Ok(later(&lane, free, interval));
        }
        *state = State { hop: Some(request.hop), places: std::mem::take(&mut state.places), ..State::default() };
        Ok(Turn::Now)
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
