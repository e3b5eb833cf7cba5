//! What the owner of a file is told.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod common;

use std::fmt::Write as _;

use robosieve::report::FindingKind;
use robosieve_explain::{LintKind, Linted, Linter, Severity};

/// A line for each lint: `severity kind line:start-end`, and the replacement.
fn listed(linted: &Linted<'_>) -> String {
    let mut out = String::new();
    for lint in linted.lints() {
        let columns = lint.columns;
        write!(out, "{} {} {}:{}-{}", lint.severity, lint.kind, lint.line, columns.start, columns.end).unwrap();
        if !lint.replacement.is_empty() {
            write!(out, " => {}", lint.replacement.join(" / ")).unwrap();
        }
        out.push('\n');
    }
    out
}

#[track_caller]
fn expect(file: &[u8], lints: &[&str]) {
    let found = listed(&Linter::default().lint(file));
    let expected: String = lints.iter().flat_map(|line| [line, "\n"]).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(file));
}

/// [lint.finding], [lint.place], [lint.severity], [lint.replacement]
#[test]
fn findings_are_told_with_what_to_write_instead() {
    let cases: &[(&[u8], &[&str])] = &[
        (b"User-agent: *\nDisalow: /x\n", &["warning misspelled-directive 2:1-8 => Disallow: /x"]),
        (b"User-agent: *\nDisallow /x\n", &["warning missing-colon 2:1-12 => Disallow: /x"]),
        (b"User-agent: *\n  Disallow :  tmp  # t\n", &["warning missing-slash 2:15-18 => Disallow: /tmp"]),
        (b"User-agent: *\nDisallow:\n  /x\n", &["warning folded-line 2:1-9 => Disallow: /x"]),
        (b"User-agent: *\nDisallow: https://e.com/a/\n", &["error url-in-rule 2:11-27 => Disallow: /a/"]),
        (b"User-agent: *\nDisallow: https://e.com\n", &["error url-in-rule 2:11-24"]),
        (b"User-agent: *\nAllow: /a /b\n", &["error several-paths 2:8-13 => Allow: /a / Allow: /b"]),
        (b"User-agent: *\nDisallow: /x // all of it\n", &["error note-in-rule 2:11-26 => Disallow: /x  # all of it"]),
        (b"User-agent: A, B\nDisallow: /x\n", &["error agent-list 1:13-17 => User-agent: A / User-agent: B"]),
        (
            b"User-agent: Mozilla/5.0 (compatible; DanBot/1.0; +http://d)\nDisallow: /x\n",
            &["error agent-header 1:13-60 => User-agent: DanBot"],
        ),
        (b"User-agent: a bot\nDisallow: /x\n", &["note agent-text 1:13-18 => User-agent: a"]),
        (
            b"Disallow: /x\nUser-agent: *\nAllow: /\nDisallow: /y",
            &["error rule-without-agent 1:1-13 => User-agent: * / Disallow: /x", "note rule-without-effect 3:8-9"],
        ),
        (
            b"User-agent: *\nDisallow: /x\nFoo: 1\nno field here\n",
            &["warning unknown-directive 3:1-4", "warning not-a-field 4:1-14"],
        ),
        (
            b"Sitemap: /s.xml\nSitemap:\nUser-agent: *\nDisallow: /x\nCrawl-delay: [5]\n",
            &["error relative-url 1:10-16", "warning invalid-value 2:1-8", "error invalid-value 5:14-17"],
        ),
    ];
    for (file, lints) in cases {
        expect(file, lints);
    }
}

/// Every kind of finding has words for the owner that say what to do: [lint.finding]
#[test]
fn findings_of_the_corpus_are_told() {
    let mut told = std::collections::BTreeSet::new();
    for (path, bytes) in common::corpus() {
        let linted = Linter::default().lint(&bytes);
        for lint in linted.lints() {
            assert!(!lint.message.is_empty() && !lint.clause.is_empty(), "{}: {lint:?}", path.display());
            let text = format!("{}{}{}", lint.message, lint.help, lint.replacement.concat());
            assert!(text.chars().all(robosieve::printable::is_shown), "{}: {lint:?}", path.display());
            let line = linted.line(lint.line);
            let bytes = lint.columns.bytes();
            assert!(bytes.start <= bytes.end && bytes.end <= line.len(), "{}: {lint:?} {line:?}", path.display());
            if let LintKind::Found(kind) = lint.kind {
                assert!(!lint.help.is_empty(), "{}: no help for {kind:?}", path.display());
                told.insert(kind);
            }
        }
    }
    assert!(told.len() > 30, "only {told:?}");
    assert!(told.contains(&FindingKind::GluedRule) && told.contains(&FindingKind::Utf16), "{told:?}");
}

/// Written as it is proposed, a line has no error any more: [lint.replacement]
#[test]
fn replacements_have_no_error() {
    let mut tried = 0;
    for (path, bytes) in common::corpus() {
        for lint in Linter::default().lint(&bytes).lints().iter().filter(|lint| !lint.replacement.is_empty()) {
            let lines = lint.replacement.join("\n");
            let is_agent = lines.to_ascii_lowercase().starts_with("user-agent");
            let file = if is_agent { format!("{lines}\nDisallow: /0\n") } else { format!("User-agent: *\n{lines}\n") };
            let errors = Linter::default().lint(file.as_bytes()).count(Severity::Error);
            assert_eq!(errors, 0, "{}: {lint:?}", path.display());
            tried += 1;
        }
    }
    assert!(tried > 50, "only {tried}");
}

/// [lint.one-cause], [lint.not-robots]
#[test]
fn a_cause_is_told_once() {
    expect(b"User-agent: *\nDisallow: https://e.com/a b\n", &["error url-in-rule 2:11-28"]);
    expect(b"User-agent: *\nDisallow: /a b\n", &["warning google-differs 2:11-15 => Disallow: /a%20b"]);
    expect(b"<!DOCTYPE html>\n<p>a: b</p>\n<a href=x>\n", &["error not-robots-txt 1:1-16"]);
}

/// [lint.google]
#[test]
fn what_google_reads_otherwise_is_told() {
    expect(b"User-agent: *\nDisallow: /%7Ejoe\n", &["warning google-differs 2:11-18 => Disallow: /~joe"]);
    // The group of another crawler is not Google's.
    expect(b"User-agent: a\nDisallow: /%7Ejoe\n", &[]);
    expect(b"User-agent: googlebot\nDisallow: /a/\n", &[]);
}

/// [lint.groups]
#[test]
fn groups_that_do_less_than_they_seem_to() {
    let closed = b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nCrawl-delay: 5\n";
    expect(closed, &["warning group-without-rules 4:13-14", "note ignored-by-google 5:1-12"]);
    // Nothing is disallowed to `*`, or the owner says that nothing is to be disallowed.
    expect(b"User-agent: *\nDisallow:\n\nUser-agent: a\nCrawl-delay: 5\n", &["note ignored-by-google 5:1-12"]);
    expect(b"User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /x\n", &[]);
    expect(b"User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y\n", &["note repeated-group 4:13-14"]);
    expect(b"# none\n", &["note no-group 1:1-7"]);
    expect(b"", &[]);
}

/// [lint.rules], [lint.wildcards]
#[test]
fn rules_that_do_less_than_they_seem_to() {
    let file = b"User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /b\nDisallow: /b\nDisallow: /b/c\nDisallow: /*.x\n";
    expect(file, &["warning opposite-rules 3:8-10", "note repeated-rule 5:11-13", "note rule-without-effect 6:11-15"]);
    expect(
        b"User-agent: *\nDisallow: /a$b\nDisallow: /c*\nDisallow: */d\nDisallow: /e$\n",
        &["warning dollar-inside 2:11-15", "note last-wildcard 3:11-14"],
    );
}

/// Without the rules that are told to have no effect, every answer is the same: [lint.rules]
#[test]
fn rules_without_effect_have_none() {
    let paths = ["/a", "/a/b", "/*b", "/b$", "/", "/a*", "*/a"];
    let urls = ["/", "/a", "/a/b", "/a/bc", "/b", "/bb", "/x/a", "/xb"];
    // The order of rules changes no answer, so each set of three is tried in one order.
    let sets = (0..14_usize).flat_map(|a| (0..=a).flat_map(move |b| (0..=b).map(move |c| [a, b, c])));
    for (number, mut rules) in sets.enumerate() {
        rules.rotate_left(number % 3);
        let line = |rule: &usize| format!("{}: {}\n", ["Allow", "Disallow"][rule % 2], paths[rule / 2]);
        let file = |rules: &[usize]| format!("User-agent: *\n{}", rules.iter().map(line).collect::<String>());
        let whole = file(&rules);
        let linted = Linter::default().lint(whole.as_bytes());
        // Of opposite rules the Disallow loses.
        let is_idle = |line: &u32| {
            let lints = || linted.lints().iter();
            lints().any(|lint| (lint.kind, lint.line) == (LintKind::RuleWithoutEffect, *line))
                || whole.lines().nth(*line as usize - 1).is_some_and(|text| {
                    text.strip_prefix("Disallow")
                        .is_some_and(|path| whole.lines().any(|other| other.strip_prefix("Allow") == Some(path)))
                })
        };
        let idle: Vec<u32> = (2..5).filter(is_idle).map(|line| line - 2).collect();
        let kept: Vec<usize> =
            (0..).zip(rules).filter(|(place, _)| !idle.contains(place)).map(|(_, rule)| rule).collect();
        let less = file(&kept);
        let (all, less) = (robosieve::tester(whole.as_bytes(), &["a"]), robosieve::tester(less.as_bytes(), &["a"]));
        for url in urls {
            assert_eq!(all.is_allowed(url), less.is_allowed(url), "{url} {whole}");
        }
    }
}

/// [lint.closed], [lint.values]
#[test]
fn closed_sites_and_values_are_told() {
    expect(b"User-agent: *\nDisallow: /\n", &["note all-closed 2:11-12"]);
    expect(b"User-agent: *\nDisallow: /\nAllow: /a\n", &[]);
    expect(b"User-agent: a\nDisallow: /\n", &[]);
    expect(b"User-agent: *\nDisallow: /*.js$\nDisallow: /x.js\n", &["note resources-closed 2:11-17"]);
    let values =
        b"User-agent: *\nDisallow: /x\nCrawl-delay: 30\nUser-agent: b\nCrawl-delay: 31\nNoindex: /y\nNoindex: /z\n\
        Disallow:\nHost: e.com\n";
    expect(
        values,
        &[
            "note ignored-by-google 3:1-12",
            "warning long-crawl-delay 5:14-16",
            "warning retired 6:1-8",
            "warning retired 9:1-5",
        ],
    );
}
