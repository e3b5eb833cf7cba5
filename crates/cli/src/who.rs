//! The answer to a URL, as text and as JSON: the rule that decided, and whose group it is in.
//!
//! Invariant: patterns and names of agents are escaped.

use robosieve::verdict::{SiteAccess, VerdictReason};
use robosieve::{Interest, Rule, Tester, Verdict};
pub(crate) use robosieve_explain::Who;
use serde::Serialize;

use crate::text;

/// Whose group a tester uses.
pub(crate) fn who_answers(tester: &Tester<'_>, interest: &Interest, access: SiteAccess) -> Who {
    if access == SiteAccess::Rules { Who::new(tester.answered_by(), interest) } else { Who::status() }
}

/// A rule in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct RuleWords {
    kind: robosieve::RuleKind,
    pattern: String,
}

impl RuleWords {
    /// The rule. A very long pattern is cut.
    fn new(rule: &Rule<'_>) -> Self {
        Self { kind: rule.kind(), pattern: text::rule(rule.pattern().as_bytes()) }
    }
}

/// The line of a rule; `None` for a rule that replaces lost ones.
fn line_of(rule: &Rule<'_>) -> Option<u32> {
    Some(rule.line()).filter(|&line| line > 0)
}

/// An answer in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    allowed: bool,
    line: Option<u32>,
    rule: Option<RuleWords>,
    /// `rule`, `no-rule`, `no-record`, `robots-txt` or `status`.
    reason: &'static str,
    #[serde(flatten)]
    who: Who,
}

impl Answer {
    pub(crate) fn new(verdict: &Verdict<'_, '_>, who: &Who) -> Self {
        Self {
            allowed: verdict.allowed(),
            line: verdict.rule().and_then(line_of),
            rule: verdict.rule().map(RuleWords::new),
            reason: match verdict.reason() {
                VerdictReason::Rule(_) => "rule",
                VerdictReason::NoRule if who.answered_by() == "nobody" => "no-record",
                VerdictReason::NoRule => "no-rule",
                VerdictReason::RobotsTxt => "robots-txt",
                VerdictReason::Status(_) => "status",
            },
            who: who.clone(),
        }
    }
}

/// The reason, for people.
pub(crate) fn why(verdict: &Verdict<'_, '_>, who: &Who) -> String {
    match verdict.reason() {
        VerdictReason::Rule(rule) => {
            let line = line_of(rule).map(|line| format!("line {line}: ")).unwrap_or_default();
            let pattern = text::rule(rule.pattern().as_bytes());
            format!("{line}{}: {pattern} ({})", rule.kind().as_str(), who.words())
        }
        VerdictReason::NoRule if who.answered_by() == "nobody" => who.words(),
        VerdictReason::NoRule => format!("no rule matches ({})", who.words()),
        VerdictReason::RobotsTxt => "/robots.txt is always allowed".into(),
        VerdictReason::Status(opens) => format!("the status {} the site", if opens { "opens" } else { "closes" }),
    }
}
