//! The gate for async code, and its driver, against servers on loopback. [gate.async]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, KeyPair};
use robosieve::agent::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::FixedNames;
use robosieve_gate::pace::Pacing;
use robosieve_gate::retrieve::{
    AddressGuard, AsyncRetriever as _, Fetched, Outcome, Request, Retrieval, TimeOuts, Validators,
};
use robosieve_gate::{Answer, AsyncGate, CrawlerIdentity, Driver, GateCore, MemoryStore, Origin};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// A server that gives each connection the same bytes; with TLS if there is a configuration. Returns its port and what
/// it was asked.
fn server(answer: Vec<u8>, tls: Option<Arc<rustls::ServerConfig>>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, asked) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
    let noted = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().take(100) {
            let Ok(mut stream) = stream else { continue };
            stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            match &tls {
                None => serve(&mut stream, &answer, &noted),
                Some(config) => {
                    let connection = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
                    let mut stream = rustls::StreamOwned::new(connection, stream);
                    serve(&mut stream, &answer, &noted);
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                }
            }
        }
    });
    (port, asked)
}

fn serve(stream: &mut (impl Read + Write), answer: &[u8], asked: &Mutex<Vec<String>>) {
    let mut request = vec![0; 4_096];
    let Ok(length) = stream.read(&mut request) else { return };
    asked.lock().unwrap().push(String::from_utf8_lossy(&request[..length]).into_owned());
    let _ = stream.write_all(answer);
    let _ = stream.flush();
}

fn response(head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// Long enough for a busy machine.
const SHORT: Duration = Duration::from_millis(700);

fn driver() -> Driver {
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    Driver::new(identity)
        .guard(AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap()))
        .time_outs(TimeOuts { connect: SHORT, head: SHORT, silence: SHORT, ..TimeOuts::default() })
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn retrieve(driver: &Driver, url: &str) -> Retrieval {
    run(driver.retrieve(&Origin::of(url).unwrap(), &Validators::default()))
}

/// An internal address is refused, also of a name, unless it is allowed. [gate.async]
/// [retrieve.address-guard]
#[test]
fn the_guard() {
    let (port, _) = server(response("200 OK", RULES.as_bytes()), None);
    let named = driver().resolver(FixedNames::default().with("inside.test", 80, Ipv4Addr::new(10, 0, 0, 1).into()));
    assert_eq!(retrieve(&named, "http://inside.test/").outcome, Outcome::NotAsked);
    let none = Driver::new(CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap());
    assert_eq!(retrieve(&none, &format!("http://127.0.0.1:{port}/")).outcome, Outcome::NotAsked);
}

/// Certificates are checked by the URL's name, against Mozilla's roots and those added. [gate.async]
#[test]
fn certificates() {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["site.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let der = CertificateDer::from(certificate.der().to_vec());
    let own = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(vec![der], own).unwrap());
    let (port, asked) = server(response("200 OK", RULES.as_bytes()), Some(config));
    let local = Ipv4Addr::LOCALHOST.into();
    let driver =
        driver().resolver(FixedNames::default().with("site.test", port, local).with("other.test", port, local));
    let unknown = retrieve(&driver, &format!("https://site.test:{port}/"));
    assert_eq!((unknown.outcome, asked.lock().unwrap().len()), (Outcome::Unreachable, 0));
    assert!(driver.clone().root_certificates(b"nothing").is_err());
    let driver = driver.root_certificates(certificate.pem().as_bytes()).unwrap();
    assert_eq!(retrieve(&driver, &format!("https://site.test:{port}/")).outcome, Outcome::Rules);
    assert_eq!(retrieve(&driver, &format!("https://other.test:{port}/")).outcome, Outcome::Unreachable);
    let request = asked.lock().unwrap()[0].to_ascii_lowercase();
    assert!(request.contains("user-agent: mybot/1.0 (+https://example.com/bot)\r\n"), "{request}");
    assert!(request.contains(&format!("host: site.test:{port}\r\n")), "{request}");
}

/// Servers that say nothing end in time. [gate.async]
#[test]
fn silence() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let began = Instant::now();
    let found = retrieve(&driver(), &format!("http://{}/", listener.local_addr().unwrap()));
    assert_eq!(found.outcome, Outcome::Unreachable);
    assert!(began.elapsed() < Duration::from_secs(20));
}

fn core(store: impl Into<SharedStore>) -> GateCore {
    GateCore::new(store, Agents::new(["MyBot"]))
}

/// Of many tasks that ask at once, one retrieves; one that is dropped leaves the turn to the next. [gate.single-flight]
#[test]
fn tasks_share_a_flight() {
    run(async {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let fetch = move |_: Request| {
            let is_first = counted.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                // The first one never ends.
                tokio::time::sleep(Duration::from_millis(if is_first { 100_000 } else { 20 })).await;
                Fetched::new(200, RULES)
            }
        };
        let gate = AsyncGate::over(fetch, core(MemoryStore::default()));
        let url = "https://example.com/private";
        let first = tokio::time::timeout(Duration::from_millis(50), gate.permits(url)).await;
        assert!(first.is_err());
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let gate = gate.clone();
                tokio::spawn(async move { gate.permits(url).await.unwrap() })
            })
            .collect();
        for task in tasks {
            assert!(matches!(task.await.unwrap(), Answer::Denied { .. }));
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
    });
}

/// A turn comes when the slot is free, also with a store in a file, and never in a burst. [gate.late-slot]
/// [gate.shared-pace]
#[test]
#[cfg(feature = "sqlite")]
fn turns() {
    let folder = tempfile::tempdir().unwrap();
    let pacing = Pacing { default: Duration::from_millis(100), ..Pacing::default() };
    let times = run(async {
        let fetch = |_: Request| std::future::ready(Fetched::new(200, RULES));
        let store = robosieve_gate::SqliteStore::open(folder.path().join("robots.sqlite")).unwrap();
        let gate = AsyncGate::over(fetch, core(store).with_pacing(pacing));
        let tasks: Vec<_> = (0..5)
            .map(|number| {
                let gate = gate.clone();
                tokio::spawn(async move {
                    let answer = gate.turn(&format!("https://example.com/{number}")).await.unwrap();
                    assert_eq!(answer, Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None });
                    robosieve_gate::Moment::now().as_millis()
                })
            })
            .collect();
        let mut times = Vec::new();
        for task in tasks {
            times.push(task.await.unwrap());
        }
        assert!(!gate.turn("https://example.com/private").await.unwrap().is_allowed());
        times
    });
    let mut times = times;
    times.sort_unstable();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 90), "{times:?}");
}

/// A redirect's target has its slot before the async driver requests it: [gate.async] [gate.pace-robots-txt]
#[test]
fn hops_take_their_turns() {
    let (target, _) = server(response("200 OK", RULES.as_bytes()), None);
    let to = format!("302 Found\r\nLocation: http://127.0.0.1:{target}/robots.txt");
    let (port, _) = server(response(&to, b""), None);
    let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
    let pacing = Pacing { default: Duration::from_millis(400), ..Pacing::default() };
    let gate = AsyncGate::over(driver(), core.with_pacing(pacing));
    let began = Instant::now();
    let answer = run(gate.permits(&format!("http://127.0.0.1:{port}/private"))).unwrap();
    assert!(matches!(answer, Answer::Denied { .. }), "{answer}");
    assert!(began.elapsed() >= Duration::from_millis(390), "{:?}", began.elapsed());
}
