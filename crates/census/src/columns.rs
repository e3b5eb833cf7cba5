//! The columns of the two tables.
//!
//! Invariant: rows have these columns in this order, and the JSON Schemas and README.md are made of them.

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// Text without controls, and without what cannot be seen.
    Text,
    /// A whole number from 0.
    Count,
    /// Seconds.
    Seconds,
    /// True or false.
    Flag,
    /// Texts. In CSV, one text with blanks between.
    List,
    /// Numbers by name. In CSV, `name=number` with blanks between.
    Counts,
}

/// A column.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its cells hold.
    pub holds: Type,
    /// Whether a cell can be empty.
    pub nullable: bool,
    /// What it means.
    pub meaning: &'static str,
    /// The document that its meaning is from. `HOUSE` is ours.
    pub source: &'static str,
    /// The only texts that it can have, if they are known.
    pub values: &'static [&'static str],
}

impl Column {
    /// The only texts that a column of this name can have.
    pub(crate) const fn values_of(name: &str) -> &'static [&'static str] {
        match name.as_bytes() {
            b"status" => STATUSES,
            b"outcome" => OUTCOMES,
            b"training" | b"ai_input" | b"search" => YES_NO,
            b"extent" => EXTENTS,
            _ => &[],
        }
    }
}

const fn column(
    name: &'static str,
    holds: Type,
    nullable: bool,
    meaning: &'static str,
    source: &'static str,
) -> Column {
    Column { name, holds, nullable, meaning, source, values: &[] }
}

const fn of(column: Column, values: &'static [&'static str]) -> Column {
    Column { values, ..column }
}

pub(crate) const STATUSES: &[&str] =
    &["none", "some", "all", "empty", "no-file", "not-robots", "incomplete", "unknown"];
const OUTCOMES: &[&str] =
    &["rules", "allow-all", "disallow-all", "redirect", "not-modified", "revisit", "refused", "failed"];
const YES_NO: &[&str] = &["yes", "no"];
const EXTENTS: &[&str] = &["immediate", "reference", "full"];

use Type::{Count, Counts, Flag, List, Seconds, Text};

/// What both tables know of a file.
pub const OF_FILE: &[Column] = &[
    column("v", Count, false, "1; a change that breaks readers will have another number", "HOUSE"),
    column("source", Text, false, "the input, as in the records of `batch`", "HOUSE"),
    column("record", Count, true, "the number of the record or line in it, from 1", "HOUSE"),
    column("url", Text, true, "of the file; with `source` and `record` the key of a file", "ISO 28500 WARC-Target-URI"),
    column("host", Text, true, "of the URL, in small letters, without the port", "RFC 3986 3.2.2"),
    column("time", Text, true, "when it was retrieved, as the input says it", "ISO 28500 WARC-Date"),
    column("http_status", Count, true, "of the response", "RFC 9110 15"),
    of(column("outcome", Text, false, "what was retrieved, as in the records of `batch`", "RFC 9309 2.3.1"), OUTCOMES),
    column("location", Text, true, "where a redirect leads, or what a revisit refers to", "RFC 9110 10.2.2"),
    column("redirects", Count, false, "redirects from `url` to the file, 0 to 5; see below", "RFC 9309 2.3.1.2"),
    column("mime", Text, true, "the media type that the response states", "RFC 9110 8.3"),
    column("kind", Text, true, "what the file looks like: text, html, json …", "HOUSE input.kind"),
    column("bytes", Count, true, "its size, as far as it was read", "RFC 9309 2.5"),
    column("truncated", Text, true, "why the file is not whole, if it is not", "ISO 28500 WARC-Truncated"),
];

/// Columns of a row for a file and a crawler, after those of the file.
pub const OF_AGENT: &[Column] = &[
    column("agent", Text, false, "the crawler's name, or `*` for those that no group names", "RFC 9309 2.2.1"),
    column("owner", Text, true, "who runs it, by the table of known crawlers or the list", "HOUSE crawlers"),
    column("kinds", Text, true, "ai, search, ads, archive, seo, other", "HOUSE crawlers"),
    column("purpose", Text, true, "what it fetches pages for", "HOUSE crawlers"),
    column("named", Flag, true, "whether a user-agent line names it itself", "RFC 9309 2.2.1"),
    column("group", Text, true, "the name whose group applies, `*`, or none", "RFC 9309 2.2.1"),
    column("line", Count, true, "the first user-agent line with that name", "RFC 9309 2.2.1"),
    of(
        column("status", Text, false, "how much of the site is closed to it; see below", "HOUSE coverage.share"),
        STATUSES,
    ),
    column("root", Flag, true, "whether it may fetch `/`", "RFC 9309 2.2.2"),
    column(
        "proved",
        Flag,
        true,
        "whether none, some or all is proved; else it is what closes more",
        "HOUSE coverage.work",
    ),
    column("allows", Count, false, "Allow rules that apply to it and are not empty", "RFC 9309 2.2.2"),
    column("disallows", Count, false, "Disallow rules that apply to it and are not empty", "RFC 9309 2.2.2"),
    column("crawl_delay", Seconds, true, "the longest that applies to it", "Bing, Yandex"),
    of(
        column("training", Text, true, "training of AI models", "draft-ietf-aipref-vocab-08; contentsignals.org"),
        YES_NO,
    ),
    column("training_line", Count, true, "the line that says so", "HOUSE usage"),
    of(column("ai_input", Text, true, "input of AI models", "draft-ietf-aipref-vocab-08; contentsignals.org"), YES_NO),
    column("ai_input_line", Count, true, "the line that says so", "HOUSE usage"),
    of(column("search", Text, true, "search", "draft-ietf-aipref-vocab-08; contentsignals.org"), YES_NO),
    column("search_line", Count, true, "the line that says so", "HOUSE usage"),
    of(column("extent", Text, true, "how much may be kept and shown", "contentsignals.org"), EXTENTS),
    column("extent_line", Count, true, "the line that says so", "HOUSE usage"),
];

/// Columns of a row for a file, after those of the file.
pub const OF_WHOLE_FILE: &[Column] = &[
    of(column("status", Text, false, "that of `*`; see below", "HOUSE coverage.share"), STATUSES),
    column("root", Flag, true, "whether a crawler that no group names may fetch `/`", "RFC 9309 2.2.2"),
    column("groups", Count, false, "groups", "RFC 9309 2.1"),
    column("allows", Count, false, "Allow rules of all groups that are not empty", "RFC 9309 2.2.2"),
    column("disallows", Count, false, "Disallow rules of all groups that are not empty", "RFC 9309 2.2.2"),
    column("agents", List, false, "names in user-agent lines, each once, the first 1,000", "RFC 9309 2.2.1"),
    column("agents_count", Count, false, "the number of all of them", "RFC 9309 2.2.1"),
    column("sitemaps", List, false, "the first 1,000", "sitemaps.org"),
    column("sitemaps_count", Count, false, "the number of all of them", "sitemaps.org"),
    column("licenses", List, false, "values of License lines, the first 1,000", "RSL 1.0"),
    column(
        "directives",
        Counts,
        false,
        "lines by name, also unknown ones, in small letters; the first 100 names",
        "RFC 9309 2.2.4",
    ),
    column("lines", Count, false, "lines with a name, a colon and a value", "RFC 9309 2.2"),
    column("repairs", Count, false, "lines that were read as they were meant", "HOUSE report.class"),
    column("suspects", Count, false, "lines that mean something else than their owner meant", "HOUSE report.class"),
    column("losses", Count, false, "what limits left out", "HOUSE report.class"),
    column("hash", Text, true, "SHA-256 of the bytes", "FIPS 180-4"),
    column(
        "text_hash",
        Text,
        true,
        "SHA-256 of the canonical text for all agents: the same policy has the same",
        "FIPS 180-4",
    ),
];
