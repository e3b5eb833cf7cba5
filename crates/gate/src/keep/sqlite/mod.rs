//! The store in a file: an `SQLite` database, which plain SQL can read.
//!
//! Invariant: it writes only to a file that is known to be a store of a known version. Each site record is one row and
//! each change is one transaction, so a killed program loses nothing that it committed and leaves nothing half written.

mod connection;
mod lanes;
mod open;
mod row;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, params, params_from_iter};

use crate::decide::site::SiteRecord;
use crate::keep::store::{Claim, SiteStore, Visit, unique};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::lane::Lane;
use crate::pace::lanes::{Change, LaneError, Lanes};
use crate::store_error::StoreError;
use connection::{connect, connect_to_read, failed, is_busy, lock, millis};

/// Remembers sites in a file.
///
/// Any number of threads and programs may share a file on a local disk. The last write of a site record wins: each was
/// true when it was written. A killed program loses nothing that it committed. A power failure may lose the last
/// seconds (`synchronous = NORMAL`). Each loss costs one retrieval, and the file is not damaged.
///
/// `SELECT * FROM site` shows all of it, with dates as text.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// Separate connections, so that readers do not wait for a commit to the disk.
    reads: Mutex<Connection>,
    writes: Arc<Mutex<Connection>>,
    is_read_only: bool,
    /// How long a call waits for other programs.
    patience: Duration,
    /// Whether the last call that waited so long got nothing: the next ones do not wait again.
    is_locked: AtomicBool,
}

impl SqliteStore {
    /// The version of the tables that this program reads and writes (`PRAGMA user_version`).
    pub const VERSION: i64 = open::VERSION;

    /// The most bytes of a row. A longer one is not read and not written. Our choice: 16 MiB. The longest text that a
    /// file within the default limits has takes under 4 MiB.
    pub const MAX_ROW: i32 = connection::MAX_ROW;

    /// How long a write waits for other writes before it fails. Our choice: 10 seconds.
    pub const BUSY_TIMEOUT: Duration = connection::BUSY_TIMEOUT;

    /// Opens a store. Creates it if the file does not exist or is empty.
    ///
    /// # Errors
    /// If the file is something else or of a later version, or can't be opened. The file is not changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let writes = open::open(path)?;
        Ok(Self::over(path, connect(path)?, writes, false))
    }

    /// Opens a store that is only read: another user's, or one on a disk that can't be written. The file is
    /// not changed, and each change fails.
    ///
    /// # Errors
    /// As for [`SqliteStore::open`], and if the file does not exist or is of an older version.
    pub fn open_to_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        Ok(Self::over(path, open::read(path)?, connect_to_read(path)?, true))
    }

    fn over(path: &Path, reads: Connection, writes: Connection, is_read_only: bool) -> Self {
        let (reads, writes) = (Mutex::new(reads), Arc::new(Mutex::new(writes)));
        let (path, patience) = (path.to_owned(), Self::BUSY_TIMEOUT);
        Self { path, reads, writes, is_read_only, patience, is_locked: AtomicBool::new(false) }
    }

    /// Sets how long this store waits for other programs, instead of [`SqliteStore::BUSY_TIMEOUT`].
    ///
    /// # Errors
    /// If `SQLite` refuses it.
    pub fn waiting(self, most: Duration) -> Result<Self, StoreError> {
        for connection in [&self.reads, &*self.writes] {
            lock(connection).busy_timeout(most).map_err(|error| failed(&error))?;
        }
        Ok(Self { patience: most, ..self })
    }

    /// The connection for a change. After one that waited in vain, it waits only shortly, until one gets through: so a
    /// program that holds a lock for long does not hold up each call in turn.
    fn writer(&self) -> MutexGuard<'_, Connection> {
        let connection = lock(&self.writes);
        let is_locked = self.is_locked.load(Ordering::Relaxed);
        let patience = if is_locked { self.patience.min(SHORT) } else { self.patience };
        // It is refused only for a number that is out of range.
        let _ = connection.busy_timeout(patience);
        connection
    }

    /// Takes in whether a change got through.
    fn noted<T>(&self, done: rusqlite::Result<T>) -> Result<T, StoreError> {
        self.is_locked.store(done.as_ref().is_err_and(is_busy), Ordering::Relaxed);
        done.map_err(|error| failed(&error))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl SiteStore for SqliteStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        let connection = lock(&self.reads);
        let mut statement = connection.prepare_cached(row::GET).map_err(|error| failed(&error))?;
        match statement.query_row(params![origin.to_string(), reader], |row| Ok(row::record(row))).optional() {
            // What can't be read is not known. It is requested again, and written anew.
            Ok(row) => Ok(row.and_then(Result::ok).map(|(_, _, record)| record)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::TooBig) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        let values = row::values(origin, reader, record)?;
        let connection = self.writer();
        let mut statement = connection.prepare_cached(row::PUT).map_err(|error| failed(&error))?;
        self.noted(statement.execute(params_from_iter(values)).map(|_| ()))
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM site_record WHERE origin = ?1 AND reader = ?2";
        let gone = self.writer().execute(sql, params![origin.to_string(), reader]);
        self.noted(gone.map(|rows| rows > 0))
    }

    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        let gone = self.writer().execute("DELETE FROM site_record WHERE origin = ?1", [origin.to_string()]);
        self.noted(gone.map(|rows| u64::try_from(rows).unwrap_or(u64::MAX)))
    }

    fn clear(&self) -> Result<(), StoreError> {
        let gone = self.writer().execute("DELETE FROM site_record", []);
        self.noted(gone.map(|_| ()))
    }

    fn forget_before(&self, moment: Moment) -> Result<u64, StoreError> {
        let sql = "DELETE FROM site_record WHERE attempted < ?1";
        let connection = self.writer();
        let gone = self.noted(connection.execute(sql, [millis(moment)]))?;
        lanes::forget_before(&connection, moment)?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }

    fn len(&self) -> Result<u64, StoreError> {
        let count = lock(&self.reads).query_row("SELECT count(*) FROM site_record", [], |row| row.get::<_, i64>(0));
        count.map(|count| u64::try_from(count).unwrap_or(0)).map_err(|error| failed(&error))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        // Uses a separate connection, so that the visitor may use the store.
        let connection = if self.is_read_only { connect_to_read(&self.path)? } else { connect(&self.path)? };
        let mut statement = connection.prepare(row::ALL).map_err(|error| failed(&error))?;
        let mut rows = statement.query([]).map_err(|error| failed(&error))?;
        let mut unreadable = None;
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            match row::record(row) {
                Ok((origin, reader, record)) => {
                    if visit(&origin, &reader, record) == ControlFlow::Break(()) {
                        return Ok(());
                    }
                }
                Err(error) => unreadable = unreadable.or(Some(error)),
            }
        }
        unreadable.map_or(Ok(()), Err)
    }

    fn lanes(&self) -> Option<&dyn Lanes> {
        Some(self)
    }

    fn blocks(&self) -> bool {
        true
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Result<Claim, Duration>, StoreError> {
        let (name, token) = (format!("{origin} {reader}"), unique().cast_signed());
        let is_ours = lanes::claim(&self.writer(), &name, token);
        if !self.noted(is_ours)? {
            return Ok(Err(Claim::LOOK_AGAIN));
        }
        let writes = Arc::clone(&self.writes);
        Ok(Ok(Claim::until_dropped(move || {
            // If the file can't be written now, the lease ends by itself.
            let _ = lanes::release(&lock(&writes), &name, token);
        })))
    }
}

/// A wait for other writers that does not count, and the longest one while they hold the store.
const SHORT: Duration = Duration::from_millis(100);

impl Lanes for SqliteStore {
    fn change(&self, name: &str, now: Moment, change: &mut Change<'_>) -> Result<(), LaneError> {
        let called = Instant::now();
        let mut connection = self.writer();
        let changed = lanes::in_transaction(&mut connection, name, &mut |lane| {
            let waited = called.elapsed();
            change(lane, if waited < SHORT { now } else { now.after(waited) });
        });
        self.noted(changed).map_err(LaneError::Store)
    }

    fn get(&self, name: &str, _: Moment) -> Result<Lane, LaneError> {
        lanes::read(&lock(&self.reads), name).map_err(|error| LaneError::Store(failed(&error)))
    }

    fn lift_all(&self) -> Result<(), LaneError> {
        let held = lanes::held(&lock(&self.reads)).map_err(|error| failed(&error))?;
        held.iter().try_for_each(|name| self.change(name, Moment::now(), &mut |lane, _| lane.held = None))
    }
}
