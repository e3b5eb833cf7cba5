//! Counts the bytes that a gate holds for many sites with the longest files.
//!
//! Invariant: an allocator counts, and no other test runs in this program.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::alloc::System;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::decide::Reader;
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{GateCore, MemoryStore, Moment, Next, Origin};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const THREADS: usize = 8;
const SITES: usize = 48;
const LIMIT: usize = 32 << 20;
/// What two files take while they are read, and an index for each thread while it is made.
const READING: usize = (2 * 32 + THREADS * 12) << 20;

fn held() -> usize {
    let stats = GLOBAL.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

fn file(line: impl Fn(usize) -> String) -> String {
    let mut file = "User-agent: *\n".to_owned();
    for line in (0..).map(line) {
        if file.len().saturating_add(line.len()) > 512_000 {
            break;
        }
        file.push_str(&line);
    }
    file
}

/// The bytes that the gate holds at most while threads learn and ask, and those that it holds then.
fn played(body: &str, keeps_raw: bool) -> (usize, usize) {
    let before = held();
    let reader = Reader::new(Agents::new(["MyBot"])).keeping_raw(keeps_raw);
    let store = MemoryStore::new(LIMIT.try_into().unwrap());
    let core = GateCore::new(store, Agents::new(["MyBot"])).with_reader(reader);
    let core = core.with_ready_bytes(LIMIT.try_into().unwrap());
    let now = Moment::now();
    let work = |number: usize| {
        for site in (number..SITES).step_by(THREADS) {
            let origin = Origin::of(&format!("https://{site}.example/")).unwrap();
            core.learn(&origin, Fetched::new(200, body.to_owned()).retrieval(&origin), now).unwrap();
            // So many that the tester makes its index.
            for url in 0..20 {
                let next = core.ask_permission(&format!("{origin}/%2A{url}?{}", "a".repeat(1_001)), now);
                assert!(matches!(next, Ok(Next::Answer(_) | Next::Retrieve(_))), "{next:?}");
            }
        }
    };
    let most = thread::scope(|scope| {
        let works: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || work(number))).collect();
        let mut most = 0;
        while works.iter().any(|work| !work.is_finished()) {
            most = most.max(held().saturating_sub(before));
            thread::sleep(Duration::from_micros(200));
        }
        most
    });
    let mut kept = 0_u32;
    let count = &mut |_: &Origin, _: &str, _| {
        kept = kept.saturating_add(1);
        ControlFlow::Continue(())
    };
    core.store().for_each(count).unwrap();
    assert!(kept > 10, "{kept} sites are kept");
    (most, held().saturating_sub(before))
}

/// Whatever the sites send, the gate holds what its two limits say, and what reading two files takes: [gate.memory]
#[test]
fn the_two_limits_hold() {
    let files = [
        ("plain", file(|number| format!("Disallow: /{number:x}\n"))),
        ("allow", file(|number| format!("Allow:/{number:x}\n"))),
        ("a star", file(|number| format!("Disallow: /*{number:x}*\n"))),
        ("a star first", file(|number| format!("Disallow:*{number:x}\n"))),
        ("stars", file(|number| format!("Disallow: /{number:x}*a*b*c*d*e$\n"))),
        ("escapes", file(|number| format!("Disallow: /\u{e9}{number:x}\n"))),
        ("literals", file(|number| format!("Disallow: /%2A{number:x}%24\n"))),
        ("long", file(|number| format!("Disallow: /{number:x}{}\n", "*a".repeat(1_000)))),
        ("sitemaps", file(|number| format!("Sitemap: http://a.b/{number:x}\n"))),
        ("values", file(|number| format!("Clean-param: a{number:x} /\n"))),
        ("agents", file(|number| format!("User-agent: a{number:x}\nDisallow: /\n"))),
    ];
    for (name, file) in &files {
        for keeps_raw in [false, true] {
            let (most, then) = played(file, keeps_raw);
            assert!(then <= 2 * LIMIT + (1 << 20), "{name}, raw {keeps_raw}: {then} bytes");
            assert!(most <= 2 * LIMIT + READING, "{name}, raw {keeps_raw}: {most} bytes at most");
        }
    }
}
