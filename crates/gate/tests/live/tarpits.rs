//! Sites that never answer, among others that do: [cmd.crawl-check] [gate.own-trouble]
//!
//! The hosts are names of one server on loopback, each with an address of its own. `ROBOSIEVE_TARPITS=1000` sets the
//! number of hosts; 3 in 100 are tarpits.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::crawl::Crawl;
use robosieve_gate::net::{FixedNames, LookUpError, Resolver};
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, GateError, MemoryStore};

/// How long a good server takes.
const TAKES: Duration = Duration::from_millis(100);

const FILE: &str = "User-agent: *\nDisallow: /private\n";

/// A server that answers each request late, or never.
fn server(is_tarpit: bool) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming().filter_map(Result::ok) {
            if is_tarpit {
                kept.push(stream);
            } else {
                thread::spawn(move || serve(stream));
            }
        }
    });
    port
}

fn serve(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut head = [0; 2_000];
    let _ = stream.read(&mut head);
    thread::sleep(TAKES);
    let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{FILE}", FILE.len());
}

/// An address of the server for each host.
fn address(number: usize) -> IpAddr {
    let [high, low] = u16::try_from(number).unwrap().to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(127, 3, high, low))
}

fn driver(names: impl Resolver + 'static) -> Driver {
    Driver::new(CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap())
        .guard(AddressGuard::global_only().allowing_private())
        .resolver(names)
}

/// The time until all the good hosts are answered. The first hosts are tarpits.
fn time_of(hosts: usize, tarpits: usize) -> Duration {
    let (good, tarpit) = (server(false), server(true));
    let port = |number| if number < tarpits { tarpit } else { good };
    let url = |number| format!("http://h{number}.test:{}/a", port(number));
    let names = (0..hosts).fold(FixedNames::default(), |names, number| {
        names.with(&format!("h{number}.test"), port(number), address(number))
    });
    let gate = Arc::new(Gate::new(driver(names), MemoryStore::default(), Agents::new(["MyBot"])));
    let given: Vec<Result<String, ()>> = (0..hosts).map(|number| Ok(url(number))).collect();
    let began = Instant::now();
    let answers = Crawl::default().threads(NonZeroUsize::new(16).unwrap()).run(gate, given.into_iter()).unwrap();
    let mut seen = BTreeSet::new();
    for checked in answers.take(hosts - tarpits) {
        let checked = checked.unwrap();
        assert!(checked.at().is_some(), "{checked:?}");
        seen.insert(checked.url);
    }
    assert_eq!(seen, (tarpits..hosts).map(url).collect());
    began.elapsed()
}

/// With 3 tarpits in 100 hosts and 16 jobs, the good hosts are done within twice the time without tarpits:
/// [cmd.crawl-check]
#[test]
fn tarpits_delay_no_other() {
    let hosts: usize = std::env::var("ROBOSIEVE_TARPITS").map_or(300, |text| text.parse().expect("a number"));
    let tarpits = hosts * 3 / 100;
    let (without, with) = (time_of(hosts - tarpits, 0), time_of(hosts, tarpits));
    // Visible only with --nocapture.
    println!("{hosts} hosts: {without:?} without tarpits, {with:?} with {tarpits}");
    assert!(with < without * 2, "{with:?} with {tarpits} tarpits, {without:?} without");
}

/// A name server that never answers for some names.
struct MuteFor(FixedNames);

impl Resolver for MuteFor {
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, LookUpError> {
        if host.starts_with("mute") {
            thread::sleep(within.min(Duration::from_secs(2)));
            return Err(LookUpError::NotAsked("no name server answered in time".into()));
        }
        self.0.resolve(host, port, within)
    }
}

/// 128 names that no name server answers for, 100 healthy sites, and 64 jobs: all healthy sites are answered and
/// stored, the others are not: [gate.own-trouble]
#[test]
fn mute_names_harm_no_other() {
    let port = server(false);
    let names = (0..100)
        .fold(FixedNames::default(), |names, number| names.with(&format!("h{number}.test"), port, address(number)));
    let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
    let core = core.with_policy(robosieve_gate::decide::Preset::Permissive);
    let gate = Arc::new(Gate::over(driver(MuteFor(names)), core));
    let mute = (0..128).map(|number| format!("http://mute{number}.test:{port}/private"));
    let healthy = (0..100).map(|number| format!("http://h{number}.test:{port}/private"));
    let given: Vec<Result<String, ()>> = mute.chain(healthy).map(Ok).collect();
    let crawl = Crawl::default().threads(NonZeroUsize::new(64).unwrap());
    let (mut denied, mut not_asked) = (0, 0);
    for checked in crawl.run(Arc::clone(&gate), given.into_iter()).unwrap() {
        match checked.unwrap().answer {
            Ok(answer) if answer.is_allowed() => panic!("{answer}"),
            Ok(_) => denied += 1,
            Err(GateError::NotAsked { .. }) => not_asked += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((denied, not_asked, gate.store().len().unwrap()), (100, 128, 100));
}
