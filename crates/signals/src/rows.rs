//! The rows of the pages of archives: a [`Pages`] of robosieve-batch.
//!
//! Invariant: an answer in a row is that of [`Page`] for the same bytes, at the time of the archive's record. A page that
//! failed has rows without answers.

use robosieve::agent::Interest;
use robosieve::printable::escape;
use robosieve::settings::Options;
use robosieve_batch::{ArchivedPage, Outcome, Pages, Problem, Record, SiteFile, csv, json};
use robosieve_explain::Groups;
use serde::Serialize;

use crate::answer::Answer;
use crate::date::time;
use crate::kept::{KeptFiles, Key};
use crate::limits::Limits;
use crate::page::Page;
use crate::robots::Rules;
use crate::uses::Use;

/// Makes a row for each page and crawler.
///
/// ```
/// use std::sync::Arc;
/// use robosieve_batch::Filter;
/// use robosieve_explain::Names;
/// use robosieve_signals::PageRows;
///
/// let archive: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://e.com/a\r\n\
///     Content-Length: 43\r\n\r\nHTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\na\r\n\r\n";
/// let filter = Filter::all_agents().pages(Arc::new(PageRows::new([("MyBot", Names::Known.groups(["MyBot"]))])));
/// let record = filter.archive("e.warc", archive).next().and_then(robosieve_batch::Done::into_record).unwrap();
/// assert!(String::from_utf8(record.rows.unwrap())?.contains(r#""index":"no""#));
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PageRows {
    agents: Vec<(String, Groups)>,
    options: Options,
    is_csv: bool,
    files: KeptFiles,
}

impl PageRows {
    /// Rows for these crawlers: the name of each in its rows, and whose groups apply to it.
    #[must_use]
    pub fn new<N: AsRef<[u8]>>(agents: impl IntoIterator<Item = (N, Groups)>) -> Self {
        let agents = agents.into_iter().map(|(name, groups)| (escape(name.as_ref()), groups)).collect();
        Self { agents, options: Options::default(), is_csv: false, files: KeptFiles::default() }
    }

    /// How robots.txt files are read.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        (self.options, self.files) = (options, KeptFiles::default());
        self
    }

    /// Makes comma-separated values instead of JSON.
    #[must_use]
    pub const fn csv(mut self) -> Self {
        self.is_csv = true;
        self
    }

    fn write(
        &self,
        record: &Record,
        site: Option<&SiteFile>,
        (agent, answer): (&str, Option<&Answer>),
        out: &mut Vec<u8>,
    ) {
        let row = Row::new(record, site, agent, answer);
        // Writing to memory does not fail.
        if self.is_csv {
            let _ = csv::row(out, row.cells());
        } else if json::write(out, &row).is_ok() {
            out.push(b'\n');
        }
    }
}

impl Pages for PageRows {
    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if self.is_csv {
            let uses = Use::ALL.iter().map(|one| one.as_str());
            let _ = csv::row(&mut head, OF_PAGE.into_iter().chain(uses).chain(OF_ANSWER));
        }
        head
    }

    fn max_body_bytes(&self) -> usize {
        Limits::DEFAULT.max_html_bytes
    }

    fn add(&self, record: &Record, page: Option<&ArchivedPage<'_>>, out: &mut Vec<u8>) {
        let site = page.and_then(|page| page.robots);
        let url = record.url.as_deref().unwrap_or_default();
        // Without a time, every date is past.
        let at = record.time.as_deref().and_then(time).unwrap_or(i64::MAX);
        let made = page.map(|page| {
            let made = Page::new(url).head(page.head);
            let made = site.into_iter().fold(made, |made, site| made.robots(&site.bytes));
            match (made.may_be_html(), page.is_whole) {
                (true, true) => made.html(&*page.body),
                (true, false) => made.html_part(&*page.body),
                (false, _) => made,
            }
        });
        let options =
            Options { complete: self.options.complete && site.is_none_or(|it| it.is_whole), ..self.options.clone() };
        let signals = made.as_ref().map(Page::signals);
        let kept = site.filter(|_| signals.is_some()).map(|site| {
            let is_closed = site.outcome == Outcome::DisallowAll;
            let key = Key { bytes: &site.bytes, is_complete: options.complete, is_closed };
            self.files.get(key, &self.agents, |(_, groups)| rules(site, &options, groups))
        });
        for (place, (name, groups)) in self.agents.iter().enumerate() {
            let answer = signals.as_ref().map(|signals| match (site, &kept) {
                (Some(site), Some(kept)) => match kept.rules.get(place) {
                    Some(rules) => signals.answer_of(rules, groups, at),
                    None => signals.answer_of(&rules(site, &options, groups), groups, at),
                },
                _ => signals.answer(groups.clone(), at),
            });
            self.write(record, site, (name, answer.as_ref()), out);
        }
    }
}

/// What a site's robots.txt says to a crawler. A status that opens the site is an empty file. One that could not be read
/// is a part of a file of which nothing is known.
fn rules(site: &SiteFile, options: &Options, groups: &Groups) -> Rules<'static> {
    if site.outcome == Outcome::DisallowAll {
        return Rules::read(closed(groups, options).as_bytes(), options, groups).into_owned();
    }
    Rules::read(&site.bytes, options, groups).into_owned()
}

/// A file that closes a site to a crawler: groups for `*` may not apply to it.
fn closed(interest: &Interest, options: &Options) -> String {
    let own = interest.own_name(options.agents).map(|own| format!("User-agent: {}\n", own.as_str()));
    format!("User-agent: *\n{}Disallow: /\n", own.unwrap_or_default())
}

/// The columns of a table before and after the uses.
const OF_PAGE: [&str; 12] = [
    "source",
    "record",
    "url",
    "time",
    "http_status",
    "mime",
    "outcome",
    "error",
    "truncated",
    "robots_record",
    "robots",
    "agent",
];
const OF_ANSWER: [&str; 7] =
    ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after", "extent", "licenses", "findings"];

/// A row.
#[derive(Serialize)]
struct Row<'r> {
    v: u8,
    source: &'r str,
    record: Option<u64>,
    url: Option<&'r str>,
    time: Option<&'r str>,
    http_status: Option<u16>,
    mime: Option<&'r str>,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<&'r str>,
    robots: Option<Joined>,
    agent: &'r str,
    #[serde(flatten)]
    answer: Option<&'r Answer>,
}

/// The robots.txt that a page is joined with.
#[derive(Serialize)]
struct Joined {
    record: u64,
    outcome: Outcome,
    redirects: u8,
    is_whole: bool,
}

impl<'r> Row<'r> {
    fn new(record: &'r Record, site: Option<&SiteFile>, agent: &'r str, answer: Option<&'r Answer>) -> Self {
        Self {
            v: 1,
            source: &record.source,
            record: record.number,
            url: record.url.as_deref(),
            time: record.time.as_deref(),
            http_status: record.status,
            mime: record.mime.as_deref(),
            outcome: record.outcome,
            error: record.error.as_ref(),
            truncated: record.truncated,
            robots: site.map(|site| Joined {
                record: site.record,
                outcome: site.outcome,
                redirects: site.redirects,
                is_whole: site.is_whole,
            }),
            agent,
            answer,
        }
    }

    /// The cells of a table.
    fn cells(&self) -> Vec<String> {
        let text = |text: Option<&str>| text.map(|text| escape(text.as_bytes())).unwrap_or_default();
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let joined = |words: Vec<&str>| words.join(" ");
        let mut cells = vec![
            self.source.to_owned(),
            number(self.record),
            text(self.url),
            text(self.time),
            number(self.http_status.map(u64::from)),
            text(self.mime),
            self.outcome.as_str().to_owned(),
            self.error.map(|error| error.kind.to_owned()).unwrap_or_default(),
            text(self.truncated),
            number(self.robots.as_ref().map(|robots| robots.record)),
            self.robots.as_ref().map(|robots| robots.outcome.as_str().to_owned()).unwrap_or_default(),
            self.agent.to_owned(),
        ];
        let Some(answer) = self.answer else {
            cells.resize(OF_PAGE.len().saturating_add(Use::ALL.len()).saturating_add(OF_ANSWER.len()), String::new());
            return cells;
        };
        let limits = &answer.limits;
        let amount = |amount: Option<i64>| amount.map(|amount| amount.to_string()).unwrap_or_default();
        cells.extend(answer.uses.iter().map(|(_, allowed)| allowed.as_str().to_owned()));
        cells.extend([
            amount(limits.max_snippet),
            text(limits.max_image_preview),
            amount(limits.max_video_preview),
            text(limits.unavailable_after.as_deref()),
            text(limits.extent),
            joined(answer.licenses.iter().map(|one| &*one.url).collect()),
            joined(answer.findings.iter().map(|one| one.kind.as_str()).collect()),
        ]);
        cells
    }
}
