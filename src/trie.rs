//! Which of many rules matches a path: a radix tree over the octets that each rule begins with.
//!
//! Invariant: rules are known by numbers that rise in order of precedence, so the least that matches decides. A walk down the
//! tree looks at each octet of the path once, however many rules there are; rules with stars hang on the node where their
//! first star stands, and only those on the way are tried one by one, the best of each node first.
//!
//! A verdict waits for memory more than for anything else. So a node is a run of octets, with all that a walk wants of it side
//! by side, and knows what holds for it from the nodes above.

use alloc::vec::Vec;
use core::ops::Range;

use crate::glob::{self, Literals};
use crate::grams::{Gram, Grams};
use crate::growth::Growth;
use crate::octets;

/// No rule.
pub(crate) const NO_RULE: u64 = u64::MAX;
/// No hook. There are never so many of them: they would take up 100 GB.
pub(crate) const NO_HOOK: u32 = u32::MAX;

/// Rules made ready to match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    /// Nodes, and literals of rules with stars.
    pub(crate) octets: Vec<u8>,
    /// Where the root is, behind all other nodes.
    pub(crate) root: usize,
    /// Where rules with stars or a dollar hang.
    pub(crate) hooks: Vec<Hook>,
    /// Of each rule with stars what is looked at first, those of a hook in order of precedence.
    pub(crate) looks: Vec<Look>,
    /// Of each rule with stars the rest.
    pub(crate) globs: Vec<Glob>,
}

/// What a node begins with. Behind it come the first octets of its children; where these are, in 8 octets each; and its label,
/// the octets between its parent's end and its own but for the first.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The best rule that matches whatever begins as this node does: its own, or one of those above it.
    pub(crate) prefix: u64,
    /// Its own hook, or the next one above it.
    pub(crate) hook: u32,
    pub(crate) label: u16,
    pub(crate) children: u16,
}

impl Head {
    const OCTETS: usize = 16;

    /// It, and what is behind it.
    #[inline]
    fn read(octets: &[u8]) -> Option<(Self, &[u8])> {
        let (head, behind) = octets.split_first_chunk::<{ Self::OCTETS }>()?;
        let head = u128::from_le_bytes(*head);
        // The parts of a word are cut out of it on purpose.
        #[allow(clippy::cast_possible_truncation)]
        let head = Self {
            prefix: head as u64,
            hook: (head >> 64) as u32,
            label: (head >> 96) as u16,
            children: (head >> 112) as u16,
        };
        Some((head, behind))
    }

    pub(crate) fn write(&self) -> [u8; Self::OCTETS] {
        let Self { prefix, hook, label, children } = self;
        let head = u128::from(*children) << 112 | u128::from(*label) << 96 | u128::from(*hook) << 64;
        (head | u128::from(*prefix)).to_le_bytes()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Hook {
    /// The best rule that matches just the path that ends here.
    pub(crate) exact: u64,
    /// Octets from the root to its node's end.
    pub(crate) depth: usize,
    pub(crate) globs: Range<usize>,
    /// The next one above.
    pub(crate) above: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) number: u64,
    /// The octets that its literals hold; see [`octets::sketch`].
    pub(crate) needs: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Glob {
    /// Where its literals behind the first star are.
    pub(crate) literals: Range<usize>,
    pub(crate) anchored: bool,
    pub(crate) gram: Option<Gram>,
}

/// A rule to be hung on the tree.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'p> {
    /// The less, the better.
    pub(crate) number: u64,
    pub(crate) literals: Literals<'p>,
}

impl Trie {
    /// Cost: sorting the rules by the octets before their first stars, and looking at each octet a few times.
    pub(crate) fn new(entries: &[Entry<'_>]) -> Self {
        Growth::of(entries)
    }

    /// The number of the first rule that matches.
    #[inline]
    pub(crate) fn find(&self, path: &[u8]) -> Option<u64> {
        let (mut best, mut hook) = (NO_RULE, NO_HOOK);
        let (mut at, mut rest) = (self.root, path);
        while let Some((head, behind)) = self.octets.get(at..).and_then(Head::read)
            && let Some((children, behind)) = behind.split_at_checked(usize::from(head.children).wrapping_mul(9))
            && let Some(label) = behind.get(..head.label.into())
            && let Some(below) = rest.strip_prefix(label)
        {
            (best, hook) = (head.prefix, head.hook);
            let Some((first, others)) = below.split_first() else { break };
            let Some(child) = child_of(children, head.children.into(), *first) else { break };
            (at, rest) = (child, others);
        }
        if hook != NO_HOOK {
            best = self.best_on(hook, path, best);
        }
        (best != NO_RULE).then_some(best)
    }

    /// The best of the rules on a hook, or on one above it, that matches, if it is better than `best`.
    fn best_on(&self, hook: u32, path: &[u8], mut best: u64) -> u64 {
        let mut sketch = None;
        let mut grams = None;
        let mut next = self.hooks.get(hook as usize);
        while let Some(hook) = next {
            let rest = path.get(hook.depth..).unwrap_or_default();
            if rest.is_empty() {
                best = best.min(hook.exact);
            }
            let looks = self.looks.get(hook.globs.clone()).unwrap_or_default();
            for (look, place) in looks.iter().zip(hook.globs.clone()) {
                if look.number >= best {
                    break;
                }
                let lacks = look.needs & !*sketch.get_or_insert_with(|| octets::sketch(path));
                if lacks == 0 && self.globs.get(place).is_some_and(|glob| self.matches(glob, path, rest, &mut grams)) {
                    best = look.number;
                    break;
                }
            }
            next = self.hooks.get(hook.above as usize);
        }
        best
    }

    fn matches(&self, glob: &Glob, path: &[u8], rest: &[u8], grams: &mut Option<Grams>) -> bool {
        glob.gram.is_none_or(|gram| grams.get_or_insert_with(|| Grams::of(path)).may_hold(gram))
            && glob::tail_matches(octets::part(&self.octets, glob.literals.clone()), glob.anchored, rest)
    }
}

/// Where the child is that begins with this octet: eight are compared at once, in the lanes of a word. `firsts` are the first
/// octets of so many children, and where these are.
#[inline]
fn child_of(firsts: &[u8], children: usize, octet: u8) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let wanted = u64::from_ne_bytes([octet; 8]);
    let mut at = 0_usize;
    while at < children {
        // Lanes behind the last child's hold something else; where their offsets would be, `firsts` is over.
        let differ = u64::from_le_bytes(*firsts.get(at..)?.first_chunk()?) ^ wanted;
        // The lowest lane that is zero is found for sure; those above it may be taken for zero, too.
        let zero = differ.wrapping_sub(LOW) & !differ & HIGH;
        if zero != 0 {
            let place = at.wrapping_add(zero.trailing_zeros() as usize / 8);
            let offset = firsts.get(children.wrapping_add(place.wrapping_mul(8))..)?.first_chunk()?;
            return usize::try_from(u64::from_le_bytes(*offset)).ok();
        }
        at = at.wrapping_add(8);
    }
    None
}
