//! The documents of `corpus/`: below each input its result, for people to read: its texts, the order of its rules, its
//! findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use robosieve::Sieve;
use robosieve::records::{AnsweredBy, Parser, Record, RecordSet};
use robosieve::report::{Effect, InputKind, Report};
use robosieve::settings::{Dialect, Limits, TextForm};

use crate::files::documents::{Case, cases};
use crate::files::{documents, files};
use crate::number;
use crate::words::{Asked, combinations, reported};

/// The longest text, in bytes and in lines, that a snapshot shows whole. Of a longer one it shows the beginning, the
/// length and a hash of the whole, so that every byte counts.
const WHOLE: usize = 20_000;
const WHOLE_LINES: usize = 100;

/// The longest list of line numbers, in bytes, that a snapshot shows whole.
const WHOLE_ORDER: usize = 500;

/// The number of lines that it shows of a longer text, or of numbers of a longer list.
const SHOWN: usize = 16;

/// FNV-1a with 64 bits: it is the same for each version of Rust.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The inputs by their names.
fn inputs() -> BTreeMap<String, Vec<u8>> {
    files().into_iter().map(|(path, input)| (path.to_str().unwrap().to_owned(), input)).collect()
}

/// Shows the lines of `text`, each as `line` returns it.
fn show(out: &mut String, text: &str, line: fn(&str) -> String) {
    let lines = text.split_terminator('\n');
    if text.len() <= WHOLE && lines.clone().count() <= WHOLE_LINES {
        lines.for_each(|it| writeln!(out, "  {}", line(it)).unwrap());
        return;
    }
    let count = lines.clone().count();
    for it in lines.take(SHOWN) {
        let (all, shown) = (line(it), line(it).chars().take(100).collect::<String>());
        writeln!(out, "  {shown}{}", if shown.len() < all.len() { "…" } else { "" }).unwrap();
    }
    writeln!(out, "  … lines: {count}, bytes: {}, hash: {:016x}", text.len(), hash(text.as_bytes())).unwrap();
}

fn show_text(out: &mut String, title: &str, text: &str) {
    writeln!(out, "{title}").unwrap();
    show(out, text, |line| format!("|{}", line.escape_debug()));
}

fn order_of(set: &RecordSet<'_>) -> String {
    let lines = |record: Record<'_, '_>| {
        record.rules_by_precedence().iter().map(|rule| number(rule.line()).to_string()).collect::<Vec<_>>()
    };
    let lines: Vec<String> = set.records().flat_map(lines).collect();
    let whole = lines.join(" ");
    if whole.len() <= WHOLE_ORDER {
        return whole;
    }
    let first: Vec<&str> = lines.iter().take(SHOWN).map(String::as_str).collect();
    format!("{} … rules: {}, hash: {:016x}", first.join(" "), lines.len(), hash(whole.as_bytes()))
}

fn show_report(out: &mut String, report: &Report) {
    let counts: Vec<String> = report.counts().map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
    let exact = if report.is_exact() { "exact" } else { "not exact" };
    let counts = if counts.is_empty() { String::new() } else { format!("; {}", counts.join(", ")) };
    writeln!(out, "report: {exact}{counts}").unwrap();
    let mut findings = String::new();
    for finding in report.details() {
        writeln!(findings, "{}: {}", number(finding.line), reported(*finding)).unwrap();
    }
    show(out, &findings, str::to_owned);
    if report.input() != InputKind::Text {
        writeln!(out, "  looks like {}", report.input()).unwrap();
    }
}

/// The parts of the result that are worth reading.
fn view(input: &[u8]) -> String {
    let mut out = String::new();
    let ours = Sieve::new(["MyBot"]).filter(input).unwrap();
    let by = match ours.answered_by() {
        AnsweredBy::Agent(_) => "by name",
        AnsweredBy::Everyone => "by *",
        AnsweredBy::Nobody => "by nobody",
    };
    show_text(
        &mut out,
        format!("MyBot, answered {by}; lines in order: {}", order_of(ours.records())).trim_end(),
        ours.text(),
    );
    let google = Sieve::new(["MyBot"]).options(Dialect::Google).filter(input).unwrap();
    if google.text() != ours.text() {
        show_text(&mut out, "Google dialect", google.text());
    }
    let all = Sieve::all_agents().filter(input).unwrap();
    if all.text() != ours.text() {
        show_text(&mut out, "all agents", all.text());
    }
    show_report(&mut out, ours.report());
    let limited = Sieve::new(["MyBot"]).with(|options| options.limits = Limits::PROCESSOR).filter(input).unwrap();
    let opening = |report: &Report| report.losses(Effect::MorePermissive) + report.losses(Effect::Either);
    if opening(limited.report()) > opening(ours.report()) {
        show_text(&mut out, "with limits on counts", limited.text());
        show_report(&mut out, limited.report());
    }
    out
}

/// What a check shows of the result with its own options: `show` the text and the report, `lines` the logical lines,
/// `url=/a,/b` the verdict on each.
/// Options that change nothing have one view.
fn view_of_check(out: &mut String, check: &str, input: &[u8]) {
    let is_shown = |name| check.split(' ').any(|word| word == name);
    let mut views: Vec<(String, String)> = Vec::new();
    for words in combinations(check) {
        let mut view = String::new();
        let asked = Asked::read(words.iter().map(String::as_str));
        let sieved = asked.sieve().filter(input).unwrap();
        if let Some(url) = &asked.url {
            writeln!(view, "it is {}", sieved.text_tester().test(url.as_bytes())).unwrap();
        }
        if is_shown("show") {
            show_text(&mut view, "the text is", sieved.text());
            show_report(&mut view, sieved.report());
        }
        if is_shown("lines") {
            view += "the lines are\n";
            for line in Parser::new(asked.options).parse_lines(input).iter() {
                let group = line.group().map(|group| format!(" of group {group}")).unwrap_or_default();
                let field = line.name().zip(line.value()).map(|(name, value)| format!(" {name:?} {value:?}"));
                let (number, meaning) = (line.numbers().start().get(), line.meaning());
                writeln!(view, "  {number}: {meaning:?}{}{group}", field.unwrap_or_default()).unwrap();
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| word.contains('=')).collect();
        let title = if words.is_empty() { String::new() } else { format!("with {}\n", words.join(" ")) };
        match views.last_mut() {
            Some((titles, same)) if *same == view => *titles += &title,
            _ => views.push((title, view)),
        }
    }
    for (titles, view) in views.into_iter().filter(|(_, view)| !view.is_empty()) {
        *out += &(titles + &view);
    }
}

/// The document as it should be: what is typed, and the results.
fn written(document: &str, inputs: &BTreeMap<String, Vec<u8>>) -> String {
    let mut out = String::new();
    for (case, _) in cases(document) {
        let input = &inputs[&case.name];
        out += &(case.write() + &view(input));
        case.checks.iter().for_each(|check| view_of_check(&mut out, check, input));
    }
    out
}

/// A change of a result is a change of its document. [text.form] [report.direction]
#[test]
fn the_documents_have_the_results() {
    let inputs = inputs();
    for (name, document) in documents() {
        // The names do not depend on the program that contains the test.
        insta::with_settings!({
            prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "../../corpus"
        }, { insta::assert_snapshot!(name, written(&document, &inputs)) });
    }
}

/// A document that is read and written again is the same, so nothing that is typed gets lost. Names are sorted, and
/// every hazard has a case. [input.bytes]
#[test]
fn documents_are_read_whole() {
    let mut hazards = BTreeSet::new();
    for (name, document) in documents() {
        let (_, typed) = document.split_once("\n---\n").unwrap();
        let read = cases(&document);
        let again: String = read.iter().map(|(case, results)| case.write() + results).collect();
        assert_eq!(again, typed, "{name}");
        let (names, number): (Vec<&Case>, _) = (read.iter().map(|it| &it.0).collect(), name.split('-').next().unwrap());
        assert!(names.is_sorted_by(|one, next| one.name < next.name), "{name} is not sorted");
        let start = if number.starts_with(|first: char| first.is_ascii_digit()) { "hazards/" } else { "" };
        assert!(names.iter().all(|case| case.name.starts_with(&format!("{start}{number}"))), "{name}");
        hazards.insert(number.to_owned());
    }
    let missing: Vec<String> = (1..=23).map(|n| format!("{n:02}")).filter(|n| !hazards.contains(n)).collect();
    assert!(missing.is_empty(), "hazards without a document: {missing:?}");
}

/// Two files that differ only in spelling, or, in the portable form, also in redundant rules. [text.spelling]
/// [portable.redundant] [portable.stars]
#[test]
fn pairs_have_the_same_text() {
    let (inputs, mut pairs) = (inputs(), 0);
    for (name, first) in &inputs {
        let Some(pair) = name.strip_prefix("hazards/23-").and_then(|name| name.strip_suffix("-a.txt")) else {
            continue;
        };
        let second = &inputs[&name.replace("-a.txt", "-b.txt")];
        let is_redundant = ["duplicates", "wildcards"].contains(&pair);
        for form in if is_redundant { &[TextForm::Portable][..] } else { &[TextForm::Faithful, TextForm::Portable] } {
            let text = |input: &[u8]| {
                Sieve::new(["MyBot"]).with(|options| options.form = *form).filter(input).unwrap().text().to_string()
            };
            assert_eq!(text(first), text(second), "{pair} {form:?}");
        }
        pairs += 1;
    }
    assert!(pairs > 5, "only {pairs} pairs");
}

fn generated() -> String {
    "user-agent: *\nDisallow: /%63art # no orders\n".to_owned()
}

/// The recipe for insta, as crates/cli/recipes/README.md shows it. [text.spelling]
#[test]
fn the_policy_is_reviewed() {
    let file = generated();
    let sieved = Sieve::all_agents().filter(file.as_bytes()).unwrap();
    insta::assert_snapshot!(sieved.text(), @r"
    User-agent: *
    Disallow: /cart
    ");
}
