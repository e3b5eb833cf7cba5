//! Reports and verdicts as text for people.

use robosieve::settings::{Dialect, Limits, Options, OverLimit};
use robosieve::verdict::SiteAccess;
use robosieve::{Sieve, sieve, tester};

/// A line for each finding, then a summary. [report.display] [report.suspect]
#[test]
fn a_report_has_a_line_for_each_finding_and_a_summary() {
    let shown = |file: &str| sieve(file.as_bytes(), ["MyBot"]).report().to_string();
    assert_eq!(shown("User-agent: *\nDisallow: /\n"), "exact");
    let over = "*a".repeat(11);
    let file = format!("Useragent: *\nDisallow: /{over}\nbroken\nDisalow: /b\nDisallow: /a Disallow: /b\n");
    let report = shown(&file);
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 7, "{report}");
    assert_eq!(
        lines.get(1),
        Some(&"line 2: a rule with more than max_wildcards stars was left out (permits more) [limit.wildcards]")
    );
    assert_eq!(lines.last(), Some(&"not exact: 1 loss, 1 suspect, 3 repairs, 1 ignored line"));
    assert_eq!(
        shown("<!DOCTYPE html>\n").lines().last(),
        Some("exact: 1 suspect, 1 ignored line; the input is an HTML page")
    );
    let few = Options { max_details: 1, ..Options::default() };
    let sieved = Sieve::new(["MyBot"]).options(few).run(b"Useragent: *\nDisalow: /a\nDisalow: /b\n").unwrap();
    let report = sieved.report().to_string();
    assert_eq!(report.lines().last(), Some("exact: 3 repairs; 1 of 3 findings are listed"));
}

/// The answer and what decided, as printable ASCII. [report.display] [harmless.bytes]
#[test]
fn a_verdict_is_a_phrase() {
    let mybot = tester(b"User-agent: *\nDisallow: /x\nAllow: /x/y\n", ["MyBot"]);
    for (url, shown) in [
        ("/x", "disallowed by line 2: Disallow: /x"),
        ("https://example.com/x/y?z", "allowed by line 3: Allow: /x/y"),
        ("/", "allowed: no rule matches"),
        ("/robots.txt", "allowed: /robots.txt is always allowed"),
    ] {
        assert_eq!(mybot.test(url).to_string(), shown);
    }
    let closed = mybot.with_access(SiteAccess::DisallowAll);
    assert_eq!(closed.test("/").to_string(), "disallowed by the HTTP status of the file");
    // A rule that stands for all that was lost has no line.
    let none_fits = Limits { max_records: 0, ..Limits::default() };
    let widened = Sieve::new(["MyBot"]).limits(none_fits).over_limit(OverLimit::Widen);
    let sieved = widened.run(b"User-agent: *\nDisallow: /x\n").unwrap();
    assert_eq!(sieved.tester().test("/").to_string(), "disallowed: Disallow: /");
    // Google's parser keeps controls in rules.
    let google = Sieve::new(["MyBot"]).dialect(Dialect::Google);
    let tester = google.tester(b"User-agent: *\nDisallow: /\x1b[2J").unwrap();
    assert_eq!(tester.test(b"/\x1b[2J").to_string(), "disallowed by line 2: Disallow: /\\x1B[2J");
}
