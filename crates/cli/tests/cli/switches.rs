//! Settings for single hosts, sites that are left alone, and metrics.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;

use crate::common::Dir;
use crate::serving::{Site, WHO, answer};

fn args<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "--allow-private", "--agent", WHO], more].concat()
}

/// An ignored host is not asked, and the output says why it is open: [cmd.overrides]
#[test]
fn ignored_hosts() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nDisallow: /\n")));
    let page = site.url("/x");
    for host in ["127.0.0.1", "0x7f.1", "127.1."] {
        let ran = dir.run(&args("check", &["--ignore-robots-txt", host, &page])).ok();
        assert_eq!(ran.out(), format!("allowed\t{page}\tnow (robots.txt is ignored for this host)\n"));
    }
    let line = dir.run(&args("check", &["--json", "--ignore-robots-txt", "127.0.0.1", &page])).ok().one_json();
    assert_eq!((&line["verdict"], &line["why"], &line["target"]), (&"allowed".into(), &"ignored".into(), &json!(page)));
    dir.write("h.toml", "[hosts]\n\"127.0.0.1\" = { ignore-robots-txt = true }\n");
    dir.run(&args("check", &["-q", "--overrides", "h.toml", &page])).ok();
    let ran = dir.run_with(&args("crawl-check", &["--urls", "--overrides", "h.toml"]), page.as_bytes()).ok();
    assert_eq!((ran.out(), site.requests().len()), (&*format!("{page}\n"), 0));
    dir.run(&args("check", &["-q", "--ignore-robots-txt", "localhost", &page])).code(1);
    assert_eq!(site.requests().len(), 1);
    for host in ["*.test", "http://a.test/", "", "a.test:80"] {
        dir.run(&args("check", &["--ignore-robots-txt", host, &page])).fails(2, &["--ignore-robots-txt", "host"]);
    }
    dir.run(&args("check", &["-q", "--store", "s.sqlite", &page])).code(1);
    let shown = dir.run(&["site", "127.0.0.1", "--store", "s.sqlite", "--overrides", "h.toml"]).ok();
    assert!(shown.out().contains("standing      ignored: its robots.txt is ignored"), "{}", shown.out());
}

/// Headers of one's own are sent, and what is no header is refused without its value: [cmd.network]
#[test]
fn headers_of_ones_own() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = site.url("/x");
    let header = ["--header", "From: bot@example.com", "--header", "X-Token: a:b"];
    dir.run(&args("check", &[&header[..], &["-q", &page]].concat())).ok();
    dir.run(&[&["fetch", "-q", "--allow-private", &page], &header[..]].concat()).ok();
    dir.run_with(&args("crawl-check", &[&header[..], &["-q"]].concat()), page.as_bytes()).ok();
    let asked = site.requests();
    assert_eq!(asked.len(), 3);
    for head in asked.iter().map(|head| head.to_ascii_lowercase()) {
        assert!(head.contains("\r\nfrom: bot@example.com\r\n") && head.contains("\r\nx-token: a:b\r\n"), "{head}");
    }
    for (line, why) in [
        ("From", "Name: value"),
        ("User-Agent: Secret", "set by the program"),
        ("Authorization: Basic Secret", "single hosts, in the overrides"),
        ("X: \u{1b}Secret", "printable ASCII"),
        ("X\u{1b}: Secret", "letters, digits and -"),
    ] {
        let ran = dir.run(&args("check", &["--header", line, &page]));
        let ran = ran.fails(2, &["--header", why]);
        assert!(!ran.err().contains("Secret"), "{}", ran.err());
    }
    assert_eq!(site.requests().len(), 3);
}

/// Headers and certificates of single hosts: where none are checked, each line says so, and `site` does: [cmd.overrides]
#[test]
fn connections_of_single_hosts() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = site.url("/x");
    let settings = "{ headers = { Authorization = \"Basic YTpi\" }, insecure = true }";
    dir.write("h.toml", format!("[hosts]\n\"127.0.0.1\" = {settings}\n"));
    let with = ["--overrides", "h.toml", "--store", "s.sqlite", &page];
    let ran = dir.run(&args("check", &with)).ok();
    assert!(
        ran.err().contains("certificates of 1 host are not checked") && !ran.err().contains("YTpi"),
        "{}",
        ran.err()
    );
    assert!(ran.out().ends_with(" (its certificates are not checked)\n"), "{}", ran.out());
    assert!(site.requests()[0].contains("Basic YTpi\r\n"), "{:?}", site.requests());
    let json =
        |more: &[&str]| dir.run(&args("check", &[&["--json", "--store", "s.sqlite", &page], more].concat())).ok();
    assert_eq!(json(&with[..2]).one_json()["insecure"], json!(true));
    assert_eq!(json(&[]).one_json().get("insecure"), None);
    let shown = |more: &[&str]| dir.run(&[&["site", "127.0.0.1", "--store", "s.sqlite"], more].concat()).ok();
    assert!(shown(&with[..2]).out().contains("certificates  not checked, as you have set"));
    assert!(!shown(&[]).out().contains("certificates"));
    assert_eq!(shown(&["--json", "--overrides", "h.toml"]).one_json()["insecure"], json!(true));
    // `fetch` takes the same file, and says the same.
    let fetched =
        |more: &[&str]| dir.run(&[&["fetch", "--allow-private", "--overrides", "h.toml", &page], more].concat()).ok();
    assert!(
        fetched(&[]).err().contains("the certificates of a host that was asked are not checked"),
        "{}",
        fetched(&[]).err()
    );
    assert_eq!(fetched(&["--json"]).one_json()["insecure"], json!(true));
    assert!(site.requests().last().unwrap().contains("Basic YTpi\r\n"));
    // A redirect's target counts too.
    let first = Site::new(answer(301, &format!("Location: {}\r\n", site.url("/robots.txt")), ""));
    let other = format!("http://localhost:{}/", first.port);
    let ran = dir.run(&["fetch", "--json", "--allow-private", "--overrides", "h.toml", &other]).ok();
    assert_eq!(ran.one_json()["insecure"], json!(true), "{}", ran.err());
    let before = site.requests().len();
    // Certificates are read where the file of settings is, and before any request.
    std::fs::create_dir(dir.path("sub")).unwrap();
    dir.write("sub/h.toml", "[hosts]\n\"a.test\" = { client-cert = \"a.pem\" }\n");
    let with = args("check", &["--overrides", "sub/h.toml", &page]);
    dir.run(&with).fails(2, &["a.pem"]);
    dir.write("sub/a.pem", "nothing");
    dir.run(&with).fails(2, &["client-cert: no certificate found"]);
    let limit = 16 << 20;
    for (len, is_long) in [(limit - 1, false), (limit, false), (limit + 1, true)] {
        dir.write("sub/a.pem", "#".repeat(len));
        assert_eq!(dir.run(&with).code(2).err().contains("is longer than 16777216 bytes"), is_long, "{len}");
    }
    dir.run(&["fetch", "--allow-private", "--overrides", "sub/h.toml", &page]).fails(2, &["is longer than"]);
    assert_eq!(site.requests().len(), before);
}

/// A file that is not understood is refused with its line, and nothing is asked: [cmd.overrides]
#[test]
fn broken_files() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = site.url("/x");
    for (text, line, why) in [
        ("[hosts]\n\"a.test\" = { dely = 1 }\n", 2, "unknown field `dely`"),
        ("[hosts]\n\"a.test\" = [true]\n", 2, "a table of settings with their names"),
        ("[hosts]\n\n\"a.test\" = { delay = \"1\" }\n", 3, "invalid type"),
        ("[hosts.\"a.test\"]\ndelay = 1\nretry = -1\n", 3, "number of seconds"),
        ("[hosts]\n\"a.test\" = {}\n\"a.test\" = {}\n", 3, "duplicate key"),
        ("[hosts]\n\"a.test\" = {}\n\"A.test.\" = {}\n", 2, "settings already"),
        ("[hosts]\n\"a.test\" = {}\n\"a/b\" = {}\n", 3, "without scheme"),
        ("[hosts]\n\"a.test\" = {}\n\"*.b\" = { ignore-robots-txt = true }\n", 3, "name each host"),
        ("[hosts]\n\"a.test\" = { min-delay = 2, max-delay = 1 }\n", 2, "longer than max-delay"),
        ("[hosts]\nwww.example.com = { delay = 1 }\n", 2, "a host's name needs quotes"),
        ("# x\n[host]\n", 2, "unknown field `host`"),
        ("[hosts\n", 1, ""),
        ("[hosts]\n\"a.test\" = { policy-set = { forbidden = \"open\" } }\n", 2, "a ruling is"),
        ("[hosts]\n\"a.test\\n\\u001b[2J\" = {}\n", 2, "not a host"),
    ] {
        dir.write("h.toml", text);
        let ran = dir.run(&args("check", &["--overrides", "h.toml", &page]));
        ran.fails(2, &[&format!("h.toml: line {line}: "), why]);
    }
    dir.write("h.toml", b"\xff");
    dir.run(&args("check", &["--overrides", "h.toml", &page])).fails(2, &["h.toml", "UTF-8"]);
    dir.run(&args("check", &["--overrides", "none.toml", &page])).fails(2, &["none.toml"]);
    dir.run(&args("check", &["--overrides", "-", &page])).fails(2, &["needs a file"]);
    let limit = 16 << 20;
    for (len, code) in [(limit - 1, 0), (limit, 0), (limit + 1, 2)] {
        dir.write("h.toml", "#".repeat(len));
        let ran = dir.run(&["site", "--overrides", "h.toml", "--store", "s.sqlite"]);
        assert_eq!(ran.err().contains("longer than 16777216 bytes"), code == 2, "{len}: {}", ran.err());
        dir.run(&args("check", &["-q", "--store", "s.sqlite", &page]));
    }
    assert_eq!(site.requests().len(), 1);
}

/// The example of the help is one that works: [cmd.overrides] [cmd.help]
#[test]
fn the_example_of_the_help() {
    let (dir, site) = (Dir::new(), Site::good());
    let help = dir.run(&["check", "--help"]).ok();
    let block = help.out().split("with the names of the flags:\n").nth(1).unwrap();
    let lines = block.lines().take_while(|line| line.starts_with("  ")).map(|line| format!("{}\n", line.trim()));
    let text: String = lines.collect();
    assert!(text.starts_with("[hosts]") && text.lines().count() > 4, "{text}");
    dir.write("h.toml", text);
    dir.run(&args("check", &["--overrides", "h.toml", &site.url("/")])).ok();
}

/// A site that failed so often is left alone until it is cleared; more than a day is warned of: [cmd.overrides]
#[test]
fn sites_that_are_left_alone() {
    let (dir, site) = (Dir::new(), Site::new(answer(503, "", "")));
    let page = site.url("/x");
    let give_up = ["--store", "s.sqlite", "--timeout", "1", "--give-up-after", "1", &page];
    for _ in 0..2 {
        let ran = dir.run(&args("check", &give_up)).code(3);
        assert!(ran.out().contains("left alone until `robosieve site HOST --clear`"), "{}", ran.out());
    }
    let line = dir.run(&args("check", &[&["--json"], &give_up[..]].concat())).code(3).one_json();
    assert_eq!((&line["why"], &line["until"], &line["failures"]), (&"given-up".into(), &json!(null), &1.into()));
    let asked = site.requests().len();
    let shown = dir.run(&["site", "127.0.0.1", "--store", "s.sqlite", "--give-up-after", "1"]).ok();
    assert!(shown.out().contains("next attempt  never\n"), "{}", shown.out());
    site.says(answer(404, "", ""));
    dir.run(&["site", "127.0.0.1", "--store", "s.sqlite", "--clear"]).ok();
    dir.run(&args("check", &give_up)).ok();
    assert_eq!(site.requests().len(), asked + 1);
    for (more, warns) in [
        (["--recheck-after", "86401"], true),
        (["--cache-max", "86401"], true),
        (["--recheck-after", "86400"], false),
        (["--cache-max", "86400"], false),
    ] {
        let ran = dir.run(&args("check", &[&more[..], &[&page]].concat())).ok();
        assert_eq!(ran.err().contains("RFC 9309 2.4"), warns, "{more:?}: {}", ran.err());
    }
    dir.write("h.toml", "[hosts]\n\"a.test\" = { recheck-after = 100000 }\n");
    let ran = dir.run(&args("check", &["--overrides", "h.toml", &page])).ok();
    assert!(ran.err().contains("files of 1 host may be used for more than 24 hours"), "{}", ran.err());
    dir.run(&args("check", &["--recheck-after", "9", "--cache-max", "9", &page])).fails(2, &["--cache-max"]);
    dir.run(&args("check", &["--give-up-after", "0", &page])).fails(2, &["--give-up-after"]);
}

/// What a run did is written as JSON, also of a run that failed: [cmd.metrics]
#[test]
fn metrics() {
    let (dir, site) = (Dir::new(), Site::good());
    let input = format!("{}\n{}\nftp://x/\n", site.url("/a"), site.url("/private"));
    dir.run_with(&args("crawl-check", &["--metrics", "m.json"]), input.as_bytes()).code(3);
    let read = || serde_json::from_str::<serde_json::Value>(&dir.read("m.json")).unwrap();
    let found = read();
    assert_eq!((&found["v"], &found["urls"]["allowed"], &found["urls"]["unusable"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!((&found["retrievals"]["rules"], &found["answers"]["denied"]), (&1.into(), &1.into()));
    assert!(found["retrievals"]["bytes"].as_u64().unwrap() > 20 && found["at"].as_u64() >= found["began"].as_u64());
    dir.run(&args("crawl-check", &["--metrics", "m.json", "--files-from", "none.txt"])).code(2);
    dir.run_with(&args("crawl-check", &["--metrics", "m.json"]), b"").fails(2, &["no URL"]);
    assert_eq!(read()["urls"]["allowed"], 0);
    dir.run_with(&args("crawl-check", &["--metrics", "no/m.json"]), input.as_bytes()).fails(2, &["no/m.json"]);
    dir.run_with(&args("crawl-check", &["--metrics", "-"]), input.as_bytes()).fails(2, &["needs a file"]);
}

/// A copy in the store makes the next request conditional: [cmd.check] [gate.conditional]
#[test]
fn conditional_requests() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "ETag: \"7\"\r\n", "User-agent: *\nDisallow: /x\n")));
    let check = args("check", &["-q", "--store", "s.sqlite", "--recheck-after", "1", "--delay", "0"]);
    let run = || dir.run(&[&check[..], &[&site.url("/x")]].concat()).code(1);
    run();
    site.says("HTTP/1.1 304 Not Modified\r\n\r\n");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    run();
    let requests = site.requests();
    let conditions: Vec<bool> =
        requests.iter().map(|head| head.to_lowercase().contains("if-none-match: \"7\"")).collect();
    assert_eq!(conditions, [false, true]);
}

/// A proxy that answers CONNECT, and then the request too.
struct Proxy {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (port, requests) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
        let noted = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut lines = BufReader::new(stream.unwrap());
                let mut heads = [String::new(), String::new()];
                let answers = [
                    "HTTP/1.1 200 OK\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\nUser-agent: *\nDisallow:\n",
                ];
                for (head, answer) in heads.iter_mut().zip(answers) {
                    while !head.ends_with("\r\n\r\n") && lines.read_line(head).is_ok_and(|count| count > 0) {}
                    let _ = lines.get_mut().write_all(answer.as_bytes());
                }
                noted.lock().unwrap().push(heads[0].clone());
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A proxy is used if it is named, or the environment if that is asked for; what can't be checked then is said, and no
/// password: [cmd.proxy]
#[test]
fn through_a_proxy() {
    let dir = Dir::new();
    let proxy = Proxy::new();
    let url = format!("http://bot:secret@127.0.0.1:{}", proxy.port);
    let page = "http://no-such-name.test/x";
    let unchecked = format!("through the proxy http://127.0.0.1:{}: it looks names up itself", proxy.port);
    let ran = dir.run(&args("check", &["--proxy", &url, page])).ok();
    assert!(ran.err().contains(&unchecked) && !ran.err().contains("secret"), "{}", ran.err());
    assert!(proxy.requests()[0].starts_with("CONNECT no-such-name.test:80 HTTP/1.1\r\n"), "{:?}", proxy.requests());
    let ran = dir.run(&["fetch", "--proxy", &url, page]).ok();
    assert!(ran.err().contains(&unchecked), "{}", ran.err());
    let with = |more: &[&str]| dir.run_in(&[("http_proxy", &*url), ("https_proxy", &*url)], &args("check", more));
    let ran = with(&["--proxy-from-env", page]).ok();
    assert_eq!(ran.err().matches(&unchecked).count(), 1, "{}", ran.err());
    assert_eq!(proxy.requests().len(), 3);
    // Nobody asked for the environment.
    let gone = Site::good().url("/");
    with(&["-q", &gone]).code(3);
    assert_eq!(proxy.requests().len(), 3);
    // Addresses in URLs are checked.
    dir.run(&["check", "-q", "--agent", WHO, "--proxy", &url, "http://10.0.0.1/"]).code(2);
    assert_eq!(proxy.requests().len(), 3);
    let ran = dir.run_in(&[("http_proxy", "ftp://secret@a.test")], &args("check", &["--proxy-from-env", page]));
    assert!(!ran.fails(2, &["--proxy-from-env", "socks5h"]).err().contains("secret"));
    let ran = dir.run_in(&[], &args("check", &["--proxy-from-env", &gone]));
    assert!(ran.code(3).err().contains("the environment names no proxy"));
    let ran = dir.run(&args("check", &["--proxy", "https://bot:secret@a.test", page]));
    assert!(!ran.fails(2, &["a proxy's scheme"]).err().contains("secret"));
    // A proxy that is gone is our trouble.
    dir.run(&args("check", &["--proxy", "socks5h://127.0.0.1:9", page])).code(2);
}

/// If a header is wrong in any way, its value is in no message: [retrieve.own-headers]
#[test]
fn wrong_headers_are_not_shown() {
    let dir = Dir::new();
    for line in ["Authorization Basic c2VjcmV0", "Authorization: Basic c2VjcmV0", "X c2VjcmV0: y"] {
        let ran = dir.run(&args("check", &["--header", line, "http://a.test/"]));
        assert!(!ran.fails(2, &["--header"]).err().contains("c2VjcmV0"), "{line}");
    }
    for own in ["\"c2VjcmV0\"", "{ \"Authorization: c2VjcmV0\" = \"x\" }", "{ Authorization = [\"c2VjcmV0\"] }"] {
        dir.write("o.toml", format!("[hosts.\"a.test\"]\nheaders = {own}\n"));
        let ran = dir.run(&args("check", &["--overrides", "o.toml", "http://a.test/"])).code(2);
        assert!(!ran.err().contains("c2VjcmV0"), "{}", ran.err());
    }
    dir.write("o.toml", "[hosts.\"a.test\"]\nheaders = { Authorization = 123456 }\n");
    let ran = dir.run(&args("check", &["--overrides", "o.toml", "http://a.test/"])).code(2);
    assert!(!ran.err().contains("123456"), "{}", ran.err());
}

/// Events are written on request only, and the environment does not count: [cmd.log]
#[test]
fn a_log_on_request() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = format!("http://user:secret@127.0.0.1:{}/\u{1b}[2J", site.port);
    let with =
        |more: &[&str]| dir.run_in(&[("RUST_LOG", "trace")], &args("check", &[more, &["-q", &page]].concat())).ok();
    assert_eq!(with(&[]).err(), "");
    assert_eq!(with(&["--log", "warn"]).err(), "");
    let info = with(&["--log", "info"]);
    assert!(info.err().contains(" INFO robots.txt retrieved origin="), "{}", info.err());
    assert_eq!(info.err().lines().count(), 1);
    let debug = with(&["--log", "debug"]);
    assert!(debug.err().contains("attempt") && debug.err().contains("answered url="), "{}", debug.err());
    assert!(!debug.err().contains("secret") && !debug.err().contains('\u{1b}'), "{:?}", debug.err());
    let ran = dir.run_with(&args("crawl-check", &["-q", "--log", "info"]), page.as_bytes()).ok();
    assert!(ran.err().contains("robots.txt retrieved"), "{}", ran.err());
    dir.run(&args("check", &["--log", "loud", &page])).fails(2, &["warn, info or debug"]);
}
