//! A quick proof that two sets of one group answer alike, for the usual edits: a rule that is written twice, or a `*` at
//! the end of a path that is left out.
//!
//! Invariant: if this says that they are the same, every URL has the same answer and all values are the same. If not,
//! nothing is known: a [`Diff`](robosieve::Diff) decides.

use std::collections::BTreeSet;

use robosieve::policy::Precedence;
use robosieve::{RecordSet, RuleKind};

/// Whether both sets, which have one group each, are proven to be the same.
pub(super) fn are_same(old: &RecordSet<'_>, new: &RecordSet<'_>) -> bool {
    let [old_rules, new_rules] = [old, new].map(rules);
    let values_of = |set| -> BTreeSet<(&[u8], &[u8])> { values(set) };
    if old.reading().precedence != Precedence::LongestMatch || values_of(old) != values_of(new) {
        return false;
    }
    let only_in = |one: &BTreeSet<Ranked<'_>>, other: &BTreeSet<Ranked<'_>>| -> Vec<(RuleKind, Vec<u8>, usize)> {
        let rules = one.difference(other).map(|rule| (rule.0, language(rule.1), rule.1.len()));
        let mut rules: Vec<_> = rules.collect();
        rules.sort_unstable();
        rules
    };
    let (gone, come) = (only_in(&old_rules, &new_rules), only_in(&new_rules, &old_rules));
    // An Allow of an index page may also allow its folder, with another rank.
    let has_index = |pattern: &[u8]| old.reading().index_html && is_index(pattern);
    gone.len() == come.len()
        && gone.iter().zip(&come).all(|(gone, come)| {
            let (low, high) = (gone.2.min(come.2), gone.2.max(come.2));
            let is_between = |rule: &Ranked<'_>| {
                let may_rank = (low..=high).contains(&rule.1.len()) || has_index(rule.1);
                rule.0 != gone.0 && may_rank && may_meet(rule.1, &come.1)
            };
            let is_same = (gone.0, &gone.1) == (come.0, &come.1);
            is_same && !has_index(&gone.1) && !old_rules.iter().chain(&new_rules).any(is_between)
        })
}

/// Whether some path may match both patterns: neither begins otherwise than the other, up to a wildcard.
fn may_meet(one: &[u8], other: &[u8]) -> bool {
    let is_plain = |byte: &u8| !matches!(byte, b'*' | b'$');
    one.iter()
        .take_while(|byte| is_plain(byte))
        .zip(other.iter().take_while(|byte| is_plain(byte)))
        .all(|(a, b)| a == b)
}

/// Whether a pattern may be that of an index page.
pub(super) fn is_index(pattern: &[u8]) -> bool {
    const INDEX: &[u8] = b"index.htm";
    pattern.windows(INDEX.len()).any(|part| part == INDEX)
}

/// A rule: its kind and its pattern. Its rank is the length of that.
type Ranked<'s> = (RuleKind, &'s [u8]);

fn rules<'s>(set: &'s RecordSet<'_>) -> BTreeSet<Ranked<'s>> {
    let rules = set.records().flat_map(|record| record.rules());
    rules.map(|rule| -> Ranked<'s> { (rule.kind(), rule.pattern().as_bytes()) }).collect()
}

fn values<'s>(set: &'s RecordSet<'_>) -> BTreeSet<(&'s [u8], &'s [u8])> {
    let own = set.records().flat_map(|record| record.extensions());
    own.map(|line| -> (&[u8], &[u8]) { (line.name(), line.value()) }).collect()
}

/// A pattern without what changes no match: runs of stars, and stars at the end. Equal ones match the same paths. After
/// a `$` a star stays: it makes the `$` an ordinary character.
pub(super) fn language(pattern: &[u8]) -> Vec<u8> {
    let mut pattern = pattern.to_vec();
    pattern.dedup_by(|next, byte| (*next, *byte) == (b'*', b'*'));
    if pattern.ends_with(b"*$") {
        pattern.pop();
    }
    if pattern.ends_with(b"*") && !pattern.ends_with(b"$*") {
        pattern.pop();
    }
    pattern
}
