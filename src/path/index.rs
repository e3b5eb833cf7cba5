//! Finds the first of many rules that matches a path: a radix tree of the bytes before the first wildcard of each rule.
//!
//! Invariant: rules have numbers in order of precedence, so the smallest matching number decides. A lookup reads each
//! byte of the path once, however many rules there are. Rules with wildcards are attached to the node where their first
//! wildcard is. Only those on the path's way through the tree are tried one by one, the best of each node first.
//!
//! Most of the time of a verdict is memory access. So a node is a run of bytes with everything that a lookup needs. It
//! includes what follows from the nodes above it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::closed;
use crate::path::glob::{self, Literals};
use crate::path::search::Searched;
use crate::syntax::bytes;
use crate::syntax::sort::{index, leading, sorted};

/// The number that means "no rule".
pub(crate) const NO_RULE: u64 = u64::MAX;
/// The number of a Disallow that outranks all rules. It replaces a rule if a bug loses one.
pub(crate) const CLOSED: u64 = u32::MAX as u64;
/// The index that means "no hook". It is never reached: so many hooks would take up 100 GB.
pub(crate) const NO_HOOK: u32 = u32::MAX;

/// The index of the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    /// The nodes, and the literals of rules with wildcards.
    pub(crate) bytes: Vec<u8>,
    /// The offset of the root, which is the last node.
    pub(crate) root: usize,
    /// The nodes that have rules with wildcards or `$`.
    pub(crate) hooks: Vec<Hook>,
    /// For each rule with wildcards, the data that is checked first; in order of precedence within a hook.
    pub(crate) looks: Vec<Look>,
    /// For each rule with wildcards, the rest of its data.
    pub(crate) globs: Vec<Glob>,
}

/// The first part of a node. After it come the first bytes of its children, the offsets of the children (8 bytes each),
/// and the label: the bytes between the parent's end and the node's end, without the first.
#[derive(Clone, Debug)]
pub(crate) struct NodeHeader {
    /// The best rule that matches every path through this node: its own, or that of a node above.
    pub(crate) prefix: u64,
    /// Its own hook, or the nearest one above it.
    pub(crate) hook: u32,
    pub(crate) label: u16,
    pub(crate) children: u16,
}

impl NodeHeader {
    const BYTES: usize = 16;

    /// Reads the head of a node, and returns the bytes after it.
    #[inline]
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (head, after) = bytes.split_first_chunk::<{ Self::BYTES }>()?;
        let head = u128::from_le_bytes(*head);
        // Truncates on purpose: extracts the parts of a word.
        #[allow(clippy::cast_possible_truncation)]
        let head = Self {
            prefix: head as u64,
            hook: (head >> 64) as u32,
            label: (head >> 96) as u16,
            children: (head >> 112) as u16,
        };
        Some((head, after))
    }

    pub(crate) fn write(&self) -> [u8; Self::BYTES] {
        let Self { prefix, hook, label, children } = self;
        let head = u128::from(*children) << 112 | u128::from(*label) << 96 | u128::from(*hook) << 64;
        (head | u128::from(*prefix)).to_le_bytes()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Hook {
    /// The best rule that matches only the path that ends here.
    pub(crate) exact: u64,
    /// The number of bytes from the root to the end of its node.
    pub(crate) depth: usize,
    pub(crate) globs: Range<usize>,
    /// The nearest hook above it.
    pub(crate) above: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) number: u64,
    /// The bytes in its literals; see [`bytes::sketch`].
    pub(crate) needs: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Glob {
    /// The range of its literals after the first wildcard.
    pub(crate) literals: Range<usize>,
    pub(crate) anchored: bool,
}

/// A rule for the index.
#[derive(Clone, Debug)]
pub(crate) struct IndexedRule<'p> {
    /// The smallest number has precedence.
    pub(crate) number: u64,
    pub(crate) literals: Literals<'p>,
}

impl Trie {
    /// An index that disallows every path: a single node with a rule for all.
    pub(crate) fn closed() -> Self {
        let head = NodeHeader { prefix: CLOSED, hook: NO_HOOK, label: 0, children: 0 };
        Self { bytes: head.write().to_vec(), ..Self::default() }
    }

    /// The number of the first matching rule, in order of precedence.
    #[inline]
    pub(crate) fn find(&self, path: &[u8]) -> Option<u64> {
        if self.bytes.is_empty() {
            return None;
        }
        let (mut best, mut hook) = (NO_RULE, NO_HOOK);
        let (mut at, mut rest) = (self.root, path);
        loop {
            let Some((head, children, label)) = self.node(at) else { return closed::because_of_a_bug(|| Some(CLOSED)) };
            let Some(below) = rest.strip_prefix(label) else { break };
            (best, hook) = (head.prefix, head.hook);
            let Some((first, others)) = below.split_first() else { break };
            let Some(child) = child_of(children, head.children.into(), *first) else { break };
            (at, rest) = (child, others);
        }
        if hook != NO_HOOK {
            best = closed::expect(self.best_on(hook, path, best), || CLOSED);
        }
        (best != NO_RULE).then_some(best)
    }

    /// The node at this offset: its head, the bytes that locate its children, and its label.
    #[inline]
    fn node(&self, at: usize) -> Option<(NodeHeader, &[u8], &[u8])> {
        let (head, after) = NodeHeader::read(self.bytes.get(at..)?)?;
        let (children, after) = after.split_at_checked(usize::from(head.children).wrapping_mul(9))?;
        let label = after.get(..head.label.into())?;
        Some((head, children, label))
    }

    /// The best matching rule of a hook and the hooks above it, if it is better than `best`. Returns None only if the
    /// index is damaged: a hook is missing.
    fn best_on(&self, hook: u32, path: &[u8], mut best: u64) -> Option<u64> {
        let mut sketch = None;
        let mut searched = Searched::new(path);
        let mut next = hook;
        while next != NO_HOOK {
            let hook = self.hooks.get(next as usize)?;
            let rest = path.get(hook.depth..)?;
            if rest.is_empty() {
                best = best.min(hook.exact);
            }
            let (looks, globs) = (self.looks.get(hook.globs.clone())?, self.globs.get(hook.globs.clone())?);
            for (look, glob) in looks.iter().zip(globs) {
                if look.number >= best {
                    break;
                }
                let lacks = look.needs & !*sketch.get_or_insert_with(|| bytes::sketch(path));
                if lacks == 0 && self.matches(glob, rest, &mut searched) {
                    best = look.number;
                    break;
                }
            }
            next = hook.above;
        }
        Some(best)
    }

    fn matches(&self, glob: &Glob, rest: &[u8], searched: &mut Searched<'_>) -> bool {
        glob::tail_matches(bytes::part(&self.bytes, glob.literals.clone()), glob.anchored, searched, rest)
    }
}

/// The offset of the child that begins with this byte. Compares eight first bytes at once, in the lanes of a word.
/// `firsts` are the first bytes of the children, followed by their offsets.
#[inline]
fn child_of(firsts: &[u8], children: usize, byte: u8) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let wanted = u64::from_ne_bytes([byte; 8]);
    let mut at = 0_usize;
    while at < children {
        // Lanes after the last child contain other bytes. The lookup of the offset then fails, because `firsts` has no
        // such place.
        let differ = u64::from_le_bytes(*firsts.get(at..)?.first_chunk()?) ^ wanted;
        // The lowest zero lane is always correct. Higher lanes can be reported as zero by mistake.
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

// Building the tree. Rules arrive sorted by the bytes before their first wildcards. So a node that is not a prefix of the
// next rule is final and can be written, after all nodes below it. When a rule arrives, all rules on the nodes above it
// are known.

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

impl<'e> IndexBuilder<'e> {
    /// Builds the tree of these rules. Cost: sorts them by the bytes before their first wildcards, and reads each byte a
    /// few times.
    pub(crate) fn of(entries: &'e [IndexedRule<'_>]) -> Trie {
        let bytes = entries.iter().map(|entry| entry.literals.bytes.len()).sum::<usize>();
        // Enough for one or two nodes for each rule, and for the nodes within long runs.
        let nodes = entries.len().saturating_mul(40).saturating_add(bytes / 1024);
        let trie = Trie { bytes: Vec::with_capacity(bytes.saturating_add(nodes)), ..Trie::default() };
        let mut builder = Self { trie, open: Vec::with_capacity(8), written: Vec::with_capacity(32), has_lost: false };
        let mut added = 0_usize;
        for entry in in_order(entries) {
            builder.add(entry);
            added = added.saturating_add(1);
        }
        while let Some(node) = builder.open.pop() {
            builder.write(&node);
        }
        let is_whole = !builder.has_lost && added == entries.len();
        closed::expect(Some(builder.trie).filter(|_| is_whole), Trie::closed)
    }

    fn add(&mut self, entry: &'e IndexedRule<'_>) {
        let front = entry.literals.literal_prefix();
        let common = self.open.last().map_or(0, |last| common_length(bytes::part(last.front, 0..last.depth), front));
        self.write_below(common);
        let mut depth = common;
        while depth < front.len() || self.open.is_empty() {
            depth = front.len().min(depth.saturating_add(MOST_BETWEEN));
            self.open(front, depth);
        }
        self.attach(entry, front.len());
    }

    /// Opens a new node below the last one.
    fn open(&mut self, front: &'e [u8], depth: usize) {
        let (prefix, hook) = self.open.last().map_or((NO_RULE, NO_HOOK), |above| (above.prefix, above.hook));
        self.open.push(Open { front, depth, prefix, hook, children: 0 });
    }

    /// Writes the nodes that are deeper than this, so that the last open node has this depth.
    fn write_below(&mut self, depth: usize) {
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
        bytes.extend_from_slice(&NodeHeader { prefix, hook, label: length, children }.write());
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
    fn attach(&mut self, entry: &IndexedRule<'_>, depth: usize) {
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
fn in_order<'e, 'p>(entries: &'e [IndexedRule<'p>]) -> impl Iterator<Item = &'e IndexedRule<'p>> {
    let order = |at: usize| entries.get(at).map(|entry| (entry.literals.literal_prefix(), entry.number));
    let keys = entries.iter().map(|entry| leading(entry.literals.literal_prefix()));
    sorted(keys, |left, right| order(left).cmp(&order(right))).into_iter().filter_map(|key| entries.get(index(key)))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The fallback if a bug damages the tree.
    #[test]
    fn a_closed_tree_forbids_every_path() {
        for path in [&b"/"[..], b"/a", b"", b"/robots.txt"] {
            assert_eq!(Trie::closed().find(path), Some(CLOSED));
            assert_eq!(Trie::default().find(path), None);
        }
    }

    /// A missing or damaged node must not mean "no rule": debug builds panic, others disallow.
    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "no input should lead here"))]
    fn a_node_that_is_lost_closes() {
        let spoilt = Trie { root: 1, ..Trie::closed() };
        assert_eq!(spoilt.find(b"/"), Some(CLOSED));
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "no input should lead here"))]
    fn a_hook_that_is_lost_closes() {
        let head = NodeHeader { prefix: NO_RULE, hook: 7, label: 0, children: 0 };
        let spoilt = Trie { bytes: head.write().to_vec(), ..Trie::default() };
        assert_eq!(spoilt.find(b"/"), Some(CLOSED));
    }
}
