//! Values with a form other than their directive's: which are repaired, how, and which are not changed.

use robosieve::report::{Effect, FindingKind};
use robosieve::value::HttpUrl;
use robosieve::{Sieve, Sieved, sieve};

fn read(line: &str) -> Sieved<'static> {
    let file = format!("User-agent: *\n{line}\n").into_bytes();
    sieve(Box::leak(file.into_boxed_slice()), ["MyBot"])
}

/// The lines of the text other than `User-agent: *` and `Disallow:`, and the findings.
fn found(line: &str) -> (String, Vec<FindingKind>) {
    let sieved = read(line);
    let text = sieved.text().as_str().strip_prefix("User-agent: *\nDisallow:\n").unwrap().trim().to_owned();
    (text, sieved.report().details().iter().map(|finding| finding.kind).collect())
}

#[track_caller]
fn is_repaired(written: &str, meant: &str) {
    assert_eq!(found(written), (meant.to_owned(), vec![FindingKind::RepairedValue]), "{written}");
    assert_eq!(found(meant), (meant.to_owned(), Vec::new()), "{meant}");
}

#[track_caller]
fn is_invalid(written: &str) {
    assert_eq!(found(written), (String::new(), vec![FindingKind::InvalidValue]), "{written}");
}

/// [value.repaired] [value.visit-time]
#[test]
fn visit_times() {
    for (written, meant) in [
        ("0200 0630", "0200-0630"),
        ("0200 \t 0630", "0200-0630"),
        ("02:00-06:30", "0200-0630"),
        ("2:00 - 6:30", "0200-0630"),
        ("2:00 6:30", "0200-0630"),
    ] {
        is_repaired(&format!("Visit-time: {written}"), &format!("Visit-time: {meant}"));
    }
    for written in ["0200", "200 630", "0200 0630 0700", "2500 0630", "02:0-06:30", "002:00-06:30", "2-6", "-", "night"]
    {
        is_invalid(&format!("Visit-time: {written}"));
    }
}

/// [value.repaired] [value.request-rate]
#[test]
fn request_rates() {
    for (written, meant) in [
        ("1/5 0600", "1/5"),
        ("1/5 at night", "1/5"),
        ("9000/2d", "4500/86400"),
        ("1/2d", "1/86400"),
        ("1/99999999999999999999999h", "1/86400"),
        ("1/5 0600 0845", "1/5 0600-0845"),
        ("1/10m 6:00-8:45", "1/600 0600-0845"),
    ] {
        is_repaired(&format!("Request-rate: {written}"), &format!("Request-rate: {meant}"));
    }
    for written in ["0", "2", "2 0600-0845", "-1", "1.5", "x", "2 pages", "1 / 5", "/5", "5/", "/", "1/5w", "0/2d"] {
        is_invalid(&format!("Request-rate: {written}"));
    }
}

/// [value.repaired] [value.crawl-delay]
#[test]
fn delays() {
    for (written, meant) in [
        ("10s", "10"),
        ("10 S", "10"),
        ("10 seconds", "10"),
        ("10 sec.", "10"),
        ("2min", "120"),
        ("1.5 hours", "5400"),
        ("500 ms", "0.5"),
        ("0.1 ms", "0.001"),
        ("1,5", "1.5"),
        (",5", "0.5"),
        ("1,5 s", "1.5"),
        ("0,500", "0.5"),
        ("1,000", "1000"),
        ("1,000,000", "86400"),
        ("3 days", "86400"),
        ("99999999999999999999999h", "86400"),
    ] {
        is_repaired(&format!("Crawl-delay: {written}"), &format!("Crawl-delay: {meant}"));
    }
    for written in
        ["s", "10 x", "10 s s", "1,5,5", "1,00,0", "1.5.0", "1e3", "-1s", "10-20", "ten", "1, 5", "0x10", "NaN"]
    {
        is_invalid(&format!("Crawl-delay: {written}"));
    }
}

/// [value.never-grants] [value.repaired] [value.content-signal] [value.content-usage]
#[test]
fn uses() {
    for (written, meant) in [
        ("Content-Signal: ai-train=false", "Content-Signal: ai-train=no"),
        ("Content-Signal: search=TRUE, ai-train = 0", "Content-Signal: search=TRUE, ai-train=no"),
        ("Content-Signal: a=1,b=no,c=y,d=n", "Content-Signal: a=1, b=no, c=y, d=no"),
        ("Content-Signal: /b search, AI-Train=False, ai-input=yes", "Content-Signal: /b ai-train=no"),
        ("Content-Signal: search=1, =0, ai-train=no", "Content-Signal: ai-train=no"),
        ("Content-Usage: /b train-ai=no", "Content-Usage: /b train-ai=n"),
        ("Content-Usage: a=yes,b=1,c=false", "Content-Usage: a=yes, b=1, c=n"),
        ("Content-Usage: Train-AI=N", "Content-Usage: train-ai=n"),
        ("Content-Usage: Train-AI = Y, search=y, Ai-Use=No;p=1", "Content-Usage: ai-use=n;p=1"),
        ("Content-Usage: /b train-ai = n,, search=y,", "Content-Usage: /b train-ai=n"),
        ("Content-Usage: a=\"b, c=0\", d=0;e=0", "Content-Usage: a=\"b, c=0\", d=n;e=0"),
    ] {
        is_repaired(written, meant);
    }
    // Unknown words are kept: their meaning is not known.
    for kept in [
        "Content-Signal: a=maybe, b=yes",
        "Content-Usage: a=y, b=z",
        "Content-Signal: a=b=1",
        "Content-Signal: a=10",
        "Content-Signal: ai-train=YES, AI-Train=yes, search=true, ai-input=1",
        "Content-Usage: train-ai=yes, train-ai=Y, train-ai=1, train-ai=true",
        "Content-Usage: train-ai=n, train-ai=1",
    ] {
        assert_eq!(found(kept), (kept.to_owned(), Vec::new()));
    }
    for none in ["Signal: 1", "Signal: search=1, =0", "Usage: Train-AI = Y", "Usage: a = y,", "Usage: *.pdf train-ai=n"]
    {
        is_invalid(&format!("Content-{none}"));
    }
    is_invalid("Content-Usage: a=1, =0");
    // Other spellings of the strictest word are no repair.
    let spelled = found("Content-Signal: AI-Train=NO, Use=Immediate, USE=Full");
    assert_eq!(spelled, ("Content-Signal: ai-train=no, use=immediate, USE=Full".to_owned(), Vec::new()));
}

/// [value.host] [value.repaired]
#[test]
fn hosts_in_any_script() {
    for (written, meant) in [
        ("Bücher.example", "xn--bcher-kva.example"),
        ("https://ПРИМЕР.РФ:8080/", "https://xn--e1afmkfd.xn--p1ai:8080"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ] {
        is_repaired(&format!("Host: {written}"), &format!("Host: {meant}"));
    }
    let long = "é".repeat(64);
    for written in ["é/x", "é é", "é\u{202e}", "é:x y", "ftp://é", &long, "é\u{fffd}"] {
        is_invalid(&format!("Host: {written}"));
    }
    let broken = sieve(b"User-agent: *\nHost: \xE9.example\n", ["a"]);
    assert_eq!(broken.report().count(FindingKind::InvalidValue), 1);
}

/// [value.sitemap] [value.repaired]
#[test]
fn relative_sitemaps() {
    let base: HttpUrl = "https://me@Example.com:8443/a/b?c".parse().unwrap();
    let sieve = Sieve::new(["MyBot"]).base_url(Some(base.clone()));
    for (written, meant) in [
        ("/s.xml", "https://me@example.com:8443/s.xml"),
        ("s.xml", "https://me@example.com:8443/s.xml"),
        ("maps/s.XML.gz", "https://me@example.com:8443/maps/s.XML.gz"),
        ("./s", "https://me@example.com:8443/s"),
        (".././../s", "https://me@example.com:8443/s"),
        ("?map", "https://me@example.com:8443/?map"),
        ("s.xml?x=.y", "https://me@example.com:8443/s.xml?x=.y"),
        ("/a b", "https://me@example.com:8443/a%20b"),
        ("//other.example/s", "https://other.example/s"),
    ] {
        let file = format!("Sitemap: {written}\n");
        let sieved = sieve.run(file.as_bytes()).unwrap();
        assert_eq!(sieved.records().sitemaps().first().map(HttpUrl::as_str), Some(meant), "{written}");
        assert_eq!(sieved.report().count(FindingKind::RepairedValue), 1, "{written}");
        // Without a base URL it is lost, which affects no verdict.
        let lost = Sieve::new(["MyBot"]).run(file.as_bytes()).unwrap();
        assert_eq!(lost.records().sitemaps(), [], "{written}");
        assert_eq!(lost.report().count(FindingKind::RelativeUrl), 1, "{written}");
        assert_eq!(lost.report().details()[0].effect, Effect::None);
        assert!(lost.report().is_exact());
    }
    for none in [
        "",
        "none",
        "n/a",
        "see our map",
        "x.org/s.xml",
        "ftp://e/s.xml",
        "http:/e/s.xml",
        "a:s.xml",
        "//",
        "s x.xml",
        ".xml",
    ] {
        let file = format!("Sitemap: {none}\n");
        let sieved = sieve.run(file.as_bytes()).unwrap();
        assert_eq!(sieved.records().sitemaps(), [], "{none}");
        assert_eq!(sieved.report().count(FindingKind::InvalidValue), 1, "{none}");
        assert_eq!(base.resolve(none.as_bytes()), None, "{none}");
    }
    let plain: HttpUrl = "http://example.com".parse().unwrap();
    assert_eq!(plain.resolve(b"EXAMPLE.com/s").unwrap().as_str(), "http://example.com/s");
    let error = "example.com".parse::<HttpUrl>().unwrap_err();
    assert!(error.to_string().contains("https://example.com/"), "{error}");
}

/// A repaired value is parsed back unchanged, and limits apply to it. [text.idempotent] [limit.after-normalising]
#[test]
fn repaired_values_are_stable() {
    let file = "User-agent: *\nVisit-time: 0200 0630\nRequest-rate: 1/2d\nContent-Signal: a=0\nHost: é.example\n";
    let sieved = sieve(file.as_bytes(), ["a"]);
    let again = sieve(sieved.text().as_ref(), ["a"]);
    assert_eq!((again.text(), again.report().total()), (sieved.text(), 0));
    let long = format!("User-agent: *\nContent-Signal: {}\n", "a=1,".repeat(499));
    let sieved = sieve(long.as_bytes(), ["a"]);
    assert_eq!(sieved.report().count(FindingKind::ValueTooLong), 1, "its repaired form is longer");
    assert_eq!(sieved.report().count(FindingKind::RepairedValue), 0);
}
