//! The turns of the requests of one flight: each takes a slot of the lane of its host.
//!
//! Invariant: the flight's own slot counts for the first request. The other addresses of a host that are tried after a
//! failure are one request of its lane. A redirect's slot is reserved when the redirect is seen.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ask::flight::Flight;
use crate::ask::gate_core::GateCore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retriever::{Request, Turn, Turns};

/// The turns of a flight.
struct InTurn {
    core: Arc<GateCore>,
    /// When the retrieval begins. Its requests say how much later they are.
    now: Moment,
    state: Mutex<State>,
}

struct State {
    /// The number of redirects before the last request.
    hop: usize,
    /// The slot of the next one, if it is reserved.
    reserved: Option<(usize, Moment)>,
}

impl Turns for InTurn {
    fn turn(&self, request: &Request) -> Turn {
        let Ok(origin) = Origin::of_url(&request.url) else { return Turn::Now };
        let now = self.now.after(request.after);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.hop == request.hop {
            return Turn::Now;
        }
        let reserved = state.reserved.filter(|(hop, _)| *hop == request.hop).map(|(_, slot)| slot);
        let slot = match reserved.map_or_else(|| self.core.slot_for_robots_txt(&origin, now), |slot| Ok(Ok(slot))) {
            Ok(Ok(slot)) => slot,
            Ok(Err((until, _))) => return Turn::NotBefore(until),
            // The lane is not known, so nothing is requested.
            Err(_) => return Turn::NotBefore(now.after(GateCore::HOLD_OFF)),
        };
        if slot > now {
            state.reserved = Some((request.hop, slot));
            return Turn::Again(slot.since(now));
        }
        *state = State { hop: request.hop, reserved: None };
        Turn::Now
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
        let now = flight.starts_at().map_or(now, |slot| slot.max(now));
        Arc::new(InTurn { core: Arc::clone(self), now, state: Mutex::new(State { hop: 0, reserved: None }) })
    }
}
