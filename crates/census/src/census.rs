//! Makes the rows of a file.
//!
//! Invariant: the rows depend on the file, on what is known of it, and on the census. A file is parsed once for all
//! crawlers.

use std::fmt;
use std::sync::Arc;

use robosieve::Sieve;
use robosieve::diff::Coverage;
use robosieve::policy::{Parser, RecordSet};
use robosieve::report::InputKind;
use robosieve::settings::Options;
use robosieve_batch::{Outcome, Record, Table};
use robosieve_explain::Names;
use sha2::{Digest as _, Sha256};

use crate::agents::{AgentList, Asked};
use crate::answer::Nature;
use crate::cells::{Cell, Form, text};
use crate::columns::{Column, OF_AGENT, OF_FILE, OF_WHOLE_FILE};
use crate::file_row;
use crate::groups::{Answered, Answers, Group, Index};
use crate::names;
use crate::normal::{self, Entry, FileRow, PolicyRow};
use crate::reading::Reading;
use crate::repeated::{Known, Repeated};

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
    reading: Reading,
    whole: Parser,
    part: Parser,
    form: Form,
    rows: Rows,
    /// For each crawler, the cells that are the same in each of its rows.
    cells: Vec<Vec<u8>>,
    /// Files that were read with these options, for the normal form.
    repeated: Arc<Repeated>,
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
            reading: Reading(None),
            whole: Parser::default(),
            part: Parser::default(),
            form: Form::default(),
            rows: Rows::default(),
            cells: Vec::new(),
            repeated: Arc::default(),
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
        self.reading = Reading::of(&options, self.list.names);
        self.options = options;
        self.repeated = Arc::default();
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
        let seen = Seen { bytes: Some(bytes.len()), ..*seen };
        if self.rows == Rows::Normal {
            let known = self.known(bytes, is_whole);
            normal::begin(&file_of(&seen, "rules", Some(known.kind), known.row.clone()), out);
            out.extend_from_slice(&known.rest);
            return known.kind;
        }
        let set = self.parser(is_whole).parse(bytes);
        let kind = set.report().input();
        let head = self.head(&file_of(&seen, "rules", Some(kind), FileRow::default()));
        let (nature, mut work) = (nature(&set, kind, bytes), Coverage::MAX_WORK);
        if self.rows == Rows::Files {
            let everyone = [Asked::everyone()];
            let index = Index::new(&everyone, false);
            let mut answers = Answers::new(&set, nature, &mut work, false);
            index.answers(&everyone, &mut answers);
            let unknown = PolicyRow::without_rules("unknown", None);
            let options = Options { base_url: seen.url.and_then(|url| url.parse().ok()), ..self.options.clone() };
            let reading = Options { complete: is_whole, ..options.clone().for_verdicts() };
            let sieve = Sieve::all_agents().options(Options { complete: is_whole, ..options });
            out.extend_from_slice(&head);
            let answer = answers.made.first().unwrap_or(&unknown);
            file_row::write(answer, (&Parser::new(reading), &sieve), Some(bytes), self.form, out);
            self.form.end(out);
        } else {
            self.add_agents(&head, &set, nature, &mut work, out);
        }
        kind
    }

    /// A file that has rules, in the normal form.
    #[must_use]
    pub fn entry(&self, seen: &Seen<'_>, bytes: &[u8], is_whole: bool) -> Entry {
        let (mut entry, kind) = self.read(bytes, is_whole, file_row::hash(bytes));
        entry.file = file_of(&Seen { bytes: Some(bytes.len()), ..*seen }, "rules", Some(kind), entry.file);
        entry
    }

    /// What the bytes of a file say, from those that were read before if they are there.
    fn known(&self, bytes: &[u8], is_whole: bool) -> Arc<Known> {
        let hash = Sha256::digest(bytes);
        self.repeated.get_or(hash.into(), is_whole, || {
            let (entry, kind) = self.read(bytes, is_whole, file_row::hash_text(&hash));
            let mut rest = Vec::new();
            entry.write_rest(&mut rest);
            Known { kind, row: entry.file, rest }
        })
    }

    /// Reads a file. Its row has what depends on the bytes.
    fn read(&self, bytes: &[u8], is_whole: bool, hash: String) -> (Entry, InputKind) {
        let set = self.parser(is_whole).parse(bytes);
        let kind = set.report().input();
        let file = FileRow { hash: Some(hash), reading: self.reading.0.clone(), ..FileRow::default() };
        let mut work = Coverage::MAX_WORK;
        (self.names.entry(&self.list, file, &set, nature(&set, kind, bytes), &mut work), kind)
    }

    const fn parser(&self, is_whole: bool) -> &Parser {
        if is_whole { &self.whole } else { &self.part }
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
        let file = file_of(seen, outcome.as_str(), None, FileRow::default());
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

/// What is known of a file, with what its bytes say.
fn file_of(seen: &Seen<'_>, outcome: &str, kind: Option<InputKind>, said: FileRow) -> FileRow {
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
        ..said
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
        let Some((bytes, is_whole)) = bytes else {
            self.add_without(&seen, record.outcome, out);
            return None;
        };
        Some(Self::add(self, &seen, bytes, is_whole, out))
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
    robosieve_batch::host_of(url)
}

/// The registered domain of a host. None of an address.
fn domain(host: &str) -> Option<String> {
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address { None } else { psl::domain_str(host).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use robosieve::settings::Limits;

    use super::*;
    use crate::AgentsError;

    /// [census.repeated]
    #[test]
    fn a_file_that_was_read_before_has_the_same_line() -> Result<(), AgentsError> {
        let census = || AgentList::read("*,known:ai").map(|list| Census::new(list).rows(Rows::Normal));
        let one = census()?;
        let group = b"User-agent: GPTBot/1\nUser-agent: x\nDisallow: /\nCrawl-delay: 3\nContent-Signal: search=no\n";
        let page = b"<!DOCTYPE html><html>";
        for (record, bytes) in
            (1..).zip([group, &group[..30], page, b"", b"#", group, page, b"", b"#"].iter().cycle().take(30))
        {
            for is_whole in [true, false] {
                let url = format!("https://s{record}.example/robots.txt");
                let seen = Seen { source: "a.warc", record: Some(record), url: Some(&url), ..Seen::default() };
                let [mut line, mut alone] = [Vec::new(), Vec::new()];
                let kind = one.add(&seen, bytes, is_whole, &mut line);
                let fresh = census()?;
                assert_eq!(fresh.add(&seen, bytes, is_whole, &mut alone), kind);
                assert_eq!(line, alone, "{record}");
                assert_eq!(Entry::read(&line), Some(one.entry(&seen, bytes, is_whole)), "{record}");
            }
        }
        // Other options give other lines.
        let mut lines = [Vec::new(), Vec::new()];
        let [first, second] = &mut lines;
        one.add(&Seen::default(), group, true, first);
        let other =
            one.options(Options { limits: Limits { max_bytes: 40, ..Limits::default() }, ..Options::default() });
        other.add(&Seen::default(), group, true, second);
        assert!(first != second);
        Ok(())
    }

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
