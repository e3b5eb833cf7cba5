//! Stores: they return what was put, and they do not change other files.

use robosieve_gate::MemoryStore;
use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::Store;

use crate::making::{all, numbered, record};

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
    let count = all(&store).len();
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
        assert_eq!((all(&store).len(), store.get(&numbered(99), "mybot").unwrap()), (100, Some(kept)), "{bytes}");
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::path::{Path, PathBuf};

    use robosieve_gate::pace::{Pacing, Slot};
    use robosieve_gate::{Core, SqliteStore};
    use rusqlite::{Connection, params};

    use super::*;
    use crate::making::{Played, Web, at, of_class, origin, secs, settings};

    fn refused(path: &Path) -> String {
        SqliteStore::open(path).unwrap_err().to_string()
    }

    fn file(folder: &tempfile::TempDir) -> PathBuf {
        folder.path().join("robots.sqlite")
    }

    /// The store in a file keeps its site records when it is opened again: [gate.store] [gate.sqlite]
    #[test]
    fn files_keep_records() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = record(Preset::Rfc9309, &[Class::Success, Class::NoAnswer]);
        // An old one is dropped when the store is opened.
        kept.last.as_mut().unwrap().at = robosieve_gate::Moment::from_millis(1);
        SqliteStore::open(file(&folder)).unwrap().put(&origin(), "otherbot", &kept).unwrap();
        kept.last.as_mut().unwrap().at = robosieve_gate::Moment::now();
        SqliteStore::open(file(&folder)).unwrap().put(&origin(), "mybot", &kept).unwrap();
        let again = SqliteStore::open(file(&folder)).unwrap();
        assert_eq!(again.get(&origin(), "mybot").unwrap(), Some(kept));
        assert_eq!(again.get(&origin(), "otherbot").unwrap(), None);
    }

    /// A second gate at the store of a closed one knows its sites without a request, and keeps its slots:
    /// [gate.store] [gate.sqlite] [gate.shared-pace]
    #[test]
    fn a_store_is_opened_again_by_a_gate() {
        let (folder, web) = (tempfile::tempdir().unwrap(), Web::file(crate::making::FILE));
        let open = || Played::over(&web, Core::new(settings(|_| {}), SqliteStore::open(file(&folder)).unwrap()));
        let now = robosieve_gate::Moment::now();
        let (free, private) = ("https://example.com/free", "https://example.com/private");
        let first = open();
        assert_eq!(first.check(private, now).rule.as_deref(), Some("Disallow: /private"));
        let slots = [first.check(free, now).wait, first.check(free, now).wait];
        assert!(slots[1] >= slots[0] + std::time::Duration::from_millis(900), "{slots:?}");
        drop(first);
        let again = open();
        assert!(again.is_cached(&origin(), now).unwrap());
        assert_eq!(again.check(private, now).rule.as_deref(), Some("Disallow: /private"));
        let next = again.check(free, now);
        assert!(next.is_allowed() && next.wait > slots[1] + std::time::Duration::from_millis(500), "{next} {slots:?}");
        assert_eq!(web.count(), 1, "the second gate has made no request");
    }

    /// Any values in a row: it is a site record, or unknown, and opens nothing; a lane is no error: [gate.row]
    #[test]
    fn any_values() {
        let store = crate::properties::rows::Store::new();
        let read = (0..600).filter(|&seed| store.any_row(&mut crate::properties::Random(seed))).count();
        assert!(read > 50 && read < 550, "only {read} could be read");
        for seed in 0..100 {
            store.any_lane(&mut crate::properties::Random(seed));
        }
    }

    /// Files of another kind, other databases and other versions are not changed: [gate.not-a-store] [gate.schema]
    #[test]
    fn other_files_are_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder);
        let mut damaged = b"SQLite format 3\0".to_vec();
        damaged.resize(8192, 0xAB);
        for content in [&b"x"[..], b"SQLite format 3", b"User-agent: *\nDisallow: /\n", &[1; 4096], &damaged] {
            std::fs::write(&path, content).unwrap();
            let error = refused(&path);
            assert!(error.ends_with("use another file"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), content);
        }
        assert!(refused(folder.path()).contains("not a store"));
        for path in [Path::new(""), Path::new(":memory:"), &folder.path().join("no/file")] {
            assert!(refused(path).contains("can't be opened"), "{path:?}");
        }
        for (sql, why) in [
            ("CREATE TABLE site (x)", "another program's"),
            ("PRAGMA application_id = 5", "another program's"),
            ("PRAGMA user_version = 2", "another program's"),
            ("PRAGMA application_id = 0x52425356; PRAGMA user_version = 1; CREATE TABLE t (x)", "an older version"),
            (
                "PRAGMA application_id = 0x52425356; PRAGMA user_version = 3; CREATE TABLE t (x)",
                "are version 3, this program reads 2",
            ),
        ] {
            std::fs::remove_file(&path).unwrap();
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
            let before = std::fs::read(&path).unwrap();
            let error = refused(&path);
            assert!(error.contains(why), "{sql}: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), before, "{sql}");
        }
    }

    /// A row that can't be read is unknown, and opens nothing; it is written anew. Nothing that a schema defines runs:
    /// [gate.row] [gate.lane-damage]
    #[test]
    fn wrong_rows_are_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(file(&folder)).unwrap();
        let by_hand = Connection::open(file(&folder)).unwrap();
        by_hand.execute_batch("CREATE TRIGGER t AFTER INSERT ON site BEGIN DELETE FROM site; END").unwrap();
        let web = Web::new(of_class(Class::NoAnswer, at(0)));
        let gate = Played::over(&web, Core::new(settings(|_| {}), store.clone()));
        let long = "x".repeat(usize::try_from(SqliteStore::MAX_ROW).unwrap());
        for text in ["", "{", "null", "{\"failures\":-1}", "[]", "\u{0}", &long] {
            let put = "INSERT OR REPLACE INTO site (origin, reader, attempted, record) VALUES (?1, 'mybot', ?2, ?3)";
            by_hand.execute(put, params![origin().to_string(), i64::MAX, text]).unwrap();
            by_hand.execute("INSERT OR REPLACE INTO lane VALUES ('example.com', ?1, 0)", [text]).unwrap();
            if text.len() < 100 {
                assert_eq!(all(&store), [], "{text:?}");
                let slot = Slot { interval: secs(1), within: secs(0) };
                assert!(store.take("example.com", &Pacing::default(), slot, at(0)).unwrap().is_yours);
            }
            assert_eq!(store.get(&origin(), "mybot").unwrap(), None);
        }
        by_hand.execute("DELETE FROM lane", []).unwrap();
        let answer = gate.permits("https://example.com/", at(0));
        assert!(!answer.is_allowed(), "{answer}");
        assert_eq!(all(&store).len(), 1);
    }

    /// Another program's lock is waited for, and named: [gate.locked]
    #[test]
    fn locks_are_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(file(&folder)).unwrap();
        let other = Connection::open(file(&folder)).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        std::thread::scope(|scope| {
            let put = scope.spawn(|| store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success])));
            std::thread::sleep(std::time::Duration::from_millis(200));
            other.execute_batch("ROLLBACK").unwrap();
            put.join().unwrap().unwrap();
        });
    }
}
