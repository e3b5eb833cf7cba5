//! The order of rules in a text, against a sort that is written straight from SPEC.md.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::cmp::Reverse;
use std::collections::BTreeSet;

use robosieve::{Limits, Precedence, RuleKind, Sieve};

type Line = (RuleKind, String);

/// Numbers that look random, and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// Rules that are alike in their first octets, some more than once.
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
    rules.iter().map(|(kind, pattern)| format!("{}: {pattern}\n", kind.as_str())).collect()
}

fn written(rules: &[Line], precedence: Precedence) -> String {
    let input = format!("User-agent: *\n{}", text(rules));
    let sieve = Sieve::new(["MyBot"]).limits(Limits::NONE).precedence(precedence);
    sieve.run(input.as_bytes()).unwrap().text().to_string()
}

/// Each pattern once, with the rule that stands first.
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
    // As one text: a difference of megabytes is not to be read.
    assert!(written(rules, Precedence::LongestMatch) == sorted, "{} rules", rules.len());
}

/// [text.order] [text.once] [rule.longest] [rule.tie] [rule.file-order]
#[test]
fn rules_are_sorted_and_stand_once() {
    let mut numbers = Numbers(7);
    for lengths in [&[1, 2, 3][..], &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], &[9, 10], &[20], &[3, 30, 31]] {
        for count in [1, 2, 3, 5, 8, 40] {
            for _ in 0..10 {
                check(&numbers.rules(count, lengths));
            }
        }
    }
}

/// Patterns that are longer than 16 bits can say: [text.order] [text.once]
#[test]
fn rules_without_end_are_sorted_too() {
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
    // Lengths are told apart, so that each pattern is looked for among those of its own.
    let of = |kind, front: &str, length: usize| (kind, format!("/{front}{}", "a".repeat(length - front.len())));
    let mut rules: Vec<Line> = (0..8).map(|n| of(RuleKind::Allow, &format!("z{n}"), 65_541)).collect();
    for kind in [RuleKind::Allow, RuleKind::Disallow] {
        rules.extend([of(kind, "a", 65_540), of(kind, "b", 65_541)]);
    }
    check(&rules);
}
