//! The lanes of a store, which all programs that use it share.
//!
//! Invariant: a change of a lane is one short transaction, begun as a writer. So no two programs take one slot, and a
//! killed program leaves a lane as it was before or after a change, never between.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use super::connection::{failed, millis};
use crate::keep::store::Claim;
use crate::keep::text;
use crate::moment::Moment;
use crate::pace::lane::Lane;
use crate::store_error::StoreError;

/// Times are milliseconds since 1970, UTC. A lane says nothing after `until`. A claim is of the program with the number
/// `program`.
pub(super) const TABLE: &str = "
CREATE TABLE lane (
  name  TEXT PRIMARY KEY NOT NULL,
  lane  TEXT NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE flight (
  name    TEXT PRIMARY KEY NOT NULL,
  until   INTEGER NOT NULL,
  token   INTEGER NOT NULL,
  program INTEGER
) WITHOUT ROWID;
";

const GET: &str = "SELECT lane FROM lane WHERE name = ?1 AND octet_length(lane) <= ?2";
const PUT: &str = "INSERT OR REPLACE INTO lane (name, lane, until) VALUES (?1, ?2, ?3)";
const HELD: &str = "SELECT name FROM lane WHERE octet_length(lane) <= ?1 AND instr(lane, 'h')";
const CLAIM: &str = "INSERT INTO flight (name, until, token, program) VALUES (?1, ?2, ?4, ?5) \
                     ON CONFLICT (name) DO UPDATE SET until = ?2, token = ?4, program = ?5 \
                     WHERE until <= ?3 OR until > ?2";
const CLAIMED: &str = "SELECT token, program FROM flight WHERE name = ?1";
const RELEASE: &str = "DELETE FROM flight WHERE name = ?1 AND token = ?2";
const FORGET: [&str; 2] = ["DELETE FROM lane WHERE until < ?1", "DELETE FROM flight WHERE until < ?1"];

/// Changes a lane.
pub(super) fn in_transaction(
    connection: &mut Connection,
    name: &str,
    change: &mut dyn FnMut(&mut Lane),
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let before = read(&transaction, name)?;
    let mut after = before.clone();
    change(&mut after);
    if before == after {
        return Ok(());
    }
    transaction.prepare_cached(PUT)?.execute(params![name, text::of_lane(&after), millis(after.ends())])?;
    transaction.commit()
}

/// Reads a lane. What can't be read is a lane that nobody has used.
pub(super) fn read(connection: &Connection, name: &str) -> rusqlite::Result<Lane> {
    let mut get = connection.prepare_cached(GET)?;
    let lane = |row: &rusqlite::Row<'_>| Ok(row.get_ref(0)?.as_str().ok().and_then(text::lane));
    match get.query_row(params![name, text::MAX_LANE], lane).optional() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::TooBig) => Ok(Lane::default()),
        found => Ok(found?.flatten().unwrap_or_default()),
    }
}

/// The lanes that sites hold.
pub(super) fn held(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare_cached(HELD)?.query_map([text::MAX_LANE], |row| row.get(0))?.collect()
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

/// Deletes the lanes and claims that have been free since before a moment.
pub(super) fn forget_before(connection: &Connection, moment: Moment) -> Result<(), StoreError> {
    let forget = |sql| connection.execute(sql, [millis(moment)]).map(|_| ());
    FORGET.into_iter().try_for_each(forget).map_err(|error| failed(&error))
}
