//! The time cost of hostile files: instructions under valgrind, so that the same input always has the same cost.
//!
//! Invariant: no clock is read, and only optimised code is counted. Each step runs on n, 2n and 4n bytes of each family.
//! Valgrind runs the first test of the file; the other tests start it and read the counts. If valgrind is missing, they
//! print that and pass, or fail, as `tests/callgrind` decides.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod callgrind;
mod families;

use std::collections::BTreeMap;
use std::hint::black_box;

use callgrind::Counted;
use families::{ALL, COSTLY, Family, LARGE, LONG, PATTERNS, SHORT, URLS, filled, rules_of_ten_stars};
use robosieve::records::Parser;
use robosieve::settings::{Interest, Limits, TextForm};
use robosieve::{Options, Tester};
use robosieve_diff::Diff;

/// The environment variable that selects the workload to run.
const WORKLOAD: &str = "ROBOSIEVE_GROWTH";

/// The smallest size.
const SIZE: usize = 25_000;

/// The allowed factor of instructions for twice the bytes, in tenths: 2, and a bit more because buffers grow by doubling.
const DOUBLE: u64 = 24;
/// The same for steps that sort: 2 log 2n / log n, and a bit more for the common prefixes of the patterns that are
/// compared.
const SORTED: u64 = 26;
/// Fewer instructions than this are not counted as growth. They contain the first load of a function, and the
/// allocator's cleanup after other families.
const NOTHING: u64 = 200_000;
/// The maximum number of instructions for each byte.
const A_BYTE: &[(&str, u64)] = &[
    ("parse", 600),
    ("filter", 50),
    ("filter all", 130),
    ("text", 600),
    ("text of all", 600),
    ("portable text", 600),
    ("compile", 220),
    ("verdict", 5),
    ("diff", 2200),
];
/// The same to filter for all agents if agents of a run have separate values, so that their groups are split, and what
/// the names of these families contain.
const A_BYTE_OF_VALUES: u64 = 450;
const WITH_VALUES: &str = "with a value each";
/// The maximum cost of a pair of rules that the portable form compares, and of a step of the search of a `Diff`.
const PAIR: u64 = 250;
const STEP: u64 = 80;

/// Instructions for a URL of 100 kB, with a thousand rules of ten stars, and with fifty of the most expensive ones.
const OF_A_THOUSAND: u64 = 240_000_000;
const OF_FIFTY: u64 = 420_000_000;
/// Instructions for a URL of 2,000 bytes, with as many rules with an expensive literal as fit into a file of 512,000
/// bytes.
const OF_A_FILE: u64 = 300_000_000;

/// Families whose rules are related to many others. Comparing them grows faster than the file, up to a maximum number
/// of pairs.
const COMPARED: &[&str] = &[
    "rules of 10 stars and 2000 bytes",
    "allowed and disallowed in turn",
    "a star for each rule",
    "short rules with a star at the front",
    "short index pages anywhere",
    RULES_NEARLY_FOUND,
];
/// Families with a rule for which the search of a `Diff` uses all its work.
const SEARCHED: &[&str] = &["stars", "stars, anchored"];
const RULES_NEARLY_FOUND: &str = "rules nearly found in each other's URLs";

/// Each call is a separate part of valgrind's counts.
#[inline(never)]
fn counted_step<T>(step: impl FnOnce() -> T) -> T {
    black_box(step())
}

/// Runs a step, and prints its name first: the counts come in the same order.
fn count<T>(step: &str, of: &str, size: usize, run: impl FnOnce() -> T) -> T {
    println!("\ncount\t{step}\t{of}\t{size}");
    counted_step(run)
}

fn interest() -> Interest {
    Interest::new(["MyBot", "Other"])
}

fn unlimited() -> Parser {
    Parser::new(Options { limits: Limits::NONE, ..Options::default() })
}

fn run_steps(name: &str, input: &[u8], size: usize) {
    let (parser, interest) = (unlimited(), interest());
    let set = count("parse", name, size, || parser.parse(input));
    let few = count("filter", name, size, || set.filter_for(&interest).unwrap().0);
    let all = count("filter all", name, size, || set.filter_all().unwrap());
    count("text", name, size, || few.to_text(TextForm::Faithful));
    count("text of all", name, size, || all.to_text(TextForm::Faithful));
    let tester = count("compile", name, size, || Tester::new(&set, &interest).with_index());
    ask(&tester, b"/aaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaa/index.html?a*a", name, size);
}

/// The workload that the tests below run under valgrind. [bounds.time]
#[test]
#[ignore = "run by the other tests of this file"]
fn workload() {
    let Ok(workload) = std::env::var(WORKLOAD) else { return };
    match workload.as_str() {
        "urls" => urls(),
        "patterns" => patterns(),
        "a file" => a_file(),
        "many" => of_each(LARGE.iter().map(|(name, most)| (named(name), most / 4)), run_steps),
        "files" => of_each(ALL.iter().map(|family| (family, SIZE)), run_steps),
        "portable" => portable(),
        "diff" => diff(),
        other => panic!("no workload {other}"),
    }
}

fn named(name: &str) -> &'static Family {
    ALL.iter().find(|family| family.name == name).unwrap()
}

fn sizes(least: usize) -> [usize; 3] {
    [least, 2 * least, 4 * least]
}

/// A tester of the whole file, with its index.
fn tester(file: &[u8]) -> Tester<'_> {
    Tester::new(&unlimited().parse(file), &interest()).with_index()
}

/// Runs steps on each family at n, 2n and 4n.
fn of_each<'f>(families: impl Iterator<Item = (&'f Family, usize)>, run: fn(&str, &[u8], usize)) {
    for (family, least) in families {
        for size in sizes(least) {
            run(family.name, &(family.file)(size), size);
        }
    }
}

fn ask(tester: &Tester<'_>, url: &[u8], of: &str, size: usize) {
    count("verdict", of, size, || tester.is_allowed(url));
}

/// Rules of 10 stars and 2,000 bytes against URLs of up to 100 kB: a thousand of them, and fifty of the most
/// expensive ones. Also a growing number of expensive rules against shorter URLs.
fn urls() {
    for (rules, first, shown) in
        [(1_000, LONG, "long literals"), (1_000, SHORT, "short literals"), (50, COSTLY, "costly literals")]
    {
        let file = rules_of_ten_stars(rules, first);
        let tester = tester(&file);
        for (url, size) in URLS.iter().flat_map(|url| sizes(25_000).map(move |size| (url, size))) {
            ask(&tester, &(url.file)(size), &format!("{}, {shown}", url.name), size);
        }
    }
    for rules in sizes(50) {
        let file = rules_of_ten_stars(rules, COSTLY);
        let tester = tester(&file);
        for url in URLS {
            ask(&tester, &(url.file)(6_250), &format!("{}, more rules of costly literals", url.name), rules);
        }
    }
}

/// Literals that occur almost, but not completely, at many places of a URL made of the given part. Their rarest byte
/// occurs rarely in the URL, at every eighth place, or at every second place. The last literal occurs everywhere.
const COSTLY_LITERALS: &[(&str, &str, &str)] = &[
    ("a rare byte", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzze", "z"),
    ("each eighth byte", "zzzzzzzezzzzzzzezzzzzzzezzzzzze", "zzzzzzze"),
    ("each second byte", "zzzzeeeezzzzeeeezzzzeeeezzzzeze", "zzzzeeee"),
    ("everywhere", "z", "z"),
];

/// As many rules as `max_bytes` allows, each with a literal that is expensive to search for.
fn a_file() {
    for (name, literal, part) in COSTLY_LITERALS {
        let rule = |number| format!("Disallow:/*{literal}*{number}x\n");
        let file = filled(b"User-agent: *\n", Limits::DEFAULT.max_bytes - 60, rule);
        let tester = tester(&file);
        for size in sizes(500) {
            let url = format!("/e0123456789ex{}", part.repeat(size / part.len()));
            ask(&tester, url.as_bytes(), name, size);
        }
    }
}

/// Patterns of stars against URLs that grow, and against URLs that grow together with the pattern.
fn patterns() {
    for (pattern, size) in PATTERNS.iter().flat_map(|pattern| sizes(12_500).map(move |size| (pattern, size))) {
        for (length, shown) in [(2_000, ""), (size, " as long")] {
            let file = (pattern.file)(length);
            let tester = tester(&file);
            for url in URLS {
                ask(&tester, &(url.file)(size), &format!("{}, {}{shown}", url.name, pattern.name), size);
            }
        }
    }
}

/// The portable text of all files, and of longer files with much to compare.
fn portable() {
    let is_compared = |family: &&Family| COMPARED.contains(&family.name);
    let files = ALL.iter().map(|family| (family, if is_compared(&family) { 50_000 } else { 12_500 }));
    of_each(files, |name, file, size| {
        let set = Parser::default().parse(file);
        let few = set.filter_for(&interest()).unwrap().0;
        count("portable text", name, size, || few.to_text(TextForm::Portable));
    });
}

/// The changes from a small file to each file.
fn diff() {
    let nearly_found = Family { name: RULES_NEARLY_FOUND, file: nearly_found };
    let files = ALL.iter().map(|family| (family, 6_250)).chain([(&nearly_found, 25_000)]);
    of_each(files, |name, file, size| {
        let parser = unlimited();
        let filtered = |file| parser.parse(file).filter_for(&interest()).unwrap().0;
        // The rules of the last family are contained in its first rule.
        let (old, new) = (filtered(b"User-agent: *\nDisallow: /\nAllow: /q\n"), filtered(file));
        count("diff", name, size, || Diff::of(&old, &new));
    });
}

/// Rules that forbid nothing new. The search for each of them must go through the URLs of all others.
fn nearly_found(n: usize) -> Vec<u8> {
    let (costly, more) = (String::from_utf8_lossy(COSTLY), "z".repeat(1_000));
    let rule = |number| format!("Disallow: /*{costly}*{more}*{number:04}\n");
    filled(b"User-agent: *\nDisallow: /\n", n, rule)
}

/// Instructions of a step on a family at the three sizes, and the bytes of the last file.
#[derive(Debug, Default)]
struct Sizes {
    counts: Vec<u64>,
    bytes: u64,
}

/// Runs the workload under valgrind, which writes its counts after each counted function. -> by step and family.
fn counts(workload: &str) -> BTreeMap<(String, String), Sizes> {
    let mut counts: BTreeMap<_, Sizes> = BTreeMap::new();
    let Some((counted, shown)) = Counted::run("growth", (WORKLOAD, workload)) else { return counts };
    for (at, line) in shown.lines().filter_map(|line| line.strip_prefix("count\t")).enumerate() {
        let words: Vec<&str> = line.split('\t').collect();
        let sizes = counts.entry((words[0].into(), words[1].into())).or_default();
        sizes.counts.push(counted.part(at + 1));
        sizes.bytes = words[2].parse().unwrap();
    }
    assert!(counts.values().all(|sizes| sizes.counts.len() == 3 && sizes.counts[0] > 0), "{counts:?}");
    for ((step, family), sizes) in &counts {
        println!("{workload}\t{step}\t{family}\t{:?}", sizes.counts);
    }
    counts
}

/// Whether counts at n, 2n and 4n grow too fast.
fn is_too_fast(step: &str, counts: &[u64]) -> bool {
    let most = if ["parse", "filter", "verdict"].contains(&step) { DOUBLE } else { SORTED };
    counts.windows(2).any(|pair| pair[1] > NOTHING && 10 * pair[1] > most * pair[0].max(NOTHING / 2))
}

/// Whether a step costs more than its bytes and `extra` allow.
fn is_too_much(step: &str, family: &str, sizes: &Sizes, extra: u64) -> bool {
    let is_of_values = step == "filter all" && family.contains(WITH_VALUES);
    let listed = A_BYTE.iter().find(|entry| entry.0 == step).unwrap().1;
    let a_byte = if is_of_values { A_BYTE_OF_VALUES } else { listed };
    sizes.counts[2] > a_byte * sizes.bytes + extra + NOTHING
}

/// The counts that `is_wrong` finds.
#[track_caller]
fn none_is(workload: &str, is_wrong: impl Fn(&str, &str, &Sizes) -> bool) {
    let wrong = counts(workload).into_iter().filter(|((step, name), sizes)| is_wrong(step, name, sizes));
    let shown: Vec<String> = wrong.map(|((step, name), sizes)| format!("{step} of {name}: {sizes:?}")).collect();
    assert_eq!(shown, [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn cost_grows_in_proportion() {
    none_is("files", |step, name, sizes| is_too_fast(step, &sizes.counts) || is_too_much(step, name, sizes, 0));
}

/// Up to half a million lines and fifty thousand agents or records. [bounds.time] [bounds.parse] [bounds.filter]
/// [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn cost_grows_in_proportion_to_lines_and_records() {
    none_is("many", |step, _, sizes| is_too_fast(step, &sizes.counts));
}

/// A thousand rules of ten stars against a URL of 100 kB: [bounds.verdict] [bounds.time]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn a_verdict_grows_with_its_url() {
    none_is("urls", |step, name, sizes| {
        let most = if name.ends_with("costly literals") { OF_FIFTY } else { OF_A_THOUSAND };
        is_too_fast(step, &sizes.counts) || sizes.counts[2] > most
    });
}

/// The most expensive file within `max_bytes`: [bounds.verdict] [bounds.time] [limit.counts]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn a_verdict_of_a_file_is_bounded() {
    none_is("a file", |step, _, sizes| is_too_fast(step, &sizes.counts) || sizes.counts[2] > OF_A_FILE);
}

/// Patterns that consist of stars and letters: [bounds.verdict]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn a_verdict_grows_with_its_pattern() {
    none_is("patterns", |step, _, sizes| is_too_fast(step, &sizes.counts));
}

/// The portable form compares pairs of rules, up to a maximum number. If there are none to compare, its cost grows as
/// that of the faithful form. [bounds.portable] [portable.work]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn comparing_rules_is_bounded() {
    none_is("portable", |step, name, sizes| is_over_work(step, name, sizes, TextForm::MAX_FUEL, PAIR));
}

/// A `Diff` searches for URLs, up to a maximum number of steps. [bounds.diff] [diff.work]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless it is optimised: --release")]
fn looking_for_flips_is_bounded() {
    none_is("diff", |step, name, sizes| is_over_work(step, name, sizes, Diff::MAX_FUEL, STEP));
}

/// Whether a count exceeds the cost of this many pairs and of the bytes, or grows too fast although little is compared.
fn is_over_work(step: &str, name: &str, sizes: &Sizes, pairs: usize, a_pair: u64) -> bool {
    let is_compared = COMPARED.contains(&name) || step == "diff" && SEARCHED.contains(&name);
    let extra = if is_compared { a_pair * u64::try_from(pairs).unwrap() } else { 0 };
    is_too_much(step, name, sizes, extra) || !is_compared && is_too_fast(step, &sizes.counts)
}
