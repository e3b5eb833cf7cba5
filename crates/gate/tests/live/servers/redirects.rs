use robosieve_gate::retrieve::{AddressGuard, Outcome};

use crate::servers::certificates::Certificate;
use crate::servers::stage::{RULES, Role, Stage, answer, good, is_rules, plain, says, with_tls};

fn to(target: &str) -> Role {
    says(answer(301, &format!("Location: {target}\r\n"), "moved"))
}

/// Unusual but valid paths: [retrieve.redirect]
#[test]
fn to_odd_paths() {
    for (target, path) in [
        ("/a|b^c[d]{e}'f\"g`h", "/a|b^c[d]%7Be%7D'f%22g%60h"),
        ("/?q=a|b^c[d]{e}'f\"g`h<i>", "/?q=a|b^c[d]{e}%27f%22g`h%3Ci%3E"),
        ("/a%zz%00%0d%0aX:y", "/a%zz%00%0d%0aX:y"),
        ("//site.test:PORT//x//..//y", "//x//y"),
        ("?", "/robots.txt?"),
        ("/a b\tc", "/a%20bc"),
        ("\\a\\b", "/a/b"),
    ] {
        let target = target.to_owned();
        let stage = Stage::new(&[plain(move |nth, connection| {
            let port = connection.request().split_once("site.test:").unwrap().1[..5].trim().to_owned();
            let location = format!("Location: {}\r\n", target.replace("PORT", &port));
            connection.send(&if nth == 0 { answer(302, &location, "") } else { answer(200, "", RULES) });
        })]);
        let retrieval = stage.retrieve();
        is_rules(&retrieval);
        assert!(stage.requests(0)[1].starts_with(&format!("GET {path} HTTP/1.1\r\n")), "{:?}", stage.requests(0));
    }
}

/// Redirects to another host and port, by name and by address, use the first good address: [retrieve.redirect]
/// [retrieve.origin]
#[test]
fn to_another_host_and_port() {
    let other = Stage::new(&[Role::Refuses, Role::Refuses, says(answer(503, "", "")), good()]);
    for host in ["other.test", "127.0.0.4"] {
        let stage = Stage::new(&[to(&format!("http://{host}:{}/rules", other.port))]);
        let mut crawl = stage.crawl();
        crawl.names.insert("other.test".into(), other.addresses.clone());
        crawl.ports.push(other.port);
        let retrieval = crawl.run();
        is_rules(&retrieval);
        assert_eq!(retrieval.redirects, [format!("http://{host}:{}/rules", other.port)]);
        let head = other.requests(3).last().unwrap().clone();
        assert!(head.starts_with("GET /rules HTTP/1.1\r\n"), "{head}");
        assert!(head.to_lowercase().contains(&format!("host: {host}:{}\r\n", other.port)), "{head}");
    }
}

/// Redirects to https and back: [retrieve.redirect]
#[test]
fn between_http_and_https() {
    let plain_stage = Stage::new(&[good()]);
    let back = format!("http://site.test:{}/x", plain_stage.port);
    let secure = Stage::new(&[with_tls(Certificate::Good, move |_, connection| {
        connection.request();
        connection.send(&answer(307, &format!("Location: {back}\r\n"), ""));
    })]);
    let stage = Stage::new(&[to(&format!("https://site.test:{}/y", secure.port))]);
    let mut crawl = stage.crawl();
    crawl.ports.extend([plain_stage.port, secure.port]);
    let retrieval = crawl.run();
    is_rules(&retrieval);
    assert_eq!(retrieval.redirects.len(), 2);
}

/// With the defaults, a client connects to no server on loopback, and never to one that is refused next to one that is
/// not: [retrieve.address-guard]
#[test]
fn loopback_is_refused_unless_allowed() {
    let stage = Stage::new(&[good(), good()]);
    let mut crawl = stage.crawl();
    crawl.guard = AddressGuard::default();
    let retrieval = crawl.run();
    assert_eq!(retrieval.outcome, Outcome::NotAsked);
    assert_eq!([stage.connections(0), stage.connections(1)], [0, 0]);
    let mut crawl = stage.crawl();
    crawl.guard = AddressGuard::default().allowing("127.0.0.2/32".parse().unwrap());
    is_rules(&crawl.run());
    assert_eq!([stage.connections(0), stage.connections(1)], [0, 1]);
}
