//! Opens a store's file.
//!
//! Invariant: a file is opened as a database only if it may be one, and is used only if its tables are exactly ours.
//! Until then nothing in it runs and nothing is written: neither views nor triggers of another schema.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{BUSY_TIMEOUT, cannot_open, connect, is_busy};
use super::{lanes, row};
use crate::store_error::StoreError;

/// Marks a file as a store of sites (`PRAGMA application_id`): "RBSV".
const APPLICATION: i64 = 0x5242_5356;

/// The version of the tables (`PRAGMA user_version`).
pub(super) const VERSION: i64 = 2;

/// The kind of a file.
enum Kind {
    Empty,
    Store(i64),
    Foreign,
}

/// Opens a store, or creates it.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    refuse_other_files(path)?;
    let mut writes = connect(path)?;
    prepare(&mut writes, path)?;
    Ok(writes)
}

/// Checks a name and its file before it is opened as a database: the file must be empty or begin as `SQLite` files do.
fn refuse_other_files(path: &Path) -> Result<(), StoreError> {
    let not_a_store = |is| Err(StoreError::NotAStore { path: path.to_owned(), is });
    // To `SQLite`, such a name is not that of a file.
    let name = path.to_string_lossy();
    if name.is_empty() || name == ":memory:" || name.starts_with("file:") {
        let why = "it is not the name of a file to SQLite; write it with its folder, for example ./name";
        return Err(StoreError::Open { path: path.to_owned(), why: why.into() });
    }
    // Before it is opened, because opening a pipe waits for its other end.
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() => return not_a_store("not a regular file"),
        Ok(_) => {}
        Err(_) => return Ok(()),
    }
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut head = Vec::new();
    if let Err(error) = file.take(16).read_to_end(&mut head) {
        return Err(StoreError::Open { path: path.to_owned(), why: error.to_string() });
    }
    if head.is_empty() || head == b"SQLite format 3\0" { Ok(()) } else { not_a_store("a file of another kind") }
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let wrong = |error: rusqlite::Error| cannot_open(path, &error);
    let not_a_store = |is| Err(StoreError::NotAStore { path: path.to_owned(), is });
    if let Kind::Empty = kind_of(connection).map_err(wrong)? {
        create(connection).map_err(wrong)?;
    }
    match kind_of(connection).map_err(wrong)? {
        Kind::Store(VERSION) => {}
        Kind::Store(found) if found > VERSION => {
            return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
        }
        Kind::Store(_) => return not_a_store("a store of an older robosieve"),
        Kind::Empty | Kind::Foreign => return not_a_store("another program's database"),
    }
    if schema(connection).map_err(wrong)? != own_schema().map_err(wrong)? {
        return not_a_store("a database with tables, views or triggers that a store does not have");
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

/// Everything that a schema defines: kind, name, and text.
type Schema = Vec<(String, String, Option<String>)>;

fn schema(connection: &Connection) -> rusqlite::Result<Schema> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// The schema of a new store.
fn own_schema() -> rusqlite::Result<Schema> {
    let empty = Connection::open_in_memory()?;
    create_tables(&empty)?;
    schema(&empty)
}

fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(row::TABLE)?;
    connection.execute_batch(lanes::TABLE)
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have created it first.
    if let Kind::Empty = kind_of(&transaction)? {
        create_tables(&transaction)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

/// Changes to WAL. That needs exclusive use of the file, and `SQLite` does not wait for it as it does for a write.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && waited < BUSY_TIMEOUT => {
                thread::sleep(PAUSE);
                waited = waited.saturating_add(PAUSE);
            }
            done => return done,
        }
    }
}
