//! `check` and `site` against servers on loopback.

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
    assert_eq!(
        (&json[0]["verdict"], &json[0]["rule"], &json[0]["line"]),
        (&"denied".into(), &"Disallow: /private".into(), &2.into())
    );
    assert_eq!((&json[1]["verdict"], &json[1]["why"]), (&"unusable".into(), &"url".into()));
    let ran =
        dir.run_with(&["check", ALLOW, "-q", "--agent", WHO, "-"], format!("{page}\n\n{private}\n").as_bytes()).code(1);
    assert_eq!((ran.out(), ran.err()), ("", ""));
    for stdin in [&b""[..], b" \n\n"] {
        dir.run_with(&["check", ALLOW, "-q", "--agent", WHO, "-"], stdin).fails(2, &["has no URL"]);
    }
    dir.run(&["check", ALLOW, "--agent", "", &page]).fails(2, &["is empty"]);
    // A host alone is a site, asked by https; this one has none.
    let host = page.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/page")).unwrap();
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, host]).code(3);
    assert!(ran.out().starts_with(&format!("closed\thttps://{host}/\t")), "{}", ran.out());
    dir.run(&["check", ALLOW, "--agent", "OtherBot", "--user-agent", WHO, &page]).code(1);
}

/// The kind of a file is reported once for each site, is in each answer, also from a store, and can be refused:
/// [cmd.check] [cmd.crawl-check] [cmd.suspect] [cmd.fail-on]
#[test]
fn suspects_are_named_and_refused() {
    let dir = Dir::new();
    let site = Site::new(answer(200, "Content-Type: text/html\r\n", "<html>\nUser-agent: *\nDisalow: /private\n"));
    let (a, b, private) = (site.url("/a"), site.url("/b"), site.url("/private/x"));
    let args = ["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0", "--store", "s.sqlite"];
    let urls = [&*a, &b, &private];
    // The second time it comes from the store.
    for _ in 0..2 {
        let ran = dir.run(&[&args[..], &urls].concat()).code(1);
        assert_eq!(ran.err().matches("looks like html, not like a robots.txt").count(), 1, "{}", ran.err());
        let json = dir.run(&[&args[..], &["--json"], &urls].concat()).code(1).json();
        for line in &json {
            assert_eq!((&line["input"]["kind"], &line["exact"]), (&"html".into(), &true.into()), "{line}");
            assert!(line["suspects"].as_u64().unwrap() > 0, "{line}");
        }
        assert_eq!(dir.run(&[&args[..], &["-q"], &urls].concat()).code(1).err(), "");
        for (what, code) in [("suspect", 3), ("repair", 3), ("loss", 1), ("loss,repair", 3)] {
            let ran = dir.run(&[&args[..], &["--fail-on", what], &urls].concat()).code(code);
            assert_eq!(ran.out().matches("refused\t").count(), if code == 3 { 3 } else { 0 }, "{}", ran.out());
        }
        let crawl = [&["crawl-check"], &args[1..], &["--fail-on", "suspect", "--urls"]].concat();
        let ran = dir.run_with(&crawl, urls.join("\n").as_bytes()).code(3);
        assert_eq!((ran.out(), ran.err().contains("3 URLs checked: 3 refused")), ("", true), "{}", ran.err());
    }
    assert_eq!(site.requests().len(), 1);
    let good = Site::good();
    let json = dir.run(&["check", ALLOW, "--agent", WHO, "--json", "--fail-on", "suspect,loss", &good.url("/")]).ok();
    assert!(!json.err().contains("the file"), "{}", json.err());
    assert_eq!(json.one_json()["input"]["kind"], "text");
    let none = Site::new(answer(404, "", ""));
    let json = dir.run(&["check", ALLOW, "--agent", WHO, "--json", "--fail-on", "suspect", &none.url("/")]).ok();
    assert_eq!(json.one_json()["input"], serde_json::Value::Null);
}

/// At most 20 sites are reported: [cmd.suspect]
#[test]
fn a_bounded_number_of_suspects_is_reported() {
    let dir = Dir::new();
    let sites: Vec<Site> = (0..22).map(|_| Site::new(answer(200, "", "<html>"))).collect();
    let urls: Vec<String> = sites.iter().flat_map(|site| [site.url("/a"), site.url("/b")]).collect();
    for (count, told) in [(19, 19), (20, 20), (21, 21), (22, 21)] {
        let args = ["crawl-check", ALLOW, "--agent", WHO, "--store", "s.sqlite", "--delay", "0", "--min-delay", "0"];
        let ran = dir.run_with(&args, urls[..2 * count].join("\n").as_bytes()).ok();
        assert_eq!(ran.err().lines().count() - 2, told, "{}", ran.err());
        assert_eq!(ran.err().contains("and more sites"), count > 20, "{}", ran.err());
    }
}

/// A missing file allows. A file that cannot be retrieved gives exit code 3, and a closed site 1, by the policy:
/// [cmd.check] [cmd.policy]
#[test]
fn policies() {
    let dir = Dir::new();
    for (status, policy, code) in [
        (404, "rfc9309", 0),
        (403, "rfc9309", 0),
        (403, "processor", 1),
        (403, "strict", 3),
        (503, "rfc9309", 3),
        (503, "permissive", 0),
        (429, "google", 3),
        (429, "rfc9309", 3),
        (429, "processor", 0),
        (202, "rfc9309", 3),
        (407, "rfc9309", 3),
        (407, "google", 0),
    ] {
        let site = Site::new(answer(status, "", ""));
        let ran = dir.run(&["check", ALLOW, "--timeout", "1", "--agent", WHO, "--policy", policy, &site.url("/")]);
        assert_eq!(ran.code, Some(code), "{status} {policy}: {}", ran.out());
    }
    let site = Site::new(answer(403, "", ""));
    dir.run(&["check", ALLOW, "--agent", WHO, "--policy-set", "forbidden=deny", &site.url("/")]).code(1);
    dir.run(&["check", ALLOW, "--agent", WHO, "--policy-set", "forbidden=perhaps", &site.url("/")])
        .fails(2, &["not-now"]);
    dir.run(&["check", ALLOW, "--agent", WHO, "--policy", "polite", &site.url("/")]).fails(2, &["rfc9309, google"]);
    dir.run(&["check", "--min-delay", "9", "--max-delay", "1", "--agent", WHO, &site.url("/")])
        .fails(2, &["--min-delay"]);
}

/// A site that asks for a longer delay than the longest one: each line says so, by what was chosen: [cmd.check]
#[test]
fn longer_delays_than_the_longest() {
    let (dir, site) = (Dir::new(), Site::new(answer(200, "", "User-agent: *\nCrawl-delay: 600\n")));
    let url = site.url("/");
    for (what, code, why, words) in [
        ("shorten", 0, None, "(the site asks for 600 s between two)"),
        ("skip", 3, Some("crawl-delay"), "asks for 600 s between two requests, over the limit; try again at "),
        ("hand-over", 3, Some("crawl-delay"), "asks for 600 s between two requests, over the limit; try again at "),
    ] {
        let args = ["check", ALLOW, "--agent", WHO, "--over-max-delay", what, &url];
        assert!(dir.run(&args).code(code).out().contains(words), "{what}");
        let line = &dir.run(&[&args[..], &["--json"]].concat()).code(code).json()[0];
        assert_eq!((&line["asks_ms"], line["why"].as_str()), (&600_000.into(), why), "{line}");
    }
    assert!(
        dir.run(&["check", ALLOW, "--agent", WHO, &url]).ok().out().contains("(the site asks for 600 s between two)")
    );
    dir.run(&["check", "--over-max-delay", "wait", "--agent", WHO, &url]).fails(2, &["shorten, skip or hand-over"]);
}

/// A refused internal address is reported once, with what to do: [cmd.network]
#[test]
fn refused_addresses_are_reported() {
    let (dir, site) = (Dir::new(), Site::good());
    let ran = dir.run(&["check", "--agent", WHO, &site.url("/"), "http://127.0.0.2/"]).code(2);
    assert_eq!(
        ran.err().matches("refused: 127.0.0.1 is a loopback address; --allow-private").count(),
        1,
        "{}",
        ran.err()
    );
    let ran = dir.run(&["check", "-q", "--agent", WHO, &site.url("/")]).code(2);
    assert_eq!((ran.err(), site.requests().len()), ("", 0));
    // No policy opens it, nothing is stored, and the flag counts at once.
    for policy in ["rfc9309", "google", "strict", "processor", "permissive"] {
        let store = format!("{policy}.db");
        for page in ["/", "/robots.txt"] {
            let args = ["check", "--json", "--agent", WHO, "--policy", policy, "--store", &store];
            let ran = dir.run(&[&args[..], &["--policy-open-after-outage", &site.url(page)]].concat()).code(2);
            assert!(ran.out().contains("\"verdict\":\"not-asked\""), "{policy} {page}: {}", ran.out());
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
    dir.run_with(&["crawl-check", ALLOW, "--agent", "MyBot"], b"").fails(2, &["find out about the crawler"]);
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
    let ran = dir.run(&["site", store[0], store[1]]).ok();
    assert!(ran.out().starts_with(&format!("{}\tmybot\tfresh\t0 failures\tlast 20", site.url(""))), "{}", ran.out());
    let ran = dir.run(&["site", "127.0.0.1", store[0], store[1]]).ok();
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
    let host = format!("127.0.0.1:{}", site.port);
    dir.run(&["site", &host, store[0], store[1], "--clear"]).ok();
    dir.run(&["site", &host, store[0], store[1], "--clear"]).code(1);
    dir.run(&["site", &host, store[0], store[1]]).code(1);
    site.says(answer(503, "", ""));
    let ran = dir.run(&["check", ALLOW, "--agent", WHO, &page, store[0], store[1]]).code(3);
    assert!(ran.out().starts_with("closed\t") && ran.out().contains("try again at 20"), "{}", ran.out());
    assert!(dir.run(&["site", &host, store[0], store[1]]).ok().out().contains("closed-meanwhile"));
    dir.run(&["site", store[0], store[1], "--clear-all"]).ok();
    assert_eq!(dir.run(&["site", store[0], store[1]]).ok().out(), "");
}

/// A store in a server is used and shown as one in a file: [cmd.site] [cmd.check] [gate.store-names]
#[test]
#[cfg(feature = "redis")]
fn a_store_in_a_server() {
    let (dir, site) = (Dir::new(), Site::good());
    let socket = dir.path("socket");
    let mut server = std::process::Command::new("redis-server");
    server.args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"]).arg(&socket);
    server.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut server = server.spawn().expect("Debian's package redis-server is needed");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    // The file is there before the server listens.
    while std::os::unix::net::UnixStream::connect(&socket).is_err() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let store = format!("unix://{}?prefix=a", socket.display());
    let run = |args: &[&str]| dir.run(&[args, &["--store", &store]].concat());
    let check = ["check", ALLOW, "--agent", WHO, "--delay", "0", "--min-delay", "0", &site.url("/private/x")];
    run(&check).code(1);
    run(&check).code(1);
    assert_eq!(site.requests().len(), 1);
    assert!(run(&["site"]).ok().out().starts_with(&format!("{}\tmybot\tfresh\t0 failures\t", site.url(""))));
    run(&["site", "--forget-older-than", "1"]).ok();
    assert_eq!(run(&["site"]).ok().out().lines().count(), 1);
    // One that deletes keys is used, and named: [gate.redis-eviction]
    let set = |policy: &str| {
        let mut admin = std::process::Command::new("redis-cli");
        admin.arg("-s").arg(&socket).args(["CONFIG", "SET", "maxmemory-policy", policy]);
        assert!(admin.output().unwrap().status.success());
    };
    set("allkeys-lru");
    assert!(run(&check).code(1).err().contains("maxmemory-policy allkeys-lru"));
    set("noeviction");
    assert!(!run(&check).code(1).err().contains("maxmemory-policy"));
    run(&["site", "--clear-all"]).ok();
    assert_eq!(run(&["site"]).ok().out(), "");
    server.kill().unwrap();
    server.wait().unwrap();
    run(&["site"]).fails(2, &["unix://"]);
    dir.run(&["site", "--store", "ftp://a.test/"]).fails(2, &["no stores by ftp://"]);
}

/// Files that are not stores, or of a later version, are named and not changed. A missing one is not created:
/// [cmd.site]
#[test]
fn other_files_are_not_changed() {
    let (dir, site) = (Dir::with("User-agent: *\n"), Site::good());
    for command in
        [&["site"][..], &["check", ALLOW, "--agent", WHO, "http://127.0.0.1/"], &["crawl-check", "--agent", WHO]]
    {
        let args = [command, &["--store", "robots.txt"]].concat();
        dir.run_with(&args, b"").fails(2, &["robots.txt", "not a store", "use another file"]);
    }
    dir.run(&["site", "--store", "none.sqlite"]).fails(2, &["none.sqlite", "robosieve check --store"]);
    assert_eq!((dir.read("robots.txt").as_str(), dir.names().len()), ("User-agent: *\n", 1));
    dir.run(&["check", ALLOW, "--agent", WHO, &site.url("/"), "--store", "s.sqlite"]).ok();
    let mut bytes = std::fs::read(dir.path("s.sqlite")).unwrap();
    // `user_version` in the header of the file.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    dir.write("s.sqlite", &bytes);
    dir.run(&["site", "--store", "s.sqlite"]).fails(2, &["s.sqlite", "newer robosieve", "update this program"]);
}

/// A product token alone sends the program's own header, as for `fetch`; no advice names another crawler: [cmd.agent]
#[test]
fn a_product_token_is_enough() {
    let (dir, site) = (Dir::new(), Site::good());
    dir.run(&["check", ALLOW, "--agent", "MyBot", &site.url("/private/x")]).code(1);
    assert!(site.requests()[0].to_ascii_lowercase().contains("user-agent: robosieve/"), "{:?}", site.requests());
    let ran = dir.run(&["crawl-check", ALLOW, "--agent", "Googlebot"]).code(2);
    assert!(ran.err().contains("--agent 'MyBot/1.0 (+") && !ran.err().contains("Googlebot/1.0"), "{}", ran.err());
}
