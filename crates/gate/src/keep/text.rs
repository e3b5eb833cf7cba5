//! Site records and lanes as text, for stores that outlive the program.
//!
//! Invariant: a record is stored with a checksum of itself and its key. One that was damaged, or moved to another key,
//! is not a site record. A text that can't be read, for example after a manual change, is a lane that nobody has used.

use std::time::Duration;

use crate::decide::site::SiteRecord;
use crate::moment::Moment;
use crate::pace::lane::{Hold, Lane};
use crate::store_error::StoreError;

/// The most bytes of a record: 16 MiB.
pub(super) const MAX_RECORD: usize = 16 << 20;

/// The most bytes of a lane: more than one with all the requests it can have.
pub(super) const MAX_LANE: u32 = 8_192;

/// A record as JSON.
pub(super) fn of_record(record: &SiteRecord) -> Result<String, StoreError> {
    let json = serde_json::to_string(record).map_err(|error| StoreError::Failed(error.to_string()))?;
    if json.len() > MAX_RECORD {
        return Err(StoreError::Failed("the record is longer than a value may be".into()));
    }
    Ok(json)
}

/// The record of such a text.
pub(super) fn record(json: &[u8]) -> Option<SiteRecord> {
    if json.len() > MAX_RECORD { None } else { serde_json::from_slice(json).ok() }
}

/// The CRC-32 of what is stored under a key. It notices each change of one byte.
pub(super) fn checksum(origin: &str, reader: &str, stored: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for part in [origin.as_bytes(), b"\0", reader.as_bytes(), b"\0", stored] {
        sum.update(part);
    }
    sum.finalize()
}

/// A lane as numbers, separated by blanks: free, at, gap, smoothed response time, level, the hold (`hSINCE.UNTIL`) if
/// there is one, and the slots of requests that run.
pub(super) fn of_lane(lane: &Lane) -> String {
    let answers_in = lane.answers_in.map_or_else(|| "-".to_owned(), |time| time.as_millis().to_string());
    let mut text = format!(
        "{} {} {} {answers_in} {}",
        lane.free.as_millis(),
        lane.at.as_millis(),
        lane.gap.as_millis(),
        lane.level
    );
    if let Some(Hold { since, until }) = lane.held {
        text.extend([" h", &since.as_millis().to_string(), ".", &until.as_millis().to_string()]);
    }
    for slot in &lane.in_flight {
        text.push(' ');
        text.push_str(&slot.as_millis().to_string());
    }
    text
}

/// The lane of such a text.
pub(super) fn lane(text: &str) -> Option<Lane> {
    let mut parts = text.split(' ').peekable();
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (free, at, gap) = (number()?, number()?, number()?);
    let answers_in = match parts.next()? {
        "-" => None,
        millis => Some(Duration::from_millis(millis.parse().ok()?)),
    };
    let level = parts.next()?.parse().ok()?;
    let pair = |text: &str| {
        let (since, until) = text.strip_prefix('h')?.split_once('.')?;
        let [since, until] = [since, until].map(|millis| millis.parse().ok().map(Moment::from_millis));
        Some(Hold { since: since?, until: until? })
    };
    let held = parts.next_if(|part| part.starts_with('h')).map(|part| pair(part).ok_or(())).transpose().ok()?;
    let slots = parts.map(|slot| slot.parse().ok().map(Moment::from_millis));
    Some(Lane {
        free: Moment::from_millis(free),
        at: Moment::from_millis(at),
        gap: Duration::from_millis(gap),
        answers_in,
        level,
        in_flight: slots.take(Lane::MOST_IN_FLIGHT).collect::<Option<_>>()?,
        held,
    })
}
