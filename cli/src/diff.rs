//! `diff`: what changed for an agent between two files.
//!
//! Invariant: both files are read under the same plan, and compared as the library compares canonical records; what is
//! printed of them has been through [`text`] or [`json`].

use std::path::Path;

use robosieve::{ChangedLine, ChangedRule, Diff, Flip, Report};
use serde::Serialize;

use crate::args::DiffArgs;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Input};
use crate::plan::Plan;
use crate::{json, output, report, text};

pub(crate) fn run(args: &DiffArgs) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::Usage("say for whom: `--agent MyBot`, your crawler's product token".into()));
    }
    if input::is_stdin(&args.old) && input::is_stdin(&args.new) {
        return Err(Failure::Usage("`-` stands for the standard input, which can be read once: name it once".into()));
    }
    let plan =
        Plan::new(&args.reading.choices(), args.agents.agents()).map_err(|error| Failure::Usage(error.to_string()))?;
    let (old, new) = (read(&args.old, &plan)?, read(&args.new, &plan)?);
    let sieve = plan.sieve();
    let sieved = |input: &'_ Input| -> Result<_, Failure> {
        sieve.run(&input.octets).map_err(|refused| Failure::refused(&input.name, refused)).map(|it| {
            if !args.quiet {
                tell_losses(&input.name, it.report());
            }
            it.records().clone().into_owned()
        })
    };
    let diff = Diff::of(&sieved(&old)?, &sieved(&new)?);
    if args.json {
        let line = Line { v: 1, same: diff.is_empty(), diff: &diff };
        output::print(&json::line(&line).map_err(|error| Failure::stdout(&error))?)?;
    } else if !args.quiet {
        output::print(page(&diff).as_bytes())?;
    }
    if !args.quiet {
        tell_untried(&diff);
    }
    Ok(if diff.is_empty() { Code::Fine } else { Code::Disallowed })
}

fn read(file: &Path, plan: &Plan) -> Result<Input, Failure> {
    input::read(file, plan.max_bytes())
}

/// What a limit took cannot be compared.
fn tell_losses(file: &str, found: &Report) {
    if !found.is_exact() {
        exit::tell(&format!("{file}: {}, so a change may go unseen", report::exactness(found)));
    }
}

/// A URL that was not looked for may be there.
fn tell_untried(diff: &Diff) {
    if diff.untried > 0 {
        let changed = diff.rules_added.len().saturating_add(diff.rules_removed.len());
        exit::tell(&format!(
            "for {} of {changed} changed rules no URL was looked for to the end: with so many rules with stars that takes too long",
            diff.untried
        ));
    }
}

#[derive(Serialize)]
struct Line<'d> {
    v: u8,
    same: bool,
    #[serde(flatten)]
    diff: &'d Diff,
}

fn page(diff: &Diff) -> String {
    let mut page = String::new();
    let rule = |sign: char, rule: &ChangedRule| {
        let pattern = text::escape(rule.pattern.as_bytes());
        format!("{sign} {}: {pattern}  (line {})\n", rule.kind.as_str(), rule.line)
    };
    let line = |sign: char, line: &ChangedLine| {
        format!("{sign} {}: {}\n", text::escape(line.name.as_bytes()), text::escape(line.value.as_bytes()))
    };
    page.extend(diff.rules_removed.iter().map(|it| rule('-', it)));
    page.extend(diff.rules_added.iter().map(|it| rule('+', it)));
    page.extend(diff.lines_removed.iter().map(|it| line('-', it)));
    page.extend(diff.lines_added.iter().map(|it| line('+', it)));
    page.extend(diff.flips.iter().map(flip));
    if !diff.is_empty() && diff.flips.is_empty() && diff.untried == 0 {
        page.push_str("no URL was found that is answered otherwise\n");
    }
    page
}

fn flip(flip: &Flip) -> String {
    let word = if flip.allowed { "now allowed" } else { "now disallowed" };
    format!("! {}  {word}\n", text::escape(flip.path.as_bytes()))
}
