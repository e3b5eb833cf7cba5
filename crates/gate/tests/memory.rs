//! Counts the bytes that a gate holds for many sites with the longest files.
//!
//! Invariant: an allocator counts, and no other test runs in this program.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::alloc::System;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use robosieve::Agents;
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Ask, Core, MemoryStore, Moment, Next, Origin, Settings};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const THREADS: usize = 8;
const SITES: usize = 48;
const LIMIT: usize = 32 << 20;

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

/// The bytes that the gate holds after threads learnt and asked.
fn played(body: &str) -> usize {
    let before = held();
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    settings.ready_bytes = LIMIT.try_into().unwrap();
    let core = Arc::new(Core::new(settings, MemoryStore::new(LIMIT.try_into().unwrap())));
    let now = Moment::now();
    let work = |number: usize| {
        for site in (number..SITES).step_by(THREADS) {
            let origin = Origin::of(&format!("https://{site}.example/")).unwrap();
            let mut next = core.ask(&origin.robots_txt(), Ask::Permission, now);
            while let Next::Fetch(errand) = next {
                next = errand.came(Fetched::new(200, body.to_owned()), now);
            }
            // So many that the tester makes its index.
            for url in 0..20 {
                let next = core.ask(&format!("{origin}/%2A{url}?{}", "a".repeat(1_001)), Ask::Permission, now);
                assert!(matches!(next, Next::Answer(_) | Next::Fetch(_)), "{next:?}");
            }
        }
    };
    thread::scope(|scope| {
        for number in 0..THREADS {
            scope.spawn(move || work(number));
        }
    });
    let mut kept = 0_u32;
    core.store().for_each(&mut |_, _, _| kept = kept.saturating_add(1)).unwrap();
    assert!(kept > 10, "{kept} sites are kept");
    held().saturating_sub(before)
}

/// With any sites, the gate holds what its two limits say: [gate.memory]
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
        let then = played(file);
        assert!(then <= 2 * LIMIT + (1 << 20), "{name}: {then} bytes");
    }
}

/// Not a check: shows what a hundred thousand hosts take, with a file of the usual size each, and how long an answer,
/// also when the store is full.
#[test]
#[ignore = "a figure"]
#[allow(clippy::print_stdout)]
fn a_hundred_thousand_hosts() {
    const PART: u32 = 20_000;
    let body = file(|number| format!("Disallow: /{number}/\n")).get(..700).unwrap().to_owned();
    for bytes in [MemoryStore::DEFAULT_BYTES, 64 << 20] {
        let (before, now) = (held(), Moment::now());
        let core = Arc::new(Core::new(Settings::new(Agents::new(["MyBot"])), MemoryStore::new(bytes)));
        for (ask, first) in [Ask::Permission, Ask::Slot].into_iter().flat_map(|ask| (0..5).map(move |part| (ask, part)))
        {
            let (began, mut fetched) = (Instant::now(), 0_u32);
            for host in (0..PART).map(|host| host.saturating_add(PART.saturating_mul(first))) {
                let url = format!("https://host{host}.example/page");
                let mut next = core.ask(&url, ask, now);
                while let Next::Fetch(errand) = next {
                    fetched = fetched.saturating_add(1);
                    next = errand.came(Fetched::new(200, body.clone()), now);
                }
                assert!(matches!(next, Next::Answer(_) | Next::Again(_)), "{next:?}");
            }
            let each = began.elapsed().checked_div(PART).unwrap();
            let held = held().saturating_sub(before) >> 20;
            println!("{} MB, {ask:?}: {each:?} a host, {fetched} requests, {held} MB held", bytes >> 20);
        }
    }
}
