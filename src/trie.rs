//! Which of many rules matches a path: a radix tree over the octets that each rule begins with.
//!
//! Invariant: rules are known by numbers that rise in order of precedence, so the least that matches decides. A walk down the
//! tree looks at each octet of the path once, however many rules there are; rules with stars hang on the node where their
//! first star stands, and only those on the way are tried one by one, the best of each node first.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use crate::glob::{self, Tail};
use crate::grams::{Gram, Grams};
use crate::octets;

/// No rule, or no hook. There are never so many of them: they would take up 100 GB.
const NONE: u32 = u32::MAX;

/// Rules in order of precedence, made ready to match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    /// Where rules with stars hang.
    hooks: Vec<Hook>,
    /// Rules with stars, those of a hook in order of precedence.
    globs: Vec<Glob>,
    /// Of each node its label, and the first octet of each child's; of each glob its literals.
    text: Vec<u8>,
}

/// Small, since a walk waits for each one that it visits.
#[derive(Clone, Debug)]
struct Node {
    /// Where its label begins in the text.
    text: usize,
    /// The octets between its parent and it, but for the first.
    label: u32,
    /// The children stand side by side, from this one on.
    first_child: u32,
    children: u32,
    /// The best rule that matches whatever begins as this node does: its own, or one of those above it.
    prefix: u32,
    /// The best rule that matches just the path that ends here.
    exact: u32,
    /// Its own hook, or the next one above it.
    hook: u32,
}

#[derive(Clone, Debug)]
struct Hook {
    /// Octets from the root to its node's end.
    depth: usize,
    globs: Range<usize>,
    /// The next one above.
    above: u32,
}

#[derive(Clone, Debug)]
struct Glob {
    number: u32,
    tail: Tail,
    gram: Option<Gram>,
    /// Where its literals are in the text.
    literals: Range<usize>,
}

/// A rule to be hung on the tree.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'p> {
    /// The less, the better.
    pub(crate) number: u32,
    /// See [`glob::literals`].
    pub(crate) literals: Cow<'p, [u8]>,
    pub(crate) anchored: bool,
}

/// An entry with the octets before its first star, and the first of those as a number.
type Fronted<'e, 'p> = (u128, &'e [u8], &'e Entry<'p>);

/// A node that is still to be filled, and the part of the sorted rules that belongs to it.
struct Unfilled {
    node: usize,
    rules: Range<usize>,
    /// Octets from the root to its parent's end, and to its own.
    from: usize,
    to: usize,
}

impl Trie {
    /// Cost: sorting the rules by the octets before their first stars, and looking at each of those octets a few times.
    pub(crate) fn new(entries: &[Entry<'_>]) -> Self {
        let mut rules: Vec<Fronted<'_, '_>> = Vec::with_capacity(entries.len());
        rules.extend(entries.iter().map(|entry| {
            let front = glob::front(&entry.literals);
            (leading(front), front, entry)
        }));
        // Rules of one node in order of precedence.
        rules.sort_unstable_by(|left, right| {
            left.0.cmp(&right.0).then_with(|| left.1.cmp(right.1)).then(left.2.number.cmp(&right.2.number))
        });
        let mut trie = Self::default();
        trie.text.reserve(rules.iter().map(|(.., entry)| entry.literals.len().saturating_add(1)).sum());
        trie.nodes.reserve(rules.len().saturating_add(1));
        trie.nodes.push(Node::BELOW_NOTHING);
        let mut unfilled = Vec::with_capacity(32);
        unfilled.push(Unfilled { node: 0, rules: 0..rules.len(), from: 0, to: 0 });
        while let Some(next) = unfilled.pop() {
            trie.fill(next, &rules, &mut unfilled);
        }
        trie
    }

    /// Gives a node its rules, its label and its children.
    fn fill(&mut self, next: Unfilled, rules: &[Fronted<'_, '_>], unfilled: &mut Vec<Unfilled>) {
        let Unfilled { node: at, rules: range, from, to } = next;
        let Some(mut node) = self.nodes.get(at).cloned() else { return };
        let all = rules.get(range.clone()).unwrap_or_default();
        let own = all.iter().take_while(|(_, front, _)| front.len() == to).count();
        let (own, mut below) = all.split_at_checked(own).unwrap_or_default();
        self.hang(&mut node, own, to);
        // Its first octet stands with its parent.
        let label = all.first().map_or(&[][..], |(_, front, _)| octets::part(front, from.saturating_add(1)..to));
        node.text = self.text.len();
        node.label = u32::try_from(label.len()).unwrap_or(NONE);
        self.text.extend_from_slice(label);
        node.first_child = index(self.nodes.len());
        let mut start = range.start.saturating_add(own.len());
        while let Some((_, first, _)) = below.first() {
            let octet = first.get(to);
            let count = below.iter().take_while(|(_, front, _)| front.get(to) == octet).count();
            let (group, behind) = below.split_at_checked(count).unwrap_or_default();
            // Sorted, so the first and the last tell what all have in common.
            let common = group.last().map_or(to, |(_, last, _)| common_length(first, last, to));
            let end = start.saturating_add(count);
            unfilled.push(Unfilled { node: self.nodes.len(), rules: start..end, from: to, to: common });
            self.text.extend(octet);
            self.nodes.push(Node { prefix: node.prefix, hook: node.hook, ..Node::BELOW_NOTHING });
            (below, start) = (behind, end);
        }
        node.children = index(self.nodes.len()).saturating_sub(node.first_child);
        if let Some(place) = self.nodes.get_mut(at) {
            *place = node;
        }
    }

    /// Hangs on a node, at this depth, the rules whose fronts end with it.
    fn hang(&mut self, node: &mut Node, rules: &[Fronted<'_, '_>], depth: usize) {
        let first_glob = self.globs.len();
        for (_, front, entry) in rules {
            match entry.literals.get(front.len().saturating_add(1)..) {
                Some(literals) => {
                    let start = self.text.len();
                    self.text.extend_from_slice(literals);
                    let tail = Tail::of(literals, entry.anchored);
                    let (gram, literals) = (Gram::of(literals), start..self.text.len());
                    self.globs.push(Glob { number: entry.number, tail, gram, literals });
                }
                None if entry.anchored => node.exact = node.exact.min(entry.number),
                None => node.prefix = node.prefix.min(entry.number),
            }
        }
        if self.globs.len() > first_glob {
            let globs = first_glob..self.globs.len();
            self.hooks.push(Hook { depth, globs, above: node.hook });
            node.hook = index(self.hooks.len().saturating_sub(1));
        }
    }

    /// The number of the first rule that matches.
    #[inline]
    pub(crate) fn find(&self, path: &[u8]) -> Option<u32> {
        let (node, rest) = self.deepest(path)?;
        let mut best = if rest.is_empty() { node.prefix.min(node.exact) } else { node.prefix };
        if node.hook != NONE {
            best = self.best_glob(node.hook, path, best);
        }
        (best != NONE).then_some(best)
    }

    /// The best of the rules with stars on a hook, or on one above it, that matches, if it is better than `best`.
    fn best_glob(&self, hook: u32, path: &[u8], mut best: u32) -> u32 {
        let mut looks = Looks { path, sketch: None, grams: None };
        let mut next = self.hooks.get(hook as usize);
        while let Some(hook) = next {
            let rest = path.get(hook.depth..).unwrap_or_default();
            for glob in self.globs.get(hook.globs.clone()).unwrap_or_default() {
                if glob.number >= best {
                    break;
                }
                let literals = || octets::part(&self.text, glob.literals.clone());
                if looks.may_match(glob) && glob.tail.matches(literals(), rest) {
                    best = glob.number;
                    break;
                }
            }
            next = self.hooks.get(hook.above as usize);
        }
        best
    }

    /// The last node on the path's way down, and the rest of the path.
    #[inline]
    fn deepest<'p>(&self, path: &'p [u8]) -> Option<(&Node, &'p [u8])> {
        let mut rest = path;
        let mut node = self.nodes.first()?;
        let mut text = self.text.get(node.text..)?;
        while let Some((&octet, others)) = rest.split_first()
            && let Some(number) = place_of(octet, octets::part(text, 0..node.children as usize))
            && let Some(child) = self.nodes.get((node.first_child as usize).wrapping_add(number))
            && let Some((label, firsts)) = self.text.get(child.text..)?.split_at_checked(child.label as usize)
            && let Some(behind) = if label.is_empty() { Some(others) } else { others.strip_prefix(label) }
        {
            (node, text, rest) = (child, firsts, behind);
        }
        Some((node, rest))
    }
}

/// What a first look at a path shows, once it is asked for.
struct Looks<'p> {
    path: &'p [u8],
    sketch: Option<u64>,
    grams: Option<Grams>,
}

impl Looks<'_> {
    /// False if the path lacks something that the rule needs.
    #[inline]
    fn may_match(&mut self, glob: &Glob) -> bool {
        let path = self.path;
        let sketch = *self.sketch.get_or_insert_with(|| octets::sketch(path));
        glob.tail.may_match(sketch) && glob.gram.is_none_or(|gram| self.may_hold(gram))
    }

    fn may_hold(&mut self, gram: Gram) -> bool {
        let path = self.path;
        self.grams.get_or_insert_with(|| Grams::of(path)).may_hold(gram)
    }
}

impl Node {
    const BELOW_NOTHING: Self =
        Self { text: 0, label: 0, first_child: 0, children: 0, prefix: NONE, exact: NONE, hook: NONE };
}

fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// Where the octet is: eight are compared at once, in the lanes of a word.
#[inline]
fn place_of(octet: u8, among: &[u8]) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let wanted = u64::from_ne_bytes([octet; 8]);
    let mut rest = among;
    while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
        let differ = u64::from_le_bytes(*eight) ^ wanted;
        // The lowest lane that is zero is found for sure; those above it may be taken for zero, too.
        let zero = differ.wrapping_sub(LOW) & !differ & HIGH;
        if zero != 0 {
            let lane = zero.trailing_zeros() as usize / 8;
            return Some(among.len().wrapping_sub(rest.len()).wrapping_add(lane));
        }
        rest = behind;
    }
    let at = rest.iter().position(|&first| first == octet)?;
    Some(among.len().wrapping_sub(rest.len()).wrapping_add(at))
}

/// The first sixteen octets as a number that sorts as they do.
fn leading(front: &[u8]) -> u128 {
    front.first_chunk::<16>().map_or_else(
        || {
            let mut chunk = [0; 16];
            chunk.iter_mut().zip(front).for_each(|(to, from)| *to = *from);
            u128::from_be_bytes(chunk)
        },
        |chunk| u128::from_be_bytes(*chunk),
    )
}

/// How many octets two fronts have in common, of which `known` are known to be the same; so many more at most that the length
/// of a label fits.
fn common_length(left: &[u8], right: &[u8], known: usize) -> usize {
    let (left, right) = (left.get(known..).unwrap_or_default(), right.get(known..).unwrap_or_default());
    let pairs = left.iter().zip(right).take(u32::MAX as usize);
    known.saturating_add(pairs.take_while(|(left, right)| left == right).count())
}
