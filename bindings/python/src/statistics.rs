//! The lines of robots.txt files, counted, and their rulesets: what Common Crawl's statistics have.
//!
//! Invariant: the counts of an archive depend on its files and the options. Memory is bounded: one file, its ruleset,
//! and one batch of keys.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::mem;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::line::{FileLines, LineMeaning};
use robosieve::policy::Parser;
use robosieve::printable::escape;
use robosieve::report::InputKind;
use robosieve::settings::Options;
use robosieve_batch::{Filter, Record, Table};
use serde::Serialize;

use crate::archive::_ArchivedLines;
use crate::options::Settings;

/// Keys are handed over when they have about as many bytes.
const BYTES: usize = 1 << 22;
/// The names of directives that have a key of their own: those of Common Crawl's statistics.
const KNOWN: [&str; 8] =
    ["user-agent", "disallow", "allow", "crawl-delay", "sitemap", "clean-param", "host", "noindex"];
/// The size of a ruleset: the bytes of its values and one for each, in the rules of each crawler. A larger one is left
/// out. Our choice: a group with many crawlers and many rules would be as large as the product.
const MAX_RULESET: usize = 1 << 22;
/// The length of a name of a directive, in bytes of the input. A line with a longer one is an unknown line. Our choice:
/// three times the longest name that is known.
const MAX_NAME: usize = 100;

/// What is counted.
#[derive(Serialize)]
struct Key<'k> {
    directive: &'k str,
    value: Option<&'k str>,
}

/// Makes a key for each line of a file, and one for its ruleset.
struct Lines {
    options: Options,
    whole: Parser,
    part: Parser,
    rulesets: bool,
}

impl Lines {
    fn new(options: &Options, rulesets: bool) -> Self {
        let options = Options { max_details: 0, ..options.clone().for_verdicts() };
        let whole = Parser::new(Options { complete: true, ..options.clone() });
        let part = Parser::new(Options { complete: false, ..options.clone() });
        Self { options, whole, part, rulesets }
    }
}

/// What the keys depend on.
impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("options", &self.options)
            .field("rulesets", &self.rulesets)
            .finish_non_exhaustive()
    }
}

impl Table for Lines {
    fn head(&self) -> Vec<u8> {
        Vec::new()
    }

    fn add(&self, record: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind> {
        let (bytes, is_whole) = bytes?;
        let file = if is_whole { &self.whole } else { &self.part }.parse_lines(bytes);
        let kind = file.report().input();
        let is_robots = kind.may_be_robots_txt() || file.records().records().len() > 0;
        if record.status.is_none_or(|status| status == 200) && is_robots {
            count_lines(&file, out);
            if self.rulesets {
                let url = record.url.as_deref().unwrap_or_default();
                match ruleset(&file, url) {
                    Some(ruleset) => push(out, "(ruleset)", Some(&ruleset)),
                    None => push(out, "(ruleset too large)", Some(url)),
                }
            }
        }
        Some(kind)
    }
}

fn push(out: &mut Vec<u8>, directive: &str, value: Option<&str>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *out, &Key { directive, value });
    out.push(b'\n');
}

/// A value as Common Crawl's statistics have it: as UTF-8, and each run of blanks as one.
fn value_of(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn count_lines(file: &FileLines<'_>, out: &mut Vec<u8>) {
    if file.text().starts_with(b"\xEF\xBB\xBF") {
        push(out, "(bom stripped)", None);
    }
    for line in file.iter() {
        match (line.meaning(), line.name()) {
            (LineMeaning::NotRead, _) => {}
            (LineMeaning::Empty, _) => line.physical().for_each(|_| push(out, "(empty line)", None)),
            (LineMeaning::Comment, _) => line.physical().for_each(|_| push(out, "(comment line)", None)),
            (_, Some(name)) if name.len() <= MAX_NAME => {
                let name = name.trim_ascii().to_ascii_lowercase();
                match KNOWN.iter().find(|known| known.as_bytes() == name) {
                    Some(known) => push(out, known, Some(&value_of(line.value().unwrap_or_default()))),
                    None => push(out, "(unknown directive)", Some(&escape(&name))),
                }
            }
            _ => line.physical().for_each(|_| push(out, "(unknown line)", None)),
        }
    }
}

/// The rules by crawler, as JSON. None if they are too large.
fn ruleset(file: &FileLines<'_>, url: &str) -> Option<String> {
    let mut rules: BTreeMap<String, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    let (mut agents, mut is_run_over, mut size) = (Vec::new(), false, 0_usize);
    for line in file.iter() {
        let value = || value_of(line.value().unwrap_or_default());
        match line.meaning() {
            LineMeaning::UserAgent => {
                if mem::take(&mut is_run_over) {
                    agents.clear();
                }
                agents.push(value());
            }
            LineMeaning::Rule(kind) => {
                // A crawler that is named twice in a run has its rules once.
                if !is_run_over {
                    agents.sort_unstable();
                    agents.dedup();
                }
                is_run_over = true;
                let (value, directive) =
                    (value(), if kind == robosieve::policy::RuleKind::Allow { "allow" } else { "disallow" });
                size = size.saturating_add(agents.len().saturating_mul(value.len().saturating_add(1)));
                if size > MAX_RULESET {
                    return None;
                }
                for agent in &agents {
                    let of_agent = rules.entry(agent.clone()).or_default();
                    of_agent.entry(directive).or_default().push(value.clone());
                }
            }
            _ => {}
        }
    }
    rules.values_mut().flat_map(BTreeMap::values_mut).for_each(|values| values.sort_unstable());
    let json = serde_json::to_string(&BTreeMap::from([(url, rules)])).unwrap_or_default();
    Some(ascii(&json))
}

/// JSON in ASCII, with slashes escaped: as ujson writes it.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        match character {
            '/' => out.push_str("\\/"),
            ' '..='\x7f' => out.push(character),
            _ => {
                for unit in character.encode_utf16(&mut units) {
                    // Writing to memory does not fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out
}

/// For ``robosieve.spark``: counts the lines of the files of archives.
#[pyclass(frozen, module = "robosieve._core")]
pub(crate) struct _Statistics {
    filter: Filter,
}

#[pymethods]
impl _Statistics {
    #[new]
    #[pyo3(signature = (*, rulesets=false, all_urls=false, **options))]
    fn new(rulesets: bool, all_urls: bool, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let settings = Settings::read(options)?;
        let table = Arc::new(Lines::new(&settings.plan.options, rulesets));
        Ok(Self { filter: settings.filter(None).all_urls(all_urls).table(table) })
    }

    /// The keys of an archive and their counts, as lines of JSON, some at a time. A key may come again.
    #[pyo3(signature = (source, name, *, raises=true))]
    fn archive(&self, source: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>, raises: bool) -> PyResult<_ArchivedLines> {
        _ArchivedLines::open(&self.filter, (source, name), raises, |next| {
            let mut counts = Counts::default();
            while counts.bytes < BYTES
                && let Some(record) = next()?
            {
                let mut keys = record.rows.unwrap_or_default();
                if let Some(error) = &record.error {
                    push(&mut keys, "(failed record)", Some(error.kind));
                }
                counts.add(&keys);
            }
            Ok(counts.lines())
        })
    }
}

/// Keys, each as a line of JSON, with their counts.
#[derive(Default)]
struct Counts {
    keys: HashMap<Vec<u8>, u64>,
    bytes: usize,
}

impl Counts {
    fn add(&mut self, keys: &[u8]) {
        for key in keys.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end) {
            if let Some(count) = self.keys.get_mut(key) {
                *count = count.saturating_add(1);
            } else {
                self.bytes = self.bytes.saturating_add(key.len());
                self.keys.insert(key.to_vec(), 1);
            }
        }
    }

    fn lines(self) -> Vec<u8> {
        let mut lines = Vec::with_capacity(self.bytes);
        for (key, count) in self.keys {
            lines.extend_from_slice(b"{\"key\":");
            lines.extend_from_slice(&key);
            // Writing to memory does not fail.
            let _ = writeln!(lines, ",\"cnt\":{count}}}");
        }
        lines
    }
}
