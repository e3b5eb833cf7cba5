//! Makes the normal form of a file.
//!
//! Invariant: what the [view](crate::View) finds for a crawler of the list is what the crawler is answered: where a name
//! of the file does not say it, the crawler has a row of its own.

use std::borrow::Cow;
use std::collections::HashSet;

use robosieve::policy::RecordSet;
use robosieve::printable::escape;
use robosieve::report::{FindingClass, FindingKind};

use crate::agents::{AgentList, Asked};
use crate::answer::Nature;
use crate::file_row;
use crate::groups::{Answered, Answers, Group, Index, lengths};
use crate::normal::{Entry, FileRow, NameRow, PolicyRow, VERSION};

/// The number of names that have a row. Our choice: of two views of a file, each has the first 1,000 names that are none
/// of its list, which has 1,000 at most.
const MAX_NAMES: usize = AgentList::MAX_NAMED + AgentList::MAX_AGENTS;

/// The crawlers of a list, those that obey nothing, and `*`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    asked: Vec<Asked>,
    index: Index,
    is_union: bool,
}

impl Names {
    pub(crate) fn new(list: &AgentList, is_union: bool) -> Self {
        let asked = list.with_unnamed();
        Self { index: Index::new(&asked, is_union), asked, is_union }
    }

    /// The entry of a file.
    pub(crate) fn entry(
        &self,
        list: &AgentList,
        file: FileRow,
        set: &RecordSet<'_>,
        nature: Nature,
        work: &mut usize,
    ) -> Entry {
        let mut entry = Entry { v: VERSION, file: counted(file, set), ..Entry::default() };
        let mut answers = Answers::new(set, nature, work, true);
        let answered = self.index.answers(&self.asked, &mut answers);
        let names = names_of(set);
        let others: Vec<Asked> = names
            .iter()
            .filter(|(name, _)| list.place(name).is_none())
            .map(|(name, _)| Asked::new(name, None, list.names))
            .collect();
        let index = Index::new(&others, self.is_union);
        let of_others = index.answers(&others, &mut answers);
        entry.texts = answers.texts.take().unwrap_or_default().rows;
        let mut policies = Policies { answers: &answers.made, known: vec![None; answers.made.len()] };

        if let (Some(one), Some(found)) = (self.asked.last(), answered.last()) {
            let row = policies.row(&mut entry, one, *found);
            let of = usize::try_from(row.policy).ok().and_then(|at| entry.policies.get(at));
            if let Some(policy) = of {
                (entry.file.status, entry.file.root) = (policy.status.clone(), policy.root);
            }
            entry.names.push(row);
        }
        let mut others = others.iter().zip(&of_others);
        for (name, listed) in &names {
            let row = match list.place(name) {
                Some(place) => self.asked.get(place).zip(answered.get(place)),
                None => others.next(),
            };
            let Some((one, found)) = row else { continue };
            let row = policies.row(&mut entry, one, *found);
            entry.names.push(NameRow { agent: escape(name), listed: *listed, ..row });
        }
        self.complete(&mut entry, &answered, &mut policies);
        entry.texts.retain(|text| entry.policies.iter().any(|policy| policy.hash == text.hash));
        entry
    }

    /// Adds rows for crawlers of the list whose answer does not follow from the names: for all of them, if the file has
    /// more names than are listed.
    fn complete(&self, entry: &mut Entry, answered: &[Answered], policies: &mut Policies<'_>) {
        let mut places = entry.places();
        let own = (0..).zip(answered).filter(|(_, found)| matches!(found.group, Group::Own(_)));
        let mut candidates: Vec<usize> = own.map(|(place, _)| place).collect();
        // Those that do not obey `*` are before it.
        candidates.extend(self.asked.len().checked_sub(2));
        candidates.extend(places.keys().flat_map(|name| self.index.places(name.as_bytes())));
        // Of those that are answered one by one, proofs can end at the limit.
        let of_everyone = answered.last().map(|found| found.answer);
        let others = (0..).zip(answered).filter(|(_, found)| found.group == Group::Everyone);
        candidates.extend(others.filter(|(_, found)| Some(found.answer) != of_everyone).map(|(place, _)| place));
        if entry.is_cut() {
            candidates.extend(0..self.asked.len().saturating_sub(1));
        }
        candidates.sort_unstable();
        candidates.dedup();
        for place in candidates {
            let (Some(one), Some(found)) = (self.asked.get(place), answered.get(place)) else { continue };
            let row = policies.row(entry, one, *found);
            let is_found = entry.found(&places, one).is_some_and(|view| {
                let policy = entry.policy(row.policy);
                let same =
                    (view.group.as_deref(), view.named, view.line) == (row.group.as_deref(), row.named, row.line);
                // The texts are the same, too.
                same && policy.is_some_and(|policy| match &view.policy {
                    Cow::Borrowed(found) => found.policy == policy.policy,
                    Cow::Owned(found) => policy.exact && found.says(policy),
                })
            });
            if !is_found {
                places.insert(row.agent.to_ascii_lowercase(), entry.names.len());
                entry.names.push(row);
            }
        }
        let used = |policy: &PolicyRow| entry.names.iter().any(|name| name.policy == policy.policy);
        // A policy that was only looked at is the last.
        while entry.policies.last().is_some_and(|policy| !used(policy)) {
            entry.policies.pop();
        }
    }
}

/// The policies that answers became.
struct Policies<'a> {
    answers: &'a [PolicyRow],
    known: Vec<Option<u64>>,
}

impl Policies<'_> {
    fn row(&mut self, entry: &mut Entry, one: &Asked, found: Answered) -> NameRow {
        let known = self.known.get(found.answer).copied().flatten();
        let policy = known.unwrap_or_else(|| {
            let answer = self.answers.get(found.answer).cloned().unwrap_or_default();
            place_of(entry, answer)
        });
        if let Some(slot) = self.known.get_mut(found.answer) {
            *slot = Some(policy);
        }
        let group = match found.group {
            Group::Nobody => None,
            Group::Everyone => Some("*".to_owned()),
            Group::Own(place) => one.group_names.get(place).cloned(),
        };
        let (agent, line) = (one.name.clone(), found.line.map(u64::from));
        NameRow { agent, group, named: found.named, line, policy, listed: false }
    }
}

/// The number of a policy. Two that are the same are one.
fn place_of(entry: &mut Entry, answer: PolicyRow) -> u64 {
    let same = entry
        .policies
        .iter()
        .find(|known| known.exact == answer.exact && known.hash == answer.hash && known.says(&answer));
    if let Some(known) = same {
        return known.policy;
    }
    let policy = u64::try_from(entry.policies.len()).unwrap_or(u64::MAX);
    entry.policies.push(PolicyRow { policy, ..answer });
    policy
}

impl PolicyRow {
    /// Whether it says the same, apart from its number and its text.
    fn says(&self, other: &Self) -> bool {
        let cells = |one: &Self| (one.root, one.proved, one.allows, one.disallows, one.crawl_delay);
        let lines = |one: &Self| [one.training_line, one.ai_input_line, one.search_line, one.extent_line];
        let is_use = self.training == other.training && self.ai_input == other.ai_input;
        let is_use = is_use && self.search == other.search && self.extent == other.extent;
        is_use && cells(self) == cells(other) && self.status == other.status && lines(self) == lines(other)
    }
}

/// The names of a file, and the parts of them that a crawler can go by; each once, and whether it is one of the first
/// names as they stand there.
fn names_of<'s>(set: &'s RecordSet<'_>) -> Vec<(&'s [u8], bool)> {
    let own: Vec<&[u8]> = file_row::short_names(set).take(MAX_NAMES).collect();
    let mut seen: HashSet<Vec<u8>> = own.iter().map(|name| name.to_ascii_lowercase()).collect();
    let form = set.reading().agents;
    let mut parts = Vec::new();
    for name in &own {
        let some = lengths(name, form).into_iter().filter_map(|length| name.get(..length));
        parts.extend(some.filter(|part| !part.is_empty() && seen.insert(part.to_ascii_lowercase())));
    }
    own.into_iter().map(|name| (name, true)).chain(parts.into_iter().map(|part| (part, false))).collect()
}

/// Adds the counts of a file.
fn counted(file: FileRow, set: &RecordSet<'_>) -> FileRow {
    let count = |number: usize| u64::try_from(number).ok();
    let report = set.report();
    let of_class = |class: FindingClass| {
        let kinds = FindingKind::ALL.iter().filter(|kind| kind.class() == class);
        Some(kinds.map(|kind| report.count(*kind)).fold(0, u64::saturating_add))
    };
    FileRow {
        groups: count(set.records().len()),
        agents_count: count(file_row::names(set).count()),
        sitemaps_count: count(set.sitemaps().len()),
        repairs: of_class(FindingClass::Repair),
        suspects: of_class(FindingClass::Suspect),
        losses: of_class(FindingClass::Loss),
        ..file
    }
}
