//! What is said of URLs, one by one: why each has its answer (`explain --url`), and what its content may be used for
//! (`usage`).
//!
//! Invariant: the URLs are answered in order. This is for people to read and for programs to act on, so the exit code
//! does not depend on it.

use std::io::Write as _;
use std::path::Path;

use robosieve_ask::Plan;
use robosieve_explain::{Answer, AnsweredUse, Usage, Why};
use serde::Serialize;

use crate::args::{ExplainArgs, UsageArgs};
use crate::exit::{Code, Failure};
use crate::input::{self, Folders, Input};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::{asked, output};

const FORM: &str = "robosieve usage --agent MyBot robots.txt URL...";

pub(crate) fn usage(args: &UsageArgs) -> Result<Code, Failure> {
    let plan = Plan::new(&args.choices.0)?.for_agents(Some(args.agents.agents()));
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    let (Some(file), false) = (&args.file, args.urls.is_empty()) else {
        return Err(Failure::Usage(format!("name the robots.txt file first, then the URLs: `{FORM}`")));
    };
    asked::check(args.urls.iter().map(AsRef::as_ref), &format!("the robots.txt file comes before the URLs: `{FORM}`"))?;
    let (input, found) = asked::read(file, &plan, false)?;
    input.expect(&found, &plan.fail_on)?;
    for url in &args.urls {
        let usage = Usage::new(&input.bytes, &input.plan(&plan).verdicts, &plan.groups, url.as_encoded_bytes());
        print(args.json, &input, &usage, (&usage.answer, &usage.url), || lines_of_usage(&usage))?;
    }
    Ok(Code::Fine)
}

pub(crate) fn why(args: &ExplainArgs, plan: &Plan) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    asked::check(args.urls.iter().map(AsRef::as_ref), "a file is named without --url")?;
    let mut code = Code::Fine;
    let files = input::or_stdin(&args.files)?;
    input::expect_there(&files, Folders::Refused)?;
    for file in &files {
        code = code.after(why_of_file(args, plan, file))?;
    }
    Ok(code)
}

fn why_of_file(args: &ExplainArgs, plan: &Plan, file: &Path) -> Result<(), Failure> {
    let (input, found) = asked::read(file, plan, false)?;
    for url in &args.urls {
        let why = Why::new(&input.bytes, &input.plan(plan).verdicts, &plan.groups, url.as_encoded_bytes());
        print(args.json, &input, &why, (&why.answer, &why.url), || lines_of_why(&input.name, &why))?;
    }
    input.expect(&found, &plan.fail_on)
}

/// Lines below a URL, each with what comes before it.
type Lines = Vec<(String, String)>;

fn below(text: String) -> (String, String) {
    ("  ".into(), text)
}

/// Prints what was found of a URL: as data, or the answer and lines below it.
fn print(
    as_json: bool,
    input: &Input,
    found: &impl Serialize,
    (answer, url): (&Answer, &str),
    lines: impl FnOnce() -> Lines,
) -> Result<(), Failure> {
    if as_json {
        return output::print_json_of_file(&input.name, found);
    }
    shade::print(|out| {
        let width = shade::limit();
        let (style, word) = (if answer.allowed { OURS } else { LOST }, answer.word());
        let url = shade::wrapped(url, word.len().saturating_add(1), 0, width);
        writeln!(out, "{style}{word}{style:#} {HEADING}{url}{HEADING:#}")?;
        lines().iter().try_for_each(|(before, text)| {
            writeln!(out, "{before}{}", shade::wrapped(text, before.len().min(RULE), 2, width))
        })
    })
}

/// Where a rule begins.
const RULE: usize = 9;

fn lines_of_usage(usage: &Usage) -> Lines {
    let mut lines = vec![usage.answer.words()];
    if !usage.answer.allowed {
        lines.push("it may not be fetched, so no line says what its content may be used for".into());
        return lines.into_iter().map(below).collect();
    }
    lines.extend(usage.uses.iter().map(AnsweredUse::words));
    let ignored = usage.ignored.iter().map(|one| format!("ignored, it has no meaning: {}", one.words()));
    lines.extend(ignored);
    let meant = usage.meant.iter().map(|one| format!("ignored, its name has a slip of the pen: {}", one.words()));
    lines.extend(meant);
    if usage.more_ignored > 0 {
        lines.push(format!("and {} more that are ignored", usage.more_ignored));
    }
    lines.into_iter().map(below).collect()
}

fn lines_of_why(file: &str, why: &Why) -> Lines {
    let path = (why.path != why.url).then(|| below(format!("compared as {}", why.path)));
    let rules = why.rules.iter().map(|rule| {
        let mark = if rule.decides { '>' } else { ' ' };
        let number = rule.line.map_or_else(|| "-".into(), |line| line.to_string());
        let text = format!("{}: {}  ({})", rule.kind.as_str(), rule.pattern, rule.words);
        (format!("{mark} {number:>5}  "), text)
    });
    let others = why.dialects.iter().filter(|other| other.answer.allowed != why.answer.allowed);
    let others = others
        .map(|other| below(format!("dialect {}: {}: {}", other.dialect, other.answer.word(), other.answer.words())));
    let group = below(format!("{file}: {}", why.group));
    path.into_iter().chain([group]).chain(rules).chain([below(why.reason.clone())]).chain(others).collect()
}
