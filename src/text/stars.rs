//! Runs of stars in a text: as short as they can be while the rules decide as they did.
//!
//! Invariant: rules of different kinds rank beside one another as before, and doing it again changes nothing. Patterns are not
//! compared, so this holds for each URL and each way of matching. Each star counts for a rule's rank, which is its length; but
//! long runs are a trap for testers that backtrack.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::policy::record::{Precedence, RuleKind, index_directory};
use crate::text::minimise::Line;

/// Shortens runs of stars. The lines are all the rules that decide together, each pattern once; they may be out of order then,
/// and have a pattern twice. Cost: sorting them.
pub(crate) fn shorten(lines: &mut [Line<'_>], precedence: Precedence) {
    let is_index = |line: &Line<'_>| index_directory(line.kind, &line.pattern).is_some();
    match precedence {
        Precedence::LongestMatch => shorten_ranked(lines),
        // An Allow that repeats a Disallow goes, and the directory that it implies must not.
        Precedence::FileOrder if lines.iter().any(is_index) => {}
        Precedence::FileOrder => lines.iter_mut().for_each(|line| shorten_to(&mut line.pattern, 0)),
    }
}

/// From the weakest rule to the strongest: what is weaker has its last length when a rule's turn comes. Each rule stays longer
/// than all that is weaker and of the other kind.
fn shorten_ranked(lines: &mut [Line<'_>]) {
    let (mut longest_allow, mut longest_disallow) = (0_usize, 0_usize);
    for (length, kind, place) in weakest_first(lines) {
        let (longest, longest_other) = match kind {
            RuleKind::Allow => (&mut longest_allow, longest_disallow),
            RuleKind::Disallow => (&mut longest_disallow, longest_allow),
        };
        let line = place.and_then(|place| lines.get_mut(place));
        let length = line.map_or(length, |line| {
            // The directory that some readers take an index page to allow would rank otherwise, too.
            if index_directory(kind, &line.pattern).is_none() {
                shorten_to(&mut line.pattern, longest_other.saturating_add(1));
            }
            line.pattern.len()
        });
        *longest = length.max(*longest);
    }
}

/// The lengths and kinds of all that ranks: rules with their places, and the directories of index pages, for readers that know
/// these.
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

/// Writes runs of stars as one star, but the first as many more as the pattern needs to have the length `least`.
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
