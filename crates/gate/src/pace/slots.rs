//! The pace of requests: the slots of each lane.
//!
//! Invariant: all slots of a lane are taken with one change of its state, in memory or in the store that programs
//! share. So two requests of a lane are never closer than its interval, with any number of threads and programs.
//!
//! This is the cell rate algorithm with a burst of one. It is our own code. The crate `governor` fixes the interval
//! when a limiter is made, but a site's interval changes with its file and its answers. It reads a clock of its own, or
//! one for all threads. It refuses a request that is too early, but here the caller can get a slot in the future, so a
//! caller that waits need not compete again.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::lane::{Busy, Lane};
use crate::pace::lanes::{LaneError, Lanes, MemoryLanes, ROBOTS_TXT, hold_of};
use crate::pace::pacing::{Asked, OverMax, PaceBy, Pacing, Page, network_of};
use crate::store_error::StoreError;

/// Why there is no slot.
#[derive(Debug)]
pub enum NoSlot {
    /// The lane's next slot is then, which is too late.
    Later(Moment),
    /// As many requests of the lane as allowed are running. Look again then.
    InFlight(Moment),
    /// Too many other lanes have slots in the future. One of them has none then.
    Crowded(Moment),
    /// The store failed.
    Store(StoreError),
}

impl fmt::Display for NoSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Later(until) => write!(f, "the next slot is free at {until}"),
            Self::InFlight(until) => write!(f, "as many requests as allowed are running; try again at {until}"),
            Self::Crowded(until) => LaneError::Crowded(*until).fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoSlot {}

impl From<Busy> for NoSlot {
    fn from(busy: Busy) -> Self {
        match busy {
            Busy::Slot(until) => Self::Later(until),
            Busy::InFlight(until) => Self::InFlight(until),
        }
    }
}

impl From<LaneError> for NoSlot {
    fn from(error: LaneError) -> Self {
        match error {
            LaneError::Store(error) => Self::Store(error),
            LaneError::Crowded(until) => Self::Crowded(until),
        }
    }
}

/// The name of a lane for an origin; `None` if the options decide.
pub(crate) type LaneName = Arc<dyn Fn(&Origin) -> Option<String> + Send + Sync>;

/// Gives each request the next free slot of its lane.
///
/// The lanes are in memory, or in a store if it has lanes of its own.
pub struct Pace {
    pacing: Pacing,
    /// The pacing that lanes are changed with. It is that of several hosts ([`PaceBy::Address`]) where the caller names
    /// the lanes, since then no lane is one host's.
    in_lane: Pacing,
    names: Option<LaneName>,
    memory: Arc<MemoryLanes>,
}

impl Default for Pace {
    fn default() -> Self {
        Self::new(Pacing::default())
    }
}

impl fmt::Debug for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace").field("pacing", &self.pacing).field("lanes", &self.memory.len()).finish_non_exhaustive()
    }
}

impl Pace {
    /// Creates a pace without lanes.
    #[must_use]
    pub fn new(pacing: Pacing) -> Self {
        Self { pacing, in_lane: pacing, names: None, memory: Arc::new(MemoryLanes::new(pacing.max_hosts)) }
    }

    /// Names the lanes: origins with one name share a pace. Where it returns `None`, [`Pacing::by`] decides.
    #[must_use]
    pub fn lanes_by(self, name: impl Fn(&Origin) -> Option<String> + Send + Sync + 'static) -> Self {
        let in_lane = Pacing { by: PaceBy::Address, ..self.pacing };
        Self { names: Some(Arc::new(name)), in_lane, ..self }
    }

    /// The same lanes, for hosts with other pacing. [`Pacing::max_hosts`] and [`Pacing::by`] stay as they are.
    #[must_use]
    pub fn with_pacing(&self, pacing: Pacing) -> Self {
        let pacing = Pacing { by: self.pacing.by, max_hosts: self.pacing.max_hosts, ..pacing };
        let in_lane = Pacing { by: self.in_lane.by, ..pacing };
        Self { pacing, in_lane, names: self.names.clone(), memory: Arc::clone(&self.memory) }
    }

    /// How requests are paced.
    #[must_use]
    pub const fn pacing(&self) -> &Pacing {
        &self.pacing
    }

    /// The name of an origin's lane. The address is that of its server, if it is known.
    #[must_use]
    pub fn lane_of(&self, origin: &Origin, address: Option<IpAddr>) -> String {
        let named = self.names.as_ref().and_then(|name| name(origin));
        named.unwrap_or_else(|| self.pacing.by.lane(origin, address))
    }

    /// The number of lanes in memory.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.memory.len()
    }

    /// Takes the next slot of a lane, and returns the wait until then.
    ///
    /// ```
    /// use std::time::Duration;
    /// use robosieve_gate::Moment;
    /// use robosieve_gate::pace::{Asked, Pace, Pacing};
    /// let (pace, now) = (Pace::new(Pacing::default()), Moment::from_millis(0));
    /// assert_eq!(pace.take(None, "example.com", &Asked::default(), now).ok(), Some(Duration::ZERO));
    /// assert_eq!(pace.take(None, "example.com", &Asked::default(), now).ok(), Some(Duration::from_secs(1)));
    /// ```
    ///
    /// # Errors
    /// If the wait would be longer than [`Pacing::max_wait`], or too many requests or lanes are busy, or the store
    /// fails. `lanes` are the store's; `None` are those in memory.
    pub fn take(&self, lanes: Option<&dyn Lanes>, lane: &str, asked: &Asked, now: Moment) -> Result<Duration, NoSlot> {
        if self.pacing.over_max == OverMax::HandOver && self.pacing.over_max(asked, now).is_some() {
            // A frontier keeps the URL until then, not a slot.
            return self.start(lanes, lane, asked, now).map(|()| Duration::ZERO);
        }
        let asked = self.pacing.interval(asked, now);
        self.at(lanes, now).change(lane, |lane, now| lane.take(&self.in_lane, asked, now).map_err(NoSlot::from))?
    }

    /// Starts a request now, if the lane's slot is free. Nothing is taken otherwise, so whoever asks late can't cause a
    /// burst.
    ///
    /// # Errors
    /// As for [`Pace::take`]. [`NoSlot::Later`] says when the slot is free.
    pub fn start(&self, lanes: Option<&dyn Lanes>, lane: &str, asked: &Asked, now: Moment) -> Result<(), NoSlot> {
        let asked = self.pacing.interval(asked, now);
        self.at(lanes, now).change(lane, |lane, now| lane.start(&self.in_lane, asked, now).map_err(NoSlot::from))?
    }

    /// When the next request of each lane can start: now, or later. For a frontier that chooses among hosts; nothing is
    /// taken, so another thread or program may have the slot first.
    ///
    /// ```
    /// use robosieve_gate::Moment;
    /// use robosieve_gate::pace::{Asked, Pace, Pacing};
    /// let (pace, now) = (Pace::new(Pacing::default()), Moment::from_millis(0));
    /// pace.start(None, "a.example", &Asked::default(), now)?;
    /// let free = pace.next_free(None, ["a.example", "b.example"], now)?;
    /// assert_eq!(free, [Moment::from_millis(1_000), now]);
    /// # Ok::<(), robosieve_gate::pace::NoSlot>(())
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub fn next_free<'l>(
        &self,
        lanes: Option<&dyn Lanes>,
        names: impl IntoIterator<Item = &'l str>,
        now: Moment,
    ) -> Result<Vec<Moment>, NoSlot> {
        let lanes = self.kept(lanes);
        names.into_iter().map(|name| Ok(lanes.get(name, now)?.next(&self.in_lane, now))).collect()
    }

    /// The pace of an address. What counts pages is not for requests that are no pages.
    fn at_address(&self) -> Pacing {
        let gap = self.pacing.address_gap;
        Pacing { default: gap, min: gap, from_end: false, max_in_flight: None, adaptive: None, ..self.pacing }
    }

    /// The lane of the requests for robots.txt to an address. `None`: it has none of its own.
    pub(crate) fn lane_at(&self, address: IpAddr) -> Option<String> {
        let is_own = self.pacing.by != PaceBy::Address && !self.pacing.address_gap.is_zero();
        is_own.then(|| format!("{ROBOTS_TXT}{}", network_of(address)))
    }

    /// The store's lanes, or those in memory.
    pub(crate) fn kept<'l>(&'l self, lanes: Option<&'l dyn Lanes>) -> &'l dyn Lanes {
        lanes.unwrap_or(self.memory.as_ref())
    }

    /// Takes in how a request ended: each response time counts for a quarter of the smoothed time, 429 and 503 double
    /// the interval and others halve it again, and one request fewer is running. A lane without requests is not made.
    ///
    /// # Errors
    /// If the store fails, or too many lanes are busy.
    pub fn observe(&self, lanes: Option<&dyn Lanes>, lane: &str, page: &Page, now: Moment) -> Result<(), NoSlot> {
        self.at(lanes, now).change(lane, |lane, now| lane.observe(&self.in_lane, page, now))
    }

    /// Gives a slot back that was taken and not used.
    ///
    /// # Errors
    /// If the store fails, or too many lanes are busy.
    pub fn give_back(&self, lanes: Option<&dyn Lanes>, lane: &str, slot: Moment, now: Moment) -> Result<(), NoSlot> {
        self.at(lanes, now).change(lane, |lane, now| lane.give_back(&self.in_lane, slot, now))
    }

    /// The lanes of the store, or those in memory if there are none, at a moment.
    pub(crate) const fn at<'p>(&'p self, lanes: Option<&'p dyn Lanes>, now: Moment) -> Here<'p> {
        Here { pace: self, lanes, now }
    }
}

/// A pace, with the lanes that it changes, at a moment.
#[derive(Clone, Copy)]
pub(crate) struct Here<'p> {
    pace: &'p Pace,
    /// The store's.
    lanes: Option<&'p dyn Lanes>,
    now: Moment,
}

impl<'p> Here<'p> {
    fn kept(&self) -> &'p dyn Lanes {
        self.pace.kept(self.lanes)
    }

    /// The slot of a request for robots.txt, if one is free soon; otherwise the moment when one is.
    pub(crate) fn turn(&self, lane: &str, asked: &Asked) -> Result<Result<Moment, Moment>, NoSlot> {
        let asked = self.pace.pacing.interval(asked, self.now);
        self.change(lane, |lane, now| lane.turn(&self.pace.in_lane, asked, now))
    }

    /// Takes the slot of a request for robots.txt that is made now, if the lane is free; otherwise says when it is.
    pub(crate) fn go(&self, lane: &str, asked: &Asked) -> Result<Result<(), Moment>, NoSlot> {
        let asked = self.pace.pacing.interval(asked, self.now);
        self.change(lane, |lane, now| lane.go(&self.pace.in_lane, asked, now))
    }

    /// The same for the lane of an address: [`Pace::lane_at`].
    pub(crate) fn go_at(&self, lane: &str) -> Result<Result<(), Moment>, NoSlot> {
        let pacing = self.pace.at_address();
        self.change(lane, |lane, now| lane.go(&pacing, pacing.default, now))
    }

    /// Gives back what [`Here::go_at`] took, since the request is not made.
    pub(crate) fn stay_at(&self, lane: &str) -> Result<(), NoSlot> {
        let pacing = self.pace.at_address();
        self.change(lane, |lane, now| lane.give_back(&pacing, now, now))
    }

    /// Counts a lane in memory with the network of its address. It is an error if that has too many.
    pub(crate) fn join(&self, lane: &str, address: IpAddr) -> Result<(), NoSlot> {
        if self.lanes.is_some() { Ok(()) } else { Ok(self.pace.memory.join(lane, address, self.now)?) }
    }

    /// Whether a host holds its requests, where they are in a lane with others: an error with the time then. Otherwise
    /// its lane says so itself.
    pub(crate) fn expect_unheld(&self, origin: &Origin) -> Result<(), NoSlot> {
        if self.pace.in_lane.by == PaceBy::Host {
            return Ok(());
        }
        let own = self.kept().get(&hold_of(origin.host()), self.now)?;
        own.held(&self.pace.in_lane, self.now).map_or(Ok(()), |until| Err(NoSlot::Later(until)))
    }

    /// Takes in what a host's page says about a hold, where its requests are in a lane with others.
    pub(crate) fn hold(&self, (origin, lane): (&Origin, &str), page: &Page) -> Result<(), NoSlot> {
        if self.pace.in_lane.by == PaceBy::Host {
            return Ok(());
        }
        let (kept, own) = (self.kept(), hold_of(origin.host()));
        let is_said = match (page.status, page.retry_after) {
            (Some(429 | 503), Some(_)) => kept.get(lane, self.now)? != Lane::default(),
            (Some(..=399), _) => kept.get(&own, self.now)?.held.is_some(),
            _ => false,
        };
        if !is_said {
            return Ok(());
        }
        self.change(&own, |lane, now| lane.hold(&self.pace.in_lane, page, now))
    }

    /// Moves the slot of a request for robots.txt that is made later, if nobody has the slots between; otherwise says
    /// when the lane is free.
    pub(crate) fn late(
        &self,
        lane: &str,
        asked: &Asked,
        (slot, made): (Moment, Moment),
    ) -> Result<Result<(), Moment>, NoSlot> {
        let asked = self.pace.pacing.interval(asked, self.now);
        self.change(lane, |lane, now| lane.late(&self.pace.in_lane, asked, (slot, made), now))
    }

    /// Gives back the slot of a request for robots.txt that does not count.
    pub(crate) fn give_back_turn(&self, lane: &str, slot: Moment) -> Result<(), NoSlot> {
        self.change_beyond_pages(lane, |lane, now| lane.give_back(&self.pace.in_lane, slot, now))
    }

    /// Counts a request for robots.txt, from its beginning, and takes in how it ended.
    pub(crate) fn count(&self, lane: &str, asked: &Asked, (began, page): (Moment, &Page)) -> Result<(), NoSlot> {
        let asked = self.pace.pacing.interval(asked, self.now);
        self.change_beyond_pages(lane, |lane, now| {
            lane.ended(&self.pace.in_lane, page, now);
            lane.count(&self.pace.in_lane, asked, began, now);
        })
    }

    /// Changes a lane by a request for robots.txt. The count of pages that are running stays.
    fn change_beyond_pages(&self, lane: &str, mut change: impl FnMut(&mut Lane, Moment)) -> Result<(), NoSlot> {
        self.change(lane, |lane, now| {
            let running = std::mem::take(&mut lane.in_flight);
            change(lane, now);
            lane.in_flight = running;
        })
    }

    fn change<T>(&self, lane: &str, mut change: impl FnMut(&mut Lane, Moment) -> T) -> Result<T, NoSlot> {
        let mut result = None;
        self.kept().change(lane, self.now, &mut |lane, now| result = Some(change(lane, now)))?;
        // A store that does not call `change` has failed.
        result.ok_or_else(|| NoSlot::Store(StoreError::Failed("the lane was not changed".into())))
    }
}
