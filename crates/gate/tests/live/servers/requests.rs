use std::process::Command;

use robosieve_gate::{Client, CrawlerIdentity};

use crate::servers::stage::{RULES, Stage, answer, is_rules, says};

/// The client requests robots.txt by name, with its identity, in one request on its own connection: [retrieve.driver]
/// [retrieve.identity]
#[test]
fn asks_as_itself() {
    let stage = Stage::new(&[says(answer(200, "Set-Cookie: a=b\r\nConnection: keep-alive\r\n", RULES))]);
    let (crawl, client) = (stage.crawl(), stage.crawl().client());
    for _ in 0..2 {
        is_rules(&crawl.by(&client, &stage.origin("http")));
    }
    assert_eq!(stage.connections(0), 2);
    for head in stage.requests(0) {
        let mut lines = head.trim_end().split("\r\n");
        assert_eq!(lines.next(), Some("GET /robots.txt HTTP/1.1"));
        let mut headers: Vec<_> = lines.map(str::to_lowercase).collect();
        headers.sort();
        let host = format!("host: site.test:{}", stage.port);
        let user_agent = "user-agent: testbot/1.0 (+https://example.com/bot)";
        let expected = ["accept-encoding: gzip", "accept: text/plain, */*;q=0.5", &host, user_agent];
        assert_eq!(headers, expected);
    }
}

/// A proxy in the environment is not used: [retrieve.driver]
#[test]
fn no_proxy_of_the_environment() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "servers::requests::asks_as_itself", "--test-threads", "1"]);
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, "http://127.0.0.9:1");
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Names without a fixed address are the system's to look up: [retrieve.driver] [retrieve.resolve]
#[test]
fn system_names() {
    let stage = Stage::new(&[says(answer(200, "", RULES))]);
    let mut crawl = stage.crawl();
    crawl.names.clear();
    // Its look-up asks nobody: the name is an address.
    crawl.origin = robosieve_gate::Origin::of(&format!("http://127.0.0.1.:{}/", stage.port)).unwrap();
    is_rules(&crawl.run());
    let mut crawl = stage.crawl();
    crawl.origin = robosieve_gate::Origin::of(&format!("http://localhost:{}/", stage.port)).unwrap();
    is_rules(&crawl.run());
}

/// Headers of the operator's go with each request. Those that would change what an answer means are refused, and so is
/// one too many; no error and no debug output has a value: [retrieve.own-headers]
#[test]
fn own_headers() {
    let client = || Client::new(&CrawlerIdentity::new("MyBot").unwrap());
    for (line, why) in [
        ("From", "Name: value"),
        (": x", "a header's name"),
        ("X Y: x", "a header's name"),
        ("X: caf\u{e9} secret", "printable"),
        ("X: secret\nY: z", "printable"),
        ("X: secret\t", "printable"),
        ("HOST: secret", "set by the program"),
        ("If-None-Match: secret", "set by the program"),
        ("Range: secret", "set by the program"),
        ("cookie: secret", "every host"),
        ("Authorization: secret", "every host"),
    ] {
        let error = client().header(line).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{line}: {error}");
    }
    let some = |count: usize| (0..count).try_fold(client(), |client, number| client.header(&format!("X-{number}: y")));
    assert!(some(31).is_ok() && some(32).is_ok() && some(33).is_err());
    for (length, fits) in [(7_998, true), (7_999, true), (8_000, false)] {
        assert_eq!(client().header(&format!("X: {}", "y".repeat(length))).is_ok(), fits, "{length}");
    }
    let stage = Stage::new(&[says(answer(200, "", RULES))]);
    let own = stage.crawl().client().header("From: bot@example.com").unwrap().header("accept:  text/plain ").unwrap();
    assert!(own.clone().header("from: other").is_err() && !format!("{own:?}").contains("bot@example.com"));
    is_rules(&stage.crawl().by(&own, &stage.origin("http")));
    let head = stage.requests(0)[0].to_lowercase();
    assert!(head.contains("\r\nfrom: bot@example.com\r\n") && head.contains("\r\naccept: text/plain\r\n"), "{head}");
    assert_eq!(head.matches("accept:").count(), 1);
}
