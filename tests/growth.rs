//! What hostile files cost in time: instructions under valgrind, so that the same input always costs the same.
//!
//! Invariant: no clock is read. Each step runs on n, 2n and 4n octets of each family; the first test of the file is what
//! valgrind runs, the others run it and read the counts. They say so and pass where valgrind is missing.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod callgrind;
mod families;

use std::collections::BTreeMap;
use std::hint::black_box;

use callgrind::Counted;
use families::{ALL, LONG, URLS, rules_of_ten_stars};
use robosieve::{
    Agents, CanonicalText, Dialect, Form, Interest, Limits, Options, Parser, RecordSet, Report, Tester, filter_all,
    filter_for, write,
};

/// The settings that are counted in code that is not optimised too.
const IN_ANY_BUILD: &[&str] = &["unlimited", "urls"];

/// Which of the settings the workload is to run.
const SETTING: &str = "ROBOSIEVE_GROWTH";

/// The least size: optimised code takes some tenth of the instructions that other code takes.
const SIZE: usize = if cfg!(debug_assertions) { 1_000 } else { 50_000 };

/// Twice the octets may cost so many times the instructions: 2, and some more since buffers grow by doubling.
const DOUBLE: f64 = 2.4;
/// The same where things are sorted: 2 log 2n / log n, and what the patterns that are compared have in common.
const SORTED: f64 = 2.6;
/// Fewer instructions than these for each octet of the least size are none: loading a function for the first time is among them,
/// and the allocator's tidying up behind other families, which weighs more where the least size is small.
const NOTHING: u64 = if cfg!(debug_assertions) { 200 } else { 4 };
/// Instructions of optimised code for each octet, at most.
const AN_OCTET: &[(&str, u64)] = &[
    ("parse", 600),
    ("filter", 50),
    ("filter all", 130),
    ("text", 600),
    ("text of all", 600),
    ("compile", 160),
    ("verdict", 5),
];
/// What a pair of rules that the portable form compares may cost. Optimised code only.
const PAIR: u64 = 250;

fn interest() -> Interest {
    Interest { agents: Agents::new(["MyBot", "Other"]), fallback: true }
}

/// Families that have many rules, of many stars, or that lie within one another.
const HARD_TO_MINIMISE: &[&str] = &[
    "rules of 10 stars and 2000 octets",
    "rules without end",
    "paths below paths",
    "paths that differ at their end",
    "allowed and disallowed in turn",
    "a star for each rule",
    "index pages",
];

// What is counted: each call is a part of valgrind's counts.

#[inline(never)]
fn counted_parse<'a>(parser: &Parser, input: &'a [u8]) -> RecordSet<'a> {
    black_box(parser.parse(black_box(input)))
}

#[inline(never)]
fn counted_filter<'a>(set: &RecordSet<'a>, interest: &Interest) -> RecordSet<'a> {
    black_box(filter_for(black_box(set), interest).unwrap().0)
}

#[inline(never)]
fn counted_filter_all<'a>(set: &RecordSet<'a>) -> RecordSet<'a> {
    black_box(filter_all(black_box(set)).unwrap())
}

#[inline(never)]
fn counted_text(set: &RecordSet<'_>, form: Form) -> CanonicalText {
    black_box(write(black_box(set), form, &mut Report::default()))
}

#[inline(never)]
fn counted_compile<'a>(set: &RecordSet<'a>, interest: &Interest) -> Tester<'a> {
    black_box(Tester::new(black_box(set), interest))
}

#[inline(never)]
fn counted_verdict(tester: &Tester<'_>, url: &[u8]) -> bool {
    black_box(tester.is_allowed(black_box(url)))
}

fn options_of(setting: &str) -> Options {
    match setting {
        "default" => Options::default(),
        "unlimited" => Options { limits: Limits::NONE, ..Options::default() },
        "google" => Dialect::Google.options(),
        other => panic!("{other:?} is no setting"),
    }
}

/// Names the next count.
fn announce(step: &str, of: &str, size: usize) {
    println!("\ncount\t{step}\t{of}\t{size}");
}

fn run_steps(options: &Options, name: &str, input: &[u8], size: usize) {
    let parser = Parser::new(options.clone());
    announce("parse", name, size);
    let set = counted_parse(&parser, input);
    announce("filter", name, size);
    let few = counted_filter(&set, &interest());
    announce("filter all", name, size);
    let all = counted_filter_all(&set);
    announce("text", name, size);
    counted_text(&few, Form::Faithful);
    announce("text of all", name, size);
    counted_text(&all, Form::Faithful);
    announce("compile", name, size);
    let tester = counted_compile(&set, &interest());
    announce("verdict", name, size);
    counted_verdict(&tester, b"/aaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaa/index.html?a*a");
}

/// What the tests below have valgrind count. [bounds.time]
#[test]
#[ignore = "run by the other tests of this file"]
fn workload() {
    let Ok(setting) = std::env::var(SETTING) else { return };
    match setting.as_str() {
        "urls" => urls(),
        "portable" => portable(),
        _ => files(&options_of(&setting)),
    }
}

fn files(options: &Options) {
    for family in ALL {
        for size in [SIZE, 2 * SIZE, 4 * SIZE] {
            run_steps(options, family.name, &(family.file)(size), size);
        }
    }
}

/// Rules of 10 stars and 2,000 octets against URLs of up to 100 kB: a thousand of those that are searched for by long
/// literals, and fewer of the dearer others.
fn urls() {
    let (few, many, length) = if cfg!(debug_assertions) { (2, 10, 3_000) } else { (50, 1_000, 25_000) };
    for (count, first, shown) in [(many, LONG, "long literals"), (few, b"aaaaaaab", "short literals")] {
        let file = rules_of_ten_stars(count, first);
        let set = Parser::new(options_of("unlimited")).parse(&file);
        let tester = Tester::new(&set, &interest());
        for family in URLS {
            for size in [length, 2 * length, 4 * length] {
                let url = (family.file)(size);
                announce("verdict", &format!("{}, {shown}", family.name), size);
                counted_verdict(&tester, &url);
            }
        }
    }
}

/// The portable text of files that give it much to compare.
fn portable() {
    for (setting, sizes) in [("default", [50_000, 100_000, 200_000]), ("google", [100_000, 200_000, 400_000])] {
        for family in ALL.iter().filter(|family| HARD_TO_MINIMISE.contains(&family.name)) {
            for size in sizes {
                let file = (family.file)(size);
                let set = Parser::new(options_of(setting)).parse(&file);
                let few = filter_for(&set, &interest()).unwrap().0;
                announce("portable text", &format!("{}, {setting}", family.name), size);
                counted_text(&few, Form::Portable);
            }
        }
    }
}

/// Instructions by step and family, at the three sizes.
type Counts = BTreeMap<(String, String), Vec<u64>>;

/// Runs the workload under valgrind, which writes its counts whenever a counted function ends.
fn counts(setting: &str) -> Option<Counts> {
    if cfg!(debug_assertions) && !IN_ANY_BUILD.contains(&setting) {
        println!("left out: run with --release, valgrind is slow");
        return None;
    }
    let (counted, shown) = Counted::run("growth", (SETTING, setting))?;
    let mut counts = Counts::new();
    for (at, line) in shown.lines().filter_map(|line| line.strip_prefix("count\t")).enumerate() {
        let words: Vec<&str> = line.split('\t').collect();
        counts.entry((words[0].into(), words[1].into())).or_default().push(counted.part(at + 1));
    }
    assert!(counts.values().all(|sizes| sizes.len() == 3 && sizes[0] > 0), "{counts:?}");
    Some(counts)
}

#[allow(clippy::cast_precision_loss)]
fn ratio(more: u64, less: u64) -> f64 {
    more as f64 / less as f64
}

/// Counts that grow too fast.
fn too_fast(setting: &str) -> Vec<String> {
    let Some(counts) = counts(setting) else { return Vec::new() };
    let is_of_files = setting != "urls" && !cfg!(debug_assertions);
    let nothing = NOTHING * u64::try_from(SIZE).unwrap();
    let mut wrong = Vec::new();
    for ((step, family), counts) in counts {
        let is_sorted = !["parse", "filter", "verdict"].contains(&step.as_str());
        let most = if is_sorted { SORTED } else { DOUBLE };
        println!("{setting}\t{step}\t{family}\t{counts:?}");
        for pair in counts.windows(2) {
            if pair[1] > nothing && ratio(pair[1], pair[0].max(nothing / 2)) > most {
                wrong.push(format!("{step} of {family}: {counts:?}"));
            }
        }
        let an_octet = AN_OCTET.iter().find(|entry| entry.0 == step).unwrap().1;
        if is_of_files && counts[2] > an_octet * nothing / NOTHING * 4 {
            wrong.push(format!("{step} of {family}, more than {an_octet} an octet: {counts:?}"));
        }
    }
    wrong
}

/// With the default limits: [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_within_limits() {
    assert_eq!(too_fast("default"), [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_without_limits() {
    assert_eq!(too_fast("unlimited"), [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_in_googles_dialect() {
    assert_eq!(too_fast("google"), [""; 0]);
}

/// A thousand rules of ten stars against a URL of 100 kB: [bounds.verdict]
#[test]
fn a_verdict_grows_with_its_url() {
    assert_eq!(too_fast("urls"), [""; 0]);
}

/// The portable form compares pairs of rules, up to a number: [bounds.portable] [portable.work]
#[test]
fn comparing_rules_is_bounded() {
    for ((_, family), counts) in counts("portable").unwrap_or_default() {
        println!("portable\t{family}\t{counts:?}");
        for (count, times) in counts.iter().zip([1, 2, 4]) {
            let most = PAIR * u64::try_from(CanonicalText::MAX_WORK).unwrap() + 100_000_000 * times;
            assert!(*count <= most, "{family}: {counts:?}");
        }
    }
}
