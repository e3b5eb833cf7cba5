//! A finding with its words.
//!
//! Invariant: the words, the class and the clause are those of the library.

use robosieve::report::{Effect, Finding, FindingClass, FindingKind};

/// A finding on a known line, in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedFinding {
    /// What was found.
    pub kind: FindingKind,
    /// What this means for the result.
    pub class: FindingClass,
    /// How it changes the result.
    pub effect: Effect,
    /// The clause of SPEC.md.
    pub clause: &'static str,
    /// The kind in words.
    pub text: &'static str,
}

impl From<Finding> for ExplainedFinding {
    fn from(finding: Finding) -> Self {
        let Finding { kind, effect, .. } = finding;
        Self { kind, class: kind.class(), effect, clause: kind.clause(), text: kind.text() }
    }
}

impl ExplainedFinding {
    /// In words: what was found, its effect if it has one, and the clause.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} [{}]", self.without_clause(), self.clause)
    }

    pub(crate) fn without_clause(&self) -> String {
        let effect = match self.effect {
            Effect::None => String::new(),
            effect => format!(" ({})", effect.as_str()),
        };
        format!("{}{effect}", self.text)
    }

    /// Whether it says that its line was left out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        use FindingKind::{AgentWithoutToken, AlmostDirective, RuleWithoutAgent};
        matches!(self.class, FindingClass::Ignored | FindingClass::Loss)
            || matches!(self.kind, AgentWithoutToken | AlmostDirective | RuleWithoutAgent)
    }
}
