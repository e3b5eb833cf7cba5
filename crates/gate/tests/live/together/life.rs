//! The life of a site, from its first retrieval on.

use std::time::Duration;

use robosieve_gate::decide::{Preset, StandingName};
use robosieve_gate::{Answer, MemoryStore, SqliteStore};

use crate::together::site::{Site, answer};
use crate::together::world::{HOUR, MINUTE, RULES, at, gate, gate_by};

#[track_caller]
fn is_open(answer: &Answer) {
    assert!(answer.is_allowed() && answer.wait.is_zero(), "{answer:?}");
}

#[track_caller]
fn is_by_rule(answer: &Answer, rule: &str) {
    assert_eq!((answer.rule.as_deref(), answer.line), (Some(rule), Some(2)), "{answer:?}");
}

/// Rules; then 503 when they are a day old, so the old rules stay valid; then new rules: [gate.stale] [gate.back-off]
/// [gate.robots-date]
#[test]
fn a_site_goes_down_and_comes_back() {
    let site = Site::new(answer(200, "", RULES));
    let gate = gate(&[&site], MemoryStore::default());
    let private = site.url_at("a.test", "/private/x");
    is_by_rule(&gate.permits(&private, at(0)), "Disallow: /private");
    assert_eq!(site.asked(), ["GET /robots.txt HTTP/1.1"]);
    is_by_rule(&gate.permits(&private, at(23 * HOUR)), "Disallow: /private");
    assert!(site.asked().is_empty());

    site.says(answer(503, "", ""));
    is_by_rule(&gate.permits(&private, at(25 * HOUR)), "Disallow: /private");
    assert_eq!(site.asked().len(), 2, "one address, two rounds");
    let report = gate.report(&private, at(25 * HOUR + MINUTE)).unwrap();
    assert_eq!((report.standing, report.failures, report.status), (StandingName::Stale, 1, Some(503)));
    is_by_rule(&gate.permits(&private, at(25 * HOUR + MINUTE)), "Disallow: /private");
    assert!(site.asked().is_empty(), "not before the retry interval");

    site.says(answer(200, "", "User-agent: mybot\nDisallow: /other\n"));
    is_open(&gate.permits(&private, at(25 * HOUR + 6 * MINUTE)));
    is_by_rule(&gate.permits(&site.url_at("a.test", "/other"), at(26 * HOUR)), "Disallow: /other");
    assert_eq!((site.asked().len(), gate.report(&private, at(26 * HOUR)).unwrap().failures), (1, 0));
}

/// The answer of another host after a redirect belongs to the first site, and not to that host: [retrieve.origin]
#[test]
fn redirects_belong_to_the_first() {
    let second = Site::new(answer(200, "", RULES));
    let first = Site::new(answer(302, &format!("Location: {}\r\n", second.url_at("b.test", "/rules.txt")), ""));
    let gate = gate(&[&first, &second], MemoryStore::default());
    is_by_rule(&gate.permits(&first.url_at("a.test", "/private"), at(0)), "Disallow: /private");
    assert_eq!(second.asked(), ["GET /rules.txt HTTP/1.1"]);
    second.says(answer(404, "", ""));
    is_open(&gate.permits(&second.url_at("b.test", "/private"), at(1)));
    assert_eq!(second.asked(), ["GET /robots.txt HTTP/1.1"]);
    is_by_rule(&gate.permits(&first.url_at("a.test", "/private"), at(2)), "Disallow: /private");
}

/// 404 opens the site for a day: [gate.rfc9309] [gate.cache-life]
#[test]
fn no_file_opens() {
    let site = Site::new(answer(404, "", RULES));
    let gate = gate(&[&site], MemoryStore::default());
    let url = site.url_at("a.test", "/private");
    is_open(&gate.permits(&url, at(0)));
    site.says(answer(200, "", RULES));
    is_open(&gate.permits(&url, at(24 * HOUR - 1)));
    is_by_rule(&gate.permits(&url, at(24 * HOUR + MINUTE)), "Disallow: /private");
    assert_eq!(site.asked().len(), 2);
}

/// A 429 with a `Retry-After` is requested again then, and nothing is fetched until then: [gate.retry-after]
/// [gate.google]
#[test]
fn too_many_requests() {
    let site = Site::new(answer(429, "Retry-After: 7200\r\n", ""));
    let url = site.url_at("a.test", "/x");
    let polite = gate_by(&[&site], MemoryStore::default(), Preset::Google);
    let busy = polite.permits(&url, at(0));
    assert_eq!((busy.reason, busy.failures), ("unreachable", Some(1)));
    assert!((at(2 * HOUR)..at(2 * HOUR + MINUTE)).contains(&busy.until.unwrap()));
    assert_eq!(site.asked().len(), 1, "an answer below 500 is not requested twice");
    assert!(!polite.permits(&url, at(2 * HOUR - 1)).is_allowed());
    assert!(site.asked().is_empty());
    site.says(answer(404, "", ""));
    is_open(&polite.permits(&url, at(2 * HOUR + MINUTE)));
}

/// Two ports of a host are two sites, with one pace: [gate.pace-by] [retrieve.origin]
#[test]
fn ports_are_sites() {
    let (one, other) = (Site::new(answer(200, "", RULES)), Site::new(answer(404, "", "")));
    let gate = gate(&[&one, &other], MemoryStore::default());
    // The requests for robots.txt take some time of the wait.
    let waits = |answer: &Answer, seconds| {
        assert!(answer.is_allowed());
        answer.wait == Duration::from_secs(seconds)
    };
    is_by_rule(&gate.check(&one.url_at("a.test", "/private"), at(0)), "Disallow: /private");
    let first = gate.check(&other.url_at("a.test", "/private"), at(0));
    assert!(waits(&first, 1), "{first}");
    let second = gate.check(&one.url_at("a.test", "/x"), at(0));
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
    is_by_rule(&open().check(&private, at(0)), "Disallow: /private");
    is_by_rule(&open().check(&private, at(2 * HOUR - 1)), "Disallow: /private");
    assert_eq!(site.asked().len(), 1);
    site.says("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nAllow: /\n");
    is_by_rule(&open().check(&private, at(2 * HOUR + MINUTE)), "Disallow: /private");
    let report = open().report(&private, at(2 * HOUR + MINUTE)).unwrap();
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
    is_by_rule(&gate.permits(&url, at(0)), "Disallow: /private");
    site.says(b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec());
    is_by_rule(&gate.check(&url, at(25 * HOUR)), "Disallow: /private");
    let heads = site.requests().join("\n").to_ascii_lowercase();
    assert!(heads.contains("if-none-match: \"v1\"\r\n"), "{heads}");
    assert!(heads.contains("if-modified-since: sun, 06 nov 1994 08:49:37 gmt\r\n"), "{heads}");
    let report = gate.report(&url, at(25 * HOUR)).unwrap();
    assert_eq!((report.standing, report.status), (StandingName::Fresh, Some(304)));

    let other = blank.url_at("b.test", "/x");
    let answer = gate.check(&other, at(0));
    assert_eq!((answer.kind(), answer.status, answer.failures), ("closed", Some(304), Some(1)));
}
