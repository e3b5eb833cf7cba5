//! Advice on rules, groups and values that do less than they seem to.

use robosieve_explain::{LintKind, Linted, Linter};

use crate::lint::expect;

/// [lint.google]
#[test]
fn what_google_reads_otherwise_is_reported() {
    expect(b"User-agent: *\nDisallow: /%7Ejoe\n", &["warning google-differs 2:11-18 =?> Disallow: /~joe"]);
    // The group of another crawler is not Google's.
    expect(b"User-agent: a\nDisallow: /%7Ejoe\n", &[]);
    expect(b"User-agent: googlebot\nDisallow: /a/\n", &[]);
}

/// [lint.groups]
#[test]
fn groups_that_do_less_than_they_seem_to() {
    let closed = b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nCrawl-delay: 5\n";
    expect(closed, &["warning group-without-rules 4:13-14"]);
    // Nothing is disallowed to `*`, or the owner says that nothing is to be disallowed.
    expect(b"User-agent: *\nDisallow:\n\nUser-agent: a\nCrawl-delay: 5\n", &[]);
    expect(b"User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /x\n", &[]);
    expect(b"User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y\n", &["note repeated-group 4:13-14"]);
    expect(b"# none\n", &["note no-group 1:1-7"]);
    expect(b"", &[]);
}

/// [lint.rules], [lint.wildcards]
#[test]
fn rules_that_do_less_than_they_seem_to() {
    let file = b"User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /b\nDisallow: /b\nDisallow: /b/c\nDisallow: /*.x\n";
    expect(
        file,
        &[
            "warning opposite-rules 3:8-10",
            "note repeated-rule 5:11-13 => (delete)",
            "note rule-without-effect 6:11-15 =?> (delete)",
        ],
    );
    expect(
        b"User-agent: *\nDisallow: /a$b\nDisallow: /c*\nDisallow: */d\nDisallow: /e$\nDisallow: /f$*\n",
        &[
            "warning dollar-inside 2:11-15",
            "note last-wildcard 3:11-14 => Disallow: /c",
            "warning dollar-inside 6:11-15",
        ],
    );
    // Without the star, the blank would not count.
    expect(
        b"User-agent: *\nDisallow: /g *\nDisallow: /h\t**\n",
        &["warning google-differs 2:11-15", "warning google-differs 3:11-16"],
    );
}

/// Without the rules that are reported to have no effect, every answer is the same: [lint.rules]
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
            let lints = || linted.lints.iter();
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
        let (all, less) = (
            robosieve::Sieve::new(["a"]).tester(whole.as_bytes()).unwrap(),
            robosieve::Sieve::new(["a"]).tester(less.as_bytes()).unwrap(),
        );
        for url in urls {
            assert_eq!(all.is_allowed(url), less.is_allowed(url), "{url} {whole}");
        }
    }
}

/// So many edits are tried one by one, those first that may be safe; rules that are left out are proved together. [lint.bounds]
#[test]
fn the_first_edits_are_tried_and_the_others_counted() {
    let most = Linted::MAX_EDITS;
    for (lines, withheld) in [(most - 1, 0), (most, 0), (most + 1, 1)] {
        let misspelled: String = (0..lines).map(|line| format!("Disalow: /{line}/\n")).collect();
        let twice = "Disallow: /twice\n".repeat(2 * most);
        // A suggestion above all others is tried last.
        let file = format!("User-agent: *\nDisallow: https://e.com/a\n{misspelled}{twice}");
        let linted = Linter::default().lint(file.as_bytes());
        let suggestions = linted.fixes().filter(|fix| !fix.is_safe).count();
        let tried = lines.min(most);
        assert_eq!(linted.withheld, withheld + usize::from(lines >= most), "{lines}");
        assert_eq!(
            (suggestions, linted.fixes().count()),
            (usize::from(lines < most), lines.min(most) + 2 * most - 1 + suggestions)
        );
        assert_eq!(linted.fixes().filter(|fix| fix.edit.lines == [format!("Disallow: /{}/", tried - 1)]).count(), 1);
        // Another pass tries the others.
        let fixed = Linter::default().fix(file.as_bytes());
        assert_eq!((fixed.applied, fixed.withheld), (lines + 2 * most - 1, 0));
    }
}

/// A rule is said to change nothing only if that was compared. [lint.claim]
#[test]
fn what_was_not_compared_is_not_claimed() {
    let kinds = |file: &[u8]| -> Vec<String> {
        Linter::default().lint(file).lints.iter().map(|lint| lint.kind.to_string()).collect()
    };
    // The comment is no UTF-8, so there is no edit to try.
    assert_eq!(
        kinds(b"User-agent: *\nAllow: / # \xe9\nDisallow: *\n"),
        kinds(b"User-agent: *\nAllow: /\nDisallow: *\n")
    );
    // The longer rule hides the other one: without it alone, /x is disallowed. Without both, nothing is.
    let idle = kinds(b"User-agent: *\nDisallow: /x\nAllow: /x*\nDisallow: /y\n");
    assert_eq!(idle, ["rule-without-effect", "last-wildcard"]);
}

/// [lint.closed], [lint.values]
#[test]
fn closed_sites_and_values_are_reported() {
    expect(b"User-agent: *\nDisallow: /\n", &["note all-closed 2:11-12"]);
    expect(b"User-agent: *\nDisallow: /\nAllow: /a\n", &[]);
    expect(b"User-agent: a\nDisallow: /\n", &[]);
    let values =
        b"User-agent: *\nDisallow: /x\nCrawl-delay: 30\nUser-agent: b\nCrawl-delay: 31\nNoindex: /y\nNoindex: /z\n\
        Disallow:\nHost: e.com\n";
    expect(values, &["warning retired 6:1-8", "warning retired 9:1-5"]);
    // Others may read a name that no standard of robots.txt has.
    expect(b"User-agent: *\nDisallow: /x\nTDM-Reservation: 1\n", &["warning unknown-directive 3:1-16"]);
    expect(b"User-agent: *\nDisallow: /x\nOther: 1\n", &["warning unknown-directive 3:1-6 => # Other: 1"]);
}
