//! Names that no name server answers for, among others that it does: [gate.own-trouble]
//!
//! The hosts are names of one server on loopback, each with an address of its own.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::net::{FixedNames, LookUpError, Resolver};
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, GateError, MemoryStore};

/// How long a good server takes.
const TAKES: Duration = Duration::from_millis(100);

const FILE: &str = "User-agent: *\nDisallow: /private\n";

/// A server that answers each request late.
fn server() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            thread::spawn(move || serve(stream));
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
    let port = server();
    let names = (0..100)
        .fold(FixedNames::default(), |names, number| names.with(&format!("h{number}.test"), port, address(number)));
    let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
    let core = core.with_policy(robosieve_gate::decide::Preset::Google);
    let gate = Arc::new(Gate::over(driver(MuteFor(names)), core));
    let mute = (0..128).map(|number| format!("http://mute{number}.test:{port}/private"));
    let healthy = (0..100).map(|number| format!("http://h{number}.test:{port}/private"));
    let given: Vec<String> = mute.chain(healthy).collect();
    let answers = thread::scope(|scope| {
        let ask = |part: &[String]| {
            let (gate, urls) = (Arc::clone(&gate), part.to_vec());
            scope.spawn(move || urls.iter().map(|url| gate.check(url, gate.now())).collect::<Vec<_>>())
        };
        let parts: Vec<_> = given.chunks(4).map(ask).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect::<Vec<_>>()
    });
    let (mut denied, mut not_asked) = (0, 0);
    for answer in answers {
        match answer {
            Ok(answer) if answer.is_allowed() => panic!("{answer}"),
            Ok(_) => denied += 1,
            Err(GateError::NotAsked { .. }) => not_asked += 1,
            Err(error) => panic!("{error}"),
        }
    }
    let mut stored = 0;
    gate.store()
        .for_each(&mut |_, _, _| {
            stored += 1;
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((denied, not_asked, stored), (100, 128, 100));
}
