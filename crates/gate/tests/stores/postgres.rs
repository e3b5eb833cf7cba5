//! The store in a `PostgreSQL` server.

use std::time::Duration;

use robosieve_gate::PostgresStore;
use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::{SiteStore, StoreError};
use robosieve_gate::pace::{Asked, Lane, Pace};

use crate::contract::{numbered, record};
use crate::making::{origin, secs};
use crate::postgres_server::Server;
use crate::servers::{self, StoreServer};

/// [gate.store] [gate.shared-pace] [gate.postgres]
#[test]
fn promises() {
    servers::promises::<Server>();
}

/// [gate.fleet-flight]
#[test]
fn one_retrieval_of_programs() {
    servers::one_retrieval_of_programs::<Server>();
}

/// [gate.fleet-flight]
#[test]
fn claims() {
    servers::claims::<Server>();
}

/// [gate.postgres-loss]
#[test]
fn a_server_that_is_away() {
    servers::a_server_that_is_away::<Server>();
}

/// [gate.wait-out]
#[test]
fn an_outage_uses_up_no_url() {
    servers::an_outage_uses_up_no_url::<Server>();
}

/// [gate.postgres-loss] [gate.shared-pace]
#[test]
fn restarts_cause_no_burst() {
    servers::restarts_cause_no_burst::<Server>();
}

/// Not a test by itself: a program of the next one: [gate.shared-pace]
#[test]
fn a_program() {
    servers::a_program();
}

/// [gate.shared-pace] [gate.postgres]
#[test]
fn kills_cause_no_burst() {
    servers::kills_cause_no_burst::<Server>("postgres::a_program");
}

/// [gate.postgres-values]
#[test]
fn the_longest_value() {
    servers::the_longest_value::<Server>();
}

/// [gate.redis-clock]
#[test]
fn a_program_that_was_held_up() {
    servers::a_program_that_was_held_up::<Server>();
}

/// [gate.redis-clock]
#[test]
fn wrong_clocks() {
    servers::wrong_clocks::<Server>();
}

/// A value that was damaged, or is another key's, is not a record: [gate.postgres-values]
#[test]
fn values() {
    let server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    store.put(&origin(), "mybot", &kept).unwrap();
    store.put(&numbered(1), "mybot", &kept).unwrap();
    let length: usize = server.sql("SELECT octet_length(value) FROM some_sites.site_record LIMIT 1").parse().unwrap();
    let of = "WHERE origin = 'https://example.com' AND reader = 'mybot'";
    for place in (0..length).step_by(7) {
        let flip = format!("SET value = set_byte(value, {place}, get_byte(value, {place}) # {})", 1 << (place % 8));
        server.sql(&format!("UPDATE some_sites.site_record {flip} {of}"));
        assert_eq!(store.get(&origin(), "mybot").unwrap(), None, "byte {place}");
        server.sql(&format!("UPDATE some_sites.site_record {flip} {of}"));
    }
    assert_eq!(store.get(&origin(), "mybot").unwrap().as_ref(), Some(&kept));
    server.sql(&format!("UPDATE some_sites.site_record SET reader = 'otherbot' {of}"));
    assert_eq!(store.get(&origin(), "otherbot").unwrap(), None);
    let mut seen = 0;
    let error = store.for_each(&mut |_, _, _| {
        seen += 1;
        std::ops::ControlFlow::Continue(())
    });
    assert!(matches!(error, Err(StoreError::Row { .. })), "{error:?}");
    assert_eq!(seen, 1);
    // A text with what PostgreSQL's texts can't have.
    let mut odd = kept.clone();
    odd.snapshot.as_mut().unwrap().text = "User-agent: *\nDisallow: /\0\n".into();
    store.put(&origin(), "mybot", &odd).unwrap();
    assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(odd));
}

/// People see sites and lanes with SQL: [gate.postgres-tables]
#[test]
fn views() {
    let server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::NoFile])).unwrap();
    let now = store.clock().now();
    Pace::default().start(store.lanes(), "a.test", &Asked::default(), now).unwrap();
    let shown =
        server.sql("SELECT origin, reader, status, outcome, verdict, failures, last_attempt FROM some_sites.site");
    assert!(shown.starts_with("https://example.com|mybot|404|no-rules|allow|0|"), "{shown}");
    let shown = server.sql(
        "SELECT name, seconds, doubled, running, next_slot > now() - interval '1 minute', changed <= clock_timestamp() \
         FROM some_sites.pace",
    );
    assert!(shown.starts_with("a.test|1.") && shown.ends_with("|0|0|t|t"), "{shown}");
}

/// Rows live as long as is said, and whoever writes deletes the others: [gate.postgres-lives]
#[test]
fn lives() {
    let server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    let most = usize::try_from(PostgresStore::SWEEP_MOST).unwrap();
    store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
    let now = store.clock().now();
    Pace::default().start(store.lanes(), "a.test", &Asked::default(), now).unwrap();
    for (table, life) in [("site_record", PostgresStore::SITE_LIFE), ("lane", PostgresStore::LANE_LIFE)] {
        let left = server.sql(&format!("SELECT extract(epoch FROM dies - now())::integer FROM some_sites.{table}"));
        let left = Duration::from_secs(left.parse().unwrap());
        assert!(left + secs(10) >= life && left <= life + secs(3_610), "{table} {left:?}");
    }
    // A row whose life is over is not there, before and after it is deleted.
    server.sql(
        "UPDATE some_sites.site_record SET dies = now() - interval '1 hour'; \
         UPDATE some_sites.lane SET dies = now() - interval '1 hour'",
    );
    assert_eq!((store.get(&origin(), "mybot").unwrap(), store.len().unwrap()), (None, 0));
    assert_eq!(store.lanes().unwrap().get("a.test", now).unwrap(), Lane::default());
    for (more, left) in [(most - 1, 0), (most, 0), (most + 1, 1)] {
        server.sql(&format!(
            "DELETE FROM some_sites.lane; INSERT INTO some_sites.lane SELECT 'old' || n, '0 0 0 - 0', \
             now() - interval '1 hour' FROM generate_series(1, {more}) AS n"
        ));
        // The first change of a program sweeps.
        let store = PostgresStore::open(&server.url()).unwrap();
        store.put(&numbered(1), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
        let found = server.sql("SELECT count(*) FROM some_sites.lane");
        assert_eq!(found, left.to_string(), "{more}");
    }
    assert_eq!(server.sql("SELECT count(*) FROM some_sites.site_record"), "1");
    // And after so many changes, again.
    let store = PostgresStore::open(&server.url()).unwrap();
    let count = || server.sql("SELECT count(*) FROM some_sites.lane WHERE name = 'old'");
    for change in 0..=PostgresStore::SWEEP_EACH {
        if change == 1 {
            server.sql("INSERT INTO some_sites.lane VALUES ('old', '0 0 0 - 0', now() - interval '1 hour')");
        }
        if change == PostgresStore::SWEEP_EACH {
            assert_eq!(count(), "1");
        }
        store.put(&numbered(1), "mybot", &record(Preset::Rfc9309, &[Class::NoFile])).unwrap();
    }
    assert_eq!(count(), "0");
}

/// Lanes that a crash emptied while the server stayed are noticed: [gate.postgres-loss]
#[test]
fn a_crash_inside() {
    let server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    let clock = store.clock();
    let pace = Pace::default();
    pace.start(store.lanes(), "a.test", &Asked::default(), clock.now()).unwrap();
    server.crash();
    assert_eq!(server.sql("SELECT count(*) FROM some_sites.lane"), "0");
    let other = PostgresStore::open(&server.url()).unwrap();
    let started = pace.start(other.lanes(), "a.test", &Asked::default(), other.clock().now());
    assert!(started.is_err(), "the slot was doubled");
}

/// A stop that loses nothing delays nothing: [gate.postgres-loss]
#[test]
fn a_stop() {
    let mut server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    let pace = Pace::default();
    let now = store.clock().now();
    pace.start(store.lanes(), "a.test", &Asked::default(), now).unwrap();
    let lane = store.lanes().unwrap().get("a.test", now).unwrap();
    server.stop();
    server.run();
    let other = PostgresStore::open(&server.url()).unwrap();
    let found = other.lanes().unwrap().get("a.test", other.clock().now()).unwrap();
    assert!(found.free.since(now) <= lane.free.since(now).saturating_add(secs(1)), "{found:?}");
    let now = other.clock().now();
    pace.start(other.lanes(), "new.test", &Asked::default(), now).unwrap();
}

/// Tables are made once, for programs that start together; later ones are not touched: [gate.postgres-tables]
#[test]
fn tables() {
    let server = Server::start();
    let url = server.url().replace("some_sites", "others");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| PostgresStore::open(&url).unwrap());
        }
    });
    assert_eq!(server.sql("SELECT version FROM others.about"), PostgresStore::VERSION.to_string());
    server.sql("UPDATE others.about SET version = version + 1; DROP TABLE others.lane CASCADE");
    let error = PostgresStore::open(&url).unwrap_err().to_string();
    assert!(error.contains("newer robosieve (version 2, this program reads 1)"), "{error}");
    assert_eq!(server.sql("SELECT to_regclass('others.lane') IS NULL"), "t");
    // Another program's tables of the same names.
    server.sql("CREATE SCHEMA foreign_ones; CREATE TABLE foreign_ones.lane (name text)");
    let error = PostgresStore::open(&server.url().replace("some_sites", "foreign_ones")).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
    assert_eq!(server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'foreign_ones'"), "1");
    // An encoding that has not all characters.
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
    let error = PostgresStore::open(&server.url().replace("/postgres?", "/latin?")).unwrap_err().to_string();
    assert!(error.contains("not UTF8"), "{error}");
}

/// Names have a longest length: [gate.postgres]
#[test]
fn names() {
    let server = Server::start();
    let store = PostgresStore::open(&server.url()).unwrap();
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    let now = store.clock().now();
    // Characters that do not repeat themselves, which no index packs.
    let long: String =
        (0..=PostgresStore::MAX_NAME).map(|n| char::from(b'a' + u8::try_from(n * n % 23).unwrap())).collect();
    for (length, fits) in
        [(PostgresStore::MAX_NAME - 1, true), (PostgresStore::MAX_NAME, true), (PostgresStore::MAX_NAME + 1, false)]
    {
        let name = &long[..length];
        assert_eq!(store.put(&origin(), name, &kept).is_ok(), fits, "{length}");
        assert_eq!(store.get(&origin(), name).unwrap().is_some(), fits, "{length}");
        assert_eq!(store.claim(&origin(), name).is_ok(), fits, "{length}");
        assert_eq!(Pace::default().start(store.lanes(), name, &Asked::default(), now).is_ok(), fits, "{length}");
    }
    for (length, fits) in [(1, true), (62, true), (63, true), (64, false), (0, false)] {
        let url = server.url().replace("some_sites", &"s".repeat(length));
        assert_eq!(PostgresStore::open(&url).is_ok(), fits, "{length}");
    }
    for name in ["A", "a-b", "a%22b", "%C3%A4"] {
        let error = PostgresStore::open(&server.url().replace("some_sites", name)).unwrap_err().to_string();
        assert!(error.contains("a-z, 0-9 and _"), "{error}");
    }
}

/// No message has the password, and what is not understood is refused: [gate.postgres]
#[test]
fn urls() {
    for url in [
        "postgres://user:s3cret@127.0.0.1:1/a",
        "postgres://user:s3cret@127.0.0.1:x/a",
        "postgres://user:s3cret@127.0.0.1/a?what=s3cret",
        "postgres://user:s3cret@127.0.0.1/a?sslmode=s3cret",
        "postgres://user:s3cret@127.0.0.1/a?sslmode=require",
        "postgres://",
    ] {
        let error = PostgresStore::open(url).unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{url}: {error}");
    }
    let error = PostgresStore::open("postgres://127.0.0.1/a?sslmode=require").unwrap_err().to_string();
    assert!(error.contains("no TLS"), "{error}");
}

/// Async code may drop a store and a claim where nothing may wait: [gate.postgres]
#[test]
fn async_code() {
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = PostgresStore::open(&server.url()).unwrap();
        let claim = store.claim(&origin(), "mybot").unwrap().unwrap();
        drop(store);
        drop(claim);
    });
    let store = PostgresStore::open(&server.url()).unwrap();
    assert!(store.claim(&origin(), "mybot").unwrap().is_ok());
}
