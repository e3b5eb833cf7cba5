//! Measures the speed and the memory of the gate, on one core:
//! `taskset -c 0 cargo run --release -p robosieve-gate --features async --example throughput`.
//!
//! Prints figures, and ends with exit code 1 if one misses its target: a cached check under 2 microseconds; as many
//! checks a second of the async gate as of the blocking one, within the noise of 5 %; 20,000 answers a second if each
//! site has to be read from the file; 8,000 a second if each also takes a slot in the file, which is a commit each.
//! Times are CPU times if the system has them (Linux). Memory is what the process holds (Linux).
#![allow(clippy::cast_precision_loss)]

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::decide::{Lifetimes, Policy, Reader, SiteRecord};
use robosieve_gate::keep::SiteStore;
use robosieve_gate::retrieve::{Outcome, Retrieval, Retriever};
use robosieve_gate::{Gate, MemoryStore, Moment, Origin, SqliteStore};

const CHECKS: u32 = 1_000_000;
const SITES: u32 = 100_000;

/// A usual file: the rules of a shop or a weblog, for `*` and for three crawlers.
fn file(number: u32) -> String {
    let mut text = String::new();
    for agent in ["*", "BadBot", "Googlebot", "bingbot"] {
        text.push_str("User-agent: ");
        text.push_str(agent);
        text.push_str("\nCrawl-delay: 1\n");
        for folder in ["admin", "cart", "checkout", "search?q=", "wp-admin", "*/feed/", "tmp", "user/*/edit$"] {
            text.push_str("Disallow: /");
            text.push_str(folder);
            text.push('\n');
        }
        text.push_str("Allow: /wp-admin/admin-ajax.php\n\n");
    }
    text.push_str("Sitemap: https://");
    text.push_str(&number.to_string());
    text.push_str(".example.com/sitemap.xml\n");
    text
}

fn host(number: u32) -> String {
    format!("https://{number}.example.com/")
}

struct Made;

impl Retriever for Made {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        Retrieval::of(origin.clone(), Outcome::Rules, Some(200), file(0), Moment::default())
    }
}

/// A retriever that must not be called.
struct Nobody;

impl Retriever for Nobody {
    #[allow(clippy::panic)]
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        panic!("{origin} was not in the store")
    }
}

fn agents() -> Agents {
    Agents::new(["MyBot"])
}

/// Measures CPU time.
struct Stopwatch {
    on_core: Option<u64>,
    started: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        Self { on_core: nanoseconds_on_core(), started: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        match (self.on_core, nanoseconds_on_core()) {
            (Some(before), Some(after)) => Duration::from_nanos(after.saturating_sub(before)),
            _ => self.started.elapsed(),
        }
    }
}

fn nanoseconds_on_core() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

fn each(took: Duration, count: u32) -> Duration {
    took.checked_div(count).unwrap_or_default()
}

/// The mean time of a check of sites that are ready in the gate, over a thousand sites.
fn cached(now: Moment, with_pace: bool) -> Result<Duration, Box<dyn Error>> {
    let gate = Gate::new(Made, MemoryStore::default(), agents());
    let urls: Vec<String> = (0..1_000).map(|number| format!("{}shop/item-{number}?page=2", host(number))).collect();
    for url in &urls {
        gate.permits(url, now)?;
    }
    let watch = Stopwatch::start();
    for (url, millis) in urls.iter().cycle().zip(0..u64::from(CHECKS)) {
        // Each round over the sites takes a second, so each site has its slot.
        let now = now.after(Duration::from_millis(millis));
        black_box(if with_pace { gate.check(url, now) } else { gate.permits(url, now) })?;
    }
    Ok(each(watch.elapsed(), CHECKS))
}

/// The checks of the blocking and of the async gate in a time, in turn, by the median ratio of their times.
#[cfg(feature = "async")]
fn against_async() -> Result<(f64, f64), Box<dyn Error>> {
    use robosieve_gate::retrieve::{Fetched, Request};
    use robosieve_gate::{AsyncGate, GateCore};

    const ROUNDS: usize = 41;
    const EACH: usize = 50_000;
    let urls: Vec<String> = (0..1_000).map(|number| format!("{}shop/item-{number}?page=2", host(number))).collect();
    let blocking = Gate::new(Made, MemoryStore::default(), agents());
    let fetch = |_: Request| std::future::ready(Fetched::new(200, file(0)));
    let gate = AsyncGate::over(fetch, GateCore::new(MemoryStore::default(), agents()));
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (mut ratios, mut best) = (Vec::new(), Duration::MAX);
    for _ in 0..ROUNDS {
        let watch = Stopwatch::start();
        for url in urls.iter().cycle().take(EACH) {
            black_box(blocking.check(url, blocking.now())?);
        }
        let took = watch.elapsed();
        let watch = Stopwatch::start();
        runtime.block_on(async {
            for url in urls.iter().cycle().take(EACH) {
                black_box(gate.check(url).await?);
            }
            Ok::<(), robosieve_gate::GateError>(())
        })?;
        let own = watch.elapsed();
        ratios.push(took.as_secs_f64() / own.as_secs_f64());
        best = best.min(own);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ROUNDS / 2).copied().unwrap_or_default();
    Ok((median, EACH as f64 / best.as_secs_f64()))
}

/// The memory that the process holds, in bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1_024)
}

/// What so many sites take in memory, with their lanes: in the store in memory, and ready to answer.
fn memory(now: Moment) -> Result<(), Box<dyn Error>> {
    let before = resident().unwrap_or_default();
    let gate = Gate::new(Made, MemoryStore::default(), agents());
    for number in 0..SITES {
        black_box(gate.check(&host(number), now)?);
    }
    let more = resident().unwrap_or_default().saturating_sub(before);
    let each = more.checked_div(u64::from(SITES)).unwrap_or_default();
    println!("{SITES} sites in memory, with lanes: {} MB, {each} bytes a site", more / 1_000_000);
    Ok(())
}

fn fill(store: &SqliteStore, now: Moment) -> Result<(), Box<dyn Error>> {
    let reader = Reader::new(agents());
    for number in 0..SITES {
        let origin = Origin::of(&host(number))?;
        let retrieval = Retrieval { ended: now, body: file(number).into(), ..Made.retrieve(&origin) };
        let contents = reader.read(&retrieval);
        let record = SiteRecord::default().after(&retrieval, contents, &Policy::default(), &Lifetimes::default());
        store.put(&origin, reader.key(), &record)?;
    }
    Ok(())
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let now = Moment::now();
    // First, while the process holds little else.
    memory(now)?;
    let plain = cached(now, false)?;
    let paced = cached(now, true)?;
    println!("cached check, no slot taken: {plain:?}");
    println!("cached check, with a slot:   {paced:?} (target: under 2 µs)");
    #[cfg(feature = "async")]
    let is_async_good = {
        let (ratio, rate) = against_async()?;
        println!("async checks for each blocking one: {ratio:.3}, {rate:.0} a second (target: 0.95)");
        ratio >= 0.95
    };
    #[cfg(not(feature = "async"))]
    let is_async_good = true;

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("robots.sqlite");
    let store = SqliteStore::open(&path)?;
    let watch = Stopwatch::start();
    fill(&store, now)?;
    let wrote = watch.elapsed();
    println!("{SITES} sites written, a commit each: {wrote:?}, {:?} each", each(wrote, SITES));
    drop(store);

    let gate = Gate::new(Nobody, SqliteStore::open(&path)?, agents());
    let urls: Vec<String> = (0..SITES).map(|number| host(number) + "shop/item-1?page=2").collect();
    let measured = |what: &str, check: &dyn Fn(&str) -> Result<robosieve_gate::Answer, robosieve_gate::GateError>| {
        let watch = Stopwatch::start();
        for url in &urls {
            black_box(check(url)?);
        }
        let rate = f64::from(SITES) / watch.elapsed().as_secs_f64();
        println!("{SITES} sites, {what}: {rate:.0} a second");
        Ok::<f64, Box<dyn Error>>(rate)
    };
    let read = measured("read from the file (target: 20000)", &|url| gate.permits(url, now))?;
    let gate = Gate::new(Nobody, SqliteStore::open(&path)?, agents());
    let slots = measured("read, and a slot taken in the file (target: 8000)", &|url| gate.check(url, now))?;
    let size = std::fs::metadata(&path)?.len();
    println!("the file: {} MB, {} bytes a site", size / 1_000_000, size.checked_div(u64::from(SITES)).unwrap_or(0));

    let is_good = paced < Duration::from_micros(2) && is_async_good && read >= 20_000.0 && slots >= 8_000.0;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
