//! `diff`: shows what changed for an agent between two files.
//!
//! Invariant: both files are read under the same plan and compared by the library. Everything printed of them passes
//! through [`text`] or [`json`].

use std::path::Path;

use robosieve::diff::{ChangedLine, ChangedRule, Comparison, Flip, Witness};
use robosieve::{Diff, Report, Sieve, Sieved};
use serde::Serialize;

use crate::args::DiffArgs;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Input};
use crate::plan::Plan;
use crate::{json, output, report, text};

pub(crate) fn run(args: &DiffArgs) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    if input::is_stdin(&args.old) && input::is_stdin(&args.new) {
        return Err(Failure::Usage("`-` is the standard input, which can be read only once: use `-` once".into()));
    }
    let plan = Plan::new(&args.choices, args.agents.agents())?;
    let (old, new) = (read(&args.old, &plan)?, read(&args.new, &plan)?);
    if !args.quiet {
        old.warn_if_empty();
        new.warn_if_empty();
    }
    let sieve = plan.sieve_for_verdicts();
    let (before, after) = (sieved(&sieve, &old)?, sieved(&sieve, &new)?);
    let reports = Reports { old: before.report(), new: after.report() };
    if !args.quiet {
        report::tell_doubts(&old.name, reports.old, "a change may be missed", "");
        report::tell_doubts(&new.name, reports.new, "a change may be missed", "");
    }
    old.expect(reports.old, &plan.fail_on)?;
    new.expect(reports.new, &plan.fail_on)?;
    let diff = Diff::of(before.records(), after.records());
    if args.json {
        let line = Line { v: 1, same: diff.is_empty(), diff: &diff, reports: &reports };
        output::print(&json::line(&line).map_err(|error| Failure::stdout(&error))?)?;
    } else if !args.quiet {
        output::print(page(&diff).as_bytes())?;
    }
    if !args.quiet {
        tell_unshown(&diff);
    }
    Ok(if diff.is_empty() { Code::Fine } else { Code::Disallowed })
}

fn read(file: &Path, plan: &Plan) -> Result<Input, Failure> {
    input::read(file, plan.max_bytes())
}

fn sieved<'i>(sieve: &Sieve, input: &'i Input) -> Result<Sieved<'i>, Failure> {
    sieve.run(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))
}

/// Reports how many changed rules have no known URL that shows the change, though one may exist.
fn tell_unshown(diff: &Diff) {
    let of = format!("of {}", text::counted_len(diff.rules().count(), "changed rule", "changed rules"));
    if diff.without_witness > 0 {
        exit::tell(&format!("for {} {of} no URL was found that shows the change; one may exist", diff.without_witness));
    }
    if diff.not_searched > 0 {
        exit::tell(&format!("for {} {of} the search for a URL stopped: it takes too long", diff.not_searched));
    }
}

#[derive(Serialize)]
struct Line<'d> {
    v: u8,
    same: bool,
    #[serde(flatten)]
    diff: &'d Diff,
    reports: &'d Reports<'d>,
}

/// The result of the comparison.
#[derive(Serialize)]
struct Reports<'d> {
    old: &'d Report,
    new: &'d Report,
}

fn page(diff: &Diff) -> String {
    let mut page = String::new();
    let line = |sign: char, line: &ChangedLine| {
        format!("{sign} {}: {}\n", text::escape(line.name.as_bytes()), text::escape(line.value.as_bytes()))
    };
    page.extend(diff.rules_removed.iter().map(|it| rule('-', it)));
    page.extend(diff.rules_added.iter().map(|it| rule('+', it)));
    page.extend(diff.rules_moved.iter().map(|it| rule('~', it)));
    page.extend(diff.lines_removed.iter().map(|it| line('-', it)));
    page.extend(diff.lines_added.iter().map(|it| line('+', it)));
    page.extend(diff.flips.iter().map(flip));
    page.push_str(match diff.answers {
        Comparison::Same if diff.rules().next().is_some() => "no URL's result changed\n",
        Comparison::Unknown => "no URL was found whose result changed\n",
        Comparison::Same | Comparison::Changed => "",
    });
    page
}

fn rule(sign: char, rule: &ChangedRule) -> String {
    let was = rule.old_line.map(|line| format!(", was line {line}")).unwrap_or_default();
    let witness = match rule.witness {
        Witness::Found => "",
        Witness::Impossible => "; changes no result",
        Witness::NotFound => "; no URL found",
        Witness::NotSearched => "; not searched",
    };
    let pattern = text::escape(rule.pattern.as_bytes());
    format!("{sign} {}: {pattern}  (line {}{was}{witness})\n", rule.kind.as_str(), rule.line)
}

fn flip(flip: &Flip) -> String {
    let word = if flip.allowed { "now allowed" } else { "now disallowed" };
    format!("! {}  {word}\n", text::escape(flip.path.as_bytes()))
}
