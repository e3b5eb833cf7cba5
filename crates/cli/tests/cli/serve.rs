//! `serve`: the JSON of `check` over HTTP, on loopback.

use std::collections::BTreeSet;
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
        Self::writing(args, Stdio::null())
    }

    fn logged(args: &[&str]) -> Self {
        Self::writing(args, Stdio::piped())
    }

    fn writing(args: &[&str], log: Stdio) -> Self {
        let listen: &[&str] = if args.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        let own =
            ["serve", "--agent", WHO, "--allow-private", "--delay", "0", "--min-delay", "0", "--address-gap", "0"];
        Self::start(&[&own[..], listen, args].concat(), log)
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

/// [cmd.serve] [serve.metrics] [serve.health]
#[test]
fn an_answer_is_that_of_check() {
    let site = Site::good();
    let service = Service::new(&[]);
    for (path, verdict) in [("open", "allowed"), ("private/a", "denied")] {
        let url = format!("http://127.0.0.1:{}/{path}", site.port);
        let served = body(&service.get(&format!("/v1/check?url={url}")));
        assert_eq!(served["verdict"], verdict);
        let checked = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args(["check", "--json", "--agent", WHO, "--allow-private", "--address-gap", "0", "--delay", "0"])
            .args(["--min-delay", "0", &url])
            .output()
            .unwrap();
        let mut checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
        let mut served = served;
        // Only times may differ.
        for answer in [&mut checked, &mut served] {
            let fields = answer.as_object_mut().unwrap();
            fields.retain(|name, _| !matches!(name.as_str(), "at" | "wait_ms" | "until" | "message" | "attempts"));
        }
        assert_eq!(served, checked);
    }
    // Two checks of the service, and the command twice.
    assert_eq!(site.requests().len(), 3, "one retrieval for both checks");
    let health = body(&service.get("/healthz"));
    assert_eq!(health, serde_json::json!({ "v": 1, "ok": true, "crowded": 0, "store_warning": null }));
    let metrics = service.get("/metrics");
    for line in
        ["# TYPE robosieve_answers counter", "robosieve_answers{kind=\"denied\"} 1", "robosieve_answers_waits 0"]
    {
        assert!(metrics.lines().any(|found| found == line), "{metrics}");
    }
    // Sums are no kinds.
    assert!(!metrics.contains("kind=\"waits") && !metrics.contains("_ms\"}"), "{metrics}");
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
    for (method, path, allow) in [("PUT", "/v1/check", "GET, POST"), ("GET", "/v1/test", "POST")] {
        let refused = service.send(&format!("{method} {path} HTTP/1.1\r\n{own}\r\n"));
        assert_eq!(status(&refused), "405");
        assert!(refused.contains(&format!("allow: {allow}\r\n")));
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
    let done = service.post("/v1/done", "{\"url\":\"http://a/\",\"status\":-1}");
    assert!(body(&done)["error"]["message"].as_str().unwrap().contains("status has to be"), "{done}");
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

/// [serve.turns] Checks at a time, of a host and in all; and it ends although they run.
#[test]
fn one_check_too_many_is_refused_and_none_delays_the_end() {
    let (site, new) = (Site::good(), Site::good());
    let mut service = Service::new(&[]);
    let (_site, port) = silent();
    let request = |host: usize| service.request(&format!("/v1/check?url=http://127.0.1.{host}:{port}/a"));
    let mut running: Vec<TcpStream> = (0..7).map(|_| service.open(&request(1))).collect();
    thread::sleep(Duration::from_millis(500));
    running.push(service.open(&request(1)));
    thread::sleep(Duration::from_millis(500));
    // One host holds no other up.
    let refused = service.send(&request(1));
    assert_eq!(status(&refused), "503");
    assert!(refused.contains("this host") && refused.contains("retry-after: 1\r\n"));
    let good = format!("/v1/check?url={}", site.url("/a"));
    let new = format!("/v1/check?url={}", new.url("/a"));
    assert_eq!(status(&service.get(&good)), "200");
    running.extend((8..63).map(|check| service.open(&request(check / 8 + 1))));
    thread::sleep(Duration::from_millis(500));
    assert_eq!(status(&service.get(&good)), "200");
    running.push(service.open(&request(8)));
    thread::sleep(Duration::from_millis(500));
    let refused = service.get(&new);
    assert_eq!(status(&refused), "503");
    assert!(!refused.contains("this host") && refused.contains("retry-after: 1\r\n"));
    // What is known, or is no URL, needs no turn that a retrieval can hold; as often as it is asked.
    let many = serde_json::json!({ "urls": vec![site.url("/b"); 100] }).to_string();
    for _ in 0..20 {
        assert_eq!(status(&service.get(&good)), "200");
        assert_eq!(body(&service.get("/v1/check?url=mailto:a@b"))["verdict"], "unusable");
    }
    let answers = body(&service.post("/v1/check", &many));
    assert!(answers["answers"].as_array().unwrap().iter().all(|answer| answer["verdict"] == "allowed"), "{answers}");
    for stream in &mut running {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        assert!(stream.read(&mut [0]).is_err(), "it still waits for the site");
    }
    assert_eq!(status(&service.get("/healthz")), "200");
    let (time, code) = service.end();
    assert!(time < Duration::from_secs(9), "{time:?}");
    assert_eq!(code, Some(0));
}

/// [serve.limits] A connection takes many requests, also ones that come before an answer, and ends when it waits too
/// long. One that waits delays no end.
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
    let start = Instant::now();
    assert_eq!(response(&mut kept), "");
    let time = start.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(20)).contains(&time), "{time:?}");
    let mut kept = service.open(&request);
    assert_eq!(status(&response(&mut kept)), "200");
    let (time, _) = service.end();
    assert!(time < Duration::from_secs(3), "{time:?}");
}

/// [serve.limits] Connections at a time: one more waits until another ends.
#[test]
fn one_connection_too_many_waits() {
    let service = Service::new(&[]);
    let known = || {
        let mut stream = service.open(&service.request("/healthz"));
        assert_eq!(status(&response(&mut stream)), "200");
        stream
    };
    let mut held: Vec<TcpStream> = (0..255).map(|_| known()).collect();
    assert_eq!(status(&service.get("/healthz")), "200");
    held.push(known());
    let mut waits = service.open(&service.request("/healthz"));
    waits.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(waits.read(&mut [0]).is_err());
    held.pop();
    waits.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
    assert_eq!(status(&response(&mut waits)), "200");
}

/// [serve.limits] A head that does not come ends its connection.
#[test]
fn a_slow_head_is_not_waited_for() {
    let service = Service::new(&[]);
    let start = Instant::now();
    service.send("GET /healthz HTTP/1.1\r\nHost: ");
    let time = start.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(20)).contains(&time), "{time:?}");
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
    for (length, code) in [(1_048_575, "200"), (1_048_576, "200"), (1_048_577, "413")] {
        let padded = format!("{page}{}", " ".repeat(length - page.len()));
        assert_eq!(status(&done(&padded)), code, "{length}");
    }
    let wait = check()["wait_ms"].as_u64().unwrap();
    assert!((50_000..=60_000).contains(&wait), "{wait}");
}

/// [serve.done] [gate.signals] What a page says is joined with what is known of its site; of an unknown site nothing is
/// allowed, and nothing is retrieved.
#[test]
fn a_page_that_is_done_has_its_signals() {
    let site = Site::good();
    let service = Service::new(&[]);
    let done = |path: &str, words: &str| {
        let reply = service.post("/v1/done", &format!("{{\"url\":\"{}\",\"status\":200,{words}}}", site.url(path)));
        assert_eq!(status(&reply), "200", "{words}");
        body(&reply)["signals"].clone()
    };
    let headers = "\"headers\":[[\"X-Robots-Tag\",\"follow, noarchive\"],[\"Content-Type\",\"text/html\"]]";
    let unknown = done("/a", headers);
    assert_eq!((&unknown["uses"]["fetch"], &unknown["uses"]["follow"]), (&"no".into(), &"no".into()));
    assert!(site.requests().is_empty());
    service.get(&format!("/v1/check?url={}", site.url("/a")));
    let html = "\"html\":\"<meta name=robots content=noindex>\"";
    for (path, words, expected) in [
        ("/a", headers, ["yes", "unsaid", "yes", "no"]),
        ("/a", html, ["yes", "no", "unsaid", "unsaid"]),
        ("/a", "\"html_b64\":\"PG1ldGEgbmFtZT1yb2JvdHMgY29udGVudD1ub2luZGV4Pg==\"", ["yes", "no", "unsaid", "unsaid"]),
        ("/a", "\"headers\":[]", ["yes", "unsaid", "unsaid", "unsaid"]),
        ("/a", "\"tdmrep\":\"[\",\"headers\":[[\"x-robots-tag\",\"all\"]]", ["yes", "yes", "yes", "unsaid"]),
        ("/a", "\"headers\":[[\"X-Robots-Tag\",\"index\\u0000\"]]", ["yes", "unsaid", "unsaid", "unsaid"]),
        ("/private/a", headers, ["no", "no", "no", "no"]),
    ] {
        let found = done(path, words);
        let uses = ["fetch", "index", "follow", "archive"].map(|name| found["uses"][name].as_str().unwrap().to_owned());
        assert_eq!(uses, expected, "{path} {words}: {found}");
    }
    assert!(done("/a", "\"headers\":null,\"html\":null").is_null());
    assert_eq!(site.requests().len(), 1);
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
    let verdicts: Vec<&str> = answers.iter().take(5).map(|answer| answer["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["allowed", "not-asked", "unusable", "denied", "allowed"]);
    assert_eq!(site.requests().len(), 1);
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

/// [serve.files] The answers to files are those of the commands' --ndjson; a request cannot raise the limits.
#[test]
fn files_are_answered_as_by_the_commands() {
    let service = Service::new(&[]);
    let request = "{\"id\":7,\n \"robots\":\"User-agent: MyBot\\nDisallow: /a\\n\",\"agent\":\"MyBot\"}";
    let with_url = request.replace("\"id\":7", "\"id\":7,\"url\":\"/a\"");
    for (path, command, request) in [("/v1/sieve", "filter", request), ("/v1/test", "test", &*with_url)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args([command, "--ndjson"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(request.replace('\n', "").as_bytes()).unwrap();
        let line = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let served = service.post(path, request);
        assert_eq!(status(&served), "200");
        assert_eq!(served.split_once("\r\n\r\n").unwrap().1, line);
    }
    // Without an agent, the service's.
    let served = service.post("/v1/test", &with_url.replace(",\"agent\":\"MyBot\"", ""));
    assert_eq!(body(&served)["allowed"], false);
    let limited = |bytes: usize| {
        let options = format!("\"options\":{{\"limits\":{{\"max_bytes\":{bytes}}}}},\"robots\"");
        status(&service.post("/v1/sieve", &request.replace("\"robots\"", &options))).to_owned()
    };
    assert_eq!(["200", "200", "400"], [1_048_575, 1_048_576, 1_048_577].map(limited)[..]);
    for dialect in robosieve::settings::Dialect::NAMES {
        let options = format!("\"options\":{{\"dialect\":\"{dialect}\"}},\"robots\"");
        let answered = service.post("/v1/test", &with_url.replace("\"robots\"", &options));
        assert_eq!((status(&answered), &body(&answered)["allowed"]), ("200", &false.into()), "{dialect}");
        let raised = options.replace('}', ",\"limits\":{\"max_bytes\":1048577}}");
        assert_eq!(status(&service.post("/v1/test", &with_url.replace("\"robots\"", &raised))), "400", "{dialect}");
    }
    let urls = |count: usize| {
        let urls = serde_json::json!({ "robots": "", "urls": vec!["/a"; count] });
        status(&service.post("/v1/test", &urls.to_string())).to_owned()
    };
    assert_eq!(["200", "200", "400"], [999, 1_000, 1_001].map(urls)[..]);
    let long = |length: usize| {
        let body = format!("{request}{}", " ".repeat(length - request.len()));
        status(&service.post("/v1/sieve", &body)).to_owned()
    };
    assert_eq!(["200", "200", "413"], [1_048_575, 1_048_576, 1_048_577].map(long)[..]);
    for wrong in ["", "[]", "{}", "{\"robots\":1}"] {
        let refused = service.post("/v1/test", wrong);
        assert_eq!(status(&refused), "400", "{wrong}");
        assert!(body(&refused)["error"]["kind"].is_string());
    }
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

/// [serve.strangers] Who has no token keeps no connection, and keeps nobody out who has it.
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
    // N-1, N and N+1 that send no head.
    for strangers in [63, 64, 65] {
        let waiting: Vec<TcpStream> = (0..strangers).map(|_| service.open("GET ")).collect();
        thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        assert_eq!(status(&service.send(&head)), "200");
        assert!(start.elapsed() < Duration::from_secs(4), "{strangers}: {:?}", start.elapsed());
        kept.write_all(head.as_bytes()).unwrap();
        assert_eq!(status(&response(&mut kept)), "200", "a connection that is known stays");
        drop(waiting);
    }
}

/// [serve.log] Each line is an object; no query is in one.
#[test]
fn requests_are_logged_as_json() {
    let mut service = Service::logged(&["--quiet", "--log", "debug", "--log-json"]);
    service.get("/healthz?url=http://a:secret@b/");
    service.end();
    let mut lines = String::new();
    service.child.stderr.take().unwrap().read_to_string(&mut lines).unwrap();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let request = events.iter().find(|event| event["message"] == "request").unwrap();
    assert_eq!((&request["path"], &request["status"]), (&Value::from("/healthz"), &Value::from(200)));
    assert!(!lines.contains("secret"));
}

/// All references of a document.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// [serve.openapi] The document needs no other file, and has each path.
#[test]
fn the_document_is_whole() {
    let service = Service::new(&[]);
    let document = body(&service.get("/openapi.json"));
    let references = references(&document);
    assert!(references.len() > 50);
    for reference in references {
        assert!(document.pointer(reference.strip_prefix('#').unwrap()).is_some(), "{reference}");
    }
    let paths = body(&service.get("/"))["error"]["do"].as_str().unwrap().replace("ask for ", "").replace(" or ", ", ");
    let paths: BTreeSet<&str> = paths.split(", ").collect();
    assert_eq!(paths, document["paths"].as_object().unwrap().keys().map(String::as_str).collect());
}

/// [serve.many] A list of sites that do not answer leaves turns for others.
#[test]
fn a_list_does_not_take_all_turns() {
    let (site, service) = (Site::good(), Service::new(&[]));
    let (_silent, port) = silent();
    let urls: Vec<String> = (1..=100).map(|host| format!("http://127.0.1.{host}:{port}/a")).collect();
    let body = serde_json::json!({ "urls": urls }).to_string();
    let (host, length) = (&service.host, body.len());
    let request = format!("POST /v1/check HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}");
    let _lists: Vec<TcpStream> = (0..3).map(|_| service.open(&request)).collect();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(status(&service.get(&format!("/v1/check?url={}", site.url("/a")))), "200");
}

/// [serve.limits] A body that does not come, or comes without an end or as no UTF-8, ends in time.
#[test]
fn odd_bodies_are_refused() {
    let service = Service::new(&[]);
    let head = format!("POST /v1/done HTTP/1.1\r\nHost: {}\r\n", service.host);
    let start = Instant::now();
    assert_eq!(status(&service.send(&format!("{head}Content-Length: 9\r\n\r\n{{"))), "408");
    let time = start.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(20)).contains(&time), "{time:?}");
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
    let (page, host) = (site.url("/a"), format!("127.0.0.1:{}", site.port));
    let (check, about) = (format!("/v1/check?url={page}"), format!("/v1/site?url={page}"));
    let done = |rest: &str| format!("{{\"url\":\"{page}\",{rest}}}");
    for clear in [&["site", &host, "--clear"][..], &["site", "--clear-all"]] {
        let dir = Dir::new();
        let store = dir.path("robots.sqlite").into_os_string().into_string().unwrap();
        let (service, store) = (Service::new(&["--store", &store]), ["--store", &store]);
        for is_last in [false, true] {
            assert_eq!(body(&service.get(&check))["verdict"], "allowed");
            assert_eq!(status(&service.post("/v1/done", &done("\"status\":429,\"retry_after\":1e9"))), "200");
            assert_eq!(body(&service.get(&check))["verdict"], "not-now");
            assert!(body(&service.get(&about))["held_until"].as_u64().is_some());
            let shown = dir.run(&[&["site", &host], &store[..]].concat()).ok();
            assert!(shown.out().contains("held until    20"), "{}", shown.out());
            if is_last {
                dir.run(&[clear, &store].concat()).ok();
            } else {
                assert_eq!(status(&service.post("/v1/done", &done("\"status\":200,\"seconds\":0.001"))), "200");
            }
            assert_eq!(body(&service.get(&about)).get("held_until"), None);
        }
        assert_eq!(body(&service.get(&check))["verdict"], "allowed");
    }
}

/// A Redis server on a socket, until it is dropped.
#[cfg(feature = "redis")]
struct Redis {
    child: std::process::Child,
    folder: std::path::PathBuf,
}

#[cfg(feature = "redis")]
impl Redis {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("robosieve-redis-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--unixsocket"]).arg(folder.join("socket"));
        command.arg("--dir").arg(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("Debian's package redis-server is needed");
        let until = Instant::now() + Duration::from_secs(10);
        while !folder.join("socket").exists() {
            assert!(Instant::now() < until);
            thread::sleep(Duration::from_millis(10));
        }
        // A server that lost its memory gives no slot at once, and this one looks like that.
        thread::sleep(Duration::from_millis(2_200));
        Self { child, folder }
    }
}

#[cfg(feature = "redis")]
impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// [cmd.serve] [gate.fleet-flight] Services with one store retrieve a site once, although both are asked at the same
/// time. Those that waited for it have their slots.
#[test]
#[cfg(feature = "redis")]
fn two_services_retrieve_once() {
    let (site, redis) = (Site::good(), Redis::new());
    let store = format!("unix://{}", redis.folder.join("socket").display());
    let services = [Service::new(&["--store", &store]), Service::new(&["--store", &store])];
    let target = format!("/v1/check?url={}", site.url("/a"));
    let asked = services.iter().flat_map(|service| (0..8).map(|_| service.open(&service.request(&target))));
    let mut asked: Vec<TcpStream> = asked.collect();
    for stream in &mut asked {
        let answer = response(stream);
        assert_eq!(status(&answer), "200");
        assert_eq!(body(&answer)["verdict"], "allowed", "{answer}");
    }
    assert_eq!(site.requests().len(), 1);
}
