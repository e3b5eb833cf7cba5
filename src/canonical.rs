//! [`RecordSet`] -> canonical text.
//!
//! Invariant: the text is printable ASCII and line ends; each line is `Name: value` or empty; it is never empty; parsing it
//! gives the rules it was written from; and two sets that mean the same rule by rule are written the same.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::record::{Extension, Precedence, Record, RecordSet, Rule};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::value::printable;

/// How lines of the text end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Newline {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    Crlf,
}

impl Newline {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
        }
    }
}

/// A text that only [`write()`] makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CanonicalText(String);

impl CanonicalText {
    /// Longer texts are reported: a reader may stop at the 500 KiB that RFC 9309 2.5 has it read at least.
    pub const SAFE_LENGTH: usize = 500 * 1024;
    /// Records of more rules are reported: filters like this one stop there.
    pub const SAFE_RULES: usize = 1000;

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for CanonicalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<[u8]> for CanonicalText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Writes a set: its records, and the file's own lines behind an empty line. What could not be written goes into the
/// report. Cost: sorting the rules, and their length.
///
/// ```
/// use robosieve::{Newline, Parser, Report, write};
/// let set = Parser::default().parse(b"USER-AGENT: *\nallow: /a%7eb\ndisallow: /\n#\nsitemap: HTTP://E.com/s");
/// let text = write(&set, Newline::Lf, &mut Report::default());
/// assert_eq!(text.as_str(), "User-agent: *\nAllow: /a~b\nDisallow: /\n\nSitemap: http://e.com/s\n");
/// ```
#[must_use]
pub fn write(set: &RecordSet<'_>, newline: Newline, report: &mut Report) -> CanonicalText {
    let octets: usize = set.rules.iter().map(|rule| rule.pattern.len().saturating_add(12)).sum();
    let mut writer = Writer { out: String::with_capacity(octets.saturating_add(64)), newline, report };
    for record in in_canonical_order(set) {
        writer.record(&record);
    }
    if writer.out.is_empty() {
        writer.line("User-agent", "*");
        writer.line("Disallow", "");
    }
    writer.file_lines(&set.loose);
    if writer.out.len() > CanonicalText::SAFE_LENGTH {
        writer.found(0, FindingKind::LongText, Effect::None);
    }
    CanonicalText(writer.out)
}

/// The order of records means nothing for the longest match: they are sorted by their agents, everyone's first. Where the
/// first match decides they stay as they are.
fn in_canonical_order<'s, 'a>(set: &'s RecordSet<'a>) -> Vec<Record<'s, 'a>> {
    let mut records: Vec<_> = set.records().collect();
    if set.reading.precedence == Precedence::LongestMatch {
        records.sort_by_cached_key(|record| {
            record.agents().iter().map(|agent| agent.name.as_bstr().to_ascii_lowercase()).collect::<Vec<_>>()
        });
    }
    records
}

struct Writer<'r> {
    out: String,
    newline: Newline,
    report: &'r mut Report,
}

impl Writer<'_> {
    /// `name` and `value` hold printable ASCII only.
    fn line(&mut self, name: &str, value: &str) {
        self.out.push_str(name);
        self.out.push(':');
        if !value.is_empty() {
            self.out.push(' ');
            self.out.push_str(value);
        }
        self.out.push_str(self.newline.as_str());
    }

    fn found(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    fn record(&mut self, record: &Record<'_, '_>) {
        if record.agents().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push_str(self.newline.as_str());
        }
        for agent in record.agents() {
            self.line("User-agent", &printable(agent.name.as_bstr()).to_ascii_lowercase());
        }
        let written = self.rules(&record.rules_by_precedence());
        if written == 0 {
            self.line("Disallow", "");
        }
        if written > CanonicalText::SAFE_RULES {
            let line = record.agents().first().map_or(0, |agent| agent.line);
            self.found(line, FindingKind::LongText, Effect::None);
        }
        self.extensions(record.extensions());
    }

    /// Writes each pattern once: of rules with the same one the first decides, which for the longest match is an Allow.
    fn rules(&mut self, rules: &[&Rule<'_>]) -> usize {
        let mut written = 0_usize;
        let mut seen = BTreeSet::new();
        for rule in rules {
            if rule.pattern.is_empty() || !seen.insert(rule.pattern.as_bytes()) {
                continue;
            }
            if rule.pattern.is_writable() {
                self.line(rule.kind.as_str(), &printable(rule.pattern.as_bytes()));
                written = written.saturating_add(1);
            } else {
                self.found(rule.line, FindingKind::NeverMatches, Effect::None);
            }
        }
        written
    }

    /// A record's other lines, sorted by directive, each once.
    fn extensions(&mut self, lines: &[Extension<'_>]) {
        let mut sorted: Vec<&Extension<'_>> = lines.iter().collect();
        sorted.sort_by(|left, right| (left.directive, &left.name).cmp(&(right.directive, &right.name)));
        let mut seen = BTreeSet::new();
        for line in sorted {
            let Some(value) = Extension::canonical_value(line.directive, &line.value) else { continue };
            let name = printable(&line.name);
            if seen.insert((name.clone(), value.clone())) {
                self.line(&name, &value);
            }
        }
    }

    fn file_lines(&mut self, lines: &[Extension<'_>]) {
        if !lines.is_empty() {
            self.out.push_str(self.newline.as_str());
            self.extensions(lines);
        }
    }
}
