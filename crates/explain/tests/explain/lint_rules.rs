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

/// What an owner means and does not get, which nothing else says: names that were given up, groups of one crawler that
/// contradict each other, permissions above all groups, uses without commas. [lint.names] [lint.rules] [lint.uses]
#[test]
fn what_does_not_do_what_it_seems_to_is_reported() {
    let count = |file: &str, kind: &str| {
        let linted = Linter::default().lint(file.as_bytes());
        linted.lints.iter().filter(|lint| lint.kind.as_str() == kind).count()
    };
    for name in ["Claude-Web", "anthropic-AI"] {
        let file = format!("User-agent: {name}\nDisallow: /\n");
        assert_eq!(count(&file, "given-up-name"), 1, "{name}");
        assert_eq!(count(&format!("{file}\nUser-agent: claudebot\nAllow: /\n"), "given-up-name"), 0, "{name}");
    }
    let two = |second: &str| format!("User-agent: ClaudeBot\nDisallow: /\n\nUser-agent: claudebot\n{second}\n");
    assert_eq!(["Allow: /", "Disallow: /", "Allow: /x"].map(|rule| count(&two(rule), "opposite-rules")), [1, 0, 0]);
    let has = |file: &str, words: &str| {
        let linted = Linter::default().lint(file.as_bytes());
        let effects = linted.fixes().map(|fix| &fix.effect);
        assert!(linted.lints.iter().map(|lint| &lint.message).chain(effects).any(|one| one.contains(words)), "{file}");
    };
    has(&two("Allow: /"), "line 2, in another group of `claudebot`, says the opposite");
    has("User-agent: \nUser-agent: a\nDisallow: /\n", "no crawler can have this name, so this line names nobody");
    // A file spells a known name otherwise.
    has("User-agent: claudebot\nDisallow: /a/../p\n", "changes answers for `ClaudeBot`: /p is then disallowed");
    // Who shares the rules, up to the last run of user-agent lines.
    has(
        "User-agent: A\nCrawl-delay: 5\nUser-agent: b\n\nFoo: 1\nUser-agent: c\n#\nUser-agent: d\nCrawl-delay: 5\nDisallow: /\n",
        "so its rules apply to `A`, `b`, too: `Disallow: /` (line 10)",
    );
    let above = |line: &str| count(&format!("{line}\n\nUser-agent: *\nDisallow: /x\n"), "above-groups");
    assert_eq!(
        ["Content-Signal: ai-train=no, search=yes", "Content-Signal: ai-train=no", "Content-Usage: train-ai=y"]
            .map(above),
        [1, 0, 1]
    );
    for line in [
        "Content-Usage: /restricted/ ai=n train-ai=n",
        "Content-Usage: train-ai=n search=y",
        "Content-Signal: ai-train=no search=yes",
        "Content-Signal: ai-train=no; search=yes",
        "Content-Usage: train-ai=n; search=n",
    ] {
        let file = format!("User-agent: *\n{line}\nDisallow: /x\n");
        let linted = Linter::default().lint(file.as_bytes());
        let helps: Vec<&str> = linted.lints.iter().filter(|lint| lint.line == 2).map(|lint| &*lint.help).collect();
        assert!(helps.iter().any(|help| help.contains("commas")), "{line}: {helps:?}");
    }
}

/// [lint.uses]
#[test]
fn what_has_no_meaning_is_a_lint() {
    let file = b"User-agent: odd\nContent-Usage: /a search=y, ai-use, tdm=n\nContent-Signal: search=maybe\n";
    let linted = Linter::default().lint(file);
    let said: Vec<_> = linted.lints.iter().map(|lint| (lint.line, lint.kind.as_str(), lint.message.as_str())).collect();
    let kind = "use-without-meaning";
    assert!(said.contains(&(2, kind, "`ai-use` says nothing: crawlers ignore it")), "{said:?}");
    assert!(said.contains(&(3, kind, "`search=maybe` says nothing: crawlers ignore it")), "{said:?}");
    assert_eq!(said.iter().filter(|one| one.1 == kind).count(), 2, "{said:?}");
    let linted = Linter::default().lint(b"User-agent: *\nContent-Usage: ai-train=n\nContent-Usage: Train-AI=n\n");
    let said: Vec<_> = linted.lints.iter().map(|lint| (lint.kind.as_str(), lint.help.as_str())).collect();
    assert!(said.contains(&(kind, "write one of train-ai, ai-use, search")), "{said:?}");
    let repaired = linted.lints.iter().find(|lint| lint.line == 3).unwrap();
    assert_eq!(
        (repaired.kind.as_str(), &repaired.fix.as_deref().unwrap().edit.lines[..]),
        ("repaired-value", &["Content-Usage: train-ai=n".into()][..])
    );
}
