//! Rules in order of precedence, and which of them say again what another says.
//!
//! Invariant: the order is total and depends on the rules alone, so that two spellings of a record are written alike. Most
//! rules are sorted as numbers; only those that are alike in length, kind and their first bytes are compared as text.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::policy::record::{Precedence, Rule, RuleKind};

/// Rules of one record, the one that decides first where several match first: the longest pattern, Allow before Disallow,
/// then by the bytes of the pattern, then by line. Where the first of the file decides, they stay as they are.
pub(crate) struct Ordered<'s, 'a> {
    rules: &'s [Rule<'a>],
    /// In order; the low bits of each are the place of its rule.
    ranks: Vec<u128>,
    precedence: Precedence,
}

/// The memory of an order that is not needed any more, for the next order.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderSpace(Vec<u128>);

/// How many low bits of a rank hold the place.
const PLACE_BITS: u32 = 32;

impl<'s, 'a> Ordered<'s, 'a> {
    /// Cost: sorting numbers of 16 bytes, and comparing patterns that begin alike.
    pub(crate) fn new(rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        Self::within(OrderSpace::default(), rules, precedence)
    }

    /// The same, in this memory.
    pub(crate) fn within(OrderSpace(mut ranks): OrderSpace, rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        let places = (0_u32..).zip(rules);
        ranks.clear();
        match precedence {
            Precedence::FileOrder => ranks.extend(places.map(|(place, _)| u128::from(place))),
            Precedence::LongestMatch => ranks.extend(places.map(|(place, rule)| rank(rule) | u128::from(place))),
        }
        let mut ordered = Self { rules, ranks, precedence };
        if precedence == Precedence::LongestMatch {
            ordered.sort();
        }
        ordered
    }

    /// Gives the memory back.
    pub(crate) fn into_space(self) -> OrderSpace {
        OrderSpace(self.ranks)
    }

    fn sort(&mut self) {
        let Self { rules, ranks, .. } = self;
        // Stable: of equal ones the first in the file stays first.
        let compare =
            |ranks: &mut [u128]| ranks.sort_by(|left, right| compare(rule_of(rules, *left), rule_of(rules, *right)));
        ranks.sort_unstable();
        if ranks.first().is_some_and(|longest| is_too_long_to_rank(*longest)) {
            return compare(ranks);
        }
        for alike in ranks.chunk_by_mut(|left, right| are_alike(*left, *right)) {
            if let [_, _, ..] = alike {
                compare(alike);
            }
        }
    }

    pub(crate) fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> {
        self.ranks.iter().map(|rank| rule_of(self.rules, *rank))
    }

    /// Visits each rule, with what the first one says that has its pattern, if that stands before it.
    pub(crate) fn for_each(&self, visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        match self.precedence {
            Precedence::LongestMatch => self.visit_sorted(visit),
            Precedence::FileOrder => self.visit_unsorted(visit),
        }
    }

    /// Rules of one length stand together: first the Allows, and then the Disallows, each sorted. A repeated one equals its
    /// neighbour, or is among the Allows.
    fn visit_sorted(&self, mut visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        let rule = |rank: u128| rule_of(self.rules, rank);
        let are_as_long = |left, right| {
            length_of(left) == length_of(right)
                && (!is_too_long_to_rank(left) || rule(left).pattern.len() == rule(right).pattern.len())
        };
        // Of the length that is visited: where they begin, and the Allows, once those are behind.
        let mut start = 0;
        let mut allows: &[u128] = &[];
        let mut previous = None;
        for (at, &rank) in self.ranks.iter().enumerate() {
            match previous {
                Some(other) if are_as_long(other, rank) => {
                    if is_allow(other) && !is_allow(rank) {
                        allows = self.ranks.get(start..at).unwrap_or_default();
                    }
                }
                _ => (start, allows) = (at, &[]),
            }
            let this = rule(rank);
            let is_allowed = || allows.binary_search_by(|allow| rule(*allow).pattern.cmp(&this.pattern)).is_ok();
            let is_again = |other| are_alike(other, rank) && rule(other).pattern == this.pattern;
            let repeated = if !allows.is_empty() && is_allowed() {
                Some(RuleKind::Allow)
            } else {
                previous.is_some_and(is_again).then_some(this.kind)
            };
            visit(this, repeated);
            previous = Some(rank);
        }
    }

    fn visit_unsorted(&self, mut visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        let mut order: Vec<(usize, &Rule<'_>)> = self.rules.iter().enumerate().collect();
        order.sort_by(|left, right| left.1.pattern.cmp(&right.1.pattern).then(left.0.cmp(&right.0)));
        let mut repeated = alloc::vec![None; self.rules.len()];
        for same in order.chunk_by(|left, right| left.1.pattern == right.1.pattern) {
            let Some(((_, first), others)) = same.split_first() else { continue };
            for (at, _) in others {
                if let Some(mark) = repeated.get_mut(*at) {
                    *mark = Some(first.kind);
                }
            }
        }
        for (rule, repeated) in self.rules.iter().zip(repeated) {
            visit(rule, repeated);
        }
    }
}

/// The rule at the place that a rank holds. Ranks are made of places only.
#[inline]
#[allow(clippy::indexing_slicing)]
fn rule_of<'s, 'a>(rules: &'s [Rule<'a>], rank: u128) -> &'s Rule<'a> {
    &rules[(rank & u128::from(u32::MAX)) as usize]
}

fn compare(left: &Rule<'_>, right: &Rule<'_>) -> Ordering {
    let by_length = right.pattern.len().cmp(&left.pattern.len());
    by_length.then(left.kind.cmp(&right.kind)).then_with(|| left.pattern.cmp(&right.pattern))
}

/// Whether two rules are alike in length, kind and their first bytes, as those are that say the same.
#[inline]
const fn are_alike(left: u128, right: u128) -> bool {
    left >> PLACE_BITS == right >> PLACE_BITS
}

/// The bits of a rank for the length: the more, the shorter.
const fn length_of(rank: u128) -> u128 {
    rank >> 112
}

/// A rank has 16 bits for the length, of which the lowest number stands for all lengths above.
const fn is_too_long_to_rank(rank: u128) -> bool {
    length_of(rank) == 0
}

const DISALLOW: u128 = 1 << 104;

const fn is_allow(rank: u128) -> bool {
    rank & DISALLOW == 0
}

/// Length, kind and the first nine bytes of the pattern in a number that sorts as they do.
#[inline]
fn rank(rule: &Rule<'_>) -> u128 {
    let pattern = rule.pattern.as_bytes();
    let front = match pattern.first_chunk::<9>() {
        Some([first, eight @ ..]) => u128::from(*first) << 64 | u128::from(u64::from_be_bytes(*eight)),
        // Of rules of the same length, so it does not matter at which end bytes are missing.
        None => pattern.iter().fold(0, |front, byte| front << 8 | u128::from(*byte)),
    };
    let shortness = u16::MAX.saturating_sub(u16::try_from(pattern.len()).unwrap_or(u16::MAX));
    let kind = if rule.kind == RuleKind::Disallow { DISALLOW } else { 0 };
    u128::from(shortness) << 112 | kind | front << PLACE_BITS
}
