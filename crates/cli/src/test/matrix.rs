//! `test --matrix`: a table of crawlers and URLs.
//!
//! Invariant: a row for each crawler, a column for each URL.

use std::collections::{HashMap, HashSet};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anstyle::Style;
use robosieve::printable::harmless_short;
use robosieve_ask::Plan;
use robosieve_batch::csv;
use robosieve_batch::json::json_error;
use robosieve_batch::requests::NAME_OF_CRAWLER;
use robosieve_explain::{Crawler, CrawlerList, MatrixRow, matrix};
use serde::Serialize;
use textwrap::core::display_width;

use super::strangers::Strangers;
use crate::args::{TestArgs, TestForm};
use crate::exit::{self, Code, Failure};
use crate::report::{self, tell_all};
use crate::shade::{HEADING, LOST, OURS};
use crate::text::escape;
use crate::{asked, input, output, shade};

/// What is shown of the lines about the use of content. `--json` has all.
const MOST_USES: usize = 10;

/// The widest column.
const WIDEST: usize = 36;

pub(super) fn run(args: &TestArgs, plan: &Plan) -> Result<Code, Failure> {
    let file = super::file_of(args, true)?;
    asked::check(args.urls.iter().map(AsRef::as_ref), super::FILE_FIRST)?;
    let urls: Option<Vec<&str>> = args.urls.iter().map(|url| url.to_str()).collect();
    let urls = urls.filter(|urls| !urls.is_empty() && !urls.contains(&"-")).ok_or_else(|| {
        Failure::Usage(
            "name the URLs of the table as arguments, in UTF-8: `robosieve test robots.txt --matrix /a /b`".into(),
        )
    })?;
    let list = args.crawlers_file.as_deref().map(read).transpose()?.unwrap_or_default();
    let agents = agents(args, &list)?;
    let (input, found) = asked::read(file, plan, false)?;
    input.expect(&found, &plan.fail_on)?;
    let (names, groups) = (agents.iter().map(String::as_str), |agent: &str| plan.groups_of(agent));
    let under = input.plan(plan);
    let rows = matrix(&input.bytes, &under.verdicts, groups, names, urls.iter().copied());
    let (mut code, mut documented, mut strangers) = (Code::Fine, Vec::new(), Strangers::new(plan));
    let rows = rows.map(|mut row| {
        for url in &urls {
            strangers.add(url.as_bytes());
        }
        row.crawler = row.crawler.take().or_else(|| list.find(&row.agent).cloned());
        if row.who.documented().is_some() {
            documented.push(row.agent.clone());
        }
        if row.answers.iter().any(|answer| !answer.allowed) {
            code = code.and(Code::Disallowed);
        }
        row
    });
    if args.format == TestForm::Csv {
        let mut out = output::stdout();
        cells(&urls, rows, str::to_owned)
            .iter()
            .try_for_each(|row| csv::row(&mut out, row))
            .and_then(|()| out.flush())
            .map_err(|error| Failure::stdout(&error))?;
    } else if args.json || args.format == TestForm::Json {
        print_lines(&input.name, &urls, rows).map_err(|error| Failure::stdout(&error))?;
    } else {
        let cells = folded(&cells(&urls, rows, cut));
        shade::print(|out| write_table(out, cells))?;
        if io::stdout().is_terminal() {
            exit::tell("the number after an answer is the line that decides; `group` is whose rules apply");
        }
    }
    tell_all(&input.name, documented);
    strangers.tell();
    Ok(code)
}

/// A list of crawlers.
const CRAWLERS: &str = r#"{"MyBot": {"operator": "me"}}"#;

/// Reads a list of crawlers.
fn read(path: &Path) -> Result<CrawlerList, Failure> {
    let file = input::read_whole(path, CrawlerList::MAX_BYTES)?;
    let wrong = |message: String| Failure::Io(format!("{}: {}", file.name, escape(message.as_bytes())));
    if file.bytes.len() > CrawlerList::MAX_BYTES {
        return Err(wrong(format!("more than {} bytes of crawlers: use several lists", CrawlerList::MAX_BYTES)));
    }
    let list: CrawlerList = serde_json::from_slice(&file.bytes).map_err(|error| {
        let what = if error.is_data() { "" } else { "is not JSON: " };
        wrong(format!("{what}{} at line {}: write `{CRAWLERS}`", json_error(&error), error.line()))
    })?;
    if list.iter().next().is_none() {
        return Err(wrong(format!("it has no crawler: write `{CRAWLERS}`")));
    }
    Ok(list)
}

/// The crawlers of the table, each once.
fn agents(args: &TestArgs, list: &CrawlerList) -> Result<Vec<String>, Failure> {
    let mut agents: Vec<String> = args.agent_list.iter().map(|agent| agent.trim().to_owned()).collect();
    if agents.iter().any(String::is_empty) {
        return Err(Failure::Usage(format!("a name in --agents is empty: {NAME_OF_CRAWLER}")));
    }
    report::expect_names(
        agents.iter().map(String::as_str),
        "here --crawlers KIND gives the known ones, --crawlers-file a list",
    )?;
    let is_wanted = |crawler: &&Crawler| match args.crawlers.as_deref() {
        Some(kind) => kind == "all" || crawler.is(kind),
        None => args.agent_list.is_empty() && args.crawlers_file.is_none() && crawler.documented,
    };
    let name = |crawler: &Crawler| crawler.token.clone().into_owned();
    agents.extend(Crawler::every().filter(is_wanted).map(name));
    agents.extend(list.iter().map(name));
    let mut seen = HashSet::new();
    agents.retain(|agent| seen.insert(agent.to_ascii_lowercase()));
    Ok(agents)
}

/// The fields of the table. The decided line is after the answer. `fit` shortens what an owner wrote.
fn cells(urls: &[&str], rows: impl Iterator<Item = MatrixRow>, fit: fn(&str) -> String) -> Vec<Vec<String>> {
    let head =
        ["agent".to_owned(), "group".to_owned()].into_iter().chain(urls.iter().map(|url| fit(&escape(url.as_bytes()))));
    let mut cells: Vec<Vec<String>> = vec![head.chain(["may use the content for".to_owned()]).collect()];
    for row in rows {
        let group = match (row.who.answered_by(), row.who.agent()) {
            ("agent", Some(agent)) => agent.to_owned(),
            ("everyone", _) => "*".into(),
            _ => "none".into(),
        };
        let answers = row.answers.iter().map(|answer| match answer.line {
            Some(line) => format!("{} {line}", answer.word()),
            None => answer.word().to_owned(),
        });
        let uses = row.content_signals.iter().chain(&row.content_usage);
        let more = uses.clone().count().saturating_sub(MOST_USES);
        let more = (more > 0).then(|| format!("and {more} more"));
        let uses = uses.take(MOST_USES).map(|one| harmless_short(&one.to_string(), WIDEST)).chain(more);
        let uses = uses.collect::<Vec<_>>().join(", ");
        cells.push([fit(&row.agent), fit(&group)].into_iter().chain(answers).chain([uses]).collect());
    }
    cells
}

/// Crawlers with the same row from which on they have one row together. Our choice: fewer are seen at a glance.
const FOLDED: usize = 8;

/// A table, and the names that stand for others in it.
struct Table {
    cells: Vec<Vec<String>>,
    /// The name of a folded row, and the crawlers.
    folded: Vec<(String, Vec<String>)>,
}

/// Joins the rows of crawlers of which everything is the same.
fn folded(cells: &[Vec<String>]) -> Table {
    let mut same: HashMap<&[String], Vec<(usize, &String)>> = HashMap::new();
    for (place, row) in cells.iter().enumerate().skip(1) {
        let [name, rest @ ..] = row.as_slice() else { continue };
        same.entry(rest).or_default().push((place, name));
    }
    let mut table = Table { cells: Vec::new(), folded: Vec::new() };
    for (place, row) in cells.iter().enumerate() {
        let [_, rest @ ..] = row.as_slice() else { continue };
        let crawlers = same.get(rest).filter(|crawlers| place > 0 && crawlers.len() >= FOLDED);
        match crawlers.map(Vec::as_slice) {
            None => table.cells.push(row.clone()),
            Some([(first, _), ..]) if *first == place => {
                let crawlers: Vec<String> = crawlers.into_iter().flatten().map(|(_, name)| (*name).clone()).collect();
                let mut name = format!("{} crawlers", crawlers.len());
                // Two such rows have other names, so that each is explained.
                while table.folded.iter().any(|(known, _)| *known == name) {
                    name.push_str(" more");
                }
                table.cells.push([&[name.clone()], rest].concat());
                table.folded.push((name, crawlers));
            }
            Some(_) => {}
        }
    }
    table
}

/// Writes columns of equal width, with answers in colour.
fn write_table(out: &mut impl Write, table: Table) -> io::Result<()> {
    let Table { mut cells, folded } = table;
    if cells.iter().skip(1).all(|row| row.last().is_none_or(String::is_empty)) {
        for row in &mut cells {
            row.pop();
        }
    }
    let columns = cells.first().map_or(0, Vec::len);
    let width = |column: usize| {
        cells.iter().filter_map(|row| row.get(column)).map(|cell| display_width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (place, row) in cells.iter().enumerate() {
        // Nothing is written after the last cell that has something.
        let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate().take(last.saturating_add(1)) {
            let style = match cell.split(' ').next() {
                _ if place == 0 => HEADING,
                Some("allowed") if column > 1 => OURS,
                Some("disallowed") if column > 1 => LOST,
                _ => Style::new(),
            };
            let room = if column < last { width.saturating_sub(display_width(cell)).saturating_add(2) } else { 0 };
            write!(out, "{style}{cell}{style:#}{:room$}", "")?;
        }
        writeln!(out)?;
    }
    for (name, crawlers) in &folded {
        let words = format!("{name}: {}", crawlers.join(", "));
        writeln!(out, "\n{}", shade::wrapped(&words, 0, 2, shade::limit()))?;
    }
    Ok(())
}

/// A cell that is too wide is cut.
fn cut(text: &str) -> String {
    if display_width(text) <= WIDEST {
        return text.to_owned();
    }
    let fits = |end: &usize| display_width(text.get(..*end).unwrap_or(text)) <= WIDEST.saturating_sub(3);
    let end = text.char_indices().map(|(place, _)| place).take_while(fits).last().unwrap_or(0);
    format!("{}...", text.get(..end).unwrap_or_default())
}

/// Prints a JSON object for each crawler.
fn print_lines(file: &str, urls: &[&str], rows: impl Iterator<Item = MatrixRow>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'l> {
        urls: &'l [&'l str],
        #[serde(flatten)]
        row: MatrixRow,
    }
    let mut out = output::stdout();
    for row in rows {
        output::write_json_of_file(&mut out, file, &Line { urls, row })?;
    }
    out.flush()
}
