//! [`RecordSet`] -> canonical text.
//!
//! Invariant: the text is printable ASCII and line ends; each line is `Name: value` or empty; it is never empty; parsing it
//! gives the rules it was written from; and two sets that mean the same rule by rule are written the same. In the portable
//! form it gives rules that decide the same.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use bstr::ByteSlice;

use crate::agent::AgentName;
use crate::directive::Directive;
use crate::minimise::{Line, minimise};
use crate::octets;
use crate::pattern::PathPattern;
use crate::record::{Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
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

/// For whom the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Form {
    /// For people, archives and readers like this one: each rule that was kept, once, and the record's other lines.
    #[default]
    Faithful,
    /// For other testers, which know less or have bugs: fewer and plainer rules that decide the same, and sitemaps.
    Portable,
}

/// How a text is written. A [`Form`] or a [`Newline`] alone is one too, with the default of the other.
///
/// ```
/// use robosieve::{Form, Newline, TextForm};
/// assert_eq!(TextForm::from(Form::Portable), TextForm { form: Form::Portable, newline: Newline::Lf });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct TextForm {
    /// For whom it is.
    pub form: Form,
    /// How lines end.
    pub newline: Newline,
}

impl From<Form> for TextForm {
    fn from(form: Form) -> Self {
        Self { form, ..Self::default() }
    }
}

impl From<Newline> for TextForm {
    fn from(newline: Newline) -> Self {
        Self { newline, ..Self::default() }
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
    /// Pairs of rules that may be compared for the portable form, long ones counted more than once; it is divided among
    /// the records. A record that would need more is written rule by rule. House: some 50 ms.
    pub const MAX_WORK: usize = 4_000_000;

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
/// report. Cost: sorting the rules, and their length; in the portable form [`CanonicalText::MAX_WORK`] at most besides.
///
/// ```
/// use robosieve::{Form, Newline, Parser, Report, write};
/// let set = Parser::default().parse(b"USER-AGENT: *\nallow: /a%7eb\ndisallow: /\n#\nsitemap: HTTP://E.com/s");
/// let text = write(&set, Newline::Lf, &mut Report::default());
/// assert_eq!(text.as_str(), "User-agent: *\nAllow: /a~b\nDisallow: /\n\nSitemap: http://e.com/s\n");
///
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /a*\nDisallow: /a/b\nCrawl-delay: 5\n");
/// let text = write(&set, Form::Portable, &mut Report::default());
/// assert_eq!(text.as_str(), "User-agent: *\nDisallow: /a\n");
/// ```
#[must_use]
pub fn write(set: &RecordSet<'_>, form: impl Into<TextForm>, report: &mut Report) -> CanonicalText {
    let form = form.into();
    let octets: usize = set.rules.iter().map(|rule| rule.pattern.len().saturating_add(12)).sum();
    let mut writer = Writer { out: String::with_capacity(octets.saturating_add(64)), form, report };
    let records = in_canonical_order(set);
    let work = CanonicalText::MAX_WORK.checked_div(records.len()).unwrap_or(0);
    let is_merged = match form.form {
        Form::Faithful => alloc::vec![false; records.len()],
        Form::Portable => merged(&records, &set.reading),
    };
    for (record, is_merged) in records.iter().zip(is_merged) {
        writer.record(record, &set.reading, if is_merged { 0 } else { work });
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
    let mut records: Vec<_> = set.records().filter(|record| !record.agents().is_empty()).collect();
    if set.reading.precedence == Precedence::LongestMatch {
        records.sort_by_cached_key(|record| {
            record.agents().iter().map(|agent| agent.name.as_bstr().to_ascii_lowercase()).collect::<Vec<_>>()
        });
    }
    records
}

/// Of each record, whether a reader may merge it with another, so that its rules don't decide alone. An agent that is asked
/// for is named by names that begin with the same letters; see `[agent.token]`.
fn merged(records: &[Record<'_, '_>], reading: &Reading) -> Vec<bool> {
    let key = |name: &AgentName<'_>| -> Vec<u8> {
        match name {
            _ if name.is_everyone() => alloc::vec![b'*'],
            _ if reading.union_of_agents => Vec::new(),
            _ => octets::split_while(name.as_bstr(), octets::is_token).0.to_ascii_lowercase(),
        }
    };
    let keys: Vec<BTreeSet<Vec<u8>>> =
        records.iter().map(|record| record.agents().iter().map(|agent| key(&agent.name)).collect()).collect();
    let mut uses: BTreeMap<&[u8], usize> = BTreeMap::new();
    for key in keys.iter().flatten() {
        let count = uses.entry(key).or_default();
        *count = count.saturating_add(1);
    }
    keys.iter().map(|keys| keys.iter().any(|key| uses.get(key.as_slice()).is_some_and(|&count| count > 1))).collect()
}

/// Of each rule, what the first one says that has its pattern, if that stands before it.
fn repeated(rules: &[&Rule<'_>], precedence: Precedence) -> Vec<Option<RuleKind>> {
    match precedence {
        Precedence::LongestMatch => repeated_in_order(rules),
        Precedence::FileOrder => repeated_anywhere(rules),
    }
}

/// Rules of one length stand together, sorted: first the Allows, and then the Disallows. A repeated one equals its neighbour,
/// or is among the Allows.
fn repeated_in_order(rules: &[&Rule<'_>]) -> Vec<Option<RuleKind>> {
    let mut repeated = Vec::with_capacity(rules.len());
    for same_length in rules.chunk_by(|left, right| left.pattern.len() == right.pattern.len()) {
        let allows = same_length.partition_point(|rule| rule.kind == RuleKind::Allow);
        let (allows, _) = same_length.split_at_checked(allows).unwrap_or_default();
        let mut previous = None;
        for rule in same_length {
            let pattern = rule.pattern.as_bytes();
            let is_allowed = rule.kind == RuleKind::Disallow
                && allows.binary_search_by(|allow| allow.pattern.as_bytes().cmp(pattern)).is_ok();
            let by_neighbour = (previous == Some((rule.kind, pattern))).then_some(rule.kind);
            repeated.push(if is_allowed { Some(RuleKind::Allow) } else { by_neighbour });
            previous = Some((rule.kind, pattern));
        }
    }
    repeated
}

fn repeated_anywhere(rules: &[&Rule<'_>]) -> Vec<Option<RuleKind>> {
    let mut order: Vec<(usize, &Rule<'_>)> = rules.iter().copied().enumerate().collect();
    order.sort_by(|left, right| left.1.pattern.cmp(&right.1.pattern).then(left.0.cmp(&right.0)));
    let mut repeated = alloc::vec![None; rules.len()];
    for same in order.chunk_by(|left, right| left.1.pattern == right.1.pattern) {
        let Some(((_, first), others)) = same.split_first() else { continue };
        for (at, _) in others {
            if let Some(mark) = repeated.get_mut(*at) {
                *mark = Some(first.kind);
            }
        }
    }
    repeated
}

/// In order of precedence, and of equal patterns the first.
fn in_order_once(lines: &mut Vec<Line<'_>>, precedence: Precedence) {
    if precedence == Precedence::LongestMatch {
        let key = |line: &Line<'_>| (Reverse(line.pattern.len()), line.kind);
        lines.sort_by(|left, right| key(left).cmp(&key(right)).then_with(|| left.pattern.cmp(&right.pattern)));
    }
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.pattern.to_vec()));
}

struct Writer<'r> {
    out: String,
    form: TextForm,
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
        self.out.push_str(self.form.newline.as_str());
    }

    fn found(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    /// `work` is for minimising the rules.
    fn record(&mut self, record: &Record<'_, '_>, reading: &Reading, work: usize) {
        if !self.out.is_empty() {
            self.out.push_str(self.form.newline.as_str());
        }
        for agent in record.agents() {
            self.line("User-agent", &printable(agent.name.as_bstr()).to_ascii_lowercase());
        }
        let mut rules = self.kept(&record.rules_by_precedence(), reading);
        if self.form.form == Form::Portable {
            rules = minimise(&rules, reading, work).unwrap_or(rules);
        }
        for rule in &rules {
            self.line(rule.kind.as_str(), rule.pattern.to_str().unwrap_or_default());
        }
        let written = rules.len();
        if written == 0 {
            self.line("Disallow", "");
        }
        if written > CanonicalText::SAFE_RULES {
            let line = record.agents().first().map_or(0, |agent| agent.line);
            self.found(line, FindingKind::LongText, Effect::None);
        }
        if self.form.form == Form::Faithful {
            self.extensions(record.extensions().iter().collect());
        }
    }

    /// Each pattern once, with the first rule that has it.
    fn kept<'t>(&mut self, rules: &[&'t Rule<'_>], reading: &Reading) -> Vec<Line<'t>> {
        let repeated = repeated(rules, reading.precedence);
        let mut kept = Vec::with_capacity(rules.len());
        let mut stand_ins = false;
        for (rule, repeated) in rules.iter().zip(repeated) {
            if rule.pattern.is_empty() {
                continue;
            }
            if repeated.is_none() && rule.pattern.is_writable() {
                kept.push(Line { kind: rule.kind, pattern: Cow::Borrowed(rule.pattern.as_bytes()) });
                continue;
            }
            if repeated.is_none() {
                self.found(rule.line, FindingKind::NeverMatches, Effect::None);
            }
            // What it allows beside stays, unless the first of its kind says it already.
            if repeated != Some(rule.kind)
                && let Some(directory) = rule.implied_directory(reading)
                && PathPattern::new(&directory, reading.paths).is_writable()
            {
                kept.push(Line { kind: rule.kind, pattern: Cow::Owned(directory) });
                stand_ins = true;
            }
        }
        if stand_ins {
            in_order_once(&mut kept, reading.precedence);
        }
        kept
    }

    /// A record's other lines, sorted by directive, each once.
    fn extensions(&mut self, mut lines: Vec<&Extension<'_>>) {
        lines.sort_by(|left, right| (left.directive, &left.name).cmp(&(right.directive, &right.name)));
        let mut seen = BTreeSet::new();
        for line in lines {
            let Some(value) = Extension::canonical_value(line.directive, &line.value) else { continue };
            // Names are words of ASCII.
            let name = line.name.to_str().unwrap_or_default();
            if !seen.contains(&(name, value.clone())) {
                self.line(name, &value);
                seen.insert((name, value));
            }
        }
    }

    fn file_lines(&mut self, lines: &[Extension<'_>]) {
        let is_portable = |line: &&Extension<'_>| line.directive == Directive::Sitemap;
        let lines: Vec<&Extension<'_>> = match self.form.form {
            Form::Faithful => lines.iter().collect(),
            Form::Portable => lines.iter().filter(is_portable).collect(),
        };
        if !lines.is_empty() {
            self.out.push_str(self.form.newline.as_str());
            self.extensions(lines);
        }
    }
}
