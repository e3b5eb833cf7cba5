//! Flags of the commands that use the network: hosts that are ignored, headers, proxies, conditions, logs.

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

/// An ignored host is not asked, and the output says why it is open: [cmd.check]
#[test]
fn ignored_hosts() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nDisallow: /\n")));
    let page = site.url("/x");
    for host in ["127.0.0.1", "0x7f.1", "127.1."] {
        let ran = dir.run(&args("check", &["--ignore-robots-txt", host, &page])).ok();
        assert_eq!(ran.out(), format!("allowed\t{page}\tnow (robots.txt is ignored for this host)\n"));
    }
    let line = dir.run(&args("check", &["--json", "--ignore-robots-txt", "127.0.0.1", &page])).ok().one_json();
    assert_eq!((&line["action"], &line["reason"], &line["target"]), (&"go".into(), &"ignored".into(), &json!(page)));
    assert_eq!(site.requests().len(), 0);
    dir.run(&args("check", &["-q", "--ignore-robots-txt", "localhost", &page])).code(1);
    assert_eq!(site.requests().len(), 1);
    for host in ["*.test", "http://a.test/", "", "a.test:80"] {
        dir.run(&args("check", &["--ignore-robots-txt", host, &page])).fails(2, &["--ignore-robots-txt", "host"]);
    }
    dir.run(&args("check", &["-q", "--store", "s.sqlite", &page])).code(1);
    let shown = dir.run(&["site", &page, "--store", "s.sqlite", "--ignore-robots-txt", "127.0.0.1"]).ok();
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
    let asked = site.requests();
    assert_eq!(asked.len(), 2);
    for head in asked.iter().map(|head| head.to_ascii_lowercase()) {
        assert!(head.contains("\r\nfrom: bot@example.com\r\n") && head.contains("\r\nx-token: a:b\r\n"), "{head}");
    }
    for (line, why) in [
        ("From", "Name: value"),
        ("User-Agent: Secret", "set by the program"),
        ("Authorization: Basic Secret", "would go to every host"),
        ("Authorization Basic Secret", "Name: value"),
        ("X: \u{1b}Secret", "printable ASCII"),
        ("X\u{1b}: Secret", "letters, digits and -"),
    ] {
        let ran = dir.run(&args("check", &["--header", line, &page]));
        let ran = ran.fails(2, &["--header", why]);
        assert!(!ran.err().contains("Secret"), "{}", ran.err());
    }
    assert_eq!(site.requests().len(), 2);
}

/// A copy in the store makes the next request conditional: [cmd.check] [gate.conditional]
#[test]
fn conditional_requests() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "ETag: \"7\"\r\n", "User-agent: *\nDisallow: /x\n")));
    let check = args("check", &["-q", "--store", "s.sqlite", "--cache-max", "1", "--delay", "0"]);
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
                let answers = [
                    "HTTP/1.1 200 OK\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\nUser-agent: *\nDisallow:\n",
                ];
                for answer in answers {
                    let mut head = String::new();
                    while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).is_ok_and(|count| count > 0) {}
                    // Before the answer: who has that may ask at once.
                    if head.starts_with("CONNECT") {
                        noted.lock().unwrap().push(head);
                    }
                    let _ = lines.get_mut().write_all(answer.as_bytes());
                }
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
    assert!(debug.err().contains("answered url="), "{}", debug.err());
    assert!(!debug.err().contains("secret") && !debug.err().contains('\u{1b}'), "{:?}", debug.err());
    dir.run(&args("check", &["--log", "loud", &page])).fails(2, &["warn, info or debug"]);
}
