//! Several groups that one agent could mean: their rules together, never more permissive than one of them alone.
//!
//! Invariant: if one side disallows a URL, so do the rules that are left. Only an Allow is ever left out.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::policy::agent::{Agent, Interest};
use crate::policy::header::ProductToken;
use crate::policy::options::{Options, Precedence};
use crate::policy::record::{Record, Rule};
use crate::report::LineNumber;
use crate::syntax::grammar::Style;
use crate::syntax::names::RuleKind;

/// The records of one name, or those for `*`.
pub(crate) struct Side<'s, 'a> {
    records: Vec<Record<'s, 'a>>,
    /// Allow: the patterns, and their lengths.
    allowed: BTreeSet<(usize, &'s Cow<'a, [u8]>)>,
    /// Disallow: the shortest pattern.
    shortest: Option<usize>,
}

impl<'s, 'a> Side<'s, 'a> {
    fn of(records: Vec<Record<'s, 'a>>) -> Option<Self> {
        records.first()?;
        let (mut allowed, mut shortest) = (BTreeSet::new(), None::<usize>);
        for rule in records.iter().flat_map(Record::rules).filter(|rule| !rule.pattern.is_empty()) {
            let length = rule.pattern.len();
            if rule.kind == RuleKind::Allow {
                allowed.insert((length, rule.pattern.as_cow()));
            } else {
                shortest = Some(shortest.map_or(length, |other| other.min(length)));
            }
        }
        Some(Self { records, allowed, shortest })
    }

    /// Whether this Allow cannot permit what the side disallows.
    fn cannot_outrank(&self, allow: &'s Rule<'a>, precedence: Precedence) -> bool {
        let Some(shortest) = self.shortest else { return true };
        match precedence {
            Precedence::LongestMatch => {
                let length = allow.pattern.len();
                shortest > allow.len_before_widening.max(length)
                    || self.allowed.contains(&(length, allow.pattern.as_cow()))
            }
            Precedence::FileOrder => {
                // Its own line: the same rule below a Disallow would not be first.
                let own = core::ptr::from_ref(allow);
                self.records.iter().any(|record| record.rules().as_ptr_range().contains(&own))
            }
        }
    }

    /// The first of its user-agent lines.
    pub(crate) fn line(&self) -> LineNumber {
        self.records.first().and_then(|record| record.agents().first()).and_then(|agent| agent.line)
    }
}

/// The groups that could be meant.
pub(crate) struct Doubt<'s, 'a> {
    pub(crate) sides: Vec<Side<'s, 'a>>,
    precedence: Precedence,
    /// Whether the groups for `*` are among them, because the crawler's own name has no group.
    pub(crate) has_everyone: bool,
}

impl<'s, 'a> Doubt<'s, 'a> {
    /// `[agent.doubt]`: the groups that the answering agent, of this preference, could mean. None if it is clear.
    pub(crate) fn of(
        records: &[Record<'s, 'a>],
        everyones: impl Iterator<Item = Record<'s, 'a>>,
        interest: &Interest,
        preference: usize,
        options: &Options,
    ) -> Option<Self> {
        let agent = interest.agents.in_doubt_at(preference)?;
        let side = |name: &_| Side::of(naming(records, name, agent, options.agents));
        let own: Vec<_> = agent.own_names().iter().filter_map(side).collect();
        let has_everyone = own.is_empty() && interest.fallback;
        let others = agent.all_names().iter().skip(agent.own_names().len()).filter_map(side);
        let everyone = if has_everyone { Side::of(everyones.collect()) } else { None };
        let has_everyone = everyone.is_some();
        let mut sides: Vec<Side<'s, 'a>> = Vec::new();
        for side in own.into_iter().chain(others).chain(everyone) {
            // Names of one group are in no doubt.
            if sides.iter().all(|known| !has_same_records(known, &side)) {
                sides.push(side);
            }
        }
        (sides.len() > 1).then_some(Self { sides, precedence: options.precedence, has_everyone })
    }

    /// Whether a rule stays.
    pub(crate) fn keeps(&self, rule: &'s Rule<'a>) -> bool {
        rule.kind == RuleKind::Disallow || self.sides.iter().all(|side| side.cannot_outrank(rule, self.precedence))
    }
}

/// The records with a line that has this name.
fn naming<'s, 'a>(records: &[Record<'s, 'a>], name: &ProductToken, agent: &Agent, form: Style) -> Vec<Record<'s, 'a>> {
    let is_named = |record: &&Record<'s, 'a>| {
        record.agents().iter().any(|line| match form {
            Style::Standard => !line.name.is_everyone() && line.name.begins_with(name),
            Style::Google => line.name.names(agent, form),
        })
    };
    records.iter().filter(is_named).copied().collect()
}

fn has_same_records(one: &Side<'_, '_>, other: &Side<'_, '_>) -> bool {
    let lines = |side: &Side<'_, '_>| -> Vec<Option<LineNumber>> {
        side.records.iter().map(|record| record.agents().first().map(|agent| agent.line)).collect()
    };
    lines(one) == lines(other)
}
