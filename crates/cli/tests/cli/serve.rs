//! `serve`: the JSON of `check` over HTTP, on loopback.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::Dir;
use crate::serving::{Service, Site, WHO, response};

impl Service {
    fn new(args: &[&str]) -> Self {
        let listen: &[&str] = if args.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        let own = ["serve", "--agent", WHO, "--allow-private", "--delay", "0", "--min-delay", "0"];
        Self::start(&[&own[..], listen, args].concat(), Stdio::null())
    }

    fn post(&self, path: &str, body: &str) -> String {
        let (host, length) = (&self.host, body.len());
        self.send(&format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"))
    }

    /// Asks it to end, and says how long that took.
    fn end(&mut self) -> (Duration, Option<i32>) {
        let start = Instant::now();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        (start.elapsed(), code)
    }
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or_default()
}

fn body(response: &str) -> Value {
    serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// [cmd.serve]
#[test]
fn an_answer_is_that_of_check() {
    let site = Site::good();
    let service = Service::new(&[]);
    for (path, reason) in [("open", "allowed"), ("private/a", "rule")] {
        let url = format!("http://127.0.0.1:{}/{path}", site.port);
        let served = body(&service.get(&format!("/v1/check?url={url}")));
        assert_eq!(served["reason"], reason);
        let checked = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args(["check", "--json", "--agent", WHO, "--allow-private", "--delay", "0"])
            .args(["--min-delay", "0", &url])
            .output()
            .unwrap();
        let mut checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        let mut served = served;
        // Only times may differ.
        for answer in [&mut checked, &mut served] {
            let fields = answer.as_object_mut().unwrap();
            fields.retain(|name, _| !matches!(name.as_str(), "wait_ms" | "until_ms" | "why"));
        }
        assert_eq!(served, checked);
    }
    // Two checks of the service, and the command twice.
    assert_eq!(site.requests().len(), 3, "one retrieval for both checks");
    assert_eq!(body(&service.get("/healthz")), serde_json::json!({ "v": 1, "ok": true }));
    let metrics = service.get("/metrics");
    for line in [
        "# TYPE robosieve_answers counter",
        "robosieve_answers{kind=\"denied\"} 1",
        "robosieve_retrievals{kind=\"rules\"} 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{metrics}");
    }
}

/// [cmd.serve] [serve.agent] [serve.errors] What is no question, is another's, or comes from a web page, reaches no site
/// and says what to do.
#[test]
fn what_is_no_question_of_a_crawler_is_refused() {
    let site = Site::good();
    let service = Service::new(&[]);
    let url = format!("http://127.0.0.1:{}/a", site.port);
    for (target, code) in [
        ("/v1/check".to_owned(), "400"),
        ("/v1/check?url=".to_owned(), "400"),
        (format!("/v1/check?url={url}&agent=OtherBot"), "400"),
        (format!("/v1/check?url={url}&url={url}"), "400"),
        (format!("/v1/check?url={url}%ff"), "400"),
        ("/".to_owned(), "404"),
    ] {
        let response = service.get(&target);
        assert_eq!(status(&response), code, "{target}");
        assert!(body(&response)["error"]["do"].is_string());
    }
    let own = format!("Host: {}\r\n", service.host);
    for fields in [
        String::new(),
        "Host: evil.example\r\n".to_owned(),
        format!("{own}Host: evil.example\r\n"),
        format!("{own}Origin: http://evil.example\r\n"),
        format!("{own}Sec-Fetch-Site: cross-site\r\n"),
        format!("{own}User-Agent: Mozilla/5.0 (an old browser, for a picture)\r\n"),
    ] {
        let response = service.send(&format!("GET /v1/check?url={url} HTTP/1.1\r\n{fields}\r\n"));
        assert_eq!(status(&response), "403", "{fields}");
    }
    for fields in ["User-Agent: Mozilla/5.0 (a program)\r\nrobosieve: 1\r\n", "User-Agent: curl/8\r\n"] {
        let response = service.send(&format!("GET /healthz HTTP/1.1\r\n{own}{fields}\r\n"));
        assert_eq!(status(&response), "200", "{fields}");
    }
    let posted = service.send(&format!("POST /v1/check HTTP/1.1\r\n{own}Content-Length: 99999999\r\n\r\n{{"));
    assert_eq!(status(&posted), "413");
    for (method, path, allow) in [("PUT", "/v1/check", "GET, POST"), ("GET", "/v1/done", "POST")] {
        let refused = service.send(&format!("{method} {path} HTTP/1.1\r\n{own}\r\n"));
        assert_eq!(status(&refused), "405");
        let allowed = refused.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap();
        assert!(allow.split(", ").all(|method| allowed.contains(method)), "{refused}");
    }
    assert_eq!(site.requests().len(), 0);
}

/// [cmd.serve] What is no HTTP gets a bare 400 and reaches no site; a list in place of an object is no question.
#[test]
fn what_is_no_http_is_refused() {
    let site = Site::good();
    let service = Service::new(&[]);
    let head = format!("POST /v1/check HTTP/1.1\r\nHost: {}\r\n", service.host);
    for request in [
        format!("{head}Content-Length: -3\r\n\r\n"),
        format!("{head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        "\u{16}\u{3}\u{1}\0\0\r\n\r\n".to_owned(),
    ] {
        let response = service.send(&request);
        assert_eq!((status(&response), response.ends_with("\r\n\r\n")), ("400", true), "{request:?}: {response}");
    }
    let list = service.post("/v1/check", &format!("[[\"http://127.0.0.1:{}/a\"],null]", site.port));
    assert_eq!((status(&list), &body(&list)["error"]["message"]), ("400", &"the body is not a JSON object".into()));
    assert_eq!(status(&service.post("/v1/done", "{\"url\":\"http://a/\",\"status\":-1}")), "400");
    assert!(site.requests().is_empty());
}

/// [serve.limits] The bytes of a head.
#[test]
fn a_head_that_is_too_long_is_refused() {
    let service = Service::new(&[]);
    let rest = service.request("/healthz").len() + "X: \r\n".len();
    for (length, code) in [(65_535, "200"), (65_536, "200"), (65_537, "431")] {
        let field = format!("X: {}\r\n\r\n", "a".repeat(length - rest));
        let request = service.request("/healthz").replace("\r\n\r\n", &format!("\r\n{field}"));
        assert_eq!(request.len(), length);
        assert_eq!(status(&service.send(&request)), code, "{length}");
    }
}

/// A site of many addresses that takes connections and says nothing.
fn silent() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// [serve.turns] Sites that do not answer delay no other, and not the end.
#[test]
fn silent_sites_delay_no_other() {
    let (site, new) = (Site::good(), Site::good());
    let mut service = Service::new(&[]);
    let (_site, port) = silent();
    let request = |host: usize| service.request(&format!("/v1/check?url=http://127.0.1.{host}:{port}/a"));
    let mut running: Vec<TcpStream> = (0..100).map(|check| service.open(&request(check / 8 + 1))).collect();
    let urls: Vec<String> = (1..=100).map(|host| format!("http://127.0.2.{host}:{port}/a")).collect();
    let many = serde_json::json!({ "urls": urls }).to_string();
    let head = format!("POST /v1/check HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", service.host, many.len());
    running.extend((0..3).map(|_| service.open(&format!("{head}{many}"))));
    thread::sleep(Duration::from_millis(500));
    for url in [site.url("/a"), site.url("/b"), new.url("/a")] {
        assert_eq!(body(&service.get(&format!("/v1/check?url={url}")))["action"], "go");
    }
    assert_eq!(body(&service.get("/v1/check?url=mailto:a@b"))["reason"], "not-a-url");
    let many = serde_json::json!({ "urls": vec![site.url("/b"); 100] }).to_string();
    let answers = body(&service.post("/v1/check", &many));
    assert!(answers["answers"].as_array().unwrap().iter().all(|answer| answer["action"] == "go"), "{answers}");
    for stream in &mut running {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        assert!(stream.read(&mut [0]).is_err(), "it still waits for the site");
    }
    let (time, code) = service.end();
    assert!(time < Duration::from_secs(9), "{time:?}");
    assert_eq!(code, Some(0));
}

/// [serve.limits] A connection takes many requests, also ones that come before an answer. One that waits delays no end.
#[test]
fn a_connection_takes_many_requests() {
    let mut service = Service::new(&[]);
    let request = service.request("/healthz");
    let mut kept = service.open(&request.repeat(3));
    for _ in 0..3 {
        assert_eq!(status(&response(&mut kept)), "200");
    }
    kept.write_all(request.as_bytes()).unwrap();
    assert_eq!(status(&response(&mut kept)), "200");
    let (time, _) = service.end();
    assert!(time < Duration::from_secs(3), "{time:?}");
}

/// [serve.limits] A head, a body and a next request that do not come end their connection in time.
#[test]
fn nothing_is_waited_for_too_long() {
    let service = Service::new(&[]);
    let (request, host) = (service.request("/healthz"), &service.host);
    let mut kept = service.open(&request);
    assert_eq!(status(&response(&mut kept)), "200");
    let head = service.open("GET /healthz HTTP/1.1\r\nHost: ");
    let body = service.open(&format!("POST /v1/done HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{{"));
    let start = Instant::now();
    thread::scope(|scope| {
        for (mut stream, last) in [(kept, ""), (head, ""), (body, "400")] {
            scope.spawn(move || {
                assert_eq!(status(&response(&mut stream)), last);
                let time = start.elapsed();
                assert!((Duration::from_secs(9)..Duration::from_secs(20)).contains(&time), "{last} {time:?}");
            });
        }
    });
}

/// [serve.limits] Connections at a time: one more is closed, and there is room for it when another ends.
#[test]
fn one_connection_too_many_is_closed() {
    let service = Service::new(&[]);
    let known = || {
        let mut stream = service.open(&service.request("/healthz"));
        assert_eq!(status(&response(&mut stream)), "200");
        stream
    };
    let mut held: Vec<TcpStream> = (0..255).map(|_| known()).collect();
    assert_eq!(status(&service.get("/healthz")), "200");
    thread::sleep(Duration::from_millis(100));
    held.push(known());
    assert_eq!(service.get("/healthz"), "");
    held.pop();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(status(&service.get("/healthz")), "200");
}

/// [serve.token] Without a token it listens on loopback only.
#[test]
fn it_listens_on_loopback_only() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8118"] {
        let refused = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args(["serve", "--agent", WHO, "--listen", address])
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("loopback only"));
    }
}

/// [cmd.serve] A page that was answered with 429 slows its host down; what is no page is refused.
#[test]
fn a_page_that_is_done_counts() {
    let site = Site::good();
    let service = Service::new(&[]);
    let url = format!("http://127.0.0.1:{}/a", site.port);
    let done = |body: &str| service.post("/v1/done", body);
    let check = || body(&service.get(&format!("/v1/check?url={url}")));
    assert_eq!(check()["wait_ms"], 0);
    for wrong in ["", "[]", "{}", "{\"url\":\"x\"}", "{\"url\":\"http://a/\",\"seconds\":-1}"] {
        assert_eq!(status(&done(wrong)), "400", "{wrong}");
    }
    let page = format!("{{\"url\":\"{url}\",\"status\":429,\"retry_after\":60}}");
    for (length, code) in [(65_535, "200"), (65_536, "200"), (65_537, "413")] {
        let padded = format!("{page}{}", " ".repeat(length - page.len()));
        assert_eq!(status(&done(&padded)), code, "{length}");
    }
    let wait = check()["wait_ms"].as_u64().unwrap();
    assert!((50_000..=60_000).contains(&wait), "{wait}");
}

/// [serve.many] Many URLs have their answers in order, with one retrieval a site; what is no list is refused.
#[test]
fn many_urls_are_checked_in_order() {
    let site = Site::good();
    let service = Service::new(&[]);
    let mut urls: Vec<String> = (0..50).map(|page| site.url(&format!("/{page}"))).collect();
    urls.splice(1..1, ["http://127.0.0.1:1/a".to_owned(), "mailto:a@b".to_owned(), site.url("/private/a")]);
    let answers = body(&service.post("/v1/check", &serde_json::json!({ "urls": urls }).to_string()));
    let answers = answers["answers"].as_array().unwrap();
    let found: Vec<&str> = answers.iter().map(|answer| answer["url"].as_str().unwrap()).collect();
    assert_eq!(found, urls);
    let reasons: Vec<&str> = answers.iter().take(5).map(|answer| answer["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["allowed", "not-asked", "not-a-url", "rule", "allowed"]);
    assert_eq!(site.requests().len(), 1);
    let many = |count: usize| serde_json::json!({ "urls": vec!["mailto:a@b"; count] }).to_string();
    assert_eq!(
        ["200", "200", "400"],
        [99, 100, 101].map(|count| status(&service.post("/v1/check", &many(count))).to_owned())[..]
    );
    for wrong in ["", "{}", "[]", "{\"urls\":[]}", "{\"urls\":[1]}", "{\"urls\":[\"http://a/\"],\"x\":1}"] {
        assert_eq!(status(&service.post("/v1/check", wrong)), "400", "{wrong}");
    }
}

/// [serve.site] What is known of a site, and of one that is not.
#[test]
fn a_site_is_shown() {
    let site = Site::good();
    let service = Service::new(&[]);
    let target = format!("/v1/site?url={}", site.url("/a"));
    assert_eq!(status(&service.get(&target)), "404");
    service.get(&format!("/v1/check?url={}", site.url("/a")));
    let shown = body(&service.get(&target));
    assert_eq!(shown["origin"], site.url(""));
    assert_eq!(shown["v"], 1);
    assert_eq!(status(&service.get("/v1/site?url=mailto:a@b")), "400");
    assert_eq!(site.requests().len(), 1);
}

/// [serve.token] With a token it listens elsewhere, by any name, and answers only who has it.
#[test]
fn a_token_is_needed() {
    let folder = std::env::temp_dir().join(format!("robosieve-token-{}", std::process::id()));
    std::fs::write(&folder, "0123456789abcdef\n").unwrap();
    let mut service = Service::new(&["--listen", "0.0.0.0:0", "--token-file", folder.to_str().unwrap()]);
    std::fs::remove_file(&folder).unwrap();
    service.host = service.host.replace("0.0.0.0", "127.0.0.1");
    assert_eq!(status(&service.get("/healthz")), "200");
    let with = |fields: &str| service.send(&format!("GET /metrics HTTP/1.1\r\nHost: a.example\r\n{fields}\r\n"));
    let refused = with("");
    assert_eq!(status(&refused), "401");
    assert!(refused.contains("www-authenticate: Bearer\r\n") && !refused.contains("0123456789abcdef"));
    assert_eq!(status(&with("Authorization: Bearer 0123456789abcdee\r\n")), "401");
    assert_eq!(status(&with("Authorization: Bearer 0123456789abcdef\r\n")), "200");
    assert_eq!(status(&with("Authorization: Bearer 0123456789abcdef\r\nOrigin: http://a.example\r\n")), "403");
}

/// [serve.strangers] Who has no token keeps no connection, and keeps nobody out who has it: the oldest goes first.
#[test]
fn strangers_keep_nobody_out() {
    let token = std::env::temp_dir().join(format!("robosieve-strangers-{}", std::process::id()));
    std::fs::write(&token, "0123456789abcdef\n").unwrap();
    let service = Service::new(&["--token-file", token.to_str().unwrap()]);
    std::fs::remove_file(&token).unwrap();
    for (path, code) in [("/metrics", "401"), ("/healthz", "200")] {
        let mut stream = service.open(&service.request(path).repeat(2));
        let first = response(&mut stream);
        assert!(status(&first) == code && first.contains("connection: close\r\n"), "{first}");
        assert_eq!(response(&mut stream), "");
    }
    let head =
        format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n", service.host);
    let mut kept = service.open(&head);
    assert_eq!(status(&response(&mut kept)), "200");
    let strangers: Vec<TcpStream> = (0..300).map(|_| service.open("GET ")).collect();
    for _ in 0..3 {
        assert_eq!(status(&service.send(&head)), "200");
        kept.write_all(head.as_bytes()).unwrap();
        assert_eq!(status(&response(&mut kept)), "200", "a connection that is known stays");
    }
    drop(strangers);
}

/// [serve.limits] A body without an end, or that is no JSON.
#[test]
fn odd_bodies_are_refused() {
    let service = Service::new(&[]);
    let head = format!("POST /v1/done HTTP/1.1\r\nHost: {}\r\n", service.host);
    let chunks = format!("8000\r\n{}\r\n", " ".repeat(0x8000)).repeat(33);
    assert_eq!(status(&service.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}"))), "413");
    assert_eq!(status(&service.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\nx\r\n"))), "400");
    let deep = "[".repeat(60_000);
    for wrong in [&*deep, "{\"url\":\"\\ud800\"}", "{\"url\":\"a\",\"url\":\"b\"}", "\0"] {
        assert_eq!(status(&service.post("/v1/done", wrong)), "400");
    }
    assert_eq!(status(&service.get("/healthz")), "200");
}

/// A hold is shown by the site; a good page lifts it, and so does `site --clear`: [gate.hold] [serve.site] [cmd.site]
#[test]
fn holds() {
    let site = Site::good();
    let page = site.url("/a");
    let (check, about) = (format!("/v1/check?url={page}"), format!("/v1/site?url={page}"));
    let done = |rest: &str| format!("{{\"url\":\"{page}\",{rest}}}");
    {
        let dir = Dir::new();
        let store = dir.path("robots.sqlite").into_os_string().into_string().unwrap();
        let (service, store) = (Service::new(&["--store", &store]), ["--store", &store]);
        for is_last in [false, true] {
            assert_eq!(body(&service.get(&check))["action"], "go");
            assert_eq!(status(&service.post("/v1/done", &done("\"status\":429,\"retry_after\":1e9"))), "200");
            assert_eq!(body(&service.get(&check))["action"], "wait");
            assert!(body(&service.get(&about))["held_until"].as_u64().is_some());
            let shown = dir.run(&[&["site", &page], &store[..]].concat()).ok();
            assert!(shown.out().contains("held until    20"), "{}", shown.out());
            if is_last {
                dir.run(&[&["site", &page, "--clear"], &store[..]].concat()).ok();
            } else {
                assert_eq!(status(&service.post("/v1/done", &done("\"status\":200,\"seconds\":0.001"))), "200");
            }
            assert_eq!(body(&service.get(&about)).get("held_until"), None);
        }
        assert_eq!(body(&service.get(&check))["action"], "go");
    }
}

/// [cmd.serve] [gate.fleet-flight] Services with one store retrieve a site once, although both are asked at the same
/// time. Those that waited for it have their slots.
#[test]
#[cfg(feature = "redis")]
fn two_services_retrieve_once() {
    let (site, redis) = (Site::good(), crate::serving::Redis::new());
    let store = redis.store();
    let services = [Service::new(&["--store", &store]), Service::new(&["--store", &store])];
    let target = format!("/v1/check?url={}", site.url("/a"));
    let asked = services.iter().flat_map(|service| (0..8).map(|_| service.open(&service.request(&target))));
    let mut asked: Vec<TcpStream> = asked.collect();
    for stream in &mut asked {
        let answer = response(stream);
        assert_eq!(status(&answer), "200");
        assert_eq!(body(&answer)["action"], "go", "{answer}");
    }
    assert_eq!(site.requests().len(), 1);
}
