//! The documents that asked for this gate, sentence by sentence: each is a setting or a call.

use std::sync::Arc;
use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::decide::{Class, Preset, SiteRule, Standing};
use robosieve_gate::retrieve::{Fetched, Request, RetrievalLimits};
use robosieve_gate::{Answer, Ask, Core, Gate, MemoryStore, Moment, Next, Settings};

use crate::making::{DAY, FILE, PAGE, at, origin, secs, settings};

const URL: &str = "https://example.com/free";

fn core(settings: Settings) -> Arc<Core> {
    Arc::new(Core::new(settings, MemoryStore::default()))
}

/// The IBM crawler's way to read robots.txt.
fn ibm(change: impl FnOnce(&mut Settings)) -> Arc<Core> {
    core(settings(|settings| {
        settings.policy = Preset::Strict.into();
        change(settings);
    }))
}

/// The answer about a page of the site, whose server answers so if it is asked.
fn ask(core: &Arc<Core>, url: &str, now: Moment, came: impl Fn() -> Fetched) -> Answer {
    let mut next = core.ask(url, Ask::Permission, now);
    loop {
        next = match next {
            Next::Answer(answer) => return answer,
            Next::Again(_) => core.ask(url, Ask::Permission, now),
            Next::Fetch(errand) => errand.came(came(), now),
        };
    }
}

/// "How the Web crawler uses the robots exclusion protocol" (IBM): [gate.strict] [gate.site-report] [gate.ignore]
#[test]
fn the_web_crawler() {
    // "Unless you configure Web crawler properties to ignore a Web server's robots.txt file, the crawler tries to
    // comply".
    let ignoring = ibm(|settings| settings.ignored.push(url::Host::parse("example.com").unwrap()));
    let not_asked = || -> Fetched { panic!("its robots.txt is not requested") };
    assert_eq!(ask(&ignoring, "https://example.com/private", at(0), not_asked).reason, "ignored");
    let rules = || Fetched::new(200, FILE);
    let complies = ibm(|_| {});
    assert_eq!(ask(&complies, "https://example.com/private", at(0), rules).reason, "rule");

    // "When the crawler is configured to honor robots.txt files, a successful download is when the crawler can retrieve
    // the robots.txt file from a Web server or confirm that a robots.txt file does not exist." "A successful download
    // does not mean that the crawler has permission to crawl".
    let failures = |core: &Core| core.report(&origin(), at(0)).unwrap().unwrap().failures;
    assert_eq!(failures(&complies), 0);
    let none = ibm(|_| {});
    assert!(ask(&none, URL, at(0), || Fetched::new(404, "")).is_allowed());
    assert_eq!(failures(&none), 0);
    // "The download is considered a failure when the crawler cannot obtain the rules or cannot confirm that a
    // robots.txt file exists. A download failure temporarily prohibits crawling".
    let fails = ibm(|_| {});
    let dead = || Fetched::failed("connection reset");
    let failed = ask(&fails, URL, at(0), dead);
    assert_eq!((failed.reason, failures(&fails)), ("disqualified", 1));

    // 1. to 5.: every address of the host by GET; on any failure of a connection, or a status of 500 or more, the next
    // one; "waits two seconds, then tries all the addresses one more time"; "for any other status, the crawler stops
    // trying". The client does that (`net::rounds`, and `servers` in the live tests), by these limits.
    let limits = RetrievalLimits::default();
    assert_eq!((limits.extra_rounds, limits.round_wait, limits.max_addresses), (1, secs(2), 16));
    let Next::Fetch(errand) = ibm(|_| {}).ask(URL, Ask::Permission, at(0)) else { panic!() };
    assert_eq!((errand.request().url.as_str(), errand.request().limits), ("https://example.com/robots.txt", limits));

    // "After the crawler receives an HTTP status code below 500, or after the crawler tries all IP addresses twice":
    let cut = || Fetched::new(200, FILE).broken_off();
    let with_errors = || Fetched::new(200, "Not here\nUser-agent: *\nDisallow: /free\n");
    for (came, expected) in [
        // 1. "If no HTTP status below 500 was received, the site is disqualified for the time being."
        (&dead as &dyn Fn() -> Fetched, "disqualified"),
        (&|| Fetched::new(503, ""), "disqualified"),
        // 2. "400, 404 or 410 ... qualified for crawling with no rules."
        (&|| Fetched::new(400, ""), "allowed"),
        (&|| Fetched::new(404, ""), "allowed"),
        (&|| Fetched::new(410, ""), "allowed"),
        // 3. "200 through 299": truncated; parsed without errors; parsed with errors.
        (&cut, "disqualified"),
        (&rules, "allowed"),
        (&|| Fetched::new(203, "User-agent: *\nDisallow: /free\n"), "rule"),
        (&with_errors, "allowed"),
        // 4. "If any other HTTP status was returned, the site is disqualified for the time being."
        (&|| Fetched::new(403, ""), "disqualified"),
        (&|| Fetched::new(302, ""), "disqualified"),
        (&|| Fetched::new(429, ""), "disqualified"),
    ] {
        assert_eq!(ask(&ibm(|_| {}), URL, at(0), came).reason, expected, "{:?}", came());
    }

    // "it updates a persistent timestamp for that site called the robots date. If a site is disqualified because the
    // robots.txt information is not available, the persistent robots failure count is incremented."
    let site = ibm(|settings| {
        settings.lifetimes.retry = secs(600);
        settings.lifetimes.retry_max = secs(600);
        settings.lifetimes.max_failures = Some(3);
        settings.lifetimes.requalify = None;
        settings.lifetimes.cache = secs(2 * 3_600);
    });
    let report = || site.report(&origin(), at(0)).unwrap().unwrap();
    // "When the retry interval is reached, the crawler tries again": not before.
    for (moment, count) in [(0, 1), (599, 1), (600, 2), (1_199, 2)] {
        assert_eq!(ask(&site, URL, at(moment), dead).reason, "disqualified");
        assert_eq!((report().failures, report().last_attempt), (count, Some(at(moment / 600 * 600))));
    }
    // "After a site is qualified for crawling ..., the failure count is set to zero. The crawler uses the results of
    // the download until the interval for checking rules elapses. At that time, the site must be qualified again."
    assert!(ask(&site, URL, at(1_200), rules).is_allowed());
    assert_eq!(report().failures, 0);
    assert!(site.is_cached(&origin(), at(1_200 + 2 * 3_600 - 1)).unwrap());
    assert!(!site.is_cached(&origin(), at(1_200 + 2 * 3_600)).unwrap());
    // "If the number of successive failures reaches the maximum number of failures allowed, the crawler stops trying".
    for number in 0..3 {
        let _ = ask(&site, URL, at(DAY + number * 600), dead);
    }
    let given_up = ask(&site, URL, at(400 * DAY), not_asked);
    assert_eq!((given_up.reason, given_up.until), ("given-up", Some(Moment::NEVER)));

    // The report: "viewing the contents of the robots.txt file", "the date and time that the crawler last attempted to
    // download the robots.txt file", "how many consecutive attempts the crawler made ... but failed to do so".
    let shown = report();
    assert_eq!(shown.contents.as_deref(), Some(FILE));
    assert_eq!((shown.last_attempt, shown.failures, shown.standing), (Some(at(DAY + 1_200)), 3, Standing::GivenUp));
    assert!(site.clear(&origin(), at(400 * DAY)).unwrap());
    assert!(ask(&site, URL, at(400 * DAY), rules).is_allowed());
    // A page of HTML is content with errors.
    assert!(
        ask(&ibm(|_| {}), URL, at(0), || Fetched::new(200, PAGE)).class.is_none_or(|class| class != Class::Success)
    );
}

/// "Crawler Robots.txt" (Rezo), one call each: [gate.says] [gate.is-cached] [gate.clear] [gate.cache-life]
/// [gate.fetched]
#[test]
#[cfg(feature = "async")]
fn the_robots_txt_class() {
    const TEXT: &str = "User-agent: *\nDisallow: /admin/\nDisallow: /private/\nAllow: /admin/public/\nCrawl-delay: 2\n\n\
        User-agent: RezoBot\nDisallow: /api/internal/\nAllow: /api/public/\n\n\
        Sitemap: https://example.com/sitemap.xml\nSitemap: https://example.com/sitemap-products.xml\n";
    let gate_of = |name: &str, body: &'static str| {
        // "userAgent", and "Cache TTL in ms (default: 24 hours)".
        let mut settings = Settings::new(Agents::new([name]));
        assert_eq!(settings.lifetimes.cache, secs(DAY));
        settings.lifetimes.cache = secs(3_600);
        // "The fetcher function must return { status: number; data?: string }."
        let fetcher = move |_: Request| std::future::ready(Fetched::new(200, body));
        Gate::new(fetcher, Core::new(settings, MemoryStore::default()))
    };
    let allows = |gate: &Gate<_>, path: &str| {
        gate.ask_blocking(&format!("https://example.com{path}"), Ask::Permission).is_allowed()
    };
    // "Specific user-agent match", "case-insensitive".
    let rezo = gate_of("rezobot", TEXT);
    for (path, allowed) in [("/api/internal/x", false), ("/api/public/v1", true), ("/admin/config", true)] {
        assert_eq!(allows(&rezo, path), allowed, "{path}");
    }
    let site = rezo.block_on(rezo.site(&origin())).unwrap().unwrap();
    let rule = |path: &str, allow| SiteRule { path: path.into(), allow };
    // "directives.rules ... Sorted by path length (longest first)", "crawlDelay", "sitemaps".
    assert_eq!(site.rules(), [rule("/api/internal/", false), rule("/api/public/", true)]);
    assert_eq!(site.crawl_delay, None);
    assert_eq!(site.sitemaps, ["https://example.com/sitemap.xml", "https://example.com/sitemap-products.xml"]);
    // "Wildcard fallback", "Path specificity".
    let other = gate_of("OtherBot", TEXT);
    for (path, allowed) in [("/admin/config", false), ("/admin/public/x", true), ("/private/", false), ("/api/", true)]
    {
        assert_eq!(allows(&other, path), allowed, "{path}");
    }
    // "isCached", "getCrawlDelay", "getSitemaps".
    assert!(other.core().is_cached(&origin(), other.now()).unwrap());
    let known = other.core().report(&origin(), other.now()).unwrap().unwrap();
    assert_eq!((known.crawl_delay, known.sitemaps.len()), (Some(2.0), 2));
    assert_eq!(known.rules()[0], rule("/admin/public/", true));
    assert_eq!(known.good_until.unwrap().since(known.retrieved.unwrap()), secs(3_600));
    // "clearCache" of one domain, and of all.
    assert!(other.core().clear(&origin(), other.now()).unwrap());
    assert!(!other.core().is_cached(&origin(), other.now()).unwrap());
    assert!(!allows(&other, "/private/"));
    other.core().clear_all(other.now()).unwrap();
    assert!(!other.core().is_cached(&origin(), other.now()).unwrap());
    // "Allow over Disallow", "Wildcard Matching".
    let wild = gate_of(
        "MyBot",
        "User-agent: *\nDisallow: /*.pdf$\nDisallow: /search?*q=\nDisallow: /same\nAllow: /same\nAllow: /\n",
    );
    for (path, allowed) in [("/a.pdf", false), ("/a.pdf?v=2", true), ("/search?x&q=1", false), ("/same", true)] {
        assert_eq!(allows(&wild, path), allowed, "{path}");
    }
    // "Respect Crawl-delay if specified": the slots do.
    let slot = other.ask_blocking("https://example.com/x", Ask::Slot);
    assert!(slot.is_allowed() && slot.wait > Duration::from_millis(1_500), "{slot:?}");
}
