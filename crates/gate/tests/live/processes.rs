//! Several programs with one store: their pace together, stopped programs, killed ones. [gate.shared-pace]
//!
//! The programs are this test program, started again to run one ignored test. Each takes slots of one host and notes

//! when. `ROBOSIEVE_PACE_SECONDS=60` sets how long each case runs; `ROBOSIEVE_PACE_KILLS=200` the number of kills.

use std::collections::VecDeque;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::Agents;
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Action, Ask, Core, Moment, Next, RunClock, Settings, SqliteStore};

/// The environment variable that gives a started program its store.
const STORE: &str = "ROBOSIEVE_PACE_STORE";
const DELAY: Duration = Duration::from_millis(200);
/// These tests measure time, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

fn log_of(store: &Path) -> PathBuf {
    store.with_extension("log")
}

/// Not a test by itself: takes slots as a crawler that waits does, until it is killed. [gate.shared-pace]
#[test]
#[ignore = "started by the other tests"]
fn crawler() {
    let Some(path) = env::var_os(STORE).map(PathBuf::from) else { return };
    let mut log = OpenOptions::new().append(true).create(true).open(log_of(&path)).unwrap();
    take_slots(
        &path,
        || {},
        |has_slot| {
            assert!(has_slot);
            // One system call, so a line is written whole or not at all.
            log.write_all(format!("{}\n", Moment::now().as_millis()).as_bytes()).unwrap();
        },
    );
}

/// Waits for a slot for each of many URLs, as a crawler does, and says whether it got one.
fn take_slots(store: &Path, request: impl Fn(), mut took: impl FnMut(bool)) {
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    settings.pacing.default = DELAY;
    let core = Arc::new(Core::new(settings, SqliteStore::open(store).unwrap()));
    let (clock, url) = (RunClock::default(), "https://example.com/a");
    let sleep_until = |until: Moment| thread::sleep(until.since(clock.now()).max(Duration::from_millis(1)));
    // A limit, in case the test does not kill it.
    let stop = Instant::now() + Duration::from_secs(100);
    while Instant::now() < stop {
        match core.ask(url, Ask::Start, clock.now()) {
            Next::Answer(answer) if answer.action == Action::Wait => sleep_until(answer.until.unwrap()),
            Next::Answer(answer) => took(answer.is_allowed()),
            Next::Again(until) => sleep_until(until),
            Next::Fetch(errand) => {
                sleep_until(errand.starts_at());
                request();
                assert!(matches!(errand.came(Fetched::new(404, ""), clock.now()), Next::Again(_)));
            }
        }
    }
}

fn start(store: &Path) -> Child {
    command("processes::crawler", store).spawn().unwrap()
}

/// This program, for one ignored test.
fn command(test: &str, store: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(STORE, store).stdout(Stdio::null());
    command
}

fn end(mut child: Child) {
    let _ = child.kill();
    child.wait().unwrap();
}

/// When requests were made, in milliseconds.
fn requests(store: &Path) -> Vec<u64> {
    let text = fs::read_to_string(log_of(store)).unwrap_or_default();
    let mut times: Vec<u64> = text.lines().map(|line| line.parse().unwrap()).collect();
    times.sort_unstable();
    times
}

/// The most requests in any second, and the share of the possible rate over all.
fn judge(times: &[u64]) -> (usize, f64) {
    let delay = u64::try_from(DELAY.as_millis()).unwrap();
    let in_second = |from: u64| times.iter().filter(|time| (from..from + 1_000).contains(*time)).count();
    let most = times.iter().map(|&time| in_second(time)).max().unwrap_or_default();
    let due = (times[times.len() - 1] - times[0]) as f64 / delay as f64;
    (most, (times.len() - 1) as f64 / due)
}

/// The greatest share that is not too fast. On a busy machine the first requests may be noted late, by two intervals.
fn fastest(times: &[u64]) -> f64 {
    1.05 + 2.0 / times.len() as f64
}

/// Two, four and eight programs are as fast together as one may be, within 5 percent over a minute: [gate.shared-pace]
#[test]
fn programs_share_a_pace() {
    let _alone = ALONE.lock();
    let seconds = number("ROBOSIEVE_PACE_SECONDS", 3);
    // The cases have stores of their own, and their programs mostly sleep.
    thread::scope(|scope| {
        for programs in [2, 4, 8] {
            scope.spawn(move || pace_of(programs, seconds));
        }
    });
}

fn pace_of(programs: u32, seconds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("robots.sqlite");
    let children: Vec<Child> = (0..programs).map(|_| start(&store)).collect();
    thread::sleep(Duration::from_secs(seconds));
    children.into_iter().for_each(end);
    let times = requests(&store);
    let (most, share) = judge(&times);
    println!(
        "{programs} programs, {seconds} s: {} requests, {:.1} % of the pace, at most {most} in a second",
        times.len(),
        share * 100.0
    );
    assert!(share <= fastest(&times), "{programs} programs were too fast: {share}");
    // A short run on a busy machine may be slower than the pace.
    assert!(share >= if seconds >= 60 { 0.95 } else { 0.3 }, "{programs} programs were too slow: {share}");
    assert!(most <= 6, "{most} requests in a second, {programs} programs");
}

/// After a kill, a slot is lost if the next one is more than an interval away, or if the lane can't be read.
fn has_lost(store: &Path) -> bool {
    let Ok(connection) = rusqlite::Connection::open(store) else { return true };
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    let lane = connection.query_row("SELECT lane FROM lane", [], |row| row.get::<_, String>(0));
    // No row: nobody has started yet.
    lane.map_or_else(
        |error| error != rusqlite::Error::QueryReturnedNoRows,
        |lane| {
            let lane: robosieve_gate::pace::Lane = serde_json::from_str(&lane).unwrap();
            lane.free.since(lane.at) > DELAY
        },
    )
}

/// Programs that are killed lose no slot and leave no lane that is stuck: [gate.kill] [gate.late-slot]
#[test]
fn kills_lose_no_slot() {
    let _alone = ALONE.lock();
    let kills = usize::try_from(number("ROBOSIEVE_PACE_KILLS", 15)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("robots.sqlite");
    let steady = start(&store);
    while requests(&store).is_empty() {
        thread::sleep(Duration::from_millis(10));
    }
    let mut lost = 0;
    for kill in 0..kills {
        let child = start(&store);
        thread::sleep(Duration::from_millis(20 + kill as u64 * 37 % 230));
        end(child);
        lost += usize::from(has_lost(&store));
    }
    thread::sleep(Duration::from_secs(1));
    end(steady);
    let times = requests(&store);
    let (most, share) = judge(&times);
    println!(
        "{kills} kills, {lost} slots lost: {} requests, {:.1} % of the pace, at most {most} in a second",
        times.len(),
        share * 100.0
    );
    assert_eq!(lost, 0, "of {kills} kills");
    assert!(share <= fastest(&times) && most <= 6, "too fast: {share}, {most}");
    // A killed program may have taken a slot just before it noted the request.
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(longest < 1_500, "no request for {longest} ms");
    let whole: String =
        rusqlite::Connection::open(&store).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
}

/// The environment variable that gives a started program the port of the server.
const PORT: &str = "ROBOSIEVE_PACE_PORT";

/// A server that notes when each request comes.
struct Victim {
    port: u16,
    came: Arc<Mutex<Vec<Instant>>>,
}

impl Victim {
    fn new() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, came) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<Instant>>>::default());
        let noted = Arc::clone(&came);
        thread::spawn(move || {
            for stream in listener.incoming().take(100_000) {
                let (Ok(mut stream), noted) = (stream, Arc::clone(&noted)) else { continue };
                thread::spawn(move || {
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                    // A program that was killed before it sent anything made no request.
                    if stream.read(&mut [0; 1_024]).is_ok_and(|count| count > 0) {
                        noted.lock().unwrap().push(Instant::now());
                        let _ = stream.write_all(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
                    }
                });
            }
        });
        Self { port, came }
    }
}

/// Makes a request, and waits until it is answered.
fn get(port: u16, path: &str) {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    let _ = stream.read(&mut [0; 64]);
}

/// Not a test by itself: requests robots.txt and pages of a server until it is killed. [gate.shared-pace]
#[test]
#[ignore = "started by the other tests"]
fn fetcher() {
    let (Some(path), Ok(port)) = (env::var_os(STORE).map(PathBuf::from), env::var(PORT)) else { return };
    let port: u16 = port.parse().unwrap();
    let page = |has_slot| {
        if has_slot {
            get(port, "/page");
        }
    };
    take_slots(&path, || get(port, "/robots.txt"), page);
}

/// Programs with one store, of which one is killed and replaced four times a second: their server gets no more than the
/// pace: [gate.shared-pace] [gate.kill]
#[test]
fn a_server_sees_the_pace_while_programs_are_killed() {
    let _alone = ALONE.lock();
    let seconds = number("ROBOSIEVE_PACE_SECONDS", 4);
    thread::scope(|scope| {
        for programs in [2, 4, 8] {
            scope.spawn(move || seen_by_a_server(programs, Duration::from_secs(seconds)));
        }
    });
}

fn seen_by_a_server(programs: usize, time: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let (store, victim) = (folder.path().join("robots.sqlite"), Victim::new());
    let start = || {
        let mut command = command("processes::fetcher", &store);
        command.env(PORT, victim.port.to_string()).spawn().unwrap()
    };
    // A program that is killed while it retrieves robots.txt holds the site for its lease: here it is known first.
    let mut children = VecDeque::from([start()]);
    while victim.came.lock().unwrap().len() < 2 {
        thread::sleep(Duration::from_millis(10));
    }
    children.extend((1..programs).map(|_| start()));
    let (began, mut kills) = (Instant::now(), 0);
    while began.elapsed() < time {
        thread::sleep(Duration::from_millis(250));
        children.push_back(start());
        children.pop_front().into_iter().for_each(end);
        kills += 1;
    }
    children.into_iter().for_each(end);
    let came = victim.came.lock().unwrap().clone();
    let times: Vec<u64> = came.iter().map(|at| u64::try_from((*at - came[0]).as_millis()).unwrap()).collect();
    let (most, share) = judge(&times);
    println!(
        "{programs} programs, {kills} kills in {time:?}: {} requests came, {:.1} % of the pace, at most {most} in a second",
        times.len(),
        share * 100.0
    );
    assert!(share <= fastest(&times), "{programs} programs were too fast: {share}");
    // A lock that a killed program held would stop them. A busy machine has left half of the pace.
    assert!(share >= 0.2, "{programs} programs were too slow: {share}");
    // Six fit into a second and its ends. On a busy machine two may come late, and those after them not.
    assert!(most <= 8, "{most} requests in a second, {programs} programs");
}

/// A program that was stopped makes no burst when it goes on: [gate.late-slot]
#[test]
#[cfg(unix)]
fn a_stopped_program_makes_no_burst() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("robots.sqlite");
    let child = start(&store);
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    };
    thread::sleep(Duration::from_secs(1));
    signal("-STOP");
    let before = requests(&store).len();
    thread::sleep(Duration::from_millis(1_200));
    assert!(requests(&store).len() <= before + 1);
    signal("-CONT");
    thread::sleep(Duration::from_secs(1));
    end(child);
    let times = requests(&store);
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(times.len() > before + 2, "{gaps:?}");
    // Its own notes may be late by a little; a burst would be many at once.
    assert!(judge(&times).0 <= 6, "{gaps:?}");
}
