//! Where lanes are kept: in memory, or in a store that several programs share.
//!
//! Invariant: a change of a lane is one step, which no other change of it can come between. In memory, a lane is
//! removed only if its slot is in the past and no request of it runs, so the limit on lanes never shortens an interval.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::moment::Moment;
use crate::pace::lane::Lane;
use crate::store_error::StoreError;

/// Keeps lanes, each under its name.
pub trait Lanes {
    /// Changes a lane in one step. `change` gets the lane, or [`Lane::default`] if it is new, and the moment: `now`, or
    /// later by as long as this call waited for others. It may be called more than once: its last call counts.
    ///
    /// # Errors
    /// If the lane can't be read or written, or if there is no room for a new one. It is not changed then.
    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError>;

    /// A lane as it is, or [`Lane::default`] if it is not known. Nothing is changed.
    ///
    /// # Errors
    /// If the lane can't be read.
    fn get(&self, name: &str, now: Moment) -> Result<Lane, LaneError> {
        let mut found = Lane::default();
        self.change(name, now, &mut |lane, _| found.clone_from(lane))?;
        Ok(found)
    }
}

/// The callback of [`Lanes::change`].
pub type Change<'c> = dyn FnMut(&mut Lane, Moment) + 'c;

/// Why a lane can't be changed.
#[derive(Debug)]
pub enum LaneError {
    /// The store failed.
    Store(StoreError),
    /// Too many lanes have slots in the future: when one of them will not have.
    Crowded(Moment),
}

impl fmt::Display for LaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Crowded(until) => write!(f, "too many lanes have slots in the future; try again at {until}"),
        }
    }
}

impl std::error::Error for LaneError {}

impl From<StoreError> for LaneError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Lanes in memory, a limited number of them.
#[derive(Debug)]
pub(crate) struct MemoryLanes {
    most: usize,
    lanes: Mutex<Kept>,
}

/// A lane, and the slot for which it is listed. That is its next one or an earlier one: a slot that moves on is listed
/// anew only when room is needed, so that a request costs no sorting.
#[derive(Debug)]
struct Listed {
    lane: Lane,
    under: Moment,
}

#[derive(Debug, Default)]
struct Kept {
    by_name: HashMap<Arc<str>, Listed>,
    /// The same lanes, sorted by the slot for which they are listed.
    by_slot: BTreeSet<(Moment, Arc<str>)>,
}

impl MemoryLanes {
    /// For at most so many lanes, and one at least.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), lanes: Mutex::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().by_name.len()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lanes for MemoryLanes {
    fn get(&self, name: &str, _: Moment) -> Result<Lane, LaneError> {
        Ok(self.lock().by_name.get(name).map(|listed| listed.lane.clone()).unwrap_or_default())
    }

    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError> {
        let mut kept = self.lock();
        let kept = &mut *kept;
        if let Some(listed) = kept.by_name.get_mut(name) {
            change(&mut listed.lane, now);
            // A slot that was given back is earlier.
            if busy_until(&listed.lane) < listed.under {
                kept.list(name);
            }
            return Ok(());
        }
        let (name, mut lane) = (Arc::<str>::from(name), Lane::default());
        change(&mut lane, now);
        if lane.is_idle(now) {
            return Ok(());
        }
        kept.make_room(self.most, now)?;
        let under = busy_until(&lane);
        kept.by_slot.insert((under, Arc::clone(&name)));
        kept.by_name.insert(name, Listed { lane, under });
        Ok(())
    }
}

/// Until when the lane must be kept. A request that runs is there at least until its own slot, and its lease is the
/// reason not to remove the lane: its end is reported, or it blocks nobody after it.
fn busy_until(lane: &Lane) -> Moment {
    lane.in_flight.iter().copied().max().map_or(lane.free, |last| last.max(lane.free))
}

impl Kept {
    /// Lists a lane for its next slot.
    fn list(&mut self, name: &str) {
        let Some(name) = self.by_name.get_key_value(name).map(|(name, _)| Arc::clone(name)) else { return };
        let Some(listed) = self.by_name.get_mut(&name) else { return };
        self.by_slot.remove(&(listed.under, Arc::clone(&name)));
        listed.under = busy_until(&listed.lane);
        self.by_slot.insert((listed.under, name));
    }

    fn make_room(&mut self, most: usize, now: Moment) -> Result<(), LaneError> {
        while self.by_name.len() >= most
            && let Some((under, name)) = self.by_slot.first().cloned()
        {
            match self.by_name.get(&name).map(|listed| busy_until(&listed.lane)) {
                Some(until) if until > under => self.list(&name),
                Some(until) if until > now => return Err(LaneError::Crowded(until)),
                _ => {
                    self.by_name.remove(&name);
                    self.by_slot.pop_first();
                }
            }
        }
        Ok(())
    }
}
