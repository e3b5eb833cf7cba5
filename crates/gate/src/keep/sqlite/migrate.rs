//! Changes a store of an older version to this one.
//!
//! Invariant: it is one transaction. A site record that can't be read is left out, and its site is requested again.

use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};

use super::connection::failed;
use super::row;
use crate::decide::site::SiteRecord;
use crate::origin::Origin;
use crate::store_error::StoreError;

/// The version whose rows had no validators, no raw bytes, no attempts, and no checksum.
pub(super) const FIRST: i64 = 1;

/// Slots are not carried over: they are seconds away at most.
const ASIDE: &str = "
DROP VIEW IF EXISTS site;
DROP TABLE IF EXISTS lane;
ALTER TABLE site_record RENAME TO site_record_of_first;
";

const OLD: &str = "SELECT origin, reader, attempted, outcome, status, class, has_errors, verdict, failures, failing_since, \
                   next_attempt, access, access_status, text, report, retrieved, good_until, NULL, NULL, NULL, '[]' AS \
                   attempts FROM site_record_of_first";

/// Changes a store of the first version to the present one, whose tables are created so.
pub(super) fn from_first(
    connection: &mut Connection,
    create_tables: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    present: i64,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("SELECT user_version FROM pragma_user_version", [], |row| row.get(0))?;
    // Another program may have done it first.
    if version == FIRST {
        transaction.execute_batch(ASIDE)?;
        create_tables(&transaction)?;
        copy(&transaction)?;
        transaction.execute_batch("DROP TABLE site_record_of_first")?;
        transaction.pragma_update(None, "user_version", present)?;
    }
    transaction.commit()
}

fn copy(connection: &Connection) -> rusqlite::Result<()> {
    let (mut old, mut new) = (connection.prepare(OLD)?, connection.prepare(row::PUT)?);
    let mut rows = old.query([])?;
    while let Some(found) = rows.next()? {
        if let Ok((origin, reader, record)) = keyed(found) {
            new.execute(params_from_iter(row::values(&origin, &reader, &record)))?;
        }
    }
    Ok(())
}

fn keyed(found: &Row<'_>) -> Result<(Origin, String, SiteRecord), StoreError> {
    let record = row::unchecked(found)?;
    let wrong = |error: rusqlite::Error| failed(&error);
    let (text, reader): (String, String) = (found.get(0).map_err(wrong)?, found.get(1).map_err(wrong)?);
    let origin = Origin::of(&text).map_err(|_| StoreError::Row { origin: text, column: "origin" })?;
    Ok((origin, reader, record))
}
