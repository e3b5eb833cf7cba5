//! The pages of an archive, as a maker of rows gets them.
//!
//! Invariant: a page is checked as a robots.txt is: its digest, its codings, its length. One that fails has rows that
//! say so. What is no page is counted.

use std::borrow::Cow;
use std::fmt;

use robosieve::report::InputKind;

use super::outcome::Outcome;
use super::record::Record;
use super::site::{SiteFile, is_of_site};
use super::table::Table;
use super::{digest, http, line, warc};

/// Makes the rows of pages. `Debug` shows everything that the rows depend on: a run that continues another one compares
/// it.
pub trait Pages: fmt::Debug + Send + Sync {
    /// What comes before the first row.
    fn head(&self) -> Vec<u8>;

    /// The number of bytes of a page's body that matter.
    fn max_body_bytes(&self) -> usize;

    /// Adds the rows of a page. None: it failed, and the record says why.
    fn add(&self, record: &Record, page: Option<&ArchivedPage<'_>>, out: &mut Vec<u8>);
}

/// A page of an archive.
#[derive(Debug)]
#[non_exhaustive]
pub struct ArchivedPage<'p> {
    /// The head of the response, from the status line to the blank line.
    pub head: &'p [u8],
    /// The body, of any media type: as many bytes as matter, and one more if there are more.
    pub body: Cow<'p, [u8]>,
    /// Whether the body is all there.
    pub is_whole: bool,
    /// The robots.txt of its site, if the archive has it before the page.
    pub robots: Option<&'p SiteFile>,
}

/// Why something that is no archive has no pages.
pub(super) const NO_ARCHIVE: &str = "it is no WARC archive, and only archives have pages: name .warc or .warc.gz files, \
                                     or say what it holds";

/// The record of a page, with its rows; or why there is none. `of_site` reads a robots.txt.
pub(super) fn page(
    mut record: Record,
    found: &warc::Record,
    pages: &dyn Pages,
    of_site: impl Fn(&warc::Record) -> Option<Record>,
) -> Result<Record, &'static str> {
    record.url = found.head.url().map(Cow::into_owned);
    record.time = found.head.text("WARC-Date");
    let url = record.url.as_deref().unwrap_or_default();
    let (is_robots, is_web) = (is_of_site(url), is_web(url));
    let ends = || found.is_short.then(|| record.clone().failed("bad-record", warc::Damage::Ends.text()));
    if let warc::Kind::Other(name) = found.kind {
        return ends().ok_or(name);
    }
    if is_robots {
        // Its pages have it. Only what is wrong with it has rows.
        let made = of_site(found);
        let error = made.filter(|made| made.outcome == Outcome::Failed).and_then(|made| made.error);
        return error.map(|error| record.failed(error.kind, error.message)).ok_or("robots-txt");
    }
    if found.kind != warc::Kind::Response || !is_web {
        return ends().ok_or(match found.kind {
            warc::Kind::Resource => "resource",
            warc::Kind::Revisit => "revisit",
            _ => "other-url",
        });
    }
    if let Err(wrong) = digest::check(found) {
        return Ok(record.failed("bad-digest", wrong.text()));
    }
    if found.spoilt == Some(warc::Damage::Stream) {
        return Ok(record.failed("bad-record", warc::SPOILT));
    }
    let most = pages.max_body_bytes();
    let sent = match http::read(&found.block, most.saturating_add(1)) {
        Ok(sent) => sent,
        Err(message) => return Ok(record.failed("bad-http", message)),
    };
    record.status = Some(sent.status);
    if !(200..300).contains(&sent.status) {
        return Err("other-status");
    }
    let partial = (sent.status == 206).then_some("partial");
    record.truncated = found.truncated().or(sent.truncated(found.is_cut, most)).or(partial);
    record.mime = sent.mime;
    let body = match sent.body {
        Ok(body) => body,
        Err(why) => return Ok(record.failed("unreadable", why)),
    };
    (record.outcome, record.bytes) = (Outcome::Page, Some(body.len()));
    let is_whole = record.truncated.is_none();
    let page = ArchivedPage { head: sent.head, body, is_whole, robots: found.site.as_deref() };
    let mut rows = line::buffer();
    pages.add(&record, Some(&page), &mut rows);
    Ok(Record { rows: Some(rows), ..record })
}

/// Whether it is the URL of a page: archives also have what name servers said.
fn is_web(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme).unwrap_or_default();
    ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Gives the bytes of a file instead of rows.
#[derive(Debug)]
pub(super) struct Keeper;

impl Table for Keeper {
    fn head(&self) -> Vec<u8> {
        Vec::new()
    }

    fn add(&self, _: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind> {
        out.extend_from_slice(bytes.map_or(&[], |(bytes, _)| bytes));
        None
    }
}
