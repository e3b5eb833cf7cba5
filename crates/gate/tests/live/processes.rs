//! Several programs with one store: their pace together, stopped programs, killed ones. [gate.shared-pace]
//!
//! The programs are this test program, started again to run one ignored test. Each requests pages of
//! one host in their slots. `ROBOSIEVE_PACE_SECONDS=60` sets how long each case runs.

use std::collections::VecDeque;
use std::env;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::Agents;
use robosieve_gate::retrieve::Fetched;
use robosieve_gate::{Action, Ask, Core, Moment, Next, RunClock, Settings, SqliteStore};

use crate::server::Server;

/// The environment variables that give a started program its store and the port of the server.
const STORE: &str = "ROBOSIEVE_PACE_STORE";
const PORT: &str = "ROBOSIEVE_PACE_PORT";
const DELAY: Duration = Duration::from_millis(200);
/// These tests measure time, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// A server that notes when each request comes.
struct Victim {
    server: Server,
    came: Arc<Mutex<Vec<Instant>>>,
}

impl Victim {
    fn new() -> Self {
        let came = Arc::<Mutex<Vec<Instant>>>::default();
        let noted = Arc::clone(&came);
        let server = Server::new(move |_, connection| {
            // A program that was killed before it sent anything made no request.
            if !connection.request().is_empty() {
                noted.lock().unwrap().push(Instant::now());
                connection.send(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
            }
        });
        Self { server, came }
    }

    fn count(&self) -> usize {
        self.came.lock().unwrap().len()
    }

    fn wait_for(&self, count: usize) {
        while self.count() < count {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The requests in milliseconds since the first; the most in any second; and the share of the possible rate over
    /// all.
    fn judged(&self) -> (Vec<u64>, usize, f64) {
        let came = self.came.lock().unwrap().clone();
        let times: Vec<u64> = came.iter().map(|at| u64::try_from((*at - came[0]).as_millis()).unwrap()).collect();
        let in_second = |from: u64| times.iter().filter(|time| (from..from + 1_000).contains(*time)).count();
        let most = times.iter().map(|&time| in_second(time)).max().unwrap_or_default();
        let due = times[times.len() - 1] as f64 / DELAY.as_millis() as f64;
        let share = (times.len() - 1) as f64 / due;
        (times, most, share)
    }
}

/// Makes a request, and waits until it is answered.
fn get(port: u16, path: &str) {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    let _ = stream.read(&mut [0; 64]);
}

/// Not a test by itself: requests robots.txt and pages of a server as a crawler does, until it is killed.
/// [gate.shared-pace]
#[test]
#[ignore = "started by the other tests"]
fn fetcher() {
    let (Some(path), Ok(port)) = (env::var_os(STORE).map(PathBuf::from), env::var(PORT)) else { return };
    let port: u16 = port.parse().unwrap();
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    settings.pacing.default = DELAY;
    let core = Arc::new(Core::new(settings, SqliteStore::open(path).unwrap()));
    let clock = RunClock::default();
    let sleep_until = |until: Moment| thread::sleep(until.since(clock.now()).max(Duration::from_millis(1)));
    // A limit, in case the test does not kill it.
    let stop = Instant::now() + Duration::from_secs(100);
    while Instant::now() < stop {
        match core.ask("https://example.com/a", Ask::Start, clock.now()) {
            Next::Answer(answer) if answer.action == Action::Wait => sleep_until(answer.until.unwrap()),
            Next::Answer(answer) => {
                assert!(answer.is_allowed());
                get(port, "/page");
            }
            Next::Again(until) => sleep_until(until),
            Next::Fetch(errand) => {
                sleep_until(errand.starts_at());
                get(port, "/robots.txt");
                assert!(matches!(errand.came(Fetched::new(404, ""), clock.now()), Next::Again(_)));
            }
        }
    }
}

/// This program, for that test.
fn start(store: &Path, victim: &Victim) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["processes::fetcher", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(STORE, store).env(PORT, victim.server.address.port().to_string()).stdout(Stdio::null()).spawn().unwrap()
}

fn end(mut child: Child) {
    let _ = child.kill();
    child.wait().unwrap();
}

/// After a kill, a slot is lost if the next one is more than an interval away, or if the lane can't be read.
fn has_lost(store: &Path) -> bool {
    let connection = rusqlite::Connection::open(store).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    let lane: String = connection.query_row("SELECT lane FROM lane", [], |row| row.get(0)).unwrap();
    let lane: robosieve_gate::pace::Lane = serde_json::from_str(&lane).unwrap();
    lane.free.since(lane.at) > DELAY
}

/// Programs with one store, of which one is killed and replaced four times a second: their server gets no more than the
/// pace of one, no slot is lost, no lane is stuck, and the file stays whole: [gate.shared-pace] [gate.kill]
/// [gate.late-slot]
#[test]
fn a_server_sees_the_pace_while_programs_are_killed() {
    let _alone = ALONE.lock();
    let seconds = env::var("ROBOSIEVE_PACE_SECONDS").map_or(4, |text| text.parse().expect("a number"));
    thread::scope(|scope| {
        for programs in [1, 2, 4, 8] {
            scope.spawn(move || seen_by_a_server(programs, Duration::from_secs(seconds)));
        }
    });
}

fn seen_by_a_server(programs: usize, time: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let (store, victim) = (folder.path().join("robots.sqlite"), Victim::new());
    // A program that is killed while it retrieves robots.txt holds the site for its lease: here it is known first.
    let mut children = VecDeque::from([start(&store, &victim)]);
    victim.wait_for(2);
    children.extend((1..programs).map(|_| start(&store, &victim)));
    let (began, mut kills, mut lost) = (Instant::now(), 0, 0);
    while began.elapsed() < time {
        thread::sleep(Duration::from_millis(210 + kills * 37 % 80));
        children.push_back(start(&store, &victim));
        children.pop_front().into_iter().for_each(end);
        lost += usize::from(has_lost(&store));
        kills += 1;
    }
    children.into_iter().for_each(end);
    let (times, most, share) = victim.judged();
    println!(
        "{programs} programs, {kills} kills in {time:?}: {} requests came, {:.1} % of the pace, at most {most} in a second",
        times.len(),
        share * 100.0
    );
    assert_eq!(lost, 0, "of {kills} kills");
    // On a busy machine the first requests may be noted late, by two intervals.
    assert!(share <= 1.01 + 2.0 / times.len() as f64, "{programs} programs were too fast: {share}");
    // A lock that a killed program held would stop them. A busy machine has left half of the pace.
    assert!(share >= 0.2, "{programs} programs were too slow: {share}");
    // Six fit into a second and its ends. On a busy machine two may come late, and those after them not.
    assert!(most <= 8, "{most} requests in a second, {programs} programs");
    let whole: String =
        rusqlite::Connection::open(&store).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
}

/// A program that was stopped makes no burst when it goes on: [gate.late-slot]
#[test]
#[cfg(unix)]
fn a_stopped_program_makes_no_burst() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let victim = Victim::new();
    let child = start(&folder.path().join("robots.sqlite"), &victim);
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    };
    victim.wait_for(3);
    signal("-STOP");
    let before = victim.count();
    thread::sleep(Duration::from_millis(1_200));
    assert!(victim.count() <= before + 1);
    signal("-CONT");
    victim.wait_for(before + 4);
    end(child);
    // Its own requests may be late by a little; a burst would be many at once.
    assert!(victim.judged().1 <= 6, "{:?}", victim.judged());
}
