//! What a frontier and a store of one's own need: the next slots of many lanes, and records and lanes for serde.

use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::decide::{Policy, Reader, SiteRecord};
use robosieve_gate::keep::SiteStore;
use robosieve_gate::pace::{Asked, Lane, Pace, Pacing, Page};
use robosieve_gate::retrieve::{Attempt, AttemptEnd, Outcome, Retrieval, Validators};
use robosieve_gate::{GateCore, MemoryStore, Moment, Origin, SqliteStore};

const NOW: Moment = Moment::from_millis(1_800_000_000_000);

/// The slots of many lanes, in memory and in a file; asking takes none: [gate.next-free]
#[test]
fn the_next_slots_of_many_lanes() {
    let dir = tempfile::tempdir().unwrap();
    let stores: [Box<dyn SiteStore>; 2] =
        [Box::new(MemoryStore::default()), Box::new(SqliteStore::open(dir.path().join("s.sqlite")).unwrap())];
    for store in stores {
        let core = GateCore::new(store, Agents::new(["MyBot"]));
        let (asked, lanes) = (Asked::default(), core.store().lanes());
        for _ in 0..3 {
            core.pace().take(lanes, "three", &asked, NOW).unwrap();
        }
        core.pace().start(lanes, "one", &asked, NOW).unwrap();
        let busy = Page { status: Some(429), retry_after: Some(Duration::from_secs(60)), ..Page::default() };
        core.pace().start(lanes, "held", &asked, NOW).unwrap();
        core.pace().observe(lanes, "held", &busy, NOW).unwrap();
        let names = ["three", "one", "held", "new"];
        for _ in 0..2 {
            let free = core.next_free(names, NOW).unwrap();
            assert_eq!(free, [3, 1, 60, 0].map(|seconds| NOW.after(Duration::from_secs(seconds))));
        }
        let later = NOW.after(Duration::from_secs(2));
        let free = core.next_free(names, later).unwrap();
        assert_eq!(free, [NOW.after(Duration::from_secs(3)), later, NOW.after(Duration::from_secs(60)), later]);
        assert!(core.next_free([], NOW).unwrap().is_empty());
    }
    // A lane whose request runs is not free before somebody looks again.
    let pace = Pace::new(Pacing { from_end: true, ..Pacing::default() });
    pace.start(None, "runs", &Asked::default(), NOW).unwrap();
    let later = NOW.after(Duration::from_secs(5));
    assert!(pace.next_free(None, ["runs"], later).unwrap()[0] > later);
}

/// Records and lanes are the same after they were written and read: [gate.serde]
#[test]
fn records_and_lanes_for_serde() {
    let reader = Reader::new(Agents::new(["MyBot"]));
    let origin = Origin::of("https://example.com/").unwrap();
    let (policy, lifetimes) = (Policy::default(), robosieve_gate::decide::Lifetimes::default());
    let mut retrieval = Retrieval::of(origin.clone(), Outcome::Rules, Some(200), "User-agent: *\nDisallow: /x\n", NOW);
    retrieval.validators = Validators::new(Some("\"1\""), None);
    let address = Some("[2001:db8::1]:443".parse().unwrap());
    retrieval.attempts = vec![
        Attempt { address: None, end: AttemptEnd::Failed("no".into()) },
        Attempt { address, end: AttemptEnd::NotAsked("ours".into()) },
        Attempt { address, end: AttemptEnd::Status(200) },
    ];
    let said = SiteRecord::default().after(&retrieval, reader.read(&retrieval), &policy, &lifetimes);
    let failed = Retrieval::of(origin, Outcome::Unreachable, Some(503), "", NOW.after(Duration::from_secs(90_000)));
    let failed = said.after(&failed, reader.read(&failed), &policy, &lifetimes);
    assert!(failed.failures == 1 && failed.snapshot.is_some());
    for record in [SiteRecord::default(), said, failed] {
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<SiteRecord>(&json).unwrap(), record, "{json}");
    }
    assert_eq!(serde_json::from_str::<SiteRecord>("{}").unwrap(), SiteRecord::default());
    let held: Validators = serde_json::from_str(r#"{"etag":"\r\nX: y","last_modified":"never"}"#).unwrap();
    assert!(held.is_empty());
    assert!(serde_json::from_str::<Attempt>(r#"{"address":null,"status":null,"error":null}"#).is_err());
    let lane = Lane { free: NOW, gap: Duration::from_millis(7), in_flight: vec![NOW], level: 3, ..Lane::default() };
    let json = serde_json::to_string(&lane).unwrap();
    assert_eq!(serde_json::from_str::<Lane>(&json).unwrap(), lane);
    assert_eq!(serde_json::from_str::<Lane>("{}").unwrap(), Lane::default());
}
