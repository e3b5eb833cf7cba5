//! The store in a file: an `SQLite` database, which plain SQL can read.
//!
//! Invariant: it writes only to a file that is known to be a store of a known version. Each site record is one row and
//! each change is one transaction, so a killed program loses nothing that it committed and leaves nothing half written.

mod lanes;

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use robosieve::verdict::SiteAccess;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, TransactionBehavior, params};

use crate::lanes::Lanes;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::policy::{Class, Ruling};
use crate::retrieval::Outcome;
use crate::site::{Attempted, SiteRecord, Snapshot};
use crate::store::{SiteStore, StoreError, Visit};
use crate::validators::Validators;

/// Marks a file as a store of sites (`PRAGMA application_id`): "RBSV".
const APPLICATION: i64 = 0x5242_5356;

/// Times are milliseconds since 1970, UTC. The view shows them as text, for people.
const TABLES: &str = "
CREATE TABLE site_record (
  origin        TEXT NOT NULL,
  reader        TEXT NOT NULL,
  attempted     INTEGER,
  outcome       TEXT,
  status        INTEGER,
  class         TEXT,
  has_errors    INTEGER,
  verdict       TEXT,
  failures      INTEGER NOT NULL,
  failing_since INTEGER,
  next_attempt  INTEGER NOT NULL,
  access        TEXT,
  access_status INTEGER,
  text          TEXT,
  report        TEXT,
  retrieved     INTEGER,
  good_until    INTEGER,
  PRIMARY KEY (origin, reader)
);
CREATE VIEW site AS SELECT
  origin, reader, status, outcome, verdict, failures,
  strftime('%Y-%m-%dT%H:%M:%SZ', attempted / 1000, 'unixepoch') AS last_attempt,
  strftime('%Y-%m-%dT%H:%M:%SZ', next_attempt / 1000, 'unixepoch') AS next_attempt,
  access, text, report,
  strftime('%Y-%m-%dT%H:%M:%SZ', retrieved / 1000, 'unixepoch') AS retrieved,
  strftime('%Y-%m-%dT%H:%M:%SZ', good_until / 1000, 'unixepoch') AS good_until
FROM site_record;
";

macro_rules! columns {
    () => {
        "origin, reader, attempted, outcome, status, class, has_errors, verdict, failures, failing_since, next_attempt, \
         access, access_status, text, report, retrieved, good_until"
    };
}

const GET: &str = concat!("SELECT ", columns!(), " FROM site_record WHERE origin = ?1 AND reader = ?2");
const PUT: &str = concat!(
    "INSERT OR REPLACE INTO site_record (",
    columns!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
);
const ALL: &str = concat!("SELECT ", columns!(), " FROM site_record ORDER BY origin, reader");

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
    writes: Mutex<Connection>,
}

/// The kind of a file.
enum Kind {
    Empty,
    Store(i64),
    Foreign,
}

impl SqliteStore {
    /// The version of the tables that this program reads and writes (`PRAGMA user_version`).
    pub const VERSION: i64 = 1;

    /// How long a write waits for other writes before it fails. Our choice: 10 seconds.
    pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

    /// Opens a store. Creates it if the file does not exist or is empty.
    ///
    /// # Errors
    /// If the file is something else or of a later version, or can't be opened. The file is not changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        refuse_other_files(path)?;
        let mut writes = connect(path)?;
        prepare(&mut writes, path)?;
        let reads = connect(path)?;
        Ok(Self { path: path.to_owned(), reads: Mutex::new(reads), writes: Mutex::new(writes) })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes the sites whose last attempt was before a moment, and returns their number. Without this, a store grows
    /// with the sites of a crawl.
    ///
    /// # Errors
    /// If the store can't be written.
    pub fn forget_before(&self, moment: Moment) -> Result<u64, StoreError> {
        let sql = "DELETE FROM site_record WHERE coalesce(attempted, 0) < ?1";
        let connection = lock(&self.writes);
        let gone = connection.execute(sql, [millis(moment)]).map_err(|error| failed(&error))?;
        lanes::forget_before(&connection, moment)?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks an existing file before it is opened as a database: it must be empty or begin as `SQLite` files do.
fn refuse_other_files(path: &Path) -> Result<(), StoreError> {
    let not_a_store = |is| Err(StoreError::NotAStore { path: path.to_owned(), is });
    let Ok(file) = File::open(path) else { return Ok(()) };
    if file.metadata().is_ok_and(|about| !about.is_file()) {
        return not_a_store("not a regular file");
    }
    let mut head = Vec::new();
    if let Err(error) = file.take(16).read_to_end(&mut head) {
        return Err(StoreError::Open { path: path.to_owned(), why: error.to_string() });
    }
    if head.is_empty() || head == b"SQLite format 3\0" { Ok(()) } else { not_a_store("a file of another kind") }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(SqliteStore::BUSY_TIMEOUT)?;
        Ok(connection)
    };
    open().map_err(|error| cannot_open(path, &error))
}

fn cannot_open(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotAStore { path, is: "a damaged or encrypted database" },
        Some(ErrorCode::CannotOpen) => {
            StoreError::Open { path, why: "its folder is missing, or the file or the folder can't be written".into() }
        }
        _ => StoreError::Open { path, why: error.to_string() },
    }
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let wrong = |error: rusqlite::Error| cannot_open(path, &error);
    if let Kind::Empty = kind_of(connection).map_err(wrong)? {
        create(connection).map_err(wrong)?;
    }
    match kind_of(connection).map_err(wrong)? {
        Kind::Store(SqliteStore::VERSION) => {}
        Kind::Store(found) if found > SqliteStore::VERSION => {
            return Err(StoreError::Newer { path: path.to_owned(), found, known: SqliteStore::VERSION });
        }
        Kind::Empty | Kind::Foreign | Kind::Store(_) => {
            return Err(StoreError::NotAStore { path: path.to_owned(), is: "another program's database" });
        }
    }
    use_wal(connection).map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)
}

/// Reads all with one statement, so that it sees one state of a file that another program may be creating.
fn kind_of(connection: &Connection) -> rusqlite::Result<Kind> {
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) \
               FROM pragma_application_id, pragma_user_version";
    let (application, version, objects): (i64, i64, i64) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(match (application, version, objects) {
        (APPLICATION, 1.., _) => Kind::Store(version),
        (0, 0, 0) => Kind::Empty,
        _ => Kind::Foreign,
    })
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have created it first.
    if let Kind::Empty = kind_of(&transaction)? {
        transaction.execute_batch(TABLES)?;
        transaction.execute_batch(lanes::TABLE)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", SqliteStore::VERSION)?;
    }
    transaction.commit()
}

/// Changes to WAL. That needs exclusive use of the file, and `SQLite` does not wait for it as it does for a write.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && waited < SqliteStore::BUSY_TIMEOUT => {
                thread::sleep(PAUSE);
                waited = waited.saturating_add(PAUSE);
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn failed(error: &rusqlite::Error) -> StoreError {
    if is_busy(error) {
        let seconds = SqliteStore::BUSY_TIMEOUT.as_secs();
        return StoreError::Failed(format!("another program has kept it locked for {seconds} seconds"));
    }
    StoreError::Failed(error.to_string())
}

impl SiteStore for SqliteStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, StoreError> {
        let connection = lock(&self.reads);
        let mut statement = connection.prepare_cached(GET).map_err(|error| failed(&error))?;
        let row = statement.query_row(params![origin.to_string(), reader], |row| Ok(record(row))).optional();
        row.map_err(|error| failed(&error))?.transpose()
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), StoreError> {
        let connection = lock(&self.writes);
        let mut statement = connection.prepare_cached(PUT).map_err(|error| failed(&error))?;
        let (last, kept) = (record.last.as_ref(), record.snapshot.as_ref());
        let values = params![
            origin.to_string(),
            reader,
            last.map(|last| millis(last.at)),
            last.map(|last| outcome_name(last.outcome)),
            last.and_then(|last| last.status),
            last.map(|last| last.class.as_str()),
            last.map(|last| last.has_errors),
            last.map(|last| last.ruling.as_str()),
            record.failures,
            record.failing_since.map(millis),
            millis(record.next_attempt),
            kept.map(|kept| Ruling::Known(kept.access).as_str()),
            kept.and_then(|kept| kept.status),
            kept.map(|kept| &*kept.text),
            kept.map(|kept| &*kept.report),
            kept.map(|kept| millis(kept.at)),
            kept.map(|kept| millis(kept.good_until)),
        ];
        statement.execute(values).map(|_| ()).map_err(|error| failed(&error))
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM site_record WHERE origin = ?1 AND reader = ?2";
        let gone = lock(&self.writes).execute(sql, params![origin.to_string(), reader]);
        gone.map(|rows| rows > 0).map_err(|error| failed(&error))
    }

    fn forget(&self, origin: &Origin) -> Result<u64, StoreError> {
        let gone = lock(&self.writes).execute("DELETE FROM site_record WHERE origin = ?1", [origin.to_string()]);
        gone.map(|rows| u64::try_from(rows).unwrap_or(u64::MAX)).map_err(|error| failed(&error))
    }

    fn clear(&self) -> Result<(), StoreError> {
        lock(&self.writes).execute("DELETE FROM site_record", []).map(|_| ()).map_err(|error| failed(&error))
    }

    fn len(&self) -> Result<u64, StoreError> {
        let count = lock(&self.reads).query_row("SELECT count(*) FROM site_record", [], |row| row.get::<_, i64>(0));
        count.map(|count| u64::try_from(count).unwrap_or(0)).map_err(|error| failed(&error))
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        // Uses a separate connection, so that the visitor may use the store.
        let connection = connect(&self.path)?;
        let mut statement = connection.prepare(ALL).map_err(|error| failed(&error))?;
        let mut rows = statement.query([]).map_err(|error| failed(&error))?;
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            let text: String = row.get("origin").map_err(|error| failed(&error))?;
            let reader: String = row.get("reader").map_err(|error| failed(&error))?;
            let Ok(origin) = Origin::of(&text) else {
                return Err(StoreError::Row { origin: text, column: "origin" });
            };
            if visit(&origin, &reader, record(row)?) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    fn lanes(&self) -> Option<&dyn Lanes> {
        Some(self)
    }
}

/// The columns of a row, with their names for error messages.
struct Columns<'r, 'c>(&'r Row<'c>);

impl Columns<'_, '_> {
    fn wrong(&self, column: &'static str) -> StoreError {
        StoreError::Row { origin: self.0.get("origin").unwrap_or_default(), column }
    }

    fn get<T: rusqlite::types::FromSql>(&self, column: &'static str, at: usize) -> Result<T, StoreError> {
        self.0.get(at).map_err(|_| self.wrong(column))
    }

    fn moment(&self, column: &'static str, at: usize) -> Result<Option<Moment>, StoreError> {
        let millis: Option<i64> = self.get(column, at)?;
        let moment = |millis| u64::try_from(millis).map(Moment::from_millis).map_err(|_| self.wrong(column));
        millis.map(moment).transpose()
    }

    fn named<T>(&self, column: &'static str, at: usize, of: fn(&str) -> Option<T>) -> Result<T, StoreError> {
        let name: String = self.get(column, at)?;
        of(&name).ok_or_else(|| self.wrong(column))
    }
}

fn record(row: &Row<'_>) -> Result<SiteRecord, StoreError> {
    let row = Columns(row);
    let last = match row.moment("attempted", 2)? {
        None => None,
        Some(at) => Some(Attempted {
            at,
            outcome: row.named("outcome", 3, outcome_of)?,
            status: row.get("status", 4)?,
            class: row.named("class", 5, Class::of_name)?,
            has_errors: row.get("has_errors", 6)?,
            ruling: row.named("verdict", 7, Ruling::of_name)?,
        }),
    };
    let snapshot = match row.moment("retrieved", 15)? {
        None => None,
        Some(at) => Some(Snapshot {
            access: row.named("access", 11, access_of)?,
            status: row.get("access_status", 12)?,
            text: row.get::<Arc<str>>("text", 13)?,
            report: row.get::<Arc<str>>("report", 14)?,
            at,
            good_until: row.moment("good_until", 16)?.ok_or_else(|| row.wrong("good_until"))?,
            validators: Validators::default(),
        }),
    };
    Ok(SiteRecord {
        snapshot,
        last,
        failures: row.get("failures", 8)?,
        failing_since: row.moment("failing_since", 9)?,
        next_attempt: row.moment("next_attempt", 10)?.ok_or_else(|| row.wrong("next_attempt"))?,
    })
}

fn millis(moment: Moment) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}

fn access_of(name: &str) -> Option<SiteAccess> {
    match Ruling::of_name(name)? {
        Ruling::Known(access) => Some(access),
        Ruling::Unreachable | Ruling::NotNow => None,
    }
}

const OUTCOMES: [(Outcome, &str); 7] = [
    (Outcome::Rules, "rules"),
    (Outcome::NoRules, "no-rules"),
    (Outcome::Unavailable, "unavailable"),
    (Outcome::Unreachable, "unreachable"),
    (Outcome::Truncated, "truncated"),
    (Outcome::Unchanged, "unchanged"),
    (Outcome::NotAsked, "not-asked"),
];

fn outcome_name(outcome: Outcome) -> &'static str {
    OUTCOMES.iter().find(|entry| entry.0 == outcome).map_or("unreachable", |entry| entry.1)
}

fn outcome_of(name: &str) -> Option<Outcome> {
    OUTCOMES.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
}
