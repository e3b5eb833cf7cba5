//! `explain --url`: why each URL has its answer.
//!
//! Invariant: the URLs are answered in order. This is for people to read and for programs to act on, so the exit code
//! does not depend on it.

use std::io::Write as _;
use std::path::Path;

use robosieve_ask::Plan;
use robosieve_explain::Why;

use crate::args::ExplainArgs;
use crate::exit::{Code, Failure};
use crate::input::{self, Folders, Input};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::{asked, output};

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
        print(args.json, &input, &why)?;
    }
    input.expect(&found, &plan.fail_on)
}

/// Lines below a URL, each with what comes before it.
type Lines = Vec<(String, String)>;

fn below(text: String) -> (String, String) {
    ("  ".into(), text)
}

/// Prints why a URL has its answer: as data, or the answer and lines below it.
fn print(as_json: bool, input: &Input, why: &Why) -> Result<(), Failure> {
    if as_json {
        return output::print_json_of_file(&input.name, why);
    }
    shade::print(|out| {
        let width = shade::limit();
        let (style, word) = (if why.answer.allowed { OURS } else { LOST }, why.answer.word());
        let url = shade::wrapped(&why.url, word.len().saturating_add(1), 0, width);
        writeln!(out, "{style}{word}{style:#} {HEADING}{url}{HEADING:#}")?;
        lines_of_why(&input.name, why).iter().try_for_each(|(before, text)| {
            writeln!(out, "{before}{}", shade::wrapped(text, before.len().min(RULE), 2, width))
        })
    })
}

/// Where a rule begins.
const RULE: usize = 9;

fn lines_of_why(file: &str, why: &Why) -> Lines {
    let path = (why.path != why.url).then(|| below(format!("compared as {}", why.path)));
    let rules = why.rules.iter().map(|rule| {
        let mark = if rule.decides { '>' } else { ' ' };
        let number = rule.line.map_or_else(|| "-".into(), |line| line.to_string());
        let text = format!("{}: {}  ({})", rule.kind, rule.pattern, rule.words);
        (format!("{mark} {number:>5}  "), text)
    });
    let others = why.dialects.iter().filter(|other| other.answer.allowed != why.answer.allowed);
    let others = others
        .map(|other| below(format!("dialect {}: {}: {}", other.dialect, other.answer.word(), other.answer.words())));
    let group = below(format!("{file}: {}", why.group));
    path.into_iter().chain([group]).chain(rules).chain([below(why.reason.clone())]).chain(others).collect()
}
