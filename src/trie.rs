//! Which of many rules matches a path: a radix tree over the octets that each rule begins with.
//!
//! Invariant: rules are known by their place in order of precedence, so the least place that matches decides. A walk down the
//! tree looks at each octet of the path at most twice, however many rules there are; rules with stars hang on the node where
//! their first star stands, and only those are tried one by one, the best first.

use alloc::vec::Vec;
use core::ops::Range;

use crate::octets;
use crate::pattern::Glob;

/// No rule.
const NONE: usize = usize::MAX;

/// Rules in order of precedence, made ready to match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    /// First octet and node of each child, a node's children side by side.
    edges: Vec<(u8, usize)>,
    /// The labels of all nodes.
    labels: Vec<u8>,
    /// Rules with stars by node, in order of precedence.
    globs: Vec<(usize, Glob<'static>)>,
}

#[derive(Clone, Debug)]
struct Node {
    /// The octets between its parent and it.
    label: Range<usize>,
    children: Range<usize>,
    /// The best rule that matches whatever begins as this node does.
    prefix: usize,
    /// The best rule that matches just the path that ends here.
    exact: usize,
    globs: Range<usize>,
}

impl Trie {
    /// `rules` stand in order of precedence. Cost: sorting them, and their octets.
    pub(crate) fn new(rules: Vec<Glob<'static>>) -> Self {
        let mut rules: Vec<(usize, Glob<'static>)> = rules.into_iter().enumerate().collect();
        // Stable: rules of one node stay in order of precedence.
        rules.sort_by(|left, right| left.1.literal_front().cmp(right.1.literal_front()));
        let mut trie = Self::default();
        let fronts: Vec<&[u8]> = rules.iter().map(|(_, glob)| glob.literal_front()).collect();
        // A node, the rules that begin as it does, and how many octets those have in common.
        let mut open = alloc::vec![(trie.add_node(&[]), 0..rules.len(), 0_usize)];
        let mut by_node: Vec<(usize, usize)> = Vec::new();
        while let Some((node, range, depth)) = open.pop() {
            let ends_here = |at: &usize| fronts.get(*at).is_some_and(|front| front.len() == depth);
            let own = range.clone().take_while(ends_here).count();
            let below = range.start.saturating_add(own)..range.end;
            by_node.extend((range.start..below.start).map(|at| (node, at)));
            let first_edge = trie.edges.len();
            for group in groups(&fronts, below, depth) {
                let common = common_length(&fronts, &group);
                let label = fronts.get(group.start).map_or(&[][..], |front| octets::part(front, depth..common));
                let child = trie.add_node(label);
                trie.edges.push((label.first().copied().unwrap_or(0), child));
                open.push((child, group, common));
            }
            if let Some(node) = trie.nodes.get_mut(node) {
                node.children = first_edge..trie.edges.len();
            }
        }
        trie.hang(rules, &by_node);
        trie
    }

    fn add_node(&mut self, label: &[u8]) -> usize {
        let start = self.labels.len();
        self.labels.extend_from_slice(label);
        self.nodes.push(Node {
            label: start..self.labels.len(),
            children: 0..0,
            prefix: NONE,
            exact: NONE,
            globs: 0..0,
        });
        self.nodes.len().saturating_sub(1)
    }

    /// Hangs each rule on its node; those of one node stand side by side in `by_node`.
    fn hang(&mut self, rules: Vec<(usize, Glob<'static>)>, by_node: &[(usize, usize)]) {
        let mut rules: Vec<Option<(usize, Glob<'static>)>> = rules.into_iter().map(Some).collect();
        for &(node, at) in by_node {
            let Some((place, glob)) = rules.get_mut(at).and_then(Option::take) else { continue };
            let Some(node) = self.nodes.get_mut(node) else { continue };
            if glob.has_star() {
                if node.globs.is_empty() {
                    node.globs = self.globs.len()..self.globs.len();
                }
                node.globs.end = self.globs.len().saturating_add(1);
                self.globs.push((place, glob));
            } else if glob.is_anchored() {
                node.exact = node.exact.min(place);
            } else {
                node.prefix = node.prefix.min(place);
            }
        }
    }

    /// The place of the first rule that matches.
    pub(crate) fn find(&self, path: &[u8]) -> Option<usize> {
        let mut best = NONE;
        self.walk(path, |node, rest| {
            best = best.min(node.prefix);
            if rest.is_empty() {
                best = best.min(node.exact);
            }
        });
        if !self.globs.is_empty() {
            let mut octets_of_path = None;
            self.walk(path, |node, rest| {
                for (place, glob) in self.globs.get(node.globs.clone()).unwrap_or_default() {
                    if *place >= best {
                        break;
                    }
                    let seen = *octets_of_path.get_or_insert_with(|| octets::sketch(path));
                    if glob.may_match(seen) && glob.matches_behind_front(rest) {
                        best = *place;
                        break;
                    }
                }
            });
        }
        (best != NONE).then_some(best)
    }

    /// Visits the nodes that the path goes through, each with the rest of the path.
    #[inline]
    fn walk<'t>(&'t self, path: &[u8], mut visit: impl FnMut(&'t Node, &[u8])) {
        let mut rest = path;
        let mut next = self.nodes.first();
        while let Some(node) = next {
            visit(node, rest);
            let Some(&octet) = rest.first() else { return };
            let children = self.edges.get(node.children.clone()).unwrap_or_default();
            let Some((_, child)) = children.iter().find(|(first, _)| *first == octet) else { return };
            next = self.nodes.get(*child).filter(|child| {
                let label = octets::part(&self.labels, child.label.clone());
                rest.strip_prefix(label).is_some_and(|behind| {
                    rest = behind;
                    true
                })
            });
        }
    }
}

/// `range` by the octet at `depth`, which all of its fronts have.
fn groups<'f>(fronts: &'f [&'f [u8]], range: Range<usize>, depth: usize) -> impl Iterator<Item = Range<usize>> + 'f {
    let octet_of = move |at: usize| fronts.get(at).and_then(|front| front.get(depth));
    let mut start = range.start;
    core::iter::from_fn(move || {
        let octet = (start < range.end).then(|| octet_of(start))?;
        let count = (start..range.end).take_while(|&at| octet_of(at) == octet).count();
        let group = start..start.saturating_add(count);
        start = group.end;
        Some(group)
    })
}

/// How many octets the fronts have in common: sorted, so the first and the last tell.
fn common_length(fronts: &[&[u8]], group: &Range<usize>) -> usize {
    let (Some(first), Some(last)) = (fronts.get(group.start), fronts.get(group.end.saturating_sub(1))) else {
        return 0;
    };
    first.iter().zip(last.iter()).take_while(|(left, right)| left == right).count()
}
