//! Typed values, each alone: what is valid, what it means, and how it is spelled.

use std::time::Duration;

use robosieve::sieve;
use robosieve::value::{CleanParam, CrawlDelay, HttpUrl, RequestRate, VisitTime};

fn text(lines: &str) -> String {
    let text = sieve(format!("User-agent: *\n{lines}\n").as_bytes(), ["MyBot"]).text().to_string();
    text.strip_prefix("User-agent: *\nDisallow:\n").unwrap().trim_start().to_owned()
}

/// [value.crawl-delay]
#[test]
fn delays_are_decimal_seconds() {
    for (value, millis, spelled) in [
        ("0", 0, "0"),
        ("5", 5_000, "5"),
        ("5.", 5_000, "5"),
        (".5", 500, "0.5"),
        ("1.50", 1_500, "1.5"),
        ("1.05", 1_050, "1.05"),
        ("1.005", 1_005, "1.005"),
        ("1.0051", 1_006, "1.006"),
        ("1.0050", 1_005, "1.005"),
        ("0.99901", 1_000, "1"),
        ("007", 7_000, "7"),
        ("86400", 86_400_000, "86400"),
        ("86400.001", 86_400_000, "86400"),
        ("99999999999999999999999", 86_400_000, "86400"),
    ] {
        let delay = CrawlDelay::read(value.as_bytes()).unwrap();
        assert_eq!(delay.as_duration(), Duration::from_millis(millis), "{value}");
        assert_eq!(delay.to_string(), spelled, "{value}");
        assert_eq!(delay.raw(), value);
        assert_eq!(delay.is_clamped(), value.len() > 5 && value.starts_with(['8', '9']), "{value}");
    }
    for none in ["", ".", "-1", "+1", "1e3", "1,5", "1.5.0", "1 ", "1.x", "x"] {
        assert_eq!(CrawlDelay::read(none.as_bytes()), None, "{none}");
    }
}

/// [value.visit-time]
#[test]
fn visit_times_are_minutes_of_the_day() {
    for (value, from, to, spelled) in [
        ("0000-2400", 0, 1440, "0000-2400"),
        ("0600 - 0845", 360, 525, "0600-0845"),
        ("2359-0059", 1439, 59, "2359-0059"),
        ("1000-1001", 600, 601, "1000-1001"),
    ] {
        let time = VisitTime::read(value.as_bytes()).unwrap();
        assert_eq!((time.from, time.to, time.to_string().as_str()), (from, to, spelled), "{value}");
    }
    for none in ["", "-", "0600", "600-0845", "06000-0845", "0600-0860", "2401-2402", "2500-0000", "06:0-0700", "0-0-0"]
    {
        assert_eq!(VisitTime::read(none.as_bytes()), None, "{none}");
    }
}

/// [value.request-rate]
#[test]
fn rates_are_pages_in_seconds() {
    for (value, pages, seconds, spelled) in [
        ("1/5", 1, 5, "1/5"),
        ("2/5s", 2, 5, "2/5"),
        ("3/5S", 3, 5, "3/5"),
        ("1/10m", 1, 600, "1/600"),
        ("1/10M", 1, 600, "1/600"),
        ("1/2h", 1, 7200, "1/7200"),
        ("1/24H", 1, 86_400, "1/86400"),
        ("9000/1d", 9_000, 86_400, "9000/86400"),
        ("1/1D", 1, 86_400, "1/86400"),
        ("4294967295/1", u32::MAX, 1, "4294967295/1"),
    ] {
        let rate = RequestRate::read(value.as_bytes()).unwrap();
        assert_eq!((rate.pages, rate.seconds, rate.hours, rate.to_string().as_str()), (pages, seconds, None, spelled));
    }
    for none in ["", "1", "/5", "1/", "1/m", "0/5", "1/0", "x/5", "1x/5", "1/2d", "1/5w", "1/86401", "1/25h", "1/5 x"]
        .into_iter()
        .chain(["4294967296/1"])
    {
        assert_eq!(RequestRate::read(none.as_bytes()), None, "{none}");
    }
    let rate = RequestRate::read(b"2/1m \t 0600-0845 ").unwrap();
    assert_eq!((rate.hours.unwrap().from, rate.to_string().as_str()), (360, "2/60 0600-0845"));
    assert_eq!(rate.per_page(), Duration::from_secs(30));
    assert_eq!(RequestRate::read(b"8/1").unwrap().per_page(), Duration::from_millis(125));
}

/// [value.clean-param]
#[test]
fn parameters_are_names_and_a_path() {
    for (value, names, path, spelled) in [
        ("ref", &["ref"][..], "", "ref"),
        ("a&b /x/", &["a", "b"], "/x/", "a&b /x/"),
        ("&a&&b&", &["a", "b"], "", "a&b"),
        ("a \t /x ", &["a"], "/x", "a /x"),
        ("\u{e9}", &["%C3%A9"], "", "%C3%A9"),
    ] {
        let clean = CleanParam::read(value.as_bytes()).unwrap();
        assert_eq!(
            (&clean.parameters, clean.path.as_str()),
            (&names.iter().map(|it| (*it).to_owned()).collect(), path)
        );
        assert_eq!(clean.to_string(), spelled, "{value}");
    }
    assert_eq!(text("Clean-param: &a&&b&   /x\nClean-param: &"), "Clean-param: a&b /x\n");
    for none in ["", "&", " /x", "a /x /y"] {
        assert_eq!(CleanParam::read(none.as_bytes()), None, "{none:?}");
    }
}

/// [value.sitemap] [harmless.urls]
#[test]
fn urls_are_absolute_and_of_one_spelling() {
    for (value, spelled) in [
        ("http://e.com", "http://e.com/"),
        ("HTTPS://E.COM:80/A", "https://e.com:80/A"),
        ("http://e.com?q", "http://e.com/?q"),
        ("http://[::1]/", "http://[::1]/"),
        ("http://me@e.com/", "http://me@e.com/"),
        ("http://e-1.com/a b*$", "http://e-1.com/a%20b*$"),
        ("http://e.com/%7e%c3", "http://e.com/~%C3"),
        ("http://e.com/**", "http://e.com/**"),
        ("http://_e~.com/", "http://_e~.com/"),
    ] {
        assert_eq!(HttpUrl::read(value.as_bytes()).unwrap().as_str(), spelled, "{value}");
        assert_eq!(HttpUrl::read(value.as_bytes()).unwrap().to_string(), spelled, "{value}");
        assert_eq!(text(&format!("Sitemap: {value}")), format!("Sitemap: {spelled}\n"));
    }
    for none in [
        "",
        "e.com",
        "/a",
        "//e.com/",
        "ftp://e.com/",
        "httpss://e.com/",
        "http:/e.com",
        "http://",
        "http://./",
        "http://a b/",
    ] {
        assert_eq!(HttpUrl::read(none.as_bytes()), None, "{none}");
        assert_eq!(text(&format!("Sitemap: {none}")), "", "{none}");
    }
    // The parts before and after a host are not a host.
    for value in ["http://me:b@e.com:65535/", "http://[::1]:80/", "http://e.com:/"] {
        assert_eq!(HttpUrl::read(value.as_bytes()).unwrap().as_str(), value);
    }
    for none in [
        "http://me@/x",
        "http://:80/x",
        "http://a:b@/",
        "http://@:1/",
        "http://e.com:65536/",
        "http://e.com:80x/",
        "https://]80[:@@/y",
        "http://a]/",
        "http://[a/",
    ] {
        assert_eq!(HttpUrl::read(none.as_bytes()), None, "{none}");
    }
    for none in ["http://-./", "https://.../a", "http:///a", "http://?a"] {
        assert_eq!(text(&format!("Sitemap: {none}")), "", "{none}");
    }
}

/// [value.host] [value.sitemap] [value.license]: one function decides what a host is.
#[test]
fn hosts_are_the_same_everywhere() {
    let (label, long) = ("a".repeat(63), "a".repeat(64));
    let name = |length: usize| "a.".repeat(length / 2) + if length.is_multiple_of(2) { "" } else { "b" };
    let (longest, too_long) = (name(253), name(255));
    let valid = ["e.com", "e.com.", "e.com:65535", "[::1]", "[2001:db8::1]:80", &label, &longest, "a..b", "192.0.2.1"];
    let invalid = [
        "e.com:65536",
        "e.com:99999999999",
        "[::g]",
        "[::1",
        "::1",
        "[1.2.3.4]",
        "[]",
        "a@b@e.com",
        "e.com:80:80",
        "[e.com]",
        &long,
        &too_long,
    ];
    for (hosts, is_valid) in [(&valid[..], true), (&invalid[..], false)] {
        for host in hosts {
            for line in ["Sitemap: https://HOST/", "License: https://HOST/", "Sitemap: https://me@HOST/x", "Host: HOST"]
            {
                let line = line.replace("HOST", host);
                assert_eq!(!text(&line).is_empty(), is_valid, "{line}");
            }
        }
    }
    assert_eq!(text("Host: me@e.com"), "");
}

/// [value.host]
#[test]
fn hosts_may_have_a_scheme_and_a_port() {
    for (value, spelled) in [
        ("E.com", "e.com"),
        ("e.com/", "e.com"),
        ("https://E.com/", "https://e.com"),
        ("e.com:8080", "e.com:8080"),
        ("[::1]:80", "[::1]:80"),
        ("a_b-c.com", "a_b-c.com"),
    ] {
        assert_eq!(text(&format!("Host: {value}")), format!("Host: {spelled}\n"));
    }
    for none in ["/", ".", "e.com/a", "e .com", "e~.com", "https://", "http://-", "e.com//"].into_iter().chain([
        "ftp://e.com",
        "a b\"c(\u{1b}://e.com",
        "<b>://e.com",
        "\u{e9}\u{202e}.com",
    ]) {
        assert_eq!(text(&format!("Host: {none}")), "", "{none}");
    }
}
