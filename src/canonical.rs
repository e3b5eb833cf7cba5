//! [`RecordSet`] -> canonical text.
//!
//! Invariant: the text is printable ASCII and line ends; each line is `Name: value` or empty; it is never empty; parsing it
//! gives the rules it was written from; and two sets that mean the same rule by rule are written the same. In the portable
//! form it gives rules that decide the same.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::fmt;

use crate::agent::AgentName;
use crate::directive::Directive;
use crate::minimise::{Line, minimise};
use crate::octets;
use crate::order::Ordered;
use crate::pattern::PathPattern;
use crate::record::{Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::value::printable_text;

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
    /// How many octets it has.
    pub(crate) const fn length(self) -> usize {
        match self {
            Self::Lf => 1,
            Self::Crlf => 2,
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
    pub const MAX_WORK: usize = 2_000_000;

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
    let records = in_canonical_order(set);
    match form.form {
        Form::Faithful => compose(set, &records, form, None, report),
        Form::Portable => portable(set, &records, form, report),
    }
}

/// The portable text. Rules that are written in two ways, for testers that know one of them, may make it too long: then none
/// are.
fn portable(set: &RecordSet<'_>, records: &[Record<'_, '_>], form: TextForm, report: &mut Report) -> CanonicalText {
    let work = CanonicalText::MAX_WORK.checked_div(records.len());
    let mut found = report.emptied();
    let mut text = compose(set, records, form, work, &mut found);
    if text.0.len() > set.reading.max_text {
        found = report.emptied();
        text = compose(set, records, form, None, &mut found);
    }
    report.absorb(&found);
    text
}

/// Writes records in this order, and the file's own lines. `work` is for minimising the rules of each; without it, they are
/// written one by one.
fn compose(
    set: &RecordSet<'_>,
    records: &[Record<'_, '_>],
    form: TextForm,
    work: Option<usize>,
    report: &mut Report,
) -> CanonicalText {
    let octets: usize = set.rules.iter().map(|rule| rule.pattern.len().saturating_add(12)).sum();
    let mut writer = Writer { out: Vec::with_capacity(octets.saturating_add(64)), form, report };
    let is_merged = work.map(|_| merged(records, &set.reading)).unwrap_or_default();
    for (at, record) in records.iter().enumerate() {
        let is_alone = is_merged.get(at) != Some(&true);
        writer.record(record, &set.reading, work.filter(|_| is_alone));
    }
    if writer.out.is_empty() {
        writer.line(b"User-agent", b"*");
        writer.line(b"Disallow", b"");
    }
    writer.file_lines(&set.loose);
    if writer.out.len() > CanonicalText::SAFE_LENGTH {
        writer.found(0, FindingKind::LongText, Effect::None);
    }
    CanonicalText(String::from_utf8(writer.out).unwrap_or_default())
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

/// In order of precedence, and of equal patterns the first.
fn in_order_once(lines: &mut Vec<Line<'_>>, precedence: Precedence) {
    if precedence == Precedence::LongestMatch {
        let key = |line: &Line<'_>| (Reverse(line.pattern.len()), line.kind);
        lines.sort_by(|left, right| key(left).cmp(&key(right)).then_with(|| left.pattern.cmp(&right.pattern)));
    }
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.pattern.to_vec()));
}

/// Each pattern once, with the first rule that has it.
fn for_each_kept<'s>(
    rules: &Ordered<'s, '_>,
    reading: &Reading,
    report: &mut Report,
    mut keep: impl FnMut(&'s Rule<'_>, Cow<'s, [u8]>),
) {
    rules.for_each(|rule, repeated| {
        if rule.pattern.is_empty() {
            return;
        }
        if repeated.is_none() {
            if rule.pattern.is_writable_in(reading.paths) {
                return keep(rule, Cow::Borrowed(rule.pattern.as_bytes()));
            }
            report.push(Finding { line: rule.line, kind: FindingKind::NeverMatches, effect: Effect::None });
        }
        // What it allows beside stays, unless the first of its kind says it already.
        if repeated != Some(rule.kind)
            && let Some(directory) = rule.implied_directory(reading)
            && PathPattern::new(&directory, reading.paths).is_writable()
        {
            keep(rule, Cow::Owned(directory));
        }
    });
}

/// Nearly all lines of nearly all texts are rules.
#[inline]
fn push_rule(out: &mut Vec<u8>, kind: RuleKind, pattern: &[u8], newline: Newline) {
    match kind {
        RuleKind::Allow => out.extend_from_slice(b"Allow: "),
        RuleKind::Disallow => out.extend_from_slice(b"Disallow: "),
    }
    out.extend_from_slice(pattern);
    push_newline(out, newline);
}

#[inline]
fn push_newline(out: &mut Vec<u8>, newline: Newline) {
    match newline {
        Newline::Lf => out.push(b'\n'),
        Newline::Crlf => out.extend_from_slice(b"\r\n"),
    }
}

struct Writer<'r> {
    /// Printable ASCII and line ends.
    out: Vec<u8>,
    form: TextForm,
    report: &'r mut Report,
}

impl Writer<'_> {
    /// `name` and `value` hold printable ASCII only.
    fn line(&mut self, name: &[u8], value: &[u8]) {
        self.out.extend_from_slice(name);
        self.out.push(b':');
        if !value.is_empty() {
            self.out.push(b' ');
            self.out.extend_from_slice(value);
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        push_newline(&mut self.out, self.form.newline);
    }

    fn found(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    /// `work` is for minimising the rules.
    fn record(&mut self, record: &Record<'_, '_>, reading: &Reading, work: Option<usize>) {
        if !self.out.is_empty() {
            self.end_line();
        }
        for agent in record.agents() {
            let start = self.out.len().saturating_add(b"User-agent".len());
            self.line(b"User-agent", &printable_text(Cow::Borrowed(agent.name.as_bstr())));
            self.out.iter_mut().skip(start).for_each(u8::make_ascii_lowercase);
        }
        let written = self.rules(record, reading, work);
        if written == 0 {
            self.line(b"Disallow", b"");
        }
        if written > CanonicalText::SAFE_RULES {
            let line = record.agents().first().map_or(0, |agent| agent.line);
            self.found(line, FindingKind::LongText, Effect::None);
        }
        if self.form.form == Form::Faithful {
            self.extensions(record.extensions().iter().collect());
        }
    }

    /// Writes a record's rules, and says how many there are.
    fn rules(&mut self, record: &Record<'_, '_>, reading: &Reading, work: Option<usize>) -> usize {
        let ordered = Ordered::new(record.rules(), reading.precedence);
        let mut written = 0_usize;
        if self.form.form == Form::Faithful && !reading.index_html {
            let newline = self.form.newline;
            for_each_kept(&ordered, reading, self.report, |rule, pattern| {
                push_rule(&mut self.out, rule.kind, &pattern, newline);
                written = written.saturating_add(1);
            });
            return written;
        }
        let mut kept = Vec::with_capacity(ordered.rules().len());
        let mut stand_ins = false;
        for_each_kept(&ordered, reading, self.report, |rule, pattern| {
            stand_ins |= matches!(pattern, Cow::Owned(_));
            kept.push(Line { kind: rule.kind, pattern });
        });
        if stand_ins {
            in_order_once(&mut kept, reading.precedence);
        }
        if let Some(minimised) = work.and_then(|work| minimise(&kept, reading, work)) {
            kept = minimised;
        }
        for line in &kept {
            push_rule(&mut self.out, line.kind, &line.pattern, self.form.newline);
        }
        kept.len()
    }

    /// A record's other lines, sorted by directive, each once.
    fn extensions(&mut self, mut lines: Vec<&Extension<'_>>) {
        lines.sort_by(|left, right| {
            // A known directive has one name.
            let by_name =
                || if left.directive == Directive::Unknown { left.name.cmp(&right.name) } else { Ordering::Equal };
            left.directive.cmp(&right.directive).then_with(by_name)
        });
        let is_only_one = lines.len() == 1;
        let mut seen = BTreeSet::new();
        for line in lines {
            let Some(value) = Extension::canonical_value(line.directive, &line.value) else { continue };
            // The length first: addresses of one site begin alike.
            if is_only_one || seen.insert((line.directive, value.len(), value.clone(), &line.name)) {
                self.line(&line.name, &value);
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
            self.end_line();
            self.extensions(lines);
        }
    }
}
