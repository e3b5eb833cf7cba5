//! The life of a site, from its first retrieval on.

use std::time::Duration;

use robosieve_gate::decide::{Preset, StandingName};
use robosieve_gate::{Answer, MemoryStore, Origin, SqliteStore, Why};

use crate::together::site::{Site, answer};
use crate::together::world::{HOUR, MINUTE, RULES, at, core, gate, gate_over};

const NO_WAIT: Answer = Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None };

fn by_rule(rule: &str) -> Answer {
    Answer::Denied { rule: rule.into(), line: 2 }
}

/// Rules; then 503 when they are a day old, so the old rules stay valid; then new rules: [gate.stale] [gate.back-off]
/// [gate.robots-date]
#[test]
fn a_site_goes_down_and_comes_back() {
    let site = Site::new(answer(200, "", RULES));
    let gate = gate(&[&site], MemoryStore::default());
    let private = site.url_at("a.test", "/private/x");
    let origin = Origin::of(&private).unwrap();
    assert_eq!(gate.permits(&private, at(0)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(site.asked(), ["GET /robots.txt HTTP/1.1"]);
    assert_eq!(gate.permits(&private, at(23 * HOUR)).unwrap(), by_rule("Disallow: /private"));
    assert!(site.asked().is_empty());

    site.says(answer(503, "", ""));
    assert_eq!(gate.permits(&private, at(25 * HOUR)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(site.asked().len(), 2, "one address, two rounds");
    let report = gate.report(&origin, at(25 * HOUR + MINUTE)).unwrap().unwrap();
    assert_eq!((report.standing, report.failures, report.status), (StandingName::Stale, 1, Some(503)));
    assert_eq!(gate.permits(&private, at(25 * HOUR + MINUTE)).unwrap(), by_rule("Disallow: /private"));
    assert!(site.asked().is_empty(), "not before the retry interval");

    site.says(answer(200, "", "User-agent: mybot\nDisallow: /other\n"));
    assert_eq!(gate.permits(&private, at(25 * HOUR + 6 * MINUTE)).unwrap(), NO_WAIT);
    assert_eq!(gate.permits(&site.url_at("a.test", "/other"), at(26 * HOUR)).unwrap(), by_rule("Disallow: /other"));
    assert_eq!((site.asked().len(), gate.report(&origin, at(26 * HOUR)).unwrap().unwrap().failures), (1, 0));
}

/// The answer of another host after a redirect belongs to the first site, and not to that host: [retrieve.origin]
#[test]
fn redirects_belong_to_the_first() {
    let second = Site::new(answer(200, "", RULES));
    let first = Site::new(answer(302, &format!("Location: {}\r\n", second.url_at("b.test", "/rules.txt")), ""));
    let gate = gate(&[&first, &second], MemoryStore::default());
    assert_eq!(gate.permits(&first.url_at("a.test", "/private"), at(0)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(second.asked(), ["GET /rules.txt HTTP/1.1"]);
    second.says(answer(404, "", ""));
    assert_eq!(gate.permits(&second.url_at("b.test", "/private"), at(1)).unwrap(), NO_WAIT);
    assert_eq!(second.asked(), ["GET /robots.txt HTTP/1.1"]);
    assert_eq!(gate.permits(&first.url_at("a.test", "/private"), at(2)).unwrap(), by_rule("Disallow: /private"));
}

/// 404 opens the site for a day: [gate.rfc9309] [gate.cache-life]
#[test]
fn no_file_opens() {
    let site = Site::new(answer(404, "", RULES));
    let gate = gate(&[&site], MemoryStore::default());
    let url = site.url_at("a.test", "/private");
    assert_eq!(gate.permits(&url, at(0)).unwrap(), NO_WAIT);
    site.says(answer(200, "", RULES));
    assert_eq!(gate.permits(&url, at(24 * HOUR - 1)).unwrap(), NO_WAIT);
    assert_eq!(gate.permits(&url, at(24 * HOUR + MINUTE)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(site.asked().len(), 2);
}

/// A 429 with a `Retry-After` is requested again then, and nothing is fetched until then: [gate.retry-after]
/// [gate.google]
#[test]
fn too_many_requests() {
    let site = Site::new(answer(429, "Retry-After: 7200\r\n", ""));
    let url = site.url_at("a.test", "/x");
    let polite = gate_over(&[&site], core(MemoryStore::default()).with_policy(Preset::Google));
    match polite.permits(&url, at(0)).unwrap() {
        Answer::NotNow { until, why: Why::Unreachable { failures: 1, .. } } => {
            assert!((at(2 * HOUR)..at(2 * HOUR + MINUTE)).contains(&until));
        }
        other => panic!("{other}"),
    }
    assert_eq!(site.asked().len(), 1, "an answer below 500 is not requested twice");
    assert!(!polite.permits(&url, at(2 * HOUR - 1)).unwrap().is_allowed());
    assert!(site.asked().is_empty());
    site.says(answer(404, "", ""));
    assert_eq!(polite.permits(&url, at(2 * HOUR + MINUTE)).unwrap(), NO_WAIT);
}

/// Two ports of a host are two sites, with one pace: [gate.pace-by] [retrieve.origin]
#[test]
fn ports_are_sites() {
    let (one, other) = (Site::new(answer(200, "", RULES)), Site::new(answer(404, "", "")));
    let gate = gate(&[&one, &other], MemoryStore::default());
    // The requests for robots.txt take some time of the wait.
    let waits = |answer: &Answer, seconds| {
        let Answer::Allowed { wait, .. } = answer else { panic!("{answer}") };
        *wait <= Duration::from_secs(seconds) && *wait + Duration::from_millis(900) > Duration::from_secs(seconds)
    };
    assert_eq!(gate.check(&one.url_at("a.test", "/private"), at(0)).unwrap(), by_rule("Disallow: /private"));
    let first = gate.check(&other.url_at("a.test", "/private"), at(0)).unwrap();
    assert!(waits(&first, 1), "{first}");
    let second = gate.check(&one.url_at("a.test", "/x"), at(0)).unwrap();
    assert!(waits(&second, 2), "robots.txt and two pages: {second}");
    assert_eq!((one.asked().len(), other.asked().len()), (1, 1));
}

/// A store that is opened again has the site, its failures and its stale rules: [gate.sqlite] [gate.stale]
/// [gate.site-report]
#[test]
fn a_store_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.sqlite");
    let site = Site::new(answer(200, "Cache-Control: max-age=7200\r\n", RULES));
    let open = || gate(&[&site], SqliteStore::open(&path).unwrap());
    let private = site.url_at("a.test", "/private");
    assert_eq!(open().check(&private, at(0)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(open().check(&private, at(2 * HOUR - 1)).unwrap(), by_rule("Disallow: /private"));
    assert_eq!(site.asked().len(), 1);
    site.says("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nAllow: /\n");
    assert_eq!(
        open().check(&private, at(2 * HOUR + MINUTE)).unwrap(),
        by_rule("Disallow: /private"),
        "an incomplete file is not used"
    );
    let report = open().report(&Origin::of(&private).unwrap(), at(2 * HOUR + MINUTE)).unwrap().unwrap();
    assert_eq!((report.standing, report.failures), (StandingName::Stale, 1));
    assert_eq!(report.contents.as_deref(), Some(RULES));
    assert!(report.last_attempt.is_some_and(|last| last >= at(2 * HOUR + MINUTE)));
    assert_eq!(site.asked().len(), 1);
}

/// A held copy is requested with its `ETag`, and a 304 renews it. A 304 to a request without one changes nothing:
/// [gate.conditional] [retrieve.not-modified]
#[test]
fn copies_are_renewed_over_http() {
    let site = Site::new(answer(200, "ETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", RULES));
    let blank = Site::new(b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec());
    let gate = gate(&[&site, &blank], MemoryStore::default());
    let url = site.url_at("a.test", "/private");
    assert_eq!(gate.permits(&url, at(0)).unwrap(), by_rule("Disallow: /private"));
    site.says(b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec());
    assert_eq!(gate.check(&url, at(25 * HOUR)).unwrap(), by_rule("Disallow: /private"));
    let heads = site.requests().join("\n").to_ascii_lowercase();
    assert!(heads.contains("if-none-match: \"v1\"\r\n"), "{heads}");
    assert!(heads.contains("if-modified-since: sun, 06 nov 1994 08:49:37 gmt\r\n"), "{heads}");
    let report = gate.report(&Origin::of(&url).unwrap(), at(25 * HOUR)).unwrap().unwrap();
    assert_eq!((report.standing, report.status), (StandingName::Fresh, Some(304)));

    let other = blank.url_at("b.test", "/x");
    let answer = gate.check(&other, at(0)).unwrap();
    assert!(matches!(answer, Answer::Closed { status: Some(304), failures: 1, .. }), "{answer}");
}
