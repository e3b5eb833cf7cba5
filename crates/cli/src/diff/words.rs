//! Comparisons for people.
//!
//! Invariant: each line begins with a sign, or with a word of this module or a name of an agent and two spaces below
//! it. Everything of a file is escaped.

use std::io::{self, Write};

use anstyle::Style;
use robosieve::Diff;
use robosieve::diff::{ChangedLine, ChangedRule, Comparison, Flip, Witness};
use robosieve_explain::AgentsDiff;

use super::Found;
use crate::shade::{HEADING, LOST, OURS};
use crate::text;

/// The most names in a list.
const NAMES: usize = 20;

pub(super) fn page(found: &Found) -> String {
    match found {
        Found::One(diff) => {
            let mut page = String::new();
            push_all(&mut page, "", &diff_lines(diff, None));
            page
        }
        Found::Two(diff, [first, second]) => {
            let mut page = String::new();
            let lines = diff_lines(diff, Some(second));
            if !lines.is_empty() {
                push(&mut page, "", &format!("from {first} (-) to {second} (+)"));
            }
            push_all(&mut page, "", &lines);
            page
        }
        Found::All(diff) => of_all(diff),
    }
}

/// Writes the lines: what came and what is now allowed in green, what is gone and what is not allowed any more in red,
/// whom it concerns as a heading.
pub(super) fn write(out: &mut impl Write, page: &str) -> io::Result<()> {
    for line in page.lines() {
        let is_allowed = !line.contains("  now disallowed") && !line.contains("  disallowed for ");
        let style = match line.trim_start().as_bytes() {
            [b'+', ..] => OURS,
            [b'-', ..] => LOST,
            [b'!', ..] => {
                if is_allowed {
                    OURS
                } else {
                    LOST
                }
            }
            [b'~', ..] => Style::new(),
            _ if !line.starts_with(' ') => HEADING,
            _ => Style::new(),
        };
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

fn of_all(diff: &AgentsDiff) -> String {
    let mut page = String::new();
    for (words, names) in [("agents added: ", &diff.agents_added), ("agents gone: ", &diff.agents_removed)] {
        if !names.is_empty() {
            push(&mut page, words, &text::listed(names, NAMES));
        }
    }
    for change in &diff.changes {
        push(&mut page, "for ", &format!("{}{}", text::listed(&change.agents, NAMES), change.groups()));
        let mut lines = rule_lines(&change.diff, |rule| change.tells(rule));
        lines.extend(Some(change.untold()).filter(|words| !words.is_empty()));
        lines.extend(other_lines(&change.diff, None));
        push_all(&mut page, "  ", &lines);
    }
    if !diff.lines_added.is_empty() || !diff.lines_removed.is_empty() {
        push(&mut page, "", "for all");
        diff.lines_removed.iter().for_each(|it| push(&mut page, "  ", &line('-', it)));
        diff.lines_added.iter().for_each(|it| push(&mut page, "  ", &line('+', it)));
    }
    page
}

fn push(page: &mut String, before: &str, line: &str) {
    page.extend([before, line, "\n"]);
}

fn push_all(page: &mut String, before: &str, lines: &[String]) {
    for line in lines {
        push(page, before, line);
    }
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

fn rule_lines(diff: &Diff, is_told: impl Fn(&ChangedRule) -> bool) -> Vec<String> {
    let rules = [('-', &diff.rules_removed), ('+', &diff.rules_added), ('~', &diff.rules_moved)];
    let told = rules.iter().flat_map(|(sign, rules)| rules.iter().map(|it| (*sign, it)));
    told.filter(|(_, it)| is_told(it)).map(|(sign, it)| rule(sign, it)).collect()
}

fn other_lines(diff: &Diff, agent: Option<&String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(diff.lines_removed.iter().map(|it| line('-', it)));
    lines.extend(diff.lines_added.iter().map(|it| line('+', it)));
    lines.extend(diff.flips.iter().map(|it| flip(it, agent)));
    let end = match diff.answers {
        Comparison::Same if diff.rules().next().is_some() => "no URL's result changed",
        Comparison::Unknown => "no URL was found whose result changed",
        Comparison::Same | Comparison::Changed => return lines,
    };
    lines.push(if agent.is_some() { end.replace("changed", "differs") } else { end.into() });
    lines
}

fn line(sign: char, line: &ChangedLine) -> String {
    format!("{sign} {}: {}", text::harmless(&line.name), text::harmless(&line.value))
}

fn rule(sign: char, rule: &ChangedRule) -> String {
    let was = rule.old_line.map(|line| format!(", was line {line}")).unwrap_or_default();
    let witness = match rule.witness {
        Witness::Found => "",
        Witness::Impossible => "; changes no result",
        Witness::NotFound => "; no URL found",
        Witness::NotSearched => "; not searched",
    };
    let pattern = text::harmless(&rule.pattern);
    format!("{sign} {}: {pattern}  (line {}{was}{witness})", rule.kind.as_str(), rule.line)
}

fn flip(flip: &Flip, agent: Option<&String>) -> String {
    let word = if flip.allowed { "allowed" } else { "disallowed" };
    let path = text::harmless(&flip.path);
    agent.map_or_else(|| format!("! {path}  now {word}"), |agent| format!("! {path}  {word} for {agent}"))
}
