//! The lanes of a server, which all programs that use it share.
//!
//! Invariant: a lane is changed only if it is as it was read, and only by the server's time. After the server started
//! again, a lane that may have lost slots is free one interval after the start at the earliest: so a loss of data
//! shortens no interval.

use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

use super::clock::Call;
use super::connections::{Connections, Script};
use crate::keep::text;
use crate::moment::Moment;
use crate::pace::lane::{Hold, Lane};
use crate::pace::lanes::{Change, LaneError};
use crate::store_error::StoreError;

/// One hour.
pub(super) const LIFE: Duration = Duration::from_secs(60 * 60);

/// By how much the time that a program took for now may differ from the server's when it changes a lane.
const MOST_OFF: Duration = Duration::from_millis(50);

/// The most times that a change is tried because another program was quicker.
pub(super) const TRIES: u32 = 1_000;

/// The most lanes whose last state is remembered, to change them with one call. Our choice.
const MOST_KNOWN: usize = 10_000;

/// One step of a server: it writes a lane if it is as the caller knows it, and if the caller knows the time.
#[derive(Clone, Copy)]
struct Step<'s> {
    name: &'s str,
    /// What the lane must be. Empty: it must not be there.
    known: &'s str,
    /// What becomes of it. Empty: it is only read.
    new: &'s str,
    /// The time, by the caller.
    at: Moment,
    /// How long the lane is kept.
    life: Duration,
}

impl<'s> Step<'s> {
    fn read(name: &'s str) -> Self {
        Self { name, known: "", new: "", at: Moment::default(), life: LIFE }
    }
}

/// What a step found.
struct Found {
    is_written: bool,
    /// The lane as it is, if it was not written.
    text: String,
}

impl Connections {
    /// Does a step, and takes in what the clock showed.
    fn step(&self, step: Step<'_>) -> Result<Found, StoreError> {
        let key = self.key("lane", step.name);
        let [at, life, off] = [step.at.as_millis().into(), step.life.as_millis(), MOST_OFF.as_millis()];
        let [at, life, off, most] = [at, life, off, text::MAX_LANE.into()].map(|number| number.to_string());
        let arguments = [step.known, step.new, &at, &life, &off, &most].map(str::as_bytes);
        let mut sent = Instant::now();
        let (is_written, now, text): (u64, u64, String) = self.with(|connection| {
            sent = Instant::now();
            connection.run(Script::Lane, &[&key], &arguments)
        })?;
        self.clock.corrected(now, Call::since(sent));
        Ok(Found { is_written: is_written == 1, text })
    }
}

/// The lanes of a server, as this program saw them last.
#[derive(Debug)]
pub(super) struct KnownLanes(Cache<String, String>);

impl Default for KnownLanes {
    fn default() -> Self {
        Self(Cache::new(MOST_KNOWN))
    }
}

impl KnownLanes {
    pub(super) fn change(
        &self,
        server: &Connections,
        name: &str,
        now: Moment,
        change: &mut Change<'_>,
    ) -> Result<(), LaneError> {
        let called = Instant::now();
        let seen = self.0.get(name);
        let mut found = match &seen {
            Some(text) => text.clone(),
            None => server.step(Step::read(name))?.text,
        };
        for _ in 0..TRIES {
            // The caller's time, and the server's.
            let (ours, theirs) = (now.after(called.elapsed()), server.clock.now());
            let stored = text::lane(&found);
            let mut before = stored.clone().unwrap_or_default();
            let started = server.clock.started();
            let is_in_doubt = stored.is_none_or(|lane| lane.at < started) && theirs.since(started) < LIFE;
            if is_in_doubt && let Some(seen) = seen.as_deref().and_then(text::lane) {
                before.free = before.free.max(seen.free);
                before.held = before.held.into_iter().chain(seen.held).max_by_key(|hold| hold.until);
            }
            let mut run = |before: &Lane| {
                let before = shifted(before, theirs, ours);
                let mut lane = before.clone();
                change(&mut lane, ours);
                (shifted(&lane, ours, theirs), lane == before)
            };
            let (mut after, is_same) = run(&before);
            if is_same && found.is_empty() {
                return Ok(());
            }
            let interval = after.free.since(before.free.max(theirs));
            if is_in_doubt && started.after(interval) > before.free.max(theirs) {
                before.free = started.after(interval);
                (after, _) = run(&before);
            }
            let text = text::of_lane(&after);
            let life = after.ends().since(theirs).saturating_add(LIFE);
            let done = server.step(Step { name, known: &found, new: &text, at: theirs, life })?;
            if done.is_written {
                self.0.insert(name.to_owned(), text);
                return Ok(());
            }
            found = done.text;
        }
        Err(StoreError::Failed("other programs change the lane all the time".into()).into())
    }
}

/// A lane as it is.
pub(super) fn get(server: &Connections, name: &str, now: Moment) -> Result<Lane, LaneError> {
    let found = server.step(Step::read(name))?.text;
    Ok(shifted(&text::lane(&found).unwrap_or_default(), server.clock.now(), now))
}

/// The lane by another clock.
fn shifted(lane: &Lane, from: Moment, to: Moment) -> Lane {
    let shift = |moment: Moment| match to >= from {
        // What a new lane has is no time.
        _ if moment == Moment::default() => moment,
        true => moment.after(to.since(from)),
        false => moment.before(from.since(to)),
    };
    Lane {
        free: shift(lane.free),
        at: shift(lane.at),
        in_flight: lane.in_flight.iter().copied().map(shift).collect(),
        held: lane.held.map(|hold| Hold { since: shift(hold.since), until: shift(hold.until) }),
        ..lane.clone()
    }
}
