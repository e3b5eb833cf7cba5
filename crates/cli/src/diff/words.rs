//! Comparisons for people.
//!
//! Invariant: each line begins with a sign, or with a word of this module or a name of an agent and two spaces below
//! it. Everything of a file is escaped.

use std::io::{self, Write};

use anstyle::Style;
use robosieve_diff::{ChangedLine, ChangedRule, Comparison, Diff, Flip};
use robosieve_explain::{AgentsDiff, changed_at};

use super::Found;
use crate::shade::{HEADING, LOST, OURS};
use crate::text;

/// The most names in a list.
const NAMES: usize = 20;

pub(super) fn page(found: &Found) -> Vec<String> {
    match found {
        Found::One(diff) => diff_lines(diff, None),
        Found::Two(diff, [first, second]) => {
            let lines = diff_lines(diff, Some(second));
            let heading = (!lines.is_empty()).then(|| format!("from {first} (-) to {second} (+)"));
            heading.into_iter().chain(lines).collect()
        }
        Found::All(diff) => of_all(diff),
    }
}

/// Writes the lines: what came and what is now allowed in green, what is gone and what is not allowed any more in red,
/// whom it concerns as a heading.
pub(super) fn write(out: &mut impl Write, page: impl Iterator<Item = String>) -> io::Result<()> {
    for line in page {
        let is_allowed = !line.contains("  now disallowed") && !line.contains("  disallowed for ");
        let style = match line.trim_start().as_bytes() {
            [b'+', ..] => OURS,
            [b'!', ..] if is_allowed => OURS,
            [b'-' | b'!', ..] => LOST,
            [b'~', ..] => Style::new(),
            _ if !line.starts_with(' ') => HEADING,
            _ => Style::new(),
        };
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

fn of_all(diff: &AgentsDiff) -> Vec<String> {
    let mut page = Vec::new();
    for (words, names) in [("agents added: ", &diff.agents_added), ("agents gone: ", &diff.agents_removed)] {
        if !names.is_empty() {
            page.push(format!("{words}{}", text::listed(names, NAMES)));
        }
    }
    let below = |line: String| format!("  {line}");
    for change in &diff.changes {
        page.push(format!("for {}{}", text::listed(&change.agents, NAMES), change.groups()));
        let rules = rule_lines(&change.diff, |rule| change.tells(rule)).into_iter().chain(change.unreported());
        page.extend(rules.chain(other_lines(&change.diff, None)).map(below));
    }
    let lines: Vec<String> = value_lines(&diff.lines_removed, &diff.lines_added).map(below).collect();
    page.extend((!lines.is_empty()).then(|| "for all".to_owned()));
    page.extend(lines);
    page
}

/// What was not compared, or not shown by a URL though it may be.
pub(super) fn unshown(found: &Found) -> Vec<String> {
    let mut lines = Vec::new();
    match found {
        Found::One(diff) | Found::Two(diff, _) => add_unshown(&mut lines, [diff].into_iter()),
        Found::All(all) => {
            add_unshown(&mut lines, all.changes.iter().map(|change| &change.diff));
            if !all.not_compared.is_empty() {
                lines.push(format!(
                    "not compared: {} of {}: at most {} agents, {} different changes and {} lines are",
                    text::listed(&all.not_compared, NAMES),
                    text::counted_len(all.compared().saturating_add(all.not_compared.len()), "agent", "agents"),
                    AgentsDiff::MAX_AGENTS,
                    AgentsDiff::MAX_CHANGES,
                    AgentsDiff::MAX_LINES
                ));
            }
        }
    }
    lines
}

/// How many changed rules have no known URL that shows the change, though one may exist.
fn add_unshown<'d>(lines: &mut Vec<String>, diffs: impl Iterator<Item = &'d Diff>) {
    let (mut rules, mut without, mut not_searched): (usize, usize, usize) = (0, 0, 0);
    for diff in diffs {
        rules = rules.saturating_add(diff.rules().count());
        without = without.saturating_add(diff.without_witness);
        not_searched = not_searched.saturating_add(diff.not_searched);
    }
    let of = format!("of {}", text::counted_len(rules, "changed rule", "changed rules"));
    if without > 0 {
        lines.push(format!("for {without} {of} no URL was found that shows the change; one may exist"));
    }
    if not_searched > 0 {
        lines.push(format!("for {not_searched} {of} the search for a URL stopped: it takes too long"));
    }
}

/// The changes; between two agents, for the second of them.
fn diff_lines(diff: &Diff, agent: Option<&String>) -> Vec<String> {
    let mut lines = rule_lines(diff, |_| true);
    lines.extend(other_lines(diff, agent));
    lines
}

fn rule_lines(diff: &Diff, is_reported: impl Fn(&ChangedRule) -> bool) -> Vec<String> {
    let rules = [('-', &diff.rules_removed), ('+', &diff.rules_added), ('~', &diff.rules_moved)];
    let reported = rules.iter().flat_map(|(sign, rules)| rules.iter().map(|it| (*sign, it)));
    reported.filter(|(_, it)| is_reported(it)).map(|(sign, it)| rule(sign, it)).collect()
}

/// What else changed.
fn other_lines(diff: &Diff, agent: Option<&String>) -> Vec<String> {
    let flips = diff.flips.iter().map(|it| flip(it, agent));
    let mut lines: Vec<String> = value_lines(&diff.lines_removed, &diff.lines_added).chain(flips).collect();
    let end = match diff.answers {
        Comparison::Same if diff.rules().count() > 0 => "no URL's result changed",
        Comparison::Unknown => "no URL was found whose result changed",
        Comparison::Same | Comparison::Changed => return lines,
    };
    lines.push(if agent.is_some() { end.replace("changed", "differs") } else { end.into() });
    lines
}

fn value_lines(removed: &[ChangedLine], added: &[ChangedLine]) -> impl Iterator<Item = String> {
    let line =
        |sign, line: &ChangedLine| format!("{sign} {}: {}", text::harmless(&line.name), text::harmless(&line.value));
    let removed = removed.iter().map(move |it| line('-', it));
    removed.chain(added.iter().map(move |it| line('+', it)))
}

fn rule(sign: char, rule: &ChangedRule) -> String {
    format!("{sign} {}: {}  ({})", rule.kind, text::harmless(&rule.pattern), changed_at(rule))
}

fn flip(flip: &Flip, agent: Option<&String>) -> String {
    let word = if flip.allowed { "allowed" } else { "disallowed" };
    let path = text::harmless(&flip.path);
    agent.map_or_else(|| format!("! {path}  now {word}"), |agent| format!("! {path}  {word} for {agent}"))
}
