//! `explain`: prints a [`Page`], as text, as data or as a web page; or a picture of the paths.
//!
//! Invariant: every line of the file that was read is shown once, in order, escaped; colour is the only thing that a
//! terminal gets in addition to printable ASCII.

mod why;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use robosieve::report::{Effect, FindingClass};
use robosieve_explain::{ExplainedFinding, Meaning, Page, PageLine, Who, explained_html, svg};

use crate::args::ExplainArgs;
use crate::choices::Choices;
use crate::exit::{Code, Failure};
use crate::input::{self, Input};
use crate::plan::Plan;
use crate::shade::{self, HEADING, LOST, OURS};
use crate::text::{self, counted, counted_len};
use crate::{output, report};

const QUIET: Style = Style::new().dimmed();
const MEANT: Style = AnsiColor::Cyan.on_default();
const REPAIRED: Style = AnsiColor::Yellow.on_default();

/// The maximum width of the column of lines, with meanings next to it.
const COLUMN: usize = 44;

pub(crate) fn run(args: &ExplainArgs) -> Result<Code, Failure> {
    let choices = Choices { all_agents: Some(args.agents.is_empty()), ..args.choices.clone() };
    let plan = Plan::new(&choices, args.agents.agents())?;
    let explainer = plan.explainer();
    if !args.urls.is_empty() {
        return why::run(args, &plan);
    }
    let files = input::or_stdin(&args.files)?;
    if (args.html || args.svg) && files.len() > 1 {
        return Err(Failure::Usage("a page or a picture is of one FILE: run the command for each file".into()));
    }
    let mut code = Code::Fine;
    for file in &files {
        let mut is_refused = false;
        let done = input::read(file, plan.max_bytes()).and_then(|input| {
            input.warn_if_empty();
            let page = explainer.page(&input.bytes);
            is_refused = page.refused.is_some();
            input.warn_if_foreign(&page.report);
            match args {
                _ if args.json => output::print(&output::json_of_file(&input.name, &page)?),
                _ if args.html => output::print(explained_html(&input.name, &input.bytes, &explainer).as_bytes()),
                _ if args.svg => output::print(svg(&input.name, &explainer.tree(&input.bytes)).as_bytes()),
                _ => print_text(args, &input, &page, files.len() > 1),
            }?;
            input.expect(&page.report, &plan.fail_on)
        });
        // The page tells it.
        let told = if is_refused { Code::Refused } else { Code::Fine };
        code = code.after(done)?.and(told);
    }
    Ok(code)
}

fn print_text(args: &ExplainArgs, input: &Input, page: &Page<'_>, has_heading: bool) -> Result<(), Failure> {
    shade::print(args.color, |out| write_page(out, input, page, has_heading))
}

fn write_page(out: &mut impl Write, input: &Input, page: &Page<'_>, has_heading: bool) -> io::Result<()> {
    if has_heading {
        writeln!(out, "{HEADING}{}{HEADING:#}", input.name)?;
    }
    let digits = page.lines.len().to_string().len();
    let shown: Vec<String> = page.lines.iter().map(|line| text::escape_short(line.bytes)).collect();
    let column = shown.iter().map(String::len).filter(|length| *length <= COLUMN).max().unwrap_or(0);
    for (line, shown) in page.lines.iter().zip(&shown) {
        write_line(out, line, shown, &line.words(), digits, column)?;
    }
    write_summary(out, page)
}

fn write_line(
    out: &mut impl Write,
    line: &PageLine<'_>,
    shown: &str,
    meaning: &str,
    digits: usize,
    column: usize,
) -> io::Result<()> {
    let margin = digits.saturating_add(4);
    let behind = margin.saturating_add(column);
    let style = match line.meaning {
        _ if line.ours => OURS,
        Meaning::Comment | Meaning::Blank | Meaning::LeftOut { .. } | Meaning::NotRead => QUIET,
        _ => Style::new(),
    };
    let mark = if line.ours { '>' } else { ' ' };
    let number = line.number;
    let head = format!("{style}{mark} {number:>digits$}  {shown}{style:#}");
    if meaning.is_empty() {
        writeln!(out, "{head}")?;
    } else if shown.len() <= column {
        let gap = column.saturating_sub(shown.len()).saturating_add(2);
        writeln!(out, "{head}{:gap$}{MEANT}{meaning}{MEANT:#}", "")?;
    } else {
        writeln!(out, "{head}\n{:behind$}  {MEANT}{meaning}{MEANT:#}", "")?;
    }
    for finding in &line.findings {
        let style = style_of(*finding);
        writeln!(out, "{:behind$}  {style}^ {}{style:#}", "", finding.words())?;
    }
    Ok(())
}

fn style_of(finding: ExplainedFinding) -> Style {
    match finding.class {
        FindingClass::Loss if finding.effect != Effect::None => LOST,
        FindingClass::Suspect => LOST,
        FindingClass::Loss | FindingClass::Repair | FindingClass::Ignored => REPAIRED,
        FindingClass::Note => MEANT,
    }
}

fn write_summary(out: &mut impl Write, page: &Page<'_>) -> io::Result<()> {
    let records = counted_len(page.records, "record", "records");
    let agents = counted_len(page.user_agents, "user-agent line", "user-agent lines");
    let outcome = page.refused.map_or_else(|| report::exactness(&page.report), |refused| refused.to_string());
    writeln!(out, "\n{HEADING}{records}, {agents}: {outcome}{HEADING:#}")?;
    if let Some(who) = &page.who {
        writeln!(out, "{OURS}>{OURS:#} {}", words_of(who, page))?;
    }
    for (kind, count) in page.report.counts() {
        let findings = counted(count, "finding", "findings");
        writeln!(out, "  {findings}: {} [{}]", kind.text(), kind.clause())?;
    }
    Ok(())
}

fn words_of(who: &Who, page: &Page<'_>) -> String {
    let instead = if page.disallows_all() { ", `Disallow: /` instead of the lost rules" } else { "" };
    match page.refused {
        None => format!("{}: {}{instead}", who.words(), report::rules(page.rules)),
        Some(_) => format!("{}: refused", who.words()),
    }
}
