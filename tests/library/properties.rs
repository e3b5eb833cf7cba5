//! Every property, on every file of the corpus, in every dialect, with wide, tight and no limits.
//!
//! Invariant: a missing or empty folder fails. A case of the corpus can name properties, and options for them.

use std::path::Path;
use std::thread;

use robosieve::Options;
use robosieve::settings::{Dialect, DirectiveScope, Leniency, Limits, Precedence, TextForm, Vocabulary};

use crate::checked::{ALL, Choices, OF_A_DIALECT, Property};
use crate::files::{cases, files};
use crate::words::{Asked, combinations};

/// Files longer than this are tested with fewer choices.
const LONG: usize = 8_000;

const AGENTS: [&[&str]; 4] = [&["Googlebot"], &["MyBot"], &[], &["MyBot-Image", "ExampleBot", "Googlebot"]];

/// All limits at `n`, except those on bytes.
fn all_at(n: usize) -> Limits {
    let mut limits = Limits::DEFAULT;
    for name in Limits::NAMES {
        *limits.named_mut(name).unwrap() = n;
    }
    Limits { max_bytes: Limits::DEFAULT.max_bytes, ..limits }
}

fn many_limits() -> [Limits; 5] {
    let tight = Limits {
        max_records: 4,
        max_user_agents: 5,
        max_lines: 3,
        max_value_length: 12,
        max_wildcards: 1,
        ..Limits::DEFAULT
    };
    let few = Limits { max_lines: 1, max_value_length: 5, max_wildcards: 0, max_name_length: 6, ..Limits::DEFAULT };
    [Limits::DEFAULT, all_at(0), all_at(1), tight, few]
}

/// The choices for the file with this number. All agents and orders are used in turn.
fn grid(number: usize, length: usize) -> Vec<Choices> {
    let mut grid = Vec::new();
    let bundles = [Dialect::Standard, Dialect::Google, Dialect::Processor].map(|dialect| (dialect, dialect.options()));
    for (dialect, options) in bundles.into_iter().chain([(Dialect::Standard, mixture(number))]) {
        for (at, limits) in many_limits().into_iter().enumerate() {
            let turn = number + at;
            let precedence = if turn % 5 == 4 { Precedence::FileOrder } else { Precedence::LongestMatch };
            let limits = if dialect == Dialect::Google && at == 0 { Limits::NONE } else { limits };
            let options = Options { limits, precedence, ..options.clone() };
            let mut choices = Choices::new(options, AGENTS.get(turn % AGENTS.len()).unwrap());
            choices.fallback = !turn.is_multiple_of(7);
            choices.crlf = !turn.is_multiple_of(2);
            choices.form = if (number / 2 + at).is_multiple_of(2) { TextForm::Faithful } else { TextForm::Portable };
            choices.options.keep_unknown = turn.is_multiple_of(3);
            grid.push(choices);
        }
    }
    let step = if length > LONG { 4 } else { 1 };
    grid.into_iter().step_by(step).collect()
}

/// Choices that no dialect has, different for each number: those with two values, and the leniency.
fn mixture(number: usize) -> Options {
    let names = [Leniency::Generous, Leniency::Strict, Leniency::Processor, Leniency::Prefix, Leniency::Common];
    let vocabulary = Vocabulary::new(names[number % names.len()]);
    let is_on = |bit: u32| (number.wrapping_mul(0x9E37_79B9) >> bit) & 1 == 1;
    let mut options = Options {
        vocabulary: vocabulary.with_directive("X-Throttle", DirectiveScope::Record).unwrap(),
        union_of_agents: is_on(3),
        robots_txt_allowed: is_on(4),
        index_html: is_on(5),
        any_line_ends_run: is_on(6),
        ..Options::default()
    };
    options.fold = is_on(7);
    options.keep_trailing_spaces = is_on(8);
    options.paths.complement_leading_slash = is_on(9);
    options.paths.escaped_wildcard = is_on(10);
    options.paths.decode_wildcard = is_on(11);
    options
}

/// Prints the file and the choices that a property failed on.
struct Context<'c>(&'c Path, &'c Choices);

impl Drop for Context<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("on {}, with {:#?}", self.0.display(), self.1);
        }
    }
}

/// The properties of one module hold for every file.
fn hold(module: &str) {
    let of_module: Vec<_> = ALL.iter().filter(|property| property.0.starts_with(module)).collect();
    assert!(!of_module.is_empty(), "{module} has no property");
    for (number, (path, input)) in files().iter().enumerate() {
        for choices in grid(number, input.len()) {
            let _context = Context(path, &choices);
            for (_, property) in &of_module {
                property(input, &choices);
            }
        }
    }
}

/// [input.bytes] [input.directed] [input.owned] [line.vectors]
#[test]
fn files_are_parsed_in_one_way() {
    hold("parsing::");
}

/// [logical.span] [logical.same] [logical.meaning] [logical.group] [logical.kept] [logical.findings] [line.number]
#[test]
fn lines_are_the_file() {
    hold("lines::");
}

/// [text.form] [text.newline] [text.idempotent] [text.parse] [text.once]
#[test]
fn texts_are_canonical() {
    hold("text::");
}

/// [limit.after-normalising] [report.bounded] [over-limit.refuse]
#[test]
fn limits_hold() {
    hold("limits::");
}

/// [report.exact] [text.all-agents] [text.values] [value.agents] [url.path] [url.none] [verdict.once] [agent.doubt]
/// [input.incomplete] [over-limit.widen]
#[test]
fn verdicts_are_those_of_the_file() {
    hold("verdicts::");
}

/// [url.path] [path.match] [path.encode] [path.decode] [path.stars]
#[test]
fn the_tester_agrees_with_a_naive_one() {
    hold("naive::");
}

/// [harmless.bytes] [harmless.lines] [harmless.urls]
#[test]
fn the_output_is_harmless() {
    hold("harmless::");
}

/// In the standard dialect, and in Google's, which a port of its parser has, too. [verdict.pass] [google.line]
/// [google.name] [google.agent] [google.path] [google.index-html]
#[test]
fn other_readers_of_a_dialect_agree() {
    for (number, (path, input)) in files().iter().enumerate() {
        let mut choices = Choices::new(Options::default(), AGENTS[number % AGENTS.len()]);
        choices.fallback = number % 5 != 4;
        let _context = Context(path, &choices);
        for (_, property) in OF_A_DIALECT {
            property(input, &choices);
        }
    }
}

/// The property that a check names.
fn property(name: &str) -> Property {
    let found = ALL.iter().chain(OF_A_DIALECT).find(|property| property.0 == name);
    found.unwrap_or_else(|| panic!("no property {name}")).1
}

/// What a case of the corpus says that it is checked with: the properties of the clauses that it names. Findings of the
/// fuzz targets are such cases. [text.idempotent] [text.parse] [over-limit.widen]
#[test]
fn checks_of_the_corpus_hold() {
    let mut tried = 0;
    for case in cases() {
        let input = case.input().unwrap_or_default();
        for words in case.checks.iter().flat_map(|check| combinations(check)) {
            let asked = Asked::read(words.iter().map(String::as_str));
            let mut choices = Choices::new(asked.options, &[]);
            (choices.agents, choices.fallback, choices.form) = (asked.agents, !asked.no_fallback, asked.form);
            let _context = Context(Path::new(&case.name), &choices);
            for name in words.iter().filter(|word| word.contains("::")) {
                property(name)(&input, &choices);
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "only {tried} checks");
}
