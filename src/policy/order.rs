//! Sorts rules by precedence and marks duplicates.
//!
//! Invariant: the order is total and depends on the rules alone, so that two spellings of a record give the same text.
//! Rules are sorted as numbers. Only rules with the same number are compared as text.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::policy::record::{Precedence, Record, Rule, RuleKind};
use crate::syntax::bytes::Flags;

/// The rules of one record, in the order in which they decide: the longest pattern first, Allow before Disallow, then
/// by the bytes of the pattern, then by line. Under [`Precedence::FileOrder`] they stay in file order.
pub(crate) struct Ordered<'s, 'a> {
    rules: &'s [Rule<'a>],
    keys: Keys,
    precedence: Precedence,
    /// What all patterns together contain: see [`Flags`].
    pub(crate) flags: Flags,
}

/// The rules as numbers.
#[derive(Default)]
struct Keys {
    /// In order. The low bits of each are the index of its rule.
    sorted: Vec<u64>,
    /// All other bits.
    front: u64,
}

impl<'s, 'a> Ordered<'s, 'a> {
    /// Cost: a pass over the rules, sorting numbers, and comparing patterns that begin with the same bytes.
    pub(crate) fn new(rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        let front = u64::MAX << usize::BITS.saturating_sub(rules.len().leading_zeros());
        let mut keys = Keys { front, ..Keys::default() };
        match precedence {
            Precedence::FileOrder => keys.sorted.extend((0_u64..).zip(rules).map(|(place, _)| place)),
            Precedence::LongestMatch => keys.sort(rules),
        }
        let flags = rules.iter().fold(Flags::NONE, |flags, rule| flags | rule.flags);
        Self { rules, keys, precedence, flags }
    }

    pub(crate) fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> {
        self.keys.sorted.iter().map(|key| self.keys.rule(self.rules, *key))
    }

    /// Visits each rule. Also gives the kind of the first rule with the same pattern, if one was visited before.
    #[inline]
    pub(crate) fn for_each(&self, visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        match self.precedence {
            Precedence::LongestMatch => self.visit_sorted(visit),
            Precedence::FileOrder => self.visit_unsorted(visit),
        }
    }

    /// Rules of one length are neighbours: first the Allows, then the Disallows, each sorted. A repeated rule equals its
    /// neighbour, or is among the Allows.
    #[inline]
    fn visit_sorted(&self, mut visit: impl FnMut(&'s Rule<'a>, Option<RuleKind>)) {
        let Self { rules, keys, .. } = self;
        // Of the current length: the index of the first rule, and the Allows, once all were visited.
        let mut start = 0;
        let mut allows: &[u64] = &[];
        let mut previous: Option<(u64, &Rule<'_>)> = None;
        for (at, &key) in keys.sorted.iter().enumerate() {
            let this = keys.rule(rules, key);
            let mut is_same = false;
            match previous {
                Some((other_key, other)) if other.pattern.len() == this.pattern.len() => {
                    if other.kind != this.kind {
                        allows = keys.sorted.get(start..at).unwrap_or_default();
                    }
                    is_same = keys.are_alike(other_key, key) && are_same(other, this);
                }
                _ => (start, allows) = (at, &[]),
            }
            let mut repeated = is_same.then_some(this.kind);
            if !allows.is_empty() {
                let is_allowed;
                (allows, is_allowed) = keys.seek(rules, allows, key);
                repeated = if is_allowed { Some(RuleKind::Allow) } else { repeated };
            }
            visit(this, repeated);
            previous = Some((key, this));
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

impl<'s, 'a> Record<'s, 'a> {
    /// Its rules in order of precedence: of the rules that match a URL, the first decides.
    #[must_use]
    pub fn rules_by_precedence(&self) -> Vec<&'s Rule<'a>> {
        Ordered::new(self.rules(), self.options().precedence).rules().collect()
    }
}

/// Whether two neighbours have the same pattern. Nearly all neighbours differ in their last bytes.
#[inline]
fn are_same(left: &Rule<'_>, right: &Rule<'_>) -> bool {
    let (left, right) = (left.pattern.as_bytes(), right.pattern.as_bytes());
    left.last_chunk::<4>() == right.last_chunk() && left == right
}

/// Rules with patterns of this length and above, of both kinds, are one class. Such patterns are rare.
const LONGEST: usize = 255;

/// A key holds the class of a rule, then whether its pattern begins with a slash and not with a star, then the next
/// bytes of the pattern, then its index.
const CLASS_SHIFT: u32 = 55;
const SLASH: u64 = 1 << 54;
const FRONT_SHIFT: u32 = u64::BITS - 54;

/// The class of a rule. Rules of a lower class decide first.
#[inline]
fn class_of(rule: &Rule<'_>) -> usize {
    match LONGEST.saturating_sub(rule.pattern.len()) {
        0 => 0,
        shortness => shortness << 1 | usize::from(rule.kind == RuleKind::Disallow),
    }
}

/// The class and the first bytes of the pattern; none if it begins with neither a slash nor a star.
#[inline]
fn rank(rule: &Rule<'_>) -> Option<u64> {
    let class = (class_of(rule) as u64) << CLASS_SHIFT;
    if class == 0 {
        // Of any lengths, so all of them are compared as text.
        return Some(0);
    }
    let (slash, rest) = match rule.pattern.as_bytes() {
        [b'/', rest @ ..] => (SLASH, rest),
        [b'*', rest @ ..] => (0, rest),
        [] => (0, &[][..]),
        _ => return None,
    };
    Some(class | slash | front(rest) >> FRONT_SHIFT)
}

/// The first eight bytes, as a number that sorts as they do.
#[inline]
fn front(bytes: &[u8]) -> u64 {
    let four = |bytes: &[u8; 4]| u64::from(u32::from_be_bytes(*bytes));
    match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(eight), ..) => u64::from_be_bytes(*eight),
        // The two may overlap. Rules of one class have the same length.
        (None, Some(first), Some(last)) => four(first) << 32 | four(last),
        _ => bytes.iter().fold(0, |front, byte| front << 8 | u64::from(*byte)) << 32,
    }
}

impl Keys {
    /// The rule of a key.
    #[inline]
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // Keys are made only from indexes of these rules.
    fn rule<'s, 'a>(&self, rules: &'s [Rule<'a>], key: u64) -> &'s Rule<'a> {
        &rules[(key & !self.front) as usize]
    }

    /// Whether two keys differ in nothing but the index.
    #[inline]
    const fn are_alike(&self, left: u64, right: u64) -> bool {
        (left ^ right) & self.front == 0
    }

    /// Leaves out the keys of patterns that sort before that of this key; all patterns have the same length. Returns
    /// whether the first of the others has the same pattern.
    #[inline(never)]
    fn seek<'k>(&self, rules: &[Rule<'_>], mut keys: &'k [u64], key: u64) -> (&'k [u64], bool) {
        let pattern = |key: u64| self.rule(rules, key).pattern.as_bytes();
        let front = |key: u64| key & self.front & !(u64::MAX << CLASS_SHIFT);
        while let [first, others @ ..] = keys {
            match front(*first).cmp(&front(key)).then_with(|| pattern(*first).cmp(pattern(key))) {
                Ordering::Less => keys = others,
                order => return (keys, order.is_eq()),
            }
        }
        (keys, false)
    }

    /// Sorts the rules.
    fn sort(&mut self, rules: &[Rule<'_>]) {
        let mut is_ranked = true;
        self.sorted.extend(rules.iter().zip(0_u64..).map(|(rule, place)| {
            let rank = rank(rule);
            is_ranked &= rank.is_some();
            rank.unwrap_or_default() & self.front | place
        }));
        if !is_ranked {
            // Keys that are only indexes: all rules are compared as text.
            self.sorted.clear();
            self.sorted.extend((0_u64..).zip(rules).map(|(place, _)| place));
        }
        self.sorted.sort_unstable();
        let mut sorted = core::mem::take(&mut self.sorted);
        for alike in sorted.chunk_by_mut(|left, right| self.are_alike(*left, *right)) {
            if let [_, _, ..] = alike {
                let rule = |key: &u64| self.rule(rules, *key);
                alike.sort_unstable_by(|left, right| compare(rule(left), rule(right)).then(left.cmp(right)));
            }
        }
        self.sorted = sorted;
    }
}

/// Compares rules by length, kind and pattern.
fn compare(left: &Rule<'_>, right: &Rule<'_>) -> Ordering {
    let by_length = right.pattern.len().cmp(&left.pattern.len());
    by_length.then(left.kind.cmp(&right.kind)).then_with(|| left.pattern.cmp(&right.pattern))
}
