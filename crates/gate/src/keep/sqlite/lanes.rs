//! The lanes of a store, which all programs that use it share.
//!
//! Invariant: a change of a lane is one short transaction, begun as a writer. So no two programs take one slot, and a
//! killed program leaves a lane as it was before or after a change, never between.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use super::connection::{failed, millis};
use crate::keep::store::Claim;
use crate::moment::Moment;
use crate::pace::lane::{Hold, Lane};
use crate::store_error::StoreError;

/// Times are milliseconds since 1970, UTC; durations are milliseconds. `in_flight` has the slots of the requests that
/// run, separated by blanks. A row whose name begins with `flight` is a claim until
/// `free`, of the program with the number in `answers_in`.
pub(super) const TABLE: &str = "
CREATE TABLE lane (
  name       TEXT PRIMARY KEY NOT NULL,
  free       INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  gap        INTEGER NOT NULL,
  answers_in INTEGER,
  level      INTEGER NOT NULL,
  in_flight  TEXT NOT NULL,
  held_since INTEGER,
  held_until INTEGER
) WITHOUT ROWID;
";

/// What has more bytes than all the requests of a lane is none.
const GET: &str = "SELECT free, at, gap, answers_in, level, in_flight, held_since, held_until FROM lane \
                   WHERE name = ?1 AND octet_length(in_flight) <= 8192";
const PUT: &str = "INSERT OR REPLACE INTO lane \
                   (name, free, at, gap, answers_in, level, in_flight, held_since, held_until) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
pub(super) const LIFT: &str = "UPDATE lane SET held_since = NULL, held_until = NULL WHERE held_until IS NOT NULL";
const CLAIM: &str = "INSERT INTO lane (name, free, at, gap, answers_in, level, in_flight) \
                     VALUES (?1, ?2, ?3, ?4, ?5, 0, '') \
                     ON CONFLICT (name) DO UPDATE SET free = ?2, at = ?3, gap = ?4, answers_in = ?5 \
                     WHERE free <= ?3 OR free > ?2";
const CLAIMED: &str = "SELECT gap, answers_in FROM lane WHERE name = ?1";
const RELEASE: &str = "DELETE FROM lane WHERE name = ?1 AND gap = ?2";
const FORGET: &str = "DELETE FROM lane WHERE free < ?1 AND at < ?1 AND coalesce(held_until, 0) < ?1";

/// Changes a lane.
pub(super) fn in_transaction(
    connection: &mut Connection,
    name: &str,
    change: &mut dyn FnMut(&mut Lane),
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let before = found(&transaction, name)?.unwrap_or_default();
    let mut after = before.clone();
    change(&mut after);
    if before == after {
        return Ok(());
    }
    let in_flight: Vec<String> = after.in_flight.iter().map(|slot| slot.as_millis().to_string()).collect();
    transaction.prepare_cached(PUT)?.execute(params![
        name,
        millis(after.free),
        millis(after.at),
        duration(after.gap),
        after.answers_in.map(duration),
        after.level,
        in_flight.join(" "),
        after.held.map(|hold| millis(hold.since)),
        after.held.map(|hold| millis(hold.until)),
    ])?;
    transaction.commit()
}

/// Reads a lane.
pub(super) fn read(connection: &Connection, name: &str) -> rusqlite::Result<Lane> {
    Ok(found(connection, name)?.unwrap_or_default())
}

/// A row that can't be read, for example after a manual change, is a lane that nobody has used.
fn found(connection: &Connection, name: &str) -> rusqlite::Result<Option<Lane>> {
    match connection.prepare_cached(GET)?.query_row([name], |row| Ok(lane(row))).optional() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::TooBig) => Ok(None),
        found => Ok(found?.flatten()),
    }
}

fn lane(row: &rusqlite::Row<'_>) -> Option<Lane> {
    let number = |at: usize| u64::try_from(row.get::<_, i64>(at).ok()?).ok();
    let answers_in: Option<i64> = row.get(3).ok()?;
    let in_flight: String = row.get(5).ok()?;
    let slots = in_flight.split_ascii_whitespace().map(|slot| slot.parse().ok().map(Moment::from_millis));
    let moment = |at: usize| number(at).map(Moment::from_millis);
    let held = moment(6).zip(moment(7)).map(|(since, until)| Hold { since, until });
    Some(Lane {
        free: Moment::from_millis(number(0)?),
        at: Moment::from_millis(number(1)?),
        gap: Duration::from_millis(number(2)?),
        answers_in: answers_in.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis),
        level: row.get(4).ok()?,
        in_flight: slots.take(Lane::MOST_IN_FLIGHT).collect::<Option<_>>()?,
        held,
    })
}

fn duration(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Claims a name for a time, unless another program has it that still runs. A claim that would last longer is damaged.
pub(super) fn claim(connection: &Connection, name: &str, token: i64) -> rusqlite::Result<bool> {
    let now = Moment::now();
    let row = params![name, millis(now.after(Claim::LEASE)), millis(now), token, std::process::id()];
    let mut claim = connection.prepare_cached(CLAIM)?;
    if claim.execute(row)? > 0 {
        return Ok(true);
    }
    let of = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?));
    match connection.prepare_cached(CLAIMED)?.query_row([name], of) {
        Ok((token, program)) if is_gone(program) => release(connection, name, token)?,
        _ => return Ok(false),
    }
    Ok(claim.execute(row)? > 0)
}

/// Whether a program has ended, where the system says so. Who is wrong about it asks a site once more, in its turn.
fn is_gone(program: u32) -> bool {
    let runs = |program: &str| Path::new("/proc").join(program).exists();
    runs("self") && !runs(&program.to_string())
}

/// Ends a claim, if it is still that of the token.
pub(super) fn release(connection: &Connection, name: &str, token: i64) -> rusqlite::Result<()> {
    connection.prepare_cached(RELEASE)?.execute(params![name, token]).map(|_| ())
}

/// Deletes the lanes that have been free since before a moment.
pub(super) fn forget_before(connection: &Connection, moment: Moment) -> Result<(), StoreError> {
    connection.execute(FORGET, [millis(moment)]).map(|_| ()).map_err(|error| failed(&error))
}
