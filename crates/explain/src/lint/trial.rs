//! All edits of a file are tried: which are safe, which are suggestions, and which claims are true.
//!
//! Invariant: each edit that leaves this module was applied to the file and compared, and safe ones also together. A lint
//! that claims that a line changes nothing is left out unless that was proved. The number of comparisons is bounded by
//! [`Linted::MAX_EDITS`] and by the work of a [`Proof`].
//!
//! Rules that are left out or made shorter are proved many at a time. Each such edit makes a rule weaker. Weaker Disallow
//! lines can only allow more, so if all of them together change nothing, no part of them does; and so for Allow lines.
//! Parts of both together change nothing either: of each URL that is disallowed, some Disallow line is stronger than all
//! Allow lines even when all weaker ones are, and the Allow lines did not become stronger.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::lines::{FileLines, LineMeaning};
use robosieve::records::RuleKind;
use robosieve::report::FindingKind;

use super::drafts::{Claim, Draft};
use super::edit::Edit;
use super::fix::Fix;
use super::proof::{Effects, Proof};
use super::{Lint, LintKind, Linted, Severity, shown};

/// Tries all edits. Returns the lints, and the number of edits that could not be compared within the bounds.
pub(super) fn judge(drafts: Vec<Draft>, file: &FileLines<'_>, input: &[u8], options: &Options) -> (Vec<Lint>, usize) {
    let mut trial = Trial { proof: None, file, drafts, proved: BTreeSet::new(), unproven: 0 };
    if trial.drafts.iter().any(|draft| draft.edit.is_some()) {
        trial.proof = Some(Proof::new(input, options));
        trial.weaken();
        trial.renew();
        trial.try_each();
        trial.one_for_each_line();
        trial.keep_what_may_be_needed();
        trial.renew();
        trial.try_together();
    }
    let Trial { drafts, proved, unproven, .. } = trial;
    let is_claim = |draft: &Draft| draft.lint.kind.is_claim() || draft.claim == Claim::Removal;
    let is_true = |(place, draft): &(usize, Draft)| !is_claim(draft) || proved.contains(place);
    let lints = drafts.into_iter().enumerate().filter(is_true).map(|(_, draft)| draft.lint).collect();
    (lints, unproven)
}

struct Trial<'t, 'a> {
    proof: Option<Proof<'t>>,
    file: &'t FileLines<'a>,
    drafts: Vec<Draft>,
    /// The places of drafts whose edits make rules weaker and change nothing.
    proved: BTreeSet<usize>,
    unproven: usize,
}

impl Trial<'_, '_> {
    fn renew(&mut self) {
        self.proof.iter_mut().for_each(Proof::renew);
    }

    fn effects<'e>(&mut self, edits: impl IntoIterator<Item = &'e Edit>) -> Option<Effects> {
        self.proof.as_mut()?.of_edits(edits, self.file)
    }

    fn meaning(&self, draft: &Draft) -> Option<LineMeaning> {
        self.file.line_at(NonZeroU32::new(draft.lint.line)).map(|line| line.meaning())
    }

    /// The places of drafts, in the order of their lines.
    fn places(&self, is_it: impl Fn(&Draft) -> bool) -> Vec<usize> {
        (0..).zip(&self.drafts).filter(|(_, draft)| is_it(draft)).map(|(place, _)| place).collect()
    }

    /// `[lint.claim]`: the rules that can be left out or made shorter, of each kind those together that change nothing.
    fn weaken(&mut self) {
        for kind in [RuleKind::Disallow, RuleKind::Allow] {
            let mut accepted = Vec::new();
            for is_idle in [false, true] {
                let places = self.places(|draft| {
                    matches!(draft.claim, Claim::Weaker | Claim::Removal)
                        && draft.edit.is_some()
                        && (draft.lint.kind == LintKind::RuleWithoutEffect) == is_idle
                        && self.meaning(draft) == Some(LineMeaning::Rule(kind))
                });
                self.accept(&mut accepted, &places);
            }
            self.proved.extend(accepted);
        }
        for place in self.proved.clone() {
            let Some(draft) = self.drafts.get_mut(place) else { continue };
            let Some(edit) = draft.edit.clone() else { continue };
            let is_safe = draft.claim == Claim::Weaker;
            let line = self.file.line_at(NonZeroU32::new(draft.lint.line));
            let text = line.as_ref().and_then(|line| line.physical().next()).unwrap_or_default();
            let rule = text.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
            let effect =
                if is_safe { "changes no answer".into() } else { format!("removes the rule `{}`", shown(rule)) };
            draft.lint.fix = Some(Box::new(Fix { edit, is_safe, effect }));
        }
    }

    /// Adds those of the chunk that change nothing together with the accepted ones: all, or else those of its halves.
    fn accept(&mut self, accepted: &mut Vec<usize>, chunk: &[usize]) {
        if chunk.is_empty() {
            return;
        }
        let mut edits: BTreeMap<u32, Edit> = BTreeMap::new();
        for place in accepted.iter().chain(chunk) {
            let Some(edit) = self.drafts.get(*place).and_then(|draft| draft.edit.clone()) else { continue };
            let length = |edit: &Edit| edit.lines.iter().map(String::len).sum::<usize>();
            // Of two edits of a line the one that leaves less is weaker.
            if edits.get(&edit.first).is_none_or(|other| length(&edit) < length(other)) {
                edits.insert(edit.first, edit);
            }
        }
        match self.effects(edits.values()) {
            Some(effects) if effects.is_nothing() => accepted.extend(chunk),
            effects if chunk.len() == 1 => self.unproven = self.unproven.saturating_add(usize::from(effects.is_none())),
            _ => {
                let (first, second) = chunk.split_at(chunk.len() / 2);
                self.accept(accepted, first);
                self.accept(accepted, second);
            }
        }
    }

    /// `[lint.law]`: all other edits alone, those first that may be safe.
    fn try_each(&mut self) {
        let is_it = |draft: &Draft| draft.edit.is_some() && !matches!(draft.claim, Claim::Weaker | Claim::Removal);
        let mut places = self.places(is_it);
        let is_last = |draft: &Draft| draft.lint.severity == Severity::Error || draft.claim == Claim::Suggestion;
        places.sort_by_key(|place| self.drafts.get(*place).map(is_last));
        self.unproven = self.unproven.saturating_add(places.len().saturating_sub(Linted::MAX_EDITS));
        for place in places.into_iter().take(Linted::MAX_EDITS) {
            let Some(edit) = self.drafts.get(place).and_then(|draft| draft.edit.clone()) else { continue };
            let Some(effects) = self.effects([&edit]) else {
                self.unproven = self.unproven.saturating_add(1);
                continue;
            };
            let Some(draft) = self.drafts.get(place) else { continue };
            let names = edit.lines.iter().any(|line| line.starts_with("User-agent:"))
                && draft.lint.kind != LintKind::Found(FindingKind::RuleWithoutAgent);
            let may = match (draft.lint.severity, draft.claim) {
                _ if effects.is_nothing() => true,
                (Severity::Note, _) | (_, Claim::Unread) => false,
                // No suggestion opens a site, and only one that names an agent closes one.
                _ => !effects.opens_root() && (names || !effects.changes_root()),
            };
            let is_safe = effects.is_nothing() && draft.claim != Claim::Suggestion;
            let effect = [Some(effects.words()), self.left_out(draft, &edit)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", and ");
            if let Some(draft) = self.drafts.get_mut(place).filter(|_| may) {
                draft.lint.fix = Some(Box::new(Fix { edit, is_safe, effect }));
            }
        }
    }

    /// What an edit takes out of a value, for people.
    fn left_out(&self, draft: &Draft, edit: &Edit) -> Option<String> {
        let has_less = matches!(
            draft.lint.kind,
            LintKind::NeverSent | LintKind::Found(FindingKind::UrlInRule | FindingKind::RepairedValue)
        );
        let line = self.file.line_at(NonZeroU32::new(draft.lint.line)).filter(|_| has_less)?;
        let value = line.value()?.trim_ascii();
        let new = edit.lines.first().and_then(|line| line.split_once(": ")).map_or("", |(_, new)| new);
        Some(match value.strip_suffix(new.as_bytes()).filter(|front| !front.is_empty() && front.len() < value.len()) {
            Some(front) => format!("removes `{}`", shown(front)),
            None => format!("leaves out a part of `{}`", shown(value)),
        })
    }

    /// Of several edits of a line, only that of the worst lint is offered.
    fn one_for_each_line(&mut self) {
        let mut places = self.places(|draft| draft.lint.fix.is_some());
        places.sort_by_key(|place| self.drafts.get(*place).map(|draft| std::cmp::Reverse(draft.lint.severity)));
        let mut taken = BTreeSet::new();
        for place in places {
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
    /// only of files without errors, without other suggestions, and without lines that crawlers do not read.
    fn keep_what_may_be_needed(&mut self) {
        let is_idle = |draft: &Draft| draft.lint.kind == LintKind::RuleWithoutEffect;
        let is_wrong = |draft: &Draft| {
            let reads_nobody = matches!(
                draft.lint.kind,
                LintKind::Found(FindingKind::UnknownDirective | FindingKind::NotAField | FindingKind::JoinedRecords)
            );
            let is_repair = draft.lint.fix.as_deref().is_some_and(|fix| !fix.is_safe && draft.claim != Claim::Removal);
            draft.lint.severity == Severity::Error || is_repair || reads_nobody
        };
        if self.drafts.iter().any(is_wrong) {
            self.drafts.iter_mut().filter(|draft| is_idle(draft)).for_each(|draft| draft.lint.fix = None);
        }
    }

    /// `[lint.together]`: withdraws the safe edits that change something only together with others.
    fn try_together(&mut self) {
        let safe = self.places(|draft| draft.lint.fix.as_deref().is_some_and(|fix| fix.is_safe));
        let (before, mut accepted) = (self.unproven, Vec::new());
        self.accept(&mut accepted, &safe);
        let accepted: BTreeSet<usize> = accepted.into_iter().collect();
        self.unproven = before;
        for place in safe.into_iter().filter(|place| !accepted.contains(place)) {
            self.unproven = self.unproven.saturating_add(1);
            self.drafts.get_mut(place).into_iter().for_each(|draft| draft.lint.fix = None);
        }
    }
}
