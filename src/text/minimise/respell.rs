//! Plainer spellings of a rule, rules next to it that more testers understand, and runs of stars that are shortened.
//!
//! Invariant: each plainer spelling matches the same paths as the pattern, for all readers. A step is taken only if it
//! is neutral, as [`minimise`](super::minimise) says. A shorter run keeps the order of the ranks of rules of different
//! kinds, and a second run changes nothing: patterns are not compared, so this is true for each URL and each way of
//! matching.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{Line, Rules, ends_in_name};
use crate::policy::options::Precedence;
use crate::policy::record::{has_index_directory, index_directory};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::names::RuleKind;
use crate::text::heads::{Compared, NONE, Slot};

impl<'l> Rules<'_, 'l> {
    /// Spells a rule plainer, if that is neutral.
    pub(super) fn respell(&mut self, at: u32) -> bool {
        let Some(entry) = self.entry(at).filter(|entry| entry.may_be_plainer) else { return false };
        let Some(part) = self.part(entry.part) else { return false };
        let implied = index_directory(entry.kind, &entry.text);
        let fits = |text: &Vec<u8>| {
            self.is_written(entry.kind, text)
                && index_directory(entry.kind, text) == implied
                && (implied.is_none() || self.options.index_html || ends_in_name(text) == ends_in_name(&entry.text))
                && self.is_free(part, entry.rank, self.new_rank(entry.kind, entry.rank, text.len()))
        };
        let Some(text) = plainer(&entry.text).find(fits) else { return false };
        let rank = self.new_rank(entry.kind, entry.rank, text.len());
        if let Some(entry) = self.entries.get_mut(at as usize) {
            entry.rank = rank;
            entry.may_be_plainer = may_be_plainer(&text, Flags::ANY);
            entry.text = Cow::Owned(text);
            self.heads.place(&self.parts, entry);
            self.steps.took(entry.kind);
            self.is_in_order = false;
        }
        true
    }

    /// Activates the alternatives of a rule, which more testers understand, if the limit on rules allows it. The rule
    /// itself is left out once its alternatives decide the same.
    pub(super) fn spell_out(&mut self, at: u32) -> bool {
        let Some(entry) = self.entry(at) else { return false };
        let (halves, directory) = (entry.halves, entry.directory);
        let mut changed = false;
        if halves != NONE {
            changed |= self.activate(halves, at);
            changed |= self.activate(halves.saturating_add(1), at);
        }
        if directory != NONE {
            changed |= self.activate(directory, at);
        }
        changed
    }

    fn activate(&mut self, at: u32, of: u32) -> bool {
        let (Some(entry), Some(whole)) = (self.entry(at), self.entry(of)) else { return false };
        let Some(part) = self.part(entry.part) else { return false };
        if entry.counts || self.count >= self.most {
            return false;
        }
        if self.equals(part).any(|other| other.rank != 0 && !other.is_implied) {
            return false;
        }
        let rank_as = |text: &[u8]| self.new_rank(entry.kind, whole.rank, text.len());
        // A directory is implied already, as it is spelled.
        let is_implied = whole.directory == at;
        let is_free = |text: &Vec<u8>| {
            self.is_written(entry.kind, text) && (is_implied || self.is_free(part, whole.rank, rank_as(text)))
        };
        // Where it is no stronger than the whole rule a half decides nothing.
        let is_below = |text: &Vec<u8>| self.is_written(entry.kind, text) && rank_as(text) <= whole.rank;
        let plainest = || plainer(&entry.text).take(usize::from(!is_implied));
        let texts = || plainest().chain(core::iter::once(entry.text.to_vec()));
        let Some(text) = texts().find(is_free).or_else(|| texts().find(is_below)) else { return false };
        let rank = rank_as(&text);
        if self.is_decided(part, rank, of) || self.halves_stand_for(entry, at) {
            return false;
        }
        if let Some(entry) = self.entries.get_mut(at as usize) {
            entry.counts = true;
            entry.rank = rank;
            entry.may_be_plainer = may_be_plainer(&text, Flags::ANY);
            entry.text = Cow::Owned(text);
            self.heads.place(&self.parts, entry);
            self.count = self.count.saturating_add(1);
            self.steps.added();
            self.is_in_order = false;
        }
        true
    }

    /// Whether the text's own reader keeps the rule so spelled, and does not cut its line.
    fn is_written(&self, kind: RuleKind, text: &[u8]) -> bool {
        let line = kind.name().len().saturating_add(": ".len()).saturating_add(text.len());
        text.len() <= self.options.limits.max_value_length && line <= self.options.max_text_line()
    }

    /// Whether no rule of the other kind that overlaps the part ranks between the two.
    fn is_free(&self, part: &Compared<'l>, rank: u32, new_rank: u32) -> bool {
        let between = rank.min(new_rank)..rank.max(new_rank);
        let others = self.heads.of_other_kind(part.kind);
        if between.is_empty() {
            return true;
        }
        let is_between = |other: &Slot| between.contains(&other.rank) && self.overlaps(other, part);
        let is_above = |other: &Slot| {
            self.spend(0);
            self.fuel.get() == 0 || is_between(other)
        };
        let is_taken = others.chain(part.places.other).any(is_above)
            || self.may_be_below(part, between.end) && self.below(part).any(is_between);
        !is_taken
    }
}

/// Whether there are [`plainer`] patterns.
#[inline]
pub(super) fn may_be_plainer(pattern: &[u8], flags: Flags) -> bool {
    flags.has(Flags::STAR)
        && (flags.has(Flags::STAR_RUN)
            || matches!(pattern, [b'*', next, ..] if *next != b'/')
            || matches!(pattern, [.., b'*'] | [.., b'*', b'$']))
}

/// Plainer patterns that match the same paths: first with all changes, then with each alone.
fn plainer(pattern: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let steps = [one_star, without_needless_anchor, without_last_star, with_slash];
    let all = steps.iter().fold(Cow::Borrowed(pattern), |text, step| step(&text).map_or(text, Cow::Owned));
    let first = match all {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    };
    let is_changed = first.is_some();
    first.into_iter().chain(steps.into_iter().filter(move |_| is_changed).filter_map(move |step| step(pattern)))
}

/// `**` -> `*`
fn one_star(pattern: &[u8]) -> Option<Vec<u8>> {
    if !bytes::star_runs(pattern).1 {
        return None;
    }
    let mut text = pattern.to_vec();
    text.dedup_by(|next, previous| *next == b'*' && *previous == b'*');
    Some(text)
}

/// `X*$` -> `X*`
fn without_needless_anchor(pattern: &[u8]) -> Option<Vec<u8>> {
    pattern.ends_with(b"*$").then(|| bytes::part(pattern, 0..pattern.len().saturating_sub(1)).to_vec())
}

/// `X*` -> `X`, but not where X is nothing, nor where a byte `$` would become an anchor.
fn without_last_star(pattern: &[u8]) -> Option<Vec<u8>> {
    let front = pattern.strip_suffix(b"*")?;
    (!front.is_empty() && !front.ends_with(b"$")).then(|| front.to_vec())
}

/// `*` -> `/` and `*x` -> `/*x`: every path begins with a slash.
fn with_slash(pattern: &[u8]) -> Option<Vec<u8>> {
    match pattern {
        b"*" => Some(b"/".to_vec()),
        [b'*', b'*' | b'/', ..] => None,
        [b'*', ..] => Some([b"/", pattern].concat()),
        _ => None,
    }
}

// Runs of stars. Each star counts for a rule's rank, which is its length. But long runs are slow for testers that
// backtrack.

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
