//! The store in a server: what only a server can do.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::Store;
use robosieve_gate::pace::{Pacing, Slot};
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Ask, Core, Moment, Next, RedisStore};

use crate::contract;
use crate::making::{all, numbered, origin, record, secs, settings};
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
    contract::claims(&store);
    contract::clocks_apart(&store);
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

/// The environment variable that gives a started program its store.
const STORE: &str = "ROBOSIEVE_REDIS_STORE";

fn crawler(store: &str) -> (Arc<Core>, Next) {
    let core = Arc::new(Core::new(settings(|settings| settings.pacing.default = secs(4)), open(store)));
    let next = core.ask("https://example.com/a", Ask::Permission, Moment::now());
    (core, next)
}

/// Not a test by itself: begins a retrieval, and is killed in the middle of it. [gate.kill]
#[test]
#[ignore = "started by the next test"]
fn retriever() {
    let Ok(store) = env::var(STORE) else { return };
    let (_core, Next::Fetch(_errand)) = crawler(&store) else { panic!() };
    println!("under way");
    std::thread::sleep(secs(60));
}

/// A program that is killed in the middle of a retrieval holds the site for its lease and no longer, leaves nothing
/// half stored, and its request keeps its slot: [gate.kill] [gate.fleet-flight] [gate.shared-pace]
#[test]
fn a_kill_in_the_middle_of_a_retrieval() {
    let server = Server::start();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["redis::retriever", "--exact", "--ignored", "--nocapture"]).env(STORE, server.url());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("under way")));
    child.kill().unwrap();
    child.wait().unwrap();
    let (core, next) = crawler(&server.url());
    assert!(matches!(next, Next::Again(_)), "another program has it: {next:?}");
    assert_eq!(all(&**core.store()), []);
    let (mut admin, flight) = (admin(&server), "test*[a]:flight:{https://example.com}:mybot");
    let left: u64 = redis::cmd("PTTL").arg(flight).query(&mut admin).unwrap();
    assert!((1..=70_000).contains(&left), "{left}");
    // The lease ends.
    redis::cmd("PEXPIRE").arg(flight).arg(1).exec(&mut admin).unwrap();
    let (core, next) = loop {
        let (core, next) = crawler(&server.url());
        if !matches!(next, Next::Again(_)) {
            break (core, next);
        }
    };
    let Next::Fetch(errand) = next else { panic!("{next:?}") };
    assert!(errand.starts_at() > Moment::now().after(Duration::from_millis(500)), "the killed one has its slot");
    assert!(matches!(errand.came(Fetched::new(404, ""), Moment::now()), Next::Again(_)));
    let next = core.ask("https://example.com/a", Ask::Permission, Moment::now());
    assert!(matches!(next, Next::Answer(answer) if answer.is_allowed()));
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
