//! The policy for a page at a time.
//!
//! Invariant: it is that of the last observation at or before the time. What a text does not say of a page is not
//! guessed. Memory holds the texts of the observations that are shown, and as many more.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

use robosieve::value::HttpUrl;
use robosieve_batch::csv;
use robosieve_batch::json;
use robosieve_census::history::{LEVELS, State};
use robosieve_census::{Asker, digits, is_later};
use serde::Serialize;

use super::Form;
use super::rows::{Crawl, Reader};
use crate::exit::{Code, Failure};
use crate::{output, text};

/// An observation of a crawler.
struct Seen {
    digits: String,
    crawl: usize,
    time: String,
    state: State,
    root: Option<bool>,
    /// The hash of the policy's text, and whether the text answers as the file does.
    hash: String,
    is_exact: bool,
}

/// The observations of a crawler: the last up to the time, and the first after it.
type Seens = BTreeMap<String, [Option<Seen>; 2]>;

/// Whether a page may be fetched by a text, and the line that decides.
struct Said {
    text: String,
    allowed: bool,
    line: Option<u32>,
}

#[derive(Serialize)]
struct Shown<'l> {
    v: u8,
    url: &'l str,
    at: &'l str,
    agent: &'l str,
    /// None if nothing was seen before.
    status: Option<&'static str>,
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
    let page: HttpUrl = url.parse().map_err(|_| {
        Failure::Usage(format!("--url {}: is no http or https URL: write it as a whole", text::escape(url.as_bytes())))
    })?;
    let most = digits(at).ok_or_else(|| {
        Failure::Usage("--at: write 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z, which is in UTC".into())
    })?;
    let robots_txt = page.robots_txt();
    let host = robots_txt.host();
    let (mut found, mut texts) = (Seens::new(), HashMap::<String, String>::new());
    let mut code = Code::Fine;
    let mut undated = 0_u64;
    for (place, crawl) in crawls.iter().enumerate() {
        let read = crawl.each(reader, Some(host), |row| {
            if !row.is_of(&robots_txt, host) {
                return Ok(());
            }
            let Some((time, digits)) = row.time.as_deref().and_then(|time| Some((time.to_owned(), digits(time)?)))
            else {
                undated = undated.saturating_add(1);
                return Ok(());
            };
            let is_after = is_later(&digits, &most);
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
                let policy = &*said.policy;
                let (digits, time, root) = (digits.clone(), time.clone(), policy.root);
                let (hash, is_exact) = (policy.hash.clone(), policy.exact);
                if let Some(row) = row.entry.texts.iter().find(|text| text.hash == hash) {
                    texts.entry(hash.clone()).or_insert_with(|| row.text.clone());
                }
                *slot = Some(Seen { digits, crawl: place, time, state, root, hash, is_exact });
            });
            // At most two texts of a crawler are shown.
            if texts.len() > found.len().saturating_mul(4) {
                let shown = hashes(&found);
                texts.retain(|hash, _| shown.contains(&**hash));
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
    let missing: HashSet<&str> = hashes(&found).into_iter().filter(|hash| !texts.contains_key(*hash)).collect();
    let seens = found.values().flatten().flatten();
    let places: HashSet<usize> = seens.filter(|seen| missing.contains(&*seen.hash)).map(|seen| seen.crawl).collect();
    for crawl in crawls.iter().enumerate().filter(|(place, _)| places.contains(place)).map(|(_, crawl)| crawl) {
        crawl.texts(&missing, |hash, text| drop(texts.insert(hash, text)))?;
    }
    let asker = Asker::new(reader.plan.names(), reader.plan.options.clone());
    let said = |(hash, text): (String, String)| {
        let verdict = asker.tester(&text);
        let verdict = verdict.test(page.as_str());
        (hash, Said { text, allowed: verdict.allowed(), line: verdict.line() })
    };
    let said: HashMap<String, Said> = texts.into_iter().map(said).collect();
    let name = |place: usize| crawls.get(place).map(|crawl| &*crawl.name);
    let lines = found.iter().map(|(agent, [before, after])| {
        let by = before.as_ref().and_then(|seen| said.get(&seen.hash));
        let changes = |(before, after): (&Seen, &Seen)| !before.state.changes(&after.state).is_empty();
        Shown {
            v: 1,
            url: page.as_str(),
            at,
            agent,
            status: before.as_ref().and_then(|seen| LEVELS.get(seen.state.level).copied()),
            allowed: before.as_ref().and_then(|seen| allowed(seen, &said, &page)),
            line: by.and_then(|said| said.line),
            crawl: before.as_ref().and_then(|seen| name(seen.crawl)),
            time: before.as_ref().map(|seen| &*seen.time),
            next_allowed: after.as_ref().and_then(|seen| allowed(seen, &said, &page)),
            next_crawl: after.as_ref().and_then(|seen| name(seen.crawl)),
            next_time: after.as_ref().map(|seen| &*seen.time),
            changed: before.as_ref().zip(after.as_ref()).map(changes),
            hash: before.as_ref().map(|seen| &*seen.hash).filter(|hash| !hash.is_empty()),
            text: by.map(|said| &*said.text),
        }
    });
    let lines: Vec<Shown<'_>> = lines.collect();
    print(form, &lines)?;
    Ok(code)
}

/// The hashes of the texts of these observations.
fn hashes(found: &Seens) -> HashSet<&str> {
    found.values().flatten().flatten().map(|seen| &*seen.hash).filter(|hash| !hash.is_empty()).collect()
}

/// Whether the page may be fetched, as far as it is known.
fn allowed(seen: &Seen, said: &HashMap<String, Said>, page: &HttpUrl) -> Option<bool> {
    let is_root = page.as_str().splitn(4, '/').nth(3).is_some_and(str::is_empty);
    // What the text leaves out could close the page.
    let by_text = said.get(&seen.hash).map(|said| said.allowed).filter(|allowed| !allowed || seen.is_exact);
    by_text.or(match seen.state.level {
        0 => Some(true),
        2 => Some(false),
        _ if is_root => seen.root,
        _ => None,
    })
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
                        _ => "some paths disallowed: the census does not say which".to_owned(),
                    };
                    let seen = |crawl: Option<&str>, time: Option<&str>| match (crawl, time) {
                        (Some(crawl), Some(time)) => format!("{crawl} ({time})"),
                        _ => "nothing".to_owned(),
                    };
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
                    let (last, next_seen) = (seen(line.crawl, line.time), seen(line.next_crawl, line.next_time));
                    writeln!(out, "{}\t{answer}\tseen in {last}, next in {next_seen}{next}", line.agent)?;
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
