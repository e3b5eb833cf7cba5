//! The result for each file of `corpus/`, as snapshots for people to read: its texts, the order of its rules, its
//! findings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use robosieve::agent::AnsweredBy;
use robosieve::report::{Effect, InputKind};
use robosieve::{Dialect, Limits, Record, RecordSet, Report, Sieve, TextForm};

use crate::common::name_of;
use crate::files::{files_of, paths_of};

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

/// The files, grouped by the part of their names that `group` returns.
fn grouped(folder: &str, group: fn(&str) -> String) -> BTreeMap<String, Vec<(PathBuf, Vec<u8>)>> {
    let mut groups: BTreeMap<String, Vec<(PathBuf, Vec<u8>)>> = BTreeMap::new();
    for file in files_of(&[folder]) {
        groups.entry(group(name_of(&file.0))).or_default().push(file);
    }
    groups
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
        record.rules_by_precedence().iter().map(|rule| rule.line().to_string()).collect::<Vec<_>>()
    };
    let lines: Vec<String> = set.records().flat_map(lines).collect();
    let whole = lines.join(" ");
    if whole.len() <= WHOLE_ORDER {
        return whole;
    }
    let first: Vec<&str> = lines.iter().take(SHOWN).map(String::as_str).collect();
    format!("{} … rules: {}, hash: {:016x}", first.join(" "), lines.len(), hash(whole.as_bytes()))
}

fn show_findings(out: &mut String, report: &Report) {
    let mut findings = String::new();
    for finding in report.details() {
        let effect = if finding.effect == Effect::None { "" } else { finding.effect.as_str() };
        findings += format!("{}: {} {effect}", finding.line, finding.kind.as_str()).trim_end();
        findings.push('\n');
    }
    show(out, &findings, str::to_owned);
    let counts: Vec<String> = report.counts().map(|(kind, count)| format!("{} {count}", kind.as_str())).collect();
    if report.input() != InputKind::Text {
        writeln!(out, "  looks like {}", report.input()).unwrap();
    }
    let exact = if report.is_exact() { "exact" } else { "not exact" };
    writeln!(out, "  = {exact}; {}", counts.join(", ")).unwrap();
}

/// The parts of the result that are worth reading.
fn view(file: &Path, input: &[u8]) -> String {
    let mut out = format!("======== {}\n", name_of(file));
    let ours = Sieve::new(["MyBot"]).run(input).unwrap();
    let by = match ours.answered_by() {
        AnsweredBy::Agent(_) => "by name",
        AnsweredBy::Everyone => "by *",
        AnsweredBy::Nobody => "by nobody",
    };
    show_text(
        &mut out,
        &format!("MyBot, answered {by}; lines in order: {}", order_of(ours.records())),
        ours.text().as_str(),
    );
    let google = Sieve::new(["MyBot"]).dialect(Dialect::Google).run(input).unwrap();
    if google.text() != ours.text() {
        show_text(&mut out, "Google dialect", google.text().as_str());
    }
    let all = Sieve::all_agents().run(input).unwrap();
    if all.text() != ours.text() {
        show_text(&mut out, "all agents", all.text().as_str());
    }
    out.push_str("findings\n");
    show_findings(&mut out, ours.report());
    let limited = Sieve::new(["MyBot"]).limits(Limits::PROCESSOR).run(input).unwrap();
    if limited.report().losses(Effect::MorePermissive) + limited.report().losses(Effect::Either)
        > ours.report().losses(Effect::MorePermissive) + ours.report().losses(Effect::Either)
    {
        show_text(&mut out, "with limits on counts", limited.text().as_str());
        show_findings(&mut out, limited.report());
    }
    out
}

fn snapshot(folder: &str, group: fn(&str) -> String) {
    for (name, files) in grouped(folder, group) {
        let shown: String = files.iter().map(|(path, input)| view(path, input)).collect();
        // The name does not depend on the program that contains the test.
        insta::with_settings!({prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("corpus__{folder}-{name}"), shown);
        });
    }
}

/// [text.form] [report.direction]
#[test]
fn hazards() {
    snapshot("hazards", |name| name.chars().take(2).collect());
}

/// [text.form] [report.direction]
#[test]
fn wild() {
    snapshot("wild", |name| name.chars().take(1).collect());
}

/// [text.form] [report.direction]
#[test]
fn plain() {
    snapshot("plain", |name| name.chars().take(1).collect());
}

/// Every hazard has a file: [input.bytes]
#[test]
fn every_hazard_has_a_file() {
    let groups = grouped("hazards", |name| name.chars().take(2).collect());
    let missing: Vec<String> = (1..=23).map(|n| format!("{n:02}")).filter(|n| !groups.contains_key(n)).collect();
    assert!(missing.is_empty(), "hazards without a file: {missing:?}");
}

/// Two files that differ only in spelling, or, in the portable form, also in redundant rules. [text.spelling]
/// [portable.redundant] [portable.stars]
#[test]
fn pairs_have_the_same_text() {
    let mut pairs = 0;
    for first in paths_of("hazards").iter().filter(|file| name_of(file).ends_with("-a.txt")) {
        let second = first.with_file_name(name_of(first).replace("-a.txt", "-b.txt"));
        if !name_of(first).starts_with("23-") {
            continue;
        }
        let is_redundant = ["23-duplicates", "23-wildcards"].iter().any(|it| name_of(first).starts_with(it));
        for form in if is_redundant { &[TextForm::Portable][..] } else { &[TextForm::Faithful, TextForm::Portable] } {
            let text = |file: &Path| {
                let input = std::fs::read(file).unwrap();
                Sieve::new(["MyBot"]).form(*form).run(&input).unwrap().text().to_string()
            };
            assert_eq!(text(first), text(&second), "{} {form:?}", first.display());
        }
        pairs += 1;
    }
    assert!(pairs > 5, "only {pairs} pairs");
}

/// insta escapes and trims texts, so this test compares the exact bytes. [text.form] [text.newline]
#[test]
fn exact_bytes() {
    let file =
        |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/hazards").join(name)).unwrap();
    for name in ["10-cr-only.txt", "10-crlf.txt", "10-mixed.txt", "10-lfcr.txt"] {
        let sieved = Sieve::new(["MyBot"]).run(&file(name)).map(|it| it.text().to_string()).unwrap();
        assert!(!sieved.contains('\r') && sieved.ends_with('\n') && !sieved.contains("\n\n\n"), "{name}: {sieved:?}");
    }
}
