//! Reports: what they keep, how they join, and their forms for people and for programs.

use robosieve::records::Parser;
use robosieve::report::{Effect, Finding, FindingKind, Report};
use robosieve::settings::{Dialect, Limits, OverLimit};
use robosieve::verdict::SiteAccess;
use robosieve::{Options, Sieve};

use crate::{at, limited, number, sieved};

fn loss(line: u32, effect: Effect) -> Finding {
    Finding::new(at(line), FindingKind::TooManyLines, effect)
}

/// Findings in records of nobody belong to the file. Of many findings, those of the first lines are kept.
/// [report.bounded] [agent.token]
#[test]
fn findings_of_many_records_are_kept_by_line() {
    let file = "User-agent: \u{e9}\nx\nAllow:\nDisallow: /a\nUser-agent: a\ny\nAllow: /\n".repeat(40);
    let found = |max_details| {
        let options = Options { max_details, ..Options::default() };
        let set = Parser::new(options).parse(file.as_bytes());
        set.report().details().to_vec()
    };
    let all = found(usize::MAX);
    assert_eq!(all.len(), 40 * 5);
    assert!(all.is_sorted_by_key(|finding| finding.line));
    for max_details in [0, 1, 2, 3, 5, 40, 79, 100, 199, 200, 201] {
        assert_eq!(found(max_details), all[..max_details.min(all.len())], "{max_details}");
    }
}

/// [report.bounded] [report.exact]
#[test]
fn a_report_keeps_the_first_and_counts_all() {
    let mut report = Report::new(2);
    assert_eq!((report.total(), report.counts().count(), report.is_exact()), (0, 0, true));
    report.extend((1..=5).map(|line| loss(line, Effect::MorePermissive)));
    report.push(Finding::new(at(6), FindingKind::NotAField, Effect::MoreRestrictive));
    assert_eq!(report.details(), [loss(1, Effect::MorePermissive), loss(2, Effect::MorePermissive)]);
    assert_eq!((report.total(), report.count(FindingKind::TooManyLines)), (6, 5));
    assert_eq!((report.losses(Effect::MorePermissive), report.losses(Effect::MoreRestrictive)), (5, 0));
    assert_eq!(report.counts().map(|(_, count)| count).collect::<Vec<_>>(), [5, 1]);
    assert!(!report.is_exact());
    let mut none = Report::new(0);
    none.push(loss(1, Effect::None));
    assert!(none.details().is_empty() && none.total() == 1 && none.is_exact() && none.first_loss().is_none());
}

/// [report.direction] [over-limit.refuse]
#[test]
fn reports_join_by_line() {
    let of = |lines: &[(u32, Effect)]| {
        let mut report = Report::new(3);
        report.extend(lines.iter().map(|&(line, effect)| loss(line, effect)));
        report
    };
    let joined = |own: &[(u32, Effect)], other: &[(u32, Effect)]| {
        let mut report = of(own);
        report.absorb(&of(other));
        report
    };
    let (permits, restricts) = (Effect::MorePermissive, Effect::MoreRestrictive);
    for (own, other, first) in [
        (&[(5, permits)][..], &[(3, restricts)][..], loss(3, restricts)),
        (&[(3, permits)], &[(5, restricts)], loss(3, permits)),
        (&[(3, permits)], &[(3, restricts)], loss(3, permits)),
        (&[], &[(4, restricts)], loss(4, restricts)),
        (&[(4, permits)], &[], loss(4, permits)),
    ] {
        assert_eq!(joined(own, other).first_loss(), Some(first));
    }
    let report = joined(&[(1, permits), (4, permits), (6, permits)], &[(2, restricts), (3, Effect::Either)]);
    assert_eq!(report.details().iter().map(|finding| number(finding.line)).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((report.total(), report.count(FindingKind::TooManyLines)), (5, 5));
    assert_eq!((report.losses(permits), report.losses(restricts), report.losses(Effect::Either)), (3, 1, 1));
}

/// A line for each finding, then a summary. [report.display] [report.suspect]
#[test]
fn a_report_has_a_line_for_each_finding_and_a_summary() {
    let shown = |file: &str| Sieve::new(["MyBot"]).filter(file.as_bytes()).unwrap().report().to_string();
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
    let report = sieved(few, "Useragent: *\nDisalow: /a\nDisalow: /b\n").report().to_string();
    assert_eq!(report.lines().last(), Some("exact: 3 repairs; 1 of 3 findings are listed"));
}

/// The answer and what decided, as printable ASCII. [report.display] [harmless.bytes]
#[test]
fn a_verdict_is_a_phrase() {
    let mybot = Sieve::new(["MyBot"]).tester(b"User-agent: *\nDisallow: /x\nAllow: /x/y\n").unwrap();
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
    let widening = Options { over_limit: OverLimit::Widen, ..limited(none_fits) };
    let widened = sieved(widening, "User-agent: *\nDisallow: /x\n");
    assert_eq!(widened.text_tester().test("/").to_string(), "disallowed: Disallow: /");
    // Google's parser keeps controls in rules.
    let google = Sieve::new(["MyBot"]).options(Dialect::Google);
    let tester = google.tester(b"User-agent: *\nDisallow: /\x1b[2J").unwrap();
    assert_eq!(tester.test(b"/\x1b[2J").to_string(), "disallowed by line 2: Disallow: /\\x1B[2J");
}

#[cfg(feature = "serde")]
/// [report.direction] [report.exact]
#[test]
fn a_report_is_counts_losses_and_findings() {
    let over = "*a".repeat(11);
    let input = format!("Useragent: *\nDisallow: /{over}\nAllow: /{over}\nbroken\nbroken\n");
    let json = serde_json::to_value(Sieve::new(["MyBot"]).filter(input.as_bytes()).unwrap().report()).unwrap();
    let expected = serde_json::json!({
        "input": { "kind": "text" },
        "exact": false,
        "losses": { "more_permissive": 1, "more_restrictive": 1, "either": 0 },
        "suspects": 0,
        "counts": { "misspelled-directive": 1, "not-a-field": 2, "too-many-wildcards": 2 },
        "findings": [
            { "line": 1, "kind": "misspelled-directive", "effect": "none" },
            { "line": 2, "kind": "too-many-wildcards", "effect": "more-permissive" },
            { "line": 3, "kind": "too-many-wildcards", "effect": "more-restrictive" },
            { "line": 4, "kind": "not-a-field", "effect": "none" },
            { "line": 5, "kind": "not-a-field", "effect": "none" },
        ],
    });
    assert_eq!(json, expected);
    for kind in FindingKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}
