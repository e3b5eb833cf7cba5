//! What is set for connections, in async code and in code that blocks: headers, certificates of the crawler, and hosts whose own are not
//! checked.
//!
//! Invariant: each server notes every request that it gets, whatever the test expects.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use robosieve::agent::Agents;
use robosieve_gate::net::{CachedNames, CertificateError, FixedNames, LookUpError, Resolver};
use robosieve_gate::pace::Pacing;
use robosieve_gate::retrieve::{
    AddressGuard, AsyncRetriever, AttemptEnd, ClientCertificate, Connections, HostConnection, Outcome, OwnHeaders,
    Retrieval, RetrievalLimits, Retriever, Validators,
};
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, MemoryStore, Moment, Origin};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

const RULES: &str = "HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\nUser-agent: *\nDisallow:\n";

/// A server that answers by the path and the host of the request's head.
pub(crate) struct Server {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn new(tls: Option<Arc<ServerConfig>>, answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, heads) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
        let noted = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming().take(100) {
                let Ok(mut stream) = stream else { continue };
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                let serve = |stream: &mut dyn Stream| {
                    let (mut head, mut byte) = (String::new(), [0]);
                    while !head.ends_with("\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
                        head.push(char::from(byte[0]));
                    }
                    if !head.is_empty() {
                        let head = head.to_ascii_lowercase();
                        noted.lock().unwrap().push(head.clone());
                        let _ = stream.write_all(answer(&head).as_bytes());
                    }
                    let _ = stream.flush();
                };
                match &tls {
                    None => serve(&mut stream),
                    Some(config) => {
                        let tls = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
                        let mut stream = rustls::StreamOwned::new(tls, stream);
                        serve(&mut stream);
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                }
            }
        });
        Self { port, heads }
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }

    fn origin(&self, scheme: &str, host: &str) -> Origin {
        Origin::of(&format!("{scheme}://{host}:{}/", self.port)).unwrap()
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// The retrieval by both faces of the driver, which must mean the same.
fn retrieve(connections: &Connections, roots: &str, origin: &Origin, ports: &[u16]) -> Vec<Retrieval> {
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() };
    let here = Ipv4Addr::LOCALHOST.into();
    let names =
        || ["a.test", "b.test", "c.a.test"].into_iter().flat_map(|name| ports.iter().map(move |&to| (name, to)));
    let fixed = names().fold(FixedNames::default(), |all, (name, port)| all.with(name, port, here));
    let driver = Driver::new(identity).guard(guard).limits(limits).resolver(fixed);
    let driver = driver.connections(connections.clone()).unwrap().root_certificates(roots.as_bytes()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = vec![
        Retriever::retrieve(&driver, origin),
        runtime.block_on(AsyncRetriever::retrieve(&driver, origin, &Validators::default())),
    ];
    assert_eq!(found[0].outcome, found[1].outcome, "{found:?}");
    found
}

fn headers(lines: &[&str]) -> OwnHeaders {
    lines.iter().fold(OwnHeaders::default(), |all, line| all.with_line(line).unwrap())
}

/// Also in the clear.
fn with_headers(lines: &[&str]) -> HostConnection {
    HostConnection { headers: headers(lines), insecure: true, ..HostConnection::default() }
}

/// Headers for all hosts go to all, those of a host only there, and a secret only to the origin that was asked for:
/// [retrieve.own-headers]
#[test]
fn headers_go_where_they_belong() {
    let other = Server::new(None, |_| RULES.into());
    let port = other.port;
    let first = Server::new(None, move |head| {
        if head.contains("get /robots.txt ") {
            "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n".into()
        } else {
            format!("HTTP/1.1 302 Found\r\nLocation: http://a.test:{port}/x\r\nContent-Length: 0\r\n\r\n")
        }
    });
    let all = headers(&["From: bot@example.com", "Accept: text/plain", "X-Site: none"]);
    let connections = Connections::default().headers(all).unwrap();
    let connections =
        connections.host("a.test", with_headers(&["authorization: Basic c2VjcmV0", "X-SITE: a"])).unwrap();
    let connections = connections.host("*.a.test", with_headers(&["Cookie: c=d"])).unwrap();
    let (counts, roots) = (|head: &str, line: &str| head.matches(line).count(), root());
    for _ in retrieve(&connections, &roots.0, &first.origin("http", "a.test"), &[first.port, port]) {}
    let (of_first, of_other) = (first.take(), other.take());
    assert_eq!((of_first.len(), of_other.len()), (4, 2));
    for head in of_first.iter().chain(&of_other) {
        // To another port, in the clear, only what goes to all hosts.
        let site = if of_first.contains(head) { "\r\nx-site: a\r\n" } else { "\r\nx-site: none\r\n" };
        let common = ["\r\nfrom: bot@example.com\r\n", site, "\r\naccept: text/plain\r\n", "\r\naccept:"];
        assert_eq!(common.map(|line| counts(head, line)), [1; 4], "{head}");
        assert_eq!((counts(head, "x-site"), counts(head, "cookie"), counts(head, "user-agent: mybot/1.0")), (1, 0, 1));
    }
    assert!(of_first.iter().all(|head| counts(head, "\r\nauthorization: basic c2vjcmv0\r\n") == 1), "{of_first:?}");
    assert!(of_other.iter().all(|head| counts(head, "authorization") == 0), "another port: {of_other:?}");
    retrieve(&connections, &roots.0, &other.origin("http", "b.test"), &[port]);
    for head in other.take() {
        assert_eq!((counts(&head, "\r\nx-site: none\r\n"), counts(&head, "authorization")), (1, 0), "{head}");
    }
    retrieve(&connections, &roots.0, &other.origin("http", "c.a.test"), &[port]);
    for head in other.take() {
        assert_eq!((counts(&head, "\r\ncookie: c=d\r\n"), counts(&head, "\r\nx-site: none\r\n")), (1, 1), "{head}");
        assert_eq!(counts(&head, "authorization"), 0);
    }
    // A secret is not shown to those on the way, if nobody asked for that.
    let own = HostConnection { insecure: false, ..with_headers(&["Authorization: Basic c2VjcmV0"]) };
    let closed = Connections::default().host("a.test", own).unwrap();
    let not_asked = retrieve(&closed, &roots.0, &other.origin("http", "a.test"), &[port]);
    assert!(not_asked.iter().all(|one| one.outcome == Outcome::NotAsked), "{not_asked:?}");
    assert_eq!(other.take().len(), 0);
    // Without any, as always.
    retrieve(&Connections::default(), &roots.0, &other.origin("http", "a.test"), &[port]);
    for head in other.take() {
        assert_eq!((counts(&head, "\r\naccept: text/plain, */*;q=0.5\r\n"), counts(&head, "from:")), (1, 0), "{head}");
    }
}

/// A root certificate in PEM, and whoever signs by it.
pub(crate) fn root() -> (String, Issuer<'static, KeyPair>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    (pem, Issuer::new(params, key))
}

/// A certificate for these names and its key, both in PEM.
pub(crate) fn leaf(names: &[&str], issuer: &Issuer<'static, KeyPair>) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
    (params.signed_by(&key, issuer).unwrap().pem(), key.serialize_pem())
}

pub(crate) fn tls((chain, key): &(String, String), clients: Option<&str>) -> Arc<ServerConfig> {
    use rustls::pki_types::pem::PemObject as _;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = match clients {
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        }
        None => builder.with_no_client_auth(),
    };
    let chain = vec![CertificateDer::from_pem_slice(chain.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    Arc::new(builder.with_single_cert(chain, key).unwrap())
}

/// The certificates of a host that is named are not checked; those of all others are, also after a redirect from there:
/// [retrieve.host-connections]
#[test]
fn unchecked_certificates() {
    let (roots, _) = root();
    let (_, unknown) = root();
    let server = Server::new(Some(tls(&leaf(&["wrong.test"], &unknown), None)), |head| {
        let port = head.split("\r\n").find_map(|line| line.rsplit_once(".test:")).unwrap().1;
        if head.contains("get /robots.txt ") && head.contains("host: c.a.test:") {
            format!("HTTP/1.1 302 Found\r\nLocation: https://b.test:{port}/\r\nContent-Length: 0\r\n\r\n")
        } else {
            RULES.into()
        }
    });
    let insecure = || HostConnection { insecure: true, ..HostConnection::default() };
    let connections = Connections::default().host("a.test", insecure()).unwrap().host("*.a.test", insecure()).unwrap();
    let ask = |connections: &Connections, host: &str| {
        let found = retrieve(connections, &roots, &server.origin("https", host), &[server.port]);
        (found[0].outcome, server.take().len())
    };
    assert_eq!(ask(&connections, "a.test"), (Outcome::Rules, 2));
    assert_eq!(ask(&connections, "b.test"), (Outcome::Unreachable, 0));
    assert_eq!(ask(&connections, "c.a.test"), (Outcome::Unreachable, 2), "the redirect's target is checked");
    assert_eq!(ask(&Connections::default(), "a.test"), (Outcome::Unreachable, 0));
    // A host that has something of its own and is not insecure: what stands above it does not count.
    let own = Connections::default().host("*.test", insecure()).unwrap();
    let own = own.host("a.test", HostConnection::default()).unwrap();
    assert_eq!((ask(&own, "a.test").0, ask(&own, "b.test").0), (Outcome::Unreachable, Outcome::Rules));
}

/// A host that asks for a certificate of the crawler gets it, and no other host does: [retrieve.host-connections]
#[test]
fn certificates_of_the_crawler() {
    let (roots, issuer) = root();
    let (clients, signer) = root();
    let server = Server::new(Some(tls(&leaf(&["a.test", "b.test"], &issuer), Some(&clients))), |_| RULES.into());
    let (chain, key) = leaf(&["bot.test"], &signer);
    for certificate in [
        ClientCertificate::of_pem(chain.clone(), key.clone()),
        ClientCertificate::of_pem(format!("{key}{chain}"), format!("{key}{chain}")),
    ] {
        let own = HostConnection { certificate: Some(certificate), ..HostConnection::default() };
        let connections = Connections::default().host("a.test", own).unwrap();
        for (host, outcome) in [("a.test", Outcome::Rules), ("b.test", Outcome::Unreachable)] {
            let found = retrieve(&connections, &roots, &server.origin("https", host), &[server.port]);
            assert_eq!(found[0].outcome, outcome, "{host}: {:?}", found[0].attempts);
        }
        assert_eq!(server.take().len(), 2);
    }
    // What can't be read is an error before any request.
    let rubbish = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let other_key = KeyPair::generate().unwrap().serialize_pem();
    for (chain, key, error) in [
        ("", &*key, Some(CertificateError::None)),
        (&*chain, "", Some(CertificateError::NoKey)),
        (&*chain, &*chain, Some(CertificateError::NoKey)),
        (&*chain, rubbish, None),
        (&*chain, &*other_key, None),
    ] {
        let certificate = Some(ClientCertificate::of_pem(chain, key));
        let own = HostConnection { certificate, ..HostConnection::default() };
        let connections = Connections::default().host("a.test", own).unwrap();
        let identity = || CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
        let found = Driver::new(identity()).connections(connections).unwrap_err();
        assert!(error.is_none_or(|error| error == found), "{found:?}");
        assert!(matches!(found, CertificateError::None | CertificateError::NoKey | CertificateError::Unreadable(_)));
    }
}

/// A name whose address changes while a program runs.
#[derive(Clone)]
struct Rebound {
    count: Arc<AtomicUsize>,
    address: Arc<Mutex<IpAddr>>,
}

impl Resolver for Rebound {
    fn resolve(&self, _: &str, _: u16, _: Duration) -> Result<Vec<IpAddr>, LookUpError> {
        self.count.fetch_add(1, Ordering::SeqCst);
        Ok(vec![*self.address.lock().unwrap()])
    }

    fn depends_on_port(&self) -> bool {
        false
    }
}

/// 1,000 URLs of one host, on two ports, look its name up once. When its time is over it is looked up again, and an
/// address that has become internal is refused: [retrieve.names] [retrieve.address-guard]
#[test]
fn names_are_remembered_and_checked() {
    let servers = [(); 2].map(|()| Server::new(None, |_| RULES.into()));
    let address = Arc::new(Mutex::new(IpAddr::from(Ipv4Addr::LOCALHOST)));
    let inner = Rebound { count: Arc::default(), address };
    // Longer than the requests take on a busy machine.
    let time = Duration::from_secs(4);
    let names = CachedNames::new(inner.clone()).time(time);
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() };
    let driver = Driver::new(identity).guard(guard).limits(limits).resolver(names);
    let pacing = Pacing { default: Duration::ZERO, min: Duration::ZERO, ..Pacing::default() };
    let gate =
        Gate::over(driver.clone(), GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])).with_pacing(pacing));
    for number in 0..1_000 {
        let url = format!("http://a.test:{}/{number}", servers[number % 2].port);
        assert!(gate.permits(&url, Moment::now()).unwrap().is_allowed());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let origin = servers[0].origin("http", "a.test");
    let both = || {
        [
            Retriever::retrieve(&driver, &origin),
            runtime.block_on(AsyncRetriever::retrieve(&driver, &origin, &Validators::default())),
        ]
    };
    assert!(both().iter().all(|found| found.outcome == Outcome::Rules));
    assert_eq!(inner.count.load(Ordering::SeqCst), 1);
    *inner.address.lock().unwrap() = Ipv4Addr::new(10, 0, 0, 1).into();
    let before: Vec<usize> = servers.iter().map(|server| server.take().len()).collect();
    assert_eq!(before, [3, 1], "one for each site, and two of the driver");
    thread::sleep(time);
    for found in both() {
        assert_eq!(found.outcome, Outcome::NotAsked);
        let refused = AttemptEnd::NotAsked("refused: 10.0.0.1 is a private address".into());
        assert!(found.attempts.iter().all(|attempt| attempt.end == refused), "{:?}", found.attempts);
    }
    assert_eq!((inner.count.load(Ordering::SeqCst), servers[0].take().len()), (2, 0));
}
