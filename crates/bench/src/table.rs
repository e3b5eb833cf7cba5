//! The results as Markdown tables.
//!
//! Invariant: each number in a table is a rounded field of the results.

use std::fmt::Write as _;

use crate::allocations::{Allocations, Counts};
use crate::endure::HostileRow;
use crate::measure::name;
use crate::results::{Results, Row};

/// The tables of the README: aims and speeds.
#[must_use]
pub fn readme(results: &Results, plot: &str) -> String {
    format!("{}\n![Speeds as bars]({plot})\n\n{}\n{}", speeds(results), classes(results), targets(results))
}

/// All tables, for a terminal.
#[must_use]
pub fn all(results: &Results) -> String {
    let mut out = format!("{}\n{}\n{}\n", speeds(results), classes(results), targets(results));
    allocations(&mut out, results);
    let columns = ["faithful", "portable", "all agents", "no limits", "robotxt"];
    hostile(&mut out, "hostile file, ms", &columns, &results.hostile_files);
    hostile(
        &mut out,
        "1,000 rules of ten wildcards, ms of a verdict",
        &["URL of 8 kB", "of 100 kB"],
        &results.hostile_verdicts,
    );
    hostile(&mut out, "300,000 rules, ms", &["parse and tester", "100 verdicts"], &results.wildcards);
    out
}

/// What was read and tested, and the speed of each runner.
fn speeds(results: &Results) -> String {
    let Results { files, bytes, verdicts, rounds, .. } = results;
    let mut out = format!(
        "{files} {} files, {:.1} MB; {verdicts} verdicts. CPU time of one core, taken in turn; medians of {} rounds or more.\n\n",
        results.origin,
        *bytes as f64 / 1e6,
        rounds.iter().min().unwrap_or(&0),
    );
    out.push_str("| reading | MB/s | robotxt = 1 |\n|---|---:|---:|\n");
    for row in &results.reading {
        // Writing to a string does not fail.
        let _ = writeln!(out, "| {} | {} | {:.2} |", row.name, figures(1e3 / row.ns), row.vs_robotxt);
    }
    out.push_str("\n| verdicts, testers ready | million/s | robotxt = 1 |\n|---|---:|---:|\n");
    for row in results.deciding.iter().chain(&results.growth) {
        let _ = writeln!(out, "| {} | {} | {} |", row.name, figures(1e3 / row.ns), versus(row));
    }
    out
}

/// Nanoseconds for a file, by its size.
fn classes(results: &Results) -> String {
    let Some(first) = results.classes.first() else { return String::new() };
    let names: Vec<&str> = first.ns.iter().map(|parser| parser.0).collect();
    let mut out = format!("| ns for a file | files | | {} |\n", names.join(" | "));
    let _ = writeln!(out, "|---|---:|---|{}", "---:|".repeat(names.len()));
    for row in &results.classes {
        let size = row.below.map_or("longer".into(), |below| format!("below {below}"));
        let what = match row.urls {
            0 => "parse".into(),
            1 => "and one URL".into(),
            urls => format!("and {urls} URLs"),
        };
        let least = row.ns.iter().map(|parser| parser.1).fold(f64::INFINITY, f64::min);
        let cell = |ns: f64| if ns <= least { format!("**{ns:.0}**") } else { format!("{ns:.0}") };
        let cells: Vec<String> = row.ns.iter().map(|parser| cell(parser.1)).collect();
        let _ = writeln!(out, "| {size} | {} | {what} | {} |", row.files, cells.join(" | "));
    }
    out
}

/// The rows of `growth` have other references.
fn versus(row: &Row) -> String {
    let is_wild = [name::VERDICT, name::ROBOTXT, name::TEXTING_ROBOTS, name::ROBOTSTXT].contains(&row.name);
    if is_wild { format!("{:.2}", row.vs_robotxt) } else { String::new() }
}

/// The aims of the project, and the results.
fn targets(results: &Results) -> String {
    let or_none = |value: Option<f64>| value.map_or("not counted".into(), figures);
    let rows = [
        ("filter to text, robotxt's parse = 1", "3 or more", figures(results.filter_vs_robotxt)),
        ("the same, files below 2 kB", "2.5 or more", figures(results.small_vs_robotxt)),
        ("the same with a scratch, without = 1", "1.1 or more", figures(results.scratch_small_files)),
        ("the filter's portable form, robotxt's parse = 1", "1.2 or more", figures(results.portable_vs_robotxt)),
        ("the filter, floor's speed (line ends, `#`, `:`) = 1", "", figures(results.floor_fraction)),
        ("parse all groups, robotxt's parse = 1", "4.2 or more", figures(results.parse_vs_robotxt)),
        ("instructions per byte filtered", "11.5 or less", or_none(results.instructions_per_byte)),
        ("allocations per file filtered, on average", "a handful", or_none(results.allocations_per_file)),
        ("verdicts, robotxt = 1", "7 or more", figures(results.verdict_vs_robotxt)),
        (
            "time of a verdict with 1,000 plain rules, with 10 = 1",
            "2 or less",
            figures(results.verdict_1000_vs_10_rules),
        ),
        ("parse and five verdicts, robotxt = 1", "", figures(results.few_verdicts_vs_robotxt)),
        ("time to make a tester, time to parse = 1", "1.05 or less", figures(results.tester_vs_parse)),
        ("the same with its index, which the 9th URL needs", "1.05 or less", figures(results.compile_vs_parse)),
        ("slowest hostile file for a byte, wild files = 1", "8 or less", figures(results.hostile_vs_wild)),
        ("the same, portable form", "25 or less", figures(results.hostile_portable_vs_wild)),
        (
            "slowest verdict, 1,000 rules of ten wildcards, URL of 8 kB; 1,000 plain rules = 1",
            "100,000 or less",
            figures(results.hostile_verdict_vs_plain),
        ),
        ("300,000 wildcard rules: parse, tester, 100 verdicts, s", "1 or less", figures(results.wild_300k_rules_s)),
    ];
    let mut out = String::from("| | aim | here |\n|---|---:|---:|\n");
    for (what, aim, here) in rows {
        let _ = writeln!(out, "| {what} | {aim} | {here} |");
    }
    out
}

fn allocations(out: &mut String, results: &Results) {
    let Some(counts) = results.allocations else { return };
    let Allocations { filter, filter_with_scratch, parse, robotxt, parse_per_100k_lines } = counts;
    out.push_str("| allocations for a file | median | mean | 99 % | most |\n|---|---:|---:|---:|---:|\n");
    let rows = [
        (name::FILTER, filter),
        ("robosieve: the same, with a scratch", filter_with_scratch),
        (name::PARSE, parse),
        (name::ROBOTXT, robotxt),
    ];
    for (name, Counts { median, mean, p99, max }) in rows {
        let _ = writeln!(out, "| {name} | {median} | {mean:.1} | {p99} | {max} |");
    }
    let _ = writeln!(
        out,
        "\nParsing a group of 100,000 rules takes {parse_per_100k_lines} more allocations than a group of one rule.\n"
    );
}

fn hostile(out: &mut String, what: &str, columns: &[&str], rows: &[HostileRow]) {
    let _ = writeln!(out, "| {what} | {} |\n|---|{}", columns.join(" | "), "---:|".repeat(columns.len()));
    for row in rows {
        let cells: Vec<String> = row.ms.iter().copied().map(figures).collect();
        let _ = writeln!(out, "| {} | {} |", row.name, cells.join(" | "));
    }
    out.push('\n');
}

/// Formats a number with about three digits.
#[must_use]
pub fn figures(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
