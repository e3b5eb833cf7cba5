//! `explain`: prints a [`Page`], as text or as data; with --url, why each URL has its answer.
//!
//! Invariant: every line of the file that was read is shown once, in order, escaped; colour is the only thing that a
//! terminal gets in addition to harmless text. This is for people to read and for programs to act on, so the exit code
//! does not depend on the answers.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use robosieve::report::{Effect, FindingClass};
use robosieve_ask::Plan;
use robosieve_explain::{ExplainedFinding, Explainer, Meaning, Page, PageLine, Standing, Who, Why};
use textwrap::core::display_width;

use crate::args::ExplainArgs;
use crate::exit::{Code, Failure};
use crate::input::{self, Input};
use crate::report::{self, tell_documented};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::text::{self, counted, counted_len};
use crate::{asked, output};

const QUIET: Style = Style::new().dimmed();
const MEANT: Style = AnsiColor::Cyan.on_default();
const REPAIRED: Style = AnsiColor::Yellow.on_default();

/// The maximum width of the column of lines, with meanings next to it.
const COLUMN: usize = 44;

/// The space that meanings need next to the lines. With less, they are below them.
const MEANING: usize = 30;

pub(crate) fn run(args: &ExplainArgs) -> Result<Code, Failure> {
    let plan = Plan::new(&args.choices.0)?.for_agents(args.agents.given());
    if !args.urls.is_empty() {
        return why(args, &plan);
    }
    input::each_named(&args.files, |file| {
        let input = input::read(file, plan.options.limits.max_bytes)?;
        input.warn_if_empty();
        let explainer = input.plan(&plan).explainer();
        let page = explainer.page(&input.bytes);
        // The page tells it.
        let code = if page.refused.is_some() { Code::Refused } else { Code::Fine }.known();
        input.warn_if_foreign(&page.report);
        page.who.iter().for_each(|who| tell_documented(&input.name, who));
        if args.json {
            output::print_json_of_file(&input.name, &page)?;
        } else {
            shade::print(|out| {
                if args.files.len() > 1 {
                    writeln!(out, "{HEADING}{}{HEADING:#}", input.name)?;
                }
                write_page(out, &input, &page, &explainer)
            })?;
        }
        input.expect(&page.report, &plan.fail_on)?;
        Ok(code)
    })
}

/// Writes a file line by line, and what it comes to.
fn write_page(out: &mut impl Write, input: &Input, page: &Page<'_>, explainer: &Explainer) -> io::Result<()> {
    let shown: Vec<String> = page.lines.iter().map(|line| text::escape_short(&line.bytes)).collect();
    let layout = Layout::new(page.lines.len(), &shown, shade::limit());
    for (line, shown) in page.lines.iter().zip(&shown) {
        layout.write_line(out, line, shown, &line.long_words())?;
    }
    write_summary(out, page, layout.width)?;
    write_standing(out, input, page, explainer)
}

/// The answer in a sentence, last: there a terminal is read first.
fn write_standing(out: &mut impl Write, input: &Input, page: &Page<'_>, explainer: &Explainer) -> io::Result<()> {
    if page.refused.is_some() {
        return Ok(());
    }
    let standing = explainer.standing(&input.bytes);
    let style = match standing {
        Standing::Open => OURS,
        Standing::Closed => LOST,
        Standing::Partly => HEADING,
    };
    let words = explainer.standing_words(standing);
    writeln!(out, "{style}{words}{style:#}")
}

/// Where things stand on a line: a mark and a number, the line, and its meaning next to it or, if there is no space,
/// below it.
struct Layout {
    digits: usize,
    /// Where the line begins.
    margin: usize,
    /// The space for the line, if its meaning is next to it.
    column: usize,
    width: usize,
}

impl Layout {
    fn new(lines: usize, shown: &[String], width: usize) -> Self {
        let digits = lines.to_string().len();
        let margin = digits.saturating_add(4);
        let widest = COLUMN.min(width.saturating_sub(margin).div_euclid(2));
        let column = shown.iter().map(|text| display_width(text)).filter(|length| *length <= widest).max().unwrap_or(0);
        let has_space = width.saturating_sub(margin.saturating_add(column)) >= MEANING;
        Self { digits, margin, column: if has_space { column } else { 0 }, width }
    }

    fn write_line(&self, out: &mut impl Write, line: &PageLine<'_>, shown: &str, meaning: &str) -> io::Result<()> {
        let style = match line.meaning {
            _ if line.ours => OURS,
            Meaning::Comment | Meaning::Blank | Meaning::LeftOut { .. } | Meaning::NotRead => QUIET,
            _ => Style::new(),
        };
        let (mark, number, digits) = (if line.ours { '>' } else { ' ' }, line.number, self.digits);
        let taken = display_width(shown);
        let shown = shade::wrapped(shown, self.margin, 0, self.width);
        let gap = self.column.saturating_sub(taken).saturating_add(2);
        write!(out, "{style}{mark} {number:>digits$}  {shown}{style:#}")?;
        let after = self.margin.saturating_add(self.column).saturating_add(2);
        if meaning.is_empty() {
            writeln!(out)?;
        } else {
            let meaning = shade::wrapped(meaning, after, 0, self.width);
            let is_next_to = self.column > 0 && taken <= self.column;
            let (before, gap) = if is_next_to { ("", gap) } else { ("\n", after) };
            writeln!(out, "{before}{:gap$}{MEANT}{meaning}{MEANT:#}", "")?;
        }
        for finding in &line.findings {
            let style = style_of(*finding);
            let words = shade::wrapped(&finding.words(), after.saturating_add(2), 0, self.width);
            writeln!(out, "{:after$}{style}^ {words}{style:#}", "")?;
        }
        Ok(())
    }
}

fn style_of(finding: ExplainedFinding) -> Style {
    match finding.class {
        FindingClass::Loss if finding.effect != Effect::None => LOST,
        FindingClass::Suspect => LOST,
        FindingClass::Loss | FindingClass::Repair | FindingClass::Ignored => REPAIRED,
        FindingClass::Note => MEANT,
    }
}

fn write_summary(out: &mut impl Write, page: &Page<'_>, width: usize) -> io::Result<()> {
    let records = counted_len(page.records, "record", "records");
    let agents = counted_len(page.user_agents, "user-agent line", "user-agent lines");
    let outcome = page.refused.map_or_else(|| report::exactness(&page.report), |refused| refused.to_string());
    let outcome = shade::wrapped(&format!("{records}, {agents}: {outcome}"), 0, 2, width);
    writeln!(out, "\n{HEADING}{outcome}{HEADING:#}")?;
    if let Some(who) = &page.who {
        writeln!(out, "{OURS}>{OURS:#} {}", shade::wrapped(&words_of(who, page), 2, 2, width))?;
    }
    for (kind, count) in page.report.counts() {
        let findings = counted(count, "finding", "findings");
        let words = format!("{findings}: {} [{}]", kind.text(), kind.clause());
        writeln!(out, "  {}", shade::wrapped(&words, 2, 2, width))?;
    }
    Ok(())
}

fn words_of(who: &Who, page: &Page<'_>) -> String {
    let instead = if page.disallows_all() { ", `Disallow: /` instead of the lost rules" } else { "" };
    match page.refused {
        None => format!("{}: {}{instead}", who.words(), counted_len(page.rules, "rule", "rules")),
        Some(_) => format!("{}: refused", who.words()),
    }
}

/// Says why each URL has its answer.
fn why(args: &ExplainArgs, plan: &Plan) -> Result<Code, Failure> {
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    asked::check(args.urls.iter().map(AsRef::as_ref), "a file is named without --url")?;
    input::each_named(&args.files, |file| {
        let (input, found) = asked::read(file, plan, false)?;
        for url in &args.urls {
            let why = Why::new(&input.bytes, &input.plan(plan).verdicts, &plan.groups, url.as_encoded_bytes());
            print_why(args.json, &input, &why)?;
        }
        input.expect(&found, &plan.fail_on)?;
        Ok(Code::Fine)
    })
}

/// A line below a URL, with what comes before it.
fn below(text: String) -> (String, String) {
    ("  ".into(), text)
}

/// Prints why a URL has its answer: as data, or the answer and lines below it.
fn print_why(as_json: bool, input: &Input, why: &Why) -> Result<(), Failure> {
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

/// The lines below a URL.
fn lines_of_why(file: &str, why: &Why) -> Vec<(String, String)> {
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
