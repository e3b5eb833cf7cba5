//! The gate with a client, in time. [gate.async]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use robosieve::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::Names;
use robosieve_gate::retrieve::{AddressGuard, Fetched, Outcome, Request};
use robosieve_gate::{Ask, Client, Core, CrawlerIdentity, Gate, MemoryStore, Origin, Settings};

use crate::alone::run;
use crate::servers::stage::{RULES, Stage, answer, good, plain, says};

fn core(store: impl Into<SharedStore>, change: impl FnOnce(&mut Settings)) -> Core {
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    change(&mut settings);
    Core::new(settings, store)
}

/// Of a hundred tasks that ask at once, one retrieves; one that is dropped leaves the retrieval to the next. Code that
/// blocks asks the same, also inside a runtime: [gate.single-flight]
#[test]
fn tasks_share_a_retrieval() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let fetch = move |_: Request| {
        let is_first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            // The first one never ends.
            tokio::time::sleep(Duration::from_millis(if is_first { 100_000 } else { 20 })).await;
            Fetched::new(200, RULES)
        }
    };
    let gate = Gate::new(fetch, core(MemoryStore::default(), |settings| settings.pacing.default = Duration::ZERO));
    let url = "https://example.com/private";
    run(async {
        let first = tokio::time::timeout(Duration::from_millis(50), gate.ask(url, Ask::Permission)).await;
        assert!(first.is_err());
        let asks = |_| {
            let gate = gate.clone();
            tokio::spawn(async move { gate.ask(url, Ask::Permission).await })
        };
        for task in (0..100).map(asks).collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap().kind(), "denied");
        }
        assert_eq!(gate.ask_blocking("https://other.example/private", Ask::Permission).kind(), "denied");
    });
    assert_eq!(gate.ask_blocking("https://third.example/private", Ask::Permission).kind(), "denied");
    assert_eq!(count.load(Ordering::SeqCst), 4);
}

/// A turn comes when the slot is free, also with a store in a file, and never in a burst. [gate.late-slot]
/// [gate.shared-pace]
#[test]
#[cfg(feature = "sqlite")]
fn turns() {
    let folder = tempfile::tempdir().unwrap();
    let fetch = |_: Request| std::future::ready(Fetched::new(200, RULES));
    let store = robosieve_gate::SqliteStore::open(folder.path().join("robots.sqlite")).unwrap();
    let gate = Gate::new(fetch, core(store, |settings| settings.pacing.default = Duration::from_millis(100)));
    let mut times = run(async {
        let turn = |number| {
            let gate = gate.clone();
            tokio::spawn(async move {
                let answer = gate.turn(&format!("https://example.com/{number}")).await;
                assert!(answer.is_allowed() && answer.wait.is_zero(), "{answer:?}");
                robosieve_gate::Moment::now().as_millis()
            })
        };
        let mut times = Vec::new();
        for task in (0..5).map(turn).collect::<Vec<_>>() {
            times.push(task.await.unwrap());
        }
        assert!(!gate.turn("https://example.com/private").await.is_allowed());
        times
    });
    times.sort_unstable();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 90), "{times:?}");
}

/// The gate with its client and servers: a redirect's target has its slot before it is requested, what it says is the
/// first site's, and what was retrieved is known: [gate.async] [gate.pace-robots-txt] [gate.says] [retrieve.origin]
#[test]
fn hops_take_their_turns() {
    let target = Stage::new(&[good()]);
    let first =
        Stage::new(&[says(answer(302, &format!("Location: http://127.0.0.1:{}/rules.txt\r\n", target.port), ""))]);
    let gate = gate_of(Duration::from_millis(400));
    let url = |stage: &Stage, path: &str| format!("http://127.0.0.1:{}{path}", stage.port);
    let origin = Origin::of(&url(&first, "/private")).unwrap();
    let began = Instant::now();
    let retrieval = run(gate.retrieve(&origin));
    assert!(began.elapsed() >= Duration::from_millis(390), "{:?}", began.elapsed());
    assert_eq!((retrieval.outcome, retrieval.requests, retrieval.redirects.len()), (Outcome::Rules, 2, 1));
    let site = run(gate.site(&origin)).unwrap();
    assert_eq!(site.contents.as_deref(), Some(RULES));
    assert_eq!((first.requests(0).len(), target.requests(0).len()), (1, 1));
    assert_eq!(gate.ask_blocking(&url(&first, "/private"), Ask::Permission).kind(), "denied");
    // The target's own file is another one.
    assert!(gate.ask_blocking(&url(&target, "/free"), Ask::Permission).is_allowed());
    assert_eq!(target.requests(0).len(), 2);
}

/// Of six hundred names of one domain that lead to one address and say nothing, no other site of that address waits:
/// [retrieve.places]
#[test]
fn mute_names_keep_no_tenant_waiting() {
    let stage = Stage::new(&[plain(|_, connection| {
        if connection.request().contains(".hostile.test") {
            connection.hang();
        }
        connection.send(&answer(200, "", RULES));
    })]);
    let hosts = (0..620).map(|number| match number {
        0..600 => format!("{number}.hostile.test"),
        _ => format!("site{number}.test"),
    });
    let hosts: Vec<String> = hosts.collect();
    let here = stage.addresses[0];
    let names = hosts.iter().fold(Names::default(), |names, host| names.with(host, stage.port, here));
    let client = Client::new(&CrawlerIdentity::new("MyBot").unwrap()).names(names);
    let gate = Gate::new(client, core(MemoryStore::default(), open_here));
    run(async {
        let asks = |host: &String| {
            let (gate, url) = (gate.clone(), format!("http://{host}:{}/private", stage.port));
            tokio::spawn(async move { gate.ask(&url, Ask::Permission).await })
        };
        let tasks: Vec<_> = hosts.iter().map(asks).collect();
        let good = async {
            for (host, task) in hosts.iter().zip(tasks).skip(600) {
                assert_eq!(task.await.unwrap().kind(), "denied", "{host}");
            }
        };
        tokio::time::timeout(Duration::from_secs(30), good).await.unwrap();
    });
    assert!(stage.connections(0) <= 4 + 20, "{}", stage.connections(0));
}

fn open_here(settings: &mut Settings) {
    settings.guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
}

fn gate_of(delay: Duration) -> Gate<Client> {
    let core = core(MemoryStore::default(), |settings| {
        settings.pacing.default = delay;
        open_here(settings);
    });
    Gate::new(Client::new(&CrawlerIdentity::new("MyBot").unwrap()), core)
}
