//! Rules by their literal prefixes, here called heads: the bytes before the first wildcard. Finds the rules that can
//! relate to one. A part is a rule, or a directory that some readers take it to allow.
//!
//! Invariant: two patterns share a path only if the head of one is a prefix of the head of the other. Parts are sorted
//! by head, so the parts whose heads are prefixes of a head lie on one chain of links, and those whose heads continue it
//! lie in one run. Both begin at places that are found once, since heads never change.

use alloc::vec::Vec;

use crate::path::containment::Shape;
use crate::syntax::names::RuleKind;
use crate::syntax::sort::{FRONT, index, leading, sorted};

/// No index. A file cannot have this many parts.
pub(crate) const NONE: u32 = u32::MAX;

/// A pattern that is compared with others.
pub(crate) struct Compared<'p> {
    pub(crate) shape: Shape<'p>,
    pub(crate) kind: RuleKind,
    /// The index of its rule.
    pub(crate) entry: u32,
    /// Whether it is not the rule itself, but a directory that some readers take the rule to allow.
    pub(crate) is_implied: bool,
    /// Its rank as long as its rule counts, if it is implied.
    pub(crate) rank: u32,
    pub(crate) places: Places,
}

/// Where a part is, and where those that can relate to it begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Places {
    /// Its own place among the parts of its kind.
    pub(crate) own: u32,
    /// The last part of its kind whose head is a prefix of its head, which may be the same.
    pub(crate) same: u32,
    /// The last part of the other kind whose head is a prefix of its head.
    pub(crate) other: u32,
    /// The first part of the other kind with a greater head.
    pub(crate) later: u32,
    /// [`Shape::fixed`] of it.
    pub(crate) fixed: u32,
}

/// A part in its place, with what is looked at first.
pub(crate) struct Slot {
    /// The greater wins. 0 as long as its rule does not count.
    pub(crate) rank: u32,
    /// A pattern contains none with fewer fixed bytes.
    pub(crate) fixed: u32,
    pub(crate) part: u32,
    pub(crate) entry: u32,
    /// The nearest part of this kind before it whose head is a prefix of its head.
    pub(crate) above: u32,
    /// The nearest of those above that is plain.
    pub(crate) plain_above: u32,
    pub(crate) is_implied: bool,
    /// Whether it contains all patterns with its head.
    pub(crate) is_head: bool,
    is_plain: bool,
}

/// The parts of one kind, sorted by head. Parts of the same shape are neighbours.
#[derive(Default)]
pub(crate) struct Slots(Vec<Slot>);

impl Slots {
    pub(crate) fn get(&self, place: u32) -> Option<&Slot> {
        self.0.get(place as usize)
    }

    pub(crate) fn set_rank(&mut self, place: u32, rank: u32) {
        if let Some(slot) = self.0.get_mut(place as usize) {
            slot.rank = rank;
        }
    }

    /// The part at the place, and all above it, nearest first.
    pub(crate) fn chain(&self, place: u32) -> impl Iterator<Item = &Slot> {
        core::iter::successors(self.get(place), |slot| self.get(slot.above))
    }

    /// The plain parts among them.
    pub(crate) fn plain_chain(&self, place: u32) -> impl Iterator<Item = &Slot> {
        core::iter::successors(self.get(self.plain_from(place)), |slot| self.get(slot.plain_above))
    }

    /// The parts from the place on.
    pub(crate) fn run(&self, place: u32) -> &[Slot] {
        self.0.get(place as usize..).unwrap_or_default()
    }

    /// The parts before the place, the nearest first.
    pub(crate) fn before(&self, place: u32) -> impl Iterator<Item = &Slot> {
        self.0.get(..place as usize).unwrap_or_default().iter().rev()
    }

    fn plain_from(&self, place: u32) -> u32 {
        match self.get(place) {
            Some(slot) if !slot.is_plain => slot.plain_above,
            _ => place,
        }
    }

    fn len(&self) -> u32 {
        packed(self.0.len())
    }
}

/// The parts of both kinds.
#[derive(Default)]
pub(crate) struct Heads {
    allow: Slots,
    disallow: Slots,
}

impl Heads {
    /// Sorts the parts, and sets their places. None of them counts yet.
    pub(crate) fn of(parts: &mut [Compared<'_>]) -> Self {
        let shape = |at: usize| parts.get(at).map(|part| &part.shape);
        let head = |at: usize| shape(at).map(Shape::literal_prefix);
        let keys = sorted(parts.iter().map(|part| key(part.shape.split())), |left, right| {
            head(left).cmp(&head(right)).then_with(|| shape(left).cmp(&shape(right)))
        });
        let allows = parts.iter().filter(|part| part.kind == RuleKind::Allow).count();
        let (allow, disallow) = (Vec::with_capacity(allows), Vec::with_capacity(parts.len().saturating_sub(allows)));
        let mut heads = Self { allow: Slots(allow), disallow: Slots(disallow) };
        let (mut top_allow, mut top_disallow) = (NONE, NONE);
        let mut rest = keys.as_slice();
        while let Some((&first, others)) = rest.split_first() {
            let head_of = |key: u128| parts.get(index(key)).map(|part| part.shape.literal_prefix()).unwrap_or_default();
            let head = head_of(first);
            let more = others.iter().take_while(|key| head_of(**key) == head).count();
            let Some((run, later)) = rest.split_at_checked(more.saturating_add(1)) else { break };
            rest = later;
            top_allow = heads.allow.prefix_of(top_allow, parts, head);
            top_disallow = heads.disallow.prefix_of(top_disallow, parts, head);
            for &key in run {
                let Some(part) = parts.get_mut(index(key)) else { continue };
                let (slots, top) = match part.kind {
                    RuleKind::Allow => (&mut heads.allow, &mut top_allow),
                    RuleKind::Disallow => (&mut heads.disallow, &mut top_disallow),
                };
                part.places.own = slots.len();
                part.places.fixed = packed(part.shape.fixed());
                slots.push(part, packed(index(key)), *top);
                *top = part.places.own;
            }
            for &key in run {
                let Some(part) = parts.get_mut(index(key)) else { continue };
                let (same, other, later) = match part.kind {
                    RuleKind::Allow => (top_allow, top_disallow, heads.disallow.len()),
                    RuleKind::Disallow => (top_disallow, top_allow, heads.allow.len()),
                };
                part.places = Places { same, other, later, ..part.places };
            }
        }
        heads
    }

    pub(crate) const fn of_kind(&self, kind: RuleKind) -> &Slots {
        match kind {
            RuleKind::Allow => &self.allow,
            RuleKind::Disallow => &self.disallow,
        }
    }

    pub(crate) const fn of_other_kind(&self, kind: RuleKind) -> &Slots {
        match kind {
            RuleKind::Allow => &self.disallow,
            RuleKind::Disallow => &self.allow,
        }
    }

    /// Gives a part a rank; 0 if its rule does not count.
    pub(crate) fn set_rank(&mut self, part: &Compared<'_>, rank: u32) {
        match part.kind {
            RuleKind::Allow => self.allow.set_rank(part.places.own, rank),
            RuleKind::Disallow => self.disallow.set_rank(part.places.own, rank),
        }
    }
}

impl Slots {
    /// The place itself, or the nearest above it, whose head is a prefix of this one. What is passed is never above a
    /// later part, since parts are sorted.
    fn prefix_of(&self, mut place: u32, parts: &[Compared<'_>], head: &[u8]) -> u32 {
        while let Some(slot) = self.get(place) {
            if parts.get(slot.part as usize).is_some_and(|part| head.starts_with(part.shape.literal_prefix())) {
                break;
            }
            place = slot.above;
        }
        place
    }

    fn push(&mut self, part: &Compared<'_>, at: u32, above: u32) {
        self.0.push(Slot {
            rank: 0,
            fixed: part.places.fixed,
            part: at,
            entry: part.entry,
            above,
            plain_above: self.plain_from(above),
            is_implied: part.is_implied,
            is_head: part.shape.is_head(),
            is_plain: part.shape.is_plain(),
        });
    }
}

/// Converts to u32; [`NONE`] if it does not fit.
pub(crate) fn packed(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

// Sorting by literal prefixes: none of the strings has a byte below a blank.

/// The key of a head and what follows it, for [`sorted`]: the bytes after the first, which is a slash in all heads but the
/// empty one. Between head and rest stands a byte that is less than theirs. Missing bytes are zeros. So a head is less
/// than its continuations, and alone it comes before any rest.
#[inline]
pub(crate) fn key((head, rest): (&[u8], &[u8])) -> u128 {
    const MARK: u128 = 1 << (u128::BITS - u8::BITS);
    // The empty head comes first, for any rest.
    let Some((_, head)) = head.split_first() else { return 0 };
    let mut number = leading(head);
    if head.len() < FRONT && !rest.is_empty() {
        let marked = MARK | leading(rest) >> u8::BITS;
        number |= marked >> head.len().saturating_mul(8);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [text.order]
    #[test]
    fn keys_sort_as_heads_do() {
        let bytes = b"/abcabcabcabcabcabcabc";
        let heads = (1..bytes.len()).filter_map(|end| bytes.get(..end));
        let pairs: Vec<(&[u8], &[u8])> = heads
            .flat_map(|head| [&b""[..], b"*", b"*a", b"*b"].map(|rest| (head, rest)))
            .chain([(&b"/b"[..], &b""[..]), (b"", b"*a"), (b"", b"*b")])
            .collect();
        for left in &pairs {
            for right in &pairs {
                let keys = (key(*left) >> 32, key(*right) >> 32);
                let is_tie = keys.0 == keys.1;
                assert!(
                    is_tie || left.0 == right.0 || keys.0.cmp(&keys.1) == left.0.cmp(right.0),
                    "{left:?} {right:?}"
                );
                // The mark and two bytes after it need space.
                let is_long = left.0.len() + 2 > FRONT && right.0.len() + 2 > FRONT;
                let is_first = left.0.is_empty() || right.0.is_empty();
                assert!(!is_tie || is_long || is_first || left == right, "{left:?} {right:?}");
            }
        }
    }
}
