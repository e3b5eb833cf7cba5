//! May this URL be fetched? A selection's rules made ready, and verdicts with the rule that decides.
//!
//! Invariant: a verdict is that of the first rule that matches, in order of precedence; testing needs `&self` only,
//! allocates only to normalise a URL that is not normal and to take note of what a long one holds, and costs the length of the
//! path, and that again for each rule with stars that begins as the path does.

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

/// The rules in order of precedence. Of rules of the same rank, the first in the file is named.
fn order(ranked: &[Ranked<'_, '_>], precedence: Precedence) -> Vec<u32> {
    let places = (0_u32..).zip(ranked);
    if precedence == Precedence::FileOrder {
        return places.map(|(place, _)| place).collect();
    }
    // Numbers are sorted fast: length, kind, place.
    let mut ranks: Vec<u128> = places
        .map(|(place, ranked)| {
            let shortness = !(ranked.pattern().len() as u64);
            let is_disallow = ranked.rule.kind == RuleKind::Disallow;
            u128::from(shortness) << 64 | u128::from(is_disallow) << 32 | u128::from(place)
        })
        .collect();
    ranks.sort_unstable();
    ranks.into_iter().map(|rank| u32::try_from(rank & u128::from(u32::MAX)).unwrap_or(u32::MAX)).collect()
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
        let order = order(&ranked, reading.precedence);
        let mut places = alloc::vec![0; ranked.len()];
        for (place, at) in (0_u32..).zip(&order) {
            places.get_mut(*at as usize).into_iter().for_each(|slot| *slot = place);
        }
        // In the order of the file, since the patterns lie in memory like that.
        let entries = ranked.iter().zip(places).map(|(ranked, place)| {
            let pattern = ranked.pattern();
            let anchored = pattern.last() == Some(&b'$');
            Entry {
                number: numbered(place, ranked.rule.kind),
                literals: glob::literals(pattern, reading.paths),
                anchored,
            }
        });
        let trie = Trie::new(&entries.collect::<Vec<_>>());
        let rules = order.iter().filter_map(|at| ranked.get(*at as usize)).map(|ranked| ranked.rule.clone()).collect();
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
        let path = UrlPath::of(url.as_ref(), self.reading.paths);
        match self.settled(path.as_bytes()) {
            Some(reason) => Verdict { reason }.allowed(),
            // The rule itself is not looked at: it lies elsewhere in memory.
            None => self.trie.find(path.as_bytes()).is_none_or(|number| kind_of(number) == RuleKind::Allow),
        }
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
            Access::Rules => (self.reading.robots_txt_allowed && path == b"/robots.txt").then_some(Reason::RobotsTxt),
        }
    }
}

/// A rule's number in the tree: its place, and its kind in the lowest bit.
fn numbered(place: u32, kind: RuleKind) -> u32 {
    place << 1 | u32::from(kind == RuleKind::Disallow)
}

fn kind_of(number: u32) -> RuleKind {
    if number & 1 == 0 { RuleKind::Allow } else { RuleKind::Disallow }
}

fn place_of(number: u32) -> usize {
    usize::try_from(number >> 1).unwrap_or(usize::MAX)
}
