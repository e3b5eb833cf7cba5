//! A store in a file that other people use too: administrators, older programs, readers, and who holds a lock.

use std::path::PathBuf;
use std::time::Instant;

use robosieve::agent::Agents;
use robosieve_gate::decide::{Class, Preset, SiteRecord, SiteReport};
use robosieve_gate::keep::{SiteStore, StoreError};
use robosieve_gate::{Gate, SqliteStore};
use rusqlite::Connection;

use crate::making::{Told, at, origin, secs};

fn record() -> SiteRecord {
    crate::making::record(Preset::Rfc9309, &[Class::Success])
}

fn store(folder: &tempfile::TempDir) -> (PathBuf, SqliteStore) {
    let path = folder.path().join("robots #1.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    store.put(&origin(), "mybot", &record()).unwrap();
    (path, store)
}

/// What administrators and their tools add to a file does no harm: [gate.not-a-store]
#[test]
fn ordinary_acts_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store(&folder);
    drop(store);
    let admin = Connection::open(&path).unwrap();
    for sql in [
        "ANALYZE",
        "CREATE INDEX by_time ON site_record (attempted DESC, origin)",
        "CREATE INDEX by_origin ON site_record (origin COLLATE NOCASE)",
        "CREATE VIEW closed AS SELECT * FROM site WHERE verdict = 'deny'",
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
        "CREATE TABLE notes (origin TEXT UNIQUE, note TEXT)",
        "CREATE TRIGGER stamp AFTER INSERT ON notes BEGIN UPDATE notes SET note = 'new'; END",
        "VACUUM",
        "PRAGMA journal_mode = DELETE",
    ] {
        admin.execute_batch(sql).unwrap();
        let store = SqliteStore::open(&path).unwrap_or_else(|error| panic!("{sql}: {error}"));
        store.put(&origin(), "mybot", &record()).unwrap();
        assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(record()), "{sql}");
        store.lanes().unwrap().change("a.test", at(0), &mut |lane, _| lane.free = at(9)).unwrap();
    }
}

/// A store can be read where it can't be written, and is not changed then: [gate.read-only]
#[test]
fn a_store_can_be_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let (path, writer) = store(&folder);
    // While another program writes.
    let read = SqliteStore::open_to_read(&path).unwrap();
    assert_eq!(read.get(&origin(), "mybot").unwrap(), Some(record()));
    assert!(matches!(read.put(&origin(), "mybot", &record()), Err(StoreError::Failed(_))));
    drop((read, writer));
    let before = std::fs::read(&path).unwrap();
    let read = SqliteStore::open_to_read(&path).unwrap();
    let mut count = 0;
    read.for_each(&mut |_, _, found| {
        assert_eq!(found, record());
        count += 1;
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    drop(read);
    assert!(count == 1 && std::fs::read(&path).unwrap() == before, "{count}");
    assert!(SqliteStore::open_to_read(folder.path().join("none.sqlite")).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let set = |mode| std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        set(0o555);
        let found = SqliteStore::open_to_read(&path).and_then(|read| read.get(&origin(), "mybot"));
        set(0o755);
        assert_eq!(found.unwrap(), Some(record()));
    }
}

/// After one wait in vain, calls fail fast, and go on as soon as the lock is gone: [gate.locked]
#[test]
fn a_lock_does_not_hold_up_each_call() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store(&folder);
    let store = store.waiting(secs(1)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    for _ in 0..20 {
        assert!(store.put(&origin(), "mybot", &record()).is_err());
    }
    assert!(began.elapsed() < secs(6), "{:?}", began.elapsed());
    assert!(store.get(&origin(), "mybot").unwrap().is_some(), "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    store.put(&origin(), "mybot", &record()).unwrap();
}

/// The report on a site has what its file says of delay and sitemaps: [gate.site-report]
#[test]
fn reports_have_delay_and_sitemaps() {
    let file = "User-agent: MyBot\nCrawl-delay: 2.5\nDisallow: /x\nUser-agent: *\nCrawl-delay: 60\n\
                Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n";
    let gate = Gate::new(Told::file(file), robosieve_gate::MemoryStore::default(), Agents::new(["MyBot"]));
    let report: SiteReport = gate.qualify(&origin(), at(0)).unwrap();
    assert_eq!(report.crawl_delay, Some(2.5));
    assert_eq!(report.sitemaps, ["https://example.com/a.xml", "https://example.com/b.xml"]);
}
