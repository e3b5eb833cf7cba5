//! Shortens runs of stars in a text as far as possible without changing which rule decides.
//!
//! Invariant: the ranks of rules of different kinds keep their order, and a second run changes nothing. Patterns are
//! not compared, so this is true for each URL and for each way of matching. Each star counts for a rule's rank, which
//! is its length. But long runs are slow for testers that backtrack.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::policy::record::{Precedence, RuleKind, has_index_directory, index_directory};
use crate::text::minimise::Line;

/// Shortens runs of stars. `lines` are all rules that decide together, with each pattern once. Afterwards they may be
/// out of order and contain a pattern twice. Cost: sorts them.
pub(crate) fn shorten(lines: &mut [Line<'_>], precedence: Precedence) {
    let is_index = |line: &Line<'_>| has_index_directory(line.kind, &line.pattern);
    match precedence {
        Precedence::LongestMatch => shorten_ranked(lines),
        // Shortening could make an Allow equal to a Disallow. It would then be removed, but the directory that it
        // implies must stay.
        Precedence::FileOrder if lines.iter().any(is_index) => {}
        Precedence::FileOrder => lines.iter_mut().for_each(|line| shorten_to(&mut line.pattern, 0)),
    }
}

/// Processes rules from the weakest to the strongest, so all weaker rules already have their final lengths. Each rule
/// stays longer than all weaker rules of the other kind.
fn shorten_ranked(lines: &mut [Line<'_>]) {
    let (mut longest_allow, mut longest_disallow) = (0_usize, 0_usize);
    for (length, kind, place) in weakest_first(lines) {
        let (longest, longest_other) = match kind {
            RuleKind::Allow => (&mut longest_allow, longest_disallow),
            RuleKind::Disallow => (&mut longest_disallow, longest_allow),
        };
        let line = place.and_then(|place| lines.get_mut(place));
        let length = line.map_or(length, |line| {
            // Some readers derive a directory rule from an Allow of an index page. Its rank would change, too.
            if !has_index_directory(kind, &line.pattern) {
                shorten_to(&mut line.pattern, longest_other.saturating_add(1));
            }
            line.pattern.len()
        });
        *longest = length.max(*longest);
    }
}

/// The lengths and kinds of everything that has a rank: the rules with their indexes, and the directories of index
/// pages, which only some readers use.
fn weakest_first(lines: &[Line<'_>]) -> Vec<(usize, RuleKind, Option<usize>)> {
    let rules = lines.iter().enumerate().map(|(place, line)| (line.pattern.len(), line.kind, Some(place)));
    let directories = lines.iter().filter_map(|line| {
        let directory = index_directory(line.kind, &line.pattern)?;
        Some((directory.len(), line.kind, None))
    });
    let mut ranked: Vec<_> = rules.chain(directories).collect();
    ranked.sort_unstable_by_key(|(length, kind, place)| (*length, *kind == RuleKind::Allow, *place));
    ranked
}

/// Writes each run of stars as one star. The first run keeps as many stars as the pattern needs for the length
/// `least`.
fn shorten_to(pattern: &mut Cow<'_, [u8]>, least: usize) {
    let runs = || pattern.chunk_by(|left, right| *left == b'*' && *right == b'*');
    let shortest = runs().count();
    if shortest.max(least) >= pattern.len() {
        return;
    }
    let mut out = Vec::with_capacity(pattern.len());
    let mut missing = least.saturating_sub(shortest);
    for run in runs() {
        let stars = if run.starts_with(b"*") { core::mem::take(&mut missing) } else { 0 };
        out.extend(run.first());
        out.resize(out.len().saturating_add(stars), b'*');
    }
    *pattern = Cow::Owned(out);
}
