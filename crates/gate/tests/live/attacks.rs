//! Crawls that somebody's sites try to turn against one server: how many requests it gets in a second.
//! [gate.pace-robots-txt]
//!
//! Each attack prints its figures: `cargo test -p robosieve-gate --test live attacks:: -- --nocapture`.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::crawl::Crawl;
use robosieve_gate::net::{LookUpError, Resolver};
use robosieve_gate::pace::{PaceBy, Pacing};
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, MemoryStore};

/// A server on all of 127.0.0.0/8, which notes when each request came and for which host.
pub(crate) struct Server {
    pub(crate) port: u16,
    came: Arc<Mutex<Vec<(Instant, String)>>>,
}

impl Server {
    /// `answer` makes the response for the request's head.
    pub(crate) fn new(answer: impl Fn(&str) -> String + Send + Clone + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let (port, came) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<_>>>::default());
        let noted = Arc::clone(&came);
        // The thread ends with the program.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, noted, answer) = (stream.unwrap(), Arc::clone(&noted), answer.clone());
                thread::spawn(move || {
                    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                    let (mut head, mut byte) = (String::new(), [0]);
                    while !head.ends_with("\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
                        head.push(char::from(byte[0]));
                    }
                    let host =
                        head.split("\r\n").find_map(|line| line.strip_prefix("host: ").or(line.strip_prefix("Host: ")));
                    noted.lock().unwrap().push((Instant::now(), host.unwrap_or_default().to_owned()));
                    let _ = stream.write_all(answer(&head).as_bytes());
                });
            }
        });
        Self { port, came }
    }

    /// The requests for hosts that end with this text: those of the first second, the most in any second, and all.
    pub(crate) fn seconds(&self, host: &str) -> (usize, usize, usize) {
        let came = self.came.lock().unwrap();
        let times: Vec<Instant> = came.iter().filter(|(_, of)| of.contains(host)).map(|(time, _)| *time).collect();
        let within = |from: Instant| {
            times.iter().filter(|time| **time >= from && **time < from + Duration::from_secs(1)).count()
        };
        let most = times.iter().map(|time| within(*time)).max().unwrap_or_default();
        (times.first().map_or(0, |first| within(*first)), most, times.len())
    }
}

/// Sends every name to the address that a function gives.
struct Everything(fn(&str) -> Ipv4Addr);

impl Resolver for Everything {
    fn resolve(&self, host: &str, _: u16, _: Duration) -> Result<Vec<IpAddr>, LookUpError> {
        Ok(vec![IpAddr::V4(self.0(host))])
    }
}

/// An address for each number in a name, and 127.0.0.1 for all others.
fn by_number(host: &str) -> Ipv4Addr {
    let digits: String = host.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u16>().map_or(Ipv4Addr::LOCALHOST, |number| {
        let [high, low] = number.to_be_bytes();
        Ipv4Addr::new(127, 1, high, low)
    })
}

fn one_for_all(_: &str) -> Ipv4Addr {
    Ipv4Addr::LOCALHOST
}

pub(crate) fn body(text: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}", text.len())
}

/// Checks these URLs with 64 jobs for so long, and returns the number of answers.
fn crawl(urls: Vec<String>, names: fn(&str) -> Ipv4Addr, pacing: Pacing, is_waiting: bool, limit: Duration) -> usize {
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    let guard = AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap());
    let driver = Driver::new(identity).guard(guard).resolver(Everything(names));
    let gate =
        Arc::new(Gate::over(driver, GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])).with_pacing(pacing)));
    let (began, count) = (Instant::now(), urls.len());
    let crawl = Crawl::default().threads(NonZeroUsize::new(64).unwrap()).waiting(is_waiting);
    let mut answers = crawl.run(gate, urls.into_iter().map(Ok::<_, ()>)).unwrap();
    let mut found = 0;
    while found < count && began.elapsed() < limit {
        if answers.pauses() {
            thread::sleep(Duration::from_millis(5));
        } else if answers.next().is_some() {
            found += 1;
        }
    }
    println!("  {found} of {count} answers in {:?}", began.elapsed());
    found
}

fn report(attack: &str, (first, most, all): (usize, usize, usize)) -> usize {
    println!("{attack}: {first} requests in the first second, at most {most} in any, {all} in all");
    most
}

/// 300 subdomains of one domain are one lane, with and without waiting: [gate.pace-robots-txt] [gate.pace-by]
#[test]
fn subdomains() {
    for is_waiting in [false, true] {
        let server = Server::new(|_| body("User-agent: *\nCrawl-delay: 10\n"));
        let urls = (0..300).map(|number| format!("http://s{number}.victim.test:{}/", server.port)).collect();
        let pacing = Pacing { by: PaceBy::RegisteredDomain, ..Pacing::default() };
        let found = crawl(urls, by_number, pacing, is_waiting, Duration::from_secs(6));
        let most = report("300 subdomains of one domain", server.seconds("victim.test"));
        assert!(most <= 2, "{most} in a second");
        assert!(is_waiting || found == 300, "without waiting, all have an answer");
    }
}

/// 300 ports of one host are one lane: [gate.pace-robots-txt] [gate.pace-by]
#[test]
fn ports() {
    let servers: Vec<Server> = (0..300).map(|_| Server::new(|_| body("User-agent: *\nDisallow:\n"))).collect();
    let urls = servers.iter().map(|server| format!("http://victim.test:{}/", server.port)).collect();
    crawl(urls, one_for_all, Pacing::default(), false, Duration::from_secs(8));
    let mut times: Vec<Instant> = servers
        .iter()
        .flat_map(|server| server.came.lock().unwrap().iter().map(|it| it.0).collect::<Vec<_>>())
        .collect();
    times.sort_unstable();
    let within =
        |from: Instant| times.iter().filter(|time| **time >= from && **time < from + Duration::from_secs(1)).count();
    let most = times.iter().map(|time| within(*time)).max().unwrap();
    report("300 ports of one host", (within(times[0]), most, times.len()));
    assert!(most <= 2, "{most} in a second");
}

/// 500 sites that redirect to one host: a redirect's target takes a slot of its own lane, and the next attempts come an
/// interval apart: [gate.pace-robots-txt]
#[test]
fn redirects() {
    for is_waiting in [false, true] {
        let server = Server::new(move |head| {
            if head.to_ascii_lowercase().contains("host: victim.test") {
                return body("");
            }
            let port = head.split("\r\n").find_map(|line| line.rsplit_once(".test:")).map_or("", |(_, port)| port);
            format!("HTTP/1.1 302 Found\r\nLocation: http://victim.test:{port}/expensive\r\nContent-Length: 0\r\n\r\n")
        });
        let urls = (0..500).map(|number| format!("http://r{number}.test:{}/", server.port)).collect();
        let found = crawl(urls, by_number, Pacing::default(), is_waiting, Duration::from_secs(8));
        let most = report("500 redirects to one host", server.seconds("victim.test"));
        assert!(most <= 2, "{most} in a second");
        // On a busy machine the last ones may come after the time.
        assert!(if is_waiting { found >= 5 } else { found >= 400 }, "{found} answers");
    }
}

/// 500 names with one address: at most ten requests for robots.txt a second there; one, if the pace is by address:
/// [gate.pace-address] [gate.pace-by]
#[test]
fn wildcard_names() {
    for (by, bound) in [(PaceBy::Host, 11), (PaceBy::Address, 2)] {
        let server = Server::new(|_| body("User-agent: *\nDisallow:\n"));
        let urls = (0..500).map(|number| format!("http://w{number}.wild{number}.test:{}/", server.port)).collect();
        crawl(urls, one_for_all, Pacing { by, ..Pacing::default() }, false, Duration::from_secs(8));
        let most = report(&format!("500 names with one address, {by:?}"), server.seconds(".test"));
        assert!(most <= bound, "{most} in a second");
    }
}
