//! Compares `Diff` with brute force: small rules from a small alphabet, and every short path.
//!
//! Invariant: nothing here depends on how `Diff` searches. A pair of files is made from a number, so a failure can be
//! repeated.

use std::num::NonZeroU32;

use robosieve::settings::{Dialect, Precedence};
use robosieve::{Options, Sieve, Sieved, Tester};
use robosieve_diff::{ChangedRule, Comparison, Diff, Witness};

/// The number of pairs of files for each grammar and setting.
const PAIRS: u64 = if cfg!(debug_assertions) { 150 } else { 3_000 };

/// Pseudo-random numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The parts of patterns and paths.
struct Grammar {
    patterns: &'static [&'static str],
    paths: &'static [&'static str],
    /// The maximum number of parts in a path.
    length: usize,
}

/// The paths also have a letter that no pattern has. It represents all other letters.
const LETTERS: Grammar =
    Grammar { patterns: &["a", "b", "/", "*", "a", "/", "*", "$"], paths: &["a", "b", "/", "x"], length: 5 };
/// What only one dialect interprets, and what is normalised.
const WORDS: Grammar = Grammar {
    patterns: &[
        "a",
        "/",
        "*",
        "$",
        "%24",
        "%2A",
        "%2F",
        "%",
        "2",
        "/index.html",
        "/robots.txt",
        "%41",
        "%61",
        "|",
        "**",
    ],
    paths: &["a", "/", "$", "*", "%2F", "%", "2", "index.html", "robots.txt", "A", "x"],
    length: 3,
};

impl Grammar {
    fn rule(&self, numbers: &mut Numbers) -> String {
        let kind = ["Allow", "Disallow"][numbers.below(2)];
        let front = ["/", "/", "*", ""][numbers.below(4)];
        let parts = (0..numbers.below(5)).map(|_| self.patterns[numbers.below(self.patterns.len())]);
        format!("{kind}: {front}{}\n", parts.collect::<String>())
    }

    /// Two files with some common rules, in the same or a different order.
    fn pair(&self, numbers: &mut Numbers) -> (String, String) {
        let mut old: Vec<String> = (0..numbers.below(4)).map(|_| self.rule(numbers)).collect();
        let mut new = old.clone();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(new.len() + 1);
            match numbers.below(4) {
                0 => new.insert(at, self.rule(numbers)),
                1 if at < new.len() => drop(new.remove(at)),
                _ if at < new.len() => {
                    let other = numbers.below(new.len());
                    new.swap(at, other);
                }
                _ => old.insert(numbers.below(old.len() + 1), self.rule(numbers)),
            }
        }
        let file = |rules: Vec<String>| "User-agent: *\n".to_owned() + &rules.concat();
        (file(old), file(new))
    }

    fn all_paths(&self) -> Vec<String> {
        let mut paths = vec!["/".to_owned()];
        let mut from = 0;
        for _ in 0..self.length {
            let longest = from..paths.len();
            from = paths.len();
            for at in longest {
                paths.extend(self.paths.iter().map(|part| paths[at].clone() + part).collect::<Vec<_>>());
            }
        }
        paths
    }
}

fn settings() -> Vec<Options> {
    let orders = [Precedence::LongestMatch, Precedence::FileOrder];
    let dialects = [Dialect::Standard, Dialect::Google, Dialect::Processor];
    dialects.iter().flat_map(|dialect| orders.map(|precedence| Options { precedence, ..dialect.options() })).collect()
}

fn verdict(tester: &Tester<'_>, path: &str) -> (bool, Option<NonZeroU32>) {
    let url = format!("https://e.com{path}");
    let verdict = tester.test(url.as_bytes());
    (verdict.allowed(), verdict.line())
}

/// The changed rules that decide a path with different answers in the two files.
fn deciders(diff: &Diff, old: Option<NonZeroU32>, new: Option<NonZeroU32>) -> Vec<&ChangedRule> {
    let in_old = diff.rules_removed.iter().filter(|rule| rule.line == old);
    let in_new = diff.rules_added.iter().filter(|rule| rule.line == new);
    let moved = diff.rules_moved.iter().filter(|rule| rule.line == new || rule.old_line == old && old.is_some());
    in_old.chain(in_new).chain(moved).collect()
}

#[track_caller]
fn check(old: &Sieved<'_>, new: &Sieved<'_>, paths: &[String], shown: &str) -> Diff {
    let diff = Diff::of(old.records(), new.records());
    let (old, new) = (old.text_tester(), new.text_tester());
    for flip in &diff.flips {
        let (before, after) = (verdict(&old, &flip.path), verdict(&new, &flip.path));
        assert_eq!((flip.old_line, flip.new_line, flip.allowed), (before.1, after.1, after.0), "{flip:?} {shown}");
        assert!(before.0 != after.0, "{flip:?} {shown}");
        assert!(deciders(&diff, before.1, after.1).iter().any(|rule| rule.witness == Witness::Found), "{shown}");
    }
    for path in paths {
        let (before, after) = (verdict(&old, path), verdict(&new, path));
        if before.0 == after.0 {
            continue;
        }
        assert_eq!(diff.answers, Comparison::Changed, "{path} {shown} {diff:#?}");
        let deciders = deciders(&diff, before.1, after.1);
        assert!(!deciders.is_empty(), "{path} {shown} {diff:#?}");
        assert!(deciders.iter().all(|rule| rule.witness == Witness::Found), "{path} {shown} {diff:#?}");
    }
    assert_eq!((diff.without_witness, diff.not_searched), (0, 0), "{shown} {diff:#?}");
    diff
}

#[track_caller]
fn check_all(grammar: &Grammar) {
    let paths = grammar.all_paths();
    let (mut flips, mut same) = (0, 0);
    for (setting, options) in settings().iter().enumerate() {
        let sieve = Sieve::new(["MyBot"]).options(options.clone());
        for number in 0..PAIRS {
            let (old, new) = grammar.pair(&mut Numbers(number << 3 | u64::try_from(setting).unwrap()));
            let shown = format!("setting {setting}\n{old}\n{new}");
            let (old, new) = (sieve.filter(old.as_bytes()).unwrap(), sieve.filter(new.as_bytes()).unwrap());
            let diff = check(&old, &new, &paths, &shown);
            flips += usize::from(!diff.flips.is_empty());
            same += usize::from(diff.answers == Comparison::Same && diff.rules().count() > 0);
        }
    }
    // Both results are frequent enough.
    println!("{flips} pairs flip, {same} change rules and no answer");
    assert!(flips > 50 && same > 50, "{flips} {same}");
}

/// [diff.flips] [diff.order] [diff.witness]
#[test]
fn every_flip_of_small_rules_is_shown() {
    check_all(&LETTERS);
}

/// [diff.flips] [diff.order] [diff.witness]
#[test]
fn every_flip_of_dialect_specific_rules_is_shown() {
    check_all(&WORDS);
}
