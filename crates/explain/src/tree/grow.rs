//! Which paths a tree has, within its limits.
//!
//! Invariant: a branch stands for a range of the sorted patterns that begin alike, and below it are those that are
//! longer. What is near the root comes first, so what is left out is far from it. Nothing recurses.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Tree, TreeRule};

/// A pattern, or the folder that some patterns begin with.
pub(super) struct Branch<'p> {
    /// The number of branches above it.
    pub(super) depth: usize,
    /// What all patterns of the range begin with.
    pub(super) pattern: &'p [u8],
    /// Where its own part of the pattern begins.
    pub(super) from: usize,
    /// The patterns below it.
    range: Range<usize>,
    /// Its rules.
    pub(super) rules: Vec<TreeRule>,
    /// The number of rules below it that are left out.
    pub(super) hidden: usize,
    below: Vec<usize>,
}

/// The branches of sorted patterns, each followed by those below it.
pub(super) fn grow<'p>(patterns: &[(&'p [u8], TreeRule)]) -> Vec<Branch<'p>> {
    let mut arena = vec![Branch::new(patterns, (0, 0), b"/", 0..patterns.len())];
    let mut next = VecDeque::from([0]);
    while let Some(place) = next.pop_front() {
        let Some(branch) = arena.get(place) else { break };
        let depth = branch.depth.saturating_add(1);
        let parts = parts_below(patterns, branch);
        let room = Tree::MAX_NODES.saturating_sub(arena.len()).min(Tree::MAX_BRANCHES);
        let room = if depth > Tree::MAX_DEPTH { 0 } else { room };
        let (shown, left_out) = most_rules(parts, room);
        let from = branch.start();
        let below: Vec<usize> = (arena.len()..).take(shown.len()).collect();
        let grown = shown.into_iter().map(|(range, pattern)| Branch::new(patterns, (depth, from), pattern, range));
        let grown: Vec<Branch<'p>> = grown.collect();
        arena.extend(grown);
        next.extend(&below);
        if let Some(branch) = arena.get_mut(place) {
            (branch.below, branch.hidden) = (below, left_out);
        }
    }
    in_order(arena)
}

impl<'p> Branch<'p> {
    fn new(
        patterns: &[(&'p [u8], TreeRule)],
        (depth, from): (usize, usize),
        pattern: &'p [u8],
        range: Range<usize>,
    ) -> Self {
        let own = patterns.get(range.clone()).unwrap_or_default().iter().filter(|(one, _)| *one == pattern);
        let rules = own.map(|(_, rule)| *rule).collect();
        Self { depth, pattern, from, range, rules, hidden: 0, below: Vec::new() }
    }

    /// Where the own parts of those below begin. At the root that is 0 for patterns without a slash at the front.
    const fn start(&self) -> usize {
        self.pattern.len()
    }
}

type Part<'p> = (Range<usize>, &'p [u8]);

/// What is directly below a branch: ranges of patterns, and what each begins with.
fn parts_below<'p>(patterns: &[(&'p [u8], TreeRule)], branch: &Branch<'p>) -> Vec<Part<'p>> {
    let mut parts: Vec<Part<'p>> = Vec::new();
    let mut place = branch.range.start;
    while let Some(&(first, _)) = patterns.get(place).filter(|_| place < branch.range.end) {
        let begin = place;
        let end = end_of_part(first, branch.start());
        let front = first.get(..end).unwrap_or(first);
        let is_folder = end < first.len() || front.ends_with(b"/");
        let is_in =
            |&(pattern, _): &(&[u8], TreeRule)| if is_folder { pattern.starts_with(front) } else { pattern == front };
        let rest = patterns.get(place..branch.range.end).unwrap_or_default();
        place = place.saturating_add(rest.iter().take_while(|one| is_in(one)).count().max(1));
        if first == branch.pattern {
            // Its own rules. If it is a folder, the patterns below it are in the same range.
            place = begin.saturating_add(rest.iter().take_while(|(one, _)| *one == first).count().max(1));
            continue;
        }
        let last = patterns.get(place.saturating_sub(1)).map_or(first, |(last, _)| last);
        parts.push((begin..place, common_folder(first, last, front)));
    }
    parts
}

/// Where the part of a pattern ends that begins here: after the next slash, or at the end of the pattern. A part with a
/// star is the last one.
fn end_of_part(pattern: &[u8], start: usize) -> usize {
    let start = if pattern.starts_with(b"/") { start } else { 0 };
    let rest = pattern.get(start..).unwrap_or_default();
    match rest.iter().position(|byte| b"/*".contains(byte)) {
        Some(at) if rest.get(at) == Some(&b'/') => start.saturating_add(at).saturating_add(1),
        _ => pattern.len(),
    }
}

/// The longest folder that the first and the last of sorted patterns are in; or the pattern, if there is only one.
fn common_folder<'p>(first: &'p [u8], last: &[u8], front: &'p [u8]) -> &'p [u8] {
    if first == last {
        return first;
    }
    let same = first.iter().zip(last).take_while(|(one, other)| one == other);
    let same = same.take_while(|(byte, _)| **byte != b'*').count();
    let folder = first.get(..same).unwrap_or_default().iter().rposition(|&byte| byte == b'/');
    let end = folder.map_or(0, |at| at.saturating_add(1)).max(front.len());
    first.get(..end).unwrap_or(first)
}

/// The parts with the most rules, in order, and the number of rules in the others.
fn most_rules(parts: Vec<Part<'_>>, room: usize) -> (Vec<Part<'_>>, usize) {
    let mut by_size: Vec<Part<'_>> = parts;
    // The sort is stable: of parts of equal size, the first ones are shown.
    by_size.sort_by_key(|(range, _)| std::cmp::Reverse(range.len()));
    let others = by_size.split_off(room.min(by_size.len()));
    by_size.sort_by_key(|(range, _)| range.start);
    (by_size, others.iter().map(|(range, _)| range.len()).sum())
}

/// Each branch, then those below it.
fn in_order(arena: Vec<Branch<'_>>) -> Vec<Branch<'_>> {
    let mut places = Vec::with_capacity(arena.len());
    let mut stack = vec![0];
    while let Some(place) = stack.pop() {
        places.push(place);
        stack.extend(arena.get(place).into_iter().flat_map(|branch| branch.below.iter().rev()));
    }
    let mut arena: Vec<Option<Branch<'_>>> = arena.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| arena.get_mut(place)?.take()).collect()
}
