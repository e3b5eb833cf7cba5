//! The whole gate: what it remembers, and how often it retrieves.

use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::decide::{Class, Reader, Standing};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::retrieve::Outcome;
use robosieve_gate::{Core, MemoryStore, Moment, Settings};

use crate::making::{DAY, FILE, Played, Web, at, of_class, origin, retrieval, said, settings};

const URL: &str = "https://example.com/free";
const PRIVATE: &str = "https://example.com/private";

/// `go` with a wait, and the rule that denies with its line in the text that is remembered: [gate.answer] [gate.slots]
#[test]
fn answers() {
    let web =
        Web::file("# hello\nUser-agent: other\nDisallow: /\n\nUser-agent: mybot\nDisallow: /private\nCrawl-delay: 7\n");
    let gate = Played::new(&web);
    assert_eq!(said(&gate.check(URL, at(0))), ("allowed", 7), "robots.txt has just been requested");
    assert_eq!(said(&gate.check(URL, at(0))), ("allowed", 14));
    let denied = gate.check("https://example.com/private/a?b#c", at(0));
    assert_eq!((denied.rule.as_deref(), denied.line), (Some("Disallow: /private"), Some(2)));
    assert_eq!(said(&gate.check(URL, at(0))), ("allowed", 21), "a denied URL takes no slot");
    let report = gate.report(&origin(), at(0)).unwrap().unwrap();
    assert_eq!(report.contents.as_ref().unwrap().lines().nth(1), Some("Disallow: /private"));
    assert_eq!(web.count(), 1);
}

/// Within its cache life a site is not requested again: [gate.cache-life] [gate.is-cached]
#[test]
fn one_retrieval_a_cache_life() {
    let web = Web::file(FILE);
    let gate = Played::new(&web);
    let is_cached = |now| gate.is_cached(&origin(), now).unwrap();
    assert!(!is_cached(at(0)));
    let _ = gate.check(URL, at(0));
    let _ = gate.check(URL, at(DAY - 1));
    assert!(is_cached(at(DAY - 1)));
    assert_eq!(web.count(), 1);
    assert!(!is_cached(at(DAY)));
    for (url, count) in [
        (URL, 2),
        ("http://example.com/", 3),       // Another scheme is another origin.
        ("https://EXAMPLE.com:443/x", 3), // Another spelling is the same.
    ] {
        let _ = gate.check(url, at(DAY));
        assert_eq!(web.count(), count, "{url}");
    }
}

/// While the site is down it is requested only at the retry interval, and the stale rules are used: [gate.stale]
/// [gate.back-off]
#[test]
fn a_site_goes_down_and_comes_back() {
    let web = Web::file(FILE);
    let gate = Played::new(&web);
    let _ = gate.check(URL, at(0));
    web.set(of_class(Class::ServerError, Moment::default()));
    let down = DAY;
    for (moment, count) in [(0, 2), (299, 2), (300, 3), (899, 3), (900, 4)] {
        assert!(gate.permits(URL, at(down + moment)).is_allowed());
        assert!(!gate.permits(PRIVATE, at(down + moment)).is_allowed());
        assert_eq!(web.count(), count, "{moment} s after it went down");
    }
    let report = gate.report(&origin(), at(down + 900)).unwrap().unwrap();
    assert_eq!((report.standing, report.failures, report.failing_since), (Standing::Stale, 3, Some(at(down))));
    // After 30 days the copy is too old: the site is closed, by the standard.
    let late = gate.permits(URL, at(down + 30 * DAY));
    assert_eq!((late.kind(), late.status), ("closed", Some(503)));
    web.set(retrieval(Outcome::Rules, Some(200), "User-agent: *\nDisallow: /free\n", Moment::default()));
    assert_eq!(gate.permits(URL, at(down + 32 * DAY)).rule.as_deref(), Some("Disallow: /free"));
    assert_eq!(gate.report(&origin(), at(down + 32 * DAY)).unwrap().unwrap().failures, 0);
}

/// robots.txt itself may be fetched if the site can be asked: [gate.robots-txt]
#[test]
fn robots_txt_is_allowed() {
    let web = Web::file("User-agent: *\nDisallow: /\n");
    let reader = Reader::new(Agents::new(["MyBot"])).dialect(robosieve::settings::Dialect::Google, true);
    let gate = Played::with(&web, settings(|settings| settings.reader = reader));
    assert_eq!(said(&gate.check("https://example.com/robots.txt", at(0))), ("allowed", 1));
    assert_eq!(said(&gate.check("https://example.com/robots.txt#top", at(0))), ("allowed", 2));
    assert_eq!(web.count(), 1);
    for url in ["https://example.com/robots.txt?x", "https://example.com/a/robots.txt"] {
        assert!(!gate.check(url, at(0)).is_allowed());
    }
}

/// A URL is tested in the form that clients send; what is no URL of a site is not allowed: [gate.url]
#[test]
fn urls() {
    let gate = Played::new(&Web::file(FILE));
    for url in
        ["https://example.com/a/../private", "https://example.com\\private", "https://user@example.com/%70rivate"]
    {
        assert_eq!(gate.permits(url, at(0)).kind(), "denied", "{url}");
    }
    for (url, why) in [
        ("/private", "absolute"),
        ("", "absolute"),
        ("https://", "absolute"),
        ("file:///etc/passwd", "only http and https"),
        ("mailto:a@example.com", "only http and https"),
        ("http://example.com\\@127.0.0.1/x", "two hosts"),
        ("https://example.com:443\\x:y@other.example/free", "two hosts"),
    ] {
        let answer = gate.check(url, at(0));
        assert!(answer.reason == "not-a-url" && answer.why.contains(why), "{url}: {answer}");
    }
}

/// The site report: [gate.site-report] [gate.says] [value.sitemap]
#[test]
fn site_reports() {
    let web = Web::file("User-agent: mybot\nDisalow: /private # x\nCrawl-delay: 2.5\nSitemap: /s.xml\n");
    let gate = Played::new(&web);
    assert_eq!(gate.report(&origin(), at(0)).unwrap(), None);
    assert_eq!(web.count(), 0, "a report retrieves nothing");
    let _ = gate.permits(URL, at(0));
    web.set(of_class(Class::NoAnswer, Moment::default()));
    let _ = gate.permits(URL, at(DAY));
    let report = gate.report(&origin(), at(DAY)).unwrap().unwrap();
    assert_eq!(gate.reports(&origin(), at(DAY)).unwrap(), std::slice::from_ref(&report));
    let json = serde_json::to_value(&report).unwrap();
    for (field, expected) in [
        ("origin", serde_json::json!("https://example.com")),
        ("reader", "mybot".into()),
        ("standing", "stale".into()),
        ("is_due", false.into()),
        ("last_attempt", at(DAY).as_millis().into()),
        ("next_attempt", at(DAY + 300).as_millis().into()),
        ("failures", 1.into()),
        ("outcome", "unreachable".into()),
        ("status", serde_json::Value::Null),
        ("class", "no-answer".into()),
        ("verdict", "unreachable".into()),
        ("error", "no reason given".into()),
        (
            "contents",
            "User-agent: *\nDisallow: /private\nCrawl-delay: 2.5\n\nSitemap: https://example.com/s.xml\n".into(),
        ),
        ("crawl_delay", 2.5.into()),
        ("sitemaps", serde_json::json!(["https://example.com/s.xml"])),
        ("retrieved", at(0).as_millis().into()),
        ("good_until", at(DAY).as_millis().into()),
    ] {
        assert_eq!(json[field], expected, "{field}");
    }
    assert_eq!(json["report"]["counts"]["misspelled-directive"], 1);
}

/// Gates that share a store share what each retrieves: [gate.shared]
#[test]
fn gates_share_a_store() {
    let store: SharedStore = MemoryStore::default().into();
    let web = Web::file(FILE);
    let gate = |name: &str| Played::over(&web, Core::new(Settings::new(Agents::new([name])), store.clone()));
    let (one, two) = (gate("MyBot"), gate("MyBot"));
    let _ = one.check(URL, at(0));
    let _ = two.check(URL, at(1));
    assert_eq!(web.count(), 1);
    let _ = two.check(URL, at(DAY));
    let _ = one.check(URL, at(DAY + 1));
    assert_eq!(web.count(), 2, "the first gate looks into the store before it retrieves");
    let _ = gate("OtherBot").check(URL, at(DAY + 1));
    assert_eq!(web.count(), 3, "another crawler retrieves separately");
}

/// A host that is ignored is not requested, and has the pace of others: [gate.ignore]
#[test]
fn ignored_hosts() {
    let web = Web::file("User-agent: *\nDisallow: /\n");
    let host = url::Host::parse("example.com").unwrap();
    let gate = Played::with(&web, settings(|settings| settings.ignored.push(host)));
    for (url, wait) in [(URL, 0), ("http://example.com.:8080/x", 1)] {
        let answer = gate.check(url, at(0));
        assert_eq!((answer.reason, answer.wait), ("ignored", Duration::from_secs(wait)), "{url}");
        assert!(answer.why.ends_with("(robots.txt is ignored for this host)"));
    }
    let report = gate.report(&origin(), at(0)).unwrap().unwrap();
    assert_eq!((report.standing, report.is_due), (Standing::Ignored, false));
    assert!(gate.is_cached(&origin(), at(0)).unwrap());
    assert!(!gate.check("https://www.example.com/", at(0)).is_allowed());
    assert_eq!(web.count(), 1);
}
