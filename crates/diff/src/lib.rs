//! Compares the policy of two files, not their spelling: [`Diff`]. How much of a site one file forbids: [`Coverage`].
//!
//! Invariant: a flip is a URL that the two files answer differently; both testers have checked it. Each changed rule
//! says whether a URL shows its change. It says `Impossible` only if no such URL exists. The work is bounded.
//!
//! # Features
//! `serde`: `Serialize` for all data.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;

mod automaton;
mod coverage;
mod flips;
mod meet;
mod sides;
mod witness;

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use flips::find_flips;
use robosieve::Tester;
use robosieve::parts::{canonical, percent_encoded};
use robosieve::records::{RecordSet, Rule, RuleKind};
use robosieve::settings::{Interest, TextForm};
use sides::{Both, Change, Sides};

pub use coverage::{Coverage, Share};

/// Runs the example in README.md as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A changed rule: it is in one of the two files only, or its order has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChangedRule {
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// The normalised pattern.
    pub pattern: String,
    /// Its line, in the newer file if both have it. None for a rule that stands for lost ones.
    pub line: Option<NonZeroU32>,
    /// The line of the older file, if both files have it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub old_line: Option<NonZeroU32>,
    /// Whether a URL shows the change.
    pub witness: Witness,
}

/// Whether a URL shows the effect of a changed rule: the rule decides it in one file, and the other file answers
/// differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Witness {
    /// Yes. It is one of the flips.
    Found,
    /// No such URL exists, so this change affects no verdict. This is proven.
    Impossible,
    /// No URL was found within [`Diff::MAX_FUEL_OF_A_RULE`]. There may be one.
    NotFound,
    /// The search was not finished, because [`Diff::MAX_FUEL`] was used up.
    NotSearched,
}

/// A line other than a rule that only one of the two files has, in its canonical spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ChangedLine {
    /// The directive.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A URL that the two files answer differently.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Flip {
    /// The path and query of the URL. Write them after a scheme and a host: a path that begins with `//` would name a
    /// host.
    pub path: String,
    /// Whether the newer file allows it.
    pub allowed: bool,
    /// The line of the older file that decided, if a rule did.
    pub old_line: Option<NonZeroU32>,
    /// The line of the newer file that decides, if a rule does.
    pub new_line: Option<NonZeroU32>,
}

/// Whether two files give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Comparison {
    /// Yes, for every URL. This is proven.
    Same,
    /// No: the flips are the proof.
    Changed,
    /// No flip was found. There may be one.
    Unknown,
}

/// The changes from an older file to a newer one.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve_diff::{Comparison, Diff, Witness};
/// let old = Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisallow: /tmp\n").unwrap();
/// let new = Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisallow: /tmp # same\nDisallow: /private\n").unwrap();
/// let diff = Diff::of(old.records(), new.records());
/// assert_eq!((diff.rules_added[0].pattern.as_str(), diff.rules_added[0].witness), ("/private", Witness::Found));
/// assert_eq!((diff.answers, diff.flips[0].path.as_str()), (Comparison::Changed, "/private"));
/// assert!(Diff::of(old.records(), old.records()).is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diff {
    /// Whether both files give the same answer for every URL.
    pub answers: Comparison,
    /// Rules that only the newer file has.
    pub rules_added: Vec<ChangedRule>,
    /// Rules that only the older file has.
    pub rules_removed: Vec<ChangedRule>,
    /// Rules that both files have in a different order, if the first matching rule decides. The smallest number of
    /// moves that explains the new order.
    pub rules_moved: Vec<ChangedRule>,
    /// Other lines that only the newer file has: crawl delays, sitemaps …
    pub lines_added: Vec<ChangedLine>,
    /// Other lines that only the older file has.
    pub lines_removed: Vec<ChangedLine>,
    /// URLs that the two files answer differently: one for each changed rule that has one, without duplicates.
    pub flips: Vec<Flip>,
    /// The number of changed rules for which no URL was found that shows the change. There may be one.
    pub without_witness: usize,
    /// The number of changed rules whose search was not finished, because it needs more than [`Diff::MAX_FUEL`]. Nearly
    /// always 0.
    pub not_searched: usize,
}

impl Diff {
    /// The number of steps that the search for URLs may take. A step is at most 80 instructions. Testing a URL costs
    /// one step in each file, plus one for each rule with wildcards, per 16 bytes of the URL and of the rule's
    /// literals. Following patterns byte by byte costs one step for each pattern. Our choice: about a second.
    pub const MAX_FUEL: usize = 50_000_000;
    /// The number of these steps that the search may take for one rule. Our choice: some 20 ms.
    pub const MAX_FUEL_OF_A_RULE: usize = 1_000_000;

    /// Compares what two files say to all agents. The sets come from [`RecordSet::filter_for`] or a
    /// [`Sieve`](robosieve::Sieve), for the same agents and with the same options. Cost: two portable texts, sorting the
    /// rules, and [`Diff::MAX_FUEL`].
    #[must_use]
    pub fn of(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Self {
        Self::within(old, new, &mut { Self::MAX_FUEL })
    }

    /// The same, with this number of steps for the search, from which the steps that it takes are subtracted. So several
    /// comparisons can share one limit.
    #[must_use]
    pub fn within(old: &RecordSet<'_>, new: &RecordSet<'_>, work: &mut usize) -> Self {
        let is_same = is_proven_same(old, new);
        let (old_tester, new_tester) = (tester(old), tester(new));
        let testers = Both { old: &old_tester, new: &new_tester };
        let sides = Sides::new(testers, new.options());
        let changes: Vec<&Change<'_>> = sides.only.new.iter().chain(&sides.only.old).chain(&sides.moved).collect();
        let (flips, witnesses) = if is_same {
            (Vec::new(), alloc::vec![Witness::Impossible; changes.len()])
        } else {
            find_flips(&changes, &sides, (testers, new.options().paths), work)
        };
        let mut witnesses = witnesses.into_iter();
        let mut rules = |changes: &[Change<'_>]| -> Vec<ChangedRule> {
            changes
                .iter()
                .zip(&mut witnesses)
                .filter_map(|(change, witness)| ChangedRule::of(change, witness))
                .collect()
        };
        let mut diff = Self {
            answers: Comparison::Same,
            // In the order of `changes`.
            rules_added: rules(&sides.only.new),
            rules_removed: rules(&sides.only.old),
            rules_moved: rules(&sides.moved),
            lines_added: lines_only_in(new, old),
            lines_removed: lines_only_in(old, new),
            flips,
            without_witness: 0,
            not_searched: 0,
        };
        diff.count();
        diff
    }

    fn count(&mut self) {
        let of = |witness| self.rules().filter(|rule| rule.witness == witness).count();
        (self.without_witness, self.not_searched) = (of(Witness::NotFound), of(Witness::NotSearched));
        self.answers = match (self.flips.is_empty(), self.without_witness, self.not_searched) {
            (false, ..) => Comparison::Changed,
            (true, 0, 0) => Comparison::Same,
            _ => Comparison::Unknown,
        };
    }

    /// All changed rules: added, removed and moved.
    pub fn rules(&self) -> impl Iterator<Item = &ChangedRule> {
        self.rules_added.iter().chain(&self.rules_removed).chain(&self.rules_moved)
    }

    /// Whether nothing changed: every URL has the same answer, and the other lines are the same. There may be changed
    /// rules that affect no answer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers == Comparison::Same && self.lines_added.is_empty() && self.lines_removed.is_empty()
    }
}

impl ChangedRule {
    fn of(change: &Change<'_>, witness: Witness) -> Option<Self> {
        let Both { old, new } = change.rules;
        let rule = new.or(old)?;
        let old_line = new.and(old).and_then(Rule::line);
        Some(Self {
            kind: rule.kind(),
            pattern: percent_encoded(&change.pattern),
            line: rule.line(),
            old_line,
            witness,
        })
    }
}

/// Whether the portable texts have the same rules, and no rule was left out. Then every URL has the same answer.
fn is_proven_same(old: &RecordSet<'_>, new: &RecordSet<'_>) -> bool {
    let rules = |set: &RecordSet<'_>| {
        let (text, report) = set.to_text(TextForm::Portable);
        let is_rule = |line: &&str| line.starts_with("Allow:") || line.starts_with("Disallow:");
        let rules: Vec<String> = text.as_str().lines().filter(is_rule).map(String::from).collect();
        report.is_exact().then_some(rules)
    };
    rules(old).is_some_and(|old| rules(new).is_some_and(|new| old == new))
}

fn tester<'a>(set: &RecordSet<'a>) -> Tester<'a> {
    Tester::new(set, &Interest::everyone())
}

fn lines_of(set: &RecordSet<'_>) -> BTreeSet<ChangedLine> {
    let own = set.records().flat_map(|record| record.extensions());
    own.chain(set.lines_for_everybody())
        .chain(set.file_lines())
        .filter_map(|line| {
            let value = canonical(line.directive(), line.value())?;
            Some(ChangedLine { name: percent_encoded(line.name()), value: percent_encoded(&value) })
        })
        .collect()
}

fn lines_only_in(set: &RecordSet<'_>, other: &RecordSet<'_>) -> Vec<ChangedLine> {
    lines_of(set).difference(&lines_of(other)).cloned().collect()
}
