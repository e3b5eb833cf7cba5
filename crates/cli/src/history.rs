//! `history`: what sites said to crawlers, from crawl to crawl.
//!
//! Invariant: a change is between two observations of the same site and crawler, and names both. What is not known is
//! no observation.

mod at;
mod print;
mod rows;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use robosieve_batch::files::Apart;
use robosieve_census::history::{Change, Last, MAX_PAIRS, Seen, State, TooMany, Tracks};
use robosieve_census::{AgentList, Census, Form as Lines, Reading, View};

use self::print::{Event, Printer};
use self::rows::{Crawl, Found, Reader};
use crate::census::ReadWhole;
use crate::choices::Flags;
use crate::exit::{Code, Failure};
use crate::files::{self, Wanted};
use crate::input::{self, Folders, Input};
use crate::text::name_of;
use crate::{diff, output};

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Crawls, the oldest first: what `census` wrote (.ndjson or .jsonl, also with .gz or .zst, or a folder of tables, whose
    /// crawls come by name), directories of robots.txt files, or robots.txt files of one site
    #[arg(value_name = "CRAWL", required = true, value_hint = ValueHint::AnyPath)]
    crawls: Vec<PathBuf>,
    /// Crawlers, as for census
    #[arg(long, value_name = "LIST", default_value = AgentList::DEFAULT)]
    agents: String,
    /// Print how many sites each crawl has, and how much of them is closed, instead of changes
    #[arg(long, conflicts_with_all = ["url", "at"])]
    shares: bool,
    /// Draw the share of closed sites over the crawls to this .svg file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["url", "at"])]
    chart: Option<PathBuf>,
    /// Print the policy for this page at a time instead of changes
    #[arg(long, value_name = "URL", requires = "at")]
    url: Option<String>,
    /// The time: 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z; a part means its end
    #[arg(long, value_name = "TIME", requires = "url")]
    at: Option<String>,
    /// Format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
    /// Print nothing; only draw the chart
    #[arg(short, long, requires = "chart")]
    quiet: bool,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Text,
    /// A JSON object on each line
    Ndjson,
    /// Comma-separated values, with their names first
    Csv,
}

pub(crate) fn run(args: &HistoryArgs) -> Result<Code, Failure> {
    let plan = crate::census::plan(&args.choices.0)?;
    let list = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    let chart = args.chart.as_deref().map(print::expect_svg).transpose()?;
    if let Some(chart) = chart {
        expect_apart(args, chart)?;
    }
    input::expect_there(&args.crawls, Folders::Taken)?;
    let crawls: Vec<Vec<Crawl>> = args.crawls.iter().map(|path| Crawl::open(path)).collect::<Result<_, _>>()?;
    let crawls: Vec<Crawl> = crawls.into_iter().flatten().collect();
    let census = Census::new(list.clone()).options(plan.options.clone());
    let (has_named, view) = (list.named(), View::new(list, Lines::Ndjson));
    let reading = Reading::of(&plan.options, plan.names());
    let reader = Reader { plan: &plan, view, census, reading, has_named, keys: std::hash::RandomState::new() };
    if let (Some(url), Some(time)) = (&args.url, &args.at) {
        return at::run(url, time, &crawls, &reader, args.format);
    }
    if crawls.len() < 2 && !args.shares {
        return Err(Failure::Usage("name two crawls or more, the oldest first: one has no history".into()));
    }
    if crawls.iter().any(Crawl::is_text) && !crawls.iter().all(Crawl::is_text) {
        return Err(Failure::Usage(
            "robots.txt files of one site are no crawls of many: name files, or directories and censuses".into(),
        ));
    }
    let names: Vec<&str> = crawls.iter().map(|crawl| &*crawl.name).collect();
    let mut history = History {
        crawls: &crawls,
        reader: &reader,
        tracks: Tracks::new(crawls.len(), MAX_PAIRS),
        printer: Printer::new(args.format, !args.quiet && !args.shares, &names)?,
        texts: None,
        has_read: false,
    };
    let mut code = Code::Fine;
    for (place, crawl) in crawls.iter().enumerate() {
        let read = crawl.each(&reader, None, |found| history.add(place, &found))?;
        code = code.and(read);
    }
    let History { tracks, printer, has_read, .. } = history;
    printer.finish()?;
    if args.shares && !args.quiet {
        print::shares(args.format, &names, &tracks.agents)?;
    }
    if let Some(path) = chart {
        if !has_read && path.exists() {
            let name = name_of(path);
            return Err(Failure::Io(format!("{name}: not replaced: no crawl has a file or a row that can be read")));
        }
        let labels: Vec<&str> = crawls.iter().map(Crawl::label).collect();
        output::replace(path, print::chart(&labels, &tracks.agents).as_bytes())?;
    }
    Ok(code)
}

/// Checks that the chart replaces nothing that is read.
fn expect_apart(args: &HistoryArgs, chart: &Path) -> Result<(), Failure> {
    let mut apart = Apart::default();
    apart.writes(chart);
    AgentList::files(&args.agents).for_each(|path| apart.reads(path));
    for crawl in &args.crawls {
        apart.reads(crawl);
        // Links below a directory are read too.
        files::each(crawl, &Wanted::All, |found| {
            found.ok().filter(|path| path.is_symlink()).into_iter().for_each(|path| apart.reads(path));
            Ok(())
        })?;
    }
    apart.check().map_err(|clash| Failure::Usage(clash.to_string()))
}

struct History<'h> {
    crawls: &'h [Crawl],
    reader: &'h Reader<'h>,
    tracks: Tracks,
    printer: Printer<'h>,
    /// The two texts that were compared last: their paths and contents.
    texts: Option<[(PathBuf, Input); 2]>,
    /// Whether a crawl had anything that could be read.
    has_read: bool,
}

impl History<'_> {
    fn add(&mut self, crawl: usize, found: &Found<'_>) -> Result<(), Failure> {
        self.has_read = true;
        let mut states = Vec::new();
        self.reader.view.each(found.entry, &mut |said| {
            let state = State::of(&found.entry.file, &said, found.text.map(|(_, hash)| hash));
            states.extend(state.map(|state| (said.agent.to_owned(), state)));
        });
        let time: Option<std::sync::Arc<str>> = found.time.as_deref().map(Into::into);
        let mut events = Vec::new();
        for (agent, state) in states {
            let now = Last { seen: Seen { crawl, time: time.clone() }, state };
            let before = self.tracks.add(&found.site, &agent, now.clone()).map_err(|TooMany| {
                Failure::Usage(format!(
                    "more than {MAX_PAIRS} sites and crawlers: name fewer with --agents, or fewer sites"
                ))
            })?;
            let Some(before) = before else { continue };
            let mut changes = before.state.changes(&now.state);
            let lines = match found.text {
                Some((below, hash)) if before.state.text.is_some_and(|old| old != hash) => {
                    self.lines(&agent, [before.seen.crawl, crawl], below)?
                }
                _ => Vec::new(),
            };
            if changes.is_empty() && !lines.is_empty() {
                changes.push(Change { what: "rules", from: None, to: None });
            }
            for change in changes {
                let (agent, before, lines) = (agent.clone(), before.seen.clone(), lines.clone());
                events.push(Event { agent, change, before, after: now.seen.clone(), lines });
            }
        }
        self.printer.add(&found.site, events)
    }

    /// What changed for a crawler in the texts of a site.
    fn lines(&mut self, agent: &str, crawls: [usize; 2], below: &Path) -> Result<Vec<String>, Failure> {
        let paths = crawls.map(|place| self.crawls.get(place).map(|crawl| crawl.text(below)).unwrap_or_default());
        let is_held = |held: &[(PathBuf, Input); 2]| held.iter().map(|(path, _)| path).eq(&paths);
        let texts = if let Some(texts) = self.texts.take().filter(is_held) {
            texts
        } else {
            let most = self.reader.plan.max_bytes();
            let [old, new] = paths;
            let (before, after) = (input::read(&old, most)?, input::read(&new, most)?);
            [(old, before), (new, after)]
        };
        let [(_, old), (_, new)] = self.texts.insert(texts);
        Ok(diff::lines_for(old, new, agent, self.reader.plan))
    }
}
