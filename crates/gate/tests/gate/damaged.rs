//! Rows and lanes of a store that were damaged or changed by hand.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::{Claim, SiteStore};
use robosieve_gate::pace::Pacing;
use robosieve_gate::{Answer, Gate, GateCore, Moment, SqliteStore};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::making::{FILE, Told, at, origin, secs};
use crate::properties::Random;
use crate::properties::rows::Store;

/// A claim in a file counts while its program runs, and for its lease at most: [gate.fleet-flight]
#[test]
fn claims_that_were_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let by_hand = Connection::open(&path).unwrap();
    let sql = "INSERT OR REPLACE INTO flight (name, until, token, program) \
               VALUES ('https://example.com mybot', ?1, 7, ?2)";
    let (own, gone) = (i64::from(std::process::id()), 1 << 30);
    let in_time = |time: Duration| i64::try_from(Moment::now().after(time).as_millis()).unwrap();
    let (before, soon, later) = (in_time(Duration::ZERO), in_time(secs(100)), in_time(Claim::LEASE + secs(100)));
    for (until, program, is_free) in [
        (Value::Integer(soon), Value::Integer(own), false),
        (Value::Integer(soon), Value::Integer(gone), cfg!(target_os = "linux")),
        (Value::Integer(soon), Value::Null, false),
        (Value::Integer(before), Value::Integer(own), true),
        (Value::Integer(later), Value::Integer(own), true),
        (Value::Text("x".into()), Value::Integer(own), true),
    ] {
        by_hand.execute(sql, [&until, &program]).unwrap();
        let claim = store.claim(&origin(), "mybot").unwrap();
        assert_eq!(claim.is_ok(), is_free, "{until:?} {program:?}");
    }
    let rows: i64 = by_hand.query_row("SELECT count(*) FROM flight", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0, "a claim that has ended leaves nothing");
}

/// Whatever a lane holds, it delays its host by no more than the longest wait and interval, opens nothing, is no error,
/// and is right again after the next requests: [gate.shared-pace]
#[test]
fn a_damaged_lane_only_delays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let pacing = Pacing {
        max_in_flight: Some(1),
        adaptive: Some(2),
        max_pause: secs(600),
        max_wait: secs(900),
        lease: secs(10),
        ..Pacing::default()
    };
    let longest = pacing.max_wait.max(pacing.max_pause) + pacing.max.max(pacing.lease);
    let store = SqliteStore::open(&path).unwrap();
    let gate = Gate::over(Told::file(FILE), GateCore::new(store, Agents::new(["MyBot"])).with_pacing(pacing));
    gate.check("https://example.com/a", at(0)).unwrap();
    let by_hand = Connection::open(&path).unwrap();
    let now = at(10_000);
    let numbers =
        [i64::MIN, -1, 0, 1, 255, 256, i64::MAX].into_iter().chain([-1_i64, 0, 1].into_iter().flat_map(|sign| {
            [0, 60_000, 86_400_000, 1 << 40].map(|by| i64::try_from(now.as_millis()).unwrap() + sign * by)
        }));
    let mut values: Vec<String> = numbers.map(|number| number.to_string()).collect();
    values.push(u64::MAX.to_string());
    let slots = [now, now.after(secs(1 << 33)), Moment::from_millis(u64::MAX), Moment::from_millis(0)];
    values.extend(slots.map(|slot| vec![slot.as_millis().to_string(); 300].join(" ")));
    values.push("1 ".repeat(10 << 20));
    values.extend(["x", "", "-", "1e300", "1.5", "\u{e9}\0"].map(str::to_owned));
    let mut tried = 0;
    // The parts of a lane's text, and what follows them.
    for (part, column) in
        ["free", "at", "gap", "answers_in", "level", "slots", "since", "until", "held"].iter().enumerate()
    {
        for value in &values {
            let lane: String = by_hand.query_row("SELECT lane FROM lane", [], |row| row.get(0)).unwrap();
            let mut parts: Vec<String> = lane.split(' ').take(5).map(str::to_owned).collect();
            match (parts.get_mut(part), *column) {
                (Some(part), _) => part.clone_from(value),
                (None, "slots") => parts.push(value.clone()),
                (None, "since") => parts.push(format!("h{value}.1")),
                (None, "until") => parts.push(format!("h1.{value}")),
                (None, _) => parts.push(format!("h{value}.{value}")),
            }
            let changed = by_hand.execute("UPDATE lane SET lane = ?1", [parts.join(" ")]);
            assert_eq!(changed.unwrap(), 1);
            tried += 1;
            assert!(!gate.permits("https://example.com/private", now).unwrap().is_allowed());
            let mut time = now;
            loop {
                match gate.start("https://example.com/a", time).unwrap() {
                    Answer::NotNow { until, .. } => {
                        assert!(until > time, "{column} {value:?}");
                        time = until;
                    }
                    Answer::Allowed { .. } => break,
                    other => panic!("{other:?}"),
                }
                assert!(time.since(now) <= longest, "{column} {value:?}: {:?}", time.since(now));
            }
            for _ in 0..if *column == "level" { 12 } else { 1 } {
                gate.observe(
                    "https://example.com/a",
                    &robosieve_gate::pace::Page { status: Some(200), ..Default::default() },
                    time,
                )
                .unwrap();
                time = time.after(secs(400));
                assert!(gate.start("https://example.com/a", time).unwrap().is_allowed(), "{column} {value:?}");
            }
            gate.observe("https://example.com/a", &robosieve_gate::pace::Page::default(), time).unwrap();
            let until = match gate.start("https://example.com/a", time).unwrap() {
                Answer::NotNow { until, .. } => until.since(time),
                answer => panic!("{answer:?}"),
            };
            assert!(
                until <= Duration::from_secs(if *column == "answers_in" { 300 } else { 1 }),
                "{column} {value:?}: {until:?}"
            );
            by_hand.execute("DELETE FROM lane", []).unwrap();
            gate.check("https://example.com/a", at(0)).unwrap();
        }
    }
    assert!(tried > 100);
}

/// Any values in a row whose checksum holds: it is a site record, or unknown, and opens nothing; a lane is no error:
/// [gate.row] [gate.shared-pace]
#[test]
fn any_values() {
    let store = Store::new();
    let read = (0..600).filter(|&seed| store.any_row(&mut Random(seed))).count();
    assert!(read > 50 && read < 550, "only {read} could be read");
    for seed in 0..100 {
        store.any_lane(&mut Random(seed));
    }
}
