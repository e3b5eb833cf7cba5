//! A lane: the pace of the sites that share it, and how each event changes it.
//!
//! Invariant: a lane is a value. Two slots are never closer than the interval, less [`Lane::tolerance`]. A clock that
//! was set back, and a lane that was damaged, delay a host by no more than the longest wait and interval.
//!
//! This is the cell rate algorithm with a burst of one. It is our own code: the crate `governor` fixes the interval
//! when a limiter is made, but a site's interval changes with its file and its answers; and here a caller can get a
//! slot in the future, so that who waits need not compete again.

use std::time::Duration;

use crate::moment::Moment;
use crate::pace::{Pacing, Page};

/// The state of a lane. The default is a lane that nobody has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Lane {
    /// The moment of the next slot.
    pub free: Moment,
    /// When the lane was changed last.
    pub at: Moment,
    /// The interval of the last request, before it was slowed down.
    pub gap: Duration,
    /// When the host said with `Retry-After` that it takes no requests.
    pub held_since: Moment,
    /// Until when.
    pub held: Moment,
    /// How often the interval is doubled, because the server said that it has too many requests.
    pub level: u8,
    /// The smoothed response time.
    pub answers_in: Option<Duration>,
}

/// What slot a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The interval to the slot after it. Zero: nothing is taken, and the lane is only looked at.
    pub interval: Duration,
    /// How far in the future it may be.
    pub within: Duration,
}

/// Whether a slot was taken, and when it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Whether the slot is the caller's. Otherwise nothing is taken.
    pub is_yours: bool,
    /// How long until it.
    pub wait: Duration,
    /// How long the host holds its requests, as it said; zero if it does not.
    pub held: Duration,
}

impl Lane {
    /// The most doublings of an interval.
    pub(crate) const MAX_LEVEL: u8 = 10;

    /// By how much two slots may be closer than the interval, so that the small delays of a busy machine do not add up:
    /// a hundredth of the interval, and 50 milliseconds at most.
    pub fn tolerance(interval: Duration) -> Duration {
        interval.checked_div(100).unwrap_or_default().min(Duration::from_millis(50))
    }

    /// Brings the lane to this moment: it follows a clock that was set back, and nothing is further ahead than it may
    /// be.
    fn settle(&mut self, pacing: &Pacing, now: Moment) {
        if self.at > now {
            // What was ahead of the other clock is ahead of this one.
            let ahead = self.at.since(now);
            for moment in [&mut self.free, &mut self.held_since, &mut self.held] {
                *moment = moment.before(ahead);
            }
        }
        self.at = now;
        self.gap = self.gap.min(pacing.longest());
        let most = now.after(pacing.max_wait.saturating_add(pacing.longest()));
        if self.free > most {
            self.free = now.after(self.gap);
        }
        self.held = self.held.min(now.after(pacing.max_pause));
        self.held_since = self.held_since.min(now);
        self.level = self.level.min(Self::MAX_LEVEL);
    }

    /// The last moment that the lane says something about. After it, it is as good as one that nobody has used.
    pub fn ends(&self) -> Moment {
        self.free.max(self.held).max(self.at)
    }

    /// Takes the next slot if it is soon enough.
    pub fn take(&mut self, pacing: &Pacing, slot: Slot, now: Moment) -> Taken {
        let mut lane = *self;
        lane.settle(pacing, now);
        let at = lane.free.max(lane.held).max(now);
        let (wait, held) = (at.since(now), lane.held.since(now));
        if slot.interval.is_zero() || wait > slot.within {
            return Taken { is_yours: wait.is_zero() && slot.interval.is_zero(), wait, held };
        }
        lane.gap = slot.interval;
        let interval = lane.slowed(pacing);
        // A start that is only a little late does not delay the ones after it.
        let is_prompt = at == now && now.since(lane.free.max(lane.held)) <= Self::tolerance(interval);
        lane.free = if is_prompt { lane.free.max(lane.held) } else { at }.after(interval);
        *self = lane;
        Taken { is_yours: true, wait, held }
    }

    /// The interval, with what the server's answers have made of it.
    fn slowed(&self, pacing: &Pacing) -> Duration {
        let own = match (pacing.adaptive, self.answers_in) {
            (Some(times), Some(answers_in)) => answers_in.saturating_mul(times),
            _ => Duration::ZERO,
        };
        let doubled = self.gap.max(own).saturating_mul(2_u32.saturating_pow(u32::from(self.level)));
        doubled.min(pacing.longest()).max(self.gap)
    }

    /// Takes in how a request ended: 429 and 503 double the interval, and hold the host as long as they say; others
    /// halve it again. A lane that nobody has used has nothing to learn.
    pub fn observe(&mut self, pacing: &Pacing, page: &Page, now: Moment) {
        if *self == Self::default() {
            return;
        }
        self.settle(pacing, now);
        if let (Some(_), Some(took), Some(_)) = (pacing.adaptive, page.took, page.status) {
            let took = took.min(Page::LONGEST);
            let smoothed = |known: Duration| known.saturating_mul(3).saturating_add(took).checked_div(4);
            self.answers_in = self.answers_in.map_or(Some(took), smoothed);
            self.free = self.free.max(now.before(took).after(self.slowed(pacing)));
        }
        match page.status {
            Some(429 | 503) => {
                self.level = self.level.saturating_add(1).min(Self::MAX_LEVEL);
                self.free = self.free.max(now.after(self.slowed(pacing)));
                if let Some(pause) = page.retry_after {
                    let until = now.after(pause.min(pacing.max_pause));
                    (self.held_since, self.held) = (now, self.held.max(until));
                }
            }
            Some(status @ ..=499) => {
                self.level = self.level.saturating_sub(1);
                // What was under way when the host said it does not lift it.
                let began = page.took.map(|took| now.before(took));
                if status <= 399
                    && (began.is_some_and(|began| began > self.held_since) || page.took == Some(Duration::ZERO))
                {
                    self.held = self.held.min(now);
                }
            }
            Some(500..) | None => {}
        }
    }
}
