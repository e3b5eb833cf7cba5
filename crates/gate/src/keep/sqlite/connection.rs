//! One connection to a store's file: how it is made and used, and how its failures read.
//!
//! Invariant: nothing that the file's schema defines can run.

use std::path::{Path, PathBuf};
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
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    connect_with(path, flags).map_err(|error| cannot_open(path, &error))
}

/// Connects to a file that is only read. In WAL mode, that needs files next to it, which a reader may not make.
/// Without a log, the file has all of it.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection, StoreError> {
    let is_read = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
    };
    let failure = match connect_with(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        Ok(connection) => match is_read(&connection) {
            Ok(_) => return Ok(connection),
            Err(error) => error,
        },
        Err(error) => error,
    };
    let log = std::fs::metadata(beside(path)).map_or(0, |about| about.len());
    let is_unwritable = matches!(failure.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    if log > 0 || !is_unwritable {
        return Err(cannot_open(path, &failure));
    }
    let name = uri(path).ok_or_else(|| cannot_open(path, &failure))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect_with(Path::new(&name), flags).map_err(|error| cannot_open(path, &error))
}

/// The log next to a file.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// The name of a file that nobody changes.
fn uri(path: &Path) -> Option<String> {
    let mut url = url::Url::from_file_path(std::path::absolute(path).ok()?).ok()?;
    url.set_query(Some("immutable=1"));
    Some(url.into())
}

fn connect_with(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
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
    open()
}

pub(super) fn cannot_open(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotAStore { path, is: "a damaged or encrypted database" },
        Some(ErrorCode::CannotOpen) => {
            StoreError::Open { path, why: "its folder is missing, or the file or the folder can't be written".into() }
        }
        _ => StoreError::Open { path, why: words(error) },
    }
}

pub(super) fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Why a change failed.
const LOCKED: &str = "another program has kept it locked for too long";

pub(super) fn failed(error: &rusqlite::Error) -> StoreError {
    if is_busy(error) {
        return StoreError::Failed(LOCKED.into());
    }
    StoreError::Failed(words(error))
}

/// Why a file can't be used, and what helps.
fn words(error: &rusqlite::Error) -> String {
    let then = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            "the file is damaged: move it away with its -wal and -shm, and all sites are asked again"
        }
        Some(ErrorCode::DiskFull) => "make room on its disk",
        Some(ErrorCode::ReadOnly) => "the file, or its folder, can't be written: change its permissions",
        Some(ErrorCode::SystemIoFailure) => "its disk can't be read or written: check it",
        _ => return error.to_string(),
    };
    format!("{error}; {then}")
}

pub(super) fn millis(moment: Moment) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}
