//! The promises of every store, written once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use robosieve_gate::decide::{Class, Preset, SiteRecord};
use robosieve_gate::keep::{SharedStore, Store};
use robosieve_gate::pace::{Pacing, Page, Slot};
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Ask, Core, Moment, Next, Origin, RunClock, Settings};

use crate::making::{FILE, all, numbered, origin, record, secs};

/// [gate.store]: any value that was put is returned, and nothing else is.
pub(crate) fn keeps_records(store: &dyn Store) {
    assert_eq!(store.get(&origin(), "mybot").unwrap(), None);
    for preset in Preset::ALL {
        for class in Class::ALL {
            for classes in [&[class][..], &[Class::Success, class], &[class, Class::NoAnswer, Class::NoFile]] {
                let kept = record(preset, classes);
                store.put(&origin(), "mybot", &kept).unwrap();
                assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(kept), "{preset} {classes:?}");
            }
        }
    }
    store.put(&origin(), "mybot", &SiteRecord::default()).unwrap();
    assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(SiteRecord::default()));
    let other = record(Preset::Rfc9309, &[Class::NoFile]);
    store.put(&origin(), "otherbot", &other).unwrap();
    store.put(&numbered(1), "mybot", &other).unwrap();
    assert_eq!(store.get(&origin(), "mybot").unwrap(), Some(SiteRecord::default()), "readers do not meet");
    let expected = [
        ("https://1.example.com:8443", "mybot"),
        ("https://example.com", "mybot"),
        ("https://example.com", "otherbot"),
    ];
    assert_eq!(all(store), expected.map(|(origin, reader)| (origin.to_owned(), reader.to_owned())));
    let forget = |origin: &Origin| store.remove(Some(origin)).unwrap();
    assert_eq!([forget(&origin()), forget(&origin()), store.remove(None).unwrap()], [2, 0, 1]);
    assert_eq!(all(store), []);
}

const PACING: fn() -> Pacing = Pacing::default;

fn slot(interval: u64, within: u64) -> Slot {
    Slot { interval: secs(interval), within: secs(within) }
}

/// [gate.shared-pace] [gate.hold]: lanes do not meet, and do what a lane in memory does; a hold is seen and lifted.
pub(crate) fn keeps_lanes(store: &dyn Store) {
    let take = |name: &str, slot| store.take(name, &PACING(), slot, Moment::now()).unwrap();
    let near = |one: Duration, seconds: u64| one.as_millis().abs_diff(u128::from(seconds) * 1_000) < 900;
    assert!(take("a.test", slot(20, 0)).is_yours);
    let second = take("a.test", slot(30, 60));
    assert!(second.is_yours && near(second.wait, 20), "{second:?}");
    for within in [0, 40] {
        let third = take("a.test", slot(30, within));
        assert!(!third.is_yours && near(third.wait, 50), "{third:?}");
    }
    assert!(take("b.test", slot(30, 0)).is_yours, "lanes do not meet");
    let look = take("b.test", slot(0, 0));
    assert!(!look.is_yours && near(look.wait, 30) && look.held.is_zero(), "{look:?}");
    let busy = Page { status: Some(429), retry_after: Some(secs(600)), took: None };
    store.observe("b.test", &PACING(), &busy, Moment::now()).unwrap();
    let held = take("b.test", slot(0, 0));
    assert!(near(held.held, 600) && near(held.wait, 600), "{held:?}");
    let good = Page { status: Some(200), retry_after: None, took: Some(Duration::ZERO) };
    store.observe("b.test", &PACING(), &good, Moment::now()).unwrap();
    let free = take("b.test", slot(0, 0));
    assert!(free.held.is_zero() && free.wait > secs(20), "the pace stays: {free:?}");
    // Pages of nobody make no lane: [gate.page-bounds]
    store.observe("c.test", &PACING(), &busy, Moment::now()).unwrap();
    assert!(take("c.test", slot(0, 0)).is_yours);
}

/// [gate.slow-down] [gate.adaptive]: feedback means what it means in memory, to the millisecond that a call takes.
pub(crate) fn learns_as_memory(store: &dyn Store) {
    let memory = robosieve_gate::MemoryStore::default();
    let began = Instant::now();
    let start = Moment::now();
    for adaptive in [None, Some(20)] {
        let pacing = Pacing { adaptive, max: secs(100), ..Pacing::default() };
        let name = format!("learn-{adaptive:?}.test");
        for (status, took) in
            [(429, 1), (503, 5), (200, 3), (404, 0), (500, 9), (429, 2), (429, 1), (429, 1), (429, 8), (200, 1)]
        {
            let page = Page { status: Some(status), retry_after: None, took: Some(secs(took)) };
            let now = start.after(began.elapsed());
            let mine = store.take(&name, &pacing, slot(1, 86_400), now).unwrap();
            let theirs = memory.take(&name, &pacing, slot(1, 86_400), now).unwrap();
            assert!(mine.wait.abs_diff(theirs.wait) < secs(1), "{name} {status}: {mine:?} {theirs:?}");
            store.observe(&name, &pacing, &page, now).unwrap();
            memory.observe(&name, &pacing, &page, now).unwrap();
        }
    }
}

/// [gate.shared-pace] [gate.clock]: programs whose clocks are 5 s apart share a lane, and no two slots are closer than
/// 0.99 of the delay.
pub(crate) fn clocks_apart(open: &(dyn Fn() -> SharedStore + Sync)) {
    let delay = secs(10);
    let programs = [0, 5_000].map(|ahead| {
        let mut settings = Settings::new(robosieve::Agents::new(["MyBot"]));
        settings.pacing.default = delay;
        (Arc::new(Core::new(settings, open())), RunClock::from(Moment::now().after(Duration::from_millis(ahead))))
    });
    let began = Instant::now();
    // The real time of a slot lies between these.
    let slot = |(core, clock): &(Arc<Core>, RunClock)| loop {
        let before = began.elapsed();
        match core.ask("https://apart.test/", Ask::Slot, clock.now()) {
            Next::Answer(answer) => break (before + answer.wait, began.elapsed() + answer.wait),
            Next::Again(_) => {}
            Next::Fetch(errand) => drop(errand.came(Fetched::new(404, ""), clock.now())),
        }
    };
    let mut slots: Vec<_> = (0..16).map(|number| slot(&programs[number % 2])).collect();
    slots.sort();
    for pair in slots.windows(2) {
        assert!(pair[1].1 >= pair[0].0 + delay.mul_f64(0.99), "{pair:?}");
    }
    assert!(slots[15].0 + secs(2) >= slots[0].1 + delay * 15, "{slots:?}");
}

/// [gate.fleet-flight]: a claim is one program's until it is dropped, for each reader.
pub(crate) fn claims(open: &(dyn Fn() -> SharedStore + Sync)) {
    let stores = [open(), open()];
    let claim = stores[0].claim(&origin(), "mybot").unwrap().unwrap();
    assert!(stores[1].claim(&origin(), "mybot").unwrap().is_none());
    assert!(stores[1].claim(&origin(), "otherbot").unwrap().is_some());
    drop(claim);
    assert!(stores[1].claim(&origin(), "mybot").unwrap().is_some());
}

/// [gate.fleet-flight]: of programs that begin on a host at the same time, one retrieves; the others wait for it, and
/// all get their slots.
pub(crate) fn workers_wait(open: &(dyn Fn() -> SharedStore + Sync)) {
    let (retrieved, waits) = (AtomicU32::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let settings = Settings::new(robosieve::Agents::new(["MyBot"]));
                let (core, clock) = (Arc::new(Core::new(settings, open())), RunClock::default());
                let sleep_until = |until: Moment| std::thread::sleep(until.since(clock.now()));
                let ask = |ask| core.ask("https://workers.test/a", ask, clock.now());
                let answer = loop {
                    match ask(Ask::Slot) {
                        Next::Answer(answer) => break answer,
                        Next::Again(until) => sleep_until(until),
                        Next::Fetch(errand) => {
                            sleep_until(errand.starts_at());
                            retrieved.fetch_add(1, Ordering::SeqCst);
                            std::thread::sleep(Duration::from_millis(700));
                            assert!(matches!(errand.came(Fetched::new(200, FILE), clock.now()), Next::Again(_)));
                        }
                    }
                };
                assert!(answer.is_allowed(), "{answer}");
                waits.lock().unwrap().push(clock.now().after(answer.wait));
                assert!(matches!(ask(Ask::Start), Next::Answer(later) if later.reason == "pace"));
            });
        }
    });
    let mut slots = waits.into_inner().unwrap();
    slots.sort();
    let least = slots.windows(2).map(|pair| pair[1].since(pair[0])).min().unwrap();
    println!("8 workers: {} retrieval, least gap {least:?}", retrieved.load(Ordering::SeqCst));
    assert_eq!(retrieved.into_inner(), 1);
    // The answers come some milliseconds after their slots were counted.
    assert!(slots.len() == 8 && least > Duration::from_millis(800), "{slots:?}");
}

/// [gate.shared-pace]: programs that share a store take no slot twice, and each next slot is one interval later.
pub(crate) fn shares_pace(open: &(dyn Fn() -> SharedStore + Sync)) {
    let gap = Duration::from_millis(50);
    let pacing = Pacing { default: gap, min: gap, max_wait: secs(10), ..Pacing::default() };
    let (slots, began) = (Mutex::new(Vec::new()), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = open();
                for _ in 0..5 {
                    let before = began.elapsed();
                    let slot = Slot { interval: gap, within: secs(10) };
                    let taken = store.take("shared.test", &pacing, slot, Moment::now()).unwrap();
                    assert!(taken.is_yours);
                    // The wait counts from some moment of the call.
                    slots.lock().unwrap().push((began.elapsed() + taken.wait, before + taken.wait));
                }
            });
        }
    });
    let mut slots = slots.into_inner().unwrap();
    slots.sort();
    let all = slots[39].0.saturating_sub(slots[0].1);
    assert!(all >= gap * 38 && all <= gap * 48, "{all:?}");
}
