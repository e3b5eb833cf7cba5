//! How the tree of rules grows.
//!
//! Invariant: rules come in the order of the octets before their first stars. So what a rule does not begin with gets no more
//! children and is written, after all that is below it; and when a rule comes, all that is above it is known.

use alloc::vec::Vec;

use crate::glob;
use crate::grams::Gram;
use crate::octets;
use crate::trie::{Entry, Glob, Head, Hook, Look, NO_HOOK, NO_RULE, Trie};

/// Octets of a node between its parent and it, at most: longer ways have nodes in between.
const MOST_BETWEEN: usize = u16::MAX as usize;

/// A tree on its way.
pub(crate) struct Growth<'e> {
    trie: Trie,
    /// The nodes from the root to the last rule's.
    open: Vec<Open<'e>>,
    /// Of nodes that were written, and whose parents were not: the first octet, and where they are.
    written: Vec<(u8, u64)>,
}

/// A node that may get more children.
struct Open<'e> {
    /// Begins with its octets.
    front: &'e [u8],
    /// How many they are.
    depth: usize,
    prefix: u64,
    hook: u32,
    children: u16,
}

impl<'e> Growth<'e> {
    /// The tree of these rules.
    pub(crate) fn of(entries: &'e [Entry<'_>]) -> Trie {
        let octets = entries.iter().map(|entry| entry.literals.octets.len()).sum::<usize>();
        // Room for a node or two of each rule, and for those on long ways.
        let nodes = entries.len().saturating_mul(40).saturating_add(octets / 1024);
        let trie = Trie { octets: Vec::with_capacity(octets.saturating_add(nodes)), ..Trie::default() };
        let mut growth = Self { trie, open: Vec::with_capacity(8), written: Vec::with_capacity(32) };
        for entry in sorted(entries) {
            growth.add(entry);
        }
        while let Some(node) = growth.open.pop() {
            growth.write(&node);
        }
        growth.trie
    }

    fn add(&mut self, entry: &'e Entry<'_>) {
        let front = entry.literals.front();
        let common = self.open.last().map_or(0, |last| common_length(octets::part(last.front, 0..last.depth), front));
        self.close_below(common);
        let mut depth = common;
        while depth < front.len() || self.open.is_empty() {
            depth = front.len().min(depth.saturating_add(MOST_BETWEEN));
            self.open(front, depth);
        }
        self.hang(entry, front.len());
    }

    /// A new node below the last one.
    fn open(&mut self, front: &'e [u8], depth: usize) {
        let (prefix, hook) = self.open.last().map_or((NO_RULE, NO_HOOK), |above| (above.prefix, above.hook));
        self.open.push(Open { front, depth, prefix, hook, children: 0 });
    }

    /// Writes the nodes that are deeper, so that the last one has this depth.
    fn close_below(&mut self, depth: usize) {
        while let Some(node) = self.open.pop_if(|node| node.depth > depth) {
            if self.open.last().is_none_or(|above| above.depth < depth) {
                self.open(node.front, depth);
            }
            self.write(&node);
        }
    }

    /// Its children are those that were written last.
    fn write(&mut self, node: &Open<'_>) {
        let Self { trie: Trie { octets, root, .. }, open, written } = self;
        *root = octets.len();
        let (first, label) = match open.last_mut() {
            Some(parent) => {
                parent.children = parent.children.saturating_add(1);
                octets::part(node.front, parent.depth..node.depth).split_first().unwrap_or((&0, &[]))
            }
            None => (&0, octets::part(node.front, 0..node.depth)),
        };
        let Open { prefix, hook, children, .. } = *node;
        let length = u16::try_from(label.len()).unwrap_or(u16::MAX);
        octets.extend_from_slice(&Head { prefix, hook, label: length, children }.write());
        if children > 0 {
            let others = written.len().saturating_sub(children.into());
            let below = written.get(others..).unwrap_or_default();
            octets.extend(below.iter().map(|(first, _)| *first));
            for (_, at) in below {
                octets.extend_from_slice(&at.to_le_bytes());
            }
            written.truncate(others);
        }
        octets.extend_from_slice(label);
        written.push((*first, *root as u64));
    }

    /// Hangs a rule on the last node, at this depth.
    fn hang(&mut self, entry: &Entry<'_>, depth: usize) {
        let Some(node) = self.open.last_mut() else { return };
        let trie = &mut self.trie;
        let tail = entry.literals.octets.get(depth.saturating_add(1)..);
        if tail.is_none() && !entry.literals.anchored {
            node.prefix = node.prefix.min(entry.number);
            return;
        }
        if trie.hooks.get(node.hook as usize).is_none_or(|hook| hook.depth < depth) {
            let globs = trie.globs.len()..trie.globs.len();
            trie.hooks.push(Hook { exact: NO_RULE, depth, globs, above: node.hook });
            node.hook = u32::try_from(trie.hooks.len().saturating_sub(1)).unwrap_or(NO_HOOK);
        }
        let Some(hook) = trie.hooks.last_mut() else { return };
        let Some(tail) = tail else {
            hook.exact = hook.exact.min(entry.number);
            return;
        };
        let start = trie.octets.len();
        trie.octets.extend_from_slice(tail);
        trie.looks.push(Look { number: entry.number, needs: glob::needs(tail) });
        let (literals, anchored) = (start..trie.octets.len(), entry.literals.anchored);
        trie.globs.push(Glob { literals, anchored, gram: Gram::of(tail) });
        hook.globs.end = trie.globs.len();
    }
}

/// The rules in the order of their fronts, those of one front in order of precedence.
fn sorted<'e, 'p>(entries: &'e [Entry<'p>]) -> impl Iterator<Item = &'e Entry<'p>> {
    // Numbers are sorted fast: the low bits of each are a rule's place, and those above begin its front.
    let places = (entries.len() as u128).next_power_of_two().wrapping_sub(1);
    let key = |(entry, place): (&Entry<'_>, _)| leading(entry.literals.front()) & !places | place;
    let mut keys: Vec<u128> = entries.iter().zip(0..).map(key).collect();
    keys.sort_unstable();
    let at = move |key: u128| entries.get((key & places) as usize);
    for alike in keys.chunk_by_mut(|left, right| left | places == right | places) {
        if alike.len() > 1 {
            let order = |key: u128| at(key).map(|entry| (entry.literals.front(), entry.number));
            alike.sort_unstable_by(|left, right| order(*left).cmp(&order(*right)));
        }
    }
    keys.into_iter().filter_map(at)
}

/// The first sixteen octets as a number that sorts as they do.
#[inline]
fn leading(front: &[u8]) -> u128 {
    front.first_chunk().map_or_else(
        || {
            let missing = 16_u32.saturating_sub(u32::try_from(front.len()).unwrap_or(16));
            let number = front.iter().fold(0_u128, |number, octet| number << 8 | u128::from(*octet));
            // None at all are zero already.
            number.checked_shl(missing.saturating_mul(8)).unwrap_or(0)
        },
        |sixteen| u128::from_be_bytes(*sixteen),
    )
}

/// How many octets two texts begin with alike; eight are compared at once.
#[inline]
fn common_length(left: &[u8], right: &[u8]) -> usize {
    let (lefts, _) = left.as_chunks::<8>();
    let (rights, _) = right.as_chunks::<8>();
    for (at, (left, right)) in lefts.iter().zip(rights).enumerate() {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return at.wrapping_mul(8).wrapping_add(differ.trailing_zeros() as usize / 8);
        }
    }
    let same = lefts.len().min(rights.len()).wrapping_mul(8);
    let pairs = left.iter().zip(right).skip(same);
    same.wrapping_add(pairs.take_while(|(left, right)| left == right).count())
}
