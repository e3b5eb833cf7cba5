//! Servers with a given behaviour, and a client that finds them by name.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use robosieve_gate::net::Names;
use robosieve_gate::retrieve::{AddressGuard, Cut, Outcome, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{Client, CrawlerIdentity, Origin};

use crate::alone;
use crate::server::{Act, Connection, Server};
use crate::servers::certificates::{self, Certificate};

/// The wait for a server that hangs. Long enough for the other servers on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// What a server does.
#[derive(Clone)]
pub(crate) enum Role {
    /// It does not listen.
    Refuses,
    /// With this certificate, if it has TLS.
    Acts(Option<Certificate>, Arc<Act>),
}

pub(crate) fn plain(act: impl Fn(usize, &mut Connection) + Send + Sync + 'static) -> Role {
    Role::Acts(None, Arc::new(act))
}

pub(crate) fn with_tls(certificate: Certificate, act: impl Fn(usize, &mut Connection) + Send + Sync + 'static) -> Role {
    Role::Acts(Some(certificate), Arc::new(act))
}

/// It accepts and sends nothing, not even in TLS.
pub(crate) fn mute() -> Role {
    plain(|_, connection| connection.hang())
}

/// It accepts, waits for the first bytes, and resets.
pub(crate) fn resets() -> Role {
    plain(|_, connection| {
        let _ = connection.tcp.peek(&mut [0]);
        connection.resets = true;
    })
}

/// The head of a chunked response.
pub(crate) const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A server that sends these chunks.
pub(crate) fn chunked(chunks: &str) -> Role {
    says(format!("{CHUNKED}{chunks}"))
}

/// A server that answers every request with these bytes, and closes.
pub(crate) fn says(bytes: impl Into<Vec<u8>>) -> Role {
    let bytes = bytes.into();
    plain(move |_, connection| {
        connection.request();
        connection.send(&bytes);
    })
}

/// A whole response of this status and body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

pub(crate) fn good() -> Role {
    says(answer(200, "", RULES))
}

/// Servers at 127.0.0.1, 127.0.0.2 …, all on one port.
pub(crate) struct Stage {
    pub port: u16,
    pub addresses: Vec<IpAddr>,
    servers: Vec<Option<Server>>,
}

impl Stage {
    pub(crate) fn new(roles: &[Role]) -> Self {
        let addresses: Vec<IpAddr> =
            (1..=roles.len()).map(|last| Ipv4Addr::new(127, 0, 0, u8::try_from(last).unwrap()).into()).collect();
        let (port, listeners) = listen(&addresses);
        let server = |(listener, role): (_, &Role)| {
            let Role::Acts(certificate, act) = role.clone() else { return None };
            Some(Server::of(listener, certificate.map(certificates::server), act))
        };
        Self { port, addresses, servers: listeners.into_iter().zip(roles).map(server).collect() }
    }

    /// The number of connections of this server, counted from 0.
    pub(crate) fn connections(&self, server: usize) -> usize {
        self.servers[server].as_ref().map_or(0, Server::connections)
    }

    pub(crate) fn requests(&self, server: usize) -> Vec<String> {
        self.servers[server].as_ref().map_or(Vec::new(), Server::requests)
    }

    pub(crate) fn origin(&self, scheme: &str) -> Origin {
        Origin::of(&format!("{scheme}://site.test:{}/page", self.port)).unwrap()
    }

    /// A retrieval of `site.test`, which has all the addresses.
    pub(crate) fn crawl(&self) -> Crawl {
        // The two seconds between rounds are left out.
        let limits = RetrievalLimits { round_wait: Duration::ZERO, ..RetrievalLimits::default() };
        let names = [("site.test".to_owned(), self.addresses.clone())].into();
        let guard = AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap());
        let ports = vec![self.port];
        Crawl { origin: self.origin("http"), limits, names, ports, guard }
    }

    pub(crate) fn retrieve(&self) -> Retrieval {
        self.crawl().run()
    }
}

/// Listeners on one port of several addresses. Servers that refuse drop theirs; the port stays known.
fn listen(addresses: &[IpAddr]) -> (u16, Vec<TcpListener>) {
    for _ in 0..100 {
        let first = TcpListener::bind((addresses[0], 0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let others = addresses[1..].iter().map(|address| TcpListener::bind((*address, port)));
        if let Ok(others) = others.collect::<Result<Vec<_>, _>>() {
            return (port, [first].into_iter().chain(others).collect());
        }
    }
    panic!("no port is free on all of {addresses:?}");
}

/// The settings of a retrieval.
pub(crate) struct Crawl {
    pub origin: Origin,
    pub limits: RetrievalLimits,
    pub names: BTreeMap<String, Vec<IpAddr>>,
    /// The ports of all stages that it comes to.
    pub ports: Vec<u16>,
    pub guard: AddressGuard,
}

impl Crawl {
    /// Settings with short time-outs, for servers that hang.
    pub(crate) fn impatient(mut self) -> Self {
        self.limits = RetrievalLimits { connect: PATIENCE, head: PATIENCE, silence: PATIENCE, ..self.limits };
        self
    }

    pub(crate) fn client(&self) -> Client {
        let entries = self.names.iter().flat_map(|(name, all)| all.iter().map(move |address| (name, address)));
        let entries = entries.flat_map(|entry| self.ports.iter().map(move |port| (entry, port)));
        let names = entries.fold(Names::default(), |all, ((name, address), port)| all.with(name, *port, *address));
        let identity = CrawlerIdentity::new("TestBot/1.0 (+https://example.com/bot)").unwrap();
        Client::new(&identity).names(names).root_certificates(certificates::root_pem().as_bytes()).unwrap()
    }

    /// A retrieval of an origin with this client.
    pub(crate) fn by(&self, client: &Client, origin: &Origin) -> Retrieval {
        alone::retrieve(client, origin, self.limits, &self.guard, Validators::default())
    }

    pub(crate) fn run(self) -> Retrieval {
        let began = Instant::now();
        let retrieval = self.by(&self.client(), &self.origin);
        assert_eq!(retrieval.origin, self.origin);
        assert!(began.elapsed() < Duration::from_secs(20), "took {:?}", began.elapsed());
        retrieval
    }
}

/// The reason why there is no answer, or why the body is not whole.
#[track_caller]
pub(crate) fn why(retrieval: &Retrieval) -> &str {
    retrieval.error.as_deref().unwrap_or_else(|| panic!("it did not fail: {retrieval:?}"))
}

#[track_caller]
pub(crate) fn is_rules(retrieval: &Retrieval) {
    assert_eq!((retrieval.outcome, &retrieval.body[..]), (Outcome::Rules, RULES.as_bytes()), "{retrieval:?}");
}

#[track_caller]
pub(crate) fn is_truncated(retrieval: &Retrieval, body: &[u8]) {
    assert_eq!((retrieval.outcome, retrieval.status), (Outcome::Truncated, Some(200)), "{:?}", retrieval.error);
    assert_eq!(
        retrieval.cut == Some(Cut::AtCap),
        body.len() == RetrievalLimits::default().max_bytes,
        "{:?}",
        retrieval.cut
    );
    assert!(retrieval.body == body, "{} bytes", retrieval.body.len());
}
