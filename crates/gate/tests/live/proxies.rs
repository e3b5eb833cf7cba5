//! Retrievals through proxies: what the guard still checks, and whose trouble a proxy's is.
//!
//! Invariant: the proxies here are servers that connect to loopback only, for any name that they are given.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use robosieve_gate::net::Names;
use robosieve_gate::retrieve::{AddressGuard, Outcome, Proxies, Proxy, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{Client, CrawlerIdentity, Origin};

use crate::alone;
use crate::server::{Connection, Server};
use crate::servers::certificates::{Certificate, root_pem, with};
use crate::servers::stage::{Stage, answer, good, is_rules, plain};

/// What a proxy does after it was asked to connect.
#[derive(Clone, Copy, Debug)]
enum Then {
    Connect,
    /// Answers with this status, or this reply of SOCKS.
    Say(u16),
    Close,
    Hang,
}

/// A proxy on loopback, for HTTP or SOCKS5. It connects to the port that it is given, on loopback.
struct ProxyServer {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    _server: Server,
}

impl ProxyServer {
    fn new(is_socks: bool, then: Then) -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&asked);
        let server = Server::new(move |_, connection| {
            // A client that goes away ends it.
            let _ = if is_socks { socks(connection, then, &noted) } else { connect(connection, then, &noted) };
        });
        Self { port: server.address.port(), asked, _server: server }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn connect(connection: &mut Connection, then: Then, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let head = connection.request();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    let user = head.split("Proxy-Authorization: Basic ").nth(1).and_then(|rest| rest.split('\r').next());
    asked.lock().unwrap().push(format!("{}{target}", user.map_or(String::new(), |user| format!("{user}@"))));
    let port = target.rsplit(':').next().unwrap().parse().unwrap();
    answers(connection, then, (port, 200), |status| format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n").into())
}

fn socks(connection: &mut Connection, then: Then, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut stream = &connection.tcp;
    let mut bytes = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).map(|()| bytes)
    };
    let count = bytes(2)?[1];
    bytes(count.into())?;
    (&connection.tcp).write_all(&[5, 0])?;
    let kind = bytes(4)?[3];
    let to = if kind == 1 {
        Ipv4Addr::from(<[u8; 4]>::try_from(bytes(4)?).unwrap()).to_string()
    } else {
        let length = bytes(1)?[0];
        String::from_utf8(bytes(length.into())?).unwrap()
    };
    let port = u16::from_be_bytes(bytes(2)?.try_into().unwrap());
    asked.lock().unwrap().push(format!("{to}:{port}"));
    answers(connection, then, (port, 0), |reply| vec![5, reply.try_into().unwrap(), 0, 1, 0, 0, 0, 0, 0, 0])
}

/// Connects to the port after a good reply, or does what it is to do instead.
fn answers(
    connection: &mut Connection,
    then: Then,
    (port, good): (u16, u16),
    reply: impl Fn(u16) -> Vec<u8>,
) -> io::Result<()> {
    match then {
        Then::Connect => {
            connection.send(&reply(good));
            relay(&connection.tcp, port)?;
        }
        Then::Say(said) => drop(connection.send(&reply(said))),
        Then::Close => {}
        Then::Hang => connection.hang(),
    }
    Ok(())
}

fn relay(client: &TcpStream, port: u16) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    let up = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        to.shutdown(Shutdown::Write)
    });
    io::copy(&mut &server, &mut &*client)?;
    client.shutdown(Shutdown::Write)?;
    let _ = up.join();
    Ok(())
}

fn retrieve(proxies: Proxies, guard: &AddressGuard, url: &str) -> Retrieval {
    let identity = CrawlerIdentity::new("MyBot").unwrap();
    // Long enough for a busy machine; a proxy that hangs is waited for.
    let time = Duration::from_secs(1);
    let limits = RetrievalLimits { extra_rounds: 0, connect: time, head: time, ..RetrievalLimits::default() };
    let (origin, here) = (Origin::of(url).unwrap(), Ipv4Addr::LOCALHOST.into());
    let client = Client::new(&identity)
        .names(Names::default().with("site.test", origin.port(), here))
        .proxies(proxies)
        .root_certificates(root_pem().as_bytes())
        .unwrap();
    alone::retrieve(&client, &origin, limits, guard, Validators::default())
}

fn proxies(url: &str) -> Proxies {
    Proxies::all(url.parse().unwrap())
}

fn here() -> AddressGuard {
    AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap())
}

const SCHEMES: [(&str, bool); 3] = [("http", false), ("socks5", true), ("socks5h", true)];

/// A file comes through each kind of proxy, also by TLS, whose certificate is checked by the URL's name. Whoever looks
/// a name up tells the other an address: [retrieve.proxy]
#[test]
fn files_come_through_proxies() {
    let (open, secure) = (Stage::new(&[good()]), Stage::new(&[with(Certificate::Good)]));
    // A handshake that fails has no head.
    let asked = |stage: &Stage| stage.requests(0).iter().filter(|head| !head.is_empty()).count();
    for (scheme, is_socks) in SCHEMES {
        let proxy = ProxyServer::new(is_socks, Then::Connect);
        let through = proxies(&format!("{scheme}://127.0.0.1:{}", proxy.port));
        for (stage, url) in [(&open, "http"), (&secure, "https")] {
            let before = asked(stage);
            is_rules(&retrieve(through.clone(), &here(), &format!("{url}://site.test:{}/", stage.port)));
            let reported = if scheme == "socks5" { "127.0.0.1" } else { "site.test" };
            assert_eq!(proxy.take(), vec![format!("{reported}:{}", stage.port)], "{scheme}");
            assert_eq!(asked(stage), before + 1);
        }
        // Another name: the certificate is not for it.
        if scheme != "socks5" {
            let wrong = retrieve(through, &here(), &format!("https://b.test:{}/", secure.port));
            assert_eq!(wrong.outcome, Outcome::Unreachable);
        }
    }
    assert!(secure.requests(0).iter().all(|head| head.is_empty() || head.contains("site.test")));
    let proxy = ProxyServer::new(false, Then::Connect);
    let through = proxies(&format!("http://bot:secret@127.0.0.1:{}", proxy.port));
    let url = format!("http://site.test:{}/", open.port);
    is_rules(&retrieve(through, &here(), &url));
    assert_eq!(proxy.take()[0], format!("Ym90OnNlY3JldA==@site.test:{}", open.port));
    let heads = open.requests(0).concat().to_lowercase();
    assert!(!heads.contains("proxy-authorization"), "the site gets no password");
    // Without a proxy for the host, the connection is direct.
    let direct = Proxies::of_environment(|name| match name {
        "http_proxy" => Some(format!("http://127.0.0.1:{}", proxy.port)),
        "no_proxy" => Some("b.test,site.test".into()),
        _ => None,
    });
    is_rules(&retrieve(direct.unwrap(), &here(), &url));
    assert!(proxy.take().is_empty());
}

/// What can be checked without a look-up is checked, also after redirects, and the proxy is not even asked:
/// [retrieve.proxy] [retrieve.address-guard]
#[test]
fn the_guard_in_front_of_a_proxy() {
    let stage = Stage::new(&[plain(|_, connection| {
        let head = connection.request();
        let to = match head.split("to-").nth(1).and_then(|rest| rest.split('.').next()) {
            Some("private") => "http://10.0.0.1/",
            Some("mapped") => "http://[::ffff:10.0.0.1]/",
            Some("decimal") => "http://2130706434/",
            Some("local") => "http://LOCALHOST./",
            Some("below") => "https://x.localhost/",
            _ => "http://site.test:25/",
        };
        connection.send(&answer(302, &format!("Location: {to}\r\n"), ""));
    })]);
    let global = AddressGuard::global_only();
    for (scheme, is_socks) in SCHEMES {
        let proxy = ProxyServer::new(is_socks, Then::Connect);
        let refuses = |url: &str, asked: Vec<String>| {
            let found = retrieve(proxies(&format!("{scheme}://127.0.0.1:{}", proxy.port)), &global, url);
            assert_eq!((found.outcome, proxy.take()), (Outcome::NotAsked, asked), "{scheme} {url}: {:?}", found.error);
        };
        for host in ["10.0.0.1", "[fd00::1]", "169.254.169.254", "127.0.0.2", "localhost", "LOCALHOST.", "a.localhost"]
        {
            refuses(&format!("http://{host}/"), Vec::new());
        }
        if scheme == "socks5" {
            // The name is looked up here, and its address refused.
            refuses("http://site.test:8080/", Vec::new());
            continue;
        }
        for to in ["private", "mapped", "decimal", "local", "below", "port"] {
            let at = format!("to-{to}.test:{}", stage.port);
            refuses(&format!("http://{at}/"), vec![at]);
        }
    }
}

/// A proxy that is gone, refuses, closes or hangs is our trouble; that it can't reach the server is the site's. Each
/// answer is in the tests of `tunnel`: [retrieve.proxy] [retrieve.own-trouble]
#[test]
fn trouble_with_proxies() {
    for (scheme, is_socks, then, outcome) in [
        ("http", false, Then::Say(502), Outcome::Unreachable),
        ("http", false, Then::Say(403), Outcome::NotAsked),
        ("http", false, Then::Hang, Outcome::NotAsked),
        ("socks5", true, Then::Say(5), Outcome::Unreachable),
        ("socks5h", true, Then::Close, Outcome::NotAsked),
        ("socks5h", false, Then::Connect, Outcome::NotAsked),
    ] {
        let proxy = ProxyServer::new(is_socks, then);
        for url in ["http://site.test/", "https://site.test/"] {
            let through = proxies(&format!("{scheme}://127.0.0.1:{}", proxy.port));
            let found = retrieve(through, &here(), url);
            assert_eq!(found.outcome, outcome, "{scheme} {then:?} {url}: {found:?}");
            assert!(found.words().contains("proxy"), "{scheme} {then:?}: {found:?}");
        }
    }
    let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    for (scheme, _) in SCHEMES {
        let found = retrieve(proxies(&format!("{scheme}://127.0.0.1:{gone}")), &here(), "http://site.test/");
        assert_eq!(found.outcome, Outcome::NotAsked, "{found:?}");
    }
}

/// Which URLs are those of a proxy, and which environment counts: [retrieve.proxy]
#[test]
fn proxies_of_an_environment() {
    for (url, shown) in [
        ("proxy.test:3128", "http://proxy.test:3128"),
        ("http://PROXY.test", "http://proxy.test:80"),
        ("http://proxy.test:443/", "http://proxy.test:443"),
        ("SOCKS5://u:p@[::1]", "socks5://[::1]:1080"),
        ("socks5h://10.0.0.1:80", "socks5h://10.0.0.1:80"),
    ] {
        let proxy: Proxy = url.parse().unwrap();
        assert_eq!((proxy.to_string(), format!("{proxy:?}")), (shown.into(), format!("Proxy({shown})")), "{url}");
    }
    for url in ["", "https://proxy.test", "socks4://a.test", "ftp://a.test", "http://", "http://a.test/x", "http://a b"]
    {
        assert!(url.parse::<Proxy>().is_err(), "{url}");
    }
    let of = |set: &[(&str, &str)]| {
        let set: Vec<(String, String)> = set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Proxies::of_environment(move |name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    };
    let shown = |proxies: &Proxies, url: &str| proxies.of(&url.parse().unwrap()).map(ToString::to_string);
    let all = of(&[("ALL_PROXY", "socks5h://a.test"), ("http_proxy", " http://b.test "), ("HTTPS_PROXY", "")]).unwrap();
    assert_eq!(shown(&all, "http://x.test/").as_deref(), Some("http://b.test:80"));
    assert_eq!(shown(&all, "https://x.test/").as_deref(), Some("socks5h://a.test:1080"));
    assert_eq!(all.iter().count(), 2);
    // A header `Proxy` of a client sets HTTP_PROXY of a CGI program.
    assert_eq!(of(&[("HTTP_PROXY", "http://evil.test")]).unwrap(), Proxies::default());
    assert!(of(&[("https_proxy", "https://a.test")]).is_err());
    assert!(of(&[("no_proxy", "a b/c")]).is_err());
    let direct = "Example.COM,.sub.test, *.star.test 10.0.0.0/8,[::1],2001:db8::/32";
    let some = of(&[("all_proxy", "http://p.test"), ("NO_PROXY", direct)]).unwrap();
    for (url, is_direct) in [
        ("http://example.com/", true),
        ("http://www.example.com./", true),
        ("http://notexample.com/", false),
        ("http://sub.test/", true),
        ("http://a.star.test/", true),
        ("http://10.1.2.3/", true),
        ("http://11.0.0.1/", false),
        ("http://[::1]:8080/", true),
        ("http://[2001:db8::5]/", true),
        ("http://[2001:db9::5]/", false),
    ] {
        assert_eq!(shown(&some, url).is_none(), is_direct, "{url}");
    }
    assert_eq!(shown(&of(&[("all_proxy", "http://p.test"), ("no_proxy", "*")]).unwrap(), "http://a.test/"), None);
}
