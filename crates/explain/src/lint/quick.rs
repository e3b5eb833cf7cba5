//! Quick proofs that an edit changes nothing, for those that lints offer by the thousand: of one line of a file, and of two
//! sets of one group.
//!
//! Invariant: if a proof says that nothing changes, no agent gets another answer or another value, in either dialect. If
//! not, nothing is known: the whole file is compared, or a [`Diff`](robosieve::diff::Diff) decides. The first one stands on how
//! files are read: a line that is read as the same rule or name leaves all others as they are; and a rule that is left out
//! or made longer changes no group, if a rule of the same group is right above it and the line below cannot continue
//! another one. The other one is for a rule that is written twice, or a `*` at the end of a path that is left out.

use std::collections::BTreeSet;

use robosieve::line::{FileLines, LineMeaning, LogicalLine};
use robosieve::policy::{Parser, Precedence, RecordSet, Rule, RuleKind};

use super::edit::Edit;

/// A rule: its kind and its pattern. Its rank is the length of that.
type Kept<'s> = (RuleKind, &'s [u8]);

/// A rule, and the place of its group.
type OfGroup<'s> = (u32, &'s Rule<'s>);

/// How rules of groups are sorted and looked up.
fn key((group, rule): OfGroup<'_>) -> (u32, RuleKind, &[u8]) {
    (group, rule.kind(), rule.pattern().as_bytes())
}

/// What is kept of the lines of a file, in one dialect. All lists are sorted: by line, or by what a rule says.
pub(super) struct Lines<'s> {
    rules: Vec<OfGroup<'s>>,
    names: Vec<(u32, &'s [u8])>,
    /// The rules that stand more than once in a group.
    repeated: Vec<OfGroup<'s>>,
    /// The lengths of the patterns of all Allow and all Disallow lines of the file.
    ranks: [BTreeSet<usize>; 2],
    /// The Disallow rules whose patterns have neither wildcards nor an end.
    plain: Vec<OfGroup<'s>>,
    by_length: bool,
    /// Whether an Allow of an index page may allow more.
    has_index: bool,
}

const fn place_of(kind: RuleKind) -> usize {
    match kind {
        RuleKind::Allow => 0,
        RuleKind::Disallow => 1,
    }
}

impl<'s> Lines<'s> {
    pub(super) fn of(set: &'s RecordSet<'_>) -> Self {
        let mut lines = Self {
            rules: Vec::with_capacity(set.records().map(|record| record.rules().len()).sum()),
            names: Vec::with_capacity(set.records().map(|record| record.agents().len()).sum()),
            repeated: Vec::new(),
            ranks: [BTreeSet::new(), BTreeSet::new()],
            plain: Vec::new(),
            by_length: set.reading().precedence == Precedence::LongestMatch,
            has_index: false,
        };
        for (group, record) in (0..).zip(set.records()) {
            for agent in record.agents() {
                lines.names.push((agent.line(), agent.name().as_bstr()));
            }
            for rule in record.rules() {
                let (kind, pattern) = (rule.kind(), rule.pattern().as_bytes());
                lines.has_index |= set.reading().index_html && kind == RuleKind::Allow && is_index(pattern);
                if let Some(ranks) = lines.ranks.get_mut(place_of(kind)).filter(|_| !pattern.is_empty()) {
                    ranks.insert(pattern.len());
                }
                let is_closing = kind == RuleKind::Disallow && !pattern.is_empty();
                if is_closing && !pattern.iter().any(|byte| matches!(byte, b'*' | b'$' | b'%')) {
                    lines.plain.push((group, rule));
                }
                lines.rules.push((group, rule));
            }
        }
        lines.rules.sort_unstable_by_key(|rule| key(*rule));
        let is_twice = |two: &&[OfGroup<'_>]| matches!(two, [one, other] if key(*one) == key(*other));
        let repeated = lines.rules.windows(2).filter(is_twice).filter_map(<[_]>::first);
        lines.repeated = repeated.copied().collect();
        lines.repeated.dedup_by_key(|rule| key(*rule));
        lines.repeated.shrink_to_fit();
        lines.rules.sort_unstable_by_key(|rule| rule.1.line());
        lines.names.sort_unstable();
        lines.plain.shrink_to_fit();
        lines.plain.sort_unstable_by_key(|rule| key(*rule));
        lines
    }

    fn rule_at(&self, line: u32) -> Option<OfGroup<'s>> {
        let place = self.rules.binary_search_by_key(&line, |rule| rule.1.line()).ok()?;
        self.rules.get(place).copied()
    }

    fn name_at(&self, line: u32) -> Option<&'s [u8]> {
        let place = self.names.binary_search_by_key(&line, |name| name.0).ok()?;
        self.names.get(place).map(|name| name.1)
    }

    /// Whether the rule of a line can become another one, or none, and every URL has the same answer.
    fn is_idle(&self, line: u32, new: Option<Kept<'_>>) -> bool {
        let Some((group, kind, pattern)) = self.rule_at(line).map(key) else { return false };
        if new == Some((kind, pattern)) {
            return true;
        }
        let others = self.ranks.get(1_usize.saturating_sub(place_of(kind)));
        if !self.by_length || self.has_index {
            return false;
        }
        if let Some((new_kind, other)) = new {
            let (low, high) = (pattern.len().min(other.len()), pattern.len().max(other.len()));
            return new_kind == kind
                && language(pattern) == language(other)
                && others.is_some_and(|others| others.range(low..=high).next().is_none());
        }
        let is_twice = is_in(&self.repeated, (group, kind, pattern));
        is_twice || others.is_some_and(BTreeSet::is_empty) && self.is_covered(group, kind, pattern)
    }

    /// Whether another rule of the group covers all that this one does. Without rules of the other kind that decides.
    fn is_covered(&self, group: u32, kind: RuleKind, pattern: &[u8]) -> bool {
        if kind == RuleKind::Allow {
            return true;
        }
        let is_plain = |front: &[u8]| is_in(&self.plain, (group, kind, front));
        (1..pattern.len()).rev().filter_map(|length| pattern.get(..length)).any(is_plain)
    }
}

fn is_in(sorted: &[OfGroup<'_>], rule: (u32, RuleKind, &[u8])) -> bool {
    sorted.binary_search_by(|one| key(*one).cmp(&rule)).is_ok()
}

/// The longest pattern whose prefixes are looked up.
const MOST: usize = 300;

/// Whether an edit of one line changes nothing, in both dialects.
pub(super) fn changes_nothing(
    edit: &Edit,
    file: &FileLines<'_>,
    input: &[u8],
    readings: [(&Parser, &Lines<'_>); 2],
) -> bool {
    let Some(line) = file.line_at(edit.first) else { return false };
    let may_go =
        || is_loose(&line, file, input, readings) && readings.iter().all(|(_, lines)| lines.is_idle(edit.first, None));
    let [text] = edit.lines.as_slice() else { return edit.lines.is_empty() && may_go() };
    // Only one line, with an end of its own, and not the first one, which may have a byte order mark.
    if edit.first != edit.last
        || edit.first == 1
        || text.len() > MOST
        || !text.starts_with(|one: char| one.is_ascii_alphabetic())
        || !next_begins_anew(&line, input)
    {
        // A comment that is kept is no line of its own.
        return text.starts_with('#') && edit.first == edit.last && may_go();
    }
    let rule_file = format!("User-agent: *\n{text}\n");
    let name_file = format!("{text}\nDisallow: /0\n");
    readings.iter().all(|(parser, lines)| match line.meaning() {
        LineMeaning::Rule(_) => {
            let set = parser.parse(rule_file.as_bytes());
            let mut rules = set.records().flat_map(|record| record.rules());
            let rule = rules.next().map(|rule| -> Kept<'_> { (rule.kind(), rule.pattern().as_bytes()) });
            set.records().len() == 1 && rules.next().is_none() && rule.is_some() && lines.is_idle(edit.first, rule)
        }
        LineMeaning::UserAgent => {
            let set = parser.parse(name_file.as_bytes());
            let mut names = set.records().flat_map(|record| record.agents());
            let name = names.next().map(|agent| -> &[u8] { agent.name().as_bstr() });
            names.next().is_none() && name.is_some() && lines.name_at(edit.first) == name
        }
        _ => false,
    })
}

/// Whether a rule can be left out without a change of any group: a rule of its group is right above it in both dialects,
/// so the run of user-agent lines has ended.
fn is_loose(
    line: &LogicalLine<'_, '_>,
    file: &FileLines<'_>,
    input: &[u8],
    readings: [(&Parser, &Lines<'_>); 2],
) -> bool {
    let mut number = line.number();
    let above = loop {
        number = number.saturating_sub(1);
        let Some(above) = file.line_at(number) else { return false };
        number = above.number();
        if !matches!(above.meaning(), LineMeaning::Empty | LineMeaning::Comment) {
            break above;
        }
    };
    let group_of = |lines: &Lines<'_>, number| lines.rule_at(number).map(|rule| rule.0);
    let is_one_line =
        line.numbers().start() == line.numbers().end() && above.numbers().start() == above.numbers().end();
    is_one_line
        && next_begins_anew(line, input)
        && line.value().is_some_and(|value| value.len() <= MOST)
        && readings.iter().all(|(_, lines)| {
            let group = group_of(lines, above.number());
            group.is_some() && group == group_of(lines, line.number())
        })
}

/// Whether the line below cannot continue another one. The line itself has an end.
fn next_begins_anew(line: &LogicalLine<'_, '_>, input: &[u8]) -> bool {
    let has_end = line.bytes().last().is_some_and(|byte| matches!(byte, b'\r' | b'\n'));
    has_end && input.get(line.span().end).is_none_or(|next| !next.is_ascii_whitespace() && *next != 0)
}

/// Whether both sets, which have one group each, are proven to be the same.
pub(super) fn are_same(old: &RecordSet<'_>, new: &RecordSet<'_>) -> bool {
    let [old_rules, new_rules] = [old, new].map(rules);
    let values_of = |set| -> BTreeSet<(&[u8], &[u8])> { values(set) };
    if old.reading().precedence != Precedence::LongestMatch || values_of(old) != values_of(new) {
        return false;
    }
    let only_in = |one: &BTreeSet<Kept<'_>>, other: &BTreeSet<Kept<'_>>| -> Vec<(RuleKind, Vec<u8>, usize)> {
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
            let is_between = |rule: &Kept<'_>| {
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
fn is_index(pattern: &[u8]) -> bool {
    const INDEX: &[u8] = b"index.htm";
    pattern.windows(INDEX.len()).any(|part| part == INDEX)
}

fn rules<'s>(set: &'s RecordSet<'_>) -> BTreeSet<Kept<'s>> {
    let rules = set.records().flat_map(|record| record.rules());
    rules.map(|rule| -> Kept<'s> { (rule.kind(), rule.pattern().as_bytes()) }).collect()
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
