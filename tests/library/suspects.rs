//! Lines whose owner probably meant something else: which of them are reported, and which are not.

use robosieve::report::{Effect, FindingClass, FindingKind, Report};
use robosieve::settings::Dialect;
use robosieve::{Options, Sieve};

type Reported = Vec<(u32, FindingKind, Effect)>;

fn suspects_of(report: &Report) -> Reported {
    let suspects = report.details().iter().filter(|finding| finding.kind.class() == FindingClass::Suspect);
    suspects.map(|finding| (number(finding.line), finding.kind, finding.effect)).collect()
}

fn suspects(input: &str) -> Reported {
    suspects_of(Sieve::new(["MyBot"]).filter(input.as_bytes()).unwrap().report())
}

/// The only suspect of a line below `User-agent: *`, if any.
#[track_caller]
fn of_line(line: &str) -> Option<(FindingKind, Effect)> {
    let found = suspects(&format!("User-agent: *\n{line}\nAllow: /last\n"));
    assert!(found.len() < 2 && found.iter().all(|it| it.0 == 2), "{line:?}: {found:?}");
    found.first().map(|it| (it.1, it.2))
}

/// The lines of some rows, between ` | `.
fn lines<'r>(rows: &[&'r str]) -> impl Iterator<Item = &'r str> {
    rows.iter().flat_map(|row| row.split(" | ")).collect::<Vec<_>>().into_iter()
}

#[track_caller]
fn expect(kind: FindingKind, effect: Effect, rows: &[&str]) {
    lines(rows).for_each(|line| assert_eq!(of_line(line), Some((kind, effect)), "{line:?}"));
}

#[track_caller]
fn expect_none(rows: &[&str]) {
    lines(rows).for_each(|line| assert_eq!(of_line(line), None, "{line:?}"));
}

use Effect::{Either, MorePermissive, MoreRestrictive};

use crate::{at, number};

/// [suspect.path]
#[test]
fn values_that_are_more_or_other_than_a_path_are_reported() {
    for (kind, values) in [
        (FindingKind::UrlInRule, "https://example.com/a | HTTP://example.com | ftp://example.com/ | www.example.com/a"),
        (FindingKind::UrlInRule, "static.example.co/ | example.org | example.com:8080/a | www.example.com?x"),
        (FindingKind::SeveralPaths, "/a /b | /a,\t/b | a and /b"),
        (FindingKind::NoteInRule, "/a // b | /a //b | /a /* b */ | /a ; b | /a <!-- b --> | /a -- b"),
        (FindingKind::InvisibleCharacter, "/a\u{a0} | /a \u{200e} | \u{a0}/a | \u{feff}/a | /a\u{200b}"),
        (FindingKind::RegularExpression, "/a\\.html | /a/.*\\?.* | ^/a | /(a|b)/ | /\\d"),
        (FindingKind::NeverMatches, "$ | $a$"),
    ] {
        for value in lines(&[values]) {
            expect(kind, MorePermissive, &[&format!("Disallow: {value}")]);
            expect(kind, MoreRestrictive, &[&format!("Allow: {value}")]);
        }
    }
    // No top-level domain has one letter.
    for value in lines(&[
        "a..com | .css | secure.* | 1.2.3.4 | v1.2.3 | www.example.c | index.html | jquery.min.js | sitemap.xml.gz",
        "/* */*$ | /a//b | /a;b | /a,/b | /a # /b | /\u{e0} | /a/.* | /a|b | /a(b)|c | /a\\b | /[a-z] | a | * | *$",
        "admin.example | ?x=www.example.com | /https://example.com | *://example.com | /My Files/ | /a - b.pdf",
        "/a (1).html | /a\u{a0}b | /caf\u{e9}",
    ]) {
        expect_none(&[&format!("Disallow: {value}")]);
    }
    let old = Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisallow: /a\xA0\nDisallow: /caf\xE9\n").unwrap();
    assert_eq!(suspects_of(old.report()), [(2, FindingKind::InvisibleCharacter, MorePermissive)]);
}

/// A rule that ends before a fragment covers more. [suspect.path]
#[test]
fn fragments_are_reported() {
    expect(FindingKind::Fragment, MoreRestrictive, &["Disallow: /a#/b", "Disallow: /a#!", "Disallow: a/#top#x"]);
    expect(FindingKind::Fragment, MorePermissive, &["Allow: /a#b"]);
    expect_none(&["Disallow: /a #b", "Disallow: /a# b c", "Disallow: /a#", "Disallow: #b", "Crawl-delay: 1#b"]);
    let google = Sieve::new(["MyBot"]).options(Dialect::Google);
    for (line, count) in [("Disallow: /a#b", 1), ("Disallow: /a #b", 0), ("Disallow: /a#", 0)] {
        let input = format!("User-agent: *\n{line}\n");
        assert_eq!(google.filter(input.as_bytes()).unwrap().report().count(FindingKind::Fragment), count, "{line}");
    }
}

/// [suspect.glued]
#[test]
fn directives_in_rules_are_reported() {
    let permits_more = [
        "Disallow: /a Disallow: /b | Disallow: /a\\nDisallow: /b c | Disallow: Disallow: /a | Allow: Disallow: /a",
        "Disallow: /a User-agent: b | Disallow: /a Sitemap: https://example.com/ | Disallow: /a b.htmlDisallow: /c",
    ];
    expect(FindingKind::GluedRule, MorePermissive, &permits_more);
    expect(FindingKind::GluedRule, MoreRestrictive, &["Allow: /a Allow: /b | Disallow: Allow: /a"]);
    expect(FindingKind::GluedRule, Either, &["Allow: /a Disallow: /b | Disallow: /a Disallow:"]);
    expect(FindingKind::GluedRule, Effect::None, &["Allow: Sitemap: https://example.com/"]);
    expect_none(&[
        "Disallow: /wiki/Allow:a | Disallow: /Special:Search x | Disallow: /a Host: b | Disallow: /a shallow: b",
        "Disallow: /Disallow | Disallow: /Sitemap:httpd",
    ]);
    // Also in a line that is not known.
    expect(FindingKind::GluedDirective, MorePermissive, &["Foo: barDisallow: /a | LLM-Policy: no Disallow: /a"]);
    expect_none(&["Foo: Sitemap | Foo: x=disallow"]);
}

/// [suspect.almost]
#[test]
fn lines_that_are_almost_a_rule_are_reported() {
    let permits_more = [
        "Disallowed: /a | disaalow: /a | Dis_allow: /a | Disallow /a b | Disallow; /a | Disallow = /a",
        "Disallow\u{ff1a}/a | - Disallow: /a | \"Disallow: /a\" | \u{a0}Disallow: /a | \u{2022} Disallow: /a",
    ];
    expect(FindingKind::AlmostDirective, MorePermissive, &permits_more);
    expect(FindingKind::AlmostDirective, MoreRestrictive, &["Allows: /a | Allow /a b"]);
    expect_none(&[
        "// Disallow: /a | ; Disallow: /a | <!-- Disallow: /a --> | Disallow all of it | Allow me to explain: /a | Allow",
        "ACAP-disallow-crawl: /a | Video Sitemap: https://example.com/ | Sitemaps: https://example.com/",
        "user-select: none",
    ]);
}

/// [suspect.agents]
#[test]
fn agents_that_a_line_contains_but_does_not_name_are_reported() {
    let reported = |line: &str| suspects(&format!("{line}\nDisallow: /a\n"));
    for (line, kind) in [
        ("User-agent: Other, MyBot", FindingKind::AgentList),
        ("User-agent: Other;MyBot/1.0", FindingKind::AgentList),
        ("User-agent: Other, *", FindingKind::AgentList),
        ("User-agent: Other User-agent: MyBot", FindingKind::AgentList),
        ("User-agent: Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com)", FindingKind::AgentHeader),
        ("User-agent: mozilla/4.0 (compatible; MyBot)", FindingKind::AgentHeader),
        ("User-agent: x!MyBot", FindingKind::AgentCut),
        ("User-agent: MyBot!x", FindingKind::AgentCut),
        ("User_agent: MyBot", FindingKind::AlmostDirective),
        ("- User-agent: *", FindingKind::AlmostDirective),
        ("User-agent: Other\nUser_agent: MyBot", FindingKind::AlmostDirective),
        ("User-agent: Other\nAllow: /\n\u{feff}User-agent: MyBot", FindingKind::AlmostDirective),
        ("User-agent: MyBot\nAllow: /\nUser_agent: Other", FindingKind::AlmostDirective),
    ] {
        let found = reported(line);
        let number = u32::try_from(line.lines().count()).unwrap();
        assert_eq!(found.first(), Some(&(number, kind, Either)), "{line}: {found:?}");
        // Suspects of other agents are reported only by a parser for all agents.
        let others = format!("{line}\nDisallow: /a\n").replace("MyBot", "Bot");
        let all = Sieve::all_agents().filter(others.as_bytes()).unwrap();
        assert_eq!(all.report().count(kind), 1, "{line}");
    }
    for agent in lines(&[
        "MyBot, Other | Other\nUser_agent: Another | Other, Another | Mozilla/5.0 (compatible; Other/1.0) | Y!J-BRU",
        "MyBot+(+https://example.com/) | MyBot! | Other [NC,OR] | Other/1.0,  | My Bot and MyBot | MyBot/1.0 (MyBot, Other)",
    ]) {
        assert_eq!(reported(&format!("User-agent: {agent}")), [], "{agent}");
    }
    let everyones = "User-agent: Other, *\nDisallow: /a\nUser-agent: MyBot\nAllow: /\n";
    assert_eq!(suspects(everyones), [], "a record of a more preferred agent applies");
}

/// Reported for the agents above the other field, if they get rules. [suspect.joined]
#[test]
fn records_joined_by_another_line_are_reported() {
    let joined = |line, effect| [(line, FindingKind::JoinedRecords, effect)];
    for (input, line, effect) in [
        ("User-agent: MyBot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", 3, MoreRestrictive),
        ("User-agent: *\n\nSitemap: https://example.com/\n\nUser-agent: b\nDisallow: /\n", 5, MoreRestrictive),
        (
            "User-agent: a\nFoo: 1\nUser-agent: MyBot\nFoo: 2\nUser-agent: b\nUser-agent: c\nAllow: /a\nDisallow: /\n",
            5,
            Either,
        ),
    ] {
        assert_eq!(suspects(input), joined(line, effect), "{input}");
        let all = Sieve::all_agents().filter(input.as_bytes()).unwrap();
        assert_eq!(all.report().count(FindingKind::JoinedRecords), 1, "{input}");
    }
    for input in [
        "User-agent: a\nCrawl-delay: 1\nUser-agent: MyBot\nDisallow: /\n",
        "User-agent: MyBot\nUser-agent: b\nCrawl-delay: 1\nDisallow: /\n",
        "User-agent: MyBot\n\n# a comment\nUser-agent: b\nDisallow: /\n",
        "User-agent: MyBot\nCrawl-delay: 1\nUser-agent: b\nDisallow:\n",
        "User-agent: MyBot\nCrawl-delay: 1\nUser-agent: *\nDisallow: /a\n",
        "User-agent: MyBot\nCrawl-delay: 1\nUser-agent: b\nUser-agent: MyBot\nDisallow: /a\n",
        "User-agent: MyBot\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\n",
        "User-agent: MyBot\nDisallow: /a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n",
    ] {
        assert_eq!(suspects(input), [], "{input}");
    }
    let options = Options { any_line_ends_run: true, ..Options::default() };
    let input = b"User-agent: MyBot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n";
    let ends = Sieve::new(["MyBot"]).options(options).filter(input).unwrap();
    assert_eq!(suspects_of(ends.report()), [], "there is no run to join");
}

/// The list of details may be full before the first suspect. [report.suspect] [report.bounded]
#[test]
fn the_first_suspect_is_kept() {
    let options = Options { max_details: 2, ..Options::default() };
    let input = "User-agent: *\nx\ny\nz\nDisallow: /a /b\nAllow: /c /d\n";
    let sieved = Sieve::new(["MyBot"]).options(options).filter(input.as_bytes()).unwrap();
    assert_eq!(suspects_of(sieved.report()), []);
    assert_eq!(sieved.report().first_suspect().map(|it| (it.line, it.kind)), Some((at(5), FindingKind::SeveralPaths)));
    assert_eq!((sieved.report().suspects(), sieved.report().has_suspects()), (2, true));
}

/// A message contains what was probably meant, and how the verdicts may differ. [report.suspect]
#[test]
fn suspects_say_what_was_meant() {
    for kind in FindingKind::ALL.iter().filter(|kind| kind.clause().starts_with("suspect.")) {
        assert!(kind.text().contains("probably meant"), "{kind:?}");
    }
    let sieved = Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisallow: https://example.com/a\n").unwrap();
    let expected = "line 2: a rule contains a URL or a host: its path was probably meant, and is not covered (may permit \
        more than meant) [suspect.path]";
    assert_eq!(sieved.report().details()[0].to_string(), expected);
}
