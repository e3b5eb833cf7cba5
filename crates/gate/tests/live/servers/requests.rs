use std::process::Command;
use std::time::{Duration, Instant};

use robosieve_gate::net::{Clock, Resolver, SystemResolver};
use robosieve_gate::{Moment, RunClock};

use crate::servers::stage::{RULES, Stage, answer, is_rules, says};

/// The driver requests robots.txt by name, with its identity, in one request on its own connection: [retrieve.driver]
/// [retrieve.identity]
#[test]
fn asks_as_itself() {
    let stage = Stage::new(&[says(answer(200, "Set-Cookie: a=b\r\nConnection: keep-alive\r\n", RULES))]);
    let driver = stage.crawl().driver();
    for _ in 0..2 {
        is_rules(&robosieve_gate::retrieve::Retriever::retrieve(&driver, &stage.origin("http")));
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

/// One driver serves any number of threads: [retrieve.driver]
#[test]
fn many_threads() {
    let stage = Stage::new(&[says(answer(200, "", RULES))]);
    let (driver, origin) = (stage.crawl().driver(), stage.origin("http"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| is_rules(&robosieve_gate::retrieve::Retriever::retrieve(&driver, &origin)));
        }
    });
    assert_eq!(stage.connections(0), 8);
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

/// The default resolver is the system's: [retrieve.driver]
#[test]
fn system_names() {
    let resolver = SystemResolver::default();
    let found = resolver.resolve("127.0.0.1", 80, Duration::from_secs(5)).unwrap();
    assert_eq!(found, ["127.0.0.1".parse::<std::net::IpAddr>().unwrap()]);
    assert!(resolver.resolve("", 80, Duration::from_secs(5)).is_err());
}

/// The system's clock waits until the given time: [retrieve.driver]
#[test]
fn system_clock() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (clock, began) = (RunClock::default(), Instant::now());
    assert!(clock.now() > Moment::from_millis(1_700_000_000_000));
    let until = clock.now().after(Duration::from_millis(20));
    runtime.block_on(async { clock.sleep_until(until).await });
    assert!(clock.now() >= until && began.elapsed() >= Duration::from_millis(19));
    runtime.block_on(async { clock.sleep_until(Moment::default()).await });
    assert!(began.elapsed() < Duration::from_secs(10));
}
