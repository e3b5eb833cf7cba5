//! The index of the rules finds what a plain search finds, for all small sets of rules and all short paths.
//!
//! Invariant: the plain search is written from SPEC.md and calls nothing of the library. What is left out is counted in
//! no figure: each set is compared on each path. `ROBOSIEVE_ALL_SETS=1` makes the sets larger; some minutes.

use robosieve::records::{Parser, RuleKind};
use robosieve::settings::{Interest, Precedence};
use robosieve::{Options, Tester};

/// All strings over these letters of at most this length, after a first letter.
fn strings(first: u8, letters: &[u8], most: usize) -> Vec<Vec<u8>> {
    let mut all = vec![vec![first]];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for at in from..to {
            for letter in letters {
                let mut longer = all[at].clone();
                longer.push(*letter);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

/// `[path.match]`, `[path.stars]`, `[path.anchor]`: a letter at a time.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| matches(rest, &path[at..])),
        [letter, rest @ ..] => {
            path.split_first().is_some_and(|(first, others)| first == letter && matches(rest, others))
        }
    }
}

/// A pattern with a kind, and the paths that it matches, a bit for each.
struct Rule {
    allows: bool,
    pattern: Vec<u8>,
    hits: Vec<bool>,
}

fn rules(patterns: &[Vec<u8>], paths: &[Vec<u8>]) -> Vec<Rule> {
    let rule = |pattern: &Vec<u8>, allows| Rule {
        allows,
        pattern: pattern.clone(),
        hits: paths.iter().map(|path| matches(pattern, path)).collect(),
    };
    patterns.iter().flat_map(|pattern| [rule(pattern, true), rule(pattern, false)]).collect()
}

/// `[rule.longest]`, `[rule.tie]`, `[rule.file-order]`, `[rule.none]`.
fn searched(set: &[&Rule], path: usize, precedence: Precedence) -> bool {
    let mut hits = set.iter().filter(|rule| rule.hits[path]);
    let decides = match precedence {
        Precedence::FileOrder => hits.next(),
        _ => hits.max_by_key(|rule| (rule.pattern.len(), rule.allows)),
    };
    decides.is_none_or(|rule| rule.allows)
}

/// Compares one set on all paths, in both orders. Returns the number of decisions.
fn compare(set: &[&Rule], paths: &[Vec<u8>]) -> usize {
    let mut file = b"User-agent: *\n".to_vec();
    for rule in set {
        let kind = if rule.allows { RuleKind::Allow } else { RuleKind::Disallow };
        file.extend_from_slice(&[kind.name().as_bytes(), b": ", &rule.pattern, b"\n"].concat());
    }
    for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
        let parsed = Parser::new(Options { precedence, ..Options::default() }).parse(&file);
        let tester = Tester::new(&parsed, &Interest::new(["MyBot"])).with_index();
        for (at, path) in paths.iter().enumerate() {
            let expected = searched(set, at, precedence);
            let text = || (String::from_utf8_lossy(&file).into_owned(), String::from_utf8_lossy(path).into_owned());
            assert_eq!(tester.is_allowed(path), expected, "{precedence:?} {:?}", text());
        }
    }
    2 * paths.len()
}

/// All sets of at most so many of the rules, on all paths. Returns the number of decisions.
fn all_sets<'r>(rules: &'r [Rule], paths: &[Vec<u8>], most: usize, set: &mut Vec<&'r Rule>) -> usize {
    let mut decisions = compare(set, paths);
    if most > 0 {
        for (at, rule) in rules.iter().enumerate() {
            set.push(rule);
            decisions += all_sets(&rules[at + 1..], paths, most - 1, set);
            set.pop();
        }
    }
    decisions
}

/// Sets of at most so many rules, whose patterns have at most so many letters after the first one, on all paths of at
/// most so many letters after the slash.
fn check(firsts: &[u8], letters: &[u8], longest: usize, most: usize, path: usize) {
    let patterns: Vec<_> = firsts.iter().flat_map(|first| strings(*first, letters, longest)).collect();
    let paths = strings(b'/', b"ab$", path);
    // Pairs in both orders: in file order, the first decides.
    let mut rules = rules(&patterns, &paths);
    let mut decisions = all_sets(&rules, &paths, most, &mut Vec::new());
    rules.reverse();
    decisions += all_sets(&rules, &paths, most.min(2), &mut Vec::new());
    println!("{} rules, sets of at most {most}, {} paths: {decisions} decisions", rules.len(), paths.len());
}

/// [path.match] [path.stars] [path.anchor] [rule.longest] [rule.tie] [rule.file-order]
#[test]
fn the_index_is_a_plain_search() {
    let all = std::env::var_os("ROBOSIEVE_ALL_SETS").is_some();
    // Pairs of longer patterns; sets of short ones.
    check(b"/*", b"ab*$", if all { 3 } else { 2 }, 2, if all { 6 } else { 3 });
    check(b"/", b"ab*$", 2, if all { 4 } else { 2 }, if all { 4 } else { 3 });
    check(b"/", b"a*$", 2, if all { 5 } else { 3 }, if all { 6 } else { 3 });
    check(b"/*", b"ab", 1, if all { 5 } else { 3 }, if all { 6 } else { 3 });
}
