//! May this URL be fetched? A selection's rules made ready, and verdicts with the rule that decides.
//!
//! Invariant: a verdict is that of the first rule that matches, in order of precedence; testing needs `&self` only,
//! allocates only to normalise a URL that is not normal, and costs the length of the path, and that again for each rule with
//! stars that begins as the path does.

use alloc::vec::Vec;

use crate::agent::Interest;
use crate::glob;
use crate::pattern::UrlPath;
use crate::record::{Precedence, Reading, RecordSet, Rule, RuleKind};
use crate::select::{AnsweredBy, Selection};
use crate::status::Access;
use crate::trie::{Entry, Trie};

/// Answers for some agents and one file.
///
/// ```
/// use robosieve::{Agents, Interest, Parser, Tester};
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\nAllow: /tmp/public\n");
/// let tester = Tester::new(&set, &Interest { agents: Agents::new(["MyBot"]), fallback: true });
/// assert!(tester.is_allowed("https://example.com/tmp/public/a.html"));
/// let verdict = tester.test(b"/tmp/a.html");
/// assert!(!verdict.allowed());
/// assert_eq!(verdict.line(), Some(2));
/// ```
#[derive(Clone, Debug)]
pub struct Tester<'a> {
    reading: Reading,
    /// In order of precedence.
    rules: Vec<Rule<'a>>,
    /// The same, to be found by path.
    trie: Trie,
    answered_by: AnsweredBy,
    agent_line: Option<u32>,
    access: Access,
}

/// A rule on its way into the tree: with its own pattern, or with what that implies.
struct Ranked<'s, 'a> {
    rule: &'s Rule<'a>,
    implied: Option<Vec<u8>>,
}

impl Ranked<'_, '_> {
    fn pattern(&self) -> &[u8] {
        self.implied.as_deref().unwrap_or(self.rule.pattern.as_bytes())
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict<'t, 'a> {
    reason: Reason<'t, 'a>,
}

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason<'t, 'a> {
    /// A rule.
    Rule(&'t Rule<'a>),
    /// No rule matches, so it is allowed.
    NoRule,
    /// `/robots.txt` itself may always be fetched.
    RobotsTxt,
    /// How the file was answered: the status opens the site, or closes it (`false`).
    Status(bool),
}

impl<'t, 'a> Verdict<'t, 'a> {
    /// Whether the URL may be fetched.
    #[must_use]
    pub fn allowed(&self) -> bool {
        match self.reason {
            Reason::Rule(rule) => rule.kind == RuleKind::Allow,
            Reason::NoRule | Reason::RobotsTxt => true,
            Reason::Status(opens) => opens,
        }
    }

    /// What the answer rests on.
    #[must_use]
    pub const fn reason(&self) -> Reason<'t, 'a> {
        self.reason
    }

    /// The rule that decided.
    #[must_use]
    pub const fn rule(&self) -> Option<&'t Rule<'a>> {
        match self.reason {
            Reason::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// The line of the rule that decided.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.rule().map(Rule::line)
    }
}

impl<'a> Tester<'a> {
    /// Makes ready what a set says to these agents. Cost: sorting the rules, and a copy of each pattern.
    #[must_use]
    pub fn new(set: &RecordSet<'a>, interest: &Interest) -> Self {
        Self::of(&Selection::of(set, interest), set.reading())
    }

    /// Makes ready what a selection says.
    #[must_use]
    pub fn of(selection: &Selection<'_, 'a>, reading: &Reading) -> Self {
        let mut ranked = Vec::with_capacity(selection.rules().len());
        for rule in selection.rules().filter(|rule| !rule.pattern.is_empty()) {
            ranked.push(Ranked { rule, implied: None });
            // `[google.index-html]`: with a rank of its own.
            let implied = rule.implied_directory(reading);
            ranked.extend(implied.map(|implied| Ranked { rule, implied: Some(implied) }));
        }
        if reading.precedence == Precedence::LongestMatch {
            // Stable: of rules with the same pattern, the first in the file is named.
            ranked.sort_by_key(|ranked| (core::cmp::Reverse(ranked.pattern().len()), ranked.rule.kind));
        }
        let literals: Vec<_> = ranked.iter().map(|ranked| glob::literals(ranked.pattern(), reading.paths)).collect();
        let entries = (0_u32..).zip(literals.iter().zip(&ranked)).map(|(place, (literals, ranked))| {
            let anchored = ranked.pattern().last() == Some(&b'$');
            Entry { place, literals, anchored }
        });
        let trie = Trie::new(&entries.collect::<Vec<_>>());
        let rules = ranked.iter().map(|ranked| ranked.rule.clone()).collect();
        Self {
            reading: *reading,
            rules,
            trie,
            answered_by: selection.answered_by(),
            agent_line: selection.agent_line(),
            access: Access::Rules,
        }
    }

    /// The same, when the file came with this kind of answer: rules count only if it is [`Access::Rules`].
    #[must_use]
    pub const fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Who answers: records of an agent, those for everyone, or none.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// The first user-agent line that answers.
    #[must_use]
    pub const fn agent_line(&self) -> Option<u32> {
        self.agent_line
    }

    /// Tests a URL: a whole one, one that begins with `//host`, or a path; with query, and with a fragment or without.
    #[must_use]
    pub fn test(&self, url: &[u8]) -> Verdict<'_, 'a> {
        self.test_path(&UrlPath::of(url, self.reading.paths))
    }

    /// Tests a path that is normalised already: for the same path and many testers.
    #[must_use]
    pub fn test_path(&self, path: &UrlPath<'_>) -> Verdict<'_, 'a> {
        Verdict { reason: self.reason_for(path.as_bytes()) }
    }

    /// Whether a URL may be fetched.
    #[must_use]
    pub fn is_allowed(&self, url: impl AsRef<[u8]>) -> bool {
        self.test(url.as_ref()).allowed()
    }

    fn reason_for(&self, path: &[u8]) -> Reason<'_, 'a> {
        match self.access {
            Access::AllowAll => return Reason::Status(true),
            Access::DisallowAll => return Reason::Status(false),
            Access::Rules => {}
        }
        if self.reading.robots_txt_allowed && path == b"/robots.txt" {
            return Reason::RobotsTxt;
        }
        self.trie.find(path).and_then(|place| self.rules.get(place)).map_or(Reason::NoRule, Reason::Rule)
    }
}
