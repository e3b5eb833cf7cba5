//! `check` and `site` against servers on loopback: answers, why a site could not be learnt of, and trouble on our side.

use std::process::Command;

use crate::common::Dir;
use crate::serving::{Site, WHO, answer};

const ALLOW: &str = "--allow-private";

/// One line for each URL, and one exit code for all: [cmd.check] [cmd.exit] [cmd.empty] [cmd.agent]
/// [cmd.url-in-place]
#[test]
fn verdicts_and_exit_codes() {
    let (dir, site) = (Dir::new(), Site::good());
    let (page, private) = (site.url("/page"), site.url("/private/x"));
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0", &page]).ok();
    assert_eq!(ran.out(), format!("allowed\t{page}\tnow\n"));
    assert!(ran.err().contains(&format!("User-Agent {WHO} (rules for MyBot)")), "{}", ran.err());
    assert!(site.requests()[0].contains(&format!("{WHO}\r\n")));
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, "--delay", "60", &private, &page, &page]).code(1);
    let lines: Vec<&str> = ran.out().lines().collect();
    assert_eq!(lines[0], format!("denied\t{private}\tline 2: Disallow: /private"));
    // After the request for robots.txt.
    let wait = lines[1].strip_prefix(&format!("allowed\t{page}\tin ")).unwrap();
    assert!((wait.starts_with("60 s, at 20") || wait.starts_with('5')) && wait.ends_with('Z'), "{wait}");
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, "--json", &private, "ftp://x/"]).code(3);
    let json = ran.json();
    let found = ["action", "reason", "rule", "line", "target"].map(|field| json[0][field].clone());
    let denied = serde_json::json!(["no", "rule", "Disallow: /private", 2, private]);
    assert_eq!(serde_json::Value::from(found.to_vec()), denied);
    assert_eq!((&json[1]["action"], &json[1]["reason"]), (&"no".into(), &"not-a-url".into()));
    let ran =
        dir.run_with(&["check", ALLOW, "-q", "--agent", WHO, "-"], format!("{page}\n\n{private}\n").as_bytes()).code(1);
    assert_eq!((ran.out(), ran.err()), ("", ""));
    for stdin in [&b""[..], b" \n\n"] {
        dir.run_with(&["check", ALLOW, "-q", "--agent", WHO, "-"], stdin).fails(2, &["has no URL"]);
    }
    dir.run(&["check", ALLOW, "--agent", "", &page]).fails(2, &["is empty"]);
    // A host alone is a site, asked by https; this one has none.
    let host = page.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/page")).unwrap();
    let ran = dir.run(&["check", ALLOW, "--timeout", "2", "--agent", WHO, host]).code(3);
    assert!(ran.out().starts_with(&format!("closed\thttps://{host}/\t")), "{}", ran.out());
    dir.run(&["check", ALLOW, "--agent", "OtherBot", "--user-agent", WHO, &page]).code(1);
}

/// Many URLs at once: each has its answer, also if the sites of others fail: [cmd.check]
#[test]
fn many_urls_at_once() {
    let (dir, site) = (Dir::new(), Site::good());
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let slow = format!("http://{}/a", silent.local_addr().unwrap());
    let mut urls: Vec<String> = (0..20).map(|page| site.url(&format!("/{page}"))).collect();
    urls.insert(0, slow.clone());
    urls.insert(3, "mailto:a@b".to_owned());
    let args = ["check", ALLOW, "--agent", WHO, "--jobs", "4", "--timeout", "3", "--json", "-"];
    let lines = dir.run_with(&args, urls.join("\n").as_bytes()).code(3).json();
    let mut found: Vec<&str> = lines.iter().map(|line| line["url"].as_str().unwrap()).collect();
    assert_eq!(found.last(), Some(&&*slow), "what is known is not held up");
    found.sort_unstable();
    urls.sort_unstable();
    assert_eq!(found, urls);
    let mut waits: Vec<u64> =
        lines.iter().filter(|line| line["action"] == "go").map(|line| line["wait_ms"].as_u64().unwrap()).collect();
    waits.sort_unstable();
    assert!(waits.len() == 20 && waits.windows(2).all(|pair| pair[1] - pair[0] > 500), "{waits:?}");
    assert_eq!(site.requests().len(), 1);
}

/// The gate's tests have each class under each policy. A missing file allows. A file that cannot be retrieved gives exit code 3, and a closed site 1, by the policy:
/// [cmd.check] [cmd.policy]
#[test]
fn policies() {
    let dir = Dir::new();
    for (status, policy, code) in
        [(404, "rfc9309", 0), (403, "rfc9309", 0), (403, "strict", 3), (407, "rfc9309", 3), (407, "google", 0)]
    {
        let site = Site::new(answer(status, "", ""));
        let ran = dir.run(&["check", ALLOW, "--timeout", "1", "--agent", WHO, "--policy", policy, &site.url("/")]);
        assert_eq!(ran.code, Some(code), "{status} {policy}: {}", ran.out());
    }
    let site = Site::new(answer(403, "", ""));
    dir.run(&["check", ALLOW, "--agent", WHO, "--policy", "polite", &site.url("/")]).fails(2, &["rfc9309, google"]);
    dir.run(&["check", "--min-delay", "9", "--max-delay", "1", "--agent", WHO, &site.url("/")])
        .fails(2, &["--min-delay"]);
}

/// A site that asks for a longer delay than the longest one: its line says so: [cmd.check]
#[test]
fn longer_delays_than_the_longest() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nCrawl-delay: 600\n")));
    let args = ["check", ALLOW, "--agent", WHO, &site.url("/")];
    assert!(dir.run(&args).ok().out().contains("(the site asks for 600 s between two requests)"));
    assert_eq!(dir.run(&[&args[..], &["--json"]].concat()).ok().one_json()["asks_ms"], 600_000);
}

/// A refused internal address is reported with what to do: [cmd.network]
#[test]
fn refused_addresses_are_reported() {
    let (dir, site) = (Dir::new(), Site::good());
    let ran = dir.run(&["check", "--agent", WHO, &site.url("/"), "http://127.0.0.2/"]).code(2);
    for (line, address) in ran.out().lines().zip(["127.0.0.1", "127.0.0.2"]) {
        let said = format!("refused: {address} is a loopback address; --allow-private or --allow-net allows it");
        assert!(line.contains(&said), "{line}");
    }
    let ran = dir.run(&["check", "-q", "--agent", WHO, &site.url("/")]).code(2);
    assert_eq!((ran.err(), site.requests().len()), ("", 0));
    // No policy opens it, nothing is stored, and the flag counts at once.
    for policy in ["rfc9309", "google", "strict"] {
        let store = format!("{policy}.db");
        for page in ["/", "/robots.txt"] {
            let args = ["check", "--json", "--agent", WHO, "--policy", policy, "--store", &store];
            let ran = dir.run(&[&args[..], &[&site.url(page)]].concat()).code(2);
            assert!(ran.out().contains("\"reason\":\"not-asked\""), "{policy} {page}: {}", ran.out());
        }
        let args = ["check", "-q", ALLOW, "--agent", WHO, "--policy", policy, "--store", &store, &site.url("/")];
        dir.run(&args).ok();
    }
}

/// Without a contact in the user agent, nothing is requested: [cmd.identity]
#[test]
fn an_identity_has_a_contact() {
    let (dir, site) = (Dir::new(), Site::good());
    let url = site.url("/");
    dir.run(&["check", ALLOW, &url]).fails(2, &["name your crawler", "MyBot/1.0 (+https://example.com/bot)"]);
    dir.run(&["check", ALLOW, "--agent", WHO, "--user-agent", "MyBot/1.0", &url])
        .fails(2, &["--user-agent", "find out about the crawler"]);
    dir.run(&["check", ALLOW, "--agent", "\u{1b}[2J (+https://e.com)", &url]).fails(2, &["identity"]);
    assert!(site.requests().is_empty());
}

/// A stored site is not requested again, is shown by `site`, and can be removed: [cmd.site] [cmd.check]
#[test]
fn a_store_remembers() {
    let (dir, site) = (Dir::new(), Site::good());
    let (page, store) = (site.url("/private/x"), ["--store", "robots.sqlite"]);
    for _ in 0..2 {
        dir.run(&["check", ALLOW, "--agent", WHO, &page, store[0], store[1]]).code(1);
    }
    assert_eq!(site.requests().len(), 1);
    let ran = dir.run(&["site", &page, store[0], store[1]]).ok();
    for words in [
        "standing      fresh",
        "the file (status 200)",
        "failures      0 in a row",
        "next attempt  20",
        "    Disallow: /private",
    ] {
        assert!(ran.out().contains(words), "no {words:?} in {}", ran.out());
    }
    let json = dir.run(&["site", "--json", &page, store[0], store[1]]).ok().one_json();
    assert_eq!((&json["standing"], &json["failures"], &json["status"]), (&"fresh".into(), &0.into(), &200.into()));
    dir.run(&["site", &page, store[0], store[1], "--clear"]).ok();
    dir.run(&["site", &page, store[0], store[1], "--clear"]).code(1);
    dir.run(&["site", &page, store[0], store[1]]).code(1);
    site.says(answer(503, "", ""));
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, &page, store[0], store[1]]).code(3);
    assert!(ran.out().starts_with("closed\t") && ran.out().contains("try again at 20"), "{}", ran.out());
    assert!(dir.run(&["site", &page, store[0], store[1]]).ok().out().contains("closed-meanwhile"));
}

/// A store in a server is used and shown as one in a file: [cmd.site] [cmd.check] [gate.store-names]
#[test]
#[cfg(feature = "redis")]
fn a_store_in_a_server() {
    let (dir, site) = (Dir::new(), Site::good());
    let redis = crate::serving::Redis::new();
    let store = format!("{}?prefix=a", redis.store());
    let run = |args: &[&str]| dir.run(&[args, &["--store", &store]].concat());
    let check = ["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0", &site.url("/private/x")];
    run(&check).code(1);
    run(&check).code(1);
    assert_eq!(site.requests().len(), 1);
    let page = site.url("/");
    assert!(run(&["site", &page]).ok().out().contains("standing      fresh"));
    run(&["site", &page, "--clear"]).ok();
    run(&["site", &page]).code(1);
    drop(redis);
    run(&["site", &page]).fails(2, &["unix://"]);
    dir.run(&["site", &page, "--store", "ftp://a.test/"]).fails(2, &["no stores by ftp://"]);
}

/// Files that are not stores, or of a later version, are named and not changed. A missing one is not created:
/// [cmd.site]
#[test]
fn other_files_are_not_changed() {
    let (dir, site) = (Dir::with("User-agent: *\n"), Site::good());
    for command in [&["site", "e.com"][..], &["check", ALLOW, "--agent", WHO, "http://127.0.0.1/"]] {
        let args = [command, &["--store", "robots.txt"]].concat();
        dir.run_with(&args, b"").fails(2, &["robots.txt", "not a store", "use another file"]);
    }
    dir.run(&["site", "e.com", "--store", "none.sqlite"]).fails(2, &["none.sqlite", "robosieve check --store"]);
    assert_eq!((dir.read("robots.txt").as_str(), dir.names().len()), ("User-agent: *\n", 1));
    dir.run(&["check", ALLOW, "--agent", WHO, &site.url("/"), "--store", "s.sqlite"]).ok();
    let mut bytes = std::fs::read(dir.path("s.sqlite")).unwrap();
    // `user_version` in the header of the file.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    dir.write("s.sqlite", &bytes);
    dir.run(&["site", "e.com", "--store", "s.sqlite"])
        .fails(2, &["s.sqlite", "newer robosieve", "update this program"]);
}

/// A product token alone sends the program's own header, as for `fetch`; no advice names another crawler: [cmd.agent]
#[test]
fn a_product_token_is_enough() {
    let (dir, site) = (Dir::new(), Site::good());
    dir.run(&["check", ALLOW, "--agent", "MyBot", &site.url("/private/x")]).code(1);
    assert!(site.requests()[0].to_ascii_lowercase().contains("user-agent: robosieve/"), "{:?}", site.requests());
}

fn check<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0"], more].concat()
}

/// The reason of a failure is shown by each command and in its JSON: [gate.reasons] [cmd.check] [cmd.site]
#[test]
fn reasons_of_failures() {
    let (dir, site) = (Dir::new(), Site::new(answer(503, "", "")));
    let page = site.url("/page");
    let ran = dir.run(&check(&["--store", "s", &page])).code(3);
    assert!(ran.out().contains("(status 503)"), "{}", ran.out());
    let line = dir.run(&check(&["--store", "s", "--json", &page])).code(3).one_json();
    assert_eq!((&line["error"], &line["failures"]), (&"status 503".into(), &1.into()));
    let shown = dir.run(&["site", "--store", "s", &page]).ok();
    assert_eq!(shown.out().lines().filter(|line| *line == "    status 503").count(), 1, "{}", shown.out());
    let json = dir.run(&["site", "--store", "s", &page, "--json"]).ok().one_json();
    assert_eq!((&json["error"], &json["status"]), (&"status 503".into(), &503.into()));
}

/// An answer that counts as none, although its status is below 500, is named with its reason, and not as the server's
/// error: [gate.reasons] [retrieve.redirect] [retrieve.not-modified] [cmd.fetch] [cmd.check] [cmd.site]
#[test]
fn answers_that_do_not_count_are_named() {
    for (bytes, status, why) in [
        (answer(302, "Location: /\u{e9}\r\n", ""), 302, "its Location has a byte outside ASCII"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(), 304, "nobody asked whether anything changed"),
    ] {
        let (dir, site) = (Dir::new(), Site::new(bytes));
        let page = site.url("/page");
        let text = format!("status {status}, which is no answer: {why}");
        let ran = dir.run(&["fetch", ALLOW, "--timeout", "2", &page]).code(3);
        let head = format!("unreachable (status {status}, an answer that does not count)");
        assert!(ran.err().contains(&head) && ran.err().contains(&text), "{}", ran.err());
        let ran = dir.run(&check(&["--timeout", "2", "--store", "s", &page])).code(3);
        assert!(ran.out().starts_with("closed\t") && ran.out().contains(&text), "{}", ran.out());
        let line = dir.run(&check(&["--store", "s", "--json", &page])).code(3).one_json();
        assert_eq!(line["error"].as_str(), Some(&*text));
        let shown = dir.run(&["site", "--store", "s", &page]).ok();
        assert!(shown.out().contains(&text) && !shown.out().contains("server error"), "{}", shown.out());
    }
}

/// A port of another protocol needs a flag, and is refused under each policy: [retrieve.ports] [gate.own-trouble]
#[test]
fn ports_need_a_flag() {
    let dir = Dir::new();
    for policy in ["rfc9309", "google"] {
        let ran = dir.run(&check(&["--policy", policy, "--store", "s", "http://127.0.0.1:25/"])).code(2);
        assert!(ran.out().starts_with("not-asked\t") && ran.out().contains("port 25"), "{}", ran.out());
        dir.run(&["site", "--store", "s", "http://127.0.0.1:25/"]).code(1);
    }
    let ran = dir.run(&check(&["--policy", "strict", "--allow-port", "1", "--timeout", "1", "http://127.0.0.1:1/"]));
    assert!(ran.out().starts_with("not-now\t"), "the port was asked: {}", ran.out());
}

/// What `check` prints with so many file descriptors.
#[cfg(unix)]
fn with_descriptors(descriptors: u32, args: &str) -> String {
    let program = env!("CARGO_BIN_EXE_robosieve");
    let check = format!("check {ALLOW} --timeout 1 --policy google --agent '{WHO}' {args}");
    let ran = Command::new("sh").args(["-c", &format!("ulimit -n {descriptors}; exec {program} {check}")]).output();
    String::from_utf8(ran.unwrap().stdout).unwrap()
}

/// Without a file descriptor the system says that there is no such name. That is no denial: [retrieve.own-trouble]
#[test]
#[cfg(unix)]
fn no_descriptors_for_a_name() {
    let mut not_asked = 0;
    for descriptors in 4..16 {
        // The name is in the hosts file.
        let out = with_descriptors(descriptors, "http://localhost:9999/");
        assert!(!out.contains("not known"), "{descriptors}: {out}");
        not_asked += usize::from(out.starts_with("not-asked"));
    }
    assert!(not_asked > 0);
}

/// Without a file descriptor no site is asked, stored or opened: [retrieve.own-trouble] [gate.own-trouble]
#[test]
#[cfg(unix)]
fn no_descriptors() {
    let (dir, site) = (Dir::new(), Site::good());
    let page = site.url("/private");
    let mut seen = Vec::new();
    for descriptors in 4..24 {
        let store = dir.path(&format!("s{descriptors}"));
        let out = with_descriptors(descriptors, &format!("--store {} {page}", store.display()));
        assert!(!out.starts_with("allowed"), "{descriptors}: {out}");
        seen.push(out.split('\t').next().unwrap_or_default().to_owned());
        if out.starts_with("not-asked") && store.exists() {
            let name = store.file_name().unwrap().to_str().unwrap();
            dir.run(&["site", "--store", name, &page]).code(1);
        }
    }
    assert!(seen.iter().any(|verdict| verdict == "not-asked"), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "denied", "{seen:?}");
}
