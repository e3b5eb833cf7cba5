//! What changed between two files: rules, other lines, and URLs that are answered otherwise.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use robosieve::{ChangedLine, Dialect, Diff, Limits, Options, RuleKind, Sieve, sieve};

#[track_caller]
fn diff(old: &str, new: &str) -> Diff {
    let (old, new) = (sieve(old.as_bytes(), &["MyBot"]), sieve(new.as_bytes(), &["MyBot"]));
    Diff::of(old.records(), new.records())
}

/// A change of any one kind is a change. [diff.rules]
#[test]
fn any_change_is_told() {
    let base = "User-agent: *\nDisallow: /a\nCrawl-delay: 5\nSitemap: https://e.com/\n";
    let more_rules = "User-agent: *\nDisallow: /a\nDisallow: /b\nCrawl-delay: 5\nSitemap: https://e.com/\n";
    let more_lines = "User-agent: *\nDisallow: /a\nCrawl-delay: 5\nSitemap: https://e.com/\nSitemap: https://e.com/s\n";
    let same = diff(base, base);
    assert!(same.is_empty() && same.flips.is_empty());

    let added = diff(base, more_rules);
    assert_eq!((added.rules_added.len(), added.rules_removed.len()), (1, 0));
    assert_eq!((added.rules_added[0].kind, added.rules_added[0].line), (RuleKind::Disallow, 3));
    assert!(!added.is_empty() && added.lines_added.is_empty() && added.lines_removed.is_empty());
    let removed = diff(more_rules, base);
    assert_eq!((removed.rules_added.len(), removed.rules_removed.len()), (0, 1));
    assert!(!removed.is_empty());

    let sitemap = ChangedLine { name: "Sitemap".into(), value: "https://e.com/s".into() };
    let added = diff(base, more_lines);
    assert_eq!((&added.lines_added[..], &added.lines_removed[..]), (&[sitemap.clone()][..], &[][..]));
    assert!(!added.is_empty() && added.rules_added.is_empty() && added.rules_removed.is_empty());
    let removed = diff(more_lines, base);
    assert_eq!((&removed.lines_added[..], &removed.lines_removed[..]), (&[][..], &[sitemap][..]));
    assert!(!removed.is_empty());
}

/// Lines of the record are compared too, as the text spells them. [diff.rules]
#[test]
fn lines_are_compared_as_they_are_written() {
    let changed = diff("User-agent: *\nCrawl-delay: 5\n", "User-agent: *\nCrawl-delay: 7\n");
    let line = |value: &str| ChangedLine { name: "Crawl-delay".into(), value: value.into() };
    assert_eq!((changed.lines_added, changed.lines_removed), (vec![line("7")], vec![line("5")]));
    assert!(diff("User-agent: *\ncrawl-DELAY: 5\n", "User-agent: *\nCrawl-delay: 5.0\n").is_empty());
}

/// A flip has a URL that shows it: stars filled, what is behind the pattern tried. [diff.flips]
#[test]
fn a_flip_is_shown_by_a_url() {
    let flips = |old: &str, new: &str| {
        let file = |rules: &str| format!("User-agent: *\n{rules}");
        let diff = diff(&file(old), &file(new));
        diff.flips.iter().map(|flip| (flip.path.clone(), flip.allowed)).collect::<Vec<_>>()
    };
    let one = |path: &str, allowed: bool| vec![(path.to_owned(), allowed)];
    assert_eq!(flips("", "Disallow: /a\n"), one("/a", false));
    assert_eq!(flips("Disallow: /a\n", ""), one("/a", true));
    assert_eq!(flips("", "Disallow: /a*b$\n"), one("/ab", false));
    assert_eq!(flips("", "Disallow: *.gif\n"), one("/.gif", false));
    // What is matched first is decided by another rule, and what is behind it is not.
    assert_eq!(flips("Allow: /a$\n", "Allow: /a$\nDisallow: /a\n"), one("/ax", false));
    assert_eq!(flips("Allow: /ab$\n", "Allow: /ab$\nDisallow: /a*b\n"), one("/axb", false));
    assert_eq!(flips("Allow: /*/b$\n", "Allow: /*/b$\nDisallow: /*b$\n"), one("/b", false));
    // Two rules that one URL shows are told once.
    assert_eq!(flips("", "Disallow: /a\nDisallow: /*a\n").len(), 1);
}

/// Where looking for URLs would take too long it ends, and says how many rules it left: one more than there is work for is
/// untried, and no change is lost. [diff.work] [bounds.diff]
#[test]
fn looking_for_flips_is_bounded() {
    // Each short URL that flips costs a pair of either file, and one for each of its rules with stars.
    const STARS: usize = 499;
    let enough = Diff::MAX_WORK / (2 * STARS + 2);
    let base = "User-agent: *\n".to_owned() + &(0..STARS).map(|n| format!("Disallow: /*{n:03}x\n")).collect::<String>();
    let sieve = Sieve::new(["MyBot"]).limits(Limits::NONE);
    let old = sieve.run(base.as_bytes()).unwrap();
    for (rules, untried) in [(enough - 1, 0), (enough, 0), (enough + 1, 1), (enough + 7, 7)] {
        let more: String = (0..rules).map(|n| format!("Disallow: /p{n:06}\n")).collect();
        let file = base.clone() + &more;
        let new = sieve.run(file.as_bytes()).unwrap();
        let diff = Diff::of(old.records(), new.records());
        assert_eq!((diff.rules_added.len(), diff.rules_removed.len()), (rules, 0));
        assert_eq!((diff.flips.len(), diff.untried), (rules - untried, untried));
        assert!(!diff.is_empty());
    }
    // A URL of 16 octets counts twice: so there is work for half as many.
    let more: String = (0..enough).map(|n| format!("Disallow: /long-path{n:06}\n")).collect();
    let file = base.clone() + &more;
    let diff = Diff::of(old.records(), sieve.run(file.as_bytes()).unwrap().records());
    assert_eq!((diff.flips.len(), diff.untried), (enough / 2, enough - enough / 2));
}

/// What is told of a change is printable ASCII, whatever the files hold. [harmless.octets] [harmless.lines]
#[test]
fn changes_are_told_without_harm() {
    let evil = "\u{1b}[2J\0\u{9b}\u{7f}\u{202e}\u{2028}\u{e9}\u{85}\t\u{c}";
    let file = format!(
        "User-agent: *\nDisallow: /a{evil}b\nAllow: /{evil}$\nCrawl-delay: 1{evil}\nClean-param: a{evil} /{evil}\n\
         Content-Signal: a{evil}=b\nX{evil}: {evil}\nLicense: {evil}x\nSitemap: https://e.com/{evil}\nHost: {evil}\n"
    );
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let of = |input: &str| {
            let options = Options { keep_unknown: true, ..dialect.options() };
            let sieve = Sieve::new(["MyBot"]).options(options);
            sieve.run(input.as_bytes()).unwrap().records().clone().into_owned()
        };
        let (old, new) = (of(&file), of("User-agent: *\nDisallow: /z\n"));
        for diff in [Diff::of(&old, &new), Diff::of(&new, &old)] {
            let rules = diff.rules_added.iter().chain(&diff.rules_removed).map(|rule| rule.pattern.clone());
            let lines = diff.lines_added.iter().chain(&diff.lines_removed);
            let lines = lines.flat_map(|line| [line.name.clone(), line.value.clone()]);
            let told: Vec<String> = rules.chain(lines).chain(diff.flips.iter().map(|flip| flip.path.clone())).collect();
            assert!(told.len() > 6, "{told:?}");
            for text in told.iter().chain([&format!("{diff:?}")]) {
                assert!(text.bytes().all(|octet| matches!(octet, b' '..=b'~')), "{text:?}");
            }
        }
    }
}
