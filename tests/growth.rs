//! The time cost of hostile files: instructions under valgrind, so that the same input always has the same cost.
//!
//! Invariant: no clock is read. Each step runs on n, 2n and 4n bytes of each family. Valgrind runs the first test of
//! the file; the other tests start it and read the counts. If valgrind is missing, they print that and pass, or fail,
//! as `tests/callgrind` decides.
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
use families::settings::{LIMITED, Setting, UNLIMITED, named};
use families::{ALL, BY_COUNT, COSTLY, Family, LONG, PATTERNS, SHORT, URLS, rules_of_ten_stars};
use robosieve::agent::Interest;
use robosieve::diff::Diff;
use robosieve::policy::{Parser, RecordSet, filter_all, filter_for};
use robosieve::settings::{Limits, Options};
use robosieve::text::{CanonicalText, TextForm};
use robosieve::{Sieve, Tester};

/// The workloads that are also counted in code that is not optimised.
const IN_ANY_BUILD: &[&str] = &["unlimited", "urls"];

/// The environment variable that selects the workload to run.
const WORKLOAD: &str = "ROBOSIEVE_GROWTH";

/// The smallest size. A debug build takes several times the instructions of a release build.
const SIZE: usize = if cfg!(debug_assertions) { 4_000 } else { 50_000 };
/// The smallest size for settings that are similar to others.
const SMALL: usize = SIZE / 20;

/// The allowed factor of instructions for twice the bytes: 2, and a bit more because buffers grow by doubling.
const DOUBLE: f64 = 2.4;
/// The same for steps that sort: 2 log 2n / log n, and a bit more for the common prefixes of the patterns that are
/// compared.
const SORTED: f64 = 2.6;
/// Fewer instructions than this are not counted as growth. They contain the first load of a function, and the
/// allocator's cleanup after other families. That cleanup weighs more if the smallest size is small.
const NOTHING: u64 = 200_000;
/// The maximum number of instructions of optimised code for each byte.
const A_BYTE: &[(&str, u64)] = &[
    ("parse", 600),
    ("filter", 50),
    ("filter all", 130),
    ("text", 600),
    ("text of all", 600),
    ("portable text", 600),
    ("compile", 220),
    ("verdict", 5),
    ("front door", 1200),
    ("front door, all agents", 1200),
    ("diff", 2200),
];
/// The same if agents of a run have separate values, so a text for all agents must split their groups.
const A_BYTE_OF_VALUES: &[(&str, u64)] = &[("filter all", 450)];
/// The text that the names of these families contain.
const WITH_VALUES: &str = "with a value each";
/// The same if lines with a name of one letter are kept.
const A_BYTE_OF_SHORT_NAMES: &[(&str, u64)] = &[("front door", 1400), ("front door, all agents", 1400)];
/// The maximum cost of a pair of rules that the portable form compares, and of a step of the search of a `Diff`.
/// Optimised code only.
const PAIR: u64 = 250;
const STEP: u64 = 80;

fn interest() -> Interest {
    Interest::new(["MyBot", "Other"])
}

/// Instructions for a URL of 100 kB, with a thousand rules of ten stars, and with fifty of the most expensive ones.
/// Optimised code only.
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

// The counted functions: each call is a separate part of valgrind's counts.

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
    // A set that widening refuses is replaced by an empty one.
    black_box(filter_all(black_box(set)).unwrap_or_default())
}

#[inline(never)]
fn counted_sieve(sieve: &Sieve, input: &[u8]) -> usize {
    black_box(sieve.run(black_box(input)).map_or(0, |sieved| sieved.text().as_str().len()))
}

#[inline(never)]
fn counted_diff(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Diff {
    black_box(Diff::of(black_box(old), black_box(new)))
}

#[inline(never)]
fn counted_text(set: &RecordSet<'_>, form: TextForm) -> CanonicalText {
    black_box(black_box(set).to_text(form)).0
}

#[inline(never)]
fn counted_compile<'a>(set: &RecordSet<'a>, interest: &Interest) -> Tester<'a> {
    black_box(Tester::new(black_box(set), interest).with_index())
}

#[inline(never)]
fn counted_verdict(tester: &Tester<'_>, url: &[u8]) -> bool {
    black_box(tester.is_allowed(black_box(url)))
}

/// The separator between the names of a family and of a setting.
const UNDER: &str = " | ";

/// Prints the name of the next count.
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
    counted_text(&few, TextForm::Faithful);
    announce("text of all", name, size);
    counted_text(&all, TextForm::Faithful);
    announce("compile", name, size);
    let tester = counted_compile(&set, &interest());
    announce("verdict", name, size);
    counted_verdict(&tester, b"/aaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaa/index.html?a*a");
}

/// The other entry points to the same steps.
fn run_doors(options: &Options, name: &str, input: &[u8], size: usize) {
    announce("front door", name, size);
    counted_sieve(&Sieve::new(["MyBot", "Other"]).options(options.clone()), input);
    announce("front door, all agents", name, size);
    counted_sieve(&Sieve::all_agents().options(options.clone()), input);
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
        "many" => many(),
        "portable" => portable(),
        "diff" => diff(),
        "other limits" => LIMITED.iter().for_each(small_files),
        "others" => UNLIMITED.iter().for_each(small_files),
        setting => files(&(named(setting).unwrap().options)()),
    }
}

fn sizes(least: usize) -> [usize; 3] {
    [least, 2 * least, 4 * least]
}

fn files(options: &Options) {
    for family in ALL {
        for size in sizes(SIZE) {
            run_steps(options, family.name, &(family.file)(size), size);
        }
    }
}

/// Files under a setting that is similar to others. Uses only the entry points that run several steps, because each
/// count takes time.
fn small_files(setting: &Setting) {
    let options = (setting.options)();
    for family in ALL {
        let name = format!("{}{UNDER}{}", family.name, setting.name);
        for size in sizes(SMALL) {
            run_doors(&options, &name, &(family.file)(size), size);
        }
    }
}

/// The largest numbers of lines, agents and records that users have asked about.
fn many() {
    let options = (named("unlimited").unwrap().options)();
    for (family, most) in BY_COUNT {
        for count in sizes(most / 4) {
            run_steps(&options, family.name, &(family.file)(count), count);
        }
    }
}

fn unlimited_tester(file: &[u8]) -> Tester<'_> {
    let options = (named("unlimited").unwrap().options)();
    Tester::new(&Parser::new(options).parse(file), &interest())
}

fn ask(tester: &Tester<'_>, url: &Family, of: &str, size: usize) {
    let bytes = (url.file)(size);
    announce("verdict", &format!("{}, {of}", url.name), size);
    counted_verdict(tester, &bytes);
}

/// Rules of 10 stars and 2,000 bytes against URLs of up to 100 kB: a thousand of them, and fifty of the most
/// expensive ones. Also a growing number of expensive rules against shorter URLs.
fn urls() {
    let (few, many, length) = if cfg!(debug_assertions) { (2, 10, 3_000) } else { (50, 1_000, 25_000) };
    for (count, first, shown) in
        [(many, LONG, "long literals"), (many, SHORT, "short literals"), (few, COSTLY, "costly literals")]
    {
        let file = rules_of_ten_stars(count, first);
        let tester = unlimited_tester(&file);
        for url in URLS {
            for size in sizes(length) {
                ask(&tester, url, shown, size);
            }
        }
    }
    for count in sizes(few) {
        let file = rules_of_ten_stars(count, COSTLY);
        let tester = unlimited_tester(&file);
        for url in URLS {
            let bytes = (url.file)(length / 4);
            announce("verdict", &format!("{}, more rules of costly literals", url.name), count);
            counted_verdict(&tester, &bytes);
        }
    }
}

/// Literals that occur almost, but not completely, at many places of a URL made of the given part. Their rarest byte
/// occurs rarely in the URL, at every eighth place, or at every second place. The last literal occurs everywhere.
const COSTLY_LITERALS: &[(&str, &[u8], &[u8])] = &[
    ("a rare byte", b"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzze", b"z"),
    ("each eighth byte", b"zzzzzzzezzzzzzzezzzzzzzezzzzzze", b"zzzzzzze"),
    ("each second byte", b"zzzzeeeezzzzeeeezzzzeeeezzzzeze", b"zzzzeeee"),
    ("everywhere", b"z", b"z"),
];

/// As many rules as `max_bytes` allows, each with a literal that is expensive to search for.
fn a_file() {
    for (name, literal, part) in COSTLY_LITERALS {
        let mut file = b"User-agent: *\n".to_vec();
        let mut count = 0_usize;
        while file.len() < Limits::DEFAULT.max_bytes - 60 {
            file.extend([&b"Disallow:/*"[..], literal, format!("*{count}x\n").as_bytes()].concat());
            count += 1;
        }
        let tester = robosieve::tester(&file, ["MyBot"]);
        for size in sizes(500) {
            let url = [&b"/e0123456789ex"[..], &part.repeat(size / part.len())].concat();
            announce("verdict", name, size);
            counted_verdict(&tester, &url);
        }
    }
}

/// Patterns of stars against URLs that grow, and against URLs that grow together with the pattern.
fn patterns() {
    let length = 25_000;
    for pattern in PATTERNS {
        let file = (pattern.file)(2_000);
        let tester = unlimited_tester(&file);
        for url in URLS {
            for size in sizes(length) {
                ask(&tester, url, pattern.name, size);
            }
        }
        for url in URLS {
            for size in sizes(length) {
                let file = (pattern.file)(size);
                ask(&unlimited_tester(&file), url, &format!("{} as long", pattern.name), size);
            }
        }
    }
}

/// The portable text of all files, and of longer files with much to compare.
fn portable() {
    let run = |family: &Family, setting: &str, least: usize| {
        for size in sizes(least) {
            let file = (family.file)(size);
            let set = Parser::new((named(setting).unwrap().options)()).parse(&file);
            let few = filter_for(&set, &interest()).unwrap().0;
            announce("portable text", &format!("{}{UNDER}{setting}", family.name), size);
            counted_text(&few, TextForm::Portable);
        }
    };
    for family in ALL.iter().filter(|family| COMPARED.contains(&family.name)) {
        run(family, "default", 50_000);
        run(family, "google", 100_000);
    }
    for family in ALL {
        run(family, "unlimited", 12_500);
    }
}

/// The changes from a small file to each file.
fn diff() {
    let run = |family: &Family, least: usize| {
        for size in sizes(least) {
            let file = (family.file)(size);
            let parser = Parser::new((named("unlimited").unwrap().options)());
            let filtered = |file| filter_for(&parser.parse(file), &interest()).unwrap().0;
            // The rules of the last family are contained in its first rule.
            let (old, new) = (filtered(b"User-agent: *\nDisallow: /\nAllow: /q\n"), filtered(&file));
            announce("diff", family.name, size);
            counted_diff(&old, &new);
        }
    };
    for family in ALL {
        run(family, 12_500);
    }
    run(&Family { name: RULES_NEARLY_FOUND, file: nearly_found }, 50_000);
}

/// Rules that forbid nothing new. The search for each of them must go through the URLs of all others.
fn nearly_found(n: usize) -> Vec<u8> {
    let rule = |number: usize| {
        [&b"Disallow: /*"[..], COSTLY, b"*", &b"z".repeat(1_000), format!("*{number:04}\n").as_bytes()].concat()
    };
    let rules: Vec<u8> = (0..n.div_ceil(1_052)).flat_map(rule).collect();
    [&b"User-agent: *\nDisallow: /\n"[..], &rules].concat()
}

/// Instructions by step and family, at the three sizes.
type Counts = BTreeMap<(String, String), Sizes>;

#[derive(Debug, Default)]
struct Sizes {
    counts: Vec<u64>,
    /// The bytes of the last file.
    bytes: u64,
}

/// Runs the workload under valgrind, which writes its counts after each counted function.
fn counts(workload: &str) -> Option<Counts> {
    if cfg!(debug_assertions) && !IN_ANY_BUILD.contains(&workload) {
        println!("left out: run with --release, valgrind is slow");
        return None;
    }
    let (counted, shown) = Counted::run("growth", (WORKLOAD, workload))?;
    let mut counts = Counts::new();
    for (at, line) in shown.lines().filter_map(|line| line.strip_prefix("count\t")).enumerate() {
        let words: Vec<&str> = line.split('\t').collect();
        let sizes = counts.entry((words[0].into(), words[1].into())).or_default();
        sizes.counts.push(counted.part(at + 1));
        sizes.bytes = words[2].parse().unwrap();
    }
    assert!(counts.values().all(|sizes| sizes.counts.len() == 3 && sizes.counts[0] > 0), "{counts:?}");
    Some(counts)
}

#[allow(clippy::cast_precision_loss)]
fn ratio(more: u64, less: u64) -> f64 {
    more as f64 / less as f64
}

/// The allowed factor of instructions for twice the bytes.
fn most_for_double(step: &str) -> f64 {
    let is_read_once = ["parse", "record by record", "filter", "verdict"].contains(&step);
    if is_read_once { DOUBLE } else { SORTED }
}

/// Whether counts at n, 2n and 4n grow too fast.
fn is_too_fast(step: &str, counts: &[u64]) -> bool {
    let grows = |pair: &[u64]| pair[1] > NOTHING && ratio(pair[1], pair[0].max(NOTHING / 2)) > most_for_double(step);
    counts.windows(2).any(grows)
}

/// The counts that grow too fast. For files also those that are too many for their bytes.
fn too_fast(workload: &str, are_files: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for ((step, family), sizes) in counts(workload).unwrap_or_default() {
        let counts = &sizes.counts;
        println!("{workload}\t{step}\t{family}\t{counts:?}");
        if is_too_fast(&step, counts) {
            wrong.push(format!("{step} of {family}: {counts:?}"));
        }
        if are_files && is_too_much(&step, &family, &sizes, 0) {
            wrong.push(format!("{step} of {family}, too many for each byte: {counts:?}"));
        }
    }
    wrong
}

/// Whether a step costs more than its bytes and `besides` allow. Optimised code only.
fn is_too_much(step: &str, family: &str, sizes: &Sizes, besides: u64) -> bool {
    let setting = family.split_once(UNDER).and_then(|(_, setting)| named(setting));
    let of_short_names = A_BYTE_OF_SHORT_NAMES.iter().filter(|_| setting.is_some_and(|it| it.keeps_short_names));
    let of_values = A_BYTE_OF_VALUES.iter().filter(|_| family.contains(WITH_VALUES));
    let a_byte = of_short_names.chain(of_values).chain(A_BYTE).find(|entry| entry.0 == step).unwrap().1;
    !cfg!(debug_assertions) && sizes.counts[2] > a_byte * sizes.bytes + besides + NOTHING
}

/// With the default limits: [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_within_limits() {
    assert_eq!(too_fast("default", true), [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_without_limits() {
    assert_eq!(too_fast("unlimited", true), [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_in_googles_dialect() {
    assert_eq!(too_fast("google", true), [""; 0]);
}

/// [bounds.time] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_in_every_other_setting() {
    assert_eq!(too_fast("others", true), [""; 0]);
    assert_eq!(too_fast("other limits", true), [""; 0]);
}

/// Up to a million lines and a hundred thousand agents or records. [bounds.time] [bounds.parse] [bounds.filter]
/// [bounds.text] [bounds.compile] [bounds.verdict]
#[test]
fn cost_grows_in_proportion_to_lines_and_records() {
    assert_eq!(too_fast("many", false), [""; 0]);
}

/// A thousand rules of ten stars against a URL of 100 kB: [bounds.verdict] [bounds.time]
#[test]
fn a_verdict_grows_with_its_url() {
    let mut wrong = Vec::new();
    for ((step, name), sizes) in counts("urls").unwrap_or_default() {
        println!("urls\t{name}\t{:?}", sizes.counts);
        let most = if name.ends_with("costly literals") { OF_FIFTY } else { OF_A_THOUSAND };
        if is_too_fast(&step, &sizes.counts) || !cfg!(debug_assertions) && sizes.counts[2] > most {
            wrong.push(format!("{name}: {:?}", sizes.counts));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The most expensive file within `max_bytes`: [bounds.verdict] [bounds.time] [limit.counts]
#[test]
fn a_verdict_of_a_file_is_bounded() {
    for ((step, name), sizes) in counts("a file").unwrap_or_default() {
        println!("a file\t{name}\t{:?}", sizes.counts);
        assert!(!is_too_fast(&step, &sizes.counts) && sizes.counts[2] <= OF_A_FILE, "{name}: {:?}", sizes.counts);
    }
}

/// SPEC.md contains the numbers that are checked here. [bounds.time] [diff.work] [portable.work]
#[test]
fn the_specification_has_these_numbers() {
    let spec = include_str!("../SPEC.md").replace('\n', " ");
    let a_byte = |step: &str| A_BYTE.iter().find(|entry| entry.0 == step).unwrap().1;
    let of_short_names = A_BYTE_OF_SHORT_NAMES.iter().map(|entry| entry.1).max().unwrap();
    let said = [
        format!("at most {DOUBLE} times the instructions, {SORTED} times if"),
        format!("{} instructions a byte to parse (a list in one value; others half of that)", a_byte("parse")),
        format!("{} instructions at most ([bounds.time])", a_byte("parse")),
        format!(
            "{} to filter, {} for all agents, {} to write, {} to compile",
            a_byte("filter"),
            a_byte("filter all"),
            a_byte("text"),
            a_byte("compile")
        ),
        format!("`Sieve::run` takes at most {} instructions", with_commas(a_byte("front door"))),
        format!("and {} if lines", with_commas(of_short_names)),
        format!("{} million instructions, the most expensive fifty", OF_A_THOUSAND / 1_000_000),
        format!("such rules in {} million;", OF_FIFTY / 1_000_000),
        format!("take {} million", with_commas(20 * OF_FIFTY / 1_000_000 / 1_000 * 1_000)),
        format!("answers a URL of 2,000 bytes in {} million", OF_A_FILE / 1_000_000),
        format!("up to {} ([portable.work])", with_commas(u64::try_from(CanonicalText::MAX_WORK).unwrap())),
        format!("up to {} ([diff.work])", with_commas(u64::try_from(Diff::MAX_WORK).unwrap())),
        format!("{} for each rule", with_commas(u64::try_from(Diff::MAX_WORK_OF_A_RULE).unwrap())),
        format!("A step takes {STEP} instructions"),
    ];
    for said in said {
        assert!(spec.contains(&said), "SPEC.md does not say: {said}");
    }
    if !cfg!(debug_assertions) {
        assert!(spec.contains(&format!("n being {}", with_commas(u64::try_from(SIZE).unwrap()))));
        assert!(spec.contains(&format!("From {} bytes on", with_commas(u64::try_from(SMALL).unwrap()))));
    }
}

fn with_commas(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", with_commas(number / 1_000), number % 1_000) }
}

/// Patterns that consist of stars and letters: [bounds.verdict]
#[test]
fn a_verdict_grows_with_its_pattern() {
    assert_eq!(too_fast("patterns", false), [""; 0]);
}

/// The portable form compares pairs of rules, up to a maximum number. If there are none to compare, its cost grows as
/// that of the faithful form. [bounds.portable] [portable.work]
#[test]
fn comparing_rules_is_bounded() {
    assert_eq!(over_work("portable", CanonicalText::MAX_WORK, PAIR), [""; 0]);
}

/// A `Diff` searches for URLs, up to a maximum number of steps. [bounds.diff] [diff.work]
#[test]
fn looking_for_flips_is_bounded() {
    assert_eq!(over_work("diff", Diff::MAX_WORK, STEP), [""; 0]);
}

/// The counts that exceed the cost of this many pairs and of the bytes, or that grow too fast although little is
/// compared.
fn over_work(workload: &str, pairs: usize, a_pair: u64) -> Vec<String> {
    let pairs = u64::try_from(pairs).unwrap();
    let mut wrong = Vec::new();
    for ((step, name), sizes) in counts(workload).unwrap_or_default() {
        println!("{workload}\t{name}\t{:?}", sizes.counts);
        let family = name.split_once(UNDER).map_or(&*name, |(family, _)| family);
        let is_compared = COMPARED.contains(&family) || step == "diff" && SEARCHED.contains(&family);
        let besides = if is_compared { a_pair * pairs } else { 0 };
        if is_too_much(&step, &name, &sizes, besides) || !is_compared && is_too_fast(&step, &sizes.counts) {
            wrong.push(format!("{step} of {name}: {:?}", sizes.counts));
        }
    }
    wrong
}
