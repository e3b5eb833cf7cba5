//! The laws of advice: what is suggested was tried, and loses no word.
//!
//! Invariant: each edit that leaves this module was applied to the file and compared ([lint.law]), alone and together with all
//! others of the file, and its words are those of its lines ([lint.words]), or it says what it removes. A lint that claims
//! that something changes nothing is dropped if the comparison says otherwise.

use std::collections::{BTreeSet, HashMap};

use robosieve::line::{FileLines, LineMeaning, LogicalLine};
use robosieve::report::FindingKind;
use robosieve::settings::Options;

use super::drafts::{Claim, Draft};
use super::edit::Edit;
use super::fix::{Fix, Removed, Scope};
use super::proof::{Effects, Proof, Read};
use super::words;
use super::{Lint, LintKind, Severity, shown};

/// Tries all edits. Returns the lints with those that obey the law, and the number of edits that could not be compared
/// within the bounds.
pub(super) fn judge(drafts: Vec<Draft>, file: &FileLines<'_>, input: &[u8], options: &Options) -> (Vec<Lint>, usize) {
    if drafts.iter().all(|draft| draft.edit.is_none()) {
        return (drafts.into_iter().map(|draft| draft.lint).collect(), 0);
    }
    let read = Read::both(input, options);
    let proof = Proof::new(input, &read, options);
    let is_unread =
        |line: &LogicalLine<'_, '_>| matches!(line.meaning(), LineMeaning::UnknownField | LineMeaning::NoField);
    let unread = file.iter().filter(is_unread).map(|line| line.number()).collect();
    let mut court = Court { proof, file, drafts, unproven: 0, unclear: BTreeSet::new(), unread };
    court.try_each();
    court.one_for_each_line();
    court.proof.renew();
    court.try_together();
    // The lints whose claims are wrong are dropped.
    let clear = court.drafts.into_iter().enumerate().filter(|(place, _)| !court.unclear.contains(place));
    (clear.map(|(_, draft)| draft.lint).collect(), court.unproven)
}

struct Court<'c, 'a> {
    proof: Proof<'c, 'a>,
    file: &'c FileLines<'a>,
    drafts: Vec<Draft>,
    unproven: usize,
    /// The places of drafts whose claims are wrong.
    unclear: BTreeSet<usize>,
    /// The lines that crawlers do not read. One of them may be meant to begin another group.
    unread: Vec<u32>,
}

impl Court<'_, '_> {
    /// The places of drafts, the worst first.
    fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.drafts.len()).collect();
        let severity = |place: &usize| self.drafts.get(*place).map(|draft| draft.lint.severity);
        places.sort_by_key(|place| std::cmp::Reverse(severity(place)));
        places
    }

    fn try_each(&mut self) {
        for place in self.places() {
            let Some(edit) = self.drafts.get(place).and_then(|draft| draft.edit.clone()) else { continue };
            let effects = self.proof.of_edit(&edit, self.file);
            let Some(draft) = self.drafts.get_mut(place) else { continue };
            let Some(effects) = effects else {
                self.unproven = self.unproven.saturating_add(1);
                continue;
            };
            let may = || match (draft.lint.severity, draft.claim) {
                _ if effects.is_nothing() => true,
                (Severity::Note, _) | (_, Claim::SafeEdit | Claim::TrueOnlyIfSafe) => false,
                _ => Scope::of(&edit, self.file, draft.is_for_everyone).allows(&effects),
            };
            if draft.claim == Claim::TrueOnlyIfSafe && !effects.is_nothing() {
                self.unclear.insert(place);
            } else if may()
                && let Some(removed) = removed(&edit, self.file, draft, &self.unread)
            {
                draft.lint.fix = Some(Box::new(Fix::new(edit, &effects, draft.is_for_everyone, removed)));
            }
        }
    }

    /// Of several edits of a line, only that of the worst lint is offered.
    fn one_for_each_line(&mut self) {
        let mut taken = BTreeSet::new();
        for place in self.places() {
            let Some(fix) = self.drafts.get_mut(place).map(|draft| &mut draft.lint.fix) else { continue };
            let Some(edit) = fix.as_deref().map(|fix| &fix.edit) else { continue };
            if (edit.first..=edit.last).any(|line| taken.contains(&line)) {
                *fix = None;
            } else {
                taken.extend(edit.first..=edit.last);
            }
        }
    }

    /// A rule that changes no answer may change one as soon as another line of the file is corrected. So it is left out
    /// only of files without errors, and without edits that change answers.
    fn keep_what_may_be_needed(&mut self) {
        let is_wrong = |draft: &Draft| {
            let changes = |fix: &Fix| !fix.changes.is_empty() || fix.changes_file;
            let is_repair = draft.lint.fix.as_deref().is_some_and(changes);
            let reads_nobody = matches!(
                draft.lint.kind,
                LintKind::Found(FindingKind::UnknownDirective | FindingKind::NotAField | FindingKind::JoinedRecords)
            );
            draft.lint.severity == Severity::Error || is_repair || reads_nobody
        };
        if !self.drafts.iter().any(is_wrong) {
            return;
        }
        for draft in self.drafts.iter_mut().filter(|draft| draft.lint.kind == LintKind::RuleWithoutEffect) {
            draft.lint.fix = None;
        }
    }

    /// Withdraws the edits that break the law only together with others.
    fn try_together(&mut self) {
        let of = |court: &Self, is_one: fn(&Draft, &Fix) -> bool| -> Vec<usize> {
            let is_it = |draft: &Draft| draft.lint.fix.as_deref().is_some_and(|fix| is_one(draft, fix));
            (0..court.drafts.len()).filter(|place| court.drafts.get(*place).is_some_and(is_it)).collect()
        };
        let mut safe = Vec::new();
        let chunk = of(self, |_, fix| fix.is_safe);
        self.accept(&mut safe, &chunk);
        // What is said of several rules has to hold for all together, whatever is offered.
        let idle = of(self, |draft, fix| !fix.is_safe && draft.claim == Claim::TrueOnlyIfSafe);
        self.accept(&mut safe.clone(), &idle);
        self.keep_what_may_be_needed();
        let others = of(self, |_, fix| !fix.is_safe);
        self.accept(&mut safe, &others);
    }

    /// Adds those of the chunk that obey the law together with the accepted ones.
    fn accept(&mut self, accepted: &mut Vec<usize>, chunk: &[usize]) {
        if chunk.is_empty() {
            return;
        }
        let mut together = accepted.clone();
        together.extend_from_slice(chunk);
        together.sort_unstable_by_key(|place| self.edit(*place).map(|edit| edit.first));
        // One edit alone was tried before.
        let obeys = if together.len() == 1 { Some(true) } else { self.obey(&together) };
        if obeys == Some(true) {
            *accepted = together;
        } else if let [place] = chunk {
            if let Some(draft) = self.drafts.get_mut(*place) {
                draft.lint.fix = None;
                // Two claims that cannot both be followed are not both made.
                if obeys == Some(false) && draft.claim == Claim::TrueOnlyIfSafe {
                    self.unclear.insert(*place);
                } else {
                    self.unproven = self.unproven.saturating_add(1);
                }
            }
        } else {
            let (first, second) = chunk.split_at(chunk.len() / 2);
            self.accept(accepted, first);
            self.accept(accepted, second);
        }
    }

    fn edit(&self, place: usize) -> Option<&Edit> {
        self.drafts.get(place)?.lint.fix.as_deref().map(|fix| &fix.edit)
    }

    /// Whether these edits together obey the laws. None if that is not known within the bounds.
    fn obey(&mut self, places: &[usize]) -> Option<bool> {
        let edits = places.iter().filter_map(|place| self.edit(*place));
        let Some(edited) = Edit::apply(edits, self.file) else { return Some(false) };
        let effects = self.proof.effects(&edited)?;
        let fixes = || places.iter().filter_map(|place| self.drafts.get(*place)?.lint.fix.as_deref());
        Some(is_obeyed(fixes(), self.file, &effects) && keeps_words(self.file, &edited, fixes()))
    }
}

/// `[lint.words]`: whether only those words of a file are lost of which the edits say so, or that a rule next to them has.
pub(super) fn keeps_words<'x>(file: &FileLines<'_>, edited: &[u8], fixes: impl Iterator<Item = &'x Fix>) -> bool {
    let mut said: HashMap<&str, usize> = HashMap::new();
    for word in fixes.flat_map(|fix| fix.lost.iter().chain(&fix.twins)) {
        let count = said.entry(word).or_default();
        *count = count.saturating_add(1);
    }
    words::lost([file.text()], [edited]).iter().all(|word| {
        // A name that an earlier pass corrected is listed as it is spelled now.
        let names = [Some(word.as_str()), words::almost(word)];
        let name = names.into_iter().flatten().find(|name| said.get(name).is_some_and(|count| *count > 0));
        name.and_then(|name| said.get_mut(name)).map(|count| *count = count.saturating_sub(1)).is_some()
    })
}

/// `[lint.words]`: the words of its lines that an edit does not keep. None if the edit may not be offered.
fn removed(edit: &Edit, file: &FileLines<'_>, draft: &Draft, unread: &[u32]) -> Option<Removed> {
    let (first, last) = (file.line_at(edit.first)?, file.line_at(edit.last)?);
    let old = file.text().get(first.span().start..last.span().end)?;
    let lost = words::lost([old], edit.lines.iter().map(String::as_bytes));
    let is_near = |twin: u32| {
        let next = unread.get(unread.partition_point(|line| *line < twin));
        next.is_none_or(|line| *line > edit.first)
    };
    let is_twin =
        |twin: u32| is_near(twin) && file.line_at(twin).is_some_and(|twin| words::is_twin(&first, &twin, file.text()));
    if lost.is_empty() || draft.twin.is_some_and(is_twin) {
        return Some(Removed { twins: lost, ..Removed::default() });
    }
    let is_comment = |line: &String| line.trim_start().starts_with('#');
    let removed = if edit.lines.iter().all(is_comment) {
        // A line that goes, with its words.
        let what = if matches!(first.meaning(), LineMeaning::Rule(_)) { "rule" } else { "line" };
        let text = old.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        vec![format!("the {what} `{}`", shown(text))]
    } else if matches!(draft.lint.kind, LintKind::Found(FindingKind::UrlInRule) | LintKind::NeverSent) {
        lost.iter().take(Fix::MAX_CHANGES).map(|word| format!("`{}`", shown(word.as_bytes()))).collect()
    } else {
        return None;
    };
    Some(Removed { lost, shown: removed, twins: Vec::new() })
}

/// Whether the effects of edits together are within what they may change.
fn is_obeyed<'x>(fixes: impl Iterator<Item = &'x Fix>, file: &FileLines<'_>, effects: &Effects) -> bool {
    if effects.is_nothing() {
        return true;
    }
    let mut scope = Scope::default();
    for fix in fixes.filter(|fix| !fix.changes.is_empty() || fix.changes_file) {
        scope.join(fix.scope(file));
    }
    scope.allows(effects)
}
