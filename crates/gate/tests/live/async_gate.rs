//! The gate for async code, and its client, against servers on loopback. [gate.async]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::pace::Pacing;
use robosieve_gate::retrieve::{AddressGuard, Fetched, Request};
use robosieve_gate::{Answer, AsyncGate, Client, CrawlerIdentity, GateCore, MemoryStore};

use crate::connections::Server;

const RULES: &str = "User-agent: *\nDisallow: /private\n";

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn core(store: impl Into<SharedStore>) -> GateCore {
    GateCore::new(store, Agents::new(["MyBot"]))
}

/// Of many tasks that ask at once, one retrieves; one that is dropped leaves the turn to the next. [gate.single-flight]
#[test]
fn tasks_share_a_flight() {
    run(async {
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
        let gate = AsyncGate::over(fetch, core(MemoryStore::default()));
        let url = "https://example.com/private";
        let first = tokio::time::timeout(Duration::from_millis(50), gate.permits(url)).await;
        assert!(first.is_err());
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let gate = gate.clone();
                tokio::spawn(async move { gate.permits(url).await.unwrap() })
            })
            .collect();
        for task in tasks {
            assert!(matches!(task.await.unwrap(), Answer::Denied { .. }));
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
    });
}

/// A turn comes when the slot is free, also with a store in a file, and never in a burst. [gate.late-slot]
/// [gate.shared-pace]
#[test]
#[cfg(feature = "sqlite")]
fn turns() {
    let folder = tempfile::tempdir().unwrap();
    let pacing = Pacing { default: Duration::from_millis(100), ..Pacing::default() };
    let times = run(async {
        let fetch = |_: Request| std::future::ready(Fetched::new(200, RULES));
        let store = robosieve_gate::SqliteStore::open(folder.path().join("robots.sqlite")).unwrap();
        let gate = AsyncGate::over(fetch, core(store).with_pacing(pacing));
        let tasks: Vec<_> = (0..5)
            .map(|number| {
                let gate = gate.clone();
                tokio::spawn(async move {
                    let answer = gate.turn(&format!("https://example.com/{number}")).await.unwrap();
                    assert_eq!(answer, Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None });
                    robosieve_gate::Moment::now().as_millis()
                })
            })
            .collect();
        let mut times = Vec::new();
        for task in tasks {
            times.push(task.await.unwrap());
        }
        assert!(!gate.turn("https://example.com/private").await.unwrap().is_allowed());
        times
    });
    let mut times = times;
    times.sort_unstable();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 90), "{times:?}");
}

/// A redirect's target has its slot before the async driver requests it: [gate.async] [gate.pace-robots-txt]
#[test]
fn hops_take_their_turns() {
    let answer = |head: &str, body: &str| format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let target = Server::new(None, move |_| answer("200 OK", RULES));
    let to = format!("302 Found\r\nLocation: http://127.0.0.1:{}/robots.txt", target.port);
    let first = Server::new(None, move |_| answer(&to, ""));
    let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
    let pacing = Pacing { default: Duration::from_millis(400), ..Pacing::default() };
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let gate = AsyncGate::over(Client::new(&identity).guard(guard), core.with_pacing(pacing));
    let began = Instant::now();
    let answer = run(gate.permits(&format!("http://127.0.0.1:{}/private", first.port))).unwrap();
    assert!(matches!(answer, Answer::Denied { .. }), "{answer}");
    assert!(began.elapsed() >= Duration::from_millis(390), "{:?}", began.elapsed());
}
