//! `usage`: says what the content of URLs may be used for.
//!
//! Invariant: the URLs are answered in order. This is for people to read and for programs to act on, so the exit code
//! does not depend on it.

use std::io::{self, Write};

use robosieve_ask::Plan;
use robosieve_explain::Usage;

use crate::args::UsageArgs;
use crate::exit::{Code, Failure};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::{asked, output, urls};

const FORM: &str = "robosieve usage --agent MyBot robots.txt URL...";

pub(crate) fn run(args: &UsageArgs) -> Result<Code, Failure> {
    let plan = Plan::new(&args.choices.0)?.for_agents(Some(args.agents.agents()));
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    let (Some(file), false) = (&args.file, args.urls.is_empty()) else {
        return Err(Failure::Usage(format!("name the robots.txt file first, then the URLs: `{FORM}`")));
    };
    urls::check(&args.urls)?;
    let (input, found) = asked::read(file, &plan, false)?;
    input.expect(&found, &plan.fail_on)?;
    for url in &args.urls {
        let usage = Usage::new(&input.bytes, &input.plan(&plan).verdicts, &plan.groups, url.as_encoded_bytes());
        if args.json {
            output::print_json_of_file(&input.name, &usage)
        } else {
            shade::print(|out| write_usage(out, &usage))
        }?;
    }
    Ok(Code::Fine)
}

fn write_usage(out: &mut impl Write, usage: &Usage) -> io::Result<()> {
    let width = shade::limit();
    let style = if usage.answer.allowed { OURS } else { LOST };
    let word = usage.answer.word();
    let url = shade::wrapped(&usage.url, word.len().saturating_add(1), 0, width);
    writeln!(out, "{style}{word}{style:#} {HEADING}{url}{HEADING:#}")?;
    let mut line = |text: String| writeln!(out, "  {}", shade::wrapped(&text, 2, 2, width));
    line(usage.answer.words())?;
    if !usage.answer.allowed {
        return line("it may not be fetched, so no line says what its content may be used for".into());
    }
    for one in &usage.uses {
        line(one.words())?;
    }
    for ignored in &usage.ignored {
        line(format!("ignored, it has no meaning: {}", ignored.words()))?;
    }
    for meant in &usage.meant {
        line(format!("ignored, its name has a slip of the pen: {}", meant.words()))?;
    }
    if usage.more_ignored > 0 {
        line(format!("and {} more that are ignored", usage.more_ignored))?;
    }
    Ok(())
}
