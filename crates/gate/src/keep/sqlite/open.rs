//! Opens a store's file.
//!
//! Invariant: a file is opened as a database only if it may be one, and is used only if our tables in it are exactly
//! ours. What others have added does not matter, unless it could change what our statements do. Until that is known,
//! nothing in it runs and nothing is written.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{BUSY_TIMEOUT, cannot_open, connect, connect_to_read, is_busy};
use super::{lanes, row};
use crate::store_error::StoreError;

/// Marks a file as a store of sites (`PRAGMA application_id`): "RBSV".
const APPLICATION: i64 = 0x5242_5356;

/// The version of the tables (`PRAGMA user_version`).
pub(super) const VERSION: i64 = 1;

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
        Kind::Store(_) => return not_a_store("a store of an unknown version"),
        Kind::Empty | Kind::Foreign => return not_a_store("another program's database"),
    }
    if !is_ours(connection).map_err(wrong)? {
        return not_a_store(CHANGED);
    }
    use_wal(connection).map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)
}

const CHANGED: &str =
    "a database whose tables of sites have another definition, a trigger, or an index that may refuse rows";

/// Opens a store that is only read: by another user, or on a disk that can't be written.
pub(super) fn read(path: &Path) -> Result<Connection, StoreError> {
    refuse_other_files(path)?;
    let wrong = |error: rusqlite::Error| cannot_open(path, &error);
    let connection = connect_to_read(path)?;
    match kind_of(&connection).map_err(wrong)? {
        Kind::Store(VERSION) if is_ours(&connection).map_err(wrong)? => Ok(connection),
        Kind::Store(found) if found > VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION })
        }
        _ => Err(StoreError::NotAStore { path: path.to_owned(), is: CHANGED }),
    }
}

/// Whether our tables are as we made them, and nothing was added that changes what our statements do: `ANALYZE`, plain
/// indexes, views and other programs' tables do not.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let (found, own) = (schema(connection)?, own_schema()?);
    if !own.iter().all(|object| found.contains(object)) || has_triggers(connection)? {
        return Ok(false);
    }
    let is_table = |(kind, ..): &&Object| kind == "table";
    for (_, name, _) in own.iter().filter(is_table) {
        if !has_plain_indexes(connection, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Triggers are off, but the file is not a store's then.
fn has_triggers(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' \
               AND lower(tbl_name) IN ('site_record', 'site', 'lane', 'flight')";
    connection.query_row(sql, [], |row| Ok(row.get::<_, i64>(0)? > 0))
}

/// Whether each index that was added to a table is of whole columns. A unique one would replace other rows, and an
/// expression, a condition or an unknown collation could fail.
fn has_plain_indexes(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM pragma_index_list(?1) AS list WHERE list.origin = 'c' AND (list.\"unique\" \
               OR list.partial OR EXISTS (SELECT 1 FROM pragma_index_xinfo(list.name) AS part WHERE part.cid = -2 \
               OR part.coll NOT IN ('BINARY', 'NOCASE', 'RTRIM')))";
    connection.query_row(sql, [table], |row| Ok(row.get::<_, i64>(0)? == 0))
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

/// What a schema defines: kind, name, and text.
type Object = (String, String, Option<String>);

type Schema = Vec<Object>;

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
