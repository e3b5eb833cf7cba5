//! Prints changes and shares, and draws these.
//!
//! Invariant: everything of a crawl was escaped when it was read. A change that several crawlers share is one entry, in
//! each form.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use robosieve_batch::csv;
use robosieve_batch::json;
use robosieve_census::history::{Change, LEVELS, Seen, Share};
use robosieve_explain::{ChartLine, line_chart};
use serde::Serialize;

use super::Form;
use crate::exit::Failure;
use crate::output;
use crate::text::{self, counted};

/// The number of lines with a change, and the number of names in a list. Our choice.
const MAX_LINES: usize = 100;
const MAX_NAMES: usize = 20;

/// A change for a crawler.
pub(super) struct Event {
    pub(super) agent: String,
    pub(super) change: Change,
    pub(super) before: Seen,
    pub(super) after: Seen,
    /// What the texts say of it.
    pub(super) lines: Vec<String>,
}

/// A change for several crawlers.
struct Shared {
    event: Event,
    agents: Vec<String>,
}

#[derive(Serialize)]
struct Line<'l> {
    v: u8,
    site: &'l str,
    agents: &'l [String],
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

/// Prints changes.
pub(super) struct Printer<'p> {
    form: Form,
    is_on: bool,
    crawls: &'p [&'p str],
    out: BufWriter<StdoutLock<'static>>,
    /// The site whose name was printed last, for people.
    site: Option<String>,
}

impl<'p> Printer<'p> {
    pub(super) fn new(form: Form, is_on: bool, crawls: &'p [&'p str]) -> Result<Self, Failure> {
        let mut out = output::stdout();
        if is_on && form == Form::Csv {
            let names = ["v", "site", "agents", "change", "from", "to"];
            let crawls = ["crawl_before", "time_before", "crawl_after", "time_after", "lines"];
            csv::row(&mut out, names.into_iter().chain(crawls)).map_err(|error| Failure::stdout(&error))?;
        }
        Ok(Self { form, is_on, crawls, out, site: None })
    }

    /// Adds the changes that a file made.
    pub(super) fn add(&mut self, site: &str, events: Vec<Event>) -> Result<(), Failure> {
        if !self.is_on || events.is_empty() {
            return Ok(());
        }
        let mut shared = together(events);
        let done = if self.form == Form::Text {
            // Like changes follow each other.
            shared.sort_by(|one, other| one.event.change.cmp(&other.event.change));
            self.write_for_people(site, &shared)
        } else {
            shared.iter().try_for_each(|one| self.write(site, one))
        };
        done.map_err(|error| Failure::stdout(&error))
    }

    fn write(&mut self, site: &str, shared: &Shared) -> io::Result<()> {
        let Shared { event: Event { change, before, after, lines, .. }, agents } = shared;
        let lines = lines.get(..MAX_LINES).unwrap_or(lines);
        let [before, after] = [before, after].map(|seen| Crawled {
            crawl: self.crawls.get(seen.crawl).copied().unwrap_or_default(),
            time: seen.time.as_deref(),
        });
        let (from, to) = (change.from.as_deref(), change.to.as_deref());
        if self.form == Form::Ndjson {
            let line = Line { v: 2, site, agents, change: change.what, from, to, before, after, lines };
            return self.out.write_all(&json::line(&line)?);
        }
        let times = [before.time.unwrap_or(""), after.time.unwrap_or("")];
        let (agents, lines) = (agents.join(" "), lines.join("\n"));
        let values = [from.unwrap_or(""), to.unwrap_or("")];
        let front = ["2", site, &agents, change.what, values[0], values[1]];
        let crawls = [before.crawl, times[0], after.crawl, times[1], &lines];
        csv::row(&mut self.out, front.into_iter().chain(crawls))
    }

    fn write_for_people(&mut self, site: &str, all: &[Shared]) -> io::Result<()> {
        if self.site.as_deref() != Some(site) {
            self.site = Some(site.to_owned());
            if !site.is_empty() {
                writeln!(self.out, "== {site}")?;
            }
        }
        // The same lines make several changes, and are shown once.
        let mut shown = BTreeSet::new();
        for Shared { event: Event { change, before, after, lines, .. }, agents } in all {
            let names = text::listed(agents, MAX_NAMES);
            let values = match (&change.from, &change.to) {
                (None, None) => String::new(),
                (from, to) => {
                    let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not said".into());
                    format!(" from {} to {}", said(from), said(to))
                }
            };
            let [before, after] = [before, after].map(|seen| {
                let crawl = self.crawls.get(seen.crawl).copied().unwrap_or_default();
                seen.time.as_ref().map_or_else(|| crawl.to_owned(), |time| format!("{crawl} ({time})"))
            });
            writeln!(self.out, "{}{values}: {names}", change.what)?;
            writeln!(self.out, "  after {before}, in {after}")?;
            let lines = lines.get(..MAX_LINES).unwrap_or(lines);
            if shown.insert(lines) {
                lines.iter().try_for_each(|line| writeln!(self.out, "    {line}"))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::stdout(&error))
    }
}

/// Crawlers that changed in the same way are one entry, so no line names one of them.
fn together(events: Vec<Event>) -> Vec<Shared> {
    let of_all = |line: &str| match line.strip_prefix("for ") {
        Some(named) => named.split_once(": ").map(|(_, rest)| rest.to_owned()),
        None => Some(line.to_owned()),
    };
    let mut shared: Vec<Shared> = Vec::new();
    for mut event in events {
        if let Some(first) = event.lines.first().cloned() {
            let first = of_all(&first);
            event.lines.splice(..1, first);
        }
        let is_same = |one: &&mut Shared| {
            let known = &one.event;
            let is_before = known.before.crawl == event.before.crawl && known.before.time == event.before.time;
            known.change == event.change && is_before && known.lines == event.lines
        };
        let agent = event.agent.clone();
        match shared.iter_mut().find(is_same) {
            Some(known) => known.agents.push(agent),
            None => shared.push(Shared { event, agents: vec![agent] }),
        }
    }
    shared
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
