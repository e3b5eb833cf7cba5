//! Real files, and copies of them with one change: for which share of the policy changes does `Diff` find a URL?
//!
//! Invariant: policy changes are found by trying URLs, without `Diff`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use robosieve::Sieve;
use robosieve::diff::{Comparison, Diff};
use robosieve::policy::Precedence;
use robosieve::settings::{Dialect, Options};

use crate::urls;

/// The change that is made to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    RuleRemoved,
    RuleAdded,
    OrderChanged,
}

/// The counts of one kind of change in one order.
#[derive(Debug, Default)]
struct Changes {
    files: usize,
    /// Files for which one of the tried URLs has a different answer in the changed copy.
    real: usize,
    /// Those of them for which `Diff` finds a URL.
    shown: usize,
    /// Files for which `Diff` finds a URL, although none of the tried URLs has a different answer.
    shown_beyond: usize,
    proven_same: usize,
    unknown: usize,
    not_searched: usize,
    longest: Duration,
}

/// Pseudo-random numbers (xorshift).
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state >> 33).unwrap()
}

/// The rules as a file, a changed copy, and the patterns that changed.
fn mutated(
    rules: &[String],
    others: &[String],
    mutation: Mutation,
    state: &mut u64,
) -> Option<(Vec<String>, Vec<String>)> {
    let mut new = rules.to_vec();
    let at = next(state).checked_rem(rules.len())?;
    let changed = match mutation {
        Mutation::RuleRemoved => vec![new.remove(at)],
        Mutation::RuleAdded => {
            let added = others.get(next(state).checked_rem(others.len())?)?.clone();
            new.insert(at, added.clone());
            vec![added]
        }
        Mutation::OrderChanged => {
            let other = next(state).checked_rem(rules.len())?;
            new.swap(at, other);
            vec![rules[at].clone(), rules[other].clone()]
        }
    };
    Some((new, changed))
}

/// URLs that the changed patterns suggest, alone and combined with each of many others.
fn tried_urls(rules: &[String], changed: &[String]) -> Vec<Vec<u8>> {
    let pattern =
        |rule: &String| rule.split_once(": ").map(|it| it.1.trim_end().as_bytes().to_vec()).unwrap_or_default();
    let step = rules.len().div_ceil(100).max(1);
    let others: Vec<Vec<u8>> = rules.iter().step_by(step).map(pattern).collect();
    let mut tried = Vec::new();
    for changed in changed.iter().map(pattern) {
        for other in &others {
            tried.extend(urls::for_patterns(&[&changed[..], &other[..]]));
        }
    }
    tried.sort_unstable();
    tried.dedup();
    tried
}

/// Each file and a copy with one change: for how many policy changes does `Diff` find a URL? The table is for people.
/// If one of the tried URLs has a different answer, `Diff` also finds one. [diff.flips] [diff.order] [diff.witness]
#[test]
fn changes_of_wild_files_are_shown() {
    let rules_of = |text: &str| -> Vec<String> {
        let is_rule = |line: &&str| line.starts_with("Allow: ") || line.starts_with("Disallow: ");
        text.lines().filter(is_rule).map(|line| format!("{line}\n")).collect()
    };
    let mut counts: BTreeMap<(String, Mutation), Changes> = BTreeMap::new();
    let (mut state, mut others) = (88_172_645_463_325_252, vec!["Disallow: /*?\n".to_owned()]);
    let mut wrong = Vec::new();
    for (path, input) in crate::wild() {
        for (dialect, precedence) in [
            (Dialect::Standard, Precedence::LongestMatch),
            (Dialect::Standard, Precedence::FileOrder),
            (Dialect::Google, Precedence::LongestMatch),
        ] {
            let options = Options { precedence, ..dialect.options() };
            let sieve = Sieve::new(["MyBot"]).options(options);
            let rules = rules_of(sieve.run(&input).unwrap().text().as_str());
            for mutation in [Mutation::RuleRemoved, Mutation::RuleAdded, Mutation::OrderChanged] {
                if mutation == Mutation::OrderChanged && precedence == Precedence::LongestMatch {
                    continue;
                }
                let Some((new, changed)) = mutated(&rules, &others, mutation, &mut state) else { continue };
                let file = |rules: &[String]| "User-agent: *\n".to_owned() + &rules.concat();
                let (old, new) = (file(&rules), file(&new));
                let (old, new) = (sieve.run(old.as_bytes()).unwrap(), sieve.run(new.as_bytes()).unwrap());
                let start = Instant::now();
                let diff = Diff::of(old.records(), new.records());
                let took = start.elapsed();
                let (old, new) = (old.tester(), new.tester());
                let flips = |url: &&Vec<u8>| old.is_allowed(url) != new.is_allowed(url);
                let tried = tried_urls(&rules, &changed);
                let real = tried.iter().find(flips);
                let shown = !diff.flips.is_empty();
                let count = counts.entry((format!("{dialect:?} {precedence:?}"), mutation)).or_default();
                count.files += 1;
                count.real += usize::from(real.is_some());
                count.shown += usize::from(real.is_some() && shown);
                count.shown_beyond += usize::from(real.is_none() && shown);
                count.proven_same += usize::from(diff.answers == Comparison::Same);
                count.unknown += usize::from(diff.answers == Comparison::Unknown);
                count.not_searched += diff.not_searched;
                count.longest = count.longest.max(took);
                if let Some(url) = real.filter(|_| !shown) {
                    let url = String::from_utf8_lossy(url);
                    wrong.push(format!("{}: {changed:?}: {url}: {:?}", path.display(), diff.answers));
                }
            }
            if let Some(rule) = rules.get(next(&mut state).checked_rem(rules.len()).unwrap_or(0)) {
                others.push(rule.clone());
            }
        }
    }
    for ((setting, mutation), count) in counts {
        println!("{setting} {mutation:?}: {count:?}");
    }
    assert_eq!(wrong, [""; 0]);
}
