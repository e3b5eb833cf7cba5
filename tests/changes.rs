//! What changed between two files: rules, other lines, and URLs that are answered otherwise.
#![allow(missing_docs, clippy::indexing_slicing)]

use robosieve::{ChangedLine, Diff, RuleKind, sieve};

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
