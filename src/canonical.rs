//! [`RecordSet`] -> canonical text.
//!
//! Invariant: the text is printable ASCII and line ends; each line is `Name: value` or empty; it is never empty; parsing it
//! gives the rules it was written from; and two sets that mean the same rule by rule are written the same.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use bstr::ByteSlice;

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
        writer.record(&record, set.reading.precedence);
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

/// Of each rule, whether one before it has its pattern. For the longest match those are the Allow of the same pattern, and
/// equal neighbours.
fn repeated(rules: &[&Rule<'_>], precedence: Precedence) -> Vec<bool> {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    let pattern = |at: usize| rules.get(at).map(|rule| rule.pattern.as_bytes());
    let same_length = |left: usize, right: usize| pattern(left).map(<[u8]>::len).cmp(&pattern(right).map(<[u8]>::len));
    match precedence {
        // Sorted by length already, and within it by kind: two runs to merge.
        Precedence::LongestMatch => order.sort_by(|&left, &right| {
            same_length(right, left).then_with(|| pattern(left).cmp(&pattern(right))).then(left.cmp(&right))
        }),
        Precedence::FileOrder => {
            order.sort_by(|&left, &right| pattern(left).cmp(&pattern(right)).then(left.cmp(&right)))
        }
    }
    let mut repeated = alloc::vec![false; rules.len()];
    for pair in order.windows(2) {
        if let [first, second] = *pair
            && pattern(first) == pattern(second)
            && let Some(mark) = repeated.get_mut(second)
        {
            *mark = true;
        }
    }
    repeated
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

    fn record(&mut self, record: &Record<'_, '_>, precedence: Precedence) {
        if record.agents().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push_str(self.newline.as_str());
        }
        for agent in record.agents() {
            self.line("User-agent", &printable(agent.name.as_bstr()).to_ascii_lowercase());
        }
        let written = self.rules(&record.rules_by_precedence(), precedence);
        if written == 0 {
            self.line("Disallow", "");
        }
        if written > CanonicalText::SAFE_RULES {
            let line = record.agents().first().map_or(0, |agent| agent.line);
            self.found(line, FindingKind::LongText, Effect::None);
        }
        self.extensions(record.extensions());
    }

    /// Writes each pattern once, with the first rule that has it.
    fn rules(&mut self, rules: &[&Rule<'_>], precedence: Precedence) -> usize {
        let repeated = repeated(rules, precedence);
        let mut written = 0_usize;
        for (rule, repeated) in rules.iter().zip(repeated) {
            if rule.pattern.is_empty() || repeated {
                continue;
            }
            // Writable patterns are ASCII.
            match rule.pattern.as_bytes().to_str() {
                Ok(pattern) if rule.pattern.is_writable() => {
                    self.line(rule.kind.as_str(), pattern);
                    written = written.saturating_add(1);
                }
                _ => self.found(rule.line, FindingKind::NeverMatches, Effect::None),
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
