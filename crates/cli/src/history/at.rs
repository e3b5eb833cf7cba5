//! The policy for a page at a time.
//!
//! Invariant: it is what `census ask` answers: one [`Asker`] decides which observations count. What a text does not say
//! of a page is not guessed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::Path;

use robosieve::value::HttpUrl;
use robosieve_batch::csv;
use robosieve_batch::json;
use robosieve_batch::{Outcome, host_of, site_of};
use robosieve_census::{Answer, Asker, Entry, Observations, Question, Read, digits};
use serde::Serialize;

use super::Form;
use super::rows::{Crawl, Reader};
use crate::exit::{self, Code, Failure};
use crate::output;
use crate::text::{self, counted};

/// The number of files without a site that are named. Our choice.
const MAX_NAMED: usize = 3;

#[derive(Serialize)]
struct Shown<'l> {
    v: u8,
    url: &'l str,
    at: &'l str,
    agent: &'l str,
    /// None if nothing was seen before.
    status: Option<&'l str>,
    allowed: Option<bool>,
    /// The line of the text that decides.
    line: Option<u32>,
    crawl: Option<&'l str>,
    time: Option<&'l str>,
    next_allowed: Option<bool>,
    next_crawl: Option<&'l str>,
    next_time: Option<&'l str>,
    /// Whether the next observation differs: the policy changed between the two, and nobody knows when.
    changed: Option<bool>,
    hash: Option<&'l str>,
    /// The policy, as a robots.txt file for `*`.
    text: Option<&'l str>,
}

pub(super) fn run(url: &str, at: &str, crawls: &[Crawl], reader: &Reader<'_>, form: Form) -> Result<Code, Failure> {
    let bare = url.split('#').next().unwrap_or(url);
    let page: HttpUrl = bare.parse().map_err(|_| {
        Failure::Usage(format!(
            "--url {}: is not an http or https URL: write it as a whole",
            text::escape(url.as_bytes())
        ))
    })?;
    if digits(at).is_none() {
        return Err(Failure::Usage(
            "--at: write 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z, which is in UTC".into(),
        ));
    }
    let robots_txt = page.robots_txt();
    let (host, site) = (host_of(url).unwrap_or_default(), site_of(url).unwrap_or_default());
    let mut agents = BTreeSet::new();
    reader.view.each(&Entry::default(), &mut |said| agents.extend([said.agent.to_owned()]));
    if reader.has_named {
        for crawl in crawls {
            crawl.each(reader, Some(&host), |found| {
                if found.is_of(&site) == Some(true) {
                    reader.view.each(found.entry, &mut |said| agents.extend([said.agent.to_owned()]));
                }
                Ok(())
            })?;
        }
    }
    // A name that is no product token has no answer.
    let questions: Vec<Question> =
        agents.iter().filter_map(|agent| Question::new(page.as_str(), agent, Some(at)).ok()).collect();
    let mut asking = Asker::new(reader.plan.names(), reader.plan.options.clone()).begin(questions.iter());
    let failed = |error: std::io::Error| Failure::Io(error.to_string());
    let mut code = Code::Fine;
    for crawl in crawls {
        let (mut is_there, mut nameless) = (false, Nameless::default());
        let read = crawl.each(reader, Some(&host), |found| {
            match (found.is_of(&site), found.text) {
                (Some(true), _) => is_there = true,
                (None, Some((below, _))) => {
                    nameless.add(below);
                    return Ok(());
                }
                _ => return Ok(()),
            }
            let mut entry = found.entry.clone();
            if found.text.is_some() {
                entry.file.url = Some(robots_txt.as_str().to_owned());
                entry.file.time = found.time.map(Cow::into_owned);
            }
            asking.add(Read::Entry(Box::new(entry), Some(&crawl.name)), Path::new(&crawl.name)).map_err(failed)
        })?;
        let read = read.and(nameless.tell(&crawl.name));
        code = code.and(read);
        // One of the files that were not read, or have no site, could be the site's: no older one answers.
        if crawl.is_folder() && read != Code::Fine && !is_there {
            let mut entry = Entry::default();
            entry.file.url = Some(robots_txt.as_str().to_owned());
            entry.file.time = crawl.date().map(ToOwned::to_owned);
            entry.file.outcome = Outcome::Failed.as_str().into();
            entry.file.status = "unknown".into();
            asking.add(Read::Entry(Box::new(entry), Some(&crawl.name)), Path::new(&crawl.name)).map_err(failed)?;
        }
    }
    let missing: Vec<String> = asking.wanted().map(str::to_owned).collect();
    let missing: HashSet<&str> = missing.iter().map(String::as_str).collect();
    if !missing.is_empty() {
        for crawl in crawls {
            crawl.texts(&missing, |text| asking.add_text(&text))?;
        }
    }
    let known = asking.finish();
    if known.observed == 0 {
        exit::tell(&format!("{robots_txt}: no crawl has it; check the scheme, the host and the port"));
        code = code.and(Code::Disallowed);
    } else if known.observed == known.undated {
        let why = "what was seen of it has no date: write one in the name of the file or directory, such as 2026-01-31";
        return Err(Failure::Usage(format!("{robots_txt}: {why}")));
    } else if known.undated > 0 {
        let files = counted(known.undated, "file", "files");
        exit::tell(&format!("{files} of this site: no time that can be read, so each could be the last"));
    }
    let lines: Vec<Shown<'_>> = questions.iter().map(|question| shown(question, at, &known)).collect();
    print(form, &lines)?;
    Ok(code)
}

/// Files below a directory that are named after no site.
#[derive(Default)]
struct Nameless {
    count: u64,
    first: Vec<String>,
}

impl Nameless {
    fn add(&mut self, below: &Path) {
        self.count = self.count.saturating_add(1);
        if self.first.len() < MAX_NAMED {
            self.first.push(text::name_of(below));
        }
    }

    fn tell(&self, crawl: &str) -> Code {
        if self.count == 0 {
            return Code::Fine;
        }
        let files = counted(self.count, "file is", "files are");
        let first = self.first.join(", ");
        let more = if self.count > self.first.len().try_into().unwrap_or(u64::MAX) { ", \u{2026}" } else { "" };
        exit::tell(&format!(
            "{crawl}: {files} named after no site ({first}{more}), and could be of this one: use the names \
             `example.com.txt`, `example.com/robots.txt` or those of `batch -o`"
        ));
        Code::Refused.known()
    }
}

fn shown<'l>(question: &'l Question, at: &'l str, known: &'l Observations) -> Shown<'l> {
    let Answer { allowed, line, status, hash, crawl, seen, .. } = known.answer(question);
    let time = known.next_time(question);
    let next = time.and_then(|time| Question::new(question.url(), question.agent(), Some(time)).ok());
    let next = next.map(|next| known.answer(&next));
    let changed = next.filter(|_| status.is_some()).map(|next| (next.status, next.hash) != (status, hash));
    Shown {
        v: 1,
        url: question.url(),
        at,
        agent: question.agent(),
        status,
        allowed,
        line,
        crawl,
        time: seen,
        next_allowed: next.and_then(|next| next.allowed),
        next_crawl: next.and_then(|next| next.crawl),
        next_time: time,
        changed,
        hash,
        text: hash.and_then(|hash| known.text(hash)),
    }
}

fn print(form: Form, lines: &[Shown<'_>]) -> Result<(), Failure> {
    let mut out = output::stdout();
    let mut write = || -> std::io::Result<()> {
        if form == Form::Csv {
            csv::row(&mut out, NAMES)?;
        }
        for line in lines {
            let word = |flag: Option<bool>| flag.map(|flag| flag.to_string()).unwrap_or_default();
            match form {
                Form::Ndjson => out.write_all(&json::line(&line)?)?,
                Form::Csv => {
                    let number = line.line.map(|line| line.to_string()).unwrap_or_default();
                    let [allowed, next, changed] = [line.allowed, line.next_allowed, line.changed].map(word);
                    let [crawl, time, next_crawl, next_time, status, hash, text] =
                        [line.crawl, line.time, line.next_crawl, line.next_time, line.status, line.hash, line.text]
                            .map(Option::unwrap_or_default);
                    let front = ["1", line.url, line.at, line.agent, status, &allowed, &number, crawl, time];
                    csv::row(&mut out, front.into_iter().chain([&next, next_crawl, next_time, &changed, hash, text]))?;
                }
                Form::Text => {
                    let known = line.line.map(|number| format!(" by line {number} of {}", short(line.hash)));
                    let by = known.unwrap_or_default();
                    let answer = match (line.status, line.allowed) {
                        (None, _) => "not known: nothing was seen before".to_owned(),
                        (_, Some(true)) => format!("allowed{by}"),
                        (_, Some(false)) => format!("disallowed{by}"),
                        _ => "not known: there was no file that says it".to_owned(),
                    };
                    let seen = |crawl: Option<&str>, time: Option<&str>| Some(format!("{} ({})", crawl?, time?));
                    let next = match (line.changed, line.allowed != line.next_allowed) {
                        (Some(true), true) => match line.next_allowed {
                            Some(true) => ", which allows it",
                            Some(false) => ", which disallows it",
                            None => ", which changed",
                        },
                        (Some(true), false) => ", and changed by then",
                        (Some(false), _) => ", the same",
                        (None, _) => "",
                    };
                    let last = seen(line.crawl, line.time).unwrap_or_else(|| "no earlier crawl".into());
                    let next = seen(line.next_crawl, line.next_time)
                        .map_or_else(|| "and in no later crawl".into(), |seen| format!("next in {seen}{next}"));
                    writeln!(out, "{}\t{answer}\tseen in {last}, {next}", line.agent)?;
                }
            }
        }
        if form == Form::Text {
            texts(&mut out, lines)?;
        }
        out.flush()
    };
    write().map_err(|error| Failure::stdout(&error))
}

/// The columns of a CSV table.
const NAMES: [&str; 15] = [
    "v",
    "url",
    "at",
    "agent",
    "status",
    "allowed",
    "line",
    "crawl",
    "time",
    "next_allowed",
    "next_crawl",
    "next_time",
    "changed",
    "hash",
    "text",
];

/// The first digits of a hash, for people.
fn short(hash: Option<&str>) -> &str {
    let hash = hash.unwrap_or_default();
    hash.strip_prefix("sha256:").and_then(|digits| digits.get(..8)).unwrap_or(hash)
}

/// Prints each text once, with the numbers of its lines.
fn texts(out: &mut impl Write, lines: &[Shown<'_>]) -> std::io::Result<()> {
    let mut known = HashSet::new();
    for line in lines {
        let Some(text) = line.text.filter(|_| known.insert(line.hash)) else { continue };
        writeln!(out, "\n{}, the policy as a robots.txt file for *:", short(line.hash))?;
        for (number, line) in (1_u64..).zip(text.lines()) {
            writeln!(out, "{number:6}  {}", text::escape(line.as_bytes()))?;
        }
    }
    Ok(())
}
