//! Sorts rules by precedence and marks duplicates.
//!
//! Invariant: the order is total and depends on the rules alone, so that two spellings of a record give the same text.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::policy::options::Precedence;
use crate::policy::record::{Record, Rule};
use crate::syntax::bytes::Flags;
use crate::syntax::names::RuleKind;
use crate::syntax::sort::{leading, sort};

/// The rules of one record, in the order in which they decide: the longest pattern first, Allow before Disallow, then
/// by the bytes of the pattern, then by line. Under [`Precedence::FileOrder`] they stay in file order.
pub(crate) struct Ordered<'s, 'a> {
    rules: Rules<'s, 'a>,
    /// The keys of the rules in their order; none under [`Precedence::FileOrder`].
    keys: Vec<u64>,
    precedence: Precedence,
    /// What all patterns together contain: see [`Flags`].
    pub(crate) flags: Flags,
}

impl<'s, 'a> Ordered<'s, 'a> {
    /// Cost: a pass over the rules, sorting numbers, and comparing patterns that begin with the same bytes.
    pub(crate) fn new(rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        let flags = rules.iter().fold(Flags::NONE, |flags, rule| flags | rule.flags);
        let rules = Rules { rules, index: !(u64::MAX << usize::BITS.saturating_sub(rules.len().leading_zeros())) };
        let keys = match precedence {
            Precedence::FileOrder => Vec::new(),
            Precedence::LongestMatch => rules.sorted(),
        };
        Self { rules, keys, precedence, flags }
    }

    /// Visits each rule. Also gives the kind of the first rule with the same pattern, if one was visited before.
    #[inline]
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        match self.precedence {
            Precedence::LongestMatch => self.visit_sorted(visit),
            Precedence::FileOrder => {
                let mut kinds = BTreeMap::new();
                for rule in self.rules.rules {
                    let repeated = kinds.get(&rule.pattern).copied();
                    if repeated.is_none() {
                        kinds.insert(&rule.pattern, rule.kind);
                    }
                    visit(rule, repeated);
                }
            }
        }
    }

    /// Rules of one length are neighbours: first the Allows, then the Disallows, each sorted. A repeated rule equals its
    /// neighbour, or is among the Allows.
    #[inline]
    fn visit_sorted(&self, mut visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        let Self { rules, keys, .. } = self;
        // Of the current length: the place of the first rule, and the Allows, once all were visited.
        let mut start = 0;
        let mut allows: &[u64] = &[];
        let mut previous: Option<(u64, &Rule<'_>)> = None;
        for (at, &key) in keys.iter().enumerate() {
            let this = rules.of(key);
            let mut repeated = None;
            match previous {
                Some((other_key, other)) if other.pattern.len() == this.pattern.len() => {
                    if other.kind != this.kind {
                        allows = keys.get(start..at).unwrap_or_default();
                    }
                    repeated = (rules.are_same(other_key, key) && are_equal(other, this)).then_some(this.kind);
                }
                _ => (start, allows) = (at, &[]),
            }
            if !allows.is_empty() && rules.has_pattern(allows, key) {
                repeated = Some(RuleKind::Allow);
            }
            visit(this, repeated);
            previous = Some((key, this));
        }
    }
}

impl<'s, 'a> Record<'s, 'a> {
    /// Its rules in order of precedence: of the rules that match a URL, the first decides.
    #[must_use]
    pub fn rules_by_precedence(&self) -> Vec<&'s Rule<'a>> {
        let mut rules = Vec::with_capacity(self.rules().len());
        Ordered::new(self.rules(), self.options().precedence).for_each(|rule, _| rules.push(rule));
        rules
    }
}

/// Whether two neighbours have the same pattern. Nearly all neighbours differ in their last bytes.
#[inline]
fn are_equal(left: &Rule<'_>, right: &Rule<'_>) -> bool {
    let (left, right) = (left.pattern.as_bytes(), right.pattern.as_bytes());
    left.last_chunk::<4>() == right.last_chunk() && left == right
}

/// Rules, and their keys.
struct Rules<'s, 'a> {
    rules: &'s [Rule<'a>],
    /// The bits of a key that are the index of its rule.
    index: u64,
}

/// Rules with patterns of this length and above, of both kinds, have one key. Such patterns are rare.
const LONGEST: usize = 255;
/// A key has the length and the kind of a rule in its first bits, then the first bytes of its pattern.
const CLASS_BITS: u32 = 9;

impl<'s, 'a> Rules<'s, 'a> {
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    fn key(rule: &Rule<'_>) -> u64 {
        match LONGEST.saturating_sub(rule.pattern.len()) {
            0 => 0,
            shortness => {
                let class = (shortness << 1 | usize::from(rule.kind == RuleKind::Disallow)) as u64;
                class << (u64::BITS - CLASS_BITS) | (leading(rule.pattern.as_bytes()) >> 64) as u64 >> CLASS_BITS
            }
        }
    }

    fn sorted(&self) -> Vec<u64> {
        let with_index = |(rule, index): (&Rule<'_>, u64)| Self::key(rule) & !self.index | index;
        let mut keys: Vec<u64> = self.rules.iter().zip(0..).map(with_index).collect();
        sort(&mut keys, |left, right| self.are_same(left, right), |left, right| compare(self.of(left), self.of(right)));
        keys
    }

    /// The rule of a key.
    #[inline]
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // Keys are made only from indexes of these rules.
    fn of(&self, key: u64) -> &'s Rule<'a> {
        &self.rules[(key & self.index) as usize]
    }

    /// Whether two keys differ in nothing but the index.
    #[inline]
    const fn are_same(&self, left: u64, right: u64) -> bool {
        (left ^ right) & !self.index == 0
    }

    /// Whether one of these, which are sorted and of one kind and length, has the pattern of the rule with this key.
    #[inline(never)]
    fn has_pattern(&self, sorted: &[u64], key: u64) -> bool {
        let front = |key: u64| key << CLASS_BITS & !(self.index << CLASS_BITS);
        let pattern = |key: u64| &self.of(key).pattern;
        let order = |other: &u64| front(*other).cmp(&front(key)).then_with(|| pattern(*other).cmp(pattern(key)));
        sorted.binary_search_by(order).is_ok()
    }
}

/// Compares rules by length, kind and pattern.
fn compare(left: &Rule<'_>, right: &Rule<'_>) -> Ordering {
    let by_length = right.pattern.len().cmp(&left.pattern.len());
    by_length.then(left.kind.cmp(&right.kind)).then_with(|| left.pattern.cmp(&right.pattern))
}
