//! Finds the rule that decides: by comparing each rule for the first URLs, by an index for more.
//!
//! Invariant: both ways find the same number. A debug build compares them, for the first URLs.
//!
//! An index costs as much as comparing all rules with some 18 URLs. Many callers ask for fewer.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::path::glob::{self, Literals};
use crate::path::index::{IndexBuilder, IndexedRule, NO_RULE, Trie};
use crate::policy::options::{Options, Precedence};
use crate::policy::record::{Rule, has_index_directory};
use crate::syntax::bytes::Flags;
use crate::syntax::names::RuleKind;

/// The number of URLs that are answered without an index. Our choice: an index costs as much as some 18 of them, so a
/// caller who asks a few more loses less than half of that.
const FEW_URLS: u32 = 8;
/// A longer path is answered by the index, which looks up what a rule with wildcards needs before it searches.
pub(crate) const SHORT_PATH: usize = 1_000;
/// The number of rules with wildcards, or escapes, up to which the index can wait.
const FEW_EXPENSIVE: usize = 64;

/// The index of a tester, which is made when it is first needed. Without `std`, nothing could make it later.
#[cfg(feature = "std")]
type Index = std::sync::OnceLock<Trie>;
#[cfg(not(feature = "std"))]
type Index = Trie;

/// The rules of a tester, and how they are found.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    /// In file order.
    rules: Vec<Rule<'a>>,
    options: Arc<Options>,
    index: Index,
    /// The number of URLs that were answered without an index.
    asked: AtomicU32,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(rules: Vec<Rule<'a>>, options: Arc<Options>) -> Self {
        let is_late = cfg!(feature = "std") && can_wait(&mut 0, &rules, &options, |_| true);
        let asked = AtomicU32::new(if is_late { 0 } else { FEW_URLS });
        #[cfg(feature = "std")]
        let index = Index::new();
        #[cfg(not(feature = "std"))]
        let index = index_of(&rules, &options);
        Self { rules, options, index, asked }
    }

    /// The index. It is made if it is not there.
    pub(crate) fn index(&self) -> &Trie {
        #[cfg(feature = "std")]
        return self.index.get_or_init(|| index_of(&self.rules, &self.options));
        #[cfg(not(feature = "std"))]
        &self.index
    }

    /// The number of the first matching rule, in order of precedence.
    pub(crate) fn find(&self, path: &[u8]) -> Option<u64> {
        #[cfg(feature = "std")]
        let is_made = self.index.get().is_some();
        #[cfg(not(feature = "std"))]
        let is_made = true;
        // A debug build asks both ways.
        if (cfg!(debug_assertions) || !is_made) && self.can_do_without(path) {
            let best = best_of(0, &self.rules, &self.options, path);
            let found = (best != NO_NUMBER).then_some(best);
            debug_assert_eq!(found, self.index().find(path), "the index finds another rule");
            return found;
        }
        self.index().find(path)
    }

    /// Whether this is one of the first URLs, which need no index.
    fn can_do_without(&self, path: &[u8]) -> bool {
        path.len() <= SHORT_PATH
            && self.asked.load(Ordering::Relaxed) < FEW_URLS
            && self.asked.fetch_add(1, Ordering::Relaxed) < FEW_URLS
    }

    pub(crate) fn into_owned(self) -> Lookup<'static> {
        let Self { rules, options, index, asked } = self;
        Lookup { rules: rules.into_iter().map(Rule::into_owned).collect(), options, index, asked }
    }

    /// In file order.
    pub(crate) fn rules(&self) -> &[Rule<'a>] {
        &self.rules
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}

impl Clone for Lookup<'_> {
    fn clone(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            options: Arc::clone(&self.options),
            index: self.index.clone(),
            asked: AtomicU32::new(self.asked.load(Ordering::Relaxed)),
        }
    }
}

/// Counts the rules that are expensive to compare, among those that are compared. False if URLs cannot be answered without
/// an index: these are too many, one needs a copy, or a rule implies another.
pub(crate) fn can_wait(
    expensive: &mut usize,
    rules: &[Rule<'_>],
    options: &Options,
    is_compared: impl Fn(&Rule<'_>) -> bool,
) -> bool {
    rules.iter().all(|rule| {
        if !rule.flags.is_none() && is_compared(rule) {
            *expensive = expensive.saturating_add(1);
            if *expensive > FEW_EXPENSIVE || has_literal(rule.pattern.as_bytes()) {
                return false;
            }
        }
        !options.index_html || !has_index_directory(rule.kind, rule.pattern.as_bytes())
    })
}

/// Whether a pattern has a literal `*` or `$`, which is compared in a copy.
fn has_literal(pattern: &[u8]) -> bool {
    glob::has_literal(pattern.strip_suffix(b"$").unwrap_or(pattern))
}

/// Not inlined: the module for browsers is small.
#[inline(never)]
fn literals_of<'r>(rule: &'r Rule<'_>, options: &Options) -> Literals<'r> {
    Literals::with_special(rule.pattern.as_bytes(), rule.flags, options.paths)
}

/// The number of the first matching rule, in order of precedence, or [`NO_NUMBER`]. The first of these rules has the place
/// `first`. A rule without a pattern matches nothing. Cost: compares each rule with the path; see [`can_wait`].
#[inline(never)]
pub(crate) fn best_of(first: u32, rules: &[Rule<'_>], options: &Options, path: &[u8]) -> u64 {
    let mut best = NO_NUMBER;
    for (place, rule) in (first..).zip(rules) {
        if !differs_early(rule, path) && matches(rule, options, path) {
            best = best.min(numbered(options.precedence, rule.pattern.len(), rule.kind, place));
        }
    }
    best
}

/// Whether the byte after the first slash is enough to see that a rule does not match. It is for most rules.
#[inline]
pub(crate) fn differs_early(rule: &Rule<'_>, path: &[u8]) -> bool {
    let [b'/', byte, ..] = rule.pattern.as_bytes() else { return false };
    path.get(1) != Some(byte) && (rule.flags.is_none() || !matches!(byte, b'*' | b'$' | b'%'))
}

fn matches(rule: &Rule<'_>, options: &Options, path: &[u8]) -> bool {
    match rule.flags {
        Flags::NONE => !rule.pattern.is_empty() && path.starts_with(rule.pattern.as_bytes()),
        _ => glob::matches(&literals_of(rule, options), path),
    }
}

/// The index of these rules. Cost: sorts them.
fn index_of(rules: &[Rule<'_>], options: &Options) -> Trie {
    // `[google.index-html]`: an implied rule has a separate rank.
    let implied = (0..).zip(rules).filter_map(|(place, rule)| Some((place, rule.implied_directory(options)?)));
    let implied: Vec<(u32, Vec<u8>)> = implied.collect();
    let mut entries = Vec::with_capacity(rules.len().saturating_add(implied.len()));
    entries.extend((0..).zip(rules).map(|(place, rule)| IndexedRule {
        number: numbered(options.precedence, rule.pattern.len(), rule.kind, place),
        literals: literals_of(rule, options),
    }));
    entries.extend(implied.iter().map(|(place, pattern)| IndexedRule {
        number: numbered(options.precedence, pattern.len(), RuleKind::Allow, *place),
        literals: Literals::of(pattern, options.paths),
    }));
    IndexBuilder::of(&entries)
}

/// The number of a rule. The smallest number of those that match decides. It begins with the rule's length or place. Then
/// follow its kind and its place, so of rules with the same rank the first in the file is reported. All lengths of 4
/// GiB and above count as equal.
#[must_use]
pub fn numbered(precedence: Precedence, length: usize, kind: RuleKind, place: u32) -> u64 {
    let first = match precedence {
        Precedence::LongestMatch => u32::MAX.saturating_sub(u32::try_from(length).unwrap_or(u32::MAX)),
        Precedence::FileOrder => place,
    };
    u64::from(first) << 32 | u64::from(kind == RuleKind::Disallow) << 31 | u64::from(place & PLACE)
}

/// The number that means "no rule".
pub const NO_NUMBER: u64 = NO_RULE;

/// The bits that hold a rule's place. They are enough: more rules would take up 100 GB.
const PLACE: u32 = u32::MAX >> 1;

/// The kind of the rule with this number.
#[must_use]
pub fn kind_of(number: u64) -> RuleKind {
    if number & u64::from(PLACE.wrapping_add(1)) == 0 { RuleKind::Allow } else { RuleKind::Disallow }
}

/// The place of the rule with this number.
#[must_use]
pub fn position_of(number: u64) -> usize {
    usize::try_from(number & u64::from(PLACE)).unwrap_or(usize::MAX)
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::policy::agent::Interest;
    use crate::policy::options::Precedence;
    use crate::policy::parse::Parser;
    use crate::policy::select::Selection;

    /// All words of up to four of these parts.
    fn words(parts: &[&str]) -> Vec<String> {
        let mut words = alloc::vec![String::from("/")];
        for at in 0.. {
            let Some(word) = words.get(at).cloned().filter(|word| words.len() < 700 && word.len() < 12) else { break };
            words.extend(parts.iter().map(|part| [&word, *part].concat()));
        }
        words
    }

    /// [bounds.index]: comparing each rule finds the same rule as the index, in both orders of precedence.
    #[test]
    fn both_ways_find_the_same_rule() {
        let (patterns, paths) = (words(&["a", "b", "*", "$", "%2A"]), words(&["a", "b", "$", "/"]));
        let mut decided = 0_u32;
        for (round, three) in patterns.windows(3).enumerate() {
            let kinds = [["Allow", "Disallow"], ["Disallow", "Allow"]];
            let [first, second] = kinds.get(round % 2).copied().unwrap_or(["Allow", "Allow"]);
            let rules = three.iter().zip([first, second, second]);
            let lines = rules.map(|(pattern, kind)| alloc::format!("{kind}: {pattern}"));
            let file = alloc::format!("User-agent: *\n{}", lines.collect::<Vec<_>>().join("\n"));
            for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
                let parser = Parser::new(crate::Options { precedence, ..crate::Options::default() });
                let set = parser.parse(file.as_bytes());
                let selection = Selection::of(&set, &Interest::everyone());
                let rules: Vec<Rule<'_>> = selection.rules().cloned().collect();
                let index = index_of(&rules, selection.options());
                for path in paths.iter().step_by(1 + round % 5) {
                    let path = crate::path::pattern::UrlPath::of(path.as_bytes(), selection.options().paths);
                    let found = index.find(path.compared());
                    let compared = best_of(0, &rules, selection.options(), path.compared());
                    assert_eq!(compared, found.unwrap_or(NO_NUMBER), "{file:?} {path:?}");
                    decided = decided.saturating_add(u32::from(found.is_some()));
                }
            }
        }
        assert!(decided > 10_000, "{decided}");
    }
}
