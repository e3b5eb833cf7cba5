//! Rules in order of precedence, and which of them say again what another says.
//!
//! Invariant: the order is total and depends on the rules alone, so that two spellings of a record give the same text.
//! Rules are sorted by length and kind without comparing them, and then as numbers. Few are compared as text.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::policy::record::{Precedence, Record, Rule, RuleKind};

/// The rules of one record, in the order in which they decide: the longest pattern first, Allow before Disallow, then
/// by the bytes of the pattern, then by line. Under [`Precedence::FileOrder`] they stay in file order.
pub(crate) struct Ordered<'s, 'a> {
    rules: &'s [Rule<'a>],
    space: OrderSpace,
    precedence: Precedence,
}

/// The memory of an order that is not needed any more, for the next order.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderSpace {
    /// The indexes of the rules, in order.
    places: Vec<u32>,
    keys: Vec<u64>,
}

impl<'s, 'a> Ordered<'s, 'a> {
    /// Cost: two passes over the rules, and sorting those of one length and kind.
    pub(crate) fn new(rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        Self::within(OrderSpace::default(), rules, precedence)
    }

    /// The same, in this memory.
    pub(crate) fn within(mut space: OrderSpace, rules: &'s [Rule<'a>], precedence: Precedence) -> Self {
        match precedence {
            Precedence::FileOrder => {
                space.places.clear();
                space.places.extend((0_u32..).zip(rules).map(|(place, _)| place));
            }
            Precedence::LongestMatch => space.sort(rules),
        }
        Self { rules, space, precedence }
    }

    /// Gives the memory back.
    pub(crate) fn into_space(self) -> OrderSpace {
        self.space
    }

    pub(crate) fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> {
        self.space.places.iter().map(|place| rule_at(self.rules, *place))
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
        // Of the current length: the index of the first rule, and the Allows, once they were visited.
        let mut start = 0;
        let mut allows: &[u32] = &[];
        let mut previous: Option<&Rule<'_>> = None;
        for (at, this) in self.rules().enumerate() {
            match previous {
                Some(other) if other.pattern.len() == this.pattern.len() => {
                    if other.kind != this.kind {
                        allows = self.space.places.get(start..at).unwrap_or_default();
                    }
                }
                _ => (start, allows) = (at, &[]),
            }
            let pattern = |place: &u32| &rule_at(self.rules, *place).pattern;
            let is_allowed = || allows.binary_search_by(|allow| pattern(allow).cmp(&this.pattern)).is_ok();
            let repeated = if !allows.is_empty() && is_allowed() {
                Some(RuleKind::Allow)
            } else {
                previous.is_some_and(|other| are_same(other, this)).then_some(this.kind)
            };
            visit(this, repeated);
            previous = Some(this);
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

/// The class of a rule. Rules of a lower class decide first.
#[inline]
fn class_of(rule: &Rule<'_>) -> usize {
    match LONGEST.saturating_sub(rule.pattern.len()) {
        0 => 0,
        shortness => shortness << 1 | usize::from(rule.kind == RuleKind::Disallow),
    }
}

impl OrderSpace {
    /// Sorts the indexes of the rules: first by class, which needs no comparisons, then within each class.
    fn sort(&mut self, rules: &[Rule<'_>]) {
        let Self { places, keys } = self;
        keys.clear();
        let mut ends = [0_u32; CLASSES];
        let (mut first, mut last) = (CLASSES, 0);
        keys.reserve(rules.len());
        for (place, rule) in (0_u64..).zip(rules) {
            let class = class_of(rule);
            (first, last) = (first.min(class), last.max(class));
            if let Some(count) = ends.get_mut(class) {
                *count = count.wrapping_add(1);
            }
            keys.push((class as u64) << CLASS_SHIFT | place);
        }
        // Each count becomes the start of its class, and grows to its end as the class is filled.
        let mut next = 0_u32;
        for count in ends.get_mut(first..=last).unwrap_or_default() {
            next = next.wrapping_add(core::mem::replace(count, next));
        }
        places.clear();
        places.resize(rules.len(), 0);
        for key in &*keys {
            let Some(end) = ends.get_mut((key >> CLASS_SHIFT) as usize) else { continue };
            if let Some(slot) = places.get_mut(*end as usize) {
                *slot = place_in(*key, u64::from(u32::MAX));
            }
            *end = end.wrapping_add(1);
        }
        let mut rest = places.as_mut_slice();
        let mut start = 0_u32;
        for end in ends.get(first..=last).unwrap_or_default() {
            let length = end.wrapping_sub(start) as usize;
            start = *end;
            let Some((class, others)) = core::mem::take(&mut rest).split_at_mut_checked(length) else { break };
            rest = others;
            if length > 1 {
                sort_class(rules, class, keys);
            }
        }
    }
}

/// The low bits of a key hold the index of its rule. The others hold first the class, then five bytes of the pattern.
const CLASS_SHIFT: u32 = 32;
const PLACE_BITS: u32 = 24;
const FRONT: usize = 5;

const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

/// The index of a rule in the low bits of a key, at most 32.
#[allow(clippy::cast_possible_truncation)]
const fn place_in(key: u64, mask: u64) -> u32 {
    (key & mask) as u32
}

/// So many rules are compared as text.
const FEW: usize = 4;

/// Sorts the rules of a class, which are in file order. They are sorted as numbers, by the first five bytes in which
/// they differ. Only rules with the same number are compared as text.
fn sort_class(rules: &[Rule<'_>], class: &mut [u32], keys: &mut Vec<u64>) {
    let pattern = |place: u32| rule_at(rules, place).pattern.as_bytes();
    let Some(&first) = class.first() else { return };
    let first = pattern(first);
    if class.len() <= FEW || first.len() >= LONGEST || rules.len() >> PLACE_BITS != 0 {
        let rule = |place: u32| rule_at(rules, place);
        return class.sort_unstable_by(|left, right| compare(rule(*left), rule(*right)).then(left.cmp(right)));
    }
    let same = class.iter().fold(first.len(), |same, place| same.min(common_prefix(first, pattern(*place))));
    let key = |place: u32| front(pattern(place), same) << PLACE_BITS | u64::from(place);
    keys.clear();
    keys.extend(class.iter().map(|place| key(*place)));
    keys.sort_unstable();
    for (place, key) in class.iter_mut().zip(&*keys) {
        *place = place_in(*key, PLACE_MASK);
    }
    let mut rest = class;
    for alike in keys.chunk_by(|left, right| left >> PLACE_BITS == right >> PLACE_BITS) {
        let Some((places, others)) = core::mem::take(&mut rest).split_at_mut_checked(alike.len()) else { return };
        rest = others;
        if let [_, _, ..] = places {
            let behind = |place: u32| pattern(place).get(same.saturating_add(FRONT)..).unwrap_or_default();
            places.sort_unstable_by(|left, right| behind(*left).cmp(behind(*right)).then(left.cmp(right)));
        }
    }
}

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

/// Five bytes of the pattern from `at`, as a number that sorts as they do.
#[inline]
fn front(pattern: &[u8], at: usize) -> u64 {
    let rest = pattern.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight) >> 24,
        // Rules of one class have the same length, so it does not matter at which end bytes are missing.
        None => rest.iter().take(FRONT).fold(0, |front, byte| front << 8 | u64::from(*byte)),
    }
}

/// Compares rules by length, kind and pattern.
fn compare(left: &Rule<'_>, right: &Rule<'_>) -> Ordering {
    let by_length = right.pattern.len().cmp(&left.pattern.len());
    by_length.then(left.kind.cmp(&right.kind)).then_with(|| left.pattern.cmp(&right.pattern))
}

/// The rule at a place. Places are made only from indexes of these rules.
#[inline]
#[allow(clippy::indexing_slicing)]
fn rule_at<'s, 'a>(rules: &'s [Rule<'a>], place: u32) -> &'s Rule<'a> {
    &rules[place as usize]
}
