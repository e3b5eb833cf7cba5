//! The policy for a page at a time.
//!
//! Invariant: it is that of the last observation at or before the time. What the rows do not say of a path is not
//! guessed.

use std::collections::BTreeMap;
use std::io::Write as _;

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, Selection};
use robosieve::value::HttpUrl;
use robosieve_batch::csv;
use robosieve_batch::json;
use serde::Serialize;

use super::Form;
use super::rows::{Crawl, Reader};
use super::track::{LEVELS, State};
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
            let Some(state) = State::of(&row.row, None) else { return Ok(()) };
            let Some((time, digits)) = row.time.as_deref().and_then(|time| Some((time.to_owned(), digits(time)?)))
            else {
                undated = undated.saturating_add(1);
                return Ok(());
            };
            // A month may have been seen after a day of it.
            let is_later = digits
                .get(..most.len())
                .map_or(*digits >= *most.get(..digits.len()).unwrap_or(""), |digits| digits > &*most);
            let [before, after] = found.entry(row.row.agent.clone().into_owned()).or_default();
            let slot = if is_later { after } else { before };
            let is_nearer = match slot {
                None => true,
                Some(known) if is_later => known.digits > digits,
                Some(known) => known.digits <= digits,
            };
            if is_nearer {
                let allowed = match row.text {
                    Some((below, _)) => {
                        let file = input::read(&crawl.text(below), reader.plan.max_bytes())?;
                        Some(is_allowed(&file, &row.row.agent, page.as_str(), reader))
                    }
                    None => None,
                };
                *slot = Some(Seen { digits, crawl: place, time, state, root: row.row.root, allowed });
            }
            Ok(())
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
                        _ => "some paths disallowed: the rows do not say which",
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

/// The digits of a time in UTC. None for another form.
fn digits(time: &str) -> Option<String> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bare = time.strip_suffix('Z').unwrap_or(time);
    let (bare, _) = bare.split_once('.').unwrap_or((bare, ""));
    let fits =
        bare.bytes().zip(FORM).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form });
    let is_whole = matches!(bare.len(), 4 | 7 | 10 | 13 | 16 | 19);
    (fits && is_whole).then(|| bare.chars().filter(char::is_ascii_digit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [history.at]
    #[test]
    fn times_are_of_one_form() {
        for (time, expected) in [
            ("2026", Some("2026")),
            ("2026-01", Some("202601")),
            ("2026-01-31T12:00:00Z", Some("20260131120000")),
            ("2026-01-31T12:00:00.123Z", Some("20260131120000")),
            ("2026-1", None),
            ("2026-01-31T12:00:00+02:00", None),
            ("20260131", None),
            ("", None),
        ] {
            assert_eq!(digits(time).as_deref(), expected, "{time}");
        }
    }
}
