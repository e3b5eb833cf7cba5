//! Builds the tree of rules.
//!
//! Invariant: rules arrive sorted by the bytes before their first wildcards. So a node that is not a prefix of the next
//! rule is final and can be written, after all nodes below it. When a rule arrives, all rules on the nodes above it are
//! known.

use alloc::vec::Vec;

use crate::closed;
use crate::path::glob;
use crate::path::index::{Entry, Glob, Head, Hook, Look, NO_HOOK, NO_RULE, Trie};
use crate::syntax::bytes;

/// The maximum length of a label. Longer runs of bytes are divided by extra nodes.
const MOST_BETWEEN: usize = u16::MAX as usize;

/// Builds a [`Trie`], rule by rule.
pub(crate) struct IndexBuilder<'e> {
    trie: Trie,
    /// The nodes from the root to the node of the last rule.
    open: Vec<Open<'e>>,
    /// For each written node whose parent is not written: its first byte and its offset.
    written: Vec<(u8, u64)>,
    /// Whether a rule was lost, which is a bug.
    has_lost: bool,
}

/// A node that can still get children.
struct Open<'e> {
    /// Bytes that begin with those of the node.
    front: &'e [u8],
    /// How many of these bytes belong to the node.
    depth: usize,
    prefix: u64,
    hook: u32,
    children: u16,
}

impl Trie {
    /// Builds the index. Cost: sorts the rules by the bytes before their first wildcards, and reads each byte a few
    /// times.
    pub(crate) fn new(entries: &[Entry<'_>]) -> Self {
        IndexBuilder::of(entries)
    }
}

impl<'e> IndexBuilder<'e> {
    /// Builds the tree of these rules.
    pub(crate) fn of(entries: &'e [Entry<'_>]) -> Trie {
        let bytes = entries.iter().map(|entry| entry.literals.bytes.len()).sum::<usize>();
        // Enough for one or two nodes for each rule, and for the nodes within long runs.
        let nodes = entries.len().saturating_mul(40).saturating_add(bytes / 1024);
        let trie = Trie { bytes: Vec::with_capacity(bytes.saturating_add(nodes)), ..Trie::default() };
        let mut builder = Self { trie, open: Vec::with_capacity(8), written: Vec::with_capacity(32), has_lost: false };
        let mut added = 0_usize;
        for entry in sorted(entries) {
            builder.add(entry);
            added = added.saturating_add(1);
        }
        while let Some(node) = builder.open.pop() {
            builder.write(&node);
        }
        let is_whole = !builder.has_lost && added == entries.len();
        closed::expect(Some(builder.trie).filter(|_| is_whole), Trie::closed)
    }

    fn add(&mut self, entry: &'e Entry<'_>) {
        let front = entry.literals.front();
        let common = self.open.last().map_or(0, |last| common_length(bytes::part(last.front, 0..last.depth), front));
        self.close_below(common);
        let mut depth = common;
        while depth < front.len() || self.open.is_empty() {
            depth = front.len().min(depth.saturating_add(MOST_BETWEEN));
            self.open(front, depth);
        }
        self.hang(entry, front.len());
    }

    /// Opens a new node below the last one.
    fn open(&mut self, front: &'e [u8], depth: usize) {
        let (prefix, hook) = self.open.last().map_or((NO_RULE, NO_HOOK), |above| (above.prefix, above.hook));
        self.open.push(Open { front, depth, prefix, hook, children: 0 });
    }

    /// Writes the nodes that are deeper than this, so that the last open node has this depth.
    fn close_below(&mut self, depth: usize) {
        while let Some(node) = self.open.pop_if(|node| node.depth > depth) {
            if self.open.last().is_none_or(|above| above.depth < depth) {
                self.open(node.front, depth);
            }
            self.write(&node);
        }
    }

    /// Writes a node. Its children are the last written nodes.
    fn write(&mut self, node: &Open<'_>) {
        let Self { trie: Trie { bytes, root, .. }, open, written, has_lost } = self;
        *root = bytes.len();
        let (first, label) = match open.last_mut() {
            Some(parent) => {
                parent.children = parent.children.saturating_add(1);
                let way = bytes::part(node.front, parent.depth..node.depth).split_first();
                *has_lost |= way.is_none();
                way.unwrap_or((&0, &[]))
            }
            None => (&0, bytes::part(node.front, 0..node.depth)),
        };
        let Open { prefix, hook, children, .. } = *node;
        let length = u16::try_from(label.len()).unwrap_or(u16::MAX);
        *has_lost |= usize::from(length) != label.len();
        bytes.extend_from_slice(&Head { prefix, hook, label: length, children }.write());
        if children > 0 {
            let others = written.len().saturating_sub(children.into());
            let below = written.get(others..).unwrap_or_default();
            *has_lost |= below.len() != usize::from(children);
            bytes.extend(below.iter().map(|(first, _)| *first));
            for (_, at) in below {
                bytes.extend_from_slice(&at.to_le_bytes());
            }
            written.truncate(others);
        }
        bytes.extend_from_slice(label);
        written.push((*first, *root as u64));
    }

    /// Attaches a rule to the last open node, which has this depth.
    fn hang(&mut self, entry: &Entry<'_>, depth: usize) {
        let Some(node) = self.open.last_mut() else {
            self.has_lost = true;
            return;
        };
        let trie = &mut self.trie;
        let tail = entry.literals.bytes.get(depth.saturating_add(1)..);
        if tail.is_none() && !entry.literals.anchored {
            node.prefix = node.prefix.min(entry.number);
            return;
        }
        if trie.hooks.get(node.hook as usize).is_none_or(|hook| hook.depth < depth) {
            let globs = trie.globs.len()..trie.globs.len();
            trie.hooks.push(Hook { exact: NO_RULE, depth, globs, above: node.hook });
            node.hook = u32::try_from(trie.hooks.len().saturating_sub(1)).unwrap_or(NO_HOOK);
            self.has_lost |= node.hook == NO_HOOK;
        }
        let Some(hook) = trie.hooks.last_mut() else {
            self.has_lost = true;
            return;
        };
        let Some(tail) = tail else {
            hook.exact = hook.exact.min(entry.number);
            return;
        };
        let start = trie.bytes.len();
        trie.bytes.extend_from_slice(tail);
        trie.looks.push(Look { number: entry.number, needs: glob::needs(tail) });
        let (literals, anchored) = (start..trie.bytes.len(), entry.literals.anchored);
        trie.globs.push(Glob { literals, anchored });
        hook.globs.end = trie.globs.len();
    }
}

/// Sorts the rules by the bytes before their first wildcards, then by precedence.
fn sorted<'e, 'p>(entries: &'e [Entry<'p>]) -> impl Iterator<Item = &'e Entry<'p>> {
    // Sorting numbers is fast. The low bits are a rule's place, the bits above are its first bytes.
    let places = (entries.len() as u128).next_power_of_two().wrapping_sub(1);
    let key = |(entry, place): (&Entry<'_>, _)| bytes::leading(entry.literals.front()) & !places | place;
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

/// The length of the common prefix of two texts. Compares eight bytes at once.
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
