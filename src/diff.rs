//! What changed between two files, in policy and not in spelling.
//!
//! Invariant: two files with the same portable text differ in no rule; each flip is a URL that the two answer otherwise, found
//! by asking both. What asking costs is bounded, and rules that this leaves untried are counted.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::agent::{Agents, Interest};
use crate::canonical::{Form, write};
use crate::record::{Extension, RecordSet, Rule, RuleKind};
use crate::report::Report;
use crate::tester::Tester;
use crate::value::printable;

/// A rule that only one of two files has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ChangedRule {
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// The normalised pattern.
    pub pattern: String,
    /// The line it stands on.
    pub line: u32,
}

/// Another line that only one of two files has, as the canonical text spells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ChangedLine {
    /// The directive.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A URL that two files answer otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Flip {
    /// The path, as a URL has it.
    pub path: String,
    /// Whether the newer file allows it.
    pub allowed: bool,
    /// The line of the older file that decided, if a rule did.
    pub old_line: Option<u32>,
    /// The line of the newer file that decides, if a rule does.
    pub new_line: Option<u32>,
}

/// What changed from an older file to a newer one.
///
/// ```
/// use robosieve::{Diff, sieve};
/// let old = sieve(b"User-agent: *\nDisallow: /tmp\n", &["MyBot"]);
/// let new = sieve(b"User-agent: *\nDisallow: /tmp # same\nDisallow: /private\n", &["MyBot"]);
/// let diff = Diff::of(old.records(), new.records());
/// assert_eq!(diff.rules_added[0].pattern, "/private");
/// assert_eq!(diff.flips[0].path, "/private");
/// assert!(Diff::of(old.records(), old.records()).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diff {
    /// Rules of the newer file that the older one has not.
    pub rules_added: Vec<ChangedRule>,
    /// Rules of the older file that the newer one has not.
    pub rules_removed: Vec<ChangedRule>,
    /// Other lines of the newer file that the older one has not: crawl delays, sitemaps …
    pub lines_added: Vec<ChangedLine>,
    /// Other lines of the older file that the newer one has not.
    pub lines_removed: Vec<ChangedLine>,
    /// URLs that the two answer otherwise: at most one for each changed rule, and each once.
    pub flips: Vec<Flip>,
    /// Changed rules, the last ones, for which no URL was looked for to the end: that would have taken more than
    /// [`Diff::MAX_WORK`]. Nearly always 0.
    pub untried: usize,
}

impl Diff {
    /// Pairs of a URL and a rule with stars that may be asked about to find flips. A URL counts for one pair in each of the two
    /// files, and for one more with each of their rules with stars; all that again for each 16 octets of the URL. House: where
    /// 1,000 such rules came and 1,000 others went, all of them are tried. It takes some 0.1 s. Where rules are made to be
    /// dear, of long literals that are searched for in URLs of more than 64 octets, a pair takes up to 1,300 instructions, and all
    /// of them some ten seconds.
    pub const MAX_WORK: usize = 50_000_000;

    /// Compares what two files say to everyone: sets that [`filter_for`](crate::filter_for) or a
    /// [`Sieve`](crate::Sieve) made for the same agents under the same options. Cost: two portable texts, sorting the rules, and
    /// [`Diff::MAX_WORK`].
    #[must_use]
    pub fn of(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Self {
        // Rules that can't decide may come and go.
        let is_same = decisions(old) == decisions(new);
        let only_in = |set, other| if is_same { Vec::new() } else { rules_only_in(set, other) };
        let mut diff = Self {
            rules_added: only_in(new, old),
            rules_removed: only_in(old, new),
            lines_added: lines_only_in(new, old),
            lines_removed: lines_only_in(old, new),
            ..Self::default()
        };
        diff.find_flips(&tester(old), &tester(new));
        diff
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let rules = self.rules_added.len().saturating_add(self.rules_removed.len());
        rules == 0 && self.lines_added.is_empty() && self.lines_removed.is_empty()
    }

    fn find_flips(&mut self, old: &Tester<'_>, new: &Tester<'_>) {
        let mut seen = BTreeSet::new();
        let mut work = Self::MAX_WORK;
        let mut rules = self.rules_added.iter().chain(&self.rules_removed);
        while let Some(rule) = rules.next() {
            match first_flip(&rule.pattern, old, new, &mut work) {
                Ok(Some(flip)) if seen.insert(flip.path.clone()) => self.flips.push(flip),
                Ok(_) => {}
                Err(WorkIsOver) => {
                    self.untried = rules.count().saturating_add(1);
                    return;
                }
            }
        }
    }
}

/// There is no work left for another URL.
struct WorkIsOver;

/// The first URL made of a pattern that the two answer otherwise, if any is.
fn first_flip(pattern: &str, old: &Tester<'_>, new: &Tester<'_>, work: &mut usize) -> Result<Option<Flip>, WorkIsOver> {
    let pairs = old.rules_with_stars().saturating_add(new.rules_with_stars()).saturating_add(2);
    for path in urls_for(pattern) {
        let cost = pairs.saturating_mul((path.len() / OCTETS_OF_A_PAIR).saturating_add(1));
        *work = work.checked_sub(cost).ok_or(WorkIsOver)?;
        let (before, after) = (old.test(path.as_bytes()), new.test(path.as_bytes()));
        let (old_line, new_line) = (before.line(), after.line());
        if before.allowed() != after.allowed() {
            return Ok(Some(Flip { path, allowed: after.allowed(), old_line, new_line }));
        }
    }
    Ok(None)
}

/// A URL counts once more for each so many octets.
const OCTETS_OF_A_PAIR: usize = 16;

/// The rules of the portable text: two files that have the same ones decide the same.
fn decisions(set: &RecordSet<'_>) -> Vec<String> {
    let text = write(set, Form::Portable, &mut Report::default());
    let is_rule = |line: &&str| line.starts_with("Allow:") || line.starts_with("Disallow:");
    text.as_str().lines().filter(is_rule).map(String::from).collect()
}

fn tester<'a>(set: &RecordSet<'a>) -> Tester<'a> {
    Tester::new(set, &Interest { agents: Agents::default(), fallback: true })
}

fn rules_of<'s, 'a>(set: &'s RecordSet<'a>) -> impl Iterator<Item = &'s Rule<'a>> {
    set.records().flat_map(|record| record.rules_by_precedence()).filter(|rule| !rule.pattern.is_empty())
}

fn rules_only_in(set: &RecordSet<'_>, other: &RecordSet<'_>) -> Vec<ChangedRule> {
    let known: BTreeSet<_> = rules_of(other).map(|rule| (rule.kind, rule.pattern.as_bytes())).collect();
    let mut seen = BTreeSet::new();
    rules_of(set)
        .filter(|rule| !known.contains(&(rule.kind, rule.pattern.as_bytes())))
        .filter(|rule| seen.insert((rule.kind, rule.pattern.as_bytes())))
        .map(|rule| ChangedRule { kind: rule.kind, pattern: printable(rule.pattern.as_bytes()), line: rule.line })
        .collect()
}

fn lines_of(set: &RecordSet<'_>) -> BTreeSet<ChangedLine> {
    let own = set.records().flat_map(|record| record.extensions());
    own.chain(set.file_lines())
        .filter_map(|line| {
            let value = Extension::canonical_value(line.directive, &line.value)?;
            Some(ChangedLine { name: printable(&line.name), value: printable(&value) })
        })
        .collect()
}

fn lines_only_in(set: &RecordSet<'_>, other: &RecordSet<'_>) -> Vec<ChangedLine> {
    lines_of(set).difference(&lines_of(other)).cloned().collect()
}

/// Paths that a pattern matches: with nothing, something, or a folder for its stars, and with nothing or something behind it.
fn urls_for(pattern: &str) -> impl Iterator<Item = String> {
    const STARS: [&str; 3] = ["", "x", "x/y"];
    const ENDS: [&str; 3] = ["", "x", "/x.html"];
    let (front, is_anchored) = match pattern.strip_suffix('$') {
        Some(front) => (front, true),
        None => (pattern, false),
    };
    let ends = if is_anchored { &ENDS[..1] } else { &ENDS[..] };
    let stars = if front.contains('*') { &STARS[..] } else { &STARS[..1] };
    ends.iter().flat_map(move |end| {
        stars.iter().map(move |star| {
            let path = front.replace('*', star);
            let slash = if path.starts_with('/') { "" } else { "/" };
            [slash, &path, end].concat()
        })
    })
}
