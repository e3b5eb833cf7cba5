//! Lints of rules that do less, or more, than they seem to.
//!
//! Invariant: time grows in proportion to the file, but for one sort of the rules of each group. What is said to change
//! nothing is tried.

use std::collections::{BTreeMap, BTreeSet};

use robosieve::lines::{FileLines, LineMeaning, LogicalLine};
use robosieve::records::{Parser, Record, Rule, RuleKind};
use robosieve::report::FindingKind;
use robosieve::settings::TextForm;
use robosieve::{Options, Sieve};

use super::drafts::{Claim, Draft, Drafts};
use super::edit::Edit;
use super::{Lint, LintKind};
use crate::{LineNumber, number};

/// `[lint.rules]`, `[lint.wildcards]`
pub(super) fn lint(file: &FileLines<'_>, input: &[u8], options: &Options, drafts: &mut Drafts) {
    let is_unread =
        |line: &LogicalLine<'_, '_>| matches!(line.meaning(), LineMeaning::UnknownField | LineMeaning::NoField);
    let unread = file.iter().filter(is_unread).map(|line| line.number()).collect();
    let mut rules = Rules { file, drafts, opposite: BTreeSet::new(), unread };
    for record in file.records().records() {
        rules.of_group(record);
    }
    rules.without_effect(input, options);
}

struct Rules<'c, 'a> {
    file: &'c FileLines<'a>,
    drafts: &'c mut Drafts,
    /// The lines of opposite rules.
    opposite: BTreeSet<LineNumber>,
    /// The lines that crawlers do not read. One of them may be meant to begin another group.
    unread: BTreeSet<LineNumber>,
}

impl Rules<'_, '_> {
    fn of_group(&mut self, record: Record<'_, '_>) {
        let mut seen: BTreeMap<&[u8], &Rule<'_>> = BTreeMap::new();
        for rule in record.rules().iter().filter(|rule| !rule.pattern().is_empty()) {
            match seen.get(rule.pattern().as_bytes()) {
                Some(first) if first.kind() == rule.kind() => self.repeated(rule, first.line()),
                Some(first) => self.opposite(rule, first.line()),
                None => {
                    seen.insert(rule.pattern().as_bytes(), rule);
                }
            }
            self.wildcards(rule);
        }
    }

    fn repeated(&mut self, rule: &Rule<'_>, first: LineNumber) {
        let message = format!("this rule stands at line {} already", number(first));
        let claim = if self.is_twin(first, rule.line()) { Claim::Weaker } else { Claim::Removal };
        self.deletion(LintKind::RepeatedRule, rule, message, claim);
    }

    /// `[lint.words]`: whether two lines are the same text but for their comments, and all lines between them are read.
    fn is_twin(&self, first: LineNumber, second: LineNumber) -> bool {
        let text = |number| {
            let line = self.file.line_at(number)?;
            let mut parts = line.physical();
            let text = parts.next().filter(|_| parts.next().is_none())?;
            Some(text.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii().to_vec())
        };
        text(first).is_some_and(|one| text(second) == Some(one)) && self.unread.range(first..second).next().is_none()
    }

    fn opposite(&mut self, rule: &Rule<'_>, first: LineNumber) {
        self.opposite.extend([first, rule.line()]);
        let message = format!("line {} says the opposite of the same path: Allow wins", number(first));
        self.drafts.at(self.file.line_at(rule.line()), LintKind::OppositeRules, message);
    }

    fn wildcards(&mut self, rule: &Rule<'_>) {
        let pattern = rule.pattern().as_bytes();
        let front = pattern.split_last().map_or(pattern, |(_, front)| front);
        if front.contains(&b'$') {
            self.drafts.at(self.file.line_at(rule.line()), LintKind::DollarInside, None);
        }
        if pattern.ends_with(b"/.*") {
            self.drafts.at(self.file.line_at(rule.line()), LintKind::DotStar, None);
        } else if pattern.ends_with(b"*") && pattern.len() > 2 {
            self.last_wildcard(rule);
        }
    }

    fn last_wildcard(&mut self, rule: &Rule<'_>) {
        let Some(line) = self.file.line_at(rule.line()) else { return };
        let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
        let stars = value.iter().rev().take_while(|byte| **byte == b'*').count();
        let front = value.get(..value.len().saturating_sub(stars)).unwrap_or_default();
        // Without the star, the `$` would be the end of the URL, and the blank would be no part of the path.
        if front.ends_with(b"$") || front.last().is_some_and(u8::is_ascii_whitespace) {
            return;
        }
        let edit = Edit::of_field(&line, rule.kind().name(), front);
        let edit = edit.filter(|_| stars > 0 && !front.is_empty() && is_loose(&line, self.file));
        self.drafts.push(Draft { edit, claim: Claim::Weaker, ..Lint::new(LintKind::LastWildcard, &line).into() });
    }

    /// `[lint.rules]`: a rule that the portable form leaves out changes no answer. Only those count whose path is in no
    /// group of it.
    fn without_effect(&mut self, input: &[u8], options: &Options) {
        let options = Options { max_details: usize::MAX, ..options.clone() };
        let sieve = Sieve::all_agents().options(options).with(|options| options.form = TextForm::Portable);
        let Ok(portable) = sieve.filter(input) else { return };
        let text = Parser::default().parse(portable.text().as_bytes());
        let needed: BTreeSet<(RuleKind, Vec<u8>)> = text.records().flat_map(|record| record.rules()).map(key).collect();
        // Skips rules that were dropped, and rules that are reported as opposite.
        let lost = portable.report().details().iter().map(|finding| finding.line);
        let skipped: BTreeSet<LineNumber> = lost.chain(self.opposite.iter().copied()).collect();
        let file = self.file;
        for record in file.records().records() {
            let is_real = |rule: &&Rule<'_>| !rule.pattern().is_empty();
            let is_idle = |rule: &&Rule<'_>| !skipped.contains(&rule.line()) && !needed.contains(&key(rule));
            let mut idle: Vec<&Rule<'_>> = record.rules().iter().filter(is_real).filter(is_idle).collect();
            // A group keeps a rule: it ends the run of user-agent lines, and some readers ignore a group without one. Where
            // none is needed, all is allowed, so the Allow lines may stay.
            if idle.len() == record.rules().len() {
                let (disallow, allow): (Vec<&Rule<'_>>, Vec<&Rule<'_>>) =
                    idle.into_iter().partition(|rule| rule.kind() == RuleKind::Disallow);
                idle = if disallow.is_empty() || allow.is_empty() {
                    disallow.into_iter().chain(allow).skip(1).collect()
                } else {
                    disallow
                };
            }
            if idle.is_empty() {
                continue;
            }
            let lines: BTreeSet<LineNumber> = idle.iter().map(|rule| rule.line()).collect();
            let fronts = Fronts::of(record.rules().iter().filter(|rule| !lines.contains(&rule.line())));
            for rule in idle {
                let message = match fronts.line_of(rule) {
                    Some(line) => format!("this rule changes no answer: line {line} covers its path already"),
                    None => "this rule changes no answer: every URL has the same one without it".to_owned(),
                };
                self.deletion(LintKind::RuleWithoutEffect, rule, message, Claim::Removal);
            }
        }
    }

    fn deletion(&mut self, kind: LintKind, rule: &Rule<'_>, message: String, claim: Claim) {
        let Some(line) = self.file.line_at(rule.line()) else { return };
        let edit = Edit::deletion(&line).filter(|_| is_loose(&line, self.file));
        self.drafts.push(Draft { edit, claim, ..Lint { message, ..Lint::new(kind, &line) }.into() });
    }
}

/// Whether a rule can be left out or made shorter without a change of another line, so that such edits are proved
/// together: it is one short line of a file that is read to its end, no line below continues it, and no reader takes it
/// for an index page.
fn is_loose(line: &LogicalLine<'_, '_>, file: &FileLines<'_>) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() && !matches!(byte, b'\r' | b'\n') || matches!(byte, 0 | 0x0b);
    let is_index = |text: &[u8]| text.windows(INDEX.len()).any(|part| part.eq_ignore_ascii_case(INDEX));
    line.numbers().start() == line.numbers().end()
        && line.bytes().len() <= MOST_OF_LINE
        && !file.text().get(line.span().end).is_some_and(is_blank)
        && !is_index(line.bytes())
        && file.report().count(FindingKind::InputCut) == 0
}

/// A path of an index page is also that of its folder, in Google's dialect, if nothing follows.
const INDEX: &[u8] = b"index.htm";
/// The longest line whose edits are proved together. Our choice: no reader cuts it.
const MOST_OF_LINE: usize = 400;

/// The rules of a group whose patterns end openly, so that they cover what begins with them.
struct Fronts<'r>(BTreeMap<(RuleKind, &'r [u8]), u32>);

impl<'r> Fronts<'r> {
    fn of(rules: impl Iterator<Item = &'r Rule<'r>>) -> Self {
        let front = |rule: &'r Rule<'r>| {
            let pattern = rule.pattern().as_bytes();
            let front = pattern.strip_suffix(b"*").unwrap_or(pattern);
            (!front.is_empty() && !front.ends_with(b"$")).then_some(((rule.kind(), front), number(rule.line())))
        };
        Self(rules.filter_map(front).collect())
    }

    /// The line of a rule that covers all that this one does. Paths of more than [`MOST_OF_FRONT`] bytes are cut there.
    fn line_of(&self, rule: &Rule<'_>) -> Option<u32> {
        let pattern = rule.pattern().as_bytes();
        let lengths = 1..=pattern.len().min(MOST_OF_FRONT);
        lengths.filter_map(|length| pattern.get(..length)).find_map(|front| self.0.get(&(rule.kind(), front)).copied())
    }
}

/// The longest beginning of a path that is looked up. Our choice: most paths are shorter.
const MOST_OF_FRONT: usize = 200;

/// A rule without what the portable form writes otherwise: runs of stars, stars at the end, and how a path begins
/// ([portable.stars], [portable.halves]). Rules with one key may differ, so no rule counts by mistake.
fn key(rule: &Rule<'_>) -> (RuleKind, Vec<u8>) {
    let pattern = language(rule.pattern().as_bytes());
    let begin = pattern.iter().position(|byte| !matches!(byte, b'/' | b'*')).unwrap_or(pattern.len());
    (rule.kind(), pattern.get(begin..).unwrap_or_default().to_vec())
}

/// A pattern without what changes no match: runs of stars, and stars at the end. Equal ones match the same paths. After
/// a `$` a star stays: it makes the `$` an ordinary character.
fn language(pattern: &[u8]) -> Vec<u8> {
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
