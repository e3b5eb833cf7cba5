//! One connection to a store's file: how it is made and used, and how its failures read.
//!
//! Invariant: nothing that the file's schema defines can run.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::moment::Moment;
use crate::store_error::StoreError;

/// The most bytes of a row: 16 MiB.
pub(super) const MAX_ROW: i32 = 16 << 20;

/// How long a write waits for other writes: 10 seconds.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to a file. Nothing that its schema defines can run.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        for (setting, is_on) in [
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        ] {
            connection.set_db_config(setting, is_on)?;
        }
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW)?;
        Ok(connection)
    };
    open().map_err(|error| cannot_open(path, &error))
}

pub(super) fn cannot_open(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotAStore { path, is: "a damaged or encrypted database" },
        Some(ErrorCode::CannotOpen) => {
            StoreError::Open { path, why: "its folder is missing, or the file or the folder can't be written".into() }
        }
        _ => StoreError::Open { path, why: error.to_string() },
    }
}

pub(super) fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

pub(super) fn failed(error: &rusqlite::Error) -> StoreError {
    if is_busy(error) {
        return StoreError::Failed("another program has kept it locked for too long".into());
    }
    StoreError::Failed(error.to_string())
}

pub(super) fn millis(moment: Moment) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}
