//! Makes the record of an item: unpacks the file, interprets its status and makes its text.
//!
//! Invariant: the result depends only on the item and on the filter. No content of an item ends the work.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use robosieve::report::{FindingClass, FindingKind};
use robosieve::values::HttpUrl;
use robosieve::verdict::SiteAccess;
use robosieve::{Agents, Options, Sieve, Sieved};
use robosieve_explain::{Crawler, Groups, Names, Who, refusal};
use sha2::{Digest as _, Sha256};

use super::digest;
use super::done::{Done, What};
use super::http;
use super::item::{Item, Load, Place};
use super::items::{Items, other_archive};
use super::past::Input;
use super::record::{Outcome, Policy, Record};
use super::request::{self, Response};
use super::table::{self, Table};
use super::warc;
use crate::{stream, unpack};
use robosieve_ask::Problem;

/// Makes a [`Record`] of each [`Item`], with the options for reading and the agents.
///
/// Threads can share it. It reads a robots.txt file up to `max_bytes` of the options, but never more than
/// [`Filter::MAX_BYTES`], so memory is always bounded.
///
/// ```
/// use robosieve_batch::{Filter, Items, Outcome};
///
/// let archive: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://e.com/robots.txt\r\n\
///     Content-Length: 47\r\n\r\nHTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /x\n\r\n\r\n";
/// let filter = Filter::new(["MyBot"]);
/// let mut items = filter.items("e.warc", archive);
/// let record = filter.run(items.next().unwrap()).into_record().unwrap();
/// assert_eq!((record.outcome, record.url.as_deref()), (Outcome::Rules, Some("https://e.com/robots.txt")));
/// assert_eq!(record.policy.unwrap().text, "User-agent: *\nDisallow: /x\n");
/// ```
#[derive(Clone, Debug)]
pub struct Filter {
    sieve: Sieve,
    /// The agents that the sieve is for. None if it keeps all.
    groups: Option<Groups>,
    /// How many bytes of a file are read.
    max_bytes: usize,
    all_urls: bool,
    fail_on: Vec<FindingClass>,
    /// What is made instead of texts.
    table: Option<Arc<dyn Table>>,
    /// How files are read for verdicts.
    verdicts: Options,
    /// The URLs that each file is asked about.
    urls: Option<Vec<String>>,
}

impl Filter {
    /// The maximum number of bytes of a file that are read: 16 MiB, also if the options allow more.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Keeps the groups for these agents, the most preferred first, or else those for `*`; for a known crawler those
    /// that its owner documents.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self::for_agents(Names::Known.groups(agents))
    }

    /// The same with agents in any form. The groups also say whether those for `*` are the fallback.
    #[must_use]
    pub fn for_agents(groups: impl Into<Groups>) -> Self {
        let groups = groups.into();
        Self::of(Sieve::for_agents(groups.interest().clone()), Some(groups))
    }

    /// Keeps the groups of all agents.
    #[must_use]
    pub fn all_agents() -> Self {
        Self::of(Sieve::all_agents(), None)
    }

    fn of(sieve: Sieve, groups: Option<Groups>) -> Self {
        let max_bytes = Options::default().limits.max_bytes;
        Self {
            sieve,
            groups,
            max_bytes,
            all_urls: false,
            fail_on: Vec::new(),
            table: None,
            verdicts: Options::default().for_verdicts(),
            urls: None,
        }
    }

    /// How files are read.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        let mut options = self.groups.as_ref().map_or(options.clone(), |groups| groups.options(options));
        self.max_bytes = options.limits.max_bytes.min(Self::MAX_BYTES);
        options.limits.max_bytes = self.max_bytes;
        self.verdicts = options.clone().for_verdicts();
        self.sieve = self.sieve.options(options);
        self
    }

    /// Asks each file about these URLs: [`Record::results`] has the answers, by the options of [`Filter::options`]
    /// without the limits on fields, or by those of [`Filter::verdicts`]. Without agents there is none.
    ///
    /// ```
    /// use robosieve_batch::{Filter, Items};
    /// let filter = Filter::new(["MyBot"]).urls(["/x"])?;
    /// let item = Items::new("file", &b"User-agent: *\nDisallow: /x"[..]).next().unwrap();
    /// let record = filter.run(item).into_record().unwrap();
    /// assert!(!record.results.unwrap()[0].answer().unwrap().allowed);
    /// assert!(Filter::new(["MyBot"]).urls(["https://e.com/x"]).is_err(), "each file is of a site of its own");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// If one of them is not a path: what to write instead.
    pub fn urls(mut self, urls: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, String> {
        self.urls = Some(table::checked(urls)?);
        Ok(self)
    }

    /// How files are read for answers. To be called after [`Filter::options`].
    #[must_use]
    pub fn verdicts(mut self, options: Options) -> Self {
        self.verdicts = self.groups.as_ref().map_or(options.clone(), |groups| groups.options(options));
        self.verdicts.limits.max_bytes = self.max_bytes;
        self
    }

    /// Whether all responses of an archive are read as robots.txt files, not only those of `/robots.txt`.
    #[must_use]
    pub const fn all_urls(mut self, all_urls: bool) -> Self {
        self.all_urls = all_urls;
        self
    }

    /// Refuses files that have findings of these classes. Losses count only if they have an effect. A file that is
    /// incomplete counts as a loss.
    ///
    /// ```
    /// use robosieve::report::FindingClass;
    /// use robosieve_batch::{Filter, Items, Outcome};
    /// let filter = Filter::new(["MyBot"]).fail_on([FindingClass::Suspect]);
    /// let item = Items::new("page", &b"<!DOCTYPE html>"[..]).next().unwrap();
    /// assert_eq!(filter.run(item).record().unwrap().outcome, Outcome::Refused);
    /// ```
    #[must_use]
    pub fn fail_on(mut self, classes: impl IntoIterator<Item = FindingClass>) -> Self {
        self.fail_on = classes.into_iter().collect();
        self
    }

    /// Makes the rows of a table instead of texts: [`Record::rows`] has them. The agents and the forms of texts have no
    /// effect then.
    #[must_use]
    pub fn table(mut self, table: Arc<dyn Table>) -> Self {
        self.table = Some(table);
        self
    }

    /// Whether files are asked about URLs.
    pub(crate) const fn asks(&self) -> bool {
        self.urls.is_some()
    }

    /// Adds the rows of a file that has no rules to its record, for a table.
    fn tabled(&self, mut done: Done) -> Done {
        if let (What::Record(record), Some(table)) = (&mut done.what, &self.table)
            && record.rows.is_none()
        {
            let mut rows = Vec::new();
            table.add(record, None, &mut rows);
            record.rows = Some(rows);
        }
        done
    }

    /// How many bytes of a file are read.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The items of a stream, read within the bounds of this filter. `name` is the name of the stream in records.
    pub fn items(&self, name: impl AsRef<[u8]>, reader: impl Read + Send + 'static) -> Items {
        Items::new(name, reader).max_bytes(self.max_bytes)
    }

    /// Filters an item. This never fails: input that cannot be read becomes a record with an error.
    #[must_use]
    pub fn run(&self, item: Item) -> Done {
        let Item { place, input, load } = item;
        if matches!(load, Load::End) {
            return Done { place, input, took: Duration::ZERO, what: What::End };
        }
        self.tabled(timed(place, input, |record| self.load(record, load)))
    }

    fn load(&self, record: Record, load: Load) -> Result<Record, &'static str> {
        Ok(match load {
            Load::Skipped(kind) => return Err(kind),
            Load::End => return Err("end"),
            Load::Failed(kind, message) => record.failed(kind, message),
            Load::File { path, is_guess } => {
                match File::open(path).and_then(|file| unpack::read_file(file, self.max_bytes)) {
                    Ok(file) => match other_archive(&file.bytes).filter(|_| is_guess) {
                        Some(why) => record.failed("archive", why),
                        None => self.rules_of(record, &file.bytes, file.is_whole()),
                    },
                    Err(error) => record.failed("unreadable", error.to_string()),
                }
            }
            Load::Bytes(file) => self.rules_of(record, &file.bytes, file.is_whole()),
            Load::Line(line) => self.line(record, &line),
            Load::Record(found) => return self.archived(record, &found),
        })
    }

    fn line(&self, mut record: Record, line: &[u8]) -> Record {
        match request::read(line, &mut record) {
            Ok(response) => self.response(record, response),
            Err(problem) => record.failed(problem.kind, problem.message),
        }
    }

    /// The record of an archive's record, or why there is none.
    fn archived(&self, mut record: Record, found: &warc::Record) -> Result<Record, &'static str> {
        if let warc::Kind::Other(name) = found.kind {
            return if found.is_short { Ok(record.failed("bad-record", warc::Damage::Ends.text())) } else { Err(name) };
        }
        record.url = found.head.url().map(Cow::into_owned);
        record.time = found.head.text("WARC-Date");
        if !self.all_urls && !record.url.as_deref().is_some_and(is_robots_txt) {
            let ends = found.is_short.then(|| record.failed("bad-record", warc::Damage::Ends.text()));
            return ends.ok_or("other-url");
        }
        if found.kind != warc::Kind::Revisit
            && let Err(wrong) = digest::check(found)
        {
            return Ok(record.failed("bad-digest", wrong));
        }
        if found.spoilt == Some(warc::Damage::StreamLate) {
            return Ok(record.failed("bad-record", warc::SPOILT));
        }
        let truncated = found.truncated();
        Ok(match found.kind {
            warc::Kind::Revisit => {
                Record { outcome: Outcome::Revisit, location: found.head.text("WARC-Refers-To-Target-URI"), ..record }
            }
            warc::Kind::Response => self.sent(record, found, truncated),
            _ => {
                let body = Ok(Cow::Borrowed(&*found.block));
                self.response(record, Response { status: None, location: None, truncated, body })
            }
        })
    }

    /// Handles a response from a server.
    fn sent(&self, mut record: Record, found: &warc::Record, truncated: Option<&'static str>) -> Record {
        // Some more than matter, so that the sieve can see whether there are more.
        let sent = match http::read(&found.block, self.max_bytes.saturating_add(stream::BEYOND)) {
            Ok(sent) => sent,
            Err(message) => return Record { truncated, ..record.failed("bad-http", message) },
        };
        record.status = Some(sent.status);
        let truncated = truncated.or(sent.truncated(found.is_cut, self.max_bytes));
        record.mime = sent.mime;
        let (status, location) = (Some(sent.status), sent.location);
        self.response(record, Response { status, location, truncated, body: sent.body })
    }

    /// Applies the status, and then the file.
    fn response(&self, record: Record, response: Response<'_>) -> Record {
        let Response { status, location, truncated, body } = response;
        let length = body.as_ref().map_or(0, |body| body.len());
        // A part of the file, for any request.
        let truncated = truncated.or((status == Some(206)).then_some("partial"));
        let access = status.map_or(SiteAccess::Rules, |status| SiteAccess::of_status(status, &self.verdicts));
        let made = match (status, access) {
            (Some(304), _) => Record { outcome: Outcome::NotModified, ..record },
            (Some(status), _) if SiteAccess::is_no_answer(status) => Record { outcome: Outcome::NoAnswer, ..record },
            (Some(301 | 302 | 303 | 307 | 308), _) => Record { outcome: Outcome::Redirect, location, ..record },
            (_, SiteAccess::Rules) => {
                // It may be packed without any header that says so.
                let unpacked = |body| unpack::unpack_bytes(body, self.max_bytes).map_err(|error| error.to_string());
                let file = body.and_then(unpacked);
                return match file {
                    Err(why) => Record { truncated, ..record.failed("unreadable", why) },
                    Ok(file) => {
                        let is_whole = truncated.is_none() && file.is_whole();
                        self.rules_of(Record { truncated, ..record }, &file.bytes, is_whole)
                    }
                };
            }
            (_, SiteAccess::AllowAll) => self.decided(record, Outcome::AllowAll, access),
            (_, SiteAccess::DisallowAll) => self.decided(record, Outcome::DisallowAll, access),
        };
        Record { truncated, bytes: Some(length), ..made }
    }

    /// The status decided: the text is that of a file with the same meaning.
    fn decided(&self, record: Record, outcome: Outcome, access: SiteAccess) -> Record {
        if self.table.is_some() {
            return Record { outcome, ..record };
        }
        let path = if access == SiteAccess::DisallowAll { " /" } else { "" };
        // Groups for `*` may not apply to its crawler, and of all crawlers not to those with groups of their own.
        let own = self.groups.as_ref().and_then(|groups| groups.own_name(self.verdicts.agents));
        let all = Crawler::with_own_groups().filter(|_| self.groups.is_none() && access == SiteAccess::DisallowAll);
        let names = own.map(str::to_owned).into_iter().chain(all.map(|one| one.token.to_string()));
        let name = names.fold(String::new(), |lines, name| lines + "User-agent: " + &name + "\n");
        let file = &*format!("User-agent: *\n{name}Disallow:{path}\n").into_bytes();
        let sieve = self.sieve.clone().fallback(own.is_none());
        let made = self.answered(&sieve, Record { url: None, ..record.clone() }, file, true, |_| Who::status());
        self.asked(Record { outcome, url: record.url, ..made }, file, true, access)
    }

    /// The record with its answers, if its rules are known and URLs were given.
    fn asked(&self, mut record: Record, bytes: &[u8], is_whole: bool, access: SiteAccess) -> Record {
        let (Some(urls), Some(groups), Some(_)) = (&self.urls, &self.groups, &record.policy) else {
            return record;
        };
        let options = Options { complete: self.verdicts.complete && is_whole, ..self.verdicts.clone() };
        match table::answers(urls, bytes, &options, groups, access) {
            Ok(results) => record.results = Some(results),
            Err(refused) => {
                record.error = Some(Problem::refused(refused.to_string()));
                (record.outcome, record.policy) = (Outcome::Refused, None);
            }
        }
        record
    }

    /// The record of a file. If nothing else cut it, its packing did.
    fn rules_of(&self, record: Record, bytes: &[u8], is_whole: bool) -> Record {
        let truncated = record.truncated.or((!is_whole).then_some("encoding"));
        let record = Record { truncated, ..record };
        if let Some(table) = &self.table {
            let mut record = Record { outcome: Outcome::Rules, bytes: Some(bytes.len()), ..record };
            let mut rows = Vec::new();
            record.input = table.add(&record, Some((bytes, is_whole)), &mut rows);
            return Record { rows: Some(rows), ..record };
        }
        let mut record = self.answered(&self.sieve, record, bytes, is_whole, |sieved| {
            self.groups.as_ref().map_or_else(Who::all, |groups| Who::new(sieved.answered_by(), groups))
        });
        if let Some(policy) = &record.policy {
            let report = &policy.report;
            (record.input, record.suspects) = (Some(report.input()), Some(report.suspects()));
            if let Some(message) = refusal(report, is_whole, &self.fail_on) {
                record.error = Some(Problem::refused(message));
                (record.outcome, record.policy) = (Outcome::Refused, None);
            }
        }
        self.asked(record, bytes, is_whole, SiteAccess::Rules)
    }

    fn answered(
        &self,
        sieve: &Sieve,
        record: Record,
        bytes: &[u8],
        is_whole: bool,
        who: impl Fn(&Sieved<'_>) -> Who,
    ) -> Record {
        let length = Some(bytes.len());
        // Relative addresses are resolved by the file's own URL, if it has one.
        let base_url: Option<HttpUrl> = record.url.as_deref().and_then(|url| url.parse().ok());
        let of_site = match base_url {
            None if is_whole => None,
            base_url => Some(sieve.clone().with(|options| options.base_url = base_url)),
        };
        let of_site =
            of_site.map(|sieve| if is_whole { sieve } else { sieve.with(|options| options.complete = false) });
        let sieve = of_site.as_ref().unwrap_or(sieve);
        let sieved = match sieve.filter(bytes) {
            Ok(sieved) => sieved,
            Err(refused) => {
                let error = Some(Problem::refused(refused.to_string()));
                return Record { error, bytes: length, outcome: Outcome::Refused, ..record };
            }
        };
        let records = sieved.records();
        let delay = records.records().next().filter(|_| self.groups.is_some()).and_then(|record| record.crawl_delay());
        let is_part = self.groups.is_none() && !(is_whole && self.verdicts.complete);
        let text = if is_part { Crawler::text_of_part(sieve, &sieved) } else { sieved.text().to_owned() };
        let policy = Policy {
            who: who(&sieved),
            exact: is_whole && sieved.report().is_exact(),
            report: sieved.report().clone(),
            sitemaps: records.sitemaps().iter().map(|url| url.as_str().to_owned()).collect(),
            crawl_delay: delay.map(|delay| delay.as_duration().as_secs_f64()),
            digest: Sha256::digest(&text).into(),
            size: text.len(),
            text,
        };
        let is_known = policy.report.count(FindingKind::GroupIncomplete) == 0;
        let outcome = if is_known { Outcome::Rules } else { Outcome::Incomplete };
        Record { bytes: length, policy: Some(policy), outcome, ..record }
    }
}

/// Whether the URL's path is `/robots.txt`, with or without a query.
fn is_robots_txt(url: &str) -> bool {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = after.find('/').and_then(|at| after.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// The result of work that fills a record with only the source.
fn timed(place: Place, input: Arc<Input>, work: impl FnOnce(Record) -> Result<Record, &'static str>) -> Done {
    let started = Instant::now();
    let record = || Record::new(Arc::clone(&input.name), place.number());
    // No known input makes the library or a decoder panic. If one does, only its own record fails.
    let made = panic::catch_unwind(AssertUnwindSafe(|| work(record()))).unwrap_or_else(|_| {
        let message = "this program failed on it: please report that, with the file";
        Ok(record().failed("internal", message))
    });
    let what = made.map_or_else(What::Skipped, |record| What::Record(Box::new(record)));
    Done { place, input, took: started.elapsed(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.warc]
    #[test]
    fn only_robots_txt_is_one() {
        for (url, expected) in [
            ("http://e.com/robots.txt", true),
            ("https://e.com:8080/robots.txt?x", true),
            ("http://e.com/a/robots.txt", false),
            ("http://e.com/", false),
            ("http://e.com", false),
            ("dns:e.com/robots.txt", false),
            ("http://e.com/ROBOTS.TXT", false),
            ("", false),
        ] {
            assert_eq!(is_robots_txt(url), expected, "{url}");
        }
    }
}
