//! The promises of every store, written once.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use robosieve_gate::decide::{Class, Lifetimes, Policy, Preset, SiteRecord};
use robosieve_gate::keep::{Claim, SharedStore, SiteStore};
use robosieve_gate::pace::{Asked, Hold, Lane, NoSlot, Pace, Pacing, Page};
use robosieve_gate::{Answer, Gate, GateCore, Moment, Origin, Why};

use crate::making::{DAY, all, at, of_class, origin, reader, secs};

pub(crate) fn record(preset: Preset, classes: &[Class]) -> SiteRecord {
    classes.iter().zip(0..).fold(SiteRecord::default(), |record, (&class, day)| {
        let retrieved = of_class(class, at(day * DAY));
        record.after(&retrieved, reader().read(&retrieved), &Policy::from(preset), &Lifetimes::default())
    })
}

pub(crate) fn numbered(number: usize) -> Origin {
    Origin::of(&format!("https://{number}.example.com:8443/")).unwrap()
}

/// [gate.store]: what was put is returned, whatever it is, and nothing else is.
pub(crate) fn keeps_records(store: &dyn SiteStore) {
    assert!(store.is_empty().unwrap());
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
    assert_eq!(store.len().unwrap(), 1);

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
    let mut seen = 0;
    store
        .for_each(&mut |_, _, _| {
            seen += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(seen, 1);

    store.put(&numbered(1), "otherbot", &other).unwrap();
    assert_eq!([store.forget(&numbered(1)).unwrap(), store.forget(&numbered(1)).unwrap()], [2, 0]);
    // The record of otherbot has an attempt on the first day, the one of mybot has none.
    assert_eq!(store.forget_before(at(0)).unwrap(), 1);
    store.put(&origin(), "mybot", &SiteRecord::default()).unwrap();
    assert!(store.remove(&origin(), "mybot").unwrap());
    assert!(!store.remove(&origin(), "mybot").unwrap());
    assert_eq!(store.get(&origin(), "otherbot").unwrap(), Some(other));
    store.clear().unwrap();
    assert!(store.is_empty().unwrap());
}

/// [gate.store]: the visitor may use the store.
pub(crate) fn visitors_may_write(store: &dyn SiteStore) {
    for number in 0..10 {
        store.put(&numbered(number), "mybot", &SiteRecord::default()).unwrap();
    }
    store
        .for_each(&mut |origin, reader, _| {
            assert!(store.remove(origin, reader).unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(store.is_empty().unwrap());
}

/// [gate.shared-pace]: a lane is returned as it was changed, and lanes do not meet.
pub(crate) fn keeps_lanes(store: &dyn SiteStore) {
    let (lanes, clock) = (store.lanes().unwrap(), store.clock());
    let now = clock.now();
    assert_eq!(lanes.get("none.test", now).unwrap(), Lane::default());
    let made = Lane {
        free: now.after(secs(5)),
        at: now,
        gap: secs(2),
        answers_in: Some(Duration::from_millis(123)),
        level: 3,
        in_flight: vec![now, now.after(secs(1))],
        held: Some(Hold { since: now, until: now.after(secs(9)) }),
    };
    lanes.change("a.test", now, &mut |lane, _| *lane = made.clone()).unwrap();
    let later = clock.now();
    let found = lanes.get("a.test", later).unwrap();
    let near = |one: Moment, other: Moment| one.since(other).max(other.since(one)) < Duration::from_millis(50);
    assert!(near(found.free, made.free) && near(found.at, made.at), "{found:?} {made:?}");
    assert!(found.in_flight.iter().zip(&made.in_flight).all(|(&one, &other)| near(one, other)), "{found:?}");
    assert_eq!((found.gap, found.answers_in, found.level), (made.gap, made.answers_in, made.level));
    let held = found.held.unwrap();
    assert!(near(held.since, now) && near(held.until, now.after(secs(9))), "{held:?}");
    assert_eq!(lanes.get("b.test", later).unwrap(), Lane::default());
    // Pages of nobody make no lane: [gate.page-bounds]
    let busy = Page { status: Some(429), retry_after: Some(secs(9)), ..Page::default() };
    Pace::default().observe(Some(lanes), "b.test", &busy, later).unwrap();
    assert_eq!(lanes.get("b.test", later).unwrap(), Lane::default());
}

/// [gate.hold]: a hold is seen and lifted, one or all; the pace stays.
pub(crate) fn lifts_holds(store: &dyn SiteStore) {
    let (lanes, clock, pace) = (store.lanes().unwrap(), store.clock(), Pace::default());
    let hosts = ["held-a.test", "held-b.test"].map(|name| Origin::of(&format!("https://{name}/")).unwrap());
    let busy = Page { status: Some(429), retry_after: Some(secs(600)), ..Page::default() };
    for round in 0..2 {
        for origin in &hosts {
            let name = pace.lane_of(origin, None);
            assert!(pace.take(Some(lanes), &name, &Asked::default(), clock.now()).is_ok(), "{round}");
            pace.observe(Some(lanes), &name, &busy, clock.now()).unwrap();
            let until = lanes.held(origin.host(), clock.now()).unwrap().unwrap();
            assert!(until.since(clock.now()) > secs(590), "{until}");
        }
        if round == 0 {
            assert!(hosts.iter().all(|origin| lanes.lift(origin.host(), clock.now()).unwrap()));
            assert!(!lanes.lift(hosts[0].host(), clock.now()).unwrap());
        } else {
            lanes.lift_all().unwrap();
        }
        for origin in &hosts {
            assert_eq!(lanes.held(origin.host(), clock.now()).unwrap(), None);
            let lane = lanes.get(&pace.lane_of(origin, None), clock.now()).unwrap();
            assert!(lane.free > clock.now() && lane.level > 0, "{lane:?}");
        }
    }
}

/// [gate.fleet-flight]: a claim is one program's until it is dropped, for each reader.
pub(crate) fn claims(open: &(dyn Fn() -> SharedStore + Sync)) {
    let stores = [open(), open()];
    let claim = stores[0].claim(&origin(), "mybot").unwrap().unwrap();
    assert_eq!(stores[1].claim(&origin(), "mybot").unwrap().unwrap_err(), Claim::LOOK_AGAIN);
    assert!(stores[1].claim(&origin(), "otherbot").unwrap().is_ok());
    drop(claim);
    assert!(stores[1].claim(&origin(), "mybot").unwrap().is_ok());
}

/// A retriever that takes a while, and waits for real.
struct Slow<'c>(&'c AtomicU32);

impl robosieve_gate::retrieve::Retriever for Slow<'_> {
    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn retrieve(&self, _: &Origin) -> robosieve_gate::retrieve::Retrieval {
        let began = Moment::now();
        self.0.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(700));
        robosieve_gate::retrieve::Retrieval { began, ..of_class(Class::Success, Moment::now()) }
    }
}

/// [gate.fleet-flight]: of programs that begin on a host at the same time, one retrieves; the others wait for it, and
/// all get their slots.
pub(crate) fn workers_wait(open: &(dyn Fn() -> SharedStore + Sync)) {
    let (retrieved, waits) = (AtomicU32::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let core = GateCore::new(open(), robosieve::agent::Agents::new(["MyBot"]));
                let gate = Gate::over(Slow(&retrieved), core);
                let url = "https://workers.test/a";
                match gate.check(url, gate.now()).unwrap() {
                    Answer::Allowed { wait, .. } => waits.lock().unwrap().push(gate.now().after(wait)),
                    other => panic!("{other}"),
                }
                let later = gate.start(url, gate.now()).unwrap();
                assert!(matches!(later, Answer::NotNow { why: Why::Pace, .. }), "{later}");
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
    let slots = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = open();
                let (pace, clock) = (Pace::new(pacing), store.clock());
                for _ in 0..5 {
                    let now = clock.now();
                    let wait = pace.take(store.lanes(), "shared.test", &Asked::default(), now).unwrap();
                    // The wait counts from some moment of the call.
                    slots.lock().unwrap().push((clock.now().after(wait), now.after(wait)));
                }
            });
        }
    });
    let mut slots = slots.into_inner().unwrap();
    slots.sort();
    let least = slots.windows(2).map(|pair| pair[1].0.since(pair[0].1)).min().unwrap();
    assert!(least >= Duration::from_millis(35), "{least:?}");
    let all = slots[39].0.since(slots[0].1);
    assert!(all >= gap * 38 && all <= gap * 48, "{all:?}");
}

/// [gate.shared-pace]: of those that would start now, one does.
pub(crate) fn starts_one(open: &(dyn Fn() -> SharedStore + Sync)) {
    let started = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = open();
                let now = store.clock().now();
                match Pace::default().start(store.lanes(), "one.test", &Asked::default(), now) {
                    Ok(()) => started.fetch_add(1, Ordering::SeqCst),
                    Err(NoSlot::Later(until)) => u32::from(until <= now),
                    Err(error) => panic!("{error}"),
                };
            });
        }
    });
    assert_eq!(started.into_inner(), 1);
}
