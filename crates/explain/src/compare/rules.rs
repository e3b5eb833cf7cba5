//! What a file says to an agent, to be compared cheaply.
//!
//! Invariant: equal data give equal answers and equal values. Data that differ may still give the same: a `Diff` tells.

use robosieve::value::ExtensionLine;
use robosieve::{Record, RecordSet, Rule, RuleKind, Selection};

/// The rules and other lines of an agent, in file order, without their numbers.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Said<'s> {
    rules: Vec<(RuleKind, &'s [u8])>,
    lines: Vec<(&'s [u8], &'s [u8])>,
}

impl<'s> Said<'s> {
    pub(super) fn by(selection: &'s Selection<'_, '_>) -> Self {
        let lines = selection.extensions().map(|line| -> (&[u8], &[u8]) { (line.name(), line.value()) });
        Self { rules: selection.rules().map(pair).collect(), lines: lines.collect() }
    }
}

fn pair<'s>(rule: &'s Rule<'_>) -> (RuleKind, &'s [u8]) {
    (rule.kind(), rule.pattern().as_bytes())
}

/// Whether two files have the same groups in the same order, and the same lines above them. Then all agents get the same from both.
pub(super) fn is_same(old: &RecordSet<'_>, new: &RecordSet<'_>) -> bool {
    let general = |set: &RecordSet<'_>| {
        set.lines_for_everybody()
            .iter()
            .map(|line| (line.name().to_owned(), line.value().to_owned()))
            .collect::<Vec<_>>()
    };
    old.records().len() == new.records().len()
        && general(old) == general(new)
        && old.records().zip(new.records()).all(|(old, new)| is_equal(&old, &new))
}

fn is_equal(old: &Record<'_, '_>, new: &Record<'_, '_>) -> bool {
    // Names are equal, so places among them say for which agents a line is.
    let places = |record: &Record<'_, '_>, line: &ExtensionLine<'_>| {
        let agents = record.agents_of(line);
        let first = agents.first().map(|first| record.agents().partition_point(|agent| agent.line() < first.line()));
        (first, agents.len())
    };
    old.agents().len() == new.agents().len()
        && old.extensions().len() == new.extensions().len()
        && old.agents().iter().zip(new.agents()).all(|(old, new)| old.name() == new.name())
        && old.rules().iter().map(pair).eq(new.rules().iter().map(pair))
        && old.extensions().iter().zip(new.extensions()).all(|(one, other)| {
            (one.name(), one.value()) == (other.name(), other.value()) && places(old, one) == places(new, other)
        })
}
