//! Writers that are killed at any point, and the state of their store afterwards.
//!
//! The writers are this test program, started again to run one ignored test. `ROBOSIEVE_KILLS=1000` sets the number of

//! tries.

use std::collections::HashMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::Agents;
use robosieve_gate::decide::{Lifetimes, Policy, Reader, SiteRecord};
use robosieve_gate::keep::Store;
use robosieve_gate::retrieve::{Outcome, Retrieval};
use robosieve_gate::{Moment, Origin, SqliteStore};
use rusqlite::Connection;

/// A store drops old records when it is opened: these are of the year 2096.
const BASE: u64 = 4_000_000_000_000;
const WRITERS: u64 = 4;
const SITES: u64 = 50;
/// The environment variable that gives a started writer its store and its number.
const STORE: &str = "ROBOSIEVE_KILL_STORE";
const NUMBER: &str = "ROBOSIEVE_KILL_NUMBER";

fn site(writer: u64, number: u64) -> Origin {
    Origin::of(&format!("https://w{writer}-{number}.example.com/")).unwrap()
}

/// A site record with the number of the write in each part, so a mixture of two would show.
fn record(write: u64) -> SiteRecord {
    let moment = Moment::from_millis(BASE + write);
    let body = format!("User-agent: *\nDisallow: /{write}\n").repeat(20);
    let retrieved = Retrieval::of(site(0, 0), Outcome::Rules, Some(200), body, moment);
    let contents = Reader::new(Agents::new(["MyBot"])).read(&retrieved);
    SiteRecord::default().after(&retrieved, contents, &Policy::default(), &Lifetimes::default())
}

fn log_of(store: &Path, writer: u64) -> PathBuf {
    store.with_extension(format!("log{writer}"))
}

/// [gate.kill] Not a test by itself: the writers run it until they are killed.
#[test]
#[ignore = "started by kills_lose_nothing"]
fn writer() {
    let Some(path) = env::var_os(STORE).map(PathBuf::from) else { return };
    let number: u64 = env::var(NUMBER).unwrap().parse().unwrap();
    let mut log = OpenOptions::new().append(true).create(true).open(log_of(&path, number)).unwrap();
    let first = last_reported(&path, number).values().max().map_or(1, |write| write + 1);
    let store = SqliteStore::open(&path).unwrap();
    // A limit, in case the test does not kill it.
    let stop = Instant::now() + Duration::from_secs(30);
    for write in (first..).take_while(|_| Instant::now() < stop) {
        store.put(&site(number, write % SITES), "mybot", &record(write)).unwrap();
        // One system call, so a report is written whole or not at all.
        log.write_all(format!("{write}\n").as_bytes()).unwrap();
    }
}

/// The writes that a writer has reported as committed: the last one of each site.
fn last_reported(store: &Path, writer: u64) -> HashMap<u64, u64> {
    let text = fs::read_to_string(log_of(store, writer)).unwrap_or_default();
    let reported = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok());
    reported.map(|write: u64| (write % SITES, write)).collect()
}

fn start(store: &Path, number: u64) -> Child {
    let errors = OpenOptions::new().append(true).create(true).open(store.with_extension("errors")).unwrap();
    Command::new(env::current_exe().unwrap())
        .args(["kill::writer", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .envs([(STORE, store.as_os_str()), (NUMBER, number.to_string().as_ref())])
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .unwrap()
}

/// Fails if the file is damaged, or if a reported write is missing or incomplete.
fn verify(path: &Path, attempt: usize) -> usize {
    let errors = fs::read_to_string(path.with_extension("errors")).unwrap_or_default();
    assert!(errors.is_empty(), "try {attempt}: a writer failed before it was killed: {errors}");
    let store = SqliteStore::open(path).unwrap_or_else(|error| panic!("try {attempt}: {error}"));
    let whole: String =
        Connection::open(path).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok", "try {attempt}");
    let mut reported = 0;
    for writer in 0..WRITERS {
        for (number, write) in last_reported(path, writer) {
            let found = store.get(&site(writer, number), "mybot").unwrap();
            let found = found.unwrap_or_else(|| panic!("try {attempt}: writer {writer} lost site {number}"));
            let found_write = found.last.unwrap().at.as_millis() - BASE;
            assert!(found_write >= write, "try {attempt}: writer {writer} lost write {write}, {found_write} is there");
            assert_eq!(found, record(found_write), "try {attempt}: a record of halves");
            reported += 1;
        }
    }
    reported
}

/// Four writers are killed at a point that differs with each try. Every third try begins without a file: [gate.kill]
/// [gate.shared]
#[test]
fn kills_lose_nothing() {
    let tries: usize =
        env::var("ROBOSIEVE_KILLS").map_or(60, |text| text.parse().expect("ROBOSIEVE_KILLS is a number"));
    let folder = tempfile::tempdir().unwrap();
    let (started, mut reported, mut written) = (Instant::now(), 0, 0);
    for attempt in 0..tries {
        let path = folder.path().join(format!("robots-{}.sqlite", attempt / 3));
        let mut writers: Vec<Child> = (0..WRITERS).map(|number| start(&path, number)).collect();
        // From before the file exists to well into the writing, in steps that do not match any clock period.
        thread::sleep(Duration::from_micros(attempt as u64 * 7_919 % 60_000));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        for mut writer in writers {
            writer.wait().unwrap();
        }
        reported += verify(&path, attempt);
        if attempt % 3 == 2 {
            written += (0..WRITERS).filter_map(|writer| last_reported(&path, writer).into_values().max()).sum::<u64>();
        }
    }
    // Visible only with --nocapture.
    println!("{tries} tries, {written} writes, {reported} records held against reports, {:?}", started.elapsed());
    assert!(tries < 40 || reported > tries, "only {reported} records were ever reported");
}
