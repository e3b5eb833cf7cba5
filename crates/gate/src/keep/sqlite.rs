//! The store in a file: an `SQLite` database, which programs on one machine share.
//!
//! Invariant: it writes only to a file that is empty or a store of this version. Each change is one transaction, begun
//! as a writer, so no two programs take one slot, and a killed program leaves nothing half written. Nothing that the
//! file's schema defines can run. Lanes live in the machine's own clock, which no change of the date moves.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use robosieve_printable::{harmless, name_of};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, params};

use crate::decide::SiteRecord;
use crate::error::Error;
use crate::keep::store::{Claim, SITE_LIFE, Store, Visit, unique};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Lane, Pacing, Page, Slot, Taken};

/// Marks a file as a store of sites (`PRAGMA application_id`): "RBSV".
const APPLICATION: i64 = 0x5242_5356;
/// How long a call waits for other writers.
const BUSY: Duration = Duration::from_secs(10);

/// Records and lanes are JSON. `attempted` is the date in milliseconds since 1970; the other times are of the machine's
/// clock, also in lanes.
const TABLES: &str = "
CREATE TABLE site (origin TEXT NOT NULL, reader TEXT NOT NULL, attempted INTEGER NOT NULL, record TEXT NOT NULL,
  PRIMARY KEY (origin, reader)) WITHOUT ROWID;
CREATE TABLE lane (name TEXT PRIMARY KEY NOT NULL, lane TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE flight (name TEXT PRIMARY KEY NOT NULL, until INTEGER NOT NULL, token INTEGER NOT NULL) WITHOUT ROWID;
";

/// Remembers sites and lanes in a file.
///
/// Any number of threads and programs may share a file on a local disk. A killed program loses nothing that it
/// committed. A power failure may lose the last seconds; each loss costs one retrieval, and the file is not damaged.
#[derive(Clone, Debug)]
pub struct SqliteStore(Arc<Mutex<Connection>>);

impl SqliteStore {
    /// The version of the tables that this program reads and writes (`PRAGMA user_version`).
    pub const VERSION: i64 = 2;

    /// The most bytes of a row. A longer one is not read and not written. Our choice: 16 MiB. The longest text that a
    /// file within the default limits has takes under 4 MiB.
    pub const MAX_ROW: i32 = 16 << 20;

    /// Opens a store. Creates it if the file does not exist or is empty.
    ///
    /// # Errors
    /// If the file is something else or of another version, or can't be opened. The file is not changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (path, known) = (path.as_ref(), Self::VERSION);
        let name = name_of(path);
        let not_a_store =
            |is: &str| format!("{name} is {is}, not a store of sites; it was not changed; use another file");
        let not_opened = |why: String| format!("{name} can't be opened as a store: {}", harmless(&why));
        let why = match other_kind(path) {
            Ok(None) => match prepared(path) {
                Ok(Ok(connection)) => return Ok(Self(Arc::new(Mutex::new(connection)))),
                Ok(Err(FOREIGN)) => not_a_store("another program's database"),
                Ok(Err(found)) if found > known => format!(
                    "{name} was written by a newer robosieve (its tables are version {found}, this program reads {known}); it \
                     was not changed; update this program, or use another file"
                ),
                Ok(Err(_)) => not_a_store("a store of an older version"),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
                    not_a_store("a damaged or encrypted database")
                }
                Err(error) => not_opened(words(&error)),
            },
            Ok(Some(is)) => not_a_store(is),
            Err(error) => not_opened(error.to_string()),
        };
        Err(Error::Store(why))
    }

    /// Makes a call of the file. Why it failed says what helps.
    fn with<T>(&self, call: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let mut connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        call(&mut connection).map_err(|error| Error::store(words(&error)))
    }

    /// Changes a lane in one step, by the machine's clock.
    fn change<T>(&self, name: &str, change: impl FnOnce(&mut Lane, Moment) -> T) -> Result<T, Error> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let get = "SELECT lane FROM lane WHERE name = ?1";
            // What can't be read is a lane that nobody has used.
            let found: Option<Option<Lane>> =
                transaction.prepare_cached(get)?.query_row([name], |row| Ok(read(row, 0))).optional()?;
            let before = found.flatten().unwrap_or_default();
            let mut lane = before;
            let result = change(&mut lane, machine_now());
            if lane != before {
                let put = "INSERT OR REPLACE INTO lane (name, lane, until) VALUES (?1, ?2, ?3)";
                let json = serde_json::to_string(&lane).unwrap_or_default();
                transaction.prepare_cached(put)?.execute(params![name, json, millis(lane.ends())])?;
                transaction.commit()?;
            }
            Ok(result)
        })
    }
}

/// The value of a column with JSON, if it can be read.
fn read<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Option<T> {
    serde_json::from_str(row.get_ref(column).ok()?.as_str().ok()?).ok()
}

/// What a file is, if it is no database. To open a pipe waits for its other end, and some names are none of a file to
/// `SQLite`.
fn other_kind(path: &Path) -> io::Result<Option<&'static str>> {
    if matches!(path.to_str(), Some("" | ":memory:")) {
        let why = "it is not the name of a file to SQLite; write it with its folder, for example ./name";
        return Err(io::Error::other(why));
    }
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Ok(Some("not a regular file"));
    }
    let Ok(file) = File::open(path) else { return Ok(None) };
    let mut head = Vec::new();
    file.take(16).read_to_end(&mut head)?;
    // A short file of another kind is an empty one to `SQLite`.
    Ok((!head.is_empty() && head != b"SQLite format 3\0").then_some("a file of another kind"))
}

/// The version of a database that is another program's.
const FOREIGN: i64 = -1;

/// A database of ours; or the version of its tables if it is another, which was not changed.
fn prepared(path: &Path) -> rusqlite::Result<Result<Connection, i64>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, SqliteStore::MAX_ROW)?;
    // Read first: other programs' files are not locked.
    if version_of(&connection)? == FOREIGN {
        return Ok(Err(FOREIGN));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match version_of(&transaction)? {
        0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", SqliteStore::VERSION)?;
        }
        SqliteStore::VERSION => {
            transaction.execute("DELETE FROM site WHERE attempted < ?1", [millis(Moment::now().before(SITE_LIFE))])?;
            transaction.execute("DELETE FROM lane WHERE until < ?1", [millis(machine_now())])?;
        }
        other => return Ok(Err(other)),
    }
    transaction.commit()?;
    use_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(Ok(connection))
}

/// Reads all with one statement, so that it sees one state of a file that another program may be creating. The version
/// of an empty file is 0.
fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) \
               FROM pragma_application_id, pragma_user_version";
    let found = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(match found {
        (0_i64, 0_i64, 0_i64) => 0,
        (APPLICATION, version @ 1.., _) => version,
        _ => FOREIGN,
    })
}

/// Changes to WAL. That needs exclusive use of the file, and `SQLite` does not wait for it as it does for a write.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && waited < BUSY => {
                thread::sleep(PAUSE);
                waited = waited.saturating_add(PAUSE);
            }
            done => return done,
        }
    }
}

/// The time of this machine since it started, also asleep: the same for all its programs, also if the date is set. A
/// lane of an earlier start is ahead of it, or long past.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn machine_now() -> Moment {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec).unwrap_or(0), u64::try_from(time.tv_nsec).unwrap_or(0));
    Moment::from_millis(seconds.saturating_mul(1_000).saturating_add(nanos / 1_000_000))
}

/// The date, read anew at each change.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn machine_now() -> Moment {
    Moment::now()
}

impl Store for SqliteStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, Error> {
        let sql = "SELECT record FROM site WHERE origin = ?1 AND reader = ?2";
        self.with(|connection| {
            let mut get = connection.prepare_cached(sql)?;
            match get.query_row(params![origin.to_string(), reader], |row| Ok(read(row, 0))).optional() {
                // What can't be read is not known. It is requested again, and written anew.
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::TooBig) => Ok(None),
                record => record.map(Option::flatten),
            }
        })
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO site (origin, reader, attempted, record) VALUES (?1, ?2, ?3, ?4)";
        let json = serde_json::to_string(record).map_err(Error::store)?;
        let attempted = record.last.as_ref().map_or(0, |last| millis(last.at));
        let row = params![origin.to_string(), reader, attempted, json];
        self.with(|connection| connection.prepare_cached(sql)?.execute(row).map(drop))
    }

    fn remove(&self, origin: Option<&Origin>) -> Result<u64, Error> {
        let gone = self.with(|connection| match origin {
            Some(origin) => connection.execute("DELETE FROM site WHERE origin = ?1", [origin.to_string()]),
            None => connection.execute("DELETE FROM site", []),
        })?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.with(|connection| {
            let mut all = connection.prepare("SELECT origin, reader, record FROM site ORDER BY origin, reader")?;
            let mut rows = all.query([])?;
            while let Some(row) = rows.next()? {
                let text = |at: usize| row.get_ref(at).ok().and_then(|value| value.as_str().ok()).unwrap_or_default();
                let (Ok(origin), Some(record)) = (Origin::of(text(0)), read(row, 2)) else { continue };
                visit(&origin, text(1), record);
            }
            Ok(())
        })
    }

    fn take(&self, lane: &str, pacing: &Pacing, slot: Slot, _: Moment) -> Result<Taken, Error> {
        self.change(lane, |lane, now| lane.take(pacing, slot, now))
    }

    fn observe(&self, lane: &str, pacing: &Pacing, page: &Page, _: Moment) -> Result<(), Error> {
        self.change(lane, |lane, now| lane.observe(pacing, page, now))
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Option<Claim>, Error> {
        let (name, token) = (format!("{origin} {reader}"), unique());
        // A claim that would last longer is of an earlier start, or damaged.
        let sql = "INSERT INTO flight (name, until, token) VALUES (?1, ?2, ?4) \
                   ON CONFLICT (name) DO UPDATE SET until = ?2, token = ?4 WHERE until <= ?3 OR until > ?2";
        let is_ours = self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Read when nobody else can claim: to a time before that, a claim that came first would last longer.
            let now = machine_now();
            let count = transaction.execute(sql, params![name, millis(now.after(Claim::LEASE)), millis(now), token])?;
            transaction.commit().map(|()| count > 0)
        })?;
        let store = self.clone();
        Ok(is_ours.then(|| {
            Claim::until_dropped(move || {
                let sql = "DELETE FROM flight WHERE name = ?1 AND token = ?2";
                // If the file can't be written now, the lease ends by itself.
                let _ = store.with(|connection| connection.execute(sql, params![name, token]));
            })
        }))
    }

    fn blocks(&self) -> bool {
        true
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Why a file can't be used, and what helps.
fn words(error: &rusqlite::Error) -> String {
    let then = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return "another program has kept it locked for too long".into();
        }
        Some(ErrorCode::CannotOpen) => "its folder is missing, or the file or the folder can't be written",
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

fn millis(moment: Moment) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}
