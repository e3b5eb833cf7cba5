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
use families::settings::{LIMITED, Setting, UNLIMITED};
use families::{ALL, LONG, URLS, rules_of_ten_stars};
use robosieve::{
    Agents, Dialect, Diff, FindingKind, Form, Interest, Limits, Options, Parser, Report, Sieve, Tester, filter_all,
    filter_for, write,
};

/// What each step may hold for each octet of the file, besides [`BESIDES`].
struct Bounds {
    parse: usize,
    filter: usize,
    filter_all: usize,
    text: usize,
    portable: usize,
    compile: usize,
    diff: usize,
}

/// Of names that the dialects know, of which none is shorter than `allow`.
const BOUNDS: Bounds = Bounds { parse: 40, filter: 24, filter_all: 24, text: 24, portable: 72, compile: 40, diff: 72 };
/// Where lines of a name of one letter are kept.
const OF_SHORT_NAMES: Bounds = Bounds { parse: 80, filter: 32, filter_all: 80, text: 32, ..BOUNDS };
/// What a verdict may hold for each octet of the URL.
const VERDICT: usize = 7;
/// Reports, and buffers that are never empty.
const BESIDES: usize = 8 << 10;
/// With the default limits parsing holds no more, whatever the file, and no other step more than [`BY_DEFAULT_LATER`].
const BY_DEFAULT: usize = 6 << 20;
const BY_DEFAULT_LATER: usize = 2 << 20;
/// The same where lines of a name of one letter are kept.
const BY_DEFAULT_OF_SHORT_NAMES: usize = 24 << 20;

/// The least size. A buffer that doubles holds most right behind a power of two, so all of an octave is tried from here on.
const SIZE: usize = if cfg!(debug_assertions) { 4_000 } else { 20_000 };
/// Eight steps of an octave may miss that place by 9 %: so much more is held there.
const MISSED: usize = 9;

/// Sizes from one to twice as many octets; a few of them in code that is not optimised.
fn octave(from: usize) -> impl Iterator<Item = usize> {
    let steps = [1000, 1091, 1189, 1297, 1414, 1542, 1682, 1834, 2000].into_iter();
    steps.step_by(if cfg!(debug_assertions) { 4 } else { 1 }).map(move |thousandths| from * thousandths / 1000)
}

fn interest() -> Interest {
    Interest { agents: Agents::new(["MyBot", "Other"]), fallback: true }
}

/// The most octets that a step holds at once, and what it makes.
fn held<T>(step: impl FnOnce() -> T) -> (usize, T) {
    let mut made = None;
    let counted = measure(|| made = Some(step()));
    (usize::try_from(counted.bytes_max).unwrap(), made.unwrap())
}

/// The same file with other letters and digits behind its colons, so that its rules are others.
fn with_other_values(file: &[u8]) -> Vec<u8> {
    let mut in_value = false;
    let other = |&octet: &u8| {
        in_value = octet != b'\n' && (in_value || octet == b':');
        if in_value && octet.is_ascii_alphanumeric() { octet ^ 1 } else { octet }
    };
    file.iter().map(other).collect()
}

/// Each step with the octets that it held, and its bound for each octet of the file.
fn steps(setting: &Setting, file: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let bounds = if setting.keeps_short_names { &OF_SHORT_NAMES } else { &BOUNDS };
    let options = (setting.options)();
    let parser = Parser::new(options.clone());
    let directed = parser.clone().for_agents(interest());
    let (parsed, set) = held(|| parser.parse(file));
    // What widening refuses is as good as empty.
    let (filtered, few) = held(|| filter_for(&set, &interest()).map(|it| it.0).unwrap_or_default());
    let (all_filtered, all) = held(|| filter_all(&set).unwrap_or_default());
    let text = |set, form| held(|| write(set, form, &mut Report::default())).0;
    let (compiled, _) = held(|| Tester::new(&set, &interest()));
    let door = |sieve: Sieve| held(|| sieve.options(options.clone()).run(file).map(|it| it.report().total()).ok()).0;
    let mut steps = vec![
        ("parse", parsed, bounds.parse),
        ("directed parse", held(|| directed.parse(file)).0, bounds.parse),
        ("record by record", held(|| parser.records(file).count()).0, bounds.parse),
        ("filter", filtered, bounds.filter),
        ("filter all", all_filtered, bounds.filter_all),
        ("text", text(&few, Form::Faithful), bounds.text),
        ("text of all", text(&all, Form::Faithful), bounds.text),
        ("compile", compiled, bounds.compile),
        ("front door", door(Sieve::new(["MyBot", "Other"])), bounds.parse + bounds.filter),
        ("front door, all agents", door(Sieve::all_agents()), bounds.parse + bounds.filter_all),
    ];
    if IS_WRITTEN_PORTABLY.contains(&setting.name) {
        let other = with_other_values(file);
        let other = Parser::new(options.clone()).parse(&other);
        let (none, other) = (parser.parse(b""), filter_for(&other, &interest()).map(|it| it.0).unwrap_or_default());
        steps.extend([
            ("portable text", text(&few, Form::Portable), bounds.portable),
            ("diff", held(|| Diff::of(&none, &few)).0, bounds.diff),
            ("diff with others", held(|| Diff::of(&other, &few)).0, 2 * bounds.diff),
        ]);
    }
    steps
}

/// Settings under which rules are minimised and compared otherwise: that takes longest of all.
const IS_WRITTEN_PORTABLY: &[&str] = &["default", "unlimited", "google", "file order"];

/// Checks all families at these sizes. None of the steps may hold more than `most` octets, and none behind parsing more than
/// `most_later`.
#[track_caller]
fn within_bounds(setting: &Setting, sizes: &[usize], (most, most_later): (usize, usize)) {
    for family in ALL {
        for size in sizes {
            let file = (family.file)(*size);
            for (step, held, bound) in steps(setting, &file) {
                let shown = format!("{}: {step} of {} octets of {}: {held}", setting.name, file.len(), family.name);
                println!("{shown}, {} each", held / file.len());
                assert!(held * (100 + MISSED) / 100 <= bound * file.len() + BESIDES, "{shown}");
                let parses = ["parse", "directed parse", "record by record", "front door", "front door, all agents"];
                let most = match step {
                    _ if parses.contains(&step) => most,
                    _ if step.starts_with("diff") => most_later.saturating_mul(4),
                    _ => most_later,
                };
                assert!(held <= most, "{shown}, with limits");
            }
        }
    }
}

#[track_caller]
fn within_bounds_over_an_octave(with_short_names: bool) {
    let sizes: Vec<usize> = octave(SIZE).collect();
    for setting in UNLIMITED.iter().filter(|setting| setting.keeps_short_names == with_short_names) {
        within_bounds(setting, &sizes, (usize::MAX, usize::MAX));
    }
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
/// [bounds.diff]
#[test]
fn memory_is_bounded_by_the_limits() {
    // What is held at most grows with the file, so that the longest that is read will do.
    let sizes = if cfg!(debug_assertions) { &[50_000][..] } else { &[300_000, Limits::DEFAULT.max_bytes] };
    for setting in LIMITED {
        let most = if setting.keeps_short_names { BY_DEFAULT_OF_SHORT_NAMES } else { BY_DEFAULT };
        within_bounds(setting, sizes, (most, BY_DEFAULT_LATER));
    }
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
/// [bounds.diff]
#[test]
fn memory_grows_in_proportion_without_limits() {
    within_bounds_over_an_octave(false);
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.compile]
#[test]
fn memory_grows_in_proportion_where_short_names_are_kept() {
    within_bounds_over_an_octave(true);
}

/// SPEC.md has the numbers that are asserted here. [bounds.memory]
#[test]
fn the_specification_has_these_numbers() {
    let spec = include_str!("../SPEC.md").replace('\n', " ");
    let mib = |octets: usize| octets >> 20;
    let row = |clause: &str| {
        let row = spec.split("| **[bounds.").find(|row| row.starts_with(clause)).unwrap();
        row.split(" | ").map(|cell| cell.trim_end_matches(['|', ' ']).to_owned()).collect::<Vec<_>>()
    };
    let (later, by_diff) = (BY_DEFAULT_LATER, 4 * BY_DEFAULT_LATER);
    for (clause, each, by_default) in [
        ("parse]", BOUNDS.parse, BY_DEFAULT),
        ("filter]", BOUNDS.filter, later),
        ("filter]", BOUNDS.filter_all, later),
        ("text]", BOUNDS.text, later),
        ("portable]", BOUNDS.portable, later),
        ("compile]", BOUNDS.compile, later),
        ("diff]", BOUNDS.diff, by_diff),
    ] {
        let cells = row(clause);
        assert!(cells[3].starts_with(&format!("{each} *n*")), "{clause}: {cells:?}");
        assert_eq!(cells[4], format!("{} MiB", mib(by_default)), "{clause}: {cells:?}");
    }
    let (short, limited) = (OF_SHORT_NAMES, mib(BY_DEFAULT_OF_SHORT_NAMES));
    for said in [
        format!("parsing holds {} *n* then, and with the default limits {limited} MiB", short.parse),
        format!("filtering {} *n*, for all agents {} *n*; the text {} *n*", short.filter, short.filter_all, short.text),
    ] {
        assert!(spec.contains(&said), "SPEC.md does not say: {said}");
    }
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
    // A query is given its slash before it is encoded.
    let url = [&b"?"[..], &b"\xFF".repeat(100_000)].concat();
    let (held_by, _) = held(|| tester.is_allowed(&url));
    assert!(held_by <= VERDICT * url.len() + BESIDES, "{held_by}");
    // A path that is normal already is used as it is.
    let (held, _) = held(|| tester.is_allowed(b"/a/b/c.html?d=e"));
    assert_eq!(held, 0);
}

/// Records of many agents, of a short name each and with a finding, that are merged for all. [bounds.filter]
#[test]
fn records_of_many_agents_are_merged() {
    for (dialect, line) in [(Dialect::Standard, "allow:"), (Dialect::Processor, "x:")] {
        let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
        let name = |n: usize| format!("useragent:{}{}{}\n{line}\n", letter(n), letter(n / 26), letter(n / 676));
        let file: String = (0..8_192).map(name).collect();
        let options = Options { limits: Limits::NONE, ..dialect.options() };
        let set = Parser::new(options).parse(file.as_bytes());
        let (held, _) = held(|| filter_all(&set).unwrap());
        assert!(held <= BOUNDS.filter_all * file.len() + BESIDES, "{dialect:?}: {held} of {}", file.len());
    }
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
