//! The policy for a page at a time.
//!
//! Invariant: it is that of the last observation at or before the time. What a census does not say of a path is not
//! guessed.

use std::collections::BTreeMap;
use std::io::Write as _;

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, Selection};
use robosieve::value::HttpUrl;
use robosieve_batch::csv;
use robosieve_batch::json;
use robosieve_census::history::{LEVELS, State};
use robosieve_census::{digits, is_later};
use serde::Serialize;

use super::Form;
use super::rows::{Crawl, Reader};
use crate::exit::{Code, Failure};
use crate::input::{self, Input};
use crate::{output, text};

/// An observation of a crawler.
struct Seen {
    digits: String,
    crawl: usize,
    time: String,
    state: State,
    root: Option<bool>,
    /// Whether the page may be fetched, by the text.
    allowed: Option<bool>,
}

#[derive(Serialize)]
struct Line<'l> {
    v: u8,
    url: &'l str,
    at: &'l str,
    agent: &'l str,
    /// None if nothing was seen before.
    status: Option<&'static str>,
    allowed: Option<bool>,
    crawl: Option<&'l str>,
    time: Option<&'l str>,
    next_crawl: Option<&'l str>,
    next_time: Option<&'l str>,
    /// Whether the next observation differs: the policy changed between the two, and nobody knows when.
    changed: Option<bool>,
}

pub(super) fn run(url: &str, at: &str, crawls: &[Crawl], reader: &Reader<'_>, form: Form) -> Result<Code, Failure> {
    let page: HttpUrl = url.parse().map_err(|_| {
        Failure::Usage(format!("--url {}: is no http or https URL: write it as a whole", text::escape(url.as_bytes())))
    })?;
    let most = digits(at).ok_or_else(|| {
        Failure::Usage("--at: write 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z, which is in UTC".into())
    })?;
    let robots_txt = page.robots_txt();
    let host = robots_txt.host();
    // For each crawler, the last observation up to the time, and the first after it.
    let mut found: BTreeMap<String, [Option<Seen>; 2]> = BTreeMap::new();
    let mut code = Code::Fine;
    let mut undated = 0_u64;
    for (place, crawl) in crawls.iter().enumerate() {
        let read = crawl.each(reader, |row| {
            if !row.is_of(&robots_txt, host) {
                return Ok(());
            }
            let Some((time, digits)) = row.time.as_deref().and_then(|time| Some((time.to_owned(), digits(time)?)))
            else {
                undated = undated.saturating_add(1);
                return Ok(());
            };
            let is_after = is_later(&digits, &most);
            let mut text = None;
            let mut failure = None;
            reader.view.each(row.entry, &mut |said| {
                let Some(state) = State::of(&row.entry.file, &said, None) else { return };
                let [before, after] = found.entry(said.agent.to_owned()).or_default();
                let slot = if is_after { after } else { before };
                let is_nearer = match slot {
                    None => true,
                    Some(known) if is_after => known.digits > digits,
                    Some(known) => known.digits <= digits,
                };
                if !is_nearer {
                    return;
                }
                if let (Some((below, _)), None) = (row.text, &text) {
                    match input::read(&crawl.text(below), reader.plan.max_bytes()) {
                        Ok(file) => text = Some(file),
                        Err(error) => failure = Some(error),
                    }
                }
                let allowed = text.as_ref().map(|file| is_allowed(file, said.agent, page.as_str(), reader));
                let (digits, time, root) = (digits.clone(), time.clone(), said.policy.root);
                *slot = Some(Seen { digits, crawl: place, time, state, root, allowed });
            });
            failure.map_or(Ok(()), Err)
        })?;
        code = code.and(read);
    }
    if found.is_empty() {
        let why = if undated > 0 {
            "what was seen of it has no date: write one in the name of the file or directory, such as 2026-01-31"
        } else {
            "no crawl has its robots.txt"
        };
        return Err(Failure::Usage(format!("{robots_txt}: {why}")));
    }
    let name = |place: usize| crawls.get(place).map(|crawl| &*crawl.name);
    let lines = found.iter().map(|(agent, [before, after])| Line {
        v: 1,
        url: page.as_str(),
        at,
        agent,
        status: before.as_ref().and_then(|seen| LEVELS.get(seen.state.level).copied()),
        allowed: before.as_ref().and_then(|seen| allowed(seen, &page)),
        crawl: before.as_ref().and_then(|seen| name(seen.crawl)),
        time: before.as_ref().map(|seen| &*seen.time),
        next_crawl: after.as_ref().and_then(|seen| name(seen.crawl)),
        next_time: after.as_ref().map(|seen| &*seen.time),
        changed: before
            .as_ref()
            .zip(after.as_ref())
            .map(|(before, after)| !before.state.changes(&after.state).is_empty()),
    });
    print(form, lines)?;
    Ok(code)
}

/// Whether the page may be fetched, as far as it is known.
fn allowed(seen: &Seen, page: &HttpUrl) -> Option<bool> {
    let is_root = page.as_str().splitn(4, '/').nth(3).is_some_and(str::is_empty);
    match seen.state.level {
        _ if seen.allowed.is_some() => seen.allowed,
        0 => Some(true),
        2 => Some(false),
        _ if is_root => seen.root,
        _ => None,
    }
}

fn is_allowed(file: &Input, agent: &str, page: &str, reader: &Reader<'_>) -> bool {
    let groups = if agent == "*" { Interest::everyone().into() } else { reader.plan.names().groups([agent]) };
    let set = Parser::new(groups.options(file.plan(reader.plan).verdicts.clone())).parse(&file.bytes);
    let groups = groups.within(&set);
    Tester::of(&Selection::of(&set, &groups)).is_allowed(page)
}

fn print<'l>(form: Form, lines: impl Iterator<Item = Line<'l>>) -> Result<(), Failure> {
    let mut out = output::stdout();
    let write = || -> std::io::Result<()> {
        if form == Form::Csv {
            let names =
                ["v", "url", "at", "agent", "status", "allowed", "crawl", "time", "next_crawl", "next_time", "changed"];
            csv::row(&mut out, names)?;
        }
        for line in lines {
            let word = |flag: Option<bool>| flag.map(|flag| flag.to_string()).unwrap_or_default();
            match form {
                Form::Ndjson => out.write_all(&json::line(&line)?)?,
                Form::Csv => {
                    let (allowed, changed) = (word(line.allowed), word(line.changed));
                    let crawls =
                        [line.crawl, line.time, line.next_crawl, line.next_time].map(Option::unwrap_or_default);
                    let front = ["1", line.url, line.at, line.agent, line.status.unwrap_or(""), &allowed];
                    csv::row(&mut out, front.into_iter().chain(crawls).chain([&*changed]))?;
                }
                Form::Text => {
                    let answer = match (line.status, line.allowed) {
                        (None, _) => "not known: nothing was seen before",
                        (_, Some(true)) => "allowed",
                        (_, Some(false)) => "disallowed",
                        _ => "some paths disallowed: the census does not say which",
                    };
                    let seen = |crawl: Option<&str>, time: Option<&str>| match (crawl, time) {
                        (Some(crawl), Some(time)) => format!("{crawl} ({time})"),
                        _ => "nothing".to_owned(),
                    };
                    let next = match line.changed {
                        Some(true) => ", and changed by then",
                        Some(false) => ", the same",
                        None => "",
                    };
                    let (last, next_seen) = (seen(line.crawl, line.time), seen(line.next_crawl, line.next_time));
                    writeln!(out, "{}\t{answer}\tseen in {last}, next in {next_seen}{next}", line.agent)?;
                }
            }
        }
        out.flush()
    };
    write().map_err(|error| Failure::stdout(&error))
}
