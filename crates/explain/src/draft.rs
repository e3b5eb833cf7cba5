//! The physical lines of a page, what each means, and the draft of them: the logical lines of a file, with what is known
//! of each so far.
//!
//! Invariant: this module reads no line. What a line says, where it ends, and what continues it, it asks of
//! [`FileLines`].

use std::borrow::Cow;
use std::collections::BTreeSet;

use robosieve::lines::{FileLines, KeptPart, LineMeaning, LogicalLine};
use robosieve::records::{AgentLine, AnsweredBy, ExtensionLine, Record, RecordSet, Rule, RuleKind};
use robosieve::report::{Finding, FindingKind, Report};
use robosieve::settings::{Agent, Interest};

use crate::LineNumber;
use crate::report::ExplainedFinding;
use crate::why::pattern_in_words;
use robosieve_printable::{escape, harmless, harmless_short};

/// A physical line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PageLine<'a> {
    /// Its number, from 1.
    #[cfg_attr(feature = "serde", serde(rename = "line"))]
    pub number: u32,
    /// Its bytes, without its line end, decoded if the file is UTF-16 or UTF-32. Serialised as
    /// [`escape`](robosieve_printable::escape) writes them.
    #[cfg_attr(feature = "serde", serde(rename = "text", serialize_with = "escaped"))]
    pub bytes: Cow<'a, [u8]>,
    /// What it means.
    pub meaning: Meaning,
    /// Whether it is in a group that applies to the agents.
    pub ours: bool,
    /// What was found on it.
    pub findings: Vec<ExplainedFinding>,
}

impl PageLine<'_> {
    /// What it means, in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        self.meaning.words()
    }

    /// The same, and of a rule that is used as it is written what its pattern matches.
    #[must_use]
    pub fn long_words(&self) -> String {
        match &self.meaning {
            Meaning::Rule { kind, pattern, as_written: true } if !pattern.is_empty() => {
                let verb = if *kind == RuleKind::Allow { "allows" } else { "disallows" };
                format!("{verb} {}", pattern_in_words(pattern.as_bytes()))
            }
            _ => self.words(),
        }
    }
}

/// What a physical line means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "snake_case")
)]
#[non_exhaustive]
pub enum Meaning {
    /// It names an agent.
    UserAgent {
        /// The name of the agent.
        name: String,
    },
    /// A rule.
    Rule {
        /// Allow or Disallow.
        kind: RuleKind,
        /// The pattern that is used. An empty one has no effect.
        pattern: String,
        /// Whether the line has the pattern as it is used, on itself and whole.
        as_written: bool,
    },
    /// It belongs to its group.
    Extension {
        /// The name of the directive.
        name: String,
        /// The value that is used.
        value: String,
        /// Whether it belongs to all agents of the group. Otherwise it belongs to those directly above it.
        shared: bool,
        /// Whether the line has the value as it is used, on itself and whole.
        as_written: bool,
    },
    /// It belongs to the file.
    #[cfg_attr(feature = "serde", serde(rename = "file-line"))]
    OfFile {
        /// The name of the directive.
        name: String,
        /// The value that is used.
        value: String,
        /// Whether the line has the value as it is used, on itself and whole.
        as_written: bool,
    },
    /// Only a comment.
    Comment,
    /// An empty line.
    Blank,
    /// It continues another line.
    Continued {
        /// The number of that line.
        of: u32,
    },
    /// It was left out.
    LeftOut {
        /// Why.
        #[cfg_attr(feature = "serde", serde(skip))]
        why: LeftOut,
    },
    /// It stands after `max_bytes` and was not read.
    NotRead,
}

/// Why a line was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// For what was found on it.
    ByFinding,
    /// Everything is disallowed instead.
    AllDisallowed,
    /// With its group.
    WithGroup,
}

impl Meaning {
    /// In a few words; with the value, if it is not used as it is written. Empty for an empty line.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::UserAgent { name } if name == "*" => "user agent: all other crawlers".into(),
            Self::UserAgent { name } => format!("user-agent: {name}"),
            Self::Rule { kind, pattern, .. } if pattern.is_empty() => format!("empty {kind}: no rule"),
            Self::Rule { kind, pattern, as_written } => valued("rule", kind.name(), pattern, *as_written),
            Self::Extension { name, value, shared, as_written } => {
                let agents = if *shared { "belongs to the group" } else { "belongs to the agents above" };
                valued(agents, name, value, *as_written)
            }
            Self::OfFile { name, value, as_written } => valued("belongs to the file", name, value, *as_written),
            Self::Comment => "comment".into(),
            Self::Blank => String::new(),
            Self::Continued { of } => format!("continues line {of}"),
            Self::LeftOut { why: LeftOut::ByFinding } => "left out".into(),
            Self::LeftOut { why: LeftOut::AllDisallowed } => "left out, because everything is disallowed".into(),
            Self::LeftOut { why: LeftOut::WithGroup } => "left out with its group".into(),
            Self::NotRead => "not read".into(),
        }
    }
}

fn valued(what: &str, name: &str, value: &str, as_written: bool) -> String {
    if as_written {
        return what.to_owned();
    }
    format!("{what}, read as {name}: {}", harmless_short(value, 160))
}

#[cfg(feature = "serde")]
fn escaped<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&escape(bytes))
}

pub(crate) struct Draft<'f, 'a> {
    lines: Vec<DraftLine<'f, 'a>>,
}

struct DraftLine<'f, 'a> {
    line: LogicalLine<'f, 'a>,
    /// None if it was left out.
    meaning: Option<Meaning>,
    findings: Vec<Finding>,
    ours: bool,
}

impl<'f, 'a> Draft<'f, 'a> {
    /// With what the parser made of each line, and what it found.
    pub(crate) fn new(file: &'f FileLines<'a>) -> Self {
        let line =
            |line| DraftLine { line, meaning: meaning_of(&line), findings: line.findings().to_vec(), ours: false };
        Self { lines: file.iter().map(line).collect() }
    }

    fn line(&mut self, line: LineNumber) -> Option<&mut DraftLine<'f, 'a>> {
        let place = self.lines.partition_point(|it| Some(*it.line.numbers().end()) < line);
        self.lines.get_mut(place).filter(|it| it.line.number() <= line)
    }

    /// Adds what else was found.
    pub(crate) fn note_findings(&mut self, findings: &[Finding]) {
        for finding in findings {
            if let Some(line) = self.line(finding.line).filter(|line| !line.findings.contains(finding)) {
                line.findings.push(*finding);
            }
        }
    }

    /// Marks the lines of the groups that apply.
    pub(crate) fn note_ours(&mut self, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) {
        for record in set.records().filter(|record| answers(record, set, answered_by, interest)) {
            let agents = record.agents().iter().map(AgentLine::line);
            let rules = record.rules().iter().map(Rule::line);
            // The user-agent lines that name an agent of ours. Those of a value are neighbours.
            let ours = record.agents().iter().filter(|agent| answers_on(agent, set, answered_by, interest));
            let ours: Vec<LineNumber> = ours.map(AgentLine::line).collect();
            let is_for_ours = |line: &&ExtensionLine<'_>| {
                let agents = record.agents_of(line);
                let range = agents.first().zip(agents.last()).map(|(first, last)| first.line()..=last.line());
                range.is_some_and(|range| {
                    ours.get(ours.partition_point(|number| number < range.start())).is_some_and(|at| range.contains(at))
                })
            };
            let values = record.extensions().iter().filter(is_for_ours);
            let others = values.map(ExtensionLine::line);
            // Lines of theirs that were left out.
            let found = record.report().into_iter().flat_map(Report::details).copied().filter(|it| leaves_out(*it));
            let found = found.map(|finding| finding.line);
            for number in agents.chain(rules).chain(others).chain(found) {
                if let Some(line) = self.line(number) {
                    line.ours = true;
                }
            }
        }
        // The set does not hold these.
        for line in self.lines.iter_mut().filter(|line| is_empty_rule(&line.line)) {
            line.ours = line.line.record().is_some_and(|record| answers(&record, set, answered_by, interest));
        }
    }

    /// Marks requested lines that `filter` did not keep as left out.
    pub(crate) fn note_left_out(&mut self, kept: &RecordSet<'_>, of_all: bool) {
        let rules = kept.records().flat_map(|record| record.rules()).map(Rule::line);
        let others = kept.records().flat_map(|record| record.extensions()).chain(kept.file_lines());
        let kept: BTreeSet<LineNumber> = rules.chain(others.map(ExtensionLine::line)).collect();
        for line in &mut self.lines {
            let was_asked_for = match &line.meaning {
                Some(Meaning::Rule { pattern, .. }) => !pattern.is_empty() && (of_all || line.ours),
                Some(Meaning::Extension { .. }) => of_all || line.ours,
                Some(Meaning::OfFile { .. }) => true,
                _ => false,
            };
            if was_asked_for && !kept.contains(&line.line.number()) {
                line.meaning = None;
            }
        }
    }

    /// The physical lines. Those below the first of a logical line continue it.
    pub(crate) fn finish(self, disallows_all: bool) -> Vec<PageLine<'a>> {
        let last = self.lines.last().map_or(0, |line| line.line.numbers().end().get());
        let mut page = Vec::with_capacity(usize::try_from(last).unwrap_or_default());
        for line in self.lines {
            let says_nothing = matches!(line.meaning, Some(Meaning::Blank | Meaning::Comment | Meaning::NotRead));
            let (first, ours) = (line.line.numbers().start().get(), line.ours && !says_nothing);
            let meaning = line.meaning.unwrap_or_else(|| {
                let why = if line.findings.iter().copied().any(leaves_out) {
                    LeftOut::ByFinding
                } else if ours && disallows_all {
                    LeftOut::AllDisallowed
                } else {
                    LeftOut::WithGroup
                };
                Meaning::LeftOut { why }
            });
            let mut findings = line.findings.into_iter().map(Into::into).collect();
            for (number, bytes) in (first..).zip(line.line.physical_in_input()) {
                let meaning = match &meaning {
                    Meaning::NotRead => Meaning::NotRead,
                    _ if number > first => Meaning::Continued { of: first },
                    meaning => meaning.clone(),
                };
                page.push(PageLine { number, bytes, meaning, ours, findings: std::mem::take(&mut findings) });
            }
        }
        page
    }
}

/// What the parser made of a line. None if it was left out.
fn meaning_of(line: &LogicalLine<'_, '_>) -> Option<Meaning> {
    match line.meaning() {
        // A NUL ends it at its start.
        LineMeaning::Empty if is_cut(line) => return Some(Meaning::LeftOut { why: LeftOut::ByFinding }),
        LineMeaning::Empty => return Some(Meaning::Blank),
        LineMeaning::Comment => return Some(Meaning::Comment),
        LineMeaning::NotRead => return Some(Meaning::NotRead),
        LineMeaning::Rule(kind) if is_empty_rule(line) => {
            return Some(Meaning::Rule { kind, pattern: String::new(), as_written: true });
        }
        _ => {}
    }
    Some(match line.kept()? {
        KeptPart::Agent(agent) => Meaning::UserAgent { name: escape(agent.name()) },
        KeptPart::Rule(rule) => {
            let pattern = rule.pattern().as_bytes();
            Meaning::Rule { kind: rule.kind(), pattern: escape(pattern), as_written: has(line, pattern) }
        }
        KeptPart::Extension(kept) => {
            let (name, value) = (harmless(kept.name()).into_owned(), harmless(kept.value()).into_owned());
            let as_written = has(line, kept.value());
            match line.record() {
                None => Meaning::OfFile { name, value, as_written },
                Some(record) => {
                    let shared = record.agents_of(kept).len() == record.agents().len();
                    Meaning::Extension { name, value, shared, as_written }
                }
            }
        }
    })
}

/// Whether the line itself has this value, whole. Blanks at its end do not count.
fn has(line: &LogicalLine<'_, '_>, value: &[u8]) -> bool {
    let after = line.value().and_then(|written| written.strip_prefix(value));
    !is_cut(line)
        && !line.is_continued()
        && after.is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t')))
}

/// Whether the end of the line was left out.
fn is_cut(line: &LogicalLine<'_, '_>) -> bool {
    line.findings().iter().any(|finding| finding.kind == FindingKind::LineCut)
}

/// Whether this is an empty rule next to another rule of its group. The set does not hold it, because it has no effect.
fn is_empty_rule(line: &LogicalLine<'_, '_>) -> bool {
    let is_rule = matches!(line.meaning(), LineMeaning::Rule(_));
    is_rule && line.kept().is_none() && line.record().is_some() && !line.findings().iter().copied().any(leaves_out)
}

fn leaves_out(finding: Finding) -> bool {
    ExplainedFinding::from(finding).leaves_out()
}

/// Whether the selection includes the group.
fn answers(record: &Record<'_, '_>, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) -> bool {
    record.agents().iter().any(|agent| answers_on(agent, set, answered_by, interest))
}

/// Whether the line names the agent that the selection matched.
fn answers_on(agent: &AgentLine<'_>, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) -> bool {
    let names = |asked: &Agent| agent.names(asked, set.options().agents);
    match answered_by {
        AnsweredBy::Agent(_) if set.options().union_of_agents => interest.agents.iter().any(names),
        AnsweredBy::Agent(place) => interest.agents.iter().nth(place).is_some_and(names),
        AnsweredBy::Everyone => agent.is_everyone(),
        AnsweredBy::Nobody => false,
    }
}
