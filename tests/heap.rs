//! What hostile files cost in memory: the most octets that are held at once, as an allocator counts them.
//!
//! Invariant: the bounds are those of SPEC.md, under the names of their clauses; a step is charged with what it makes and
//! with all that it needs on the way, and not with what it is given. A buffer that moves is held twice.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod families;

use allocation_counter::measure;
use families::{ALL, LONG, URLS, rules_of_ten_stars};
use robosieve::{
    Agents, Dialect, FindingKind, Form, Interest, Limits, Options, Parser, Report, Sieve, Tester, filter_all,
    filter_for, write,
};

/// What each step may hold for each octet of the file, besides [`BESIDES`].
const PARSE: usize = 40;
const FILTER: usize = 20;
const TEXT: usize = 24;
const PORTABLE: usize = 48;
const COMPILE: usize = 40;
/// What a verdict may hold for each octet of the URL.
const VERDICT: usize = 6;
/// Reports, and buffers that are never empty.
const BESIDES: usize = 8 << 10;
/// With the default limits parsing holds no more, whatever the file, and no other step more than a third of it.
const BY_DEFAULT: usize = 6 << 20;

/// The octets of a family's file: with all its lines within the default limit on octets.
const SIZE: usize = 500_000;

fn interest() -> Interest {
    Interest { agents: Agents::new(["MyBot", "Other"]), fallback: true }
}

/// The most octets that a step holds at once, and what it makes.
fn held<T>(step: impl FnOnce() -> T) -> (usize, T) {
    let mut made = None;
    let counted = measure(|| made = Some(step()));
    (usize::try_from(counted.bytes_max).unwrap(), made.unwrap())
}

/// Each step with the octets that it held, and its bound for each octet of the file.
fn steps(options: &Options, file: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let parser = Parser::new(options.clone());
    let (parsed, set) = held(|| parser.parse(file));
    let (filtered, few) = held(|| filter_for(&set, &interest()).unwrap().0);
    let (all_filtered, all) = held(|| filter_all(&set).unwrap());
    let text = |set, form| held(|| write(set, form, &mut Report::default())).0;
    let (compiled, _) = held(|| Tester::new(&set, &interest()));
    vec![
        ("parse", parsed, PARSE),
        ("filter", filtered, FILTER),
        ("filter all", all_filtered, FILTER),
        ("text", text(&few, Form::Faithful), TEXT),
        ("text of all", text(&all, Form::Faithful), TEXT),
        ("portable text", text(&few, Form::Portable), PORTABLE),
        ("compile", compiled, COMPILE),
    ]
}

#[track_caller]
fn within_bounds(options: &Options, size: usize, most: usize) {
    for family in ALL {
        let file = (family.file)(size);
        for (step, held, bound) in steps(options, &file) {
            println!("{step}\t{}\t{held}\t{}", family.name, held / file.len());
            assert!(held <= bound * file.len() + BESIDES, "{step} of {} octets of {}: {held}", file.len(), family.name);
            let most = if step == "parse" { most } else { most / 3 };
            assert!(held <= most, "{step} of {}: {held} octets, with limits", family.name);
        }
    }
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
#[test]
fn memory_is_bounded_by_the_limits() {
    within_bounds(&Options::default(), SIZE, BY_DEFAULT);
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
#[test]
fn memory_grows_in_proportion_without_limits() {
    let unlimited = Options { limits: Limits::NONE, ..Options::default() };
    within_bounds(&unlimited, SIZE / 5, usize::MAX);
    within_bounds(&unlimited, SIZE, usize::MAX);
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
#[test]
fn memory_grows_in_proportion_in_googles_dialect() {
    within_bounds(&Dialect::Google.options(), SIZE, usize::MAX);
}

/// Ten times the limit on octets costs what that costs: [bounds.memory] [limit.bytes]
#[test]
fn what_is_not_read_costs_nothing() {
    let file = b"User-agent: *\nDisallow: /a\n".repeat(200_000);
    let (front, rest) = file.split_at(Limits::DEFAULT.max_bytes);
    let sieve = |file: &[u8]| held(|| Sieve::new(["MyBot"]).run(file).unwrap().report().total()).0;
    assert_eq!(sieve(&file), sieve(&[front, &rest[..40]].concat()));
}

/// [bounds.verdict]
#[test]
fn a_verdict_holds_its_url() {
    let file = rules_of_ten_stars(100, LONG);
    let set = Parser::default().parse(&file);
    let tester = Tester::new(&set, &interest());
    for family in URLS {
        let url = (family.file)(100_000);
        let (held, _) = held(|| tester.is_allowed(&url));
        assert!(held <= VERDICT * url.len() + BESIDES, "{}: {held}", family.name);
    }
    // A path that is normal already is used as it is.
    let (held, _) = held(|| tester.is_allowed(b"/a/b/c.html?d=e"));
    assert_eq!(held, 0);
}

/// Files at the sizes that people ask about: [bounds.memory] [limit.user-agents] [limit.records]
#[test]
fn large_files_are_sieved_within_the_same_memory() {
    let unlimited = Options { limits: Limits { max_bytes: usize::MAX, ..Limits::DEFAULT }, ..Options::default() };
    let shared: String = (0..100).map(|n| format!("Disallow: /{n}\n")).collect();
    let agents: String = (0..100_000).map(|n| format!("User-agent: bot-{n}\n")).collect();
    let files = [
        ("100,000 agents share 100 rules", agents + &shared),
        ("100,000 records of everyone", (0..100_000).map(|n| format!("User-agent: *\nDisallow: /{n}\n")).collect()),
        ("a million lines", "User-agent: *\n".to_owned() + &"Disallow: /\n".repeat(1_000_000)),
        ("10 MB on one line", format!("User-agent: *\nDisallow: /{}\nDisallow: /b\n", "a".repeat(10_000_000))),
    ];
    for (name, file) in &files {
        let sieve = Sieve::new(["MyBot", "bot-99999"]).options(unlimited.clone());
        let (few, _) = held(|| sieve.run(file.as_bytes()).unwrap().report().total());
        let (all, _) =
            held(|| Sieve::all_agents().options(unlimited.clone()).run(file.as_bytes()).unwrap().report().total());
        println!("{name}\t{few}\t{all}");
        assert!(few <= BY_DEFAULT && all <= BY_DEFAULT, "{name}: {few}, {all}");
    }
}

/// [report.bounded] [bounds.report]
#[test]
fn a_million_findings_are_reported_in_the_space_of_a_hundred() {
    let lines = "User-agent: *\n".to_owned() + &"x\n".repeat(1_000_000);
    let options = Options { limits: Limits::NONE, ..Options::default() };
    let parser = Parser::new(options);
    let (all, set) = held(|| parser.parse(lines.as_bytes()));
    assert!(all <= BESIDES, "{all} octets for a million findings");
    let (copied, report) = held(|| set.report());
    assert_eq!((report.count(FindingKind::NotAField), report.details().len()), (1_000_000, Report::DEFAULT_DETAILS));
    assert!(copied <= BESIDES, "{copied} octets for a copy");
    // The same where a limit loses a million rules, of ours and of the file.
    for (rule, kind) in [("Disallow: /\n", FindingKind::TooManyLines), ("User-agent: *\n", FindingKind::TooManyAgents)]
    {
        let lines = "User-agent: *\nDisallow: /a\n".to_owned() + &rule.repeat(1_000_000);
        let limits = Limits { max_lines: 1, max_user_agents: 1, ..Limits::NONE };
        let sieve = Sieve::new(["MyBot"]).limits(limits);
        let (held, report) = held(|| sieve.run(lines.as_bytes()).unwrap().report().clone());
        assert!(report.count(kind) >= 999_999, "{report:?}");
        assert!(held <= 2 * BESIDES, "{held} octets for a million losses");
    }
}
