//! What lint says to the owner of a file.

use std::fmt::Write as _;

use robosieve::report::FindingKind;
use robosieve_explain::{LintKind, Linted, Linter};

/// A line for each lint: `severity kind line:start-end`, and the replacement.
fn listed(linted: &Linted<'_>) -> String {
    let mut out = String::new();
    for lint in &linted.lints {
        let columns = lint.columns;
        write!(out, "{} {} {}:{}-{}", lint.severity, lint.kind, lint.line, columns.start, columns.end).unwrap();
        if let Some(fix) = &lint.fix {
            let arrow = if fix.is_safe { "=>" } else { "=?>" };
            let lines = if fix.edit.lines.is_empty() { "(delete)".into() } else { fix.edit.lines.join(" / ") };
            write!(out, " {arrow} {lines}").unwrap();
        }
        out.push('\n');
    }
    out
}

#[track_caller]
pub(crate) fn expect(file: &[u8], lints: &[&str]) {
    let found = listed(&Linter::default().lint(file));
    let expected: String = lints.iter().flat_map(|line| [line, "\n"]).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(file));
}

/// [lint.finding], [lint.place], [lint.severity], [lint.replacement]
#[test]
fn findings_are_reported_with_what_to_write_instead() {
    let cases: &[(&[u8], &[&str])] = &[
        (b"User-agent: *\nDisalow: /x\n", &["warning misspelled-directive 2:1-8 => Disallow: /x"]),
        (b"User-agent: *\nDisallow /x\n", &["warning missing-colon 2:1-12 => Disallow: /x"]),
        (b"User-agent: *\n  Disallow :  tmp  # t\n", &["warning missing-slash 2:15-18 =?> Disallow: /tmp  # t"]),
        // Google reads an empty Disallow and no rule.
        (b"User-agent: *\nDisallow:\n  /x\n", &["warning folded-line 2:1-9 =?> Disallow: /x"]),
        (b"User-agent: *\nDisallow: https://e.com/a/\n", &["error url-in-rule 2:11-27 =?> Disallow: /a/"]),
        (b"User-agent: *\nDisallow: https://e.com\n", &["error url-in-rule 2:11-24"]),
        (b"User-agent: *\nAllow: /a /b\n", &["error several-paths 2:8-13 => Allow: /a / Allow: /b"]),
        (b"User-agent: *\nDisallow: /x // all of it\n", &["error note-in-rule 2:11-26 =?> Disallow: /x  # all of it"]),
        (b"User-agent: A, B\nDisallow: /x\n", &["error agent-list 1:13-17 =?> User-agent: A / User-agent: B"]),
        (
            b"User-agent: Mozilla/5.0 (compatible; DanBot/1.0; +http://d)\nDisallow: /x\n",
            &["error agent-header 1:13-60 =?> User-agent: DanBot  # Mozilla/5.0 (compatible; DanBot/1.0; +http://d)"],
        ),
        // The name may be another one without its blank.
        (b"User-agent: a bot\nDisallow: /x\n", &["note agent-text 1:13-18"]),
        (
            b"User-agent: Googlebot (all)\nDisallow: /x\n",
            &["note agent-text 1:13-28 => User-agent: Googlebot  # Googlebot (all)"],
        ),
        (
            b"Disallow: /x\nUser-agent: *\nAllow: /\nDisallow: /y",
            &["error rule-without-agent 1:1-13 =?> User-agent: * / Disallow: /x", "note rule-without-effect 3:8-9"],
        ),
        (
            b"User-agent: *\nDisallow: /x\nFoo: 1\nno field here\n",
            &["warning unknown-directive 3:1-4 => # Foo: 1", "warning not-a-field 4:1-14 => # no field here"],
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

/// Each row is whole and of one kind, and each kind that is no finding of the parser has one: [lint.finding]
#[test]
fn the_words_of_kinds_are_whole() {
    let rows = |table: &'static str, fields: usize| {
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<&str>> = rows.map(|row| row.split('\t').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == fields), "a field is missing");
        rows
    };
    assert!(rows(include_str!("../../data/without_standard.tsv"), 2).iter().flatten().all(|field| !field.is_empty()));
    let mut own = LintKind::all().filter(|kind| !matches!(kind, LintKind::Found(_))).collect::<Vec<_>>();
    for row in rows(include_str!("../../data/findings.tsv"), 5) {
        let kind = LintKind::all().find(|kind| kind.as_str() == row[0]).unwrap();
        assert!(kind.severity().as_str() == row[1] && ["name", "value", "line"].contains(&row[2]), "{kind}");
        assert!(!matches!(kind, LintKind::Found(_)) || row.iter().all(|field| !field.is_empty()), "{kind}");
        own.retain(|other| *other != kind);
    }
    assert_eq!(own, []);
}

/// Every kind of finding has words for the owner that say what to do: [lint.finding]
#[test]
fn findings_of_the_corpus_are_reported() {
    let mut said = std::collections::BTreeSet::new();
    for (path, bytes) in crate::families::corpus::files() {
        let linted = Linter::default().lint(&bytes);
        for lint in &linted.lints {
            assert!(!lint.message.is_empty() && !lint.clause.is_empty(), "{}: {lint:?}", path.display());
            let text = format!(
                "{}{}{}",
                lint.message,
                lint.help,
                lint.fix.as_deref().map_or(String::new(), |fix| fix.edit.lines.concat())
            );
            assert!(
                text.chars().all(|one| one == '\t' || robosieve_printable::is_shown(one)),
                "{}: {lint:?}",
                path.display()
            );
            let line = linted.line(lint.line);
            let bytes = lint.columns.bytes();
            assert!(bytes.start <= bytes.end && bytes.end <= line.len(), "{}: {lint:?} {line:?}", path.display());
            if let LintKind::Found(kind) = lint.kind {
                assert!(!lint.help.is_empty(), "{}: no help for {kind:?}", path.display());
                said.insert(kind);
            }
        }
    }
    assert!(said.len() > 30, "only {said:?}");
    assert!(said.contains(&FindingKind::GluedRule) && said.contains(&FindingKind::Utf16), "{said:?}");
}

/// What follows from advice is what its owner meant, and no site is opened or closed: [lint.law], [lint.claim],
/// [lint.no-group]. Each file is the smallest of its kind.
#[test]
fn advice_does_no_harm() {
    let cases: &[(&str, &[&str])] = &[
        // The only rule of a group, and a rule that ends a run of user-agent lines.
        ("User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", &["note all-closed 5:11-12"]),
        ("User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /x\n", &[]),
        // A tie: without its star the Allow is shorter than the Disallow.
        ("User-agent: *\nAllow: /a*\nDisallow: /*a\n", &[]),
        // The line that is to be corrected is the user-agent line.
        (
            "User-agent: *\nAllow: /\n\nUser-agent: *OrkashBot*\nDisallow: /\n",
            &["error agent-without-token 4:13-24 =?> User-agent: OrkashBot", "error rule-without-agent 5:1-12"],
        ),
        (
            "User-agent: \"GPTBot\"\nDisallow: /\n",
            &["error agent-without-token 1:13-21 =?> User-agent: GPTBot", "error rule-without-agent 2:1-12"],
        ),
        (
            "User-agent: \u{2013} [GPTBot]\nDisallow: /\n",
            &["error agent-without-token 1:13-25 =?> User-agent: GPTBot", "error rule-without-agent 2:1-12"],
        ),
        ("User-agent:\nDisallow: /\n", &["error agent-without-token 1:1-11", "error rule-without-agent 2:1-12"]),
        (
            "Usr-agent: GPTBot\nDisallow: /\n",
            &["error almost-directive 1:1-18 =?> User-agent: GPTBot", "error rule-without-agent 2:1-12"],
        ),
        // A name that is glued to a rule is no name without the rule.
        ("User-agent: *Disallow: /\n", &["error glued-directive 1:13-25 =?> User-agent: * / Disallow: /"]),
        ("User-agent: GPTBotAllow: /\n", &["error glued-directive 1:13-27 => User-agent: GPTBot / Allow: /"]),
        (
            "User-agent: GPTBotDisallow: /User-agent: CCBotDisallow: /\n",
            &["error glued-directive 1:13-58 =?> User-agent: GPTBot / Disallow: / / User-agent: CCBot / Disallow: /"],
        ),
        // To Google they are two rules, of which it ignores the first.
        ("User-agent: *\nDisallow: ~x\nDisallow: /~x\n", &["warning missing-slash 2:11-13 => Disallow: /~x"]),
        // Links that a page's script did not fill in.
        (
            "User-agent: *\nDisallow: /{{url}}\nDisallow: /a/${b}/\n",
            &["warning google-differs 2:11-19", "warning dollar-inside 3:11-19", "warning google-differs 3:11-19"],
        ),
        (
            "User-agent: *Disabllow: /\nDisallow: /\n",
            &["error agent-without-token 1:13-26", "error rule-without-agent 2:1-12"],
        ),
        ("User-agents* x\nDisallow: /x\n", &["error almost-directive 1:1-15", "error rule-without-agent 2:1-13"]),
        ("User-agent: b\nAllow: /a\nDisabllow/:/x\n", &["error almost-directive 3:1-14"]),
        // No crawler has a directive's name: it was glued to something.
        (
            "User-agent: *User-agent\nDisallow: /x\n",
            &["error agent-without-token 1:13-24", "error rule-without-agent 2:1-13"],
        ),
        ("User-agent: GPTBot, Disallow\nDisallow: /x\n", &["error agent-list 1:13-29"]),
        // It would close the site to all.
        ("Disallow: /\n", &["error rule-without-agent 1:1-12"]),
        ("User-agent: *\nDisallow: https://e.com/\n", &["error url-in-rule 2:11-25"]),
        ("User-agent: *\nDisallow: https://other.com/a\nSitemap: https://e.com/s\n", &["error url-in-rule 2:11-30"]),
        (
            "User-agent: *\nDisallow: https://www.e.com/a\nSitemap: https://e.com/s\n",
            &["error url-in-rule 2:11-30 =?> Disallow: /a"],
        ),
        // What Google disallows to Googlebot-News is not what Googlebot may not fetch.
        (
            "User-agent: Googlebot-News\nDisallow: /p b\nUser-agent: Googlebot\nDisallow: /*p\n",
            &["warning google-differs 2:11-15 =?> Disallow: /p%20b"],
        ),
        // Names that cannot be guessed, and the name of a browser.
        ("User-agent: Exalead Crawler\nDisallow: /x\n", &["note agent-text 1:13-28"]),
        ("User-agent: Mozilla/5.0 (Windows NT 10.0)\nDisallow: /x\n", &["error agent-header 1:13-42"]),
        (
            "User-agent: Mozilla/5.0 (compatible; ABot/2; +http://a/b) https://b/c\nDisallow: /x\n",
            &["error agent-header 1:13-70"],
        ),
        ("User-agent: *\nDisalow: /caf\u{e9}\n", &["warning misspelled-directive 2:1-8 => Disallow: /caf\u{e9}"]),
    ];
    for (file, lints) in cases {
        expect(file.as_bytes(), lints);
    }
}

/// [lint.never-sent], [lint.urls], [lint.names], [lint.joined], [lint.dropped], [lint.glued],
/// [lint.slips]
#[test]
fn what_was_meant_is_guessed() {
    let cases: &[(&str, &[&str])] = &[
        ("Disallow: \"/p/\"\n", &["error never-sent 2:11-16 =?> Disallow: /p/"]),
        ("Disallow: \u{201c}/p/\u{201d}\n", &["error never-sent 2:11-20 =?> Disallow: /p/"]),
        ("Disallow: \\p\\\n", &["error never-sent 2:11-14 =?> Disallow: /p/"]),
        ("Disallow: /a/../p\n", &["error never-sent 2:11-18 =?> Disallow: /p"]),
        ("Disallow: /../p\n", &["error never-sent 2:11-16"]),
        ("Disallow: /*/../p\n", &["error never-sent 2:11-18"]),
        ("Disallow: {{ path }}\n", &["error never-sent 2:11-21"]),
        ("Disallow: undefined\n", &["error never-sent 2:11-20"]),
        ("Disallow: .js\n", &["warning missing-slash 2:11-14 =?> Disallow: /*.js"]),
        ("Disallow: ?sort=\n", &["warning missing-slash 2:11-17 =?> Disallow: /*?sort="]),
        ("Disallow: /?a=1&amp;b=2\n", &["warning html-entity 2:11-24 =?> Disallow: /?a=1&b=2"]),
        ("Disallow: /p and /q\n", &["error several-paths 2:11-20 =?> Disallow: /p / Disallow: /q"]),
        ("Disabllow: /p\n", &["error almost-directive 2:1-14 =?> Disallow: /p"]),
        ("Alllow: /pq\nDisallow: /p\n", &["error almost-directive 2:1-12 =?> Allow: /pq"]),
        ("Fallow: land\n", &["warning unknown-directive 2:1-7"]),
        ("Disallow: /p\nSitmap: https://e.com/s\n", &["warning unknown-directive 3:1-7 =?> Sitemap: https://e.com/s"]),
        ("Disallow: /p\nCrawl-dealy: 10\n", &["warning unknown-directive 3:1-12 =?> Crawl-delay: 10"]),
        (
            "Disallow: /p\nContent-Signals: ai-train=no\n",
            &["warning unknown-directive 3:1-16 =?> Content-Signal: ai-train=no"],
        ),
        ("Disallow: /pCrawl-delay: 10\n", &["error glued-rule 2:11-28 =?> Disallow: /p / Crawl-delay: 10"]),
        ("Disallow: /p<br>Disallow: /q\n", &["error glued-rule 2:11-29 =?> Disallow: /p / Disallow: /q"]),
        ("Disallow: /p q<br>Disallow: /r\n", &["error glued-rule 2:11-31"]),
        // It would close the site to all.
        ("Disallow: /Sitemap: https://e.com/s\n", &["error glued-rule 2:11-36"]),
        ("Allow: /Sitemap: https://e.com/s\n", &["error glued-rule 2:8-33 =?> Allow: / / Sitemap: https://e.com/s"]),
        ("Crawl-delay: 10Disallow: /p\n", &["error glued-directive 2:14-28 =?> Crawl-delay: 10 / Disallow: /p"]),
        (
            "Disallow: /p\nSitemap: https://e.com/sSitemap: https://e.com/t\n",
            &["error joined-sitemaps 3:10-49 =?> Sitemap: https://e.com/s / Sitemap: https://e.com/t"],
        ),
        (
            "Disallow: /p\nSitemap: https://e.com/shttps://e.com/t\n",
            &["error joined-sitemaps 3:10-40 =?> Sitemap: https://e.com/s / Sitemap: https://e.com/t"],
        ),
        ("Disallow: /p\\nDisallow: /q\n", &["error glued-rule 2:11-27 =?> Disallow: /p / Disallow: /q"]),
        (
            "Disallow: /x\nSitemap: https://e.com/a, https://e.com/b\n",
            &["error joined-sitemaps 3:10-42 =?> Sitemap: https://e.com/a / Sitemap: https://e.com/b"],
        ),
        ("Disallow:: /p\n", &["error several-paths 2:10-14 =?> Disallow: /p"]),
        ("Disallow: /p/.*\n", &["warning dot-star 2:11-16"]),
        (
            "Disallow: /p/\nSitemap: https://https://e.com/s\n",
            &["error no-single-url 3:10-33 =?> Sitemap: https://e.com/s"],
        ),
        (
            "Disallow: /p/\nLicense: https://http://e.com/l\n",
            &["error no-single-url 3:10-32 =?> License: http://e.com/l"],
        ),
        ("Disallow: /p/\nSitemap: (https://e.com/s)\n", &["error invalid-value 3:10-27 =?> Sitemap: https://e.com/s"]),
        ("Disallow: / wp-admin /\n", &["error several-paths 2:11-23"]),
        // What follows a path is a note only if it has words: else its signs stay where they stand.
        ("Disallow: /p // old\n", &["error note-in-rule 2:11-20 =?> Disallow: /p  # old"]),
        ("Disallow: /p -- old\n", &["error note-in-rule 2:11-20 =?> Disallow: /p  # old"]),
        ("Disallow: /p ; old\n", &["error note-in-rule 2:11-19 =?> Disallow: /p  # old"]),
        ("Disallow: /p //////\n", &["error note-in-rule 2:11-20 =?> Disallow: /p  # ////"]),
        ("Disallow: /p ---- b\n", &["error note-in-rule 2:11-20 =?> Disallow: /p  # -- b"]),
        ("Disallow: /p //\n", &["error note-in-rule 2:11-16 =?> Disallow: /p  # //"]),
        ("Disallow: /p/\nSitemap: https://e.com/s and more\n", &["error no-single-url 3:10-34"]),
        (
            "Disallow: /p/\nSitemap: https://e.com/s Sitemap: https://e.com/t\n",
            &["error joined-sitemaps 3:10-50 =?> Sitemap: https://e.com/s / Sitemap: https://e.com/t"],
        ),
    ];
    for (line, lints) in cases {
        expect(format!("User-agent: *\n{line}").as_bytes(), lints);
    }
    let cases: &[(&str, &[&str])] = &[
        ("Googlebot/2.1", &[]),
        ("GTPBot", &["warning near-name 1:13-19"]),
        ("Google", &["warning near-name 1:13-19"]),
        ("All", &["warning not-everyone 1:13-16"]),
        (".*", &["warning not-everyone 1:13-15"]),
        ("bot", &[]),
        ("G\u{43e}oglebot", &["warning agent-cut 1:13-23"]),
    ];
    for (name, lints) in cases {
        expect(format!("User-agent: {name}\nDisallow: /x\n").as_bytes(), lints);
    }
    expect(
        b"User-agent: *\nCrawl-delay: 10\nSitemap: https://e.com/s\n\nUser-agent: AhrefsBot\nDisallow: /\n",
        &["error nobody-may-fetch 5:13-22", "note all-closed 6:11-12"],
    );
    expect(
        b"User-agent: *\nDisallow: /p/\nCrawl-delay: 5\n\nUser-agent: b\nDisallow: /q/\n",
        &["warning group-drops-rules 5:13-14"],
    );
    // A group that is an exception to a closed site.
    expect(b"User-agent: *\nDisallow: /\nUser-agent: b\nDisallow: /q/\n", &["note all-closed 2:11-12"]);
}

/// [lint.not-robots]
#[test]
fn a_line_of_html_hides_nothing() {
    let file = b"<!-- made by CMS -->\nUseragent: *\nDisalow: /cart\n";
    expect(file, &["error not-robots-txt 1:1-21"]);
    let all = "error not-robots-txt 1:1-21\nwarning misspelled-directive 2:1-10\nwarning misspelled-directive 3:1-8\n";
    assert_eq!(listed(&Linter::default().show_all().lint(file)), all);
    let fixed = |linter: Linter| linter.fix(file);
    for linter in [Linter::default(), Linter::default().show_all()] {
        let fixed = fixed(linter);
        assert_eq!((fixed.looks_like.as_deref(), fixed.bytes.as_slice()), (Some("an HTML page"), &file[..]));
    }
    assert_eq!(fixed(Linter::default().force()).bytes, b"<!-- made by CMS -->\nUser-agent: *\nDisallow: /cart\n");
    let page = Linter::default().lint(b"<!DOCTYPE html>\n<p>a: b</p>\n<a href=x>\n");
    let said = &page.lints[0].message;
    assert_eq!(said, "this is not a robots.txt file: it looks like an HTML page; 2 other findings are not shown");
}

/// [lint.not-robots]
#[test]
fn what_is_no_robots_txt_is_not_edited() {
    let cases: &[(&str, &str)] = &[
        ("{\"User-agent\": \"*\"}\n", "JSON"),
        ("<html>\nUser-agent: *\nDisalow: /a\n</html>\n", "an HTML page"),
        ("#!/bin/sh\necho 'User-agent: *'\nDisallow: /a\n", "a script"),
        ("---\nname: build\non:\n  push:\nallow: /a\n", "YAML"),
        ("name: build\non:\n  push:\n    branches: [main]\njobs:\n  a:\nallow: /a\n", "source code"),
        ("## Rules\nWe write:\n```\nUser-agent: *\n```\n- all: yes\n- more: no\n(see below)\n", "Markdown"),
        (
            "const robots = {\n  rules: [\n    { userAgent: '*', allow: '/' },\n  ],\n};\nuserAgent = \"iOS\";\n",
            "source code",
        ),
        ("404 page not found\n", "a text without a directive"),
    ];
    for (file, what) in cases {
        let linted = Linter::default().lint(file.as_bytes());
        assert_eq!((linted.looks_like(), linted.lints.len()), (Some(*what), 1), "{file}: {:?}", linted.lints);
        assert_eq!(linted.lints[0].kind, LintKind::Found(FindingKind::NotRobotsTxt));
        assert!(linted.lints[0].message.contains(what), "{file}");
        let linted = Linter::default().show_all().lint(file.as_bytes());
        assert!(linted.lints.iter().all(|lint| lint.fix.is_none()), "{file}");
        let fixed = Linter::default().fix(file.as_bytes());
        assert_eq!((fixed.bytes.as_slice(), fixed.applied), (file.as_bytes(), 0), "{file}");
    }
    for file in
        ["", "# none\n", "Sitemap: https://e.com/s\nnote\n", "Uers-agent: *\nDsiallow: /\n", "User-agent: *\na\nb\nc\n"]
    {
        assert_eq!(Linter::default().lint(file.as_bytes()).looks_like(), None, "{file}");
    }
}

/// [lint.words]: what goes is said.
#[test]
fn no_word_is_lost() {
    let fixes = |file: &str| -> Vec<(Vec<String>, String)> {
        let linted = Linter::default().lint(file.as_bytes());
        linted.fixes().map(|fix| (fix.edit.lines.clone(), fix.effect.clone())).collect()
    };
    let removes = |line: &str| (Vec::new(), format!("removes {line}"));
    assert_eq!(fixes("User-agent: *\nDisallow: /a\nDisallow: /a/b\n"), [removes("the rule `Disallow: /a/b`")]);
    assert_eq!(fixes("User-agent: *\nDisallow: /a\nDisallow: /a\n"), [(Vec::new(), "changes no answer".to_owned())]);
    let url = fixes("User-agent: *\nDisallow: https://e.com/a\nDisallow: /b\n");
    assert_eq!(url[0].0, ["Disallow: /a"]);
    assert!(url[0].1.ends_with(", and removes `https://e.com`"), "{url:?}");
}

/// [lint.claim]: who follows all notes changes no answer.
#[test]
fn notes_hold_together() {
    let file =
        b"User-agent: a\nAllow: /\nDisallow: /ca/\nAllow: /\nUser-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /\n";
    let kinds: Vec<_> = Linter::default().lint(file).lints.iter().map(|lint| (lint.line, lint.kind.as_str())).collect();
    assert!(!kinds.contains(&(2, "rule-without-effect")), "{kinds:?}");
    assert!(kinds.contains(&(4, "repeated-rule")), "{kinds:?}");
}

/// [lint.dropped], [lint.closed], [lint.names], [lint.groups]: what opens or closes more than it seems to.
#[test]
fn what_opens_and_closes_sites_is_reported() {
    let words = |file: &str, kind: &str| -> Vec<String> {
        let linted = Linter::default().lint(file.as_bytes());
        linted.lints.iter().filter(|lint| lint.kind.as_str() == kind).map(|lint| lint.message.clone()).collect()
    };
    let restricted = "User-agent: *\nDisallow: /api/\n\n";
    let opens = words(&format!("{restricted}User-agent: GPTBot\nAllow: /\n"), "group-opens");
    assert_eq!(
        opens,
        [
            "the rules for `*` do not apply to GPTBot, which may fetch what this rule disallows: `Disallow: /api/` (line 2)"
        ]
    );
    for group in
        ["User-agent: GPTBot\nDisallow:\n", "User-agent: AdsBot-Google\nAllow: /\n", "User-agent: b\nDisallow: /\n"]
    {
        assert!(words(&format!("{restricted}{group}"), "group-opens").is_empty(), "{group}");
    }
    assert!(words("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /\n", "group-opens").is_empty());
    let engine = words(&format!("{restricted}User-agent: a\nUser-agent: googlebot\nAllow: /\n"), "engine-opens");
    assert!(engine.len() == 1 && engine[0].contains("do not apply to googlebot and 1 more, which"), "{engine:?}");
    let empty = words(&format!("{restricted}User-agent: b\nCrawl-delay: 5\n"), "group-without-rules");
    assert!(empty[0].ends_with("so b may fetch everything, also `Disallow: /api/` (line 2)"), "{empty:?}");

    for rules in ["/", "/*$", "*", "/*", "/?*\nDisallow: /", "/*a\nDisallow: /\nAllow: /robots.txt", "/$\nDisallow: /*"]
    {
        assert_eq!(words(&format!("User-agent: *\nDisallow: {rules}\n"), "all-closed").len(), 1, "{rules}");
    }
    for rules in ["/$", "/?*", "/*a", "/\nAllow: /$"] {
        assert!(words(&format!("User-agent: *\nDisallow: {rules}\n"), "all-closed").is_empty(), "{rules}");
    }
    let closed = words("User-agent: Googlebot\nDisallow: /\n", "all-closed");
    assert!(closed[0].contains("to Googlebot"), "{closed:?}");
    assert_eq!(words("User-agent: a\nDisallow: /\n", "all-closed"), [""; 0]);

    let named = |name: &str, kind: &str| words(&format!("User-agent: {name}\nDisallow: /x\n"), kind);
    let google = named("Google", "near-name");
    assert!(google[0].starts_with("no crawler has the name Google; those of Google are Googlebot, "), "{google:?}");
    assert!(google[0].ends_with(" more"), "{google:?}");
    assert_eq!(named("chatgpt", "near-name").len(), 1);
    for name in ["Yandex", "Pinterest", "Linguee", "netEstate"] {
        assert!(named(name, "near-name").is_empty(), "{name}");
    }
    let both = |rule: &str| format!("User-agent: Semrush\nDisallow: /x\nUser-agent: SemrushBot\nDisallow: {rule}\n");
    assert_eq!(["/x", "/y", "/x\nDisallow: /y"].map(|rule| words(&both(rule), "near-name").len()), [0, 1, 1]);
}

/// Written as it is proposed, a line has no error any more: [lint.replacement]
#[test]
fn replacements_have_no_error() {
    let mut tried = 0;
    for (path, bytes) in crate::families::corpus::files() {
        for fix in Linter::default().lint(&bytes).fixes().filter(|fix| !fix.edit.lines.is_empty()) {
            let lines = fix.edit.lines.join("\n");
            let is_agent = lines.to_ascii_lowercase().starts_with("user-agent");
            let file = if is_agent { format!("{lines}\nDisallow: /0\n") } else { format!("User-agent: *\n{lines}\n") };
            let errors = Linter::default().lint(file.as_bytes()).errors;
            assert_eq!(errors, 0, "{}: {fix:?}", path.display());
            tried += 1;
        }
    }
    assert!(tried > 50, "only {tried}");
}

/// [lint.words], [lint.safe], [lint.wildcards], [lint.fix], [lint.not-robots]
#[test]
fn safe_edits_are_applied_and_no_others() {
    let same = [
        // A word would be lost.
        "User-agent: *Disallow: /\n",
        "User-agent: *Allow: /\nDisallow: /a\n",
        "User-agent: *\nDisallow: /private/\nAllow: /Sitemap: https://s.example/s.xml\n",
        "User-agent: *\nDisallow: /x\nAllow: /y/Crawl-delay: 10\n",
        "User-agent: *\nDisallow: /Sitemap: https://s.example/s.xml\n",
        "User-agent: *\nDisallow: /a\nDisallow: /a/b\n",
        "User-agent: *\nDisallow: /? Ref =\nDisallow: /a/ b\nDisallow: / *ref=\nDisallow: /en- us/\n",
        // Without its star, `/p$*` would cover `/p`, and not `/p$x` any more. That was said to change nothing.
        "User-agent: *\nDisallow: /p$*\n",
        "User-agent: *\nDisallow: /p**$$*****\n",
        "User-agent: *\nDisallow: /p$**\n",
        "User-agent: *\nDisallow: /p$*$\n",
        "User-agent: *\nDisallow: /p$*\nDisallow: /p$\n",
        // Scripts and settings, some with a word of robots.txt: lines become comments only in a robots.txt.
        "version: 2\nname: x\nhost: localhost\nsitemap: no\n",
        "FROM debian\nUSER agent\nRUN apt-get update\nLABEL host: x\nALLOW: y\n",
        "set -e\ncd /tmp\necho Allow: /x\nsitemap: build\nmake\n",
        "user-agent: curl\ntimeout: 30\nretries: 3\nurl: x\nallow: /x\n",
        "host: a\nuser: b\nport: 1\n",
    ];
    let fixed = [
        ("User-agent: *\nDisallow: /x\nthe end\n", "User-agent: *\nDisallow: /x\n# the end\n"),
        // The words of a misspelled rule were taken for others, and it went in a second run only.
        (
            "User-agent: a\nDsiallow /p # note\ndisalow: /p\nDisallow: /q\n",
            "User-agent: a\nDisallow: /p # note\nDisallow: /q\n",
        ),
    ];
    for (file, expected) in same.map(|file| (file, file)).into_iter().chain(fixed) {
        let lints = Linter::default().lint(file.as_bytes()).lints;
        assert!(lints.iter().all(|lint| lint.kind != LintKind::LastWildcard), "{file}");
        assert_eq!(String::from_utf8(Linter::default().fix(file.as_bytes()).bytes).unwrap(), expected);
    }
    assert!(Linter::default().force().fix(b"port: 1\nallow: /x\n").bytes.starts_with(b"# port: 1\n"));
}

/// [lint.one-cause], [lint.not-robots]
#[test]
fn a_cause_is_reported_once() {
    expect(b"User-agent: *\nDisallow: https://e.com/a b\n", &["error url-in-rule 2:11-28"]);
    expect(b"User-agent: *\nDisallow: /a b\n", &["warning google-differs 2:11-15 =?> Disallow: /a%20b"]);
    expect(b"<!DOCTYPE html>\n<p>a: b</p>\n<a href=x>\n", &["error not-robots-txt 1:1-16"]);
}

/// [lint.many]
#[test]
fn of_each_kind_the_first_ones_are_listed_and_all_are_counted() {
    let most = Linted::MAX_OF_A_KIND;
    for (lines, unlisted) in [(most - 1, 0), (most, 0), (most + 1, 1)] {
        let file = format!("User-agent: *\nDisallow: /x*\n{}", "Foo: 1\n".repeat(lines));
        let linted = Linter::default().lint(file.as_bytes());
        let unknown = LintKind::Found(FindingKind::UnknownDirective);
        assert_eq!(linted.lints.iter().filter(|lint| lint.kind == unknown).count(), lines - unlisted);
        assert_eq!((linted.unlisted, linted.lints.len() + unlisted), (unlisted, lines + 1));
        assert_eq!(linted.errors + linted.warnings + linted.notes, lines + 1);
        // The others are left out and asked for as the listed ones are.
        let only = |kind| Linter::default().only([kind]).lint(file.as_bytes());
        assert_eq!(only(unknown).unlisted, unlisted);
        assert_eq!(only(LintKind::LastWildcard).left_out, lines);
    }
}

/// [lint.fix] [lint.kinds]
#[test]
fn edits_that_nobody_asked_for_are_not_applied() {
    let file = b"User-agent: *\nDisalow: /a\nDisallow: /b*\n";
    let fixed = |linter: Linter| String::from_utf8(linter.fix(file).bytes).unwrap();
    let all = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    assert_eq!(fixed(Linter::default()), all);
    assert_eq!(fixed(Linter::default().ignore([LintKind::LastWildcard])), all.replace("/b", "/b*"));
    assert_eq!(fixed(Linter::default().only([LintKind::LastWildcard])), all.replace("Disallow: /a", "Disalow: /a"));
}

/// A file that was decoded: its text is linted, and no edit is said to change nothing that makes it UTF-8, which Google
/// reads. [input.utf16] [lint.fix]
#[test]
fn a_file_in_utf16_is_linted_as_its_text() {
    let text = "User-agent: *\nDisalow: /a\nDisallow: /\u{e9}\n";
    let input: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let linted = Linter::default().lint(&input);
    let kinds: Vec<_> = linted.lints.iter().map(|lint| lint.kind).collect();
    assert!(kinds.contains(&LintKind::Found(FindingKind::Decoded)), "{kinds:?}");
    assert!(kinds.contains(&LintKind::Found(FindingKind::MisspelledDirective)), "{kinds:?}");
    assert_eq!(linted.line(3), "Disallow: /\u{e9}".as_bytes());
    assert!(linted.fixes().all(|fix| !fix.is_safe));
    let fixed = Linter::default().fix(&input);
    assert_eq!((fixed.bytes, fixed.applied), (input, 0));
}
