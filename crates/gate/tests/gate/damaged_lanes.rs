//! Lanes of a store that were damaged or changed by hand.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::{Claim, SiteStore};
use robosieve_gate::pace::Pacing;
use robosieve_gate::{Answer, Gate, GateCore, Moment, SqliteStore};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::making::{FILE, Told, at, origin, secs};

/// A claim in a file counts while its program runs, and for its lease at most: [gate.fleet-flight]
#[test]
fn claims_that_were_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    let store = SqliteStore::open(&path).unwrap();
    let by_hand = Connection::open(&path).unwrap();
    let sql = "INSERT OR REPLACE INTO lane (name, free, at, gap, answers_in, level, in_flight) \
               VALUES ('flight https://example.com mybot', ?1, 0, 7, ?2, 0, '')";
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
    let rows: i64 = by_hand.query_row("SELECT count(*) FROM lane", [], |row| row.get(0)).unwrap();
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
    let mut values: Vec<Value> = numbers.map(Value::Integer).collect();
    let slots = [now, now.after(secs(1 << 33)), Moment::from_millis(u64::MAX), Moment::from_millis(0)];
    values.extend(slots.map(|slot| Value::Text(vec![slot.as_millis().to_string(); 300].join(" "))));
    values.push(Value::Text("1 ".repeat(10 << 20)));
    values.extend([Value::Text("x".into()), Value::Text(String::new()), Value::Blob(vec![255; 9]), Value::Real(1e300)]);
    let mut tried = 0;
    let held = ["held_until = 1, held_since", "held_since = 1, held_until", "held_since = ?1, held_until"];
    for column in ["free", "at", "gap", "answers_in", "level", "in_flight"].into_iter().chain(held) {
        for value in &values {
            let changed = by_hand.execute(&format!("UPDATE lane SET {column} = ?1"), [value]);
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
            for _ in 0..if column == "level" { 12 } else { 1 } {
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
                until <= Duration::from_secs(if column == "answers_in" { 300 } else { 1 }),
                "{column} {value:?}: {until:?}"
            );
            by_hand.execute("DELETE FROM lane", []).unwrap();
            gate.check("https://example.com/a", at(0)).unwrap();
        }
    }
    assert!(tried > 100);
}
