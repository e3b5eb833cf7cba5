//! The lanes of a server, which all programs that use it share.
//!
//! Invariant: a lane is changed only if it is as it was read, and only by the server's time. After the server started
//! again, a lane that may have lost slots is free one interval after the start at the earliest: so a loss of data
//! shortens no interval.

use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

use super::RedisStore;
use super::connections::Script;
use crate::moment::Moment;
use crate::pace::lane::Lane;
use crate::pace::lanes::{Change, LaneError, Lanes};
use crate::store_error::StoreError;

/// One hour.
pub(super) const LIFE: Duration = Duration::from_secs(60 * 60);

/// The most times that a change is tried because another program was quicker.
const TRIES: u32 = 1_000;

/// The most lanes whose last state is remembered, to change them with one call. Our choice.
const MOST_KNOWN: usize = 10_000;

/// The lanes as this program saw them last.
#[derive(Debug)]
pub(super) struct KnownLanes(Cache<String, String>);

impl Default for KnownLanes {
    fn default() -> Self {
        Self(Cache::new(MOST_KNOWN))
    }
}

impl RedisStore {
    /// Reads or writes a lane, and returns whether it was written and what was found instead.
    fn step(&self, key: &str, texts: [&str; 2], at: Moment, life: Duration) -> Result<(bool, String), StoreError> {
        let (at, life) = (at.as_millis().to_string(), life.as_millis().to_string());
        let arguments = [texts[0].as_bytes(), texts[1].as_bytes(), at.as_bytes(), life.as_bytes()];
        let mut sent = Instant::now();
        let (is_written, now, found): (u64, u64, String) = self.connections.with(|connection| {
            sent = Instant::now();
            connection.run(Script::Lane, &[key], &arguments)
        })?;
        self.connections.showed(now, sent);
        let (shows, known) = (Moment::from_millis(now), self.connections.now());
        if shows.since(known).max(known.since(shows)) > sent.elapsed().saturating_add(Duration::from_millis(2)) {
            self.connections.set_clock(now);
        }
        Ok((is_written == 1, found))
    }
}

impl Lanes for RedisStore {
    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError> {
        let (called, key) = (Instant::now(), self.connections.key("lane", name));
        let seen = self.known.0.get(name);
        let mut found = match &seen {
            Some(text) => text.clone(),
            None => self.step(&key, ["", ""], Moment::default(), LIFE)?.1,
        };
        for _ in 0..TRIES {
            // The caller's time, and the server's.
            let (ours, theirs) = (now.after(called.elapsed()), self.connections.now());
            let stored = lane(&found);
            let mut before = stored.clone().unwrap_or_default();
            let started = self.connections.started();
            let is_in_doubt = stored.is_none_or(|lane| lane.at < started) && theirs.since(started) < LIFE;
            if is_in_doubt && let Some(seen) = seen.as_deref().and_then(lane) {
                before.free = before.free.max(seen.free);
            }
            let mut run = |before: &Lane| {
                let mut lane = shifted(before, theirs, ours);
                change(&mut lane, ours);
                shifted(&lane, ours, theirs)
            };
            let mut after = run(&before);
            let interval = after.free.since(before.free.max(theirs));
            if is_in_doubt && started.after(interval) > before.free.max(theirs) {
                before.free = started.after(interval);
                after = run(&before);
            }
            let text = text(&after);
            let last = after.in_flight.iter().copied().max().map_or(after.free, |slot| slot.max(after.free));
            let life = last.since(theirs).saturating_add(LIFE);
            let (is_written, other) = self.step(&key, [&found, &text], theirs, life)?;
            if is_written {
                self.known.0.insert(name.to_owned(), text);
                return Ok(());
            }
            found = other;
        }
        Err(StoreError::Failed("other programs change the lane all the time".into()).into())
    }

    fn get(&self, name: &str, now: Moment) -> Result<Lane, LaneError> {
        let found = self.step(&self.connections.key("lane", name), ["", ""], Moment::default(), LIFE)?.1;
        Ok(shifted(&lane(&found).unwrap_or_default(), self.connections.now(), now))
    }
}

/// The lane by another clock.
fn shifted(lane: &Lane, from: Moment, to: Moment) -> Lane {
    let shift = |moment: Moment| if to >= from { moment.after(to.since(from)) } else { moment.before(from.since(to)) };
    Lane {
        free: shift(lane.free),
        at: shift(lane.at),
        in_flight: lane.in_flight.iter().copied().map(shift).collect(),
        ..lane.clone()
    }
}

/// Numbers, separated by blanks: free, at, gap, smoothed response time, level, and the slots of requests that run.
fn text(lane: &Lane) -> String {
    let answers_in = lane.answers_in.map_or_else(|| "-".to_owned(), |time| time.as_millis().to_string());
    let mut text = format!(
        "{} {} {} {answers_in} {}",
        lane.free.as_millis(),
        lane.at.as_millis(),
        lane.gap.as_millis(),
        lane.level
    );
    for slot in &lane.in_flight {
        text.push(' ');
        text.push_str(&slot.as_millis().to_string());
    }
    text
}

/// A text that can't be read, for example after a manual change, is a lane that nobody has used.
fn lane(text: &str) -> Option<Lane> {
    let mut parts = text.split(' ');
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (free, at, gap) = (number()?, number()?, number()?);
    let answers_in = match parts.next()? {
        "-" => None,
        millis => Some(Duration::from_millis(millis.parse().ok()?)),
    };
    let level = parts.next()?.parse().ok()?;
    let slots = parts.map(|slot| slot.parse().ok().map(Moment::from_millis));
    Some(Lane {
        free: Moment::from_millis(free),
        at: Moment::from_millis(at),
        gap: Duration::from_millis(gap),
        answers_in,
        level,
        in_flight: slots.take(Lane::MOST_IN_FLIGHT).collect::<Option<_>>()?,
    })
}
