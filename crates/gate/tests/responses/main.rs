//! The table of responses: what a retrieval makes of bytes that no good server sends.
//!
//! Invariant: `table.tsv` has each response once. A line has the outcome under an earlier retriever, of which this one
//! is never more open; this one's, where it is stricter; and the responses that come to it. Only loopback is connected
//! to.
#![cfg(feature = "driver")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[path = "../common/alone.rs"]
mod alone;
mod cases;
mod clients;
mod distorted;
mod redirects;
mod served;
#[path = "../common/server.rs"]
mod server;

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::Agents;
use robosieve_gate::retrieve::{Outcome, Retrieval};
use robosieve_gate::{Ask, Client, Core, MemoryStore, Moment, Next, Origin, Settings};

use cases::{Case, Then, all};
use served::PAGES;
use server::{Connection, Server};

/// Answers by the first label of the `Host`.
struct Site {
    port: u16,
    cases: Arc<HashMap<String, Case>>,
    client: Client,
    _server: Server,
}

impl Site {
    /// A site of these cases, which may lead to its port.
    fn new(cases: impl FnOnce(u16) -> Vec<Case>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let all = cases(port);
        let count = all.len();
        let cases: HashMap<_, _> = all.into_iter().map(|case| (case.name.clone(), case)).collect();
        assert_eq!(cases.len(), count, "a name is used twice");
        let cases = Arc::new(cases);
        let known = Arc::clone(&cases);
        let server =
            Server::of(listener, None, Arc::new(move |_, connection: &mut Connection| serve(connection, &known)));
        let client = clients::of(
            cases
                .keys()
                .flat_map(|name| addresses(&format!("{name}.test")))
                .chain(ELSEWHERE.iter().flat_map(|(name, _)| addresses(name))),
            port,
        );
        Self { port, cases, client, _server: server }
    }

    fn retrieve(&self, name: &str) -> Retrieval {
        let is_slow = matches!(self.cases[name].then, Then::Hang | Then::Drip(_));
        let origin = Origin::of(&format!("http://{name}.test:{}/", self.port)).unwrap();
        let began = Instant::now();
        let retrieval = clients::retrieve(&self.client, &origin, is_slow);
        assert!(began.elapsed() < Duration::from_secs(60), "{name}: {:?}", began.elapsed());
        assert_eq!(retrieval.origin, origin, "{name}");
        retrieval
    }

    /// Which of these paths a gate allows that learnt this response.
    fn allowed<'p>(&self, name: &str, paths: &[&'p str]) -> Vec<&'p str> {
        let (retrieval, now) = (self.retrieve(name), Moment::now());
        let origin = retrieval.origin.clone();
        let core = Arc::new(Core::new(Settings::new(Agents::new(["MyBot"])), MemoryStore::default()));
        core.learn(retrieval, now).unwrap();
        let is_allowed = |path: &&str| match core.ask(&format!("{origin}{path}"), Ask::Permission, now) {
            Next::Answer(answer) => answer.is_allowed(),
            _ => panic!("{name} is asked again"),
        };
        paths.iter().copied().filter(is_allowed).collect()
    }

    /// Runs work on each of the names, by so many threads.
    fn each<T: Send>(&self, threads: usize, work: impl Fn(&str) -> T + Sync) -> BTreeMap<String, T> {
        let names: Vec<&String> = self.cases.keys().collect();
        let next = AtomicUsize::new(0);
        let run = || {
            let mut done = Vec::new();
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push(((*name).clone(), work(name)));
            }
            done
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }
}

/// The names that lead elsewhere.
const ELSEWHERE: [(&str, &[&str]); 6] = [
    ("ok.test.", &["127.0.0.1"]),
    ("private.test", &["10.0.0.1"]),
    ("private.test.", &["10.0.0.1"]),
    ("metadata.test", &["169.254.169.254"]),
    ("mixed.test", &["10.0.0.1", "127.0.0.1"]),
    ("mapped.test", &["::ffff:10.0.0.1"]),
];

/// The addresses of a name, which is that of a case if it leads nowhere else.
fn addresses(name: &str) -> Vec<(String, IpAddr)> {
    let known = ELSEWHERE.iter().find(|(known, _)| *known == name).map_or(&["127.0.0.1"][..], |(_, all)| all);
    known.iter().map(|address| (name.to_owned(), address.parse().unwrap())).collect()
}

fn serve(connection: &mut Connection, cases: &HashMap<String, Case>) {
    // All but its last byte: to end with that unread resets.
    let text = connection.until(b"\r\n\r").to_ascii_lowercase();
    let host = text.split("\r\nhost: ").nth(1).and_then(|rest| rest.split(['.', ':', '\r']).next()).unwrap_or_default();
    // Clients that take this for a proxy also come by what is no name, and by names that lead elsewhere only.
    if host.starts_with('{') || !addresses(&format!("{host}.test")).iter().any(|(_, address)| address.is_loopback()) {
        return;
    }
    let is_page = text.split(' ').nth(1).is_some_and(|target| PAGES.iter().any(|page| target.ends_with(page)));
    // A target whose name is no case is the good server.
    let case = cases.get(host).filter(|_| !is_page).or_else(|| cases.get("ok"));
    let Some(case) = case else { return };
    let mut is_sent = connection.send(&case.bytes);
    let began = Instant::now();
    match &case.then {
        Then::Close => {}
        Then::Reset => {
            // The client has read what came: a reset would discard it.
            thread::sleep(Duration::from_millis(200));
            connection.resets = true;
        }
        Then::Hang => connection.hang(),
        Then::Repeat(bytes) | Then::Drip(bytes) => {
            // A busy machine needs some seconds for half a million chunks.
            while is_sent && began.elapsed() < Duration::from_secs(25) {
                is_sent = connection.send(bytes);
                thread::sleep(if matches!(case.then, Then::Drip(_)) {
                    Duration::from_millis(20)
                } else {
                    Duration::ZERO
                });
            }
        }
    }
}

/// What came, in one line.
fn shown(retrieval: &Retrieval) -> String {
    let outcome = serde_json::to_value(retrieval.outcome).unwrap();
    let cut = retrieval.cut.map(|cut| format!("/{}", serde_json::to_value(cut).unwrap().as_str().unwrap()));
    let status = retrieval.status.map_or("-".into(), |status| status.to_string());
    let mut line = format!("{}{} {status}", outcome.as_str().unwrap(), cut.unwrap_or_default());
    let mut add = |name: &str, value: Option<String>| line.extend(value.map(|value| format!(" {name}={value}")));
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs().to_string());
    // How much of a body that hangs has come depends on the machine.
    let is_body = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
    add("bytes", is_body.then(|| retrieval.body.len().to_string()));
    add("to", (!retrieval.redirects.is_empty()).then(|| retrieval.redirects.len().to_string()));
    add("fresh", seconds(retrieval.fresh_for));
    add("retry", seconds(retrieval.retry_after));
    add("etag", retrieval.validators.etag().map(str::to_owned));
    add("modified", retrieval.validators.last_modified().map(str::to_owned));
    line
}

/// How open an outcome is: the first words of a line.
fn openness(line: &str) -> u8 {
    match line.split(' ').next().unwrap_or_default() {
        "not-asked" | "unreachable" => 0,
        "truncated/early" => 1,
        "truncated/at-cap" | "rules" | "unchanged" => 2,
        _ => 3,
    }
}

const TABLE: &str = include_str!("table.tsv");

/// No response is more open than it was, and none differs but those that are listed as stricter: [retrieve.status]
/// [retrieve.broken-off] [retrieve.coded] [retrieve.wire] [retrieve.redirect] [retrieve.address-guard]
#[test]
fn each_response_has_its_outcome() {
    let site = Site::new(all);
    let mut table = BTreeMap::new();
    for line in TABLE.lines() {
        let [then, stricter, names] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for name in names.split(' ') {
            let is_new = table.insert(name, (then, Some(stricter).filter(|it| !it.is_empty()))).is_none();
            assert!(is_new, "{name} is there twice");
        }
    }
    let seen = site.each(8, |name| shown(&site.retrieve(name)));
    let mut wrong = Vec::new();
    for (name, line) in &seen {
        let Some((then, stricter)) = table.get(name.as_str()) else {
            wrong.push(format!("{name}: no line in the table; it is\t{line}"));
            continue;
        };
        if line != stricter.unwrap_or(then) {
            let how = if openness(line) > openness(then) { "MORE OPEN" } else { "differs" };
            wrong.push(format!("{name}: {how}: {line}, and was {}", stricter.unwrap_or(then)));
        }
        if let Some(stricter) = stricter {
            assert!(openness(stricter) <= openness(then), "{name} is listed as stricter: {stricter}, and was {then}");
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), seen.len(), wrong.join("\n"));
    assert_eq!(seen.len(), table.len(), "the table has responses that are no more");
}
