//! The memory cost of hostile files: the maximum number of bytes held at once, counted by an allocator.
//!
//! Invariant: the bounds are those of SPEC.md, under the names of their clauses. A step is charged for its result and
//! for everything that it allocates on the way, but not for its input. A buffer that moves counts twice.
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
use robosieve::agent::Interest;
use robosieve::diff::Diff;
use robosieve::policy::{Parser, RecordSet, filter_all, filter_for};
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{Dialect, Limits, Options};
use robosieve::text::TextForm;
use robosieve::{Sieve, Tester};

/// The bounds of each step: for each byte of the file, in addition to [`BESIDES`], or in MiB.
#[derive(Clone, Copy)]
struct Bounds {
    parse: usize,
    filter: usize,
    filter_all: usize,
    text: usize,
    portable: usize,
    compile: usize,
    diff: usize,
}

/// The bounds if only names of the dialects are kept, of which `allow` is the shortest.
const BOUNDS: Bounds = Bounds { parse: 40, filter: 24, filter_all: 24, text: 24, portable: 72, compile: 40, diff: 72 };
/// The bounds if lines with a name of one letter are kept.
const OF_SHORT_NAMES: Bounds = Bounds { parse: 88, filter: 32, filter_all: 80, text: 32, ..BOUNDS };
/// The bound of a verdict for each byte of the URL.
const VERDICT: usize = 7;
/// The size of reports, and of buffers that are never empty.
const BESIDES: usize = 8 << 10;
/// The MiB that the search of a `Diff` may hold, independent of the files.
const SEARCH: usize = 2;
/// The MiB that each step may hold with the default limits: the cost of the longest file that is read.
const BY_DEFAULT: Bounds = Bounds { parse: 14, filter: 8, filter_all: 8, text: 4, portable: 28, compile: 12, diff: 28 };
/// The same if lines with a name of one letter are kept.
const BY_DEFAULT_OF_SHORT_NAMES: Bounds = Bounds { parse: 25, filter: 14, filter_all: 24, text: 10, ..BY_DEFAULT };

/// The smallest size. A buffer that doubles is largest just after a power of two, so all sizes up to twice this one
/// are tried.
const SIZE: usize = if cfg!(debug_assertions) { 4_000 } else { 20_000 };
/// Eight steps up to the double size can miss that place by 9 %, so that much more is allowed.
const MISSED: usize = 9;

/// Sizes from `from` to twice as many bytes; only a few of them in code that is not optimised.
fn octave(from: usize) -> impl Iterator<Item = usize> {
    let steps = [1000, 1091, 1189, 1297, 1414, 1542, 1682, 1834, 2000].into_iter();
    steps.step_by(if cfg!(debug_assertions) { 4 } else { 1 }).map(move |thousandths| from * thousandths / 1000)
}

fn interest() -> Interest {
    Interest::new(["MyBot", "Other"])
}

/// The maximum number of bytes that a step holds at once, and its result.
fn held<T>(step: impl FnOnce() -> T) -> (usize, T) {
    let mut made = None;
    let counted = measure(|| made = Some(step()));
    (usize::try_from(counted.bytes_max).unwrap(), made.unwrap())
}

/// The same file with other letters and digits after its colons, so its rules are different.
fn with_other_values(file: &[u8]) -> Vec<u8> {
    let mut in_value = false;
    let other = |&byte: &u8| {
        in_value = byte != b'\n' && (in_value || byte == b':');
        if in_value && byte.is_ascii_alphanumeric() { byte ^ 1 } else { byte }
    };
    file.iter().map(other).collect()
}

/// A step, the bytes that it held, and its bound.
type Step = (&'static str, usize, fn(&Bounds) -> usize);

/// All steps on a file.
fn steps(setting: &Setting, file: &[u8]) -> Vec<Step> {
    let options = (setting.options)();
    let parser = Parser::new(options.clone());
    let directed = parser.clone().for_agents(interest());
    let (parsed, set) = held(|| parser.parse(file));
    // A set that widening refuses is replaced by an empty one.
    let (filtered, few) = held(|| filter_for(&set, &interest()).map(|it| it.0).unwrap_or_default());
    let (all_filtered, all) = held(|| filter_all(&set).unwrap_or_default());
    let text = |set: &RecordSet<'_>, form: TextForm| held(|| set.to_text(form)).0;
    let (compiled, _) = held(|| Tester::new(&set, &interest()).with_index());
    let door = |sieve: Sieve| held(|| sieve.options(options.clone()).run(file).map(|it| it.report().total()).ok()).0;
    let mut steps: Vec<Step> = vec![
        ("parse", parsed, |bounds| bounds.parse),
        ("directed parse", held(|| directed.parse(file)).0, |bounds| bounds.parse),
        ("filter", filtered, |bounds| bounds.filter),
        ("filter all", all_filtered, |bounds| bounds.filter_all),
        ("text", text(&few, TextForm::Faithful), |bounds| bounds.text),
        ("text of all", text(&all, TextForm::Faithful), |bounds| bounds.text),
        ("compile", compiled, |bounds| bounds.compile),
        ("front door", door(Sieve::new(["MyBot", "Other"])), |bounds| bounds.parse + bounds.filter),
        ("front door, all agents", door(Sieve::all_agents()), |bounds| bounds.parse + bounds.filter_all),
    ];
    if IS_WRITTEN_PORTABLY.contains(&setting.name) {
        let other = with_other_values(file);
        let other = Parser::new(options.clone()).parse(&other);
        let (none, other) = (parser.parse(b""), filter_for(&other, &interest()).map(|it| it.0).unwrap_or_default());
        let of_pairs: [Step; 3] = [
            ("portable text", text(&few, TextForm::Portable), |bounds| bounds.portable),
            ("diff", held(|| Diff::of(&none, &few)).0, |bounds| bounds.diff),
            ("diff with others", held(|| Diff::of(&other, &few)).0, |bounds| 2 * bounds.diff),
        ];
        steps.extend(of_pairs);
    }
    steps
}

/// Settings under which rules are minimised and compared in different ways. This takes the longest time.
const IS_WRITTEN_PORTABLY: &[&str] = &["default", "unlimited", "google", "file order"];

/// Checks all families at these sizes: the bytes that each step holds for each byte of the file, and in MiB if that
/// is also bounded.
#[track_caller]
fn within_bounds(setting: &Setting, sizes: &[usize], mebibytes: Option<&Bounds>) {
    let each = if setting.keeps_short_names { &OF_SHORT_NAMES } else { &BOUNDS };
    for family in ALL {
        for size in sizes {
            let file = (family.file)(*size);
            for (step, held, bound) in steps(setting, &file) {
                let shown = format!("{}: {step} of {} bytes of {}: {held}", setting.name, file.len(), family.name);
                println!("{shown}, {} each", held / file.len());
                let besides = if step.starts_with("diff") { SEARCH << 20 } else { BESIDES };
                assert!(held * (100 + MISSED) / 100 <= bound(each) * file.len() + besides, "{shown}");
                assert!(mebibytes.is_none_or(|most| held <= bound(most) << 20), "{shown}, with limits");
            }
        }
    }
}

#[track_caller]
fn within_bounds_over_an_octave(with_short_names: bool) {
    let sizes: Vec<usize> = octave(SIZE).collect();
    for setting in UNLIMITED.iter().filter(|setting| setting.keeps_short_names == with_short_names) {
        within_bounds(setting, &sizes, None);
    }
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
/// [bounds.diff]
#[test]
fn memory_is_bounded_by_the_limits() {
    // The memory grows with the file, so it is enough to test the longest file that is read.
    let sizes = if cfg!(debug_assertions) { &[50_000][..] } else { &[300_000, Limits::DEFAULT.max_bytes] };
    for setting in LIMITED {
        let most = if setting.keeps_short_names { &BY_DEFAULT_OF_SHORT_NAMES } else { &BY_DEFAULT };
        within_bounds(setting, sizes, Some(most));
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

/// SPEC.md contains the numbers that are checked here. [bounds.memory]
#[test]
fn the_specification_has_these_numbers() {
    let spec = include_str!("../SPEC.md").replace('\n', " ");
    let row = |clause: &str| {
        let row = spec.split("| **[bounds.").find(|row| row.starts_with(clause)).unwrap();
        row.split(" | ").map(|cell| cell.trim_end_matches(['|', ' ']).to_owned()).collect::<Vec<_>>()
    };
    for (clause, of) in [
        ("parse]", (|bounds| bounds.parse) as fn(&Bounds) -> usize),
        ("filter]", |bounds| bounds.filter),
        ("filter]", |bounds| bounds.filter_all),
        ("text]", |bounds| bounds.text),
        ("portable]", |bounds| bounds.portable),
        ("compile]", |bounds| bounds.compile),
        ("diff]", |bounds| bounds.diff),
    ] {
        let cells = row(clause);
        assert!(cells[3].starts_with(&format!("{} *n*", of(&BOUNDS))), "{clause}: {cells:?}");
        assert!(cells[4].starts_with(&format!("{} MiB", of(&BY_DEFAULT))), "{clause}: {cells:?}");
    }
    let (short, limited) = (OF_SHORT_NAMES, BY_DEFAULT_OF_SHORT_NAMES.parse);
    for said in [
        format!("{} *n* of both, and {SEARCH} MiB", BOUNDS.diff),
        format!("parsing holds {} *n* then, and with the default limits {limited} MiB", short.parse),
        format!("filtering {} *n*, for all agents {} *n*; the text {} *n*", short.filter, short.filter_all, short.text),
    ] {
        assert!(spec.contains(&said), "SPEC.md does not say: {said}");
    }
}

/// Bytes over the limit cost nothing: a file of ten times the limit costs as much as one at the limit.
/// [bounds.memory] [limit.bytes]
#[test]
fn what_is_not_read_costs_nothing() {
    let file = b"User-agent: *\nDisallow: /a\n".repeat(200_000);
    let (front, rest) = file.split_at(Limits::DEFAULT.max_bytes);
    let sieve = |file: &[u8]| held(|| Sieve::new(["MyBot"]).run(file).unwrap().report().total()).0;
    assert_eq!(sieve(&file), sieve(&[front, &rest[..40]].concat()));
}

/// Whether each of some verdicts makes an index: then it holds memory.
fn makes_index(rules: &str, urls: impl IntoIterator<Item = String>) -> Vec<bool> {
    let file = format!("User-agent: *\n{rules}");
    let tester = robosieve::tester(file.as_bytes(), ["MyBot"]);
    urls.into_iter().map(|url| held(|| tester.is_allowed(&url)).0 > 0).collect()
}

/// [bounds.index]
#[test]
#[cfg_attr(debug_assertions, ignore = "a debug build makes the index for the first URL")]
fn an_index_is_made_when_it_is_needed() {
    let path = |length: usize| format!("/{}", "a".repeat(length - 1));
    let rules = |count: usize| (0..count).map(|rule| format!("Disallow: /*{rule}\n")).collect::<String>();
    let made_by_9th = [vec![false; 8], vec![true, false]].concat();
    assert_eq!(makes_index("Disallow: /x\n", vec![path(2); 10]), made_by_9th);
    assert_eq!(makes_index("Disallow: /x\n", [999, 1_000, 1_001].map(path)), [false, false, true]);
    for (count, expected) in [(63, false), (64, false), (65, true)] {
        assert_eq!(makes_index(&rules(count), [path(2)]), [expected], "{count} rules");
    }
    assert_eq!(makes_index("Disallow: /a$\n", [path(2)]), [false]);
    assert_eq!(makes_index("Disallow: /%24\n", [path(2)]), [true]);
}

/// [bounds.verdict]
#[test]
fn a_verdict_holds_its_url() {
    let file = rules_of_ten_stars(100, LONG);
    let set = Parser::default().parse(&file);
    let tester = Tester::new(&set, &interest()).with_index();
    for family in URLS {
        let url = (family.file)(100_000);
        let (held, _) = held(|| tester.is_allowed(&url));
        assert!(held <= VERDICT * url.len() + BESIDES, "{}: {held}", family.name);
    }
    // A query gets its slash before it is encoded.
    let url = [&b"?"[..], &b"\xFF".repeat(100_000)].concat();
    let (held_by, _) = held(|| tester.is_allowed(&url));
    assert!(held_by <= VERDICT * url.len() + BESIDES, "{held_by}");
    // A path that is already normal is used without a copy.
    let (held, _) = held(|| tester.is_allowed(b"/a/b/c.html?d=e"));
    assert_eq!(held, 0);
}

/// Records with many agents, with a short name and a finding each, are merged for a text of all agents.
/// [bounds.filter]
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

/// Files of the sizes that users have asked about, cut at `max_bytes` and whole: [bounds.memory] [limit.bytes]
/// [limit.counts]
#[test]
fn large_files_are_sieved_in_proportion() {
    let whole = Limits { max_bytes: usize::MAX, ..Limits::DEFAULT };
    let shared: String = (0..100).map(|n| format!("Disallow: /{n}\n")).collect();
    let agents: String = (0..100_000).map(|n| format!("User-agent: bot-{n}\n")).collect();
    let files = [
        ("100,000 agents share 100 rules", agents + &shared),
        ("100,000 records of everyone", (0..100_000).map(|n| format!("User-agent: *\nDisallow: /{n}\n")).collect()),
        ("a million lines", "User-agent: *\n".to_owned() + &"Disallow: /\n".repeat(1_000_000)),
        ("10 MB on one line", format!("User-agent: *\nDisallow: /{}\nDisallow: /b\n", "a".repeat(10_000_000))),
    ];
    for (name, file) in &files {
        let sieved = |limits: Limits| {
            let door = |sieve: Sieve| held(|| sieve.limits(limits).run(file.as_bytes()).unwrap().report().total()).0;
            (door(Sieve::new(["MyBot", "bot-99999"])), door(Sieve::all_agents()))
        };
        let ((few, all), (whole_few, whole_all)) = (sieved(Limits::DEFAULT), sieved(whole));
        println!("{name}\t{few}\t{all}\t{whole_few}\t{whole_all}");
        let most = (BY_DEFAULT.parse + BY_DEFAULT.filter) << 20;
        assert!(few <= most && all <= most, "{name}: {few}, {all}");
        let most = (BOUNDS.parse + BOUNDS.filter) * file.len() + BESIDES;
        assert!(whole_few <= most && whole_all <= most, "{name}: {whole_few}, {whole_all}");
    }
}

/// [report.bounded] [bounds.report]
#[test]
fn a_million_findings_are_reported_in_the_space_of_a_hundred() {
    let lines = "User-agent: *\n".to_owned() + &"x\n".repeat(1_000_000);
    let options = Options { limits: Limits::NONE, ..Options::default() };
    let parser = Parser::new(options);
    let (all, set) = held(|| parser.parse(lines.as_bytes()));
    assert!(all <= BESIDES, "{all} bytes for a million findings");
    let (copied, report) = held(|| set.report());
    assert_eq!((report.count(FindingKind::NotAField), report.details().len()), (1_000_000, Report::DEFAULT_DETAILS));
    assert!(copied <= BESIDES, "{copied} bytes for a copy");
    // The same if a limit loses a million rules of our group or lines of the file.
    for (rule, kind) in [("Disallow: /\n", FindingKind::TooManyLines), ("User-agent: *\n", FindingKind::TooManyAgents)]
    {
        let lines = "User-agent: *\nDisallow: /a\n".to_owned() + &rule.repeat(1_000_000);
        let limits = Limits { max_lines: 1, max_user_agents: 1, ..Limits::NONE };
        let sieve = Sieve::new(["MyBot"]).limits(limits);
        let (held, report) = held(|| sieve.run(lines.as_bytes()).unwrap().report().clone());
        assert!(report.count(kind) >= 999_999, "{report:?}");
        assert!(held <= 2 * BESIDES, "{held} bytes for a million losses");
    }
}
