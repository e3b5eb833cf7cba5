//! The normal form: what a file says, once for each group that somebody has.
//!
//! Invariant: the structs here are the tables. Their fields are the columns, in this order, in NDJSON, CSV, Parquet and
//! the JSON Schema, and nothing else lists them.

use serde::de::{Deserialize, Deserializer, Error};

use crate::cells::{Cell, Cells, Form, Held, Value};
use crate::columns::{Column, Type};

/// The version of the normal form. A change that breaks readers will have another number.
pub const VERSION: u64 = 2;

/// A row of a table.
pub trait Row: Sized {
    /// The columns.
    const COLUMNS: &'static [Column];

    /// Gives the cells, in the order of the columns.
    fn cells<'r>(&'r self, each: &mut dyn FnMut(Cell<'r>));

    /// Makes a row of cells, which come in the order of the columns. None if one of them has another type.
    fn of(next: &mut dyn FnMut() -> Option<Held>) -> Option<Self>;
}

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty, $meaning:literal, $source:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $(#[doc = $meaning] pub $field: $type,)*
        }

        impl Row for $name {
            const COLUMNS: &'static [Column] = &[$(Column {
                name: stringify!($field),
                holds: <$type as Value>::HOLDS,
                nullable: <$type as Value>::NULLABLE,
                meaning: $meaning,
                source: $source,
                values: Column::values_of(stringify!($field)),
            },)*];

            fn cells<'r>(&'r self, each: &mut dyn FnMut(Cell<'r>)) {
                $(each(self.$field.cell());)*
            }

            fn of(next: &mut dyn FnMut() -> Option<Held>) -> Option<Self> {
                Some(Self { $($field: Value::of(next()?)?,)* })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut held = from.deserialize_map(Cells(Self::COLUMNS))?.into_iter();
                Self::of(&mut || held.next()).ok_or_else(|| Error::custom("a cell is missing, or of another type"))
            }
        }
    };
}

table! {
    /// What is known of a file: one for each record, and for each site that it belongs to by redirects.
    FileRow {
        source: String, "the input, as in the records of `batch`", "HOUSE";
        record: Option<u64>, "the number of the record or line in it, from 1", "HOUSE";
        url: Option<String>, "of the file; with `source` and `record` the key of a file", "ISO 28500 WARC-Target-URI";
        host: Option<String>, "of the URL, in small letters, without the port", "RFC 3986 3.2.2";
        domain: Option<String>, "the registered domain of the host", "publicsuffix.org";
        time: Option<String>, "when it was retrieved, as the input says it", "ISO 28500 WARC-Date";
        http_status: Option<u64>, "of the response", "RFC 9110 15";
        outcome: String, "what was retrieved, as in the records of `batch`", "RFC 9309 2.3.1";
        location: Option<String>, "where a redirect leads, or what a revisit refers to", "RFC 9110 10.2.2";
        redirects: u64, "redirects from `url` to the file, 0 to 5", "RFC 9309 2.3.1.2";
        mime: Option<String>, "the media type that the response states", "RFC 9110 8.3";
        kind: Option<String>, "what the file looks like: text, html, json …", "HOUSE input.kind";
        bytes: Option<u64>, "its size, as far as it was read", "RFC 9309 2.5";
        truncated: Option<String>, "why the file is not whole, if it is not", "ISO 28500 WARC-Truncated";
        status: String, "that of `*`", "HOUSE coverage.share";
        root: Option<bool>, "whether a crawler that no group names may fetch `/`", "RFC 9309 2.2.2";
        groups: Option<u64>, "groups", "RFC 9309 2.1";
        agents_count: Option<u64>, "names in user-agent lines, each once", "RFC 9309 2.2.1";
        sitemaps_count: Option<u64>, "sitemaps", "sitemaps.org";
        repairs: Option<u64>, "lines that were read as they were meant", "HOUSE report.class";
        suspects: Option<u64>, "lines that mean something else than their owner meant", "HOUSE report.class";
        losses: Option<u64>, "what limits left out", "HOUSE report.class";
        hash: Option<String>, "SHA-256 of the bytes", "FIPS 180-4";
        reading: Option<String>, "the options that it was read with, where they are not the standard's", "HOUSE census.reading";
    }
}

table! {
    /// What a file says to all crawlers that have the same answer.
    PolicyRow {
        policy: u64, "the number of the policy in the file, from 0", "HOUSE";
        status: String, "how much of the site is closed", "HOUSE coverage.share";
        root: Option<bool>, "whether `/` may be fetched", "RFC 9309 2.2.2";
        proved: Option<bool>, "whether none, some or all is proved; else it is what closes more", "HOUSE coverage.work";
        allows: u64, "Allow rules that apply and are not empty", "RFC 9309 2.2.2";
        disallows: u64, "Disallow rules that apply and are not empty", "RFC 9309 2.2.2";
        crawl_delay: Option<f64>, "the longest that applies", "Bing, Yandex";
        training: Option<String>, "training of AI models", "draft-ietf-aipref-vocab-08; contentsignals.org";
        training_line: Option<u64>, "the line that says so", "HOUSE usage";
        ai_input: Option<String>, "input of AI models", "draft-ietf-aipref-vocab-08; contentsignals.org";
        ai_input_line: Option<u64>, "the line that says so", "HOUSE usage";
        search: Option<String>, "search", "draft-ietf-aipref-vocab-08; contentsignals.org";
        search_line: Option<u64>, "the line that says so", "HOUSE usage";
        extent: Option<String>, "how much may be kept and shown", "contentsignals.org";
        extent_line: Option<u64>, "the line that says so", "HOUSE usage";
        exact: bool, "whether the text answers as the file does, for every URL", "HOUSE report.exact";
        hash: String, "SHA-256 of the canonical text, which is for `*` and has no lines of the file as a whole", "FIPS 180-4";
    }
}

table! {
    /// Which policy a name has.
    NameRow {
        agent: String, "the name; `*` for crawlers that no group names; empty for those of them that do not obey `*`", "RFC 9309 2.2.1";
        group: Option<String>, "the name whose group applies, `*`, or none", "RFC 9309 2.2.1";
        named: bool, "whether a user-agent line names it itself", "RFC 9309 2.2.1";
        line: Option<u64>, "the first user-agent line with that name", "RFC 9309 2.2.1";
        policy: u64, "the number of the policy in the file", "HOUSE";
        listed: bool, "whether it is one of the first 2,000 names of the file, as they stand there", "HOUSE";
    }
}

table! {
    /// A canonical text.
    TextRow {
        hash: String, "its SHA-256", "FIPS 180-4";
        text: String, "the canonical text of a policy, for `*`", "HOUSE text";
    }
}

/// The column that rows of several tables have in common.
pub const FILE: Column = Column {
    name: "file",
    holds: Type::Count,
    nullable: false,
    meaning: "the number of the file: the same in `files`, `policies` and `names` of a crawl",
    source: "HOUSE",
    values: &[],
};

/// The columns of a table: those of its rows, and the number of the file, if they are of one.
#[must_use]
pub fn columns<R: Row>(of_file: bool) -> Vec<Column> {
    of_file.then_some(FILE).into_iter().chain(R::COLUMNS.iter().copied()).collect()
}

/// A file in the normal form.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// The version: [`VERSION`].
    pub v: u64,
    /// What is known of it.
    pub file: FileRow,
    /// What it says. None if it could not be retrieved.
    pub policies: Vec<PolicyRow>,
    /// To whom: `*` first, then the names of the file.
    pub names: Vec<NameRow>,
    /// The texts of the policies, each once.
    pub texts: Vec<TextRow>,
}

impl Entry {
    /// Reads a line. None if it is none of this version.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let entry: Self = serde_json::from_slice(line).ok()?;
        (entry.v == VERSION && entry.is_sound()).then_some(entry)
    }

    /// The entry of rows of tables: of one file, in their order. None if they are not those of one file, or not all of
    /// them: without its names, a file with rules would be open.
    #[must_use]
    pub fn of_rows(file: FileRow, policies: Vec<PolicyRow>, names: Vec<NameRow>) -> Option<Self> {
        let entry = Self { v: VERSION, file, policies, names, texts: Vec::new() };
        entry.is_sound().then_some(entry)
    }

    /// Whether a file with rules has names, and no other file: `*` first, each with one of its policies.
    fn is_sound(&self) -> bool {
        let has_names = self.names.first().is_some_and(|name| name.agent == "*");
        let is_one = self.policies.iter().zip(0..).all(|(policy, place)| policy.policy == place);
        let has_rules = self.file.outcome == "rules";
        is_one
            && has_rules == has_names
            && (has_names || self.names.is_empty() && self.policies.is_empty())
            && self.names.iter().all(|name| self.policy(name.policy).is_some())
    }

    /// The policy with this number.
    #[must_use]
    pub fn policy(&self, number: u64) -> Option<&PolicyRow> {
        let at = usize::try_from(number).ok().and_then(|at| self.policies.get(at));
        at.filter(|policy| policy.policy == number)
    }

    /// Adds the line: ASCII, with the names of the columns.
    pub fn write(&self, out: &mut Vec<u8>) {
        begin(&self.file, out);
        self.write_rest(out);
    }

    /// Adds what comes after the file's own cells.
    pub(crate) fn write_rest(&self, out: &mut Vec<u8>) {
        list("policies", &self.policies, out);
        list("names", &self.names, out);
        list("texts", &self.texts, out);
        out.extend_from_slice(b"}\n");
    }
}

/// Adds the front of a line.
pub(crate) fn begin(file: &FileRow, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"v\":2,\"file\":");
    object(file, out);
}

fn list<R: Row>(name: &str, rows: &[R], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":[");
    for (place, row) in rows.iter().enumerate() {
        out.extend_from_slice(if place > 0 { b"," } else { b"" });
        object(row, out);
    }
    out.push(b']');
}

fn object<R: Row>(row: &R, out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    let mut columns = R::COLUMNS.iter();
    row.cells(&mut |cell| {
        if let Some(column) = columns.next() {
            Form::Ndjson.push(out, column.name, cell);
        }
    });
    // Each cell begins with a comma.
    if out.len() > start {
        out.remove(start);
    }
    out.push(b'}');
}

/// Adds a row of a table: its version, what stands in front, and its cells.
#[cfg(feature = "parquet")]
pub(crate) fn line<R: Row>(front: &[(&str, Cell<'_>)], row: &R, form: Form, out: &mut Vec<u8>) {
    form.begin(VERSION, out);
    for (name, cell) in front {
        form.push(out, name, *cell);
    }
    let mut columns = R::COLUMNS.iter();
    row.cells(&mut |cell| {
        if let Some(column) = columns.next() {
            form.push(out, column.name, cell);
        }
    });
    form.end(out);
}
