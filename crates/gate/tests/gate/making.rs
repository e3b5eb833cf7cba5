//! Helpers for the tests of the gate: retrievals, and a gate whose time the tests give.
#![allow(dead_code, missing_docs, unreachable_pub)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::decide::{Class, Lifetimes, Policy, Preset, Reader, SiteRecord};
use robosieve_gate::keep::{Claim, SharedStore, Store, Visit};
use robosieve_gate::pace::{Pacing, Page, Slot, Taken};
use robosieve_gate::retrieve::{Cut, Outcome, Retrieval};
use robosieve_gate::{Answer, Ask, Core, Error, MemoryStore, Moment, Next, Origin, Settings};

pub const HOUR: u64 = 3_600;
pub const DAY: u64 = 24 * HOUR;
/// 2100-01-01, which no store takes for old: the tests can go back and forth from it.
pub const START: Moment = Moment::from_millis(4_102_444_800_000);

pub fn at(seconds: u64) -> Moment {
    START.after(secs(seconds))
}

pub const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub fn origin() -> Origin {
    Origin::of("https://example.com/").unwrap()
}

pub fn reader() -> Reader {
    Reader::new(Agents::new(["MyBot"]))
}

pub fn retrieval(outcome: Outcome, status: Option<u16>, body: &str, ended: Moment) -> Retrieval {
    Retrieval::of(origin(), outcome, status, body, ended)
}

/// The record after retrievals of these classes, one a day.
pub fn record(preset: Preset, classes: &[Class]) -> SiteRecord {
    classes.iter().zip(0..).fold(SiteRecord::default(), |record, (&class, day)| {
        let retrieved = of_class(class, at(day * DAY));
        record.after(&retrieved, reader().read(&retrieved), &Policy::from(preset), &Lifetimes::default())
    })
}

/// A site of its own.
pub fn numbered(number: usize) -> Origin {
    Origin::of(&format!("https://{number}.example.com:8443/")).unwrap()
}

pub const FILE: &str = "User-agent: *\nDisallow: /private\n";

/// A challenge instead of a file.
pub const PAGE: &str = "<!doctype html>\n<title>Just a moment...</title>\n";

/// A retrieval of each class, with a file if the class has a body.
pub fn of_class(class: Class, ended: Moment) -> Retrieval {
    let made = |outcome, status| retrieval(outcome, status, "", ended);
    match class {
        Class::Success => retrieval(Outcome::Rules, Some(200), FILE, ended),
        Class::OtherSuccess => retrieval(Outcome::Rules, Some(203), FILE, ended),
        Class::NotRobotsTxt => retrieval(Outcome::Rules, Some(200), PAGE, ended),
        Class::NoContent => retrieval(Outcome::Rules, Some(202), PAGE, ended),
        Class::NotServed => made(Outcome::Unavailable, Some(408)),
        Class::NoFile => made(Outcome::NoRules, Some(404)),
        Class::Forbidden => made(Outcome::Unavailable, Some(403)),
        Class::TooManyRequests => made(Outcome::Unavailable, Some(429)),
        Class::OtherRefusal => made(Outcome::Unavailable, Some(418)),
        Class::Redirect => made(Outcome::Unavailable, Some(302)),
        Class::Oversize => {
            let cut = retrieval(Outcome::Truncated, Some(200), FILE, ended);
            Retrieval { cut: Some(Cut::AtCap), ..cut }
        }
        Class::Interrupted => {
            let cut = retrieval(Outcome::Truncated, Some(200), FILE, ended);
            Retrieval { cut: Some(Cut::Early), ..cut }
        }
        Class::ServerError => made(Outcome::Unreachable, Some(503)),
        Class::NoAnswer => made(Outcome::Unreachable, None),
    }
}

/// What all sites are to say, and how often they were asked.
#[derive(Clone, Debug)]
pub struct Web {
    pub answer: Arc<Mutex<Retrieval>>,
    pub asked: Arc<AtomicUsize>,
    pub takes: Duration,
}

impl Web {
    pub fn new(answer: Retrieval) -> Self {
        Self { answer: Arc::new(Mutex::new(answer)), asked: Arc::default(), takes: Duration::ZERO }
    }

    pub fn file(text: &str) -> Self {
        Self::new(retrieval(Outcome::Rules, Some(200), text, Moment::default()))
    }

    pub fn set(&self, answer: Retrieval) {
        *self.answer.lock().unwrap() = answer;
    }

    pub fn count(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Web {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.asked.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(self.takes);
        let answer = self.answer.lock().unwrap().clone();
        Retrieval { origin: origin.clone(), ..answer }
    }
}

/// A gate whose time passes only with the questions, and whose sites say what the test set.
pub struct Played {
    pub core: Arc<Core>,
    pub web: Web,
}

impl std::ops::Deref for Played {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl Played {
    pub fn new(web: &Web) -> Self {
        Self::with(web, settings(|_| {}))
    }

    pub fn with(web: &Web, settings: Settings) -> Self {
        Self::over(web, Core::new(settings, MemoryStore::default()))
    }

    pub fn over(web: &Web, core: Core) -> Self {
        Self { core: Arc::new(core), web: web.clone() }
    }

    pub fn ask(&self, url: &str, ask: Ask, mut now: Moment) -> Answer {
        loop {
            match self.core.ask(url, ask, now) {
                Next::Answer(answer) => return answer,
                Next::Again(until) => {
                    std::thread::sleep(Duration::from_millis(1));
                    now = now.max(until);
                }
                Next::Fetch(errand) => {
                    let retrieval = self.web.retrieve(&Origin::of_url(&errand.request().url).unwrap());
                    now = now.max(errand.starts_at()).after(retrieval.ended.since(retrieval.began));
                    self.core.learn(retrieval, now).unwrap();
                }
            }
        }
    }

    pub fn check(&self, url: &str, now: Moment) -> Answer {
        self.ask(url, Ask::Slot, now)
    }

    pub fn permits(&self, url: &str, now: Moment) -> Answer {
        self.ask(url, Ask::Permission, now)
    }

    pub fn start(&self, url: &str, now: Moment) -> Answer {
        self.ask(url, Ask::Start, now)
    }
}

/// The kind of an answer, and its wait in seconds.
pub fn said(answer: &Answer) -> (&'static str, u64) {
    (answer.kind(), answer.wait.as_secs())
}

/// The settings for `MyBot`, with a change.
pub fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    change(&mut settings);
    settings
}

/// A core with defaults.
pub fn core() -> Arc<Core> {
    Arc::new(Core::new(settings(|_| {}), MemoryStore::default()))
}

/// A store that can be read, and whose first writes fail.
pub struct FailingStore {
    store: MemoryStore,
    failures: AtomicUsize,
}

impl FailingStore {
    /// A store of which so many writes fail.
    pub fn of(failures: usize) -> SharedStore {
        Arc::new(Self { store: MemoryStore::default(), failures: AtomicUsize::new(failures) })
    }
}

impl Store for FailingStore {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<SiteRecord>, Error> {
        self.store.get(origin, reader)
    }

    fn put(&self, origin: &Origin, reader: &str, record: &SiteRecord) -> Result<(), Error> {
        let fails = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if fails {
            return Err(Error::store("the disk is full"));
        }
        self.store.put(origin, reader, record)
    }

    fn remove(&self, origin: Option<&Origin>) -> Result<u64, Error> {
        self.store.remove(origin)
    }

    fn take(&self, lane: &str, pacing: &Pacing, slot: Slot, now: Moment) -> Result<Taken, Error> {
        self.store.take(lane, pacing, slot, now)
    }

    fn observe(&self, lane: &str, pacing: &Pacing, page: &Page, now: Moment) -> Result<(), Error> {
        self.store.observe(lane, pacing, page, now)
    }

    fn claim(&self, origin: &Origin, reader: &str) -> Result<Option<Claim>, Error> {
        self.store.claim(origin, reader)
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.store.for_each(visit)
    }
}

/// The sites of a store, with their readers.
pub fn all(store: &dyn Store) -> Vec<(String, String)> {
    let mut found = Vec::new();
    store.for_each(&mut |origin, reader, _| found.push((origin.to_string(), reader.to_owned()))).unwrap();
    found.sort();
    found
}
