//! `explain --url`: says why a URL has its answer.

use std::io::{self, Write};
use std::path::Path;

use robosieve_ask::Plan;
use robosieve_explain::Why;

use crate::args::ExplainArgs;
use crate::exit::{Code, Failure};
use crate::input::{self, Folders, Input};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::{asked, output, urls};

pub(super) fn run(args: &ExplainArgs, plan: &Plan) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    urls::check(&args.urls)?;
    let mut code = Code::Fine;
    let files = input::or_stdin(&args.files)?;
    input::expect_there(&files, Folders::Refused)?;
    for file in &files {
        code = code.after(of_file(args, plan, file))?;
    }
    Ok(code)
}

fn of_file(args: &ExplainArgs, plan: &Plan, file: &Path) -> Result<(), Failure> {
    let (input, found) = asked::read(file, plan, false)?;
    for url in &args.urls {
        let why = Why::new(&input.bytes, &input.plan(plan).verdicts, &plan.groups, url.as_encoded_bytes());
        if args.json {
            output::print_json_of_file(&input.name, &why)
        } else {
            shade::print(|out| write_why(out, &input, &why))
        }?;
    }
    input.expect(&found, &plan.fail_on)
}

fn write_why(out: &mut impl Write, input: &Input, why: &Why) -> io::Result<()> {
    let width = shade::limit();
    let style = if why.answer.allowed { OURS } else { LOST };
    let (word, behind) = (why.answer.word(), why.answer.word().len().saturating_add(1));
    let url = shade::wrapped(&why.url, behind, 0, width);
    writeln!(out, "{style}{word}{style:#} {HEADING}{url}{HEADING:#}")?;
    let mut line = |text: String| writeln!(out, "  {}", shade::wrapped(&text, 2, 2, width));
    if why.path != why.url {
        line(format!("compared as {}", why.path))?;
    }
    line(format!("{}: {}", input.name, why.group))?;
    for rule in &why.rules {
        let mark = if rule.decides { '>' } else { ' ' };
        let number = rule.line.map_or_else(|| "-".into(), |line| line.to_string());
        let text = format!("{}: {}  ({})", rule.kind.as_str(), rule.pattern, rule.words);
        writeln!(out, "{mark} {number:>5}  {}", shade::wrapped(&text, 9, 2, width))?;
    }
    let mut line = |text: String| writeln!(out, "  {}", shade::wrapped(&text, 2, 2, width));
    line(why.reason.clone())?;
    for other in why.dialects.iter().filter(|other| other.answer.allowed != why.answer.allowed) {
        line(format!("dialect {}: {}: {}", other.dialect, other.answer.word(), other.answer.words()))?;
    }
    Ok(())
}
