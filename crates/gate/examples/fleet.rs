//! How many slots a second a shared store gives: clients with a connection of their own each, over many hosts.
//!
//! `fleet URL CLIENTS HOSTS SECONDS` prints slots a second and how long one takes. With `--sites`, it stores so many
//! sites instead, with a file of 0.9 kB each.
#![allow(clippy::print_stdout, clippy::arithmetic_side_effects, reason = "a measurement")]

use std::error::Error;
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::decide::{Lifetimes, Policy, Reader, SiteRecord};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::pace::{Asked, Pace, Pacing};
use robosieve_gate::retrieve::{Outcome, Retrieval};
use robosieve_gate::{Moment, Origin};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| words.get(at).map(String::as_str).ok_or("fleet URL CLIENTS HOSTS SECONDS [--sites]");
    let (url, clients, hosts, seconds) =
        (word(0)?, word(1)?.parse::<usize>()?, word(2)?.parse::<usize>()?, word(3)?.parse::<u64>()?);
    let stores = (0..clients).map(|_| robosieve_gate::keep::open(url)).collect::<Result<Vec<SharedStore>, _>>()?;
    if words.iter().any(|word| word == "--sites") {
        return stores.first().map_or(Ok(()), |store| sites(store, hosts));
    }
    let run = Duration::from_secs(seconds);
    let threads = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (client, store) in stores.iter().enumerate() {
            threads.push(scope.spawn(move || slots(store, client * hosts / clients.max(1), hosts, run)));
        }
        threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    let mut took: Vec<Duration> = threads.into_iter().flatten().collect();
    took.sort_unstable();
    let at = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or_default();
    let rate = u64::try_from(took.len())? / seconds.max(1);
    println!("{clients} clients, {hosts} hosts: {rate} slots a second; p50 {:?}, p99 {:?}", at(50), at(99));
    Ok(())
}

/// Asks for slots, one host after the other, and returns how long each took.
fn slots(store: &SharedStore, first: usize, hosts: usize, run: Duration) -> Vec<Duration> {
    let pacing = Pacing { max_wait: Duration::from_secs(3_600), ..Pacing::default() };
    let (pace, clock, began) = (Pace::new(pacing), store.clock(), Instant::now());
    let mut took = Vec::new();
    for number in first.. {
        let lane = format!("{}.example.com", number % hosts.max(1));
        let asked = Instant::now();
        if pace.take(store.lanes(), &lane, &Asked::default(), clock.now()).is_ok() {
            took.push(asked.elapsed());
        }
        if began.elapsed() >= run {
            break;
        }
    }
    took
}

fn sites(store: &SharedStore, count: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let reader = Reader::new(Agents::new(["MyBot"]));
    let rules = (0..40).map(|number| format!("Disallow: /folder-{number}/")).collect::<Vec<_>>().join("\n");
    for number in 0..count {
        let origin = Origin::of(&format!("https://{number}.example.com/"))?;
        let file = format!("User-agent: *\n{rules}\n");
        let retrieved = Retrieval::of(origin.clone(), Outcome::Rules, Some(200), file, Moment::now());
        let record =
            SiteRecord::default().after(&retrieved, reader.read(&retrieved), &Policy::default(), &Lifetimes::default());
        store.put(&origin, reader.key(), &record)?;
    }
    println!("{count} sites stored");
    Ok(())
}
