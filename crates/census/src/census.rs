//! Makes the rows of a file.
//!
//! Invariant: the rows depend on the file, on what is known of it, and on the census. A file is parsed once for all
//! crawlers, and has each of them in one row.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

use robosieve::Options;
use robosieve::records::{Parser, RecordSet};
use robosieve::report::InputKind;
use robosieve_batch::{Outcome, Record, Table};
use robosieve_diff::Coverage;
use robosieve_explain::Names;
use sha2::{Digest as _, Sha256};

use crate::agents::{AgentList, Asked};
use crate::answer::{Answer, Nature};
use crate::groups::{Answered, Answers, Index};
use crate::row::{MAX_TEXT, Row};

/// Makes the rows of files.
#[derive(Clone)]
pub struct Census {
    list: AgentList,
    index: Index,
    options: Options,
    whole: Parser,
    part: Parser,
}

impl Census {
    /// A census of these crawlers, in the standard's reading.
    #[must_use]
    pub fn new(list: AgentList) -> Self {
        let (index, options) = (Index::default(), Options::default());
        let census = Self { list, index, options: options.clone(), whole: Parser::default(), part: Parser::default() };
        census.options(options)
    }

    /// How files are read. The limits are those for verdicts.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        let verdicts = Options { max_details: 0, ..options.clone().for_verdicts() };
        Self {
            index: Index::new(&self.list.asked, verdicts.union_of_agents),
            whole: Parser::new(Options { complete: true, ..verdicts.clone() }),
            part: Parser::new(Options { complete: false, ..verdicts }),
            options,
            ..self
        }
    }

    /// Adds the rows of a file that was retrieved.
    fn add_file(&self, record: &Record, bytes: &[u8], is_whole: bool, out: &mut Vec<u8>) -> InputKind {
        let set = if is_whole { &self.whole } else { &self.part }.parse(bytes);
        let kind = set.report().input();
        let mut work = Coverage::MAX_FUEL;
        let mut answers = Answers::new(&set, nature(&set, kind, bytes), &mut work);
        let answered = self.index.answers(&self.list.asked, &mut answers);
        let others = self.others(&set);
        let of_others = Index::new(&others, set.options().union_of_agents).answers(&others, &mut answers);
        let all = self.list.asked.iter().zip(answered).chain(others.iter().zip(of_others));
        // The rows, in the order of their first crawlers.
        let mut rows: Vec<(Answered, Vec<&str>)> = Vec::new();
        let mut places: HashMap<Answered, usize> = HashMap::new();
        for (one, found) in all {
            let place = *places.entry(found).or_insert(rows.len());
            match rows.get_mut(place) {
                Some((_, agents)) => agents.push(&one.name),
                None => rows.push((found, vec![&one.name])),
            }
        }
        if rows.is_empty() {
            rows.push((answers.everyone(), Vec::new()));
        }
        let mut row = Row::of(record);
        (row.kind, row.hash) = (Some(kind.as_str()), Some(hash(bytes)));
        for (found, agents) in rows {
            (row.agents, row.named, row.line) = (agents, Some(found.named), found.line);
            row.answer = answers.made.get(found.answer).cloned().unwrap_or_default();
            row.write(out);
        }
        kind
    }

    /// The crawlers that only the file names.
    fn others(&self, set: &RecordSet<'_>) -> Vec<Asked> {
        let mut seen = HashSet::new();
        let lines = set.records().flat_map(|group| group.agents().iter()).filter(|_| self.list.named);
        let lines = lines.filter(|line| !line.is_everyone() && !line.name().is_empty());
        let names = lines.map(|line| -> &[u8] { line.name() }).filter(|name| name.len() <= MAX_TEXT);
        let names = names.filter(|name| !self.list.has(name) && seen.insert(name.to_ascii_lowercase()));
        names.take(AgentList::MAX_NAMED).map(|name| Asked::new(name, self.list.names)).collect()
    }
}

impl Table for Census {
    fn add(&self, record: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind> {
        if let Some((bytes, is_whole)) = bytes {
            return Some(self.add_file(record, bytes, is_whole, out));
        }
        let answer = match record.outcome {
            Outcome::AllowAll => Answer::without_rules("no-file", Some(true)),
            Outcome::DisallowAll => Answer::without_rules("no-file", Some(false)),
            _ => Answer::without_rules("unknown", None),
        };
        let mut row = Row::of(record);
        row.agents = self.list.asked.iter().map(|one| &*one.name).collect();
        row.answer = answer;
        row.write(out);
        None
    }
}

/// What the rows depend on, for the journal of a run.
impl fmt::Debug for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.list.asked.iter().map(|one| &*one.name).collect();
        f.debug_struct("Census")
            .field("agents", &hash(names.join("\n").as_bytes()))
            .field("named", &self.list.named)
            .field("plain", &(self.list.names == Names::Plain))
            .field("options", &self.options)
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

/// SHA-256, as rows have it.
fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        // Writing to memory does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
