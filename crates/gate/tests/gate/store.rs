//! Stores: they return what was put, and they do not change other files.

use robosieve_gate::MemoryStore;
use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::SiteStore;

use crate::making::{numbered, record};

/// The store in memory is limited in bytes, and its minimum size fits the longest possible text: [gate.memory-bound]
#[test]
fn memory_is_bounded() {
    let store = MemoryStore::new(MemoryStore::LEAST_BYTES);
    let long = "x".repeat(1 << 20);
    let mut kept = record(Preset::Rfc9309, &[Class::Success]);
    kept.snapshot.as_mut().unwrap().text = long.into();
    for number in 0..100 {
        store.put(&numbered(number), "mybot", &kept).unwrap();
        assert!(store.get(&numbered(number), "mybot").unwrap().is_some(), "the last one is there: {number}");
    }
    let count = store.len().unwrap();
    assert!((4..=8).contains(&count), "{count} records of 1 MiB in 8 MiB");
}

/// A store of any size in bytes fits a site: [gate.memory-bound]
#[test]
fn memory_of_any_size() {
    let least = MemoryStore::LEAST_BYTES;
    let sizes = [0, 1, least - 1, least, least + 1, MemoryStore::DEFAULT_BYTES, u64::MAX - 1, u64::MAX];
    for bytes in sizes {
        let store = MemoryStore::new(bytes);
        let kept = record(Preset::Rfc9309, &[Class::Success]);
        for number in 0..100 {
            store.put(&numbered(number), "mybot", &kept).unwrap();
        }
        assert_eq!((store.len().unwrap(), store.get(&numbered(99), "mybot").unwrap()), (100, Some(kept)), "{bytes}");
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::ops::ControlFlow;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::making::{DAY, all, at, of_class, origin, reader, secs};
    use robosieve::agent::Agents;
    use robosieve_gate::decide::{Lifetimes, Policy, SiteRecord};
    use robosieve_gate::keep::StoreError;
    use robosieve_gate::retrieve::{Attempt, AttemptEnd, Retrieval};
    use robosieve_gate::{GateCore, GateError, Moment, SqliteStore};
    use rusqlite::Connection;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn file(folder: &tempfile::TempDir) -> PathBuf {
        folder.path().join("robots.sqlite")
    }

    /// The store in a file keeps its site records when it is opened again: [gate.store] [gate.sqlite]
    #[test]
    fn files_keep_records() {
        let folder = folder();
        let path = file(&folder);
        let kept = record(Preset::Rfc9309, &[Class::Success, Class::NoAnswer]);
        SqliteStore::open(&path).unwrap().put(&origin(), "mybot", &kept).unwrap();
        let again = SqliteStore::open(&path).unwrap();
        assert_eq!(again.get(&origin(), "mybot").unwrap(), Some(kept));
        assert_eq!(again.path(), path);
    }

    /// Plain SQL reads the store, with its dates: [gate.sqlite]
    #[test]
    fn plain_sql_reads_it() {
        let folder = folder();
        let store = SqliteStore::open(file(&folder)).unwrap();
        store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success, Class::ServerError])).unwrap();
        let sql = "SELECT origin, status, verdict, failures, last_attempt, text, retrieved, report FROM site";
        let row = Connection::open(file(&folder))
            .unwrap()
            .query_row(sql, [], |row| {
                let text = |at| row.get::<_, String>(at);
                Ok((
                    (text(0)?, row.get::<_, i64>(1)?, text(2)?, row.get::<_, i64>(3)?),
                    (text(4)?, text(5)?, text(6)?, text(7)?),
                ))
            })
            .unwrap();
        assert_eq!(row.0, ("https://example.com".into(), 503, "unreachable".into(), 1));
        assert_eq!((&*row.1.0, &*row.1.2), ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"));
        assert_eq!(row.1.1, "User-agent: *\nDisallow: /private\n");
        assert!(row.1.3.starts_with("{\"input\":") && row.1.3.contains("\"exact\":true"), "{}", row.1.3);
    }

    /// Moments have the same text as in the store's view, for 8,000 times up to the year 2800: [gate.moment]
    #[test]
    fn moments_have_the_text_of_the_view() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ?1, 'unixepoch')").unwrap();
        for step in 0..8_000_i64 {
            let seconds = step * 3_276_799;
            let expected: String = statement.query_row([seconds], |row| row.get(0)).unwrap();
            let moment = robosieve_gate::Moment::from_millis(u64::try_from(seconds).unwrap() * 1_000 + 999);
            assert_eq!(moment.to_string(), expected);
        }
        assert!(robosieve_gate::Moment::from_millis(u64::MAX).to_string().starts_with("584556019-"));
    }

    fn bytes(path: &Path) -> Vec<u8> {
        std::fs::read(path).unwrap()
    }

    /// Files of another kind are not changed: [gate.not-a-store]
    #[test]
    fn other_files_are_not_changed() {
        let folder = folder();
        let path = file(&folder);
        for content in [&b"x"[..], b"SQLite format 3", b"User-agent: *\nDisallow: /\n", &[0; 4096]] {
            std::fs::write(&path, content).unwrap();
            let error = SqliteStore::open(&path).unwrap_err();
            assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
            assert!(error.to_string().ends_with("use another file"), "{error}");
            assert_eq!(bytes(&path), content);
        }
        let mut damaged = b"SQLite format 3\0".to_vec();
        damaged.resize(8192, 0xAB);
        std::fs::write(&path, &damaged).unwrap();
        let error = SqliteStore::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { is: "a damaged or encrypted database", .. }), "{error}");
        assert_eq!(bytes(&path), damaged);
        assert!(matches!(SqliteStore::open(folder.path()).unwrap_err(), StoreError::NotAStore { .. }));
    }

    /// A file that was damaged behind its head: nothing opens, and the message says what helps: [gate.store-words]
    #[test]
    fn damaged_files_say_what_helps() {
        let folder = folder();
        let path = file(&folder);
        let store = SqliteStore::open(&path).unwrap();
        for number in 0..200 {
            store.put(&numbered(number), "mybot", &SiteRecord::default()).unwrap();
        }
        drop(store);
        let whole = bytes(&path);
        let page = usize::from(u16::from_be_bytes([whole[16], whole[17]]));
        assert!(whole.len() > 4 * page, "{}", whole.len());
        let mut damaged = whole.clone();
        damaged[page..].fill(0xAB);
        std::fs::write(&path, &damaged).unwrap();
        let found: Result<(), StoreError> = SqliteStore::open(&path).and_then(|store| {
            let core = GateCore::new(store, Agents::new(["MyBot"]));
            match core.ask_permission("http://h1.test/", at(0)) {
                Err(GateError::Store(error)) => Err(error),
                _ => panic!("it has an answer"),
            }
        });
        let error = found.unwrap_err().to_string();
        assert!(error.contains("malformed") && error.contains("move it away with its -wal and -shm"), "{error}");
    }

    /// Databases of other programs are not changed: [gate.not-a-store]
    #[test]
    fn other_databases_are_not_changed() {
        for sql in ["CREATE TABLE t (x)", "PRAGMA application_id = 7", "PRAGMA user_version = 7"] {
            let folder = folder();
            let path = file(&folder);
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let before = bytes(&path);
            let error = SqliteStore::open(&path).unwrap_err();
            assert!(matches!(error, StoreError::NotAStore { is: "another program's database", .. }), "{sql}: {error}");
            assert_eq!(bytes(&path), before, "{sql}");
        }
    }

    /// A store of a later version gives an error that says what to do: [gate.schema]
    #[test]
    fn newer_stores_are_not_changed() {
        let folder = folder();
        let path = file(&folder);
        SqliteStore::open(&path).unwrap().put(&origin(), "mybot", &SiteRecord::default()).unwrap();
        let version: i64 =
            Connection::open(&path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, SqliteStore::VERSION);
        Connection::open(&path).unwrap().execute_batch(&format!("PRAGMA user_version = {}", version + 1)).unwrap();
        let before = bytes(&path);
        let error = SqliteStore::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
        assert!(error.to_string().contains("update this program, or use another file"), "{error}");
        assert_eq!(bytes(&path), before);
    }

    /// The folder is missing, or the file can't be opened: [gate.schema]
    #[test]
    fn missing_folders() {
        let folder = folder();
        let path = folder.path().join("no/such/folder/robots.sqlite");
        let error = SqliteStore::open(&path).unwrap_err();
        assert!(error.to_string().contains("its folder is missing"), "{error}");
        assert!(!path.exists());
        std::fs::write(file(&folder), "").unwrap();
        SqliteStore::open(file(&folder)).expect("an empty file becomes a store");
    }

    /// A row that was changed by hand is unknown, is named when all rows are read, and is written anew: [gate.row]
    #[test]
    fn wrong_rows_are_unknown() {
        for (column, value) in [
            ("record", "'{'"),
            ("record", "'{}'"),
            ("record", "x'00FF'"),
            ("record", "7"),
            ("record", "record || ' '"),
            ("record", "json_set(record, '$.snapshot.access', 'allow')"),
            ("record", "json_set(record, '$.snapshot.good_until', 9000000000000)"),
            ("attempted", "attempted + 1"),
            ("attempted", "'x'"),
            ("reader", "'otherbot'"),
            ("checksum", "checksum + 1"),
            ("checksum", "'x'"),
        ] {
            let folder = folder();
            let store = SqliteStore::open(file(&folder)).unwrap();
            let kept = record(Preset::Rfc9309, &[Class::Success]);
            store.put(&origin(), "mybot", &kept).unwrap();
            store.put(&numbered(1), "mybot", &kept).unwrap();
            let sql = format!("UPDATE site_record SET {column} = {value} WHERE origin = 'https://example.com'");
            let outcome = Connection::open(file(&folder)).unwrap().execute(&sql, []);
            assert_eq!(outcome.unwrap(), 1);
            let key = if column == "reader" { "otherbot" } else { "mybot" };
            assert_eq!(store.get(&origin(), key).unwrap(), None, "{column}");
            let mut seen = 0;
            let error = store.for_each(&mut |_, _, _| {
                seen += 1;
                ControlFlow::Continue(())
            });
            let error = error.unwrap_err();
            assert_eq!(seen, 1, "the other row is readable");
            let is_named = matches!(&error, StoreError::Row { column: "checksum" | "attempted", .. });
            assert!(is_named && error.to_string().contains("https://example.com"), "{column}: {error}");
            store.put(&origin(), key, &kept).unwrap();
            assert_eq!(store.get(&origin(), key).unwrap(), Some(kept), "{column}");
        }
    }

    /// Each byte of a row's values is flipped: none gives a record that was not written: [gate.row]
    #[test]
    fn one_flipped_byte_is_noticed() {
        let folder = folder();
        let path = file(&folder);
        let kept = record(Preset::Rfc9309, &[Class::Success, Class::ServerError]);
        SqliteStore::open(&path).unwrap().put(&origin(), "mybot", &kept).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
        drop(connection);
        let whole = bytes(&path);
        let (mut same, mut unknown, mut refused) = (0, 0, 0);
        let is_in_use = |at: &usize| whole[*at] != 0 || at.is_multiple_of(64);
        for at in (0..whole.len()).filter(is_in_use).step_by(5) {
            let copy = folder.path().join(format!("flipped-{at}.sqlite"));
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            std::fs::write(&copy, flipped).unwrap();
            match SqliteStore::open(&copy).and_then(|store| store.get(&origin(), "mybot")) {
                Ok(Some(found)) => {
                    assert_eq!(found, kept, "byte {at}");
                    same += 1;
                }
                Ok(None) => unknown += 1,
                Err(_) => refused += 1,
            }
            for suffix in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(folder.path().join(format!("flipped-{at}.sqlite{suffix}")));
            }
        }
        assert!(unknown > 20 && refused > 20, "{same} same, {unknown} unknown, {refused} refused");
    }

    /// A row has a size. A longer one is not written, and one that another program wrote is unknown: [gate.row]
    #[test]
    fn rows_have_a_size() {
        let folder = folder();
        let store = SqliteStore::open(file(&folder)).unwrap();
        let most = usize::try_from(SqliteStore::MAX_ROW).unwrap();
        let mut kept = record(Preset::Rfc9309, &[Class::Success]);
        // The other values take under a thousand bytes.
        for (length, fits) in [(most - 2_000, true), (most + 1, false)] {
            kept.snapshot.as_mut().unwrap().text = "x".repeat(length).into();
            assert_eq!(store.put(&origin(), "mybot", &kept).is_ok(), fits, "{length}");
            assert_eq!(store.get(&origin(), "mybot").unwrap().is_some_and(|found| found == kept), fits);
        }
        let sql = format!("UPDATE site_record SET record = zeroblob({})", most + 1);
        Connection::open(file(&folder)).unwrap().execute(&sql, []).unwrap();
        assert_eq!(store.get(&origin(), "mybot").unwrap(), None);
    }

    /// Pipes, names that are none to `SQLite`, and foreign schemas are refused before anything in them runs:
    /// [gate.not-a-store]
    #[test]
    fn what_is_refused_unread() {
        for name in ["file:robots.sqlite", "file:robots.sqlite?mode=memory", ":memory:", ""] {
            let error = SqliteStore::open(name).unwrap_err();
            assert!(error.to_string().contains("write it with its folder"), "{error}");
        }
        let folder = folder();
        let pipe = folder.path().join("pipe");
        if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            let error = SqliteStore::open(&pipe).unwrap_err();
            assert!(matches!(error, StoreError::NotAStore { is: "not a regular file", .. }), "{error}");
        }
        for sql in [
            "CREATE TRIGGER t AFTER INSERT ON site_record BEGIN DELETE FROM site_record; END",
            "DROP TABLE site_record; CREATE VIEW site_record AS SELECT 1 AS origin",
            "CREATE TRIGGER t AFTER INSERT ON lane BEGIN DELETE FROM lane; END",
            "CREATE TRIGGER t INSTEAD OF INSERT ON site BEGIN SELECT 1; END",
            "CREATE UNIQUE INDEX other ON site_record (attempted)",
            "CREATE INDEX other ON site_record (json(record))",
            "CREATE INDEX other ON site_record (origin) WHERE abs(attempted) > 1",
            "DROP TABLE lane",
            "DROP VIEW site; CREATE VIEW site AS SELECT load_extension('x')",
            "ALTER TABLE site_record ADD COLUMN other",
        ] {
            let path = folder.path().join("foreign.sqlite");
            let _ = std::fs::remove_file(&path);
            SqliteStore::open(&path).unwrap().put(&origin(), "mybot", &SiteRecord::default()).unwrap();
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let before = bytes(&path);
            let error = SqliteStore::open(&path).unwrap_err();
            assert!(matches!(error, StoreError::NotAStore { .. }), "{sql}: {error}");
            assert_eq!(bytes(&path), before, "{sql}");
        }
    }

    /// A lock is waited for; a write that gets none in that time fails: [gate.shared] [gate.own-trouble]
    #[test]
    fn locks_are_waited_for() {
        let folder = folder();
        assert_eq!(SqliteStore::BUSY_TIMEOUT, secs(10));
        let store = SqliteStore::open(file(&folder)).unwrap().waiting(secs(1)).unwrap();
        let kept = record(Preset::Rfc9309, &[Class::Success]);
        for (held, is_kept) in [(300, true), (1_800, false)] {
            let other = Connection::open(file(&folder)).unwrap();
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
            let release = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(held));
                other.execute_batch("ROLLBACK").unwrap();
            });
            let put = store.put(&origin(), "mybot", &kept);
            assert_eq!(put.is_ok(), is_kept, "{held}: {put:?}");
            release.join().unwrap();
        }
        assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(kept));
    }

    /// Another program's lifetimes do not count beyond ours: [gate.cache-life]
    #[test]
    fn lifetimes_of_other_programs() {
        let lifetimes = Lifetimes::default();
        let mut kept = record(Preset::Rfc9309, &[Class::Success]);
        kept.next_attempt = at(1_000 * DAY);
        kept.snapshot.as_mut().unwrap().good_until = at(1_000 * DAY);
        let within = kept.clone().within(&lifetimes);
        let began = kept.last.unwrap().at;
        assert_eq!(within.next_attempt, began.after(secs(DAY)));
        assert_eq!(within.snapshot.unwrap().good_until, began.after(secs(DAY)));
        let short = record(Preset::Rfc9309, &[Class::Success, Class::NoAnswer]);
        assert_eq!(short.clone().within(&lifetimes), short, "what is within is unchanged");
        let mut failed = short;
        failed.next_attempt = at(1_000 * DAY);
        let last = failed.last.unwrap().at;
        assert_eq!(failed.within(&lifetimes).next_attempt, last.after(secs(30 * DAY)));
    }

    /// Attempts are kept with their reasons: [gate.reasons]
    #[test]
    fn reasons_are_kept() {
        let folder = folder();
        let store = SqliteStore::open(file(&folder)).unwrap();
        let raw = b"\xEF\xBB\xBFUser-agent: *\r\nDisallow: /\xFF\0\r\n";
        let ends = [
            AttemptEnd::Failed("connection refused".into()),
            AttemptEnd::NotAsked("no route".into()),
            AttemptEnd::Status(200),
        ];
        let address = |end: AttemptEnd| Attempt { address: Some("[2606:4700::1]:443".parse().unwrap()), end };
        let attempts: Vec<_> = ends.into_iter().map(address).collect();
        let retrieved = Retrieval { body: raw.to_vec(), attempts, ..of_class(Class::Success, at(0)) };
        let contents = reader().read(&retrieved);
        let kept = SiteRecord::default().after(&retrieved, contents, &Policy::default(), &Lifetimes::default());
        store.put(&origin(), "mybot", &kept).unwrap();
        let found = store.get(&origin(), "mybot").unwrap().unwrap();
        assert_eq!(found, kept);
        assert_eq!(&*found.attempts, &*retrieved.attempts);
        assert_eq!(found.answered_by(), Some("2606:4700::1".parse().unwrap()));
        let many: Vec<_> = (0..100).map(|at| Attempt { address: None, end: AttemptEnd::Status(at) }).collect();
        for (count, left) in [(31, 31), (32, 32), (33, 32), (100, 32)] {
            let retrieved = Retrieval { attempts: many[..count].to_vec(), ..of_class(Class::ServerError, at(0)) };
            let contents = reader().read(&retrieved);
            let kept = SiteRecord::default().after(&retrieved, contents, &Policy::default(), &Lifetimes::default());
            assert_eq!(kept.attempts.len(), left);
            assert_eq!((&kept.attempts[0], &kept.attempts[left - 1]), (&many[0], &many[count - 1]));
        }
    }

    /// The largest moments and counts are kept: [gate.sqlite]
    #[test]
    fn the_largest_numbers_are_kept() {
        let folder = folder();
        let store = SqliteStore::open(file(&folder)).unwrap();
        let most = [i64::MAX.unsigned_abs(), u64::MAX].map(Moment::from_millis);
        for moment in [Moment::from_millis(0), Moment::from_millis(1), at(DAY), most[0], most[1]] {
            let mut kept = record(Preset::Rfc9309, &[Class::Success]);
            kept.next_attempt = moment;
            kept.failures = u32::MAX;
            store.put(&origin(), "mybot", &kept).unwrap();
            let found = store.get(&origin(), "mybot").unwrap().unwrap();
            assert_eq!((found.next_attempt, found.failures), (moment, u32::MAX), "{moment:?}");
        }
    }

    /// Errors quote file names and foreign text harmlessly, on one line: [harmless.bytes] [harmless.lines]
    #[test]
    fn errors_quote_nothing_raw() {
        let evil = "a\nb\r\u{1b}[2J\u{85}\u{2028}\u{202e}\u{e9}";
        let shown = "a\\x0Ab\\x0D\\x1B[2J\\xC2\\x85\\xE2\\x80\\xA8\\xE2\\x80\\xAEé";
        let errors = [
            StoreError::NotAStore { path: evil.into(), is: "no regular file" },
            StoreError::Newer { path: evil.into(), found: 2, known: 1 },
            StoreError::Row { origin: evil.into(), column: "text" },
            StoreError::Open { path: evil.into(), why: evil.into() },
            StoreError::Failed(evil.into()),
        ];
        let mut messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        messages.push(evil.parse::<Preset>().unwrap_err().to_string());
        #[cfg(feature = "driver")]
        messages.push(robosieve_gate::net::CertificateError::Unreadable(evil.into()).to_string());
        for message in messages {
            assert!(message.contains(shown), "{message}");
            assert!(message.chars().all(robosieve::printable::is_shown), "{message:?}");
        }
        let folder = folder();
        let error = SqliteStore::open(folder.path().join("no").join(evil)).unwrap_err().to_string();
        assert!(error.chars().all(robosieve::printable::is_shown), "{error:?}");
    }

    /// Old sites can be deleted: [gate.forget]
    #[test]
    fn forgetting_old_sites() {
        let folder = folder();
        let store = SqliteStore::open(file(&folder)).unwrap();
        store.put(&numbered(1), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
        store.put(&numbered(2), "mybot", &record(Preset::Rfc9309, &[Class::Success, Class::Success])).unwrap();
        assert_eq!(store.forget_before(at(0)).unwrap(), 0);
        assert_eq!(store.forget_before(at(DAY)).unwrap(), 1);
        assert_eq!(all(&store), [("https://2.example.com:8443".to_owned(), "mybot".to_owned())]);
    }

    /// Many stores open one new file at the same time: [gate.shared]
    #[test]
    fn many_share_a_file() {
        let folder = folder();
        let path = file(&folder);
        let kept = record(Preset::Rfc9309, &[Class::Success]);
        let written = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (path, kept, written) = (&path, &kept, &written);
                scope.spawn(move || {
                    let store = SqliteStore::open(path).unwrap();
                    for number in 0..25 {
                        store.put(&numbered(thread * 100 + number), "mybot", kept).unwrap();
                        written.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(written.into_inner(), 200);
        assert_eq!(SqliteStore::open(&path).unwrap().len().unwrap(), 200);
    }
}
