//! The paths that rules speak of, as a tree, each with its answer.
//!
//! Invariant: an answer is the tester's. Each rule is at a node, or is counted as not shown at the node above it. The
//! size of the tree is limited: what is near the root comes first, so what is left out is far from it. Nothing recurses.

use std::num::NonZeroU32;
use std::ops::Range;

use robosieve::records::{Rule, RuleKind, Selection};
use robosieve::{Tester, Verdict};

use crate::counted::counted_len as counted;
use robosieve_printable::escape_at_most;

/// A rule at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TreeRule {
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// Its line. None for a rule that replaces lost ones.
    pub line: Option<u32>,
}

/// A path, or a pattern, that at least one rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TreeNode {
    /// The number of nodes above it.
    pub depth: usize,
    /// The part of the pattern that the node above it does not have. A very long one is cut.
    pub label: String,
    /// Whether its example, the shortest path that it matches, may be fetched. None if the pattern is too long to ask.
    pub allowed: Option<bool>,
    /// The line that decides for the example.
    pub decided_by: Option<u32>,
    /// Its rules, in file order.
    pub rules: Vec<TreeRule>,
    /// The number of rules below it that are not shown.
    pub hidden: usize,
    /// Its answer and its rules, for people.
    pub words: String,
}

impl TreeNode {
    fn in_words(&self) -> String {
        let mut words = match self.allowed {
            Some(true) => "allowed".to_owned(),
            Some(false) => "disallowed".to_owned(),
            None => "not asked".to_owned(),
        };
        if let Some(line) = self.decided_by {
            words.extend([format!(" by line {line}")]);
        }
        // The line that decides is reported already.
        let others = self.rules.iter().filter(|rule| rule.line != self.decided_by);
        let others: Vec<String> = others.take(Self::MAX_RULES).map(TreeRule::words).collect();
        if !others.is_empty() {
            words.extend([format!("; also {}", others.join(", "))]);
        }
        if self.hidden > 0 {
            words.extend([format!("; {} below not shown", counted(self.hidden, "rule", "rules"))]);
        }
        words
    }

    /// The rules that are reported at most, of those that do not decide.
    const MAX_RULES: usize = 3;
}

impl TreeRule {
    fn words(&self) -> String {
        let line = self.line.map(|line| format!(" of line {line}")).unwrap_or_default();
        format!("{}{line}", self.kind)
    }
}

/// The paths that rules speak of. The nodes are in the order in which they are read: each is followed by those below.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::records::{Parser, Selection};
/// use robosieve_explain::Tree;
///
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /shop/\nAllow: /shop/help/\nDisallow: /*.pdf$\n");
/// let tree = Tree::of(&Selection::of(&set, &Interest::new(["MyBot"])));
/// let shown: Vec<_> = tree.nodes.iter().map(|it| (it.depth, it.label.as_str(), it.allowed.unwrap())).collect();
/// assert_eq!(shown, [(0, "/", true), (1, "*.pdf$", false), (1, "shop/", false), (2, "help/", true)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<TreeNode>,
}

impl Tree {
    /// The number of nodes of a tree. Our choice: some five printed pages.
    pub const MAX_NODES: usize = 300;
    /// The number of nodes directly below another one. Our choice.
    pub const MAX_BRANCHES: usize = 40;
    /// The number of nodes above another one. Our choice.
    pub const MAX_DEPTH: usize = 12;
    /// The length of the patterns for which an example is asked. Our choice: few real patterns are longer.
    pub const MAX_EXAMPLE: usize = 200;
    /// The number of rules with stars up to which all examples are asked. With more, only so many are that rules and
    /// examples are compared as often as with this number. Our choice.
    pub const MAX_STARS: usize = 1_000;
    /// The length of a label. Our choice.
    pub const MAX_LABEL: usize = 60;

    /// The tree of the rules that apply to an agent.
    #[must_use]
    pub fn of(selection: &Selection<'_, '_>) -> Self {
        let rules: Vec<&Rule<'_>> = selection.rules().filter(|rule| !rule.pattern().is_empty()).collect();
        let tester = Tester::of(selection);
        let stars = rules.iter().filter(|rule| rule.pattern().as_bytes().contains(&b'*')).count();
        let most = Self::MAX_NODES.saturating_mul(Self::MAX_STARS).checked_div(stars).unwrap_or(usize::MAX);
        let mut patterns: Vec<(&[u8], TreeRule)> = rules
            .iter()
            .map(|rule| {
                let line = rule.line().map(NonZeroU32::get);
                (rule.pattern().as_bytes(), TreeRule { kind: rule.kind(), line })
            })
            .collect();
        // The sort is stable: rules of a pattern stay in file order.
        patterns.sort_by_key(|(pattern, _)| *pattern);
        let branches = grow(&patterns);
        let node = |(place, branch): (usize, Branch<'_>)| {
            let pattern = branch.pattern;
            let from = if pattern.starts_with(b"/") { branch.from } else { 0 };
            let label = pattern.get(from..).unwrap_or_default();
            let example = (pattern.len() <= Self::MAX_EXAMPLE && place < most).then(|| example(pattern));
            // With an origin, because a path may begin with `//`.
            let verdict = example.map(|path| tester.test([b"http://h", &path[..]].concat()));
            let mut node = TreeNode {
                depth: branch.depth,
                label: escape_at_most(label, Self::MAX_LABEL),
                allowed: verdict.as_ref().map(Verdict::allowed),
                decided_by: verdict.as_ref().and_then(Verdict::line).map(NonZeroU32::get),
                rules: branch.rules,
                hidden: branch.hidden,
                words: String::new(),
            };
            node.words = node.in_words();
            node
        };
        Self { nodes: branches.into_iter().enumerate().map(node).collect() }
    }
}

/// The shortest path that a pattern matches.
pub(crate) fn example(pattern: &[u8]) -> Vec<u8> {
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let path: Vec<u8> = pattern.iter().copied().filter(|byte| *byte != b'*').collect();
    if path.starts_with(b"/") { path } else { [b"/", &path[..]].concat() }
}

/// A pattern, or the folder that some patterns begin with.
struct Branch<'p> {
    /// The number of branches above it.
    depth: usize,
    /// What all patterns of the range begin with.
    pattern: &'p [u8],
    /// Where its own part of the pattern begins.
    from: usize,
    /// The patterns below it.
    range: Range<usize>,
    /// Its rules.
    rules: Vec<TreeRule>,
    /// The number of rules below it that are left out.
    hidden: usize,
}

/// The branches of sorted patterns, each followed by those below it.
fn grow<'p>(patterns: &[(&'p [u8], TreeRule)]) -> Vec<Branch<'p>> {
    let mut branches = vec![Branch::new(patterns, (0, 0), b"/", 0..patterns.len())];
    let mut place = 0;
    // Those near the root are first, so that they grow first.
    while let Some(branch) = branches.get(place) {
        let (depth, from) = (branch.depth.saturating_add(1), branch.pattern.len());
        let parts = parts_below(patterns, branch);
        let room = Tree::MAX_NODES.saturating_sub(branches.len()).min(Tree::MAX_BRANCHES);
        let room = if depth > Tree::MAX_DEPTH { 0 } else { room };
        let (shown, left_out) = most_rules(parts, room);
        branches.extend(shown.into_iter().map(|(range, pattern)| Branch::new(patterns, (depth, from), pattern, range)));
        branches.get_mut(place).into_iter().for_each(|branch| branch.hidden = left_out);
        place = place.saturating_add(1);
    }
    // A branch has the ranges of those below it, and no two of one depth begin at the same pattern.
    branches.sort_by_key(|branch| (branch.range.start, branch.depth));
    branches
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
        Self { depth, pattern, from, range, rules, hidden: 0 }
    }
}

type Part<'p> = (Range<usize>, &'p [u8]);

/// What is directly below a branch: ranges of patterns, and what each begins with.
fn parts_below<'p>(patterns: &[(&'p [u8], TreeRule)], branch: &Branch<'p>) -> Vec<Part<'p>> {
    let mut parts: Vec<Part<'p>> = Vec::new();
    let mut place = branch.range.start;
    while let Some(&(first, _)) = patterns.get(place).filter(|_| place < branch.range.end) {
        let begin = place;
        let end = end_of_part(first, branch.pattern.len());
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
