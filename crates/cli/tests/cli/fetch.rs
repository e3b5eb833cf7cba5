//! `fetch` against servers on loopback.

use std::time::{Duration, Instant};

use crate::common::Dir;
use crate::serving::{RULES, Site, WHO, answer};

/// [cmd.fetch]
#[test]
fn the_text_for_all_or_for_one() {
    let (dir, site) = (Dir::new(), Site::good());
    let url = site.url("/any/page?q");
    let ran = dir.run(&["fetch", "--allow-private", &url]).ok();
    assert_eq!(ran.out(), "User-agent: *\nDisallow: /private\n\nUser-agent: otherbot\nDisallow: /\n");
    assert!(ran.err().contains("rules (status 200, the file)"), "{}", ran.err());
    let ran = dir.run(&["fetch", "-q", "--allow-private", "--agent", "OtherBot", &url]).ok();
    assert_eq!((ran.out(), ran.err()), ("User-agent: *\nDisallow: /\n", ""));
    let requests = site.requests();
    assert!(requests[0].starts_with("GET /robots.txt HTTP/1.1\r\n"), "{requests:?}");
    assert!(requests[0].to_ascii_lowercase().contains("user-agent: robosieve/0"), "{requests:?}");
    dir.run(&["fetch", "--allow-private", "--agent", WHO, &url]).ok();
    assert!(site.requests()[2].contains(WHO));
}

/// A host alone is a site, as for `site`: [cmd.fetch]
#[test]
fn a_host_is_a_site() {
    let dir = Dir::new();
    // Nothing answers there, so that only the address counts.
    for (written, asked) in [("localhost:9", "https://localhost:9/"), ("127.0.0.1:9", "https://127.0.0.1:9/")] {
        let args = ["fetch", "--allow-private", "--allow-port", "9", "--timeout", "1", written];
        let ran = dir.run(&args).code(3);
        assert!(ran.err().contains(&format!("{asked}robots.txt: unreachable")), "{}", ran.err());
    }
    for wrong in ["", "a b", "/path", "mailto:a@b", "e.com/path"] {
        dir.run(&["fetch", wrong]).fails(2, &["robosieve"]);
    }
}

/// The exit code shows the outcome, and JSON has the details: [cmd.fetch] [cmd.exit] [gate.cut] [report.exact]
/// [gate.pace-robots-txt]
#[test]
fn outcomes_are_exit_codes() {
    let dir = Dir::new();
    let broken = format!("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{RULES}").into_bytes();
    for (bytes, code, outcome) in [
        (answer(200, "", RULES), 0, "rules"),
        (answer(404, "", ""), 1, "no-rules"),
        (answer(403, "", ""), 3, "unavailable"),
        (broken, 3, "truncated"),
        (answer(200, "", "# long\n".repeat(100_000)), 3, "truncated"),
        (answer(503, "", ""), 3, "unreachable"),
    ] {
        let site = Site::new(bytes);
        let ran = dir.run(&["fetch", "--json", "--allow-private", &site.url("/")]).code(code);
        let json = ran.one_json();
        assert_eq!((&json["v"], &json["outcome"]), (&1.into(), &outcome.into()), "{json}");
        // A file that our cap cut is not exact, and its beginning is shown.
        let is_cut = json["cut"] == "at-cap";
        assert_eq!(json["text"].is_string(), code == 0 || is_cut, "{json}");
        assert_eq!(json["report"]["counts"]["input-cut"] == 1, is_cut, "{json}");
        assert_eq!(ran.err().contains("not exact: 1 other loss"), is_cut, "{}", ran.err());
        assert_eq!((&json["requests"], json["error"].is_string()), (&1.into(), json["cut"] == "early"), "{json}");
    }
    let second = Site::good();
    let first = Site::new(answer(301, &format!("Location: {}\r\n", second.url("/else")), ""));
    let began = Instant::now();
    let json = dir.run(&["fetch", "--json", "--allow-private", &first.url("/")]).ok().one_json();
    // The target is a port of the same host, which has a second between two requests.
    assert!(began.elapsed() >= Duration::from_millis(950), "{:?}", began.elapsed());
    assert_eq!((&json["origin"], &json["redirects"][0]), (&first.url("").into(), &second.url("/else").into()));
}

/// A file that is not a robots.txt is named, and its text is withheld on request: [cmd.fetch] [cmd.suspect]
/// [cmd.fail-on]
#[test]
fn a_file_that_is_no_robots_txt_is_named() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "Content-Type: text/html\r\n", "<html>\nUser-agent: *\n")));
    let fetch = |args: &[&str]| dir.run(&[&["fetch", "--allow-private", &site.url("/")], args].concat());
    let ran = fetch(&[]).ok();
    assert!(ran.err().contains("the input looks like an HTML page") && ran.out() != "", "{}", ran.err());
    let json = fetch(&["--json"]).ok().one_json();
    assert_eq!((&json["input"]["kind"], json["suspects"] == 0), (&"html".into(), false), "{json}");
    let ran = fetch(&["--fail-on", "suspect"]).fails(3, &["refused (fail-on suspect)"]);
    assert_eq!(ran.out(), "");
    let json = fetch(&["--fail-on", "suspect", "--json"]).code(3).one_json();
    assert_eq!((&json["text"], &json["input"]["kind"]), (&serde_json::Value::Null, &"html".into()));
    fetch(&["--fail-on", "loss"]).ok();
}

/// Bytes are saved unchanged. If no file came, an existing file is not replaced: [cmd.fetch] [cmd.output]
#[test]
fn raw_bytes() {
    let body = "\u{feff}User-agent: *\r\nDisallow: /a\u{1b}[2J\r\n";
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", body)));
    dir.run(&["fetch", "--allow-private", "--raw", "saved.txt", &site.url("/")]).ok();
    assert_eq!(dir.read("saved.txt"), body);
    site.says(answer(404, "", "no"));
    dir.run(&["fetch", "--allow-private", "--raw", "saved.txt", &site.url("/")]).code(1);
    assert_eq!((dir.read("saved.txt").as_str(), dir.names().len()), (body, 1));
    dir.run(&["fetch", "--raw", "x", &site.url("/"), "http://localhost/"]).fails(2, &["one site"]);
    dir.run(&["fetch", "--raw", "-", "--json", &site.url("/")]).fails(2, &["name a file"]);
}

/// Only global addresses are connected to, for every spelling of an address, and at every redirect: [cmd.network]
#[test]
fn internal_addresses_are_refused() {
    let (dir, site) = (Dir::new(), Site::good());
    let port = site.port;
    let hosts =
        "127.0.0.1 2130706433 0x7f.1 0 0177.0.0.1 localhost [::ffff:127.0.0.1] [::1] [::] u:p@127.0.0.1 127.1%2e";
    for host in hosts.split(' ') {
        let ran = dir.run(&["fetch", "-q", "--timeout", "10", &format!("http://{host}:{port}/")]);
        assert!(matches!(ran.code, Some(2 | 3)), "{host}: {}", ran.err());
    }
    for target in
        ["http://169.254.169.254/latest", "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://10.0.0.1:0/"]
    {
        let first = Site::new(answer(302, &format!("Location: {target}\r\n"), ""));
        let ran = dir.run(&["fetch", "--allow-net", "127.0.0.1/32", &first.url("/")]).code(2);
        assert!(ran.err().contains("refused: "), "{target}: {}", ran.err());
    }
    assert!(site.requests().is_empty());
    let first = Site::new(answer(302, "Location: http://[fd00:ec2::254]/\r\n", ""));
    let ran = dir.run(&["fetch", "--allow-private", &first.url("/")]).code(2);
    assert!(ran.err().contains("refused"), "{}", ran.err());
}

/// Names get the given addresses. Invalid certificates and networks are reported: [cmd.network] [cmd.agent]
#[test]
fn flags_of_the_network() {
    let (dir, site) = (Dir::with("no certificate"), Site::good());
    let entry = format!("shop.example:{}:127.0.0.1", site.port);
    let url = format!("http://shop.example:{}/", site.port);
    dir.run(&["fetch", "-q", "--allow-private", "--resolve", &entry, &url]).ok();
    assert!(site.requests()[0].contains(&format!("shop.example:{}", site.port)));
    dir.run(&["fetch", "-q", "--resolve", &entry, &url]).code(2);
    // Several addresses for one host add up: the first has no server.
    let dead = format!("shop.example:{}:127.0.0.9", site.port);
    dir.run(&["fetch", "-q", "--allow-private", "--resolve", &dead, "--resolve", &entry, &url]).ok();
    dir.run(&["fetch", "--agent", "", &url]).fails(2, &["is empty", "MyBot"]);
    dir.run(&["fetch", "--root-cert", "robots.txt", &url]).fails(2, &["robots.txt", "BEGIN CERTIFICATE"]);
    dir.run(&["fetch", "--root-cert", "none.pem", &url]).fails(2, &["none.pem", "check the path"]);
    dir.run(&["fetch", "--allow-net", "10/8", &url]).fails(2, &["10.0.0.0/8"]);
    dir.run(&["fetch", "--resolve", "a:b", &url]).fails(2, &["HOST:PORT:ADDRESS"]);
    dir.run(&["fetch", "--timeout", "0", &url]).fails(2, &["0.001"]);
}
