//! A slow twin of the minimising of rules, to compare with: each rule with each, again and again until nothing changes.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::path::containment::Shape;
use crate::policy::options::{Options, Precedence};
use crate::syntax::bytes::Flags;
use crate::syntax::names::RuleKind;
use crate::text::fast::minimise_plain;
use crate::text::minimise::{Bounds, Line, minimise};

type Rule = (RuleKind, Vec<u8>, usize);

/// Whether others decide as the rule does. All patterns begin with a slash, and none is an index page.
fn is_redundant(rules: &[Rule], at: usize) -> bool {
    let (kind, text, rank) = &rules[at];
    let shape = Shape::of(text, Flags::ANY);
    let others = || rules.iter().map(|(kind, text, rank)| (*kind, Shape::of(text, Flags::ANY), *rank));
    let against = || others().filter(|(other, ..)| other != kind);
    if against().any(|(_, other, its)| its > *rank && other.contains(&shape)) {
        return true;
    }
    let below = against().filter(|(_, other, its)| its < rank && other.overlaps(&shape)).map(|(.., its)| its).max();
    let mut with = others().enumerate().filter(|(place, (other, ..))| *place != at && other == kind);
    below.is_none() && *kind == RuleKind::Allow
        || with.any(|(_, (_, other, its))| {
            (other.is_plain() || other == shape) && other.contains(&shape) && below.is_none_or(|below| its > below)
        })
}

/// The rule, spelled without stars at its end, if no rule ranks between.
fn respelled(rules: &[Rule], at: usize, precedence: Precedence) -> Option<Rule> {
    let (kind, text, rank) = &rules[at];
    let anchorless = text.strip_suffix(b"*$").map(|front| [front, b"*"].concat());
    let starless = |text: &[u8]| text.strip_suffix(b"*").filter(|front| !front.ends_with(b"$")).map(<[u8]>::to_vec);
    let all = starless(anchorless.as_deref().unwrap_or(text)).or_else(|| anchorless.clone())?;
    let fits = |text: &Vec<u8>| {
        let its = rank_of(*kind, text, precedence, *rank);
        let shape = Shape::of(text, Flags::ANY);
        !rules.iter().any(|(other, against, between)| {
            other != kind && (its..*rank).contains(between) && Shape::of(against, Flags::ANY).overlaps(&shape)
        })
    };
    let alone = [anchorless, starless(text)].into_iter().flatten();
    let text = core::iter::once(all).chain(alone).find(fits)?;
    let rank = rank_of(*kind, &text, precedence, *rank);
    Some((*kind, text, rank))
}

fn rank_of(kind: RuleKind, text: &[u8], precedence: Precedence, rank: usize) -> usize {
    match precedence {
        Precedence::LongestMatch => 2 * text.len() + usize::from(kind == RuleKind::Allow),
        Precedence::FileOrder => rank,
    }
}

fn minimised(lines: &[Line<'_>], precedence: Precedence) -> Vec<(RuleKind, Vec<u8>)> {
    let ranked = lines.iter().enumerate().map(|(place, line)| {
        let text = line.pattern.to_vec();
        let rank = rank_of(line.kind, &text, precedence, lines.len() - place);
        (line.kind, text, rank)
    });
    let mut rules: Vec<Rule> = ranked.collect();
    loop {
        let mut changed = false;
        let mut at = 0;
        while at < rules.len() {
            if is_redundant(&rules, at) {
                rules.remove(at);
                changed = true;
                continue;
            }
            if let Some(rule) = respelled(&rules, at, precedence) {
                rules[at] = rule;
                changed = true;
            }
            at += 1;
        }
        if !changed {
            break;
        }
    }
    rules.sort_by(|left, right| right.2.cmp(&left.2).then_with(|| left.1.cmp(&right.1)));
    rules.into_iter().map(|(kind, text, _)| (kind, text)).collect()
}

/// Rules at random, each pattern once, in order of precedence.
fn made(state: &mut u64, pieces: &[&str], precedence: Precedence) -> Vec<Line<'static>> {
    let mut below = |most: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((*state >> 33) % most).unwrap()
    };
    let mut lines: Vec<Line<'static>> = Vec::new();
    for _ in 0..=below(10) {
        let mut text = alloc::string::String::from("/");
        for _ in 0..below(5) {
            text.push_str(pieces[below(u64::try_from(pieces.len()).unwrap())]);
        }
        let kind = if below(2) == 0 { RuleKind::Allow } else { RuleKind::Disallow };
        if !text.contains("**") && lines.iter().all(|line| *line.pattern != *text.as_bytes()) {
            lines.push(Line { kind, pattern: Cow::Owned(text.into_bytes()), flags: Flags::ANY });
        }
    }
    if precedence == Precedence::LongestMatch {
        lines.sort_by(|left, right| {
            let key = |line: &Line<'_>| (core::cmp::Reverse(line.pattern.len()), line.kind);
            key(left).cmp(&key(right)).then_with(|| left.pattern.cmp(&right.pattern))
        });
    }
    lines
}

fn short(lines: &[Line<'_>]) -> Vec<(RuleKind, Vec<u8>)> {
    lines.iter().map(|line| (line.kind, line.pattern.to_vec())).collect()
}

/// [portable.redundant] [portable.stars] [portable.order]
#[test]
fn the_short_cuts_give_what_comparing_all_pairs_gives() {
    let mut state = 5;
    for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
        let options = Options { precedence, ..Options::default() };
        for pieces in
            [&["a", "b", "ab", "/", "*", "$", "*$", "%24", "a*", "aaa"][..], &["a", "b", "ab", "/", "%2", "%20"]]
        {
            for _ in 0..5_000 {
                let lines = made(&mut state, pieces, precedence);
                let expected = minimised(&lines, precedence);
                let mut bounds = Bounds { fuel: 1_000_000, rules: 1000 };
                assert_eq!(short(&minimise(&lines, &options, &mut bounds).unwrap()), expected, "{lines:?}");
                let mut plain = lines.clone();
                if minimise_plain(&mut plain, &options) {
                    assert_eq!(short(&plain), expected, "{lines:?}");
                }
            }
        }
    }
}
