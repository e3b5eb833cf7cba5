//! Which records of a set speak to an agent, and what they say together.
//!
//! Invariant: a [`Selection`] is what the standard merges: the rules and lines of all records of one agent, in file order,
//! within the limits that hold for one record. Filter and tester both start from it, so they cannot disagree.

use alloc::vec::Vec;

use crate::agent::{AgentName, Agents};
use crate::limits::OverLimit;
use crate::record::{Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
use crate::report::{Effect, Finding, FindingKind, Report};

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

/// The agents that a set is read for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interest {
    /// The agents, the preferred first.
    pub agents: Agents,
    /// Whether the records for `*` answer when none names an agent (PROCESSOR `fallback`).
    pub fallback: bool,
}

impl Interest {
    /// Whether a record with such a line can matter.
    pub(crate) fn concerns(&self, name: &AgentName<'_>, reading: &Reading) -> bool {
        if name.is_everyone() { self.fallback } else { self.agents.named_by(name, reading.agents).is_some() }
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
        let (answered_by, records) = choose(set, interest);
        let agent_line = records.first().and_then(|record| record.agents().first()).map(|agent| agent.line);
        let from = Self { answered_by, agent_line, ..Self::nothing(set.report.clone()) };
        from.with(&records, &set.reading)
    }

    /// What these records say together.
    pub(crate) fn merge(records: &[Record<'s, 'a>], reading: &Reading) -> Self {
        Self::nothing(Report::default()).with(records, reading)
    }

    fn nothing(report: Report) -> Self {
        let (rules, extensions) = (Vec::new(), Vec::new());
        Self { rules, extensions, answered_by: AnsweredBy::Nobody, agent_line: None, report }
    }

    fn with(mut self, records: &[Record<'s, 'a>], reading: &Reading) -> Self {
        self.report.absorb_all(records.iter().filter_map(Record::report));
        for record in records {
            self.add(record, reading.max_lines);
        }
        if reading.precedence == Precedence::LongestMatch {
            self.drop_outranked();
        }
        if reading.over_limit == OverLimit::Widen && self.may_permit_more() {
            self.disallow_everything();
        }
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
        for rule in record.rules() {
            while let Some(line) = extensions.next_if(|line| line.line < rule.line) {
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

    fn may_permit_more(&self) -> bool {
        self.report.losses(Effect::MorePermissive) > 0 || self.report.losses(Effect::Either) > 0
    }

    /// Something was lost that no cut can make up for: only forbidding everything is sure not to permit more.
    fn disallow_everything(&mut self) {
        static DISALLOW_ALL: Rule<'static> = Rule::everything_disallowed();
        let line = self.report.first_loss().map_or(0, |loss| loss.line);
        self.lose(line, FindingKind::AllDisallowed, Effect::MoreRestrictive);
        self.rules.clear();
        self.rules.push(&DISALLOW_ALL);
    }

    /// A Disallow that was cut short ranks lower than it did. An Allow that it used to win over, and would now lose to,
    /// goes: else widening would permit more.
    fn drop_outranked(&mut self) {
        let widened: Vec<(usize, usize)> = self
            .rules
            .iter()
            .filter(|rule| rule.claimed_rank > rule.pattern.len())
            .map(|rule| (rule.pattern.len(), rule.claimed_rank))
            .collect();
        let (Some(lowest), Some(highest)) =
            (widened.iter().map(|ranks| ranks.0).min(), widened.iter().map(|ranks| ranks.1).max())
        else {
            return;
        };
        let report = &mut self.report;
        self.rules.retain(|rule| {
            let rank = rule.pattern.len();
            let stays = rule.kind == RuleKind::Disallow || rank < lowest || rank >= highest;
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
    let form = set.reading.agents;
    // The place of the most preferred agent that a record names.
    let place = |record: &Record<'s, 'a>| {
        record.agents().iter().filter_map(|line| interest.agents.named_by(&line.name, form)).min()
    };
    if let Some(best) = set.records().filter_map(|record| place(&record)).min() {
        let answers = |record: &Record<'s, 'a>| match place(record) {
            Some(place) => place == best || set.reading.union_of_agents,
            None => false,
        };
        return (AnsweredBy::Agent(best), set.records().filter(answers).collect());
    }
    let everyone: Vec<_> = if interest.fallback {
        set.records().filter(|record| record.agents().iter().any(|line| line.name.is_everyone())).collect()
    } else {
        Vec::new()
    };
    let by = if everyone.is_empty() { AnsweredBy::Nobody } else { AnsweredBy::Everyone };
    (by, everyone)
}

/// Which way the loss of a rule changes the policy.
pub(crate) fn effect_of_losing(rule: &Rule<'_>) -> Effect {
    match rule.kind {
        _ if rule.pattern.is_empty() => Effect::None,
        RuleKind::Allow => Effect::MoreRestrictive,
        RuleKind::Disallow => Effect::MorePermissive,
    }
}
