//! A lane: the state of the pace of the sites that share it, and how each event changes it.
//!
//! Invariant: a lane is a value. Two starts are never closer than the interval, less [`Lane::tolerance`], whatever the
//! callers' clocks do. A clock that was set back makes nobody wait longer than the interval and the slots before it.

use std::time::Duration;

use crate::moment::Moment;
use crate::pace::pacing::{PaceBy, Pacing, Page};

/// The state of a lane. The default is a lane that nobody has used.
///
/// A store of one's own keeps it with serde, or field by field. Whatever is read back, it delays its host by no more
/// than the longest wait and interval.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Lane {
    /// The moment of the next slot.
    pub free: Moment,
    /// When the lane was changed last, by the clock of whoever changed it.
    pub at: Moment,
    /// The interval of the last request, before it was slowed down.
    pub gap: Duration,
    /// The smoothed response time.
    pub answers_in: Option<Duration>,
    /// How often the interval is doubled, because the server said that it has too many requests.
    pub level: u8,
    /// The slots of the requests that run, or that will.
    pub in_flight: Vec<Moment>,
    /// The hold, if the site asked for one.
    pub held: Option<Hold>,
}

/// A site's word that it takes no requests for a time: the `Retry-After` of a 429 or 503. It is a note on the lane and
/// no slot, so a lane that has nothing else may be forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hold {
    /// When the site said it.
    pub since: Moment,
    /// Until when.
    pub until: Moment,
}

/// Why a request can't start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Busy {
    /// The slot is too far in the future.
    Slot(Moment),
    /// As many requests as allowed are running: when to look again.
    InFlight(Moment),
}

impl Lane {
    /// The most doublings of an interval.
    const MAX_LEVEL: u8 = 10;

    /// How far the clocks of threads and programs may differ without being taken for a clock that was set back.
    const SKEW: Duration = Duration::from_millis(100);

    /// The longest interval that the answers of one host make in a lane that others have too.
    const MOST_FOR_OTHERS: Duration = Duration::from_secs(60);

    /// The most requests that a lane counts as running. More are not started.
    pub(crate) const MOST_IN_FLIGHT: usize = 256;

    /// Brings the lane to this moment, and returns the moment that counts: it forgets requests whose lease is over, and
    /// follows a clock that was set back.
    fn settle(&mut self, pacing: &Pacing, now: Moment) -> Moment {
        if self.at > now.after(Self::SKEW) {
            let ahead = self.at.since(now);
            // What was ahead of the other clock is ahead of this one.
            self.free = self.free.before(ahead);
            self.in_flight.iter_mut().for_each(|slot| *slot = slot.before(ahead));
            self.held = self.held.map(|hold| Hold { since: hold.since.before(ahead), until: hold.until.before(ahead) });
            self.at = now;
        }
        let longest = pacing.max_wait.max(pacing.max_pause).saturating_add(pacing.longest_asked());
        let now = self.at.max(now);
        if self.free > now.after(longest) {
            self.free = now.after(self.gap.min(longest));
        }
        // A lane in a store may be damaged: no request is that far ahead.
        self.in_flight.retain(|slot| slot.after(pacing.lease) > now && *slot <= now.after(longest));
        self.held = self.held.and_then(|hold| {
            let since = hold.since.min(now);
            let until = hold.until.min(since.after(pacing.max_pause));
            (until > now).then_some(Hold { since, until })
        });
        self.level = self.level.min(Self::MAX_LEVEL);
        self.at = now;
        now
    }

    /// The next slot, after the hold if there is one.
    fn opens(&self) -> Moment {
        self.held.map_or(self.free, |hold| hold.until.max(self.free))
    }

    /// The last moment that the lane says something about. After it, it is as good as one that nobody has used.
    #[cfg(any(feature = "sqlite", feature = "redis"))]
    pub(crate) fn ends(&self) -> Moment {
        let held = self.held.map(|hold| hold.until);
        self.in_flight.iter().copied().chain(held).fold(self.free.max(self.at), Moment::max)
    }

    /// Until when the site holds the lane, if it does.
    pub(crate) fn held(mut self, pacing: &Pacing, now: Moment) -> Option<Moment> {
        self.settle(pacing, now);
        self.held.map(|hold| hold.until)
    }

    /// When a request can start, if nobody takes the slot before.
    pub(crate) fn next(mut self, pacing: &Pacing, now: Moment) -> Moment {
        let now = self.settle(pacing, now);
        match self.expect_room(pacing, now) {
            Err(Busy::Slot(until) | Busy::InFlight(until)) => until.max(self.opens()),
            Ok(()) => self.opens().max(now),
        }
    }

    /// Takes the next slot, and returns the wait until then.
    pub(crate) fn take(&mut self, pacing: &Pacing, asked: Duration, now: Moment) -> Result<Duration, Busy> {
        let now = self.settle(pacing, now);
        self.expect_room(pacing, now)?;
        let slot = self.opens().max(now);
        if slot.since(now) > pacing.max_wait {
            return Err(Busy::Slot(slot));
        }
        self.begin(pacing, slot, slot, asked);
        Ok(slot.since(now))
    }

    /// Starts a request now, if the slot is free.
    pub(crate) fn start(&mut self, pacing: &Pacing, asked: Duration, now: Moment) -> Result<(), Busy> {
        let now = self.settle(pacing, now);
        self.expect_room(pacing, now)?;
        if self.opens() > now {
            return Err(Busy::Slot(self.opens()));
        }
        // A start that is only a little late does not delay the ones after it.
        let interval = self.slowed(pacing, asked);
        let is_prompt = now.since(self.free) <= Self::tolerance(interval);
        self.begin(pacing, now, if is_prompt { self.free } else { now }, asked);
        Ok(())
    }

    /// By how much two starts may be closer than the interval, so that the small delays of a busy machine do not add
    /// up: a twentieth of the interval, and 50 milliseconds at most.
    #[must_use]
    pub fn tolerance(interval: Duration) -> Duration {
        interval.checked_div(20).unwrap_or_default().min(Duration::from_millis(50))
    }

    fn begin(&mut self, pacing: &Pacing, slot: Moment, counts_from: Moment, asked: Duration) {
        self.gap = asked;
        self.free = counts_from.after(self.slowed(pacing, asked));
        if Self::most_in_flight(pacing).is_some() {
            self.in_flight.push(slot);
        }
    }

    fn most_in_flight(pacing: &Pacing) -> Option<usize> {
        let most = if pacing.from_end { Some(1) } else { pacing.max_in_flight };
        most.map(|most| usize::try_from(most).unwrap_or(usize::MAX).clamp(1, Self::MOST_IN_FLIGHT))
    }

    fn expect_room(&self, pacing: &Pacing, now: Moment) -> Result<(), Busy> {
        match Self::most_in_flight(pacing) {
            Some(most) if self.in_flight.len() >= most => {
                let soon = self.gap.checked_div(8).unwrap_or_default();
                let soon = soon.clamp(Duration::from_millis(20), Duration::from_secs(1));
                Err(Busy::InFlight(now.after(soon).max(self.opens())))
            }
            _ => Ok(()),
        }
    }

    /// The interval, with what the server's answers have made of it.
    fn slowed(&self, pacing: &Pacing, asked: Duration) -> Duration {
        let own = match (pacing.adaptive, self.answers_in) {
            (Some(times), Some(answers_in)) => answers_in.saturating_mul(times),
            _ => Duration::ZERO,
        };
        let (own, doubled) = (asked.max(own), 2_u32.saturating_pow(u32::from(self.level)));
        let most = if pacing.by == PaceBy::Host { Duration::MAX } else { own.max(Self::MOST_FOR_OTHERS) };
        // What a site asks for may be longer than what is made of it here.
        let slowed = pacing.bounded(own.saturating_mul(doubled).min(most));
        slowed.max(asked.min(pacing.longest_asked()))
    }

    /// Takes a slot for robots.txt, if one is free soon; otherwise says when one is. Its end is not reported, so it does
    /// not count as running.
    pub(crate) fn turn(&mut self, pacing: &Pacing, asked: Duration, now: Moment) -> Result<Moment, Moment> {
        let now = self.settle(pacing, now);
        let slot = self.opens().max(now);
        match self.expect_room(pacing, now) {
            Err(Busy::Slot(until) | Busy::InFlight(until)) => Err(until.max(slot)),
            Ok(()) if slot.since(now) > pacing.robots_txt_wait => Err(slot),
            Ok(()) => {
                self.gap = asked;
                self.free = slot.after(self.slowed(pacing, asked));
                Ok(slot)
            }
        }
    }

    /// Makes a request for robots.txt now, if the lane is free; otherwise says when it is. Nothing is taken otherwise.
    pub(crate) fn go(&mut self, pacing: &Pacing, asked: Duration, now: Moment) -> Result<(), Moment> {
        let now = self.settle(pacing, now);
        if let Err(Busy::Slot(until) | Busy::InFlight(until)) = self.expect_room(pacing, now) {
            return Err(until.max(self.opens()));
        }
        if self.opens() > now {
            return Err(self.opens());
        }
        let interval = self.slowed(pacing, asked);
        let is_prompt = now.since(self.free) <= Self::tolerance(interval);
        self.gap = asked;
        self.free = if is_prompt { self.free } else { now }.after(interval);
        Ok(())
    }

    /// Makes a request for robots.txt at a later moment than its slot, if nobody has the slots between; otherwise says
    /// when the lane is free.
    pub(crate) fn late(
        &mut self,
        pacing: &Pacing,
        asked: Duration,
        (slot, made): (Moment, Moment),
        now: Moment,
    ) -> Result<(), Moment> {
        self.settle(pacing, now);
        let interval = self.slowed(pacing, asked);
        if self.free > made.max(slot.after(interval)) || self.held.is_some_and(|hold| hold.until > made) {
            return Err(self.opens());
        }
        self.gap = asked;
        self.free = self.free.max(made.after(interval));
        Ok(())
    }

    /// Counts a request for robots.txt, from its beginning.
    pub(crate) fn count(&mut self, pacing: &Pacing, asked: Duration, began: Moment, now: Moment) {
        self.settle(pacing, now);
        self.gap = asked;
        self.free = self.free.max(began.after(self.slowed(pacing, asked)));
    }

    /// Takes in how a request ended. A lane without any has nothing to learn from it, and stays new.
    pub(crate) fn observe(&mut self, pacing: &Pacing, page: &Page, now: Moment) {
        if *self != Self::default() {
            self.ended(pacing, page, now);
        }
    }

    /// Takes in what a page's status says about the site that the lane is of.
    pub(crate) fn hold(&mut self, pacing: &Pacing, page: &Page, now: Moment) {
        let now = self.settle(pacing, now);
        match (page.status, page.retry_after, self.held) {
            (Some(429 | 503), Some(pause), held) => {
                let until = now.after(pause.min(pacing.max_pause));
                let until = held.map_or(until, |hold| hold.until.max(until));
                self.held = (until > now).then_some(Hold { since: now, until });
            }
            // What was under way when the site said it does not lift it, nor what may have been.
            (Some(..=399), _, Some(hold)) if !page.took.is_zero() && now.before(page.took) > hold.since => {
                self.held = None;
            }
            _ => {}
        }
    }

    /// As [`Lane::observe`], also for a new lane.
    pub(crate) fn ended(&mut self, pacing: &Pacing, page: &Page, now: Moment) {
        let now = self.settle(pacing, now);
        if pacing.by == PaceBy::Host {
            self.hold(pacing, page, now);
        }
        if pacing.adaptive.is_some() && page.status.is_some() {
            let smoothed = |known: Duration| known.saturating_mul(3).saturating_add(page.took).checked_div(4);
            self.answers_in = self.answers_in.map_or(Some(page.took), smoothed);
        }
        let mut next = now;
        match page.status {
            Some(429 | 503) => {
                self.level = self.level.saturating_add(1).min(Self::MAX_LEVEL);
                next = now.after(self.slowed(pacing, self.gap));
            }
            Some(..=499) => self.level = self.level.saturating_sub(1),
            Some(500..) | None => {}
        }
        if let Some(rate) = pacing.bytes_per_second {
            let millis = page.bytes.saturating_mul(1_000).checked_div(rate).unwrap_or(u64::MAX);
            let pause = Duration::from_millis(millis).saturating_sub(page.took).min(pacing.max_pause);
            next = next.max(now.after(pause));
        }
        if pacing.from_end {
            next = next.max(now.after(self.slowed(pacing, self.gap)));
        }
        if next > now {
            self.free = self.free.max(next);
        }
        self.end_first(now);
    }

    /// Gives back a slot that was not used. It is free again if no later one was taken.
    pub(crate) fn give_back(&mut self, pacing: &Pacing, slot: Moment, now: Moment) {
        if *self == Self::default() {
            return;
        }
        let now = self.settle(pacing, now);
        let interval = self.slowed(pacing, self.gap);
        // Less than half an interval: the slot after it may be another request's.
        let skew = Self::SKEW.min(interval.checked_div(3).unwrap_or_default());
        let is_same = |one: Moment, other: Moment| one.since(other).max(other.since(one)) <= skew;
        if is_same(self.free, slot.after(interval)) {
            self.free = slot;
        }
        match self.in_flight.iter().position(|taken| is_same(*taken, slot)) {
            Some(at) => drop(self.in_flight.remove(at)),
            None => self.end_first(now),
        }
    }

    /// Ends the request that began first.
    fn end_first(&mut self, now: Moment) {
        let begun = self.in_flight.iter().enumerate().filter(|(_, slot)| **slot <= now.after(Self::SKEW));
        if let Some((at, _)) = begun.min_by_key(|(_, slot)| **slot) {
            self.in_flight.remove(at);
        }
    }
}
