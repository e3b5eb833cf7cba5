//! Prints changes and shares, and draws these.
//!
//! Invariant: everything of a crawl was escaped when it was read. JSON and CSV have a row for each site, crawler and
//! change; the text has one for all crawlers of a site that changed in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use robosieve_batch::csv;
use robosieve_batch::json;
use robosieve_explain::{ChartLine, line_chart};
use serde::Serialize;

use super::Form;
use super::track::{Change, LEVELS, Seen, Share};
use crate::exit::Failure;
use crate::output;
use crate::text::{self, counted};

/// The number of lines with a change, and the number of names in a list. Our choice.
const MAX_LINES: usize = 100;
const MAX_NAMES: usize = 20;

/// A change.
pub(super) struct Event<'e> {
    pub(super) site: &'e str,
    pub(super) agent: &'e str,
    pub(super) change: Change,
    pub(super) before: &'e Seen,
    pub(super) after: &'e Seen,
    /// What the texts say of it.
    pub(super) lines: &'e [String],
}

#[derive(Serialize)]
struct Line<'l> {
    v: u8,
    site: &'l str,
    agent: &'l str,
    change: &'static str,
    from: Option<&'l str>,
    to: Option<&'l str>,
    before: Crawled<'l>,
    after: Crawled<'l>,
    lines: &'l [String],
}

#[derive(Serialize)]
struct Crawled<'l> {
    crawl: &'l str,
    time: Option<&'l str>,
}

/// What a site changed in the same way for several crawlers: the change, the crawls and times, the lines.
type Group = (Change, [String; 2], Vec<String>);

/// Prints changes.
pub(super) struct Printer<'p> {
    form: Form,
    is_on: bool,
    crawls: &'p [&'p str],
    out: BufWriter<StdoutLock<'static>>,
    /// The site whose changes are collected, for people.
    site: Option<String>,
    groups: BTreeMap<Group, Vec<String>>,
}

impl<'p> Printer<'p> {
    pub(super) fn new(form: Form, is_on: bool, crawls: &'p [&'p str]) -> Result<Self, Failure> {
        let mut out = output::stdout();
        if is_on && form == Form::Csv {
            let names = ["v", "site", "agent", "change", "from", "to"];
            let crawls = ["crawl_before", "time_before", "crawl_after", "time_after", "lines"];
            csv::row(&mut out, names.into_iter().chain(crawls)).map_err(|error| Failure::stdout(&error))?;
        }
        Ok(Self { form, is_on, crawls, out, site: None, groups: BTreeMap::new() })
    }

    pub(super) fn add(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        if !self.is_on {
            return Ok(());
        }
        self.write(event).map_err(|error| Failure::stdout(&error))
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event { site, agent, change, before, after, lines } = event;
        let lines = lines.get(..MAX_LINES).unwrap_or(lines);
        let crawls = [before, after].map(|seen| Crawled {
            crawl: self.crawls.get(seen.crawl).copied().unwrap_or_default(),
            time: seen.time.as_deref(),
        });
        match self.form {
            Form::Text => {
                if self.site.as_deref() != Some(*site) {
                    self.flush()?;
                    self.site = Some((*site).to_owned());
                }
                let crawls = crawls.map(|seen| match seen.time {
                    Some(time) => format!("{} ({time})", seen.crawl),
                    None => seen.crawl.to_owned(),
                });
                // Crawlers that changed in the same way are one entry, so no line names one of them.
                let of_all = |line: &str| match line.strip_prefix("for ") {
                    Some(named) => named.split_once(": ").map(|(_, rest)| rest.to_owned()),
                    None => Some(line.to_owned()),
                };
                let head = lines.first().and_then(|line| of_all(line));
                let lines = head.into_iter().chain(lines.iter().skip(1).cloned()).collect();
                let group = (change.clone(), crawls, lines);
                self.groups.entry(group).or_default().push((*agent).to_owned());
                Ok(())
            }
            Form::Ndjson => {
                let (from, to) = (change.from.as_deref(), change.to.as_deref());
                let [before, after] = crawls;
                let line = Line { v: 1, site, agent, change: change.what, from, to, before, after, lines };
                self.out.write_all(&json::line(&line)?)
            }
            Form::Csv => {
                let [before, after] = crawls;
                let (from, to) = (change.from.as_deref().unwrap_or(""), change.to.as_deref().unwrap_or(""));
                let times = [before.time.unwrap_or(""), after.time.unwrap_or("")];
                let lines = lines.join("\n");
                let fields =
                    ["1", site, agent, change.what, from, to, before.crawl, times[0], after.crawl, times[1], &lines];
                csv::row(&mut self.out, fields)
            }
        }
    }

    /// Prints what was collected of a site.
    fn flush(&mut self) -> io::Result<()> {
        let Some(site) = self.site.take() else { return Ok(()) };
        if !site.is_empty() {
            writeln!(self.out, "== {site}")?;
        }
        // The same lines make several changes, and are shown once.
        let mut shown = BTreeSet::new();
        for ((change, [before, after], lines), agents) in std::mem::take(&mut self.groups) {
            let names = text::listed(&agents, MAX_NAMES);
            let values = match (&change.from, &change.to) {
                (None, None) => String::new(),
                (from, to) => {
                    let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not said".into());
                    format!(" from {} to {}", said(from), said(to))
                }
            };
            writeln!(self.out, "{}{values}: {names}", change.what)?;
            writeln!(self.out, "  after {before}, in {after}")?;
            if !shown.contains(&lines) {
                lines.iter().try_for_each(|line| writeln!(self.out, "    {line}"))?;
                shown.insert(lines);
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.flush().and_then(|()| self.out.flush()).map_err(|error| Failure::stdout(&error))
    }
}

#[derive(Serialize)]
struct ShareLine<'l> {
    v: u8,
    crawl: &'l str,
    agent: &'l str,
    sites: u64,
    none: u64,
    some: u64,
    all: u64,
    named: u64,
}

/// Prints the shares of all crawls and crawlers.
pub(super) fn shares(form: Form, crawls: &[&str], agents: &[(String, Vec<Share>)]) -> Result<(), Failure> {
    let mut out = output::stdout();
    let written = match form {
        Form::Text => shares_for_people(&mut out, crawls, agents),
        Form::Ndjson | Form::Csv => shares_for_machines(&mut out, form, crawls, agents),
    };
    written.and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

fn shares_for_machines(
    out: &mut impl Write,
    form: Form,
    crawls: &[&str],
    agents: &[(String, Vec<Share>)],
) -> io::Result<()> {
    if form == Form::Csv {
        csv::row(&mut *out, ["v", "crawl", "agent", "sites", "none", "some", "all", "named"])?;
    }
    for (place, crawl) in crawls.iter().enumerate() {
        for (agent, shares) in agents {
            let Some(Share { sites, levels: [none, some, all], named }) = shares.get(place).copied() else { continue };
            if form == Form::Csv {
                let counts = [sites, none, some, all, named].map(|count| count.to_string());
                let texts = ["1", crawl, agent].map(str::to_owned);
                csv::row(&mut *out, texts.into_iter().chain(counts))?;
            } else {
                let line = ShareLine { v: 1, crawl, agent, sites, none, some, all, named };
                out.write_all(&json::line(&line)?)?;
            }
        }
    }
    Ok(())
}

/// A table with a line for each crawler and a column for each crawl.
fn shares_for_people(out: &mut impl Write, crawls: &[&str], agents: &[(String, Vec<Share>)]) -> io::Result<()> {
    let closed = LEVELS.len().saturating_sub(1);
    for (place, crawl) in crawls.iter().enumerate() {
        let sites = agents.iter().filter_map(|(_, shares)| Some(shares.get(place)?.sites)).max().unwrap_or_default();
        let sites = counted(sites, "site", "sites");
        writeln!(out, "{}: {crawl}, {sites}", place.saturating_add(1))?;
    }
    let width = agents.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().clamp(5, 40);
    write!(out, "{:width$}", "closed")?;
    (1..=crawls.len()).try_for_each(|crawl| write!(out, "  {crawl:>7}"))?;
    writeln!(out)?;
    for (name, shares) in agents {
        write!(out, "{name:width$}")?;
        for share in shares {
            match share.sites {
                0 => write!(out, "  {:>7}", "-")?,
                _ => write!(out, "  {:>5.1} %", share.percent(closed))?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Refuses a name that says another form.
pub(super) fn expect_svg(path: &Path) -> Result<&Path, Failure> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return Ok(path);
    }
    Err(Failure::Usage(format!("{}: the chart is a picture: call it .svg", text::name_of(path))))
}

/// Draws how many sites are closed, over the crawls: the lines are the crawlers that are closed most in the last one.
pub(super) fn chart(crawls: &[&str], agents: &[(String, Vec<Share>)]) -> String {
    let closed = LEVELS.len().saturating_sub(1);
    let last = |shares: &[Share]| shares.iter().rev().find(|share| share.sites > 0).map(|share| share.percent(closed));
    let mut chosen: Vec<_> = agents.iter().filter_map(|(name, shares)| Some((last(shares)?, name, shares))).collect();
    chosen.sort_by(|one, other| other.0.total_cmp(&one.0));
    let lines = chosen.into_iter().take(ChartLine::MOST).map(|(_, name, shares)| {
        let percent = shares.iter().map(|share| (share.sites > 0).then(|| share.percent(closed)));
        ChartLine { name: name.clone(), percent: percent.collect() }
    });
    line_chart("Sites that are closed as a whole", crawls, &lines.collect::<Vec<_>>())
}
