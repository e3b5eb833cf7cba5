//! The store in a Redis server.

use robosieve_gate::RedisStore;
use robosieve_gate::decide::{Class, Preset};
use robosieve_gate::keep::{SiteStore, StoreError};
use robosieve_gate::pace::{Asked, Pace};

use crate::contract::{numbered, record};
use crate::making::{at, origin};
use crate::redis_server::Server;
use crate::servers::{self, StoreServer};

/// [gate.store] [gate.shared-pace] [gate.redis]
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

/// [gate.redis-loss]
#[test]
fn a_server_that_is_away() {
    servers::a_server_that_is_away::<Server>();
}

/// [gate.wait-out]
#[test]
fn an_outage_uses_up_no_url() {
    servers::an_outage_uses_up_no_url::<Server>();
}

/// [gate.redis-loss] [gate.shared-pace]
#[test]
fn restarts_cause_no_burst() {
    servers::restarts_cause_no_burst::<Server>();
}

/// Not a test by itself: a program of the next one: [gate.shared-pace]
#[test]
fn a_program() {
    servers::a_program();
}

/// [gate.shared-pace] [gate.redis]
#[test]
fn kills_cause_no_burst() {
    servers::kills_cause_no_burst::<Server>("redis::a_program");
}

/// [gate.redis-values]
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

/// A value that was damaged, or is another key's, is not a record; keys have a lifetime: [gate.redis-values]
#[test]
fn values() {
    let server = Server::start();
    let store = RedisStore::open(&server.url()).unwrap();
    let kept = record(Preset::Rfc9309, &[Class::Success]);
    store.put(&origin(), "mybot", &kept).unwrap();
    store.put(&numbered(1), "mybot", &kept).unwrap();
    let socket = server.url().replace("?prefix=test*[a]", "");
    let mut admin = redis::Client::open(socket).unwrap().get_connection().unwrap();
    let key = "test*[a]:site:{https://example.com}";
    let mut run = |words: &[&[u8]]| {
        let (first, rest) = words.split_first().unwrap();
        let command = redis::cmd(std::str::from_utf8(first).unwrap());
        let mut command = command;
        for word in rest {
            command.arg(*word);
        }
        command.query::<redis::Value>(&mut admin).unwrap()
    };
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
