//! `explain --url`: says why a URL has its answer.

use std::io::{self, Write};

use robosieve_batch::target;
use robosieve_explain::Why;
use serde::Serialize;

use super::{HEADING, LOST, OURS};
use crate::args::ExplainArgs;
use crate::exit::{Code, Failure};
use crate::input::Input;
use crate::plan::Plan;
use crate::text::escape;
use crate::{input, json, output, report, shade};

pub(super) fn run(args: &ExplainArgs, plan: &Plan) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    for url in &args.urls {
        let url = url.as_encoded_bytes();
        target::check(url)
            .map_err(|message| Failure::Usage(format!("`{}` cannot be tested as a URL: {message}", escape(url))))?;
    }
    let mut code = Code::Fine;
    for file in &input::or_stdin(&args.files)? {
        let done = input::read(file, plan.max_bytes()).and_then(|input| of_file(args, plan, &input));
        code = code.after(done)?;
    }
    Ok(code)
}

fn of_file(args: &ExplainArgs, plan: &Plan, input: &Input) -> Result<(), Failure> {
    input.warn_if_empty();
    let (_, found) = plan.tester(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
    report::tell_doubts(&input.name, &found, "results may differ; see `robosieve inspect`", "; see `robosieve lint`");
    for url in &args.urls {
        let why = Why::new(&input.bytes, plan.verdicts(), &plan.interest, url.as_encoded_bytes());
        if args.json {
            print_json(&input.name, &why)
        } else {
            shade::print(args.color, |out| write_why(out, input, &why))
        }?;
    }
    input.expect(&found, &plan.fail_on)
}

fn print_json(file: &str, why: &Why) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'l> {
        v: u8,
        file: &'l str,
        #[serde(flatten)]
        why: &'l Why,
    }
    output::print(&json::line(&Line { v: 1, file, why }).map_err(|error| Failure::stdout(&error))?)
}

fn write_why(out: &mut impl Write, input: &Input, why: &Why) -> io::Result<()> {
    let style = if why.answer.allowed { OURS } else { LOST };
    writeln!(out, "{style}{}{style:#} {HEADING}{}{HEADING:#}", why.answer.word(), why.url)?;
    if why.path != why.url {
        writeln!(out, "  compared as {}", why.path)?;
    }
    writeln!(out, "  {}: {}", input.name, why.group)?;
    for rule in &why.rules {
        let mark = if rule.decides { '>' } else { ' ' };
        let line = rule.line.map_or_else(|| "-".into(), |line| line.to_string());
        writeln!(out, "{mark} {line:>5}  {}: {}  ({})", rule.kind.as_str(), rule.pattern, rule.words)?;
    }
    writeln!(out, "  {}", why.reason)?;
    for other in why.dialects.iter().filter(|other| other.answer.allowed != why.answer.allowed) {
        writeln!(out, "  dialect {}: {}: {}", other.dialect, other.answer.word(), other.answer.words())?;
    }
    Ok(())
}
