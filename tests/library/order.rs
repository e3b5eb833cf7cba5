//! Compares the order of rules in a text with a simple sort that follows SPEC.md.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use robosieve::records::RuleKind;
use robosieve::settings::{Limits, Precedence};
use robosieve::{Options, Sieve};

use crate::{Numbers, limited, text_with};

type Line = (RuleKind, String);

impl Numbers {
    /// Rules with the same first bytes; some occur more than once.
    fn rules(&mut self, count: usize, lengths: &[usize]) -> Vec<Line> {
        let rule = |numbers: &mut Self| {
            let kind = if numbers.below(2) == 0 { RuleKind::Allow } else { RuleKind::Disallow };
            let length = lengths[numbers.below(lengths.len())];
            let letters: String = (0..length).map(|_| if numbers.below(9) == 0 { 'b' } else { 'a' }).collect();
            let first = if numbers.below(3) == 0 { '*' } else { '/' };
            (kind, format!("{first}{letters}"))
        };
        (0..count).map(|_| rule(self)).collect()
    }
}

fn text(rules: &[Line]) -> String {
    rules.iter().map(|(kind, pattern)| format!("{kind}: {pattern}\n")).collect()
}

fn written(rules: &[Line], precedence: Precedence) -> String {
    let input = format!("User-agent: *\n{}", text(rules));
    text_with(Options { precedence, ..limited(Limits::NONE) }, &input)
}

/// Each pattern once, with its first rule.
fn once(rules: Vec<Line>) -> Vec<Line> {
    let mut seen = BTreeSet::new();
    rules.into_iter().filter(|(_, pattern)| seen.insert(pattern.clone())).collect()
}

#[track_caller]
fn check(rules: &[Line]) {
    let in_file = format!("User-agent: *\n{}", text(&once(rules.to_vec())));
    assert_eq!(written(rules, Precedence::FileOrder), in_file);
    let mut sorted = rules.to_vec();
    sorted.sort_by_key(|(kind, pattern)| (Reverse(pattern.len()), *kind, pattern.clone()));
    let sorted = format!("User-agent: *\n{}", text(&once(sorted)));
    // Prints only the count: a difference of megabytes would be unreadable.
    assert!(written(rules, Precedence::LongestMatch) == sorted, "{} rules", rules.len());
}

/// Also around the numbers of rules that are sorted in different ways, with other lengths of what all begin with.
/// [text.order] [text.once] [rule.longest] [rule.tie] [rule.file-order]
#[test]
fn rules_are_sorted_and_unique() {
    let mut numbers = Numbers(7);
    let lengths =
        [&[1, 2, 3][..], &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13], &[9, 10], &[20], &[3, 30, 31], &[253, 255, 300]];
    for lengths in lengths {
        for count in [1, 2, 3, 5, 8, 40] {
            (0..5).for_each(|_| check(&numbers.rules(count, lengths)));
        }
    }
    for same in [0, 3, 7, 8, 9, 16] {
        let front = format!("/{}", "a".repeat(same));
        for count in (28..=36).chain(60..=68).chain([999, 1_001, 3_000]) {
            for tail in [1, 7, 8, 20] {
                let rule = |(kind, pattern): Line| (kind, pattern.replacen(['/', '*'], &front, 1));
                check(&numbers.rules(count, &[tail]).into_iter().map(rule).collect::<Vec<_>>());
            }
        }
    }
}

/// Patterns with more bytes than 16 bits can count: [text.order] [text.once]
#[test]
fn very_long_rules_are_sorted() {
    let mut numbers = Numbers(9);
    check(&numbers.rules(8, &[65_532, 65_533, 65_534, 65_535, 65_536]));
    let longest = |kind, length: usize, last: char| (kind, format!("/{}{last}", "a".repeat(length)));
    for length in [65_531, 65_532, 65_533, 65_534, 65_535, 70_000] {
        check(&[
            longest(RuleKind::Disallow, length, 'a'),
            longest(RuleKind::Disallow, length + 1, 'a'),
            longest(RuleKind::Allow, length, 'b'),
            longest(RuleKind::Disallow, length, 'b'),
            longest(RuleKind::Disallow, length, 'a'),
            longest(RuleKind::Allow, 3, 'a'),
        ]);
    }
    // Tests each length separately, so that each pattern is compared with those of its length.
    let of = |kind, front: &str, length: usize| (kind, format!("/{front}{}", "a".repeat(length - front.len())));
    let mut rules: Vec<Line> = (0..8).map(|n| of(RuleKind::Allow, &format!("z{n}"), 65_541)).collect();
    for kind in [RuleKind::Allow, RuleKind::Disallow] {
        rules.extend([of(kind, "a", 65_540), of(kind, "b", 65_541)]);
    }
    check(&rules);
}

/// Each star counts for the rank, in rules and in a text: [rule.longest] [rule.tie] [text.stars]
#[test]
fn runs_of_stars_count_for_the_rank() {
    for (rules, expected) in [
        ("Disallow: /a**\n", "Disallow: /a*\n"),
        ("Disallow: /a**b*****c$\n", "Disallow: /a*b*c$\n"),
        ("Disallow: /a******\nAllow: /bcd\n", "Disallow: /a***\nAllow: /bcd\n"),
        ("Disallow: /a*b*****c\nAllow: /bcdefg\n", "Disallow: /a***b*c\nAllow: /bcdefg\n"),
        ("Disallow: /a**\nAllow: /bcde\n", "Allow: /bcde\nDisallow: /a*\n"),
        // If a pattern occurs in both kinds, the longer spelling decides.
        ("Disallow: /a***\nAllow: /a*\n", "Disallow: /a**\nAllow: /a*\n"),
        ("Disallow: /a***\nDisallow: /a*\nDisallow: /a**\n", "Disallow: /a*\n"),
        // Readers that support index pages give the directory a rank, too.
        ("Allow: /**/index.html\nDisallow: /a\n", "Allow: /**/index.html\nDisallow: /a\n"),
        ("Disallow: /***\nAllow: /a/index.html\n", "Allow: /a/index.html\nDisallow: /*\n"),
        ("Disallow: /a******\nAllow: /a/index.html\n", "Allow: /a/index.html\nDisallow: /a***\n"),
    ] {
        let text = text_with(Options::default(), &format!("User-agent: *\n{rules}"));
        assert_eq!(text, format!("User-agent: *\n{expected}"), "{rules}");
    }
    // Under file order, the place is the rank.
    let in_order = Options { precedence: Precedence::FileOrder, ..Options::default() };
    let text = text_with(in_order, "User-agent: *\nAllow: /a**\nDisallow: /b\nDisallow: /a***\n");
    assert_eq!(text, "User-agent: *\nAllow: /a*\nDisallow: /b\n");
}

/// A record that readers may merge with another one keeps its runs of stars: [text.stars] [portable.all-agents]
#[test]
fn runs_of_stars_stay_in_records_that_are_merged() {
    let file = b"User-agent: a\nUser-agent: b\nDisallow: /x***\n\nUser-agent: b\nAllow: /yz\n\nUser-agent: c\nDisallow: /x**\n";
    let sieved = Sieve::all_agents().filter(file).unwrap();
    let expected = "User-agent: a\nUser-agent: b\nDisallow: /x***\n\nUser-agent: b\nAllow: /yz\n\n\
        User-agent: c\nDisallow: /x*\n";
    assert_eq!(sieved.text(), expected);
}
