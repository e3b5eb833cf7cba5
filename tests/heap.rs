//! The memory cost of hostile files: the maximum number of bytes held at once, counted by an allocator.
//!
//! Invariant: the bounds are those of SPEC.md, under the names of their clauses. A step is charged for its result and
//! for everything that it allocates on the way, but not for its input. A buffer that moves counts twice.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod families;

use allocation_counter::measure;
use families::{ALL, LONG, URLS, rules_of_ten_stars};
use robosieve::records::{Parser, RecordSet};
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{Interest, Limits, TextForm};
use robosieve::{Options, Sieve, Tester};
use robosieve_diff::Diff;

/// The bounds of a step: for each byte of the file, in addition to [`EXTRA`]; and the MiB that it may hold with the
/// default limits, the cost of the longest file that is read.
type Bounds = (usize, usize);
const PARSE: Bounds = (40, 14);
const FILTER: Bounds = (24, 8);
const PARSE_AND_FILTER: Bounds = (PARSE.0 + FILTER.0, PARSE.1 + FILTER.1);
const TEXT: Bounds = (24, 4);
const PORTABLE: Bounds = (72, 28);
const COMPILE: Bounds = (40, 12);
const DIFF: Bounds = (72, 28);
const DIFF_OF_TWO: Bounds = (2 * DIFF.0, 2 * DIFF.1);
/// The bound of a verdict for each byte of the URL.
const VERDICT: usize = 7;
/// The size of reports, and of buffers that are never empty.
const EXTRA: usize = 8 << 10;
/// The MiB that the search of a `Diff` may hold, independent of the files.
const SEARCH: usize = 2;

/// The smallest size. A buffer that doubles is largest just after a power of two, so all sizes up to twice this one
/// are tried.
const SIZE: usize = if cfg!(debug_assertions) { 4_000 } else { 20_000 };
/// Eight steps up to the double size can miss that place by 9 %, so that much more is allowed.
const MISSED: usize = 9;

fn unlimited() -> Options {
    Options { limits: Limits::NONE, ..Options::default() }
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

/// All steps on a file, with the bytes that each held, and its bounds.
fn steps(options: &Options, file: &[u8]) -> [(&'static str, usize, Bounds); 12] {
    let parser = Parser::new(options.clone());
    let directed = parser.clone().for_agents(interest());
    let (parsed, set) = held(|| parser.parse(file));
    let (filtered, few) = held(|| set.filter_for(&interest()).unwrap().0);
    let (all_filtered, all) = held(|| set.filter_all().unwrap());
    let text = |set: &RecordSet<'_>, form: TextForm| held(|| set.to_text(form)).0;
    let (compiled, _) = held(|| Tester::new(&set, &interest()).with_index());
    let door = |sieve: Sieve| held(|| sieve.options(options.clone()).filter(file).unwrap().report().total()).0;
    let other = with_other_values(file);
    let (none, other) = (parser.parse(b""), parser.parse(&other).filter_for(&interest()).unwrap().0);
    [
        ("parse", parsed, PARSE),
        ("directed parse", held(|| directed.parse(file)).0, PARSE),
        ("filter", filtered, FILTER),
        ("filter all", all_filtered, FILTER),
        ("text", text(&few, TextForm::Faithful), TEXT),
        ("text of all", text(&all, TextForm::Faithful), TEXT),
        ("compile", compiled, COMPILE),
        ("all steps", door(Sieve::new(["MyBot", "Other"])), PARSE_AND_FILTER),
        ("all steps, all agents", door(Sieve::all_agents()), PARSE_AND_FILTER),
        ("portable text", text(&few, TextForm::Portable), PORTABLE),
        ("diff", held(|| Diff::of(&none, &few)).0, DIFF),
        ("diff with others", held(|| Diff::of(&other, &few)).0, DIFF_OF_TWO),
    ]
}

/// Checks all families at this size: the bytes that each step holds for each byte of the file, and in MiB if that is
/// also bounded.
#[track_caller]
fn within_bounds(options: &Options, size: usize) {
    for family in ALL {
        let file = (family.file)(size);
        for (step, held, (a_byte, mebibytes)) in steps(options, &file) {
            let shown = format!("{step} of {} bytes of {}: {held}", file.len(), family.name);
            println!("{shown}, {} each", held / file.len());
            let extra = if step.starts_with("diff") { SEARCH << 20 } else { EXTRA };
            assert!(held * (100 + MISSED) / 100 <= a_byte * file.len() + extra, "{shown}");
            assert!(options.limits == Limits::NONE || held <= mebibytes << 20, "{shown}, with limits");
        }
    }
}

/// The memory grows with the file, so it is enough to test the longest file that is read. [bounds.memory]
/// [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile] [bounds.diff]
#[test]
fn memory_is_bounded_by_the_limits() {
    let size = if cfg!(debug_assertions) { 50_000 } else { Limits::DEFAULT.max_bytes };
    within_bounds(&Options::default(), size);
}

/// [bounds.memory] [bounds.parse] [bounds.filter] [bounds.text] [bounds.portable] [bounds.compile]
/// [bounds.diff]
#[test]
fn memory_grows_in_proportion_without_limits() {
    let steps = [1000, 1091, 1189, 1297, 1414, 1542, 1682, 1834, 2000].into_iter();
    for thousandths in steps.step_by(if cfg!(debug_assertions) { 4 } else { 1 }) {
        within_bounds(&unlimited(), SIZE * thousandths / 1000);
    }
}

/// Bytes over the limit cost nothing: a file of ten times the limit costs as much as one at the limit.
/// [bounds.memory] [limit.bytes]
#[test]
fn what_is_not_read_costs_nothing() {
    let file = b"User-agent: *\nDisallow: /a\n".repeat(200_000);
    let (front, rest) = file.split_at(Limits::DEFAULT.max_bytes);
    let sieve = |file: &[u8]| held(|| Sieve::new(["MyBot"]).filter(file).unwrap().report().total()).0;
    assert_eq!(sieve(&file), sieve(&[front, &rest[..40]].concat()));
}

/// Whether each of some verdicts makes an index: then it holds memory.
fn makes_index(rules: &str, urls: impl IntoIterator<Item = String>) -> Vec<bool> {
    let file = format!("User-agent: *\n{rules}");
    let tester = robosieve::Sieve::new(["MyBot"]).tester(file.as_bytes()).unwrap();
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

/// A query gets its slash before it is encoded. A path that is already normal is used without a copy. [bounds.verdict]
#[test]
fn a_verdict_holds_its_url() {
    let file = rules_of_ten_stars(100, LONG);
    let set = Parser::default().parse(&file);
    let tester = Tester::new(&set, &interest()).with_index();
    let query = [&b"?"[..], &b"\xFF".repeat(100_000)].concat();
    for url in URLS.iter().map(|family| (family.file)(100_000)).chain([query]) {
        let (held, _) = held(|| tester.is_allowed(&url));
        assert!(held <= VERDICT * url.len() + EXTRA, "{held}: {}", String::from_utf8_lossy(&url[..40]));
    }
    assert_eq!(held(|| tester.is_allowed(b"/a/b/c.html?d=e")).0, 0);
}

/// [report.bounded] [bounds.report]
#[test]
fn a_million_findings_are_reported_in_the_space_of_a_hundred() {
    let lines = "User-agent: *\n".to_owned() + &"x\n".repeat(1_000_000);
    let (all, set) = held(|| Parser::new(unlimited()).parse(lines.as_bytes()));
    assert!(all <= EXTRA, "{all} bytes for a million findings");
    let (copied, report) = held(|| set.report());
    assert_eq!((report.count(FindingKind::NotAField), report.details().len()), (1_000_000, Report::DEFAULT_DETAILS));
    assert!(copied <= EXTRA, "{copied} bytes for a copy");
    // The same if a limit loses a million rules of our group or lines of the file.
    for (rule, kind) in [("Disallow: /\n", FindingKind::TooManyLines), ("User-agent: *\n", FindingKind::TooManyAgents)]
    {
        let lines = "User-agent: *\nDisallow: /a\n".to_owned() + &rule.repeat(1_000_000);
        let limits = Limits { max_lines: 1, max_user_agents: 1, ..Limits::NONE };
        let sieve = Sieve::new(["MyBot"]).with(|options| options.limits = limits);
        let (held, report) = held(|| sieve.filter(lines.as_bytes()).unwrap().report().clone());
        assert!(report.count(kind) >= 999_999, "{report:?}");
        assert!(held <= 2 * EXTRA, "{held} bytes for a million losses");
    }
}
