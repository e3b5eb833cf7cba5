//! Which records of a set speak to an agent, and what they say together.
//!
//! Invariant: a [`Selection`] is what the standard merges: the rules and lines of all records of one agent, in file order,
//! within the limits that hold for one record. Filter and tester both start from it, so they cannot disagree.

use alloc::vec::Vec;

use crate::agent::Interest;
use crate::limits::OverLimit;
use crate::record::{Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::room::TextRoom;

/// Who answered for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum AnsweredBy {
    /// Records that name the agent at this place of the list.
    Agent(usize),
    /// The records for `*`.
    Everyone,
    /// No record: everything is allowed.
    Nobody,
}

impl AnsweredBy {
    /// In order of preference. Where nobody answers, everyone's records might have.
    const fn place(self) -> usize {
        match self {
            Self::Agent(place) => place,
            Self::Everyone | Self::Nobody => Interest::EVERYONE,
        }
    }
}

/// What a set says to an agent.
#[derive(Clone, Debug)]
pub struct Selection<'s, 'a> {
    pub(crate) rules: Vec<&'s Rule<'a>>,
    pub(crate) extensions: Vec<&'s Extension<'a>>,
    answered_by: AnsweredBy,
    agent_line: Option<u32>,
    report: Report,
}

impl<'s, 'a> Selection<'s, 'a> {
    /// Picks the records that speak to the first of the agents that any names, or else to everyone.
    #[must_use]
    pub fn of(set: &'s RecordSet<'a>, interest: &Interest) -> Self {
        Self::reported_in(set.report.emptied(), set, interest)
    }

    /// The same, for who needs its rules and no details of what was found.
    pub(crate) fn of_rules(set: &'s RecordSet<'a>, interest: &Interest) -> Self {
        Self::reported_in(Report::new(0), set, interest)
    }

    /// The same, with what was found added to this report.
    fn reported_in(mut report: Report, set: &'s RecordSet<'a>, interest: &Interest) -> Self {
        let (answered_by, records) = choose(set, interest);
        let agent_line = records.first().and_then(|record| record.agents().first()).map(|agent| agent.line);
        // What was lost of those who would have answered instead, or with them.
        let lost = set.lost.iter().filter(|(place, _)| *place <= answered_by.place());
        report.absorb_all([&set.report].into_iter().chain(lost.map(|(_, report)| report)));
        if set.read_for.as_ref().is_some_and(|read_for| **read_for != *interest) {
            report.push(Finding { line: 0, kind: FindingKind::ReadForOthers, effect: Effect::Either });
        }
        let from = Self { answered_by, agent_line, ..Self::nothing(report) };
        from.with(&records, &set.reading, None)
    }

    /// What these records say together.
    pub(crate) fn merge(records: &[Record<'s, 'a>], set: &RecordSet<'_>, widened: Widened) -> Self {
        Self::nothing(set.report.emptied()).with(records, &set.reading, widened)
    }

    fn nothing(report: Report) -> Self {
        let (rules, extensions) = (Vec::new(), Vec::new());
        Self { rules, extensions, answered_by: AnsweredBy::Nobody, agent_line: None, report }
    }

    fn with(mut self, records: &[Record<'s, 'a>], reading: &Reading, widened: Widened) -> Self {
        self.report.absorb_all(records.iter().filter_map(Record::report));
        for record in records {
            self.add(record, reading.max_lines);
        }
        let among = widened.or_else(|| widened_ranks(self.rules.iter().copied()));
        if reading.precedence == Precedence::LongestMatch {
            self.drop_outranked(among, reading);
        }
        if reading.over_limit == OverLimit::Widen && self.report.may_permit_more() {
            self.disallow_everything(reading.max_lines);
        }
        self.report.sort();
        self
    }

    /// Who answered.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// The rules, in file order.
    #[must_use]
    pub fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> + '_ {
        self.rules.iter().copied()
    }

    /// The other lines of the records, in file order.
    #[must_use]
    pub fn extensions(&self) -> impl ExactSizeIterator<Item = &'s Extension<'a>> + '_ {
        self.extensions.iter().copied()
    }

    /// The first user-agent line that answered.
    #[must_use]
    pub const fn agent_line(&self) -> Option<u32> {
        self.agent_line
    }

    /// What was found in these records, and outside records.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }

    pub(crate) fn into_report(self) -> Report {
        self.report
    }

    /// Adds a record's lines, in file order, while the merged record has room.
    fn add(&mut self, record: &Record<'s, 'a>, max_lines: usize) {
        let mut extensions = record.extensions().iter().peekable();
        for rule in record.rules().iter().filter(|rule| !rule.pattern.is_empty()) {
            while let Some(line) = extensions.next_if(|line| line.line <= rule.line) {
                self.add_extension(line, max_lines);
            }
            if self.has_room(max_lines) {
                self.rules.push(rule);
            } else {
                self.lose(rule.line, FindingKind::TooManyLines, effect_of_losing(rule));
            }
        }
        for line in extensions {
            self.add_extension(line, max_lines);
        }
    }

    fn add_extension(&mut self, line: &'s Extension<'a>, max_lines: usize) {
        if self.has_room(max_lines) {
            self.extensions.push(line);
        } else {
            self.lose(line.line, FindingKind::TooManyLines, Effect::None);
        }
    }

    fn has_room(&self, max_lines: usize) -> bool {
        self.rules.len().saturating_add(self.extensions.len()) < max_lines
    }

    fn lose(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    /// Leaves out what a text has no room for. False, if that has none for the record itself.
    pub(crate) fn fit(&mut self, room: &mut TextRoom, reading: &Reading) -> bool {
        let before = *room;
        let report = &mut self.report;
        self.rules.retain(|rule| {
            let kind = room.take_rule(rule);
            report.extend(kind.map(|kind| Finding { line: rule.line, kind, effect: effect_of_losing(rule) }));
            kind.is_none()
        });
        let is_open = self.rules.first().is_none_or(|rule| rule.line != 0);
        if reading.over_limit == OverLimit::Widen && self.report.may_permit_more() && is_open {
            self.disallow_everything(reading.max_lines);
            *room = before;
            self.rules.retain(|rule| room.take_rule(rule).is_none());
        }
        let has_room = !self.rules.is_empty() || room.take_empty_rule();
        let report = &mut self.report;
        self.extensions.retain(|line| {
            let kind = room.take_extension(line);
            report.extend(kind.map(|kind| Finding { line: line.line, kind, effect: Effect::None }));
            kind.is_none()
        });
        has_room
    }

    /// Something was lost that no cut can make up for: only forbidding everything is sure not to permit more.
    fn disallow_everything(&mut self, max_lines: usize) {
        static DISALLOW_ALL: Rule<'static> = Rule::everything_disallowed();
        let line = self.report.first_loss().map_or(0, |loss| loss.line);
        self.lose(line, FindingKind::AllDisallowed, Effect::MoreRestrictive);
        self.rules.clear();
        self.rules.push(&DISALLOW_ALL);
        while self.extensions.len() >= max_lines
            && let Some(lost) = self.extensions.pop()
        {
            self.lose(lost.line, FindingKind::TooManyLines, Effect::None);
        }
    }

    /// A Disallow that was cut short ranks lower than it did. An Allow that it used to win over, and would now lose to,
    /// goes: else widening would permit more.
    fn drop_outranked(&mut self, among: Option<(usize, usize)>, reading: &Reading) {
        let Some((lowest, highest)) = among else { return };
        let report = &mut self.report;
        self.rules.retain(|rule| {
            let safe = |rank: usize| rank < lowest || rank >= highest;
            let implied = rule.implied_directory(reading).map(|implied| implied.len());
            let stays = rule.kind == RuleKind::Disallow || safe(rule.pattern.len()) && implied.is_none_or(safe);
            if !stays {
                let effect = Effect::MoreRestrictive;
                report.push(Finding { line: rule.line, kind: FindingKind::AllowOutranked, effect });
            }
            stays
        });
    }
}

/// The records that answer, in file order.
fn choose<'s, 'a>(set: &'s RecordSet<'a>, interest: &Interest) -> (AnsweredBy, Vec<Record<'s, 'a>>) {
    let place = |record: &Record<'s, 'a>| place_of(record, interest);
    if let Some(best) = set.records().filter_map(|record| place(&record)).min() {
        let answers = |record: &Record<'s, 'a>| match place(record) {
            Some(place) => place == best || set.reading.union_of_agents,
            None => false,
        };
        return (AnsweredBy::Agent(best), set.records().filter(answers).collect());
    }
    let everyone: Vec<_> = if interest.fallback { set.records().filter(is_everyones).collect() } else { Vec::new() };
    let by = if everyone.is_empty() { AnsweredBy::Nobody } else { AnsweredBy::Everyone };
    (by, everyone)
}

/// Who a record answers for, if it is the only one.
pub(crate) fn answers_alone(record: &Record<'_, '_>, interest: &Interest) -> AnsweredBy {
    match place_of(record, interest) {
        Some(place) => AnsweredBy::Agent(place),
        None if interest.fallback && is_everyones(record) => AnsweredBy::Everyone,
        None => AnsweredBy::Nobody,
    }
}

/// The place of the most preferred agent that a record names.
fn place_of(record: &Record<'_, '_>, interest: &Interest) -> Option<usize> {
    let form = record.reading().agents;
    record.agents().iter().filter_map(|line| interest.agents.named_by(&line.name, form)).min()
}

fn is_everyones(record: &Record<'_, '_>) -> bool {
    record.agents().iter().any(|line| line.name.is_everyone())
}

/// Which way the loss of a rule changes the policy.
pub(crate) fn effect_of_losing(rule: &Rule<'_>) -> Effect {
    match rule.kind {
        _ if rule.pattern.is_empty() => Effect::None,
        RuleKind::Allow => Effect::MoreRestrictive,
        RuleKind::Disallow => Effect::MorePermissive,
    }
}

/// The least rank that a widened rule has, and the highest that one had before.
pub(crate) type Widened = Option<(usize, usize)>;

pub(crate) fn widened_ranks<'r, 'a: 'r>(rules: impl Iterator<Item = &'r Rule<'a>>) -> Widened {
    rules.filter(|rule| rule.claimed_rank > rule.pattern.len()).fold(None, |ranks, rule| {
        let (lowest, highest) = ranks.unwrap_or((usize::MAX, 0));
        Some((lowest.min(rule.pattern.len()), highest.max(rule.claimed_rank)))
    })
}
