//! Typed values: which are valid, which are repaired, what they mean, and how each is spelled.

use std::time::Duration;

use robosieve::Sieve;
use robosieve::report::{Effect, FindingKind};
use robosieve::values::{CleanParam, CrawlDelay, HttpUrl, RequestRate, VisitTime};

/// The lines of the text other than `User-agent: *` and `Disallow:`, and the findings.
fn found(line: &str) -> (String, Vec<FindingKind>) {
    let file = format!("User-agent: *\n{line}\n");
    let sieved = Sieve::new(["MyBot"]).filter(file.as_bytes()).unwrap();
    let mut kept = sieved.records().records().flat_map(|record| record.extensions());
    assert!(kept.all(|line| line.value().iter().all(|byte| matches!(byte, b' '..=b'~'))), "{line} is kept as bytes");
    let text = sieved.text().strip_prefix("User-agent: *\nDisallow:\n").unwrap().trim().to_owned();
    (text, sieved.report().details().iter().map(|finding| finding.kind).collect())
}

/// Each row is `written -> spelled`, or a value that is spelled as it was written.
#[track_caller]
fn spelled(name: &str, rows: &[&str], findings: &[FindingKind]) {
    for row in rows.iter().flat_map(|rows| rows.split(" ; ")) {
        let (written, spelled) = row.split_once(" -> ").unwrap_or((row, row));
        let expected = format!("{name}: {spelled}");
        assert_eq!(found(&format!("{name}: {written}")), (expected.clone(), findings.to_vec()), "{written}");
        assert_eq!(found(&expected), (expected.clone(), Vec::new()), "{written}");
    }
}

#[track_caller]
fn is_valid(name: &str, rows: &[&str]) {
    spelled(name, rows, &[]);
}

#[track_caller]
fn is_repaired(name: &str, rows: &[&str]) {
    spelled(name, rows, &[FindingKind::RepairedValue]);
}

#[track_caller]
fn is_invalid(name: &str, rows: &[&str]) {
    for written in rows.iter().flat_map(|rows| rows.split(" ; ")) {
        let expected = (String::new(), vec![FindingKind::InvalidValue]);
        assert_eq!(found(&format!("{name}: {written}")), expected, "{name}: {written}");
    }
}

/// [value.crawl-delay] [value.repaired] [value.single]
#[test]
fn delays_are_decimal_seconds() {
    let valid = "0 ; 5 ; 5. -> 5 ; .5 -> 0.5 ; 1.50 -> 1.5 ; 1.05 ; 1.005 ; 1.0051 -> 1.006 ; 1.0050 -> 1.005";
    is_valid("Crawl-delay", &[valid, "0.99901 -> 1 ; 007 -> 7 ; 86400"]);
    is_repaired("Crawl-delay", &["10s -> 10 ; 10 S -> 10 ; 10 seconds -> 10 ; 10 sec. -> 10 ; 2min -> 120"]);
    is_repaired("Crawl-delay", &["1.5 hours -> 5400 ; 500 ms -> 0.5 ; 0.1 ms -> 0.001 ; 1,5 -> 1.5 ; ,5 -> 0.5"]);
    is_repaired("Crawl-delay", &["1,5 s -> 1.5 ; 0,500 -> 0.5 ; 1,000 -> 1000 ; 1,000,000 -> 86400 ; 3 days -> 86400"]);
    is_repaired("Crawl-delay", &["99999999999999999999999h -> 86400"]);
    is_invalid(
        "Crawl-delay",
        &["s ; 10 x ; 10 s s ; 1,5,5 ; 1,00,0 ; 1.5.0 ; 1e3 ; -1s ; 10-20 ; ten ; 1, 5 ; 0x10 ; NaN"],
    );
    for (value, millis) in [("0", 0), (".5", 500), ("1.0051", 1_006), ("86400", 86_400_000), ("86400.001", 86_400_000)]
    {
        let delay = CrawlDelay::read(value.as_bytes()).unwrap();
        assert_eq!((delay.as_duration(), delay.raw()), (Duration::from_millis(millis), value));
        assert_eq!(delay.is_clamped(), value == "86400.001", "{value}");
    }
    assert_eq!(CrawlDelay::read(b"99999999999999999999999").unwrap().as_duration().as_secs(), 86_400);
    for none in ["", ".", "-1", "+1", "1e3", "1,5", "1.5.0", "1 ", "1.x", "x"] {
        assert_eq!(CrawlDelay::read(none.as_bytes()), None, "{none}");
    }
    // Of two the longer is kept.
    assert_eq!(found("Crawl-delay: 1.5\nCrawl-delay: 2\nCrawl-delay: 1").0, "Crawl-delay: 2");
    assert_eq!(found("Crawl-delay: 0.001\nCrawl-delay: 0").0, "Crawl-delay: 0.001");
}

/// [value.visit-time] [value.repaired]
#[test]
fn visit_times_are_minutes_of_the_day() {
    is_valid("Visit-time", &["0000-2400 ; 0600 - 0845 -> 0600-0845 ; 2359-0059 ; 1000-1001"]);
    is_repaired("Visit-time", &["0200 0630 -> 0200-0630 ; 0200 \t 0630 -> 0200-0630 ; 02:00-06:30 -> 0200-0630"]);
    is_repaired("Visit-time", &["2:00 - 6:30 -> 0200-0630 ; 2:00 6:30 -> 0200-0630"]);
    is_invalid(
        "Visit-time",
        &["0200 ; 200 630 ; 0200 0630 0700 ; 2500 0630 ; 02:0-06:30 ; 002:00-06:30 ; 2-6 ; night"],
    );
    is_invalid("Visit-time", &["- ; 600-0845 ; 06000-0845 ; 0600-0860 ; 2401-2402 ; 2500-0000 ; 06:0-0700 ; 0-0-0"]);
    let time = VisitTime::read(b"2359-0059").unwrap();
    assert_eq!((time.from, time.to), (1439, 59));
    assert_eq!(VisitTime::read(b"0600 0845"), None, "only a repair reads that");
}

/// [value.request-rate] [value.repaired]
#[test]
fn rates_are_pages_in_seconds() {
    is_valid("Request-rate", &["1/5 ; 2/5s -> 2/5 ; 3/5S -> 3/5 ; 1/10m -> 1/600 ; 1/10M -> 1/600 ; 1/2h -> 1/7200"]);
    is_valid("Request-rate", &["1/24H -> 1/86400 ; 9000/1d -> 9000/86400 ; 1/1D -> 1/86400 ; 4294967295/1"]);
    is_valid("Request-rate", &["2/1m \t 0600-0845 -> 2/60 0600-0845"]);
    is_repaired("Request-rate", &["1/5 0600 -> 1/5 ; 1/5 at night -> 1/5 ; 9000/2d -> 4500/86400 ; 1/2d -> 1/86400"]);
    is_repaired("Request-rate", &["1/99999999999999999999999h -> 1/86400 ; 1/5 0600 0845 -> 1/5 0600-0845"]);
    is_repaired("Request-rate", &["1/10m 6:00-8:45 -> 1/600 0600-0845"]);
    is_invalid("Request-rate", &["0 ; 2 ; 2 0600-0845 ; -1 ; 1.5 ; x ; 2 pages ; 1 / 5 ; /5 ; 5/ ; / ; 1/5w ; 0/2d"]);
    is_invalid("Request-rate", &["1/m ; 0/5 ; 1/0 ; x/5 ; 1x/5 ; 4294967296/1"]);
    for none in ["", "1/2d", "1/86401", "1/25h", "1/5 x"] {
        assert_eq!(RequestRate::read(none.as_bytes()), None, "{none}: only a repair reads that");
    }
    let rate = RequestRate::read(b"2/1m 0600-0845").unwrap();
    assert_eq!((rate.pages, rate.seconds, rate.hours.unwrap().from), (2, 60, 360));
    assert_eq!(rate.per_page(), Duration::from_secs(30));
    assert_eq!(RequestRate::read(b"8/1").unwrap().per_page(), Duration::from_millis(125));
}

/// [value.clean-param] [value.blanks] [harmless.bytes]
#[test]
fn parameters_are_names_and_a_path() {
    is_valid("Clean-param", &["ref ; a&b /x/ ; &a&&b& -> a&b ; a \t /x -> a /x ; \u{e9} -> %C3%A9"]);
    is_valid("Clean-param", &["a\tb\u{7f}\u{1}~ -> a b%7F%01~"]);
    is_invalid("Clean-param", &["& ; a /x /y"]);
    assert_eq!(CleanParam::read(b" /x"), None);
    let clean = CleanParam::read(b"a&b /x/").unwrap();
    assert_eq!((clean.parameters, clean.path.as_str()), (vec!["a".to_owned(), "b".to_owned()], "/x/"));
}

/// [value.sitemap] [value.license] [value.repaired] [harmless.urls]
#[test]
fn urls_are_absolute_and_of_one_spelling() {
    for name in ["Sitemap", "License"] {
        is_valid(name, &["http://e.com -> http://e.com/ ; HTTPS://E.COM:80/A -> https://e.com:80/A ; http://[::1]/"]);
        is_valid(name, &["http://e.com?q -> http://e.com/?q ; http://me@e.com/ ; http://e.com/**"]);
        is_valid(name, &["http://e-1.com/a b*$ -> http://e-1.com/a%20b*$ ; http://e.com/%7e%c3 -> http://e.com/~%C3"]);
        // The parts before and after a host are not a host.
        is_valid(name, &["http://me:b@e.com:65535/ ; http://[::1]:80/ ; http://e.com:/ ; http://_e~.com/"]);
        is_invalid(name, &["ftp://e.com/ ; httpss://e.com/ ; http:/e.com ; http:// ; http://./ ; http://a b/"]);
        is_invalid(name, &["http://me@/x ; http://:80/x ; http://a:b@/ ; http://@:1/ ; http://e.com:65536/"]);
        is_invalid(name, &["http://e.com:80x/ ; https://]80[:@@/y ; http://a]/ ; http://[a/ ; http://-./ ; http:///a"]);
        is_invalid(name, &["https://.../a ; http://?a ; https://é\u{200b}.example/ ; https://é@example.com/"]);
    }
    is_repaired("Sitemap", &["https://пример.рф/к -> https://xn--e1afmkfd.xn--p1ai/%D0%BA"]);
    for none in ["", "e.com", "/a", "//e.com/"] {
        assert_eq!(HttpUrl::read(none.as_bytes()), None, "{none}");
    }
    assert_eq!(HttpUrl::read("http://É.example".as_bytes()).unwrap().as_str(), "http://xn--9ca.example/");
    let page: HttpUrl = "http://u:p@E.com:81/a?b".try_into().unwrap();
    assert_eq!(
        (page.robots_txt().as_str(), page.to_string().as_str()),
        ("http://e.com:81/robots.txt", "http://u:p@e.com:81/a?b")
    );
}

/// One function decides what a host is. [value.host] [value.sitemap] [value.license] [value.repaired]
#[test]
fn hosts_are_the_same_everywhere() {
    let (label, long) = ("a".repeat(63), "a".repeat(64));
    let name = |length: usize| "a.".repeat(length / 2) + if length.is_multiple_of(2) { "" } else { "b" };
    let (longest, too_long) = (name(253), name(255));
    let valid = ["e.com", "e.com.", "e.com:65535", "[::1]", "[2001:db8::1]:80", &label, &longest, "a..b", "192.0.2.1"];
    let others = "e.com:65536 [::g] [::1 ::1 [1.2.3.4] [] a@b@e.com e.com:80:80 [e.com] e.com:99999999999";
    let invalid: Vec<&str> = others.split(' ').chain([long.as_str(), &too_long]).collect();
    for (hosts, is_valid) in [(&valid[..], true), (&invalid, false)] {
        for host in hosts {
            for line in ["Sitemap: https://HOST/", "License: https://HOST/", "Sitemap: https://me@HOST/x", "Host: HOST"]
            {
                let line = line.replace("HOST", host);
                assert_eq!(!found(&line).0.is_empty(), is_valid, "{line}");
            }
        }
    }
    is_valid("Host", &["E.com -> e.com ; e.com/ -> e.com ; https://E.com/ -> https://e.com ; a_b-c.com"]);
    is_repaired("Host", &["Bücher.example -> xn--bcher-kva.example ; 例え。テスト -> xn--r8jz45g.xn--zckzah"]);
    is_repaired("Host", &["https://ПРИМЕР.РФ:8080/ -> https://xn--e1afmkfd.xn--p1ai:8080"]);
    is_invalid("Host", &["ftp://e.com ; / ; . ; e.com/a ; e .com ; e~.com ; https:// ; http://- ; e.com// ; me@e.com"]);
    is_invalid("Host", &["a b\"c(\u{1b}://e.com ; <b>://e.com ; é/x ; é é ; é\u{202e} ; é:x y ; ftp://é ; é\u{fffd}"]);
    is_invalid("Host", &[&"é".repeat(64)]);
    let broken = Sieve::new(["a"]).filter(b"User-agent: *\nHost: \xE9.example\n").unwrap();
    assert_eq!(broken.report().count(FindingKind::InvalidValue), 1);
    assert_eq!(found("Host: b\nHost: a").0, "Host: b");
}

/// [value.never-grants] [value.repaired] [value.content-signal] [value.content-usage] [harmless.bytes]
#[test]
fn a_repaired_use_allows_no_more() {
    is_repaired("Content-Signal", &["ai-train=false -> ai-train=no ; a=1,b=no,c=y,d=n -> a=1, b=no, c=y, d=no"]);
    is_repaired("Content-Signal", &["search=TRUE, ai-train = 0 -> search=TRUE, ai-train=no"]);
    is_repaired("Content-Signal", &["/b search, AI-Train=False, ai-input=yes -> /b ai-train=no"]);
    is_repaired(
        "Content-Signal",
        &["search=1, =0, ai-train=no -> ai-train=no ; /é a=0, x=é -> /%C3%A9 a=no, x=%C3%A9"],
    );
    is_repaired("Content-Usage", &["/b train-ai=no -> /b train-ai=n ; a=yes,b=1,c=false -> a=yes, b=1, c=n"]);
    is_repaired("Content-Usage", &["Train-AI=N -> train-ai=n ; Train-AI = Y, search=y, Ai-Use=No;p=1 -> ai-use=n;p=1"]);
    is_repaired("Content-Usage", &["/b train-ai = n,, search=y, -> /b train-ai=n"]);
    is_repaired("Content-Usage", &["a=\"b, c=0\", d=0;e=0 -> a=\"b, c=0\", d=n;e=0"]);
    // A blank or a semicolon in the place of a comma: what restricts is left, for the path of the line.
    is_repaired(
        "Content-Signal",
        &["/a ai-train=no search=yes -> /a ai-train=no ; search=no use=reference -> search=no, use=reference"],
    );
    is_repaired("Content-Usage", &["/a ai=n train-ai=n -> /a ai=n, train-ai=n ; train-ai=n search=y -> train-ai=n"]);
    let semicolon = found("Content-Signal: ai-train=no; search=no,x");
    assert_eq!(semicolon, ("Content-Signal: ai-train=no, search=no".to_owned(), vec![FindingKind::RepairedValue]));
    // Unknown words are kept: their meaning is not known.
    is_valid(
        "Content-Signal",
        &["a=maybe, b=yes ; a=b=1 ; a=10 ; ai-train=YES, AI-Train=yes, search=true, ai-input=1"],
    );
    is_valid(
        "Content-Usage",
        &["a=y, b=z ; train-ai=yes, train-ai=Y, train-ai=1, train-ai=true ; train-ai=n, train-ai=1"],
    );
    // Other spellings of the strictest word are no repair.
    let spelled = found("Content-Signal: AI-Train=NO, Use=Immediate, USE=Full");
    assert_eq!(spelled, ("Content-Signal: ai-train=no, use=immediate, USE=Full".to_owned(), Vec::new()));
    is_invalid("Content-Signal", &["1 ; search=1, =0 ; *.pdf ai-train=no ; ai-train=yes search=yes"]);
    is_invalid(
        "Content-Usage",
        &["Train-AI = Y ; a = y, ; search train-ai=n ; a=\"b\"c=n ; *.pdf train-ai=n ; a=1, =0"],
    );
}

/// [value.sitemap] [value.license] [value.repaired]
#[test]
fn relative_urls_need_a_base() {
    let base: HttpUrl = "https://me@Example.com:8443/a/b?c".parse().unwrap();
    let sieve = Sieve::new(["MyBot"]).with(|options| options.base_url = Some(base.clone()));
    let origin = "https://me@example.com:8443";
    for (written, meant) in [
        ("/s.xml", "/s.xml"),
        ("s.xml", "/s.xml"),
        ("maps/s.XML.gz", "/maps/s.XML.gz"),
        ("./s", "/s"),
        (".././../s", "/s"),
        ("?map", "/?map"),
        ("s.xml?x=.y", "/s.xml?x=.y"),
        ("/a b", "/a%20b"),
        ("//other.example/s", "https://other.example/s"),
    ] {
        let file = format!("Sitemap: {written}\n");
        let sieved = sieve.filter(file.as_bytes()).unwrap();
        let meant = if meant.starts_with('/') { format!("{origin}{meant}") } else { meant.to_owned() };
        assert_eq!(sieved.records().sitemaps().first().map(HttpUrl::as_str), Some(meant.as_str()), "{written}");
        assert_eq!(sieved.report().count(FindingKind::RepairedValue), 1, "{written}");
        // Without a base URL it is lost, which affects no verdict.
        let lost = Sieve::new(["MyBot"]).filter(file.as_bytes()).unwrap();
        assert_eq!(
            (lost.records().sitemaps().len(), lost.report().count(FindingKind::RelativeUrl)),
            (0, 1),
            "{written}"
        );
        assert!(lost.report().is_exact() && lost.report().details()[0].effect == Effect::None);
    }
    let none = "none ; n/a ; see our map ; x.org/s.xml ; ftp://e/s.xml ; http:/e/s.xml ; a:s.xml ; // ; s x.xml ; .xml";
    for none in none.split(" ; ").chain([""]) {
        let file = format!("Sitemap: {none}\n");
        let sieved = sieve.filter(file.as_bytes()).unwrap();
        assert_eq!((sieved.records().sitemaps().len(), base.resolve(none.as_bytes())), (0, None), "{none}");
        assert_eq!(sieved.report().count(FindingKind::InvalidValue), 1, "{none}");
    }
    let license = sieve.filter(b"License: /l.xml\n").unwrap();
    assert!(license.text().ends_with(&format!("\nLicense: {origin}/l.xml\n")));
    let plain: HttpUrl = "http://example.com".parse().unwrap();
    assert_eq!(plain.resolve(b"EXAMPLE.com/s").unwrap().as_str(), "http://example.com/s");
    let error = "example.com".parse::<HttpUrl>().unwrap_err();
    assert!(error.to_string().contains("https://example.com/"), "{error}");
}
