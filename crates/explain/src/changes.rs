//! The result of a comparison for machines.

use robosieve::report::Report;
use robosieve_diff::Diff;
use serde::Serialize;

use crate::compare::AgentsDiff;
use crate::who::Who;

/// What changed between two files, with their reports: `robosieve diff --json`, and what the packages for Python and
/// JavaScript return.
#[derive(Clone, Debug, Serialize)]
pub struct Changes<'c> {
    same: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<&'c [String; 2]>,
    /// The compared crawlers whose owners document other groups than their names say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documented: Vec<&'c str>,
    /// The names that were read from agents which were given as neither a name nor a usual header.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_as: Vec<String>,
    #[serde(flatten)]
    diff: AnyDiff<'c>,
    reports: Reports<'c>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum AnyDiff<'c> {
    One(&'c Diff),
    All(&'c AgentsDiff),
}

#[derive(Clone, Debug, Serialize)]
struct Reports<'c> {
    old: &'c Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'c Report>,
}

impl<'c> Changes<'c> {
    /// For one agent. `new` is none if one file is compared with itself.
    #[must_use]
    pub fn for_one(diff: &'c Diff, old: &'c Report, new: impl Into<Option<&'c Report>>) -> Self {
        Self::new(diff.is_empty(), AnyDiff::One(diff), Reports { old, new: new.into() })
    }

    /// For all agents.
    #[must_use]
    pub fn for_all(diff: &'c AgentsDiff, old: &'c Report, new: impl Into<Option<&'c Report>>) -> Self {
        Self::new(diff.is_empty(), AnyDiff::All(diff), Reports { old, new: new.into() })
    }

    const fn new(same: bool, diff: AnyDiff<'c>, reports: Reports<'c>) -> Self {
        Self { same, agents: None, documented: Vec::new(), read_as: Vec::new(), diff, reports }
    }

    /// The two agents that are compared, instead of two files.
    #[must_use]
    pub const fn between(mut self, agents: &'c [String; 2]) -> Self {
        self.agents = Some(agents);
        self
    }

    /// Adds whose groups were compared. It is said if they are others than by the names alone.
    #[must_use]
    pub fn of<'w>(mut self, whose: impl IntoIterator<Item = &'w Who>) -> Self {
        for who in whose {
            self.documented.extend(who.documented().map(|crawler| crawler.token));
            self.read_as
                .extend(who.read_as().iter().filter(|name| !self.read_as.contains(name)).cloned().collect::<Vec<_>>());
        }
        self.documented.dedup();
        self
    }
}
