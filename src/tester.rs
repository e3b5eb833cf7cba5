//! May this URL be fetched? A selection's rules made ready, and verdicts with the rule that decides.
//!
//! Invariant: a verdict is that of the first rule that matches, in order of precedence; testing needs `&self` only,
//! allocates only to normalise a URL that is not normal and to take note of what a long one holds, and costs the length of the
//! path, and that again for each rule with stars that begins as the path does.

use alloc::vec::Vec;

use crate::agent::Interest;
use crate::glob::Literals;
use crate::pattern::{PathForm, UrlPath};
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
    paths: PathForm,
    robots_txt_allowed: bool,
    /// In file order.
    rules: Vec<Rule<'a>>,
    /// The same, to be found by path.
    trie: Trie,
    answered_by: AnsweredBy,
    agent_line: Option<u32>,
    access: Access,
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
        Self::of(&Selection::of_rules(set, interest), set.reading())
    }

    /// Makes ready what a selection says.
    #[must_use]
    pub fn of(selection: &Selection<'_, 'a>, reading: &Reading) -> Self {
        let rules: Vec<Rule<'a>> = selection.rules().cloned().collect();
        // `[google.index-html]`: with a rank of its own.
        let implied = (0..).zip(&rules).filter_map(|(place, rule)| Some((place, rule.implied_directory(reading)?)));
        let implied: Vec<(u32, Vec<u8>)> = implied.collect();
        let mut entries = Vec::with_capacity(rules.len().saturating_add(implied.len()));
        let entry = |place, kind, pattern| Entry {
            number: numbered(reading.precedence, <[u8]>::len(pattern), kind, place),
            literals: Literals::of(pattern, reading.paths),
        };
        entries.extend((0..).zip(&rules).map(|(place, rule)| entry(place, rule.kind, rule.pattern.as_bytes())));
        entries.extend(implied.iter().map(|(place, pattern)| entry(*place, RuleKind::Allow, pattern)));
        let trie = Trie::new(&entries);
        Self {
            paths: reading.paths,
            robots_txt_allowed: reading.robots_txt_allowed,
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
        self.test_path(&UrlPath::of(url, self.paths))
    }

    /// Tests a path that is normalised already: for the same path and many testers.
    #[must_use]
    pub fn test_path(&self, path: &UrlPath<'_>) -> Verdict<'_, 'a> {
        Verdict { reason: self.reason_for(path.as_bytes()) }
    }

    /// Whether a URL may be fetched.
    #[must_use]
    pub fn is_allowed(&self, url: impl AsRef<[u8]>) -> bool {
        let path = UrlPath::of(url.as_ref(), self.paths);
        match self.settled(path.as_bytes()) {
            Some(reason) => Verdict { reason }.allowed(),
            // The rule itself is not looked at: it lies elsewhere in memory.
            None => self.trie.find(path.as_bytes()).is_none_or(|number| kind_of(number) == RuleKind::Allow),
        }
    }

    /// How many rules may have to be tried one by one for a verdict.
    pub(crate) const fn rules_with_stars(&self) -> usize {
        self.trie.globs.len()
    }

    fn reason_for(&self, path: &[u8]) -> Reason<'_, 'a> {
        self.settled(path).unwrap_or_else(|| {
            let rule = self.trie.find(path).and_then(|number| self.rules.get(place_of(number)));
            rule.map_or(Reason::NoRule, Reason::Rule)
        })
    }

    /// What answers without a rule.
    #[inline]
    fn settled(&self, path: &[u8]) -> Option<Reason<'_, 'a>> {
        match self.access {
            Access::AllowAll => Some(Reason::Status(true)),
            Access::DisallowAll => Some(Reason::Status(false)),
            Access::Rules => (self.robots_txt_allowed && path == b"/robots.txt").then_some(Reason::RobotsTxt),
        }
    }
}

/// A rule's number in the tree: the less, the earlier it decides. Its length or place first, and then in any case its kind and
/// place: of rules of the same rank, the first in the file is named. Lengths from 4 GiB on count as the same.
fn numbered(precedence: Precedence, length: usize, kind: RuleKind, place: u32) -> u64 {
    let first = match precedence {
        Precedence::LongestMatch => u32::MAX.saturating_sub(u32::try_from(length).unwrap_or(u32::MAX)),
        Precedence::FileOrder => place,
    };
    u64::from(first) << 32 | u64::from(kind == RuleKind::Disallow) << 31 | u64::from(place & PLACE)
}

/// The bits that hold a rule's place. There are never so many rules: they would take up 100 GB.
const PLACE: u32 = u32::MAX >> 1;

fn kind_of(number: u64) -> RuleKind {
    if number & u64::from(PLACE.wrapping_add(1)) == 0 { RuleKind::Allow } else { RuleKind::Disallow }
}

fn place_of(number: u64) -> usize {
    usize::try_from(number & u64::from(PLACE)).unwrap_or(usize::MAX)
}
