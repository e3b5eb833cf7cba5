//! Where lanes are kept: in memory, or in a store that several programs share.
//!
//! Invariant: a change of a lane is one step, which no other change of it can come between. In memory, a lane is
//! removed only if its slot is in the past and no request of it runs, so the limit on lanes never shortens an interval.
//! No domain and no network has more than its share of the lanes.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use url::Host;

use crate::moment::Moment;
use crate::origin::inner;
use crate::pace::lane::Lane;
use crate::pace::pacing::{Pacing, host_name};
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

    /// Until when a host holds its lane, if it does.
    ///
    /// # Errors
    /// If the lane can't be read.
    fn held(&self, host: &Host<String>, now: Moment) -> Result<Option<Moment>, LaneError> {
        let of = |name: &String| Ok::<_, LaneError>(self.get(name, now)?.held(&Pacing::default(), now));
        names_of(host).iter().map(of).try_fold(None, |last, held| Ok(held?.max(last)))
    }

    /// Lifts the hold of a host, and returns whether there was one. Its pace stays.
    ///
    /// # Errors
    /// If the lane can't be changed.
    fn lift(&self, host: &Host<String>, now: Moment) -> Result<bool, LaneError> {
        let mut was_held = false;
        for name in names_of(host) {
            // Only read first: what is not there is not written.
            if self.get(&name, now)?.held.is_some() {
                self.change(&name, now, &mut |lane, now| {
                    was_held |= lane.held.take().is_some_and(|hold| hold.until > now);
                })?;
            }
        }
        Ok(was_held)
    }

    /// Lifts all holds. Lanes that can't be listed keep theirs.
    ///
    /// # Errors
    /// If the lanes can't be changed.
    fn lift_all(&self) -> Result<(), LaneError> {
        Ok(())
    }
}

/// The lane of a host's hold, where its requests are in one with others.
pub(crate) fn hold_of(host: &Host<String>) -> String {
    format!("{HOLD}{}", host_name(host))
}

const HOLD: &str = "hold ";

/// What the lane of requests for robots.txt to an address begins with.
pub(crate) const ROBOTS_TXT: &str = "robots.txt ";

/// Where the hold of a host can be.
fn names_of(host: &Host<String>) -> [String; 2] {
    [host_name(host), hold_of(host)]
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
    /// What it is counted with: all lanes, its domain or network, and the network of its address if that is known.
    groups: Vec<Arc<str>>,
}

#[derive(Debug, Default)]
struct Kept {
    by_name: HashMap<Arc<str>, Listed>,
    /// The same lanes, by group, sorted by the slot for which they are listed.
    by_group: HashMap<Arc<str>, BTreeSet<(Moment, Arc<str>)>>,
}

/// The group of all lanes.
const ALL: &str = "";

/// A group may have this part of the lanes. Our choice: a sixteenth, 6,250 by default.
const SHARE: usize = 16;

/// A group may have so many lanes in any case.
const LEAST_SHARE: usize = 64;

impl MemoryLanes {
    /// For at most so many lanes, and one at least.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), lanes: Mutex::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().by_name.len()
    }

    /// Counts a lane with the network of its address too, if there is room. Otherwise says when there is.
    pub(crate) fn join(&self, name: &str, address: IpAddr, now: Moment) -> Result<(), LaneError> {
        let (mut kept, group) = (self.lock(), Arc::<str>::from(network_around(address)));
        let is_counted = |listed: &Listed| listed.groups.len() > 2 || listed.groups.contains(&group);
        if kept.by_name.get(name).is_none_or(is_counted) {
            return Ok(());
        }
        kept.make_room(&group, self.most_of(&group), now)?;
        let Some((name, _)) = kept.by_name.get_key_value(name) else { return Ok(()) };
        let name = Arc::clone(name);
        if let Some(listed) = kept.by_name.get_mut(&name) {
            listed.groups.push(Arc::clone(&group));
        }
        kept.list(&name);
        Ok(())
    }

    fn most_of(&self, group: &str) -> usize {
        if group == ALL { self.most } else { self.most.checked_div(SHARE).unwrap_or(0).max(LEAST_SHARE) }
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
        if let Some(listed) = kept.by_name.get_mut(name) {
            change(&mut listed.lane, now);
            // A slot that was given back is earlier.
            if busy_until(&listed.lane) < listed.under {
                kept.list(name);
            }
            return Ok(());
        }
        let mut lane = Lane::default();
        change(&mut lane, now);
        if lane == Lane::default() {
            return Ok(());
        }
        let (name, groups) = (Arc::<str>::from(name), vec![Arc::from(ALL), Arc::from(group_of(name))]);
        groups.iter().try_for_each(|group| kept.make_room(group, self.most_of(group), now))?;
        kept.by_name.insert(Arc::clone(&name), Listed { under: busy_until(&lane), lane, groups });
        kept.list(&name);
        Ok(())
    }

    fn lift_all(&self) -> Result<(), LaneError> {
        self.lock().by_name.values_mut().for_each(|listed| listed.lane.held = None);
        Ok(())
    }
}

/// Until when the lane must be kept. A request that runs is there at least until its own slot, and its lease is the
/// reason not to remove the lane: its end is reported, or it blocks nobody after it. A hold is no reason after it was
/// said.
fn busy_until(lane: &Lane) -> Moment {
    let held = lane.held.map(|hold| hold.since);
    lane.in_flight.iter().copied().chain(held).fold(lane.free, Moment::max)
}

/// The registered domain of a lane, or its network.
fn group_of(name: &str) -> String {
    let name = [ROBOTS_TXT, HOLD].iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name);
    let address = name.split('/').next().unwrap_or(name).trim_matches(['[', ']']);
    address.parse().map_or_else(|_| psl::domain_str(name).unwrap_or(name).to_owned(), network_around)
}

/// Who can have an address and its neighbours: of IPv6 a site's /48 (RFC 6177), which is 65,536 networks.
fn network_around(address: IpAddr) -> String {
    match inner(address) {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    }
}

impl Kept {
    /// Lists a lane for its next slot, in all its groups.
    fn list(&mut self, name: &str) {
        let Some((name, _)) = self.by_name.get_key_value(name) else { return };
        let name = Arc::clone(name);
        let Some(listed) = self.by_name.get_mut(&name) else { return };
        let (before, under) = (listed.under, busy_until(&listed.lane));
        listed.under = under;
        for group in &listed.groups {
            let lanes = self.by_group.entry(Arc::clone(group)).or_default();
            lanes.remove(&(before, Arc::clone(&name)));
            lanes.insert((under, Arc::clone(&name)));
        }
    }

    fn remove(&mut self, name: &Arc<str>) {
        let Some(listed) = self.by_name.remove(name) else { return };
        for group in &listed.groups {
            if let Some(lanes) = self.by_group.get_mut(group) {
                lanes.remove(&(listed.under, Arc::clone(name)));
                if lanes.is_empty() {
                    self.by_group.remove(group);
                }
            }
        }
    }

    fn make_room(&mut self, group: &str, most: usize, now: Moment) -> Result<(), LaneError> {
        while let Some(lanes) = self.by_group.get(group).filter(|lanes| lanes.len() >= most)
            && let Some((under, name)) = lanes.first().cloned()
        {
            match self.by_name.get(&name).map(|listed| busy_until(&listed.lane)) {
                Some(until) if until > under => self.list(&name),
                Some(until) if until > now => return Err(LaneError::Crowded(until)),
                _ => self.remove(&name),
            }
        }
        Ok(())
    }
}
