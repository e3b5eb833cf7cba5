//! The store in a Redis server: one retrieval and one pace, whatever becomes of the programs and the server.

use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::{Claim, SiteStore, StoreError, open};
use robosieve_gate::pace::{Asked, NoSlot, Pace, Pacing};
use robosieve_gate::{Answer, GateCore, GateError, Moment, Next, RedisStore, Why};

use crate::contract::{
    claims, keeps_lanes, keeps_records, lifts_holds, shares_pace, starts_one, visitors_may_write, workers_wait,
};
use crate::making::{at, numbered, of_class, origin, record, secs};
use crate::redis_server::Server;

fn core(url: &str) -> GateCore {
    GateCore::new(open(url).unwrap(), Agents::new(["MyBot"]))
}

/// What every store promises: [gate.store] [gate.shared-pace] [gate.redis] [gate.hold] [gate.fleet-flight]
#[test]
fn promises() {
    let server = Server::start();
    let open = || open(server.url()).unwrap();
    keeps_records(&*open());
    visitors_may_write(&*open());
    keeps_lanes(&*open());
    shares_pace(&open);
    starts_one(&open);
    lifts_holds(&*open());
    claims(&open);
    workers_wait(&open);
}

/// Of programs that ask at the same time one retrieves; the others have what it stored: [gate.fleet-flight]
#[test]
fn one_retrieval_of_programs() {
    let server = Server::start();
    let (retrieved, url) = (AtomicU32::new(0), "https://example.com/a");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let core = core(&server.url());
                let clock = core.store().clock();
                loop {
                    match core.ask_permission(url, clock.now()).unwrap() {
                        Next::Retrieve(flight) => {
                            retrieved.fetch_add(1, Ordering::SeqCst);
                            std::thread::sleep(Duration::from_millis(400));
                            core.learn(flight.origin(), of_class(Class::Success, clock.now()), clock.now()).unwrap();
                        }
                        Next::Wait(pending) => pending.wait(),
                        Next::Again(_) | Next::Answer(Answer::NotNow { .. }) => {
                            std::thread::sleep(Duration::from_millis(20));
                        }
                        Next::Answer(answer) => {
                            assert!(matches!(answer, Answer::Allowed { .. }), "{answer}");
                            break;
                        }
                    }
                }
            });
        }
    });
    assert_eq!(retrieved.into_inner(), 1);
}

/// A connection of an administrator.
fn admin(server: &Server) -> impl FnMut(&[&[u8]]) -> redis::Value + use<> {
    let socket = server.url().replace("?prefix=test*[a]", "");
    let mut admin = redis::Client::open(socket).unwrap().get_connection().unwrap();
    move |words: &[&[u8]]| {
        let (first, rest) = words.split_first().unwrap();
        let mut command = redis::cmd(std::str::from_utf8(first).unwrap());
        command.arg(rest);
        command.query(&mut admin).unwrap()
    }
}

/// A claim that was changed by hand ends as others do: [gate.fleet-flight]
#[test]
fn claims_that_were_changed() {
    let server = Server::start();
    let (store, mut run) = (open(server.url()).unwrap(), admin(&server));
    let key: &[u8] = b"test*[a]:flight:{https://example.com}:mybot";
    for words in [&[b"SET", key, b"x"][..], &[b"SET", key, b"x", b"PX", b"999999999"], &[b"RPUSH", key, b"x"]] {
        run(words);
        assert_eq!(store.claim(&origin(), "mybot").unwrap().unwrap_err(), Claim::LOOK_AGAIN);
        let redis::Value::Int(life) = run(&[b"PTTL", key]) else { panic!("no number") };
        assert!(life > 0 && u128::try_from(life).unwrap() <= Claim::LEASE.as_millis(), "{words:?}: {life}");
        run(&[b"PEXPIRE", key, b"1"]);
        std::thread::sleep(Duration::from_millis(5));
        assert!(store.claim(&origin(), "mybot").unwrap().is_ok());
    }
}

/// What is no lane is none, and is written anew: [gate.shared-pace]
#[test]
fn lanes_that_are_none() {
    let server = Server::start();
    let mut run = admin(&server);
    let key: &[u8] = b"test*[a]:lane:{a.test}";
    let (long, many) =
        (vec![b'1'; 20 << 20], b"1 1 1 - 0".iter().chain(b" 1".repeat(5_000).iter()).copied().collect::<Vec<_>>());
    let texts: [&[u8]; 8] = [b"\xff\xfe", b"", b"x", b"1 2", b"1 1 1 - 0 h1.x", b"1 1 1 - 999 1", &long, &many];
    let mut set: Vec<Vec<&[u8]>> = texts.iter().map(|text| vec![&b"SET"[..], key, text]).collect();
    set.extend([vec![&b"RPUSH"[..], key, b"1"], vec![&b"HSET"[..], key, b"1", b"1"], vec![&b"SADD"[..], key, b"1"]]);
    for words in &set {
        run(words);
        // A program that has not seen the lane.
        let store = open(server.url()).unwrap();
        let (clock, pace) = (store.clock(), Pace::default());
        let free = pace.next_free(store.lanes(), ["a.test"], clock.now()).unwrap();
        assert!(free[0].since(clock.now()) < secs(1));
        let what = String::from_utf8_lossy(&words[2][..words[2].len().min(20)]);
        pace.take(store.lanes(), "a.test", &Asked::default(), clock.now())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let wait = pace.take(store.lanes(), "a.test", &Asked::default(), clock.now()).unwrap();
        assert!(wait > Duration::from_millis(800) && wait <= secs(2), "{what}: {wait:?}");
        run(&[b"DEL", key]);
    }
}

/// A server that may delete lanes is named: [gate.redis-eviction]
#[test]
fn servers_that_delete_keys() {
    let server = Server::start();
    let mut run = admin(&server);
    assert_eq!(open(server.url()).unwrap().warning(), None);
    for policy in ["allkeys-random", "volatile-lru"] {
        run(&[b"CONFIG", b"SET", b"maxmemory-policy", policy.as_bytes()]);
        let warning = open(server.url()).unwrap().warning().unwrap();
        assert!(warning.contains(policy) && warning.contains("noeviction"), "{warning}");
    }
    run(&[b"CONFIG", b"SET", b"maxmemory-policy", b"noeviction"]);
    assert_eq!(open(server.url()).unwrap().warning(), None);
}

/// While the server is away, calls fail soon and nothing is opened or charged; then it is used again: [gate.redis-loss]
#[test]
fn a_server_that_is_away() {
    let mut server = Server::start();
    let core = core(&server.url());
    let (clock, url) = (core.store().clock(), "https://example.com/a");
    server.kill();
    let began = Instant::now();
    for _ in 0..100 {
        let answer = core.ask(url, clock.now());
        assert!(matches!(answer, Err(GateError::Store(StoreError::Failed(_)))), "{answer:?}");
    }
    assert!(began.elapsed() < secs(1), "{:?}", began.elapsed());
    server.run();
    std::thread::sleep(RedisStore::HOLD_OFF);
    assert_eq!(core.store().get(&origin(), "mybot").unwrap(), None, "no failure is stored");
    let next = loop {
        match core.ask(url, clock.now()).unwrap() {
            Next::Answer(Answer::NotNow { .. }) => std::thread::sleep(Duration::from_millis(50)),
            next => break next,
        }
    };
    assert!(matches!(next, Next::Retrieve(_)), "{next:?}");
}

/// The least time between two starts, each at some moment of its call: as long as it can have been.
fn least_gap(starts: &[(u64, u64)]) -> u64 {
    let gap = |one: &(u64, u64), other: &(u64, u64)| one.1.saturating_sub(other.0).max(other.1.saturating_sub(one.0));
    let pairs =
        starts.iter().enumerate().flat_map(|(at, one)| starts[at + 1..].iter().map(move |other| gap(one, other)));
    pairs.min().unwrap()
}

/// How often something is done: a few times, or as often as the variable says.
fn times(variable: &str, few: u32) -> u32 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// A server that is killed again and again, with all its data, causes no burst: [gate.redis-loss] [gate.shared-pace]
#[test]
fn restarts_cause_no_burst() {
    let mut server = Server::start();
    let gap = Duration::from_millis(200);
    let pacing = Pacing { default: gap, min: gap, ..Pacing::default() };
    let (starts, is_over, failures) =
        (Mutex::new(Vec::<(Moment, Moment)>::new()), AtomicU32::new(0), AtomicU32::new(0));
    let url = server.url();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = open(&url).unwrap();
                let (pace, clock, mut round) = (Pace::new(pacing), store.clock(), 0_u32);
                while is_over.load(Ordering::SeqCst) == 0 {
                    let before = Moment::now();
                    match pace.start(store.lanes(), "a.test", &Asked::default(), clock.now()) {
                        Ok(()) => starts.lock().unwrap().push((before, Moment::now())),
                        Err(NoSlot::Store(_)) => drop(failures.fetch_add(1, Ordering::SeqCst)),
                        Err(_) => {}
                    }
                    std::thread::sleep(Duration::from_millis(5));
                    round += 1;
                    if round % 20 != 0 {
                        continue;
                    }
                    // A program that has just started, and knows nothing by itself.
                    let Ok(store) = open(&url) else { continue };
                    let core = GateCore::new(store, Agents::new(["MyBot"]));
                    match core.ask_permission("https://example.com/private", clock.now()) {
                        Ok(Next::Retrieve(flight)) => {
                            let _ = core.learn(flight.origin(), of_class(Class::Success, clock.now()), clock.now());
                        }
                        Ok(
                            Next::Again(_)
                            | Next::Answer(Answer::Denied { .. } | Answer::NotNow { why: Why::Pace, .. }),
                        )
                        | Err(GateError::Store(_)) => {}
                        other => panic!("opened or charged: {other:?}"),
                    }
                    if let Ok(Some(record)) = core.store().get(&origin(), "mybot") {
                        assert_eq!(record.failures, 0);
                    }
                }
            });
        }
        for _ in 0..times("ROBOSIEVE_RESTARTS", 2) {
            std::thread::sleep(secs(2));
            server.kill();
            std::thread::sleep(Duration::from_millis(50));
            server.run();
        }
        std::thread::sleep(secs(3));
        is_over.store(1, Ordering::SeqCst);
    });
    let starts = starts.into_inner().unwrap();
    let starts: Vec<_> = starts.iter().map(|(before, after)| (before.as_millis(), after.as_millis())).collect();
    let least = Duration::from_millis(least_gap(&starts));
    println!("{} starts, least gap {least:?}, {} failed calls", starts.len(), failures.into_inner());
    assert!(least >= gap * 3 / 4, "{least:?}");
    assert!(starts.len() > 10);
}

/// Where the program of the next test finds the store.
const STORE: &str = "ROBOSIEVE_TEST_STORE";

/// Not a test by itself: a program that starts requests until it is killed, and prints when: [gate.shared-pace]
#[test]
fn a_program() {
    let Ok(url) = std::env::var(STORE) else { return };
    let store = open(&url).unwrap();
    let (gap, clock) = (Duration::from_millis(200), store.clock());
    let pace = Pace::new(Pacing { default: gap, min: gap, ..Pacing::default() });
    let until = Instant::now() + secs(600);
    while Instant::now() < until {
        let before = Moment::now();
        if pace.start(store.lanes(), "a.test", &Asked::default(), clock.now()).is_ok() {
            println!("start {} {}", before.as_millis(), Moment::now().as_millis());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Programs that are killed at any moment cause no burst, and hold up no other: [gate.shared-pace] [gate.redis]
#[test]
fn kills_cause_no_burst() {
    let server = Server::start();
    let output = tempfile::NamedTempFile::new().unwrap();
    let run = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["redis::a_program", "--exact", "--nocapture"]).env(STORE, server.url());
        command
            .stdout(std::fs::OpenOptions::new().append(true).open(output.path()).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut programs: Vec<Child> = (0..4).map(|_| run()).collect();
    let began = Instant::now();
    let kills = times("ROBOSIEVE_KILLS", 12);
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(150 + u64::from(kill % 7) * 13));
        let mut dead = programs.remove(0);
        dead.kill().unwrap();
        dead.wait().unwrap();
        programs.push(run());
    }
    let took = began.elapsed();
    for program in &mut programs {
        program.kill().unwrap();
        program.wait().unwrap();
    }
    let text = std::fs::read_to_string(output.path()).unwrap();
    let starts = text.lines().filter_map(|line| line.rsplit_once("start ")?.1.split_once(' '));
    let mut starts: Vec<(u64, u64)> =
        starts.filter_map(|(before, after)| Some((before.parse().ok()?, after.parse().ok()?))).collect();
    starts.sort_unstable();
    let least = least_gap(&starts);
    let most = starts.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1)).max().unwrap();
    println!("{kills} kills in {took:?}: {} starts, gaps from {least} to {most} ms", starts.len());
    // A twentieth of the interval is the lane's tolerance; clocks are measured to a few milliseconds.
    assert!(least >= 180, "{least}");
    // A slot whose program was killed before it could say so is one interval.
    assert!(most <= 1_000, "{most}");
}

/// The length of a value is limited: [gate.redis-values]
#[test]
fn the_longest_value() {
    let server = Server::start();
    let store = open(server.url()).unwrap();
    let mut kept = record(Preset::Rfc9309, &[Class::Success]);
    kept.snapshot.as_mut().unwrap().text = "".into();
    let other = serde_json::to_vec(&kept).unwrap().len();
    for (length, fits) in
        [(RedisStore::MAX_VALUE - 1, true), (RedisStore::MAX_VALUE, true), (RedisStore::MAX_VALUE + 1, false)]
    {
        kept.snapshot.as_mut().unwrap().text = "x".repeat(length - other).into();
        assert_eq!(store.put(&origin(), "mybot", &kept).is_ok(), fits, "{length}");
        let found = store.get(&origin(), "mybot").unwrap();
        assert_eq!(found.is_some_and(|found| found == kept), fits, "{length}");
    }
    assert!(store.get(&origin(), "mybot").is_ok(), "a record that is too long is no trouble of the server");
}

/// A lane is changed by the server's time: a program that was held up decides again: [gate.redis-clock]
#[test]
fn a_program_that_was_held_up() {
    let server = Server::start();
    let store = open(server.url()).unwrap();
    let (clock, mut calls) = (store.clock(), 0);
    for _ in 0..2 {
        let began = clock.now();
        store
            .lanes()
            .unwrap()
            .change("a.test", began, &mut |lane, now| {
                calls += 1;
                lane.free = now.after(secs(1));
                lane.at = now;
                if calls % 2 == 1 {
                    std::thread::sleep(Duration::from_millis(200));
                }
            })
            .unwrap();
        let lane = store.lanes().unwrap().get("a.test", clock.now()).unwrap();
        assert!(lane.at.since(began) >= Duration::from_millis(190), "{lane:?}");
    }
    assert_eq!(calls, 4);
}

/// Programs whose clocks differ by hours keep one pace: [gate.redis-clock]
#[test]
fn wrong_clocks() {
    let server = Server::start();
    let stores = [(); 3].map(|()| open(server.url()).unwrap());
    let (pace, now) = (Pace::default(), stores[0].clock().now());
    let asked = Asked::default();
    let mut waits = Vec::new();
    for _ in 0..2 {
        for (store, now) in stores.iter().zip([now, now.after(secs(7_200)), Moment::from_millis(1_000_000_000)]) {
            waits.push(pace.take(store.lanes(), "a.test", &asked, now).unwrap());
        }
    }
    for (wait, expected) in waits.iter().zip(0..) {
        let expected = secs(expected);
        assert!(wait.abs_diff(expected) < Duration::from_millis(100), "{wait:?} {expected:?}");
    }
}

/// A value that was damaged, or is another key's, is not a record; keys have a lifetime: [gate.redis-values]
#[test]
fn values() {
    let server = Server::start();
    let store = RedisStore::open(&server.url()).unwrap();
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    store.put(&origin(), "mybot", &kept).unwrap();
    store.put(&numbered(1), "mybot", &kept).unwrap();
    let key = "test*[a]:site:{https://example.com}";
    let mut run = admin(&server);
    let redis::Value::Int(life) = run(&[b"PTTL", key.as_bytes()]) else { panic!("no number") };
    assert!(u128::try_from(life).unwrap() > RedisStore::SITE_LIFE.as_millis() - 10_000, "{life}");
    let redis::Value::BulkString(value) = run(&[b"HGET", key.as_bytes(), b"mybot"]) else { panic!("no text") };
    for place in 0..value.len() {
        let mut flipped = value.clone();
        flipped[place] ^= 1 << (place % 8);
        run(&[b"HSET", key.as_bytes(), b"mybot", &flipped]);
        assert_eq!(store.get(&origin(), "mybot").unwrap(), None, "byte {place}");
    }
    run(&[b"HSET", key.as_bytes(), b"otherbot", &value]);
    assert_eq!(store.get(&origin(), "otherbot").unwrap(), None);
    let mut seen = 0;
    let error = store.for_each(&mut |_, _, _| {
        seen += 1;
        std::ops::ControlFlow::Continue(())
    });
    assert!(matches!(error, Err(StoreError::Row { .. })), "{error:?}");
    assert_eq!(seen, 1);
    store.put(&origin(), "mybot", &kept).unwrap();
    assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(kept));
    let now = store.clock().now();
    Pace::default().start(store.lanes(), "a.test", &Asked::default(), now).unwrap();
    let redis::Value::Int(life) = run(&[b"PTTL", b"test*[a]:lane:{a.test}"]) else { panic!("no number") };
    assert!(u128::try_from(life).unwrap() > RedisStore::LANE_LIFE.as_millis() - 10_000, "{life}");
    assert!(at(0) < now);
}

/// A password, and messages without it: [gate.redis]
#[test]
fn passwords() {
    let server = Server::start();
    let socket = server.url().replace("?prefix=test*[a]", "");
    let mut admin = redis::Client::open(socket).unwrap().get_connection().unwrap();
    redis::cmd("CONFIG").arg(&["SET", "requirepass", "s3cret-one"]).query::<()>(&mut admin).unwrap();
    let open = |password: &str| RedisStore::open(&format!("{}&pass={password}&db=3", server.url()));
    let store = open("s3cret-one").unwrap();
    store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
    assert!(!format!("{store:?}").contains("s3cret"));
    for password in ["s3cret-two", ""] {
        let error = open(password).unwrap_err().to_string();
        assert!(error.contains("unix://") && !error.contains("s3cret"), "{error}");
    }
    for url in ["redis://user:s3cret@127.0.0.1:1/0", "redis://:s3cret@127.0.0.1:1/x", "redis://:s3cret@[::", "redis://"]
    {
        let error = RedisStore::open(url).unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
    }
}

/// What the server refuses is said in words, with what helps, and without the names of scripts: [gate.store-words]
#[test]
fn refusals_are_words() {
    let server = Server::start();
    let store = RedisStore::open(&server.url()).unwrap();
    let socket = server.url().replace("?prefix=test*[a]", "");
    let mut admin = redis::Client::open(socket).unwrap().get_connection().unwrap();
    let mut run = |words: &[&str]| {
        let (first, rest) = words.split_first().unwrap();
        redis::cmd(first).arg(rest).query::<()>(&mut admin).unwrap();
    };
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    let says = |error: StoreError, words: &str| {
        let error = error.to_string();
        assert!(error.contains(words) && !error.contains("script"), "{error}");
    };
    run(&["SET", "test*[a]:site:{https://example.com}", "another program's"]);
    says(store.put(&origin(), "mybot", &kept).unwrap_err(), "?prefix=NAME");
    says(store.get(&origin(), "mybot").unwrap_err(), "?prefix=NAME");
    run(&["DEL", "test*[a]:site:{https://example.com}"]);
    run(&["CONFIG", "SET", "maxmemory", "1"]);
    says(store.put(&origin(), "mybot", &kept).unwrap_err(), "no memory left");
    run(&["CONFIG", "SET", "maxmemory", "0"]);
    store.put(&origin(), "mybot", &kept).unwrap();
    run(&["CLIENT", "PAUSE", "60000", "ALL"]);
    says(store.get(&origin(), "mybot").unwrap_err(), "did not answer in time");
}

/// Where the program of the next test finds the store.
const TLS_STORE: &str = "ROBOSIEVE_TEST_TLS_STORE";

/// Not a test by itself: a program that trusts the certificates of its environment: [gate.redis]
#[test]
fn a_program_with_tls() {
    let Ok(url) = std::env::var(TLS_STORE) else { return };
    let store = RedisStore::open(&url).unwrap();
    store.put(&origin(), "mybot", &record(Preset::Rfc9309, &[Class::Success])).unwrap();
}

/// `rediss://` is TLS, with a server whose certificate is trusted: [gate.redis]
#[test]
fn tls() {
    let folder = tempfile::tempdir().unwrap();
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (cert, key) = (file("cert.pem", cert.pem()), file("key.pem", signing_key.serialize_pem()));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = std::process::Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", "0", "--save", "", "--tls-auth-clients", "no", "--tls-port"]);
    command.arg(port.to_string()).arg("--tls-cert-file").arg(&cert).arg("--tls-key-file").arg(&key);
    command.arg("--tls-ca-cert-file").arg(&cert).arg("--dir").arg(folder.path());
    let mut server = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let program = |trusted: Option<&std::path::Path>| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["redis::a_program_with_tls", "--exact"]);
        command.env(TLS_STORE, format!("rediss://localhost:{port}/"));
        if let Some(trusted) = trusted {
            command.env("SSL_CERT_FILE", trusted);
        }
        command.output().unwrap()
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let mut ran = program(Some(&cert));
    while !ran.status.success() && std::time::Instant::now() < until {
        ran = program(Some(&cert));
    }
    let other = program(None);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    let said = String::from_utf8_lossy(&other.stdout).into_owned() + &String::from_utf8_lossy(&other.stderr);
    assert!(!other.status.success() && said.contains("ertificate"), "{said}");
}
