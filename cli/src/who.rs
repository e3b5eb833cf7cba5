//! Who answered, and by which rule: the words of text and JSON alike.
//!
//! Invariant: one table of words; names of agents are escaped.

use robosieve::{Access, AnsweredBy, Interest, Reason, Rule, Tester, Verdict};
use serde::Serialize;

use crate::text;

/// Who answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Who {
    /// `agent`, `everyone`, `nobody`, `all` or `status`.
    answered_by: &'static str,
    /// The agent, of those asked for, whose records answered.
    agent: Option<String>,
}

impl Who {
    pub(crate) fn new(answered_by: AnsweredBy, interest: &Interest) -> Self {
        match answered_by {
            AnsweredBy::Agent(place) => {
                let agent = interest.agents.iter().nth(place).map(|agent| text::escape(agent.as_bstr()));
                Self { answered_by: "agent", agent }
            }
            AnsweredBy::Everyone => Self { answered_by: "everyone", agent: None },
            AnsweredBy::Nobody => Self { answered_by: "nobody", agent: None },
        }
    }

    /// All records were kept, so nobody was asked for.
    pub(crate) const fn all() -> Self {
        Self { answered_by: "all", agent: None }
    }

    /// The status said all.
    pub(crate) const fn status() -> Self {
        Self { answered_by: "status", agent: None }
    }

    /// Who answers a tester.
    pub(crate) fn answers(tester: &Tester<'_>, interest: &Interest, access: Access) -> Self {
        if access == Access::Rules { Self::new(tester.answered_by(), interest) } else { Self::status() }
    }

    /// For people.
    pub(crate) fn words(&self) -> String {
        match (self.answered_by, &self.agent) {
            ("agent", Some(agent)) => format!("{agent} named"),
            ("everyone", _) => "* answered".into(),
            ("nobody", _) => "no record".into(),
            ("all", _) => "all agents".into(),
            (other, _) => other.into(),
        }
    }
}

/// A rule for machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RuleWords {
    pub(crate) kind: robosieve::RuleKind,
    pub(crate) pattern: String,
}

impl RuleWords {
    pub(crate) fn new(rule: &Rule<'_>) -> Self {
        Self { kind: rule.kind(), pattern: text::escape(rule.pattern().as_bytes()) }
    }
}

/// The line of a rule, which one that stands for lost ones does not have.
pub(crate) fn line_of(rule: &Rule<'_>) -> Option<u32> {
    Some(rule.line()).filter(|&line| line > 0)
}

/// An answer for machines.
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
                Reason::Rule(_) => "rule",
                Reason::NoRule if who.answered_by == "nobody" => "no-record",
                Reason::NoRule => "no-rule",
                Reason::RobotsTxt => "robots-txt",
                Reason::Status(_) => "status",
            },
            who: who.clone(),
        }
    }
}

/// Why, for people.
pub(crate) fn why(verdict: &Verdict<'_, '_>, who: &Who) -> String {
    match verdict.reason() {
        Reason::Rule(rule) => {
            let line = line_of(rule).map(|line| format!("line {line}: ")).unwrap_or_default();
            let pattern = text::escape(rule.pattern().as_bytes());
            format!("{line}{}: {pattern} ({})", rule.kind().as_str(), who.words())
        }
        Reason::NoRule if who.answered_by == "nobody" => who.words(),
        Reason::NoRule => format!("no rule matches ({})", who.words()),
        Reason::RobotsTxt => "/robots.txt is always allowed".into(),
        Reason::Status(opens) => format!("the status {} the site", if opens { "opens" } else { "closes" }),
    }
}
