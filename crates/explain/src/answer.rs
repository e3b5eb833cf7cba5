//! The answer to a URL, as data and in words: the rule that decided, and whose group it is in.
//!
//! Invariant: patterns and names of agents are escaped.

use std::num::NonZeroU32;

use robosieve::Verdict;
use robosieve::records::RuleKind;

use crate::who::Who;
use robosieve_printable::escape_at_most;

/// The maximum number of bytes shown of a rule. A rule may be as long as the file, and each URL has an answer.
const SHOWN: usize = 2_000;

/// The rule that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AnswerRule {
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// The pattern. A very long one is cut.
    pub pattern: String,
}

/// The answer to a URL.
///
/// ```
/// use robosieve_explain::{Answer, Names, Who};
///
/// let tester = robosieve::Sieve::new(["MyBot"]).tester(b"User-agent: *\nDisallow: /x\n").unwrap();
/// let who = Who::new(tester.answered_by(), &Names::Known.groups(["MyBot"]));
/// let answer = Answer::new(&tester.test("/x/y"), &who);
/// assert_eq!(answer.words(), "line 2: Disallow: /x (group * applies)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Answer {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The line of the rule that decided. None for a rule that replaces lost ones.
    pub line: Option<u32>,
    /// The rule that decided, if one did.
    pub rule: Option<AnswerRule>,
    /// `rule`, `no-rule`, `no-record`, `robots-txt`, `status`, `incomplete` or `not-a-url`.
    pub reason: &'static str,
    /// Whose group applies.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub who: Who,
}

impl Answer {
    /// Describes a verdict.
    #[must_use]
    pub fn new(verdict: &Verdict<'_, '_>, who: &Who) -> Self {
        Self {
            allowed: verdict.allowed(),
            line: verdict.line().map(NonZeroU32::get),
            rule: verdict.rule().map(|rule| AnswerRule {
                kind: rule.kind(),
                pattern: escape_at_most(rule.pattern().as_bytes(), SHOWN),
            }),
            reason: match *verdict {
                Verdict::Rule(_) => "rule",
                Verdict::NoRule if who.answered_by() == "nobody" => "no-record",
                Verdict::NoRule => "no-rule",
                Verdict::RobotsTxt => "robots-txt",
                Verdict::Status(_) => "status",
                Verdict::Incomplete => "incomplete",
                Verdict::NotAUrl => "not-a-url",
            },
            who: who.clone(),
        }
    }

    /// `allowed` or `disallowed`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        if self.allowed { "allowed" } else { "disallowed" }
    }

    /// Why, for people, with the line of the rule.
    #[must_use]
    pub fn words(&self) -> String {
        let line = self.line.filter(|_| self.rule.is_some()).map(|line| format!("line {line}: ")).unwrap_or_default();
        line + &self.why()
    }

    /// Why, for people who see the line elsewhere.
    #[must_use]
    pub fn why(&self) -> String {
        match (self.reason, &self.rule) {
            ("rule", Some(rule)) => format!("{}: {} ({})", rule.kind, rule.pattern, self.who.words()),
            ("no-record", _) => self.who.words(),
            ("robots-txt", _) => "/robots.txt is always allowed".into(),
            ("status", _) => format!("the status {} the site", if self.allowed { "opens" } else { "closes" }),
            ("incomplete", _) => format!("the file is incomplete, and no rule is known ({})", self.who.words()),
            ("not-a-url", _) => "it is no URL".into(),
            _ => format!("no rule matches ({})", self.who.words()),
        }
    }
}
