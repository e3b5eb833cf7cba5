//! Rules in order of precedence, and which of them say again what another says.
//!
//! Invariant: the order is total and depends on the rules alone, so that two spellings of a record give the same text.
//! Rules are sorted as numbers. Only rules with the same number are compared as text.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::policy::record::{Precedence, Record, Rule, RuleKind};

/// The rules of one record, in the order in which they decide: the longest pattern first, Allow before Disallow, then
/// by the bytes of the pattern, then by line. Under [`Precedence::FileOrder`] they stay in file order.
pub(crate) struct Ordered<'s, 'a> {
    rules: &'s [Rule<'a>],
    space: OrderSpace,
    precedence: Precedence,
    /// The bytes of all patterns.
    pub(crate) bytes: usize,
}

/// The memory of an order that is not needed any more, for the next order.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderSpace {
    /// In order. The low bits of each are the index of its rule.
    keys: Vec<u64>,
    /// How many bits that are.
    place_bits: u32,
    /// For rules with the same key.
    again: Vec<u64>,
}

impl<'s, 'a> Ordered<'s, 'a> {
    /// Cost: a pass over the rules, sorting numbers, and comparing patterns that begin alike.
    pub(crate) fn new(rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        Self::within(OrderSpace::default(), rules, precedence)
    }

    /// The same, in this memory.
    pub(crate) fn within(mut space: OrderSpace, rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        space.place_bits = usize::BITS.saturating_sub(rules.len().leading_zeros());
        space.keys.clear();
        match precedence {
            Precedence::FileOrder => space.keys.extend((0_u64..).zip(rules).map(|(place, _)| place)),
            Precedence::LongestMatch => space.sort(rules),
        }
        let bytes = rules.iter().fold(0, |sum, rule| rule.pattern.len().saturating_add(sum));
        Self { rules, space, precedence, bytes }
    }

    /// Gives the memory back.
    pub(crate) fn into_space(self) -> OrderSpace {
        self.space
    }

    pub(crate) fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> {
        self.space.keys.iter().map(|key| self.space.rule(self.rules, *key))
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
        let Self { rules, space, .. } = self;
        // Of the current length: the index of the first rule, and the Allows, once they were visited.
        let mut start = 0;
        let mut allows: &[u64] = &[];
        let mut previous: Option<(u64, &Rule<'_>)> = None;
        for (at, &key) in space.keys.iter().enumerate() {
            let this = space.rule(rules, key);
            let mut is_same = false;
            match previous {
                Some((other_key, other)) if other.pattern.len() == this.pattern.len() => {
                    if other.kind != this.kind {
                        allows = space.keys.get(start..at).unwrap_or_default();
                    }
                    is_same = space.are_alike(other_key, key) && are_same(other, this);
                }
                _ => (start, allows) = (at, &[]),
            }
            let pattern = |key: &u64| &space.rule(rules, *key).pattern;
            let is_allowed = || allows.binary_search_by(|allow| pattern(allow).cmp(&this.pattern)).is_ok();
            let repeated =
                if !allows.is_empty() && is_allowed() { Some(RuleKind::Allow) } else { is_same.then_some(this.kind) };
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
        Ordered::new(self.rules(), self.reading().precedence).rules().collect()
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
/// The number of classes: one for each length and kind.
const CLASSES: usize = 2 * (LONGEST + 1);

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

impl OrderSpace {
    /// The rule of a key.
    #[inline]
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // Keys are made only from indexes of these rules.
    fn rule<'s, 'a>(&self, rules: &'s [Rule<'a>], key: u64) -> &'s Rule<'a> {
        &rules[(key & !(u64::MAX << self.place_bits)) as usize]
    }

    /// Whether two keys differ in nothing but the index.
    #[inline]
    const fn are_alike(&self, left: u64, right: u64) -> bool {
        (left ^ right) >> self.place_bits == 0
    }

    /// Sorts the rules.
    fn sort(&mut self, rules: &[Rule<'_>]) {
        let places = u64::MAX << self.place_bits;
        let keyed = (0_u64..).zip(rules).map_while(|(place, rule)| Some(rank(rule)? & places | place));
        self.keys.reserve(rules.len());
        self.keys.extend(keyed);
        if self.keys.len() < rules.len() {
            // Keys that are only indexes: all rules are compared as text.
            self.keys.clear();
            self.keys.extend((0_u64..).zip(rules).map(|(place, _)| place));
        }
        if rules.len() <= FEW {
            self.keys.sort_unstable();
        } else {
            self.sort_by_class();
        }
        let mut keys = core::mem::take(&mut self.keys);
        let mut rest = keys.as_mut_slice();
        while let [first, second, ..] = rest {
            if !self.are_alike(*first, *second) {
                rest = rest.split_first_mut().map(|(_, rest)| rest).unwrap_or_default();
                continue;
            }
            let first = *first;
            let count = rest.iter().take_while(|key| self.are_alike(first, **key)).count();
            let Some((alike, others)) = rest.split_at_mut_checked(count) else { break };
            rest = others;
            self.sort_alike(rules, alike);
        }
        self.keys = keys;
    }

    /// Sorts the keys: first by class, which needs no comparisons, then within each class.
    fn sort_by_class(&mut self) {
        let Self { keys, again: sorted, .. } = self;
        let class_of = |key: u64| (key >> CLASS_SHIFT) as usize;
        let mut ends = [0_u32; CLASSES];
        let (mut first, mut last) = (CLASSES, 0);
        for key in &*keys {
            let class = class_of(*key);
            (first, last) = (first.min(class), last.max(class));
            if let Some(count) = ends.get_mut(class) {
                *count = count.wrapping_add(1);
            }
        }
        // Each count becomes the start of its class, and grows to its end as the class is filled.
        let mut next = 0_u32;
        for count in ends.get_mut(first..=last).unwrap_or_default() {
            next = next.wrapping_add(core::mem::replace(count, next));
        }
        sorted.clear();
        sorted.resize(keys.len(), 0);
        for key in &*keys {
            let Some(end) = ends.get_mut(class_of(*key)) else { continue };
            if let Some(slot) = sorted.get_mut(*end as usize) {
                *slot = *key;
            }
            *end = end.wrapping_add(1);
        }
        let mut rest = sorted.as_mut_slice();
        let mut start = 0_u32;
        for end in ends.get(first..=last).unwrap_or_default() {
            let length = end.wrapping_sub(start) as usize;
            start = *end;
            let Some((class, others)) = core::mem::take(&mut rest).split_at_mut_checked(length) else { break };
            rest = others;
            if length > 1 {
                class.sort_unstable();
            }
        }
        core::mem::swap(keys, sorted);
    }

    /// Sorts rules with the same key, which are in file order.
    fn sort_alike(&mut self, rules: &[Rule<'_>], alike: &mut [u64]) {
        let Some(&first) = alike.first() else { return };
        let length = self.rule(rules, first).pattern.len();
        let is_ranked = first >> CLASS_SHIFT != 0;
        if !is_ranked || alike.len() <= ALIKE || length <= KEYED {
            return alike.sort_unstable_by(|left, right| {
                compare(self.rule(rules, *left), self.rule(rules, *right)).then(left.cmp(right))
            });
        }
        // By the next bytes in which they differ.
        let mut again = core::mem::take(&mut self.again);
        let pattern = |key: u64| self.rule(rules, key).pattern.as_bytes();
        let front_of = pattern(first);
        let same = alike.iter().fold(length, |same, key| same.min(common_prefix(front_of, pattern(*key))));
        let places = u64::MAX << self.place_bits;
        let next = |key: u64| front(pattern(key).get(same..).unwrap_or_default()) & places | key & !places;
        again.clear();
        again.extend(alike.iter().map(|key| next(*key)));
        again.sort_unstable();
        let class = first & places;
        let mut rest = alike;
        for same in again.chunk_by(|left, right| self.are_alike(*left, *right)) {
            let Some((same_keys, others)) = core::mem::take(&mut rest).split_at_mut_checked(same.len()) else { break };
            rest = others;
            same_keys.iter_mut().zip(same).for_each(|(to, key)| *to = class | key & !places);
            if let [_, _, ..] = same_keys {
                same_keys.sort_unstable_by(|left, right| pattern(*left).cmp(pattern(*right)).then(left.cmp(right)));
            }
        }
        self.again = again;
    }
}

/// So many rules are sorted at once.
const FEW: usize = 20;
/// So many rules with the same key are compared as text.
const ALIKE: usize = 3;
/// Rules of this length and below are equal if their keys are.
const KEYED: usize = 1;

/// The number of bytes at the front that are the same in both, which have the same length. Compares eight at once.
#[inline]
fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let (left_eights, left_rest) = left.as_chunks::<8>();
    let (right_eights, right_rest) = right.as_chunks::<8>();
    let mut same = 0_usize;
    for (left, right) in left_eights.iter().zip(right_eights) {
        let differing = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differing != 0 {
            return same.saturating_add(differing.trailing_zeros() as usize / 8);
        }
        same = same.saturating_add(8);
    }
    let rest = left_rest.iter().zip(right_rest).take_while(|(left, right)| left == right).count();
    same.saturating_add(rest)
}

/// Compares rules by length, kind and pattern.
fn compare(left: &Rule<'_>, right: &Rule<'_>) -> Ordering {
    let by_length = right.pattern.len().cmp(&left.pattern.len());
    by_length.then(left.kind.cmp(&right.kind)).then_with(|| left.pattern.cmp(&right.pattern))
}
