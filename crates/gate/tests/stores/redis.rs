//! The store in a server: what only a server can do.

use std::time::{Duration, Instant};

use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::Store;
use robosieve_gate::pace::{Pacing, Slot};
use robosieve_gate::{Moment, RedisStore};

use crate::contract;
use crate::making::{numbered, origin, record, secs};
use crate::redis_server::Server;

fn open(url: &str) -> RedisStore {
    RedisStore::open(url).unwrap()
}

fn admin(server: &Server) -> redis::Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

const GAP: Slot = Slot { interval: Duration::from_millis(100), within: Duration::from_secs(60) };

/// [gate.store] [gate.redis] [gate.shared-pace] [gate.hold] [gate.fleet-flight]
#[test]
fn promises() {
    let server = Server::start();
    let store = || robosieve_gate::keep::open(server.url()).unwrap();
    contract::keeps_records(&*store());
    contract::keeps_lanes(&*store());
    contract::learns_as_memory(&*store());
    contract::shares_pace(&store);
    contract::starts_one(&store);
    contract::claims(&store);
    contract::workers_wait(&store);
}

/// Prefixes do not meet, also if one is a pattern of the other: [gate.redis]
#[test]
fn prefixes() {
    let server = Server::start();
    let [one, other] = ["a*", "ab"].map(|prefix| open(&server.url().replace("test*[a]", prefix)));
    other.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
    assert_eq!((one.remove(None).unwrap(), one.get(&origin(), "mybot").unwrap()), (0, None));
    assert_eq!(other.remove(None).unwrap(), 1);
}

/// What others write is no lane, no record and no claim, and heals: [gate.redis] [gate.lane-damage]
#[test]
fn what_is_damaged_is_unknown() {
    let server = Server::start();
    let (store, mut admin) = (open(&server.url()), admin(&server));
    let pacing = Pacing::default();
    for (number, fields) in [
        &["free", "1e300", "at", "1e300"][..],
        &["free", "nan", "held", "-5", "level", "99999"],
        &["free", "inf", "gap", "inf", "since", "inf", "answers", "nan"],
        &["x", "y"],
        &["free", "99999999999999", "at", "99999999999999", "held", "99999999999999"],
    ]
    .into_iter()
    .enumerate()
    {
        let key = format!("test*[a]:lane:{{d{number}.test}}");
        redis::cmd("HSET").arg(&key).arg(fields).exec(&mut admin).unwrap();
        let taken = store.take(&format!("d{number}.test"), &pacing, GAP, Moment::now()).unwrap();
        assert!(taken.wait <= pacing.max_pause, "{fields:?}: {taken:?}");
    }
    redis::cmd("SET").arg("test*[a]:lane:{text.test}").arg("x").exec(&mut admin).unwrap();
    assert!(store.take("text.test", &pacing, GAP, Moment::now()).unwrap().is_yours);
    assert!(!store.take("text.test", &pacing, Slot { within: Duration::ZERO, ..GAP }, Moment::now()).unwrap().is_yours);
    let key = "test*[a]:site:{https://example.com}";
    for value in ["", "{", "{\"failures\":-1}", "\u{0}"] {
        redis::cmd("HSET").arg(key).arg("mybot").arg(value).exec(&mut admin).unwrap();
        assert_eq!(store.get(&origin(), "mybot").unwrap(), None, "{value}");
    }
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    store.put(&origin(), "mybot", &kept).unwrap();
    assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(kept));
    // Each key has a lifetime.
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut admin).unwrap();
    for key in keys.iter().filter(|key| key.contains("text.test") || key.contains("example.com")) {
        let left: i64 = redis::cmd("PTTL").arg(key).query(&mut admin).unwrap();
        assert!(left > 0, "{key}");
    }
}

/// A server that deletes keys when its memory is full is refused: [gate.redis-eviction]
#[test]
fn servers_that_delete_keys() {
    let server = Server::start();
    redis::cmd("CONFIG").arg(&["SET", "maxmemory-policy", "allkeys-lru"]).exec(&mut admin(&server)).unwrap();
    let error = RedisStore::open(&server.url()).unwrap_err().to_string();
    assert!(error.contains("allkeys-lru") && error.contains("set noeviction"), "{error}");
}

/// A server that is away is our trouble, in a few seconds, and is used again when it is back: [gate.redis]
#[test]
fn a_server_that_is_away() {
    let mut server = Server::start();
    let store = open(&server.url());
    store.take("a.test", &Pacing::default(), GAP, Moment::now()).unwrap();
    server.kill();
    let began = Instant::now();
    assert!(store.take("a.test", &Pacing::default(), GAP, Moment::now()).is_err());
    assert!(store.get(&numbered(1), "mybot").is_err());
    assert!(began.elapsed() < secs(15), "{:?}", began.elapsed());
    server.run();
    let until = Instant::now() + secs(20);
    while store.get(&numbered(1), "mybot").is_err() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// No message has the password: [gate.redis]
#[test]
fn passwords() {
    for url in
        ["redis://:secret@127.0.0.1:1/", "redis://user:secret@127.0.0.1:1/0?prefix=a", "rediss://:secret@127.0.0.1:1"]
    {
        let error = RedisStore::open(url).unwrap_err();
        assert!(
            error.to_string().contains("127.0.0.1:1") && !format!("{error} {error:?}").contains("secret"),
            "{error}"
        );
    }
}
