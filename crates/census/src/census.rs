//! Makes the rows of a file.
//!
//! Invariant: the rows depend on the file, on what is known of it, and on the census. A file is parsed once for all
//! crawlers.

use std::fmt;

use robosieve::Sieve;
use robosieve::diff::Coverage;
use robosieve::policy::{Parser, RecordSet};
use robosieve::report::InputKind;
use robosieve::settings::Options;
use robosieve::value::HttpUrl;
use robosieve_batch::{Outcome, Record, Table};
use robosieve_explain::Names;

use crate::agents::{AgentList, Asked};
use crate::answer::Nature;
use crate::cells::{Cell, Form, text};
use crate::columns::{Column, OF_AGENT, OF_FILE, OF_WHOLE_FILE};
use crate::file_row;
use crate::groups::{Answered, Answers, Group, Index};
use crate::names;
use crate::normal::{Entry, FileRow, PolicyRow};

/// Which table is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rows {
    /// The normal form: a line for each file, with what it says to whom. It is written as NDJSON.
    #[default]
    Normal,
    /// A row for each file and crawler.
    Agents,
    /// A row for each file.
    Files,
}

impl Rows {
    /// Its columns. The normal form has those of its tables: [`Row::COLUMNS`](crate::normal::Row::COLUMNS).
    pub fn columns(self) -> impl Iterator<Item = &'static Column> {
        let (front, behind) = match self {
            Self::Normal => (&[][..], &[][..]),
            Self::Agents => (OF_FILE, OF_AGENT),
            Self::Files => (OF_FILE, OF_WHOLE_FILE),
        };
        front.iter().chain(behind)
    }
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'s> {
    /// The input, escaped.
    pub source: &'s str,
    /// The number of the record or line in it.
    pub record: Option<u64>,
    /// The URL of the file.
    pub url: Option<&'s str>,
    /// When it was retrieved.
    pub time: Option<&'s str>,
    /// The HTTP status of the response.
    pub http_status: Option<u16>,
    /// Where a redirect leads.
    pub location: Option<&'s str>,
    /// The number of redirects from the URL to the file.
    pub redirects: u8,
    /// The media type that the response states.
    pub mime: Option<&'s str>,
    /// Why the file is not whole.
    pub truncated: Option<&'s str>,
    /// The size of a file without a body.
    pub bytes: Option<usize>,
}

/// Makes the rows of files.
#[derive(Clone)]
pub struct Census {
    list: AgentList,
    index: Index,
    /// The crawlers of the list and `*`, for the normal form.
    names: names::Names,
    options: Options,
    whole: Parser,
    part: Parser,
    form: Form,
    rows: Rows,
    /// For each crawler, the cells that are the same in each of its rows.
    cells: Vec<Vec<u8>>,
}

impl Census {
    /// A census of these crawlers, in the standard's reading.
    #[must_use]
    pub fn new(list: AgentList) -> Self {
        let census = Self {
            names: names::Names::default(),
            list,
            index: Index::default(),
            options: Options::default(),
            whole: Parser::default(),
            part: Parser::default(),
            form: Form::default(),
            rows: Rows::default(),
            cells: Vec::new(),
        };
        census.options(Options::default())
    }

    /// How files are read. The limits are those for verdicts.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        let verdicts = Options { max_details: 0, ..options.clone().for_verdicts() };
        self.index = Index::new(&self.list.asked, verdicts.union_of_agents);
        self.names = names::Names::new(&self.list, verdicts.union_of_agents);
        self.whole = Parser::new(Options { complete: true, ..verdicts.clone() });
        self.part = Parser::new(Options { complete: false, ..verdicts });
        self.options = options;
        self.written()
    }

    /// How rows are written.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }.written()
    }

    /// Which table is made.
    #[must_use]
    pub fn rows(self, rows: Rows) -> Self {
        Self { rows, ..self }
    }

    fn written(mut self) -> Self {
        self.cells = self.list.asked.iter().map(|one| one.cells(self.form)).collect();
        self
    }

    /// Adds the rows of a file that has rules; `is_whole`: whether the bytes are all of it. Returns what it looks like.
    pub fn add(&self, seen: &Seen<'_>, bytes: &[u8], is_whole: bool, out: &mut Vec<u8>) -> InputKind {
        let parser = if is_whole { &self.whole } else { &self.part };
        let set = parser.parse(bytes);
        let kind = set.report().input();
        let seen = Seen { bytes: Some(bytes.len()), ..*seen };
        let file = file_of(&seen, "rules", Some(kind));
        let nature = nature(&set, kind, bytes);
        let mut work = Coverage::MAX_WORK;
        match self.rows {
            Rows::Normal => self.names.entry(&self.list, (file, bytes), &set, nature, &mut work).write(out),
            Rows::Agents => self.add_agents(&self.head(&file), &set, nature, &mut work, out),
            Rows::Files => {
                let everyone = [Asked::everyone()];
                let index = Index::new(&everyone, false);
                let mut answers = Answers::new(&set, nature, &mut work, false);
                index.answers(&everyone, &mut answers);
                let unknown = PolicyRow::without_rules("unknown", None);
                let options = Options { base_url: seen.url.and_then(|url| url.parse().ok()), ..self.options.clone() };
                let reading = Options { complete: is_whole, ..options.clone().for_verdicts() };
                let sieve = Sieve::all_agents().options(Options { complete: is_whole, ..options });
                out.extend_from_slice(&self.head(&file));
                let answer = answers.made.first().unwrap_or(&unknown);
                file_row::write(answer, (&Parser::new(reading), &sieve), Some(bytes), self.form, out);
                self.form.end(out);
            }
        }
        kind
    }

    /// A file that has rules, in the normal form.
    #[must_use]
    pub fn entry(&self, seen: &Seen<'_>, bytes: &[u8], is_whole: bool) -> Entry {
        let set = (if is_whole { &self.whole } else { &self.part }).parse(bytes);
        let kind = set.report().input();
        let file = file_of(&Seen { bytes: Some(bytes.len()), ..*seen }, "rules", Some(kind));
        self.names.entry(&self.list, (file, bytes), &set, nature(&set, kind, bytes), &mut Coverage::MAX_WORK.clone())
    }

    fn add_agents(&self, head: &[u8], set: &RecordSet<'_>, nature: Nature, work: &mut usize, out: &mut Vec<u8>) {
        let mut answers = Answers::new(set, nature, work, false);
        let answered = self.index.answers(&self.list.asked, &mut answers);
        self.add_rows(head, (&self.list.asked, &self.cells), &answered, &answers.made, out);
        if self.list.named {
            let names = file_row::short_names(set).filter(|name| !self.list.has(name)).take(AgentList::MAX_NAMED);
            let asked: Vec<Asked> = names.map(|name| Asked::new(name, None, self.list.names)).collect();
            let index = Index::new(&asked, set.reading().union_of_agents);
            let answered = index.answers(&asked, &mut answers);
            let cells: Vec<Vec<u8>> = asked.iter().map(|one| one.cells(self.form)).collect();
            self.add_rows(head, (&asked, &cells), &answered, &answers.made, out);
        }
    }

    fn add_rows(
        &self,
        head: &[u8],
        (asked, cells): (&[Asked], &[Vec<u8>]),
        answered: &[Answered],
        answers: &[PolicyRow],
        out: &mut Vec<u8>,
    ) {
        let tails: Vec<Vec<u8>> = answers.iter().map(|answer| self.tail(answer)).collect();
        let sizes = head.len().saturating_add(tails.first().map_or(0, Vec::len)).saturating_add(128);
        out.reserve(cells.len().saturating_mul(sizes));
        // Most crawlers are named by no group, so they have the same cells.
        let (mut last, mut same) = (None, Vec::new());
        for ((one, cells), answered) in asked.iter().zip(cells).zip(answered) {
            out.extend_from_slice(head);
            out.extend_from_slice(cells);
            if last != Some(*answered) || matches!(answered.group, Group::Own(_)) {
                same.clear();
                self.push_group(one, answered, &mut same);
                same.extend_from_slice(tails.get(answered.answer).map(Vec::as_slice).unwrap_or_default());
                last = Some(*answered);
            }
            out.extend_from_slice(&same);
        }
    }

    fn push_group(&self, one: &Asked, answered: &Answered, out: &mut Vec<u8>) {
        let group = match answered.group {
            Group::Nobody => None,
            Group::Everyone => Some("*"),
            Group::Own(place) => one.group_names.get(place).map(String::as_str),
        };
        self.form.push(out, "named", Cell::Flag(answered.named));
        self.form.push(out, "group", group);
        self.form.push(out, "line", answered.line.map(u64::from));
    }

    fn tail(&self, answer: &PolicyRow) -> Vec<u8> {
        let mut tail = Vec::with_capacity(256);
        answer.write(self.form, &mut tail);
        self.form.end(&mut tail);
        tail
    }

    /// Adds the rows of a file without rules: the outcome decided.
    pub fn add_without(&self, seen: &Seen<'_>, outcome: Outcome, out: &mut Vec<u8>) {
        let file = file_of(seen, outcome.as_str(), None);
        let (status, root) = match outcome {
            Outcome::AllowAll => ("no-file", Some(true)),
            Outcome::DisallowAll => ("no-file", Some(false)),
            _ => ("unknown", None),
        };
        let (head, answer) = (self.head(&file), PolicyRow::without_rules(status, root));
        match self.rows {
            Rows::Normal => {
                let file = FileRow { status: answer.status, root, ..file };
                Entry { v: crate::normal::VERSION, file, ..Entry::default() }.write(out);
            }
            Rows::Agents => {
                let mut tail = Vec::new();
                for name in ["named", "group", "line"] {
                    self.form.push(&mut tail, name, Cell::Null);
                }
                tail.extend(self.tail(&answer));
                for cells in &self.cells {
                    out.extend_from_slice(&head);
                    out.extend_from_slice(cells);
                    out.extend_from_slice(&tail);
                }
            }
            Rows::Files => {
                out.extend_from_slice(&head);
                file_row::write(&answer, (&self.whole, &Sieve::all_agents()), None, self.form, out);
                self.form.end(out);
            }
        }
    }

    fn head(&self, file: &FileRow) -> Vec<u8> {
        let mut head = Vec::with_capacity(256);
        self.form.begin(1, &mut head);
        file.write(self.form, &mut head);
        head
    }
}

/// What is known of a file before it is read.
fn file_of(seen: &Seen<'_>, outcome: &str, kind: Option<InputKind>) -> FileRow {
    let url = seen.url.and_then(text);
    let host = seen.url.filter(|_| url.is_some()).and_then(host);
    FileRow {
        source: seen.source.to_owned(),
        record: seen.record,
        domain: host.as_deref().and_then(domain),
        url,
        host,
        time: seen.time.and_then(text),
        http_status: seen.http_status.map(u64::from),
        outcome: outcome.to_owned(),
        location: seen.location.and_then(text),
        redirects: seen.redirects.into(),
        mime: seen.mime.and_then(text),
        kind: kind.map(|kind| kind.as_str().to_owned()),
        bytes: seen.bytes.map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX)),
        truncated: seen.truncated.and_then(text),
        ..FileRow::default()
    }
}

impl Table for Census {
    fn head(&self) -> Vec<u8> {
        self.form.head(self.rows.columns().map(|column| column.name))
    }

    fn add(&self, record: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind> {
        let seen = Seen {
            source: &record.source,
            record: record.number,
            url: record.url.as_deref(),
            time: record.time.as_deref(),
            http_status: record.status,
            location: record.location.as_deref(),
            redirects: 0,
            mime: record.mime.as_deref(),
            truncated: record.truncated,
            bytes: record.bytes,
        };
        let own = (!record.is_elsewhere).then_some(seen);
        let others = record.redirected.iter().map(|one| Seen { url: Some(&one.url), redirects: one.hops, ..seen });
        let mut kind = None;
        for seen in own.into_iter().chain(others) {
            match bytes {
                Some((bytes, is_whole)) => kind = Some(Self::add(self, &seen, bytes, is_whole, out)),
                None => self.add_without(&seen, record.outcome, out),
            }
        }
        kind
    }
}

/// What the rows depend on, for the journal of a run.
impl fmt::Debug for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Census")
            .field("agents", &self.list.asked.len())
            .field("cells", &file_row::hash(self.cells.join(&b'\n')))
            .field("named", &self.list.named)
            .field("plain", &(self.list.names == Names::Plain))
            .field("options", &self.options)
            .field("form", &self.form)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

fn nature(set: &RecordSet<'_>, kind: InputKind, bytes: &[u8]) -> Nature {
    if kind == InputKind::Empty || is_blank(bytes) {
        Nature::Empty
    } else if !kind.may_be_robots_txt() && set.records().len() == 0 {
        Nature::NotRobots
    } else {
        Nature::Robots
    }
}

/// Whether it has nothing but blanks and comments.
fn is_blank(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    lines.all(|line| line.first().is_none_or(|first| *first == b'#'))
}

/// The host of a URL, in the library's reading.
fn host(url: &str) -> Option<String> {
    HttpUrl::read(url).map(|url| url.host().to_owned())
}

/// The registered domain of a host. None of an address.
fn domain(host: &str) -> Option<String> {
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address { None } else { psl::domain_str(host).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [census.row]
    #[test]
    fn hosts_are_those_of_urls() {
        for (url, expected) in [
            ("https://Shop.example/robots.txt", Some("shop.example")),
            ("http://u:p@e.com:8080/robots.txt", Some("e.com")),
            ("http://[::1]:80/robots.txt", Some("[::1]")),
            ("http://[::1]/robots.txt", Some("[::1]")),
            ("http:///robots.txt", None),
            ("HTTPS://b\u{fc}cher.example/robots.txt", Some("xn--bcher-kva.example")),
            ("http://e.com\\@evil.com/robots.txt", None),
            ("http://a b/robots.txt", None),
            ("ftp://e.com/robots.txt", None),
            ("http://e.com:99999/robots.txt", None),
            ("robots.txt", None),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        }
    }
}
