//! A file line by line: each physical line, its meaning, and its findings.
//!
//! Invariant: line numbers and meanings are those of the library: a line
//! that `filter` leaves out is left out here. Only lines that the library does not return (comments, continued lines, lines
//! of dropped groups) are classified by their bytes.

use std::collections::BTreeSet;

use robosieve::agent::{AgentLine, AnsweredBy};
use robosieve::report::{Finding, FindingClass, FindingKind};
use robosieve::syntax::LineStyle;
use robosieve::{Agent, Interest, Options, Parser, Record, RecordSet, Refused, Report, RuleKind, Selection};

use serde::Serialize;

use crate::plan::Plan;
use crate::text;
use crate::who::Who;

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub(crate) enum Meaning {
    /// Names an agent.
    UserAgent { name: String },
    /// A rule with its normalised pattern.
    Rule { kind: RuleKind, pattern: String, as_written: bool },
    /// Belongs to its group: to all of its agents (`shared`), or to those directly above it.
    Extension { name: String, value: String, shared: bool, as_written: bool },
    /// Belongs to the file.
    #[serde(rename = "file-line")]
    OfFile { name: String, value: String, as_written: bool },
    /// Only a comment.
    Comment,
    /// An empty line.
    Blank,
    /// Continues the line of that number.
    Continued { of: u32 },
    /// Left out, for the reasons that the findings name.
    LeftOut,
    /// After `max_bytes`; not read.
    NotRead,
}

/// A physical line.
#[derive(Debug)]
pub(crate) struct PageLine<'a> {
    pub(crate) number: u32,
    pub(crate) bytes: &'a [u8],
    pub(crate) meaning: Meaning,
    pub(crate) findings: Vec<Finding>,
    /// Whether it is in a group that applies to the agents.
    pub(crate) ours: bool,
}

/// A file.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) lines: Vec<PageLine<'a>>,
    pub(crate) records: usize,
    pub(crate) agents: usize,
    /// The report of `filter` for the file.
    pub(crate) report: Report,
    /// `None` if no agent is given.
    pub(crate) who: Option<Who>,
    /// How many rules `filter` keeps.
    pub(crate) rules: usize,
    /// Why `filter` would refuse the file.
    pub(crate) refused: Option<Refused>,
}

impl<'a> Page<'a> {
    /// Reads the file for the plan's agents, or for all. The plan must keep the details of all findings; their number is
    /// limited by the number of lines.
    pub(crate) fn new(bytes: &'a [u8], plan: &Plan) -> Self {
        let set = Parser::new(plan.options.clone()).parse(bytes);
        let Filtered { kept, report, answered_by } = Filtered::new(bytes, plan, &set);
        let mut draft = Draft::new(bytes);
        draft.note_findings(set.report().details());
        draft.note_meanings(&set);
        if !plan.all_agents {
            draft.note_ours(&set, answered_by, &plan.interest);
        }
        draft.note_findings(report.details());
        match &kept {
            Ok(kept) => draft.note_left_out(kept, plan.all_agents, disallows_all(&report)),
            Err(refused) => draft.note_findings(&[refused.finding]),
        }
        Page {
            lines: draft.finish(&plan.options),
            records: set.records().len(),
            agents: set.records().map(|record| record.agents().len()).sum(),
            report,
            who: (!plan.all_agents).then(|| Who::new(answered_by, &plan.interest)),
            rules: kept.as_ref().map_or(0, |kept| kept.records().map(|record| record.rules().len()).sum()),
            refused: kept.err(),
        }
    }

    /// Whether `Disallow: /` replaced all rules.
    pub(crate) fn disallows_all(&self) -> bool {
        self.refused.is_none() && disallows_all(&self.report)
    }
}

fn disallows_all(report: &Report) -> bool {
    report.count(FindingKind::AllDisallowed) > 0
}

/// What `filter` makes of the file.
struct Filtered<'a> {
    kept: Result<RecordSet<'a>, Refused>,
    report: Report,
    answered_by: AnsweredBy,
}

impl<'a> Filtered<'a> {
    /// `whole` is the file with the groups of all agents.
    fn new(bytes: &'a [u8], plan: &Plan, whole: &RecordSet<'a>) -> Self {
        match plan.sieve().run(bytes) {
            Ok(sieved) => Self {
                kept: Ok(sieved.records().clone()),
                report: sieved.report().clone(),
                answered_by: sieved.answered_by(),
            },
            Err(refused) if plan.all_agents => {
                Self { kept: Err(refused), report: whole.report(), answered_by: AnsweredBy::Everyone }
            }
            Err(refused) => {
                let set = plan.records(bytes);
                let selection = Selection::of(&set, &plan.interest);
                let report = selection.report().clone();
                Self { kept: Err(refused), report, answered_by: selection.answered_by() }
            }
        }
    }
}

/// A page under construction: some meanings are still missing.
struct Draft<'a> {
    lines: Vec<DraftLine<'a>>,
}

#[derive(Default)]
struct DraftLine<'a> {
    bytes: &'a [u8],
    meaning: Option<Meaning>,
    findings: Vec<Finding>,
    ours: bool,
}

impl<'a> Draft<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let lines = physical_lines(bytes).map(|bytes| DraftLine { bytes, ..DraftLine::default() });
        Self { lines: lines.collect() }
    }

    fn line(&mut self, number: u32) -> Option<&mut DraftLine<'a>> {
        usize::try_from(number).ok()?.checked_sub(1).and_then(|index| self.lines.get_mut(index))
    }

    fn note_findings(&mut self, findings: &[Finding]) {
        for finding in findings {
            if let Some(line) = self.line(finding.line).filter(|line| !line.findings.contains(finding)) {
                line.findings.push(*finding);
            }
        }
    }

    fn mean(&mut self, number: u32, meaning: impl FnOnce(&[u8]) -> Meaning) {
        if let Some(line) = self.line(number) {
            line.meaning = Some(meaning(value_of(line.bytes)));
        }
    }

    fn note_meanings(&mut self, set: &RecordSet<'_>) {
        for record in set.records() {
            for agent in record.agents() {
                let name = text::escape(agent.name().as_bstr());
                self.mean(agent.line(), |_| Meaning::UserAgent { name });
            }
            for rule in record.rules() {
                let pattern = rule.pattern().as_bytes();
                self.mean(rule.line(), |value| Meaning::Rule {
                    kind: rule.kind(),
                    pattern: text::escape(pattern),
                    as_written: value == pattern,
                });
            }
            for line in record.extensions() {
                let (name, value) = (text::escape(line.name()), text::escape(line.value()));
                let as_written = |written: &[u8]| written == line.value();
                let shared = record.agents_of(line).len() == record.agents().len();
                self.mean(line.line(), |written| {
                    let as_written = as_written(written);
                    Meaning::Extension { name, value, shared, as_written }
                });
            }
        }
        for line in set.file_lines() {
            let (name, value) = (text::escape(line.name()), text::escape(line.value()));
            self.mean(line.line(), |written| Meaning::OfFile { name, value, as_written: written == line.value() });
        }
    }

    /// Marks the lines of the groups that apply.
    fn note_ours(&mut self, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) {
        for record in set.records().filter(|record| answers(record, set, answered_by, interest)) {
            let agents = record.agents().iter().map(robosieve::agent::AgentLine::line);
            let rules = record.rules().iter().map(robosieve::Rule::line);
            let names_ours = |agent: &AgentLine<'_>| answers_on(agent, set, answered_by, interest);
            let values = record.extensions().iter().filter(|line| record.agents_of(line).iter().any(names_ours));
            let others = values.map(robosieve::value::ExtensionLine::line);
            // Lines of theirs that were left out.
            let found = record.report().into_iter().flat_map(Report::details).map(|finding| finding.line);
            for number in agents.chain(rules).chain(others).chain(found) {
                if let Some(line) = self.line(number) {
                    line.ours = true;
                }
            }
        }
    }

    /// Marks requested lines that `filter` did not keep as left out.
    fn note_left_out(&mut self, kept: &RecordSet<'_>, of_all: bool, disallows_all: bool) {
        let rules = kept.records().flat_map(|record| record.rules()).map(robosieve::Rule::line);
        let others = kept.records().flat_map(|record| record.extensions()).chain(kept.file_lines());
        let kept: BTreeSet<u32> = rules.chain(others.map(robosieve::value::ExtensionLine::line)).collect();
        for (line, number) in self.lines.iter_mut().zip(1..) {
            let was_asked_for = match &line.meaning {
                Some(Meaning::Rule { pattern, .. }) => !pattern.is_empty() && (of_all || line.ours),
                Some(Meaning::Extension { .. }) => of_all || line.ours,
                Some(Meaning::OfFile { .. }) => true,
                _ => false,
            };
            let has_reason = disallows_all || line.findings.iter().copied().any(leaves_out);
            if was_asked_for && has_reason && !kept.contains(&number) {
                line.meaning = Some(Meaning::LeftOut);
            }
        }
    }

    /// Classifies by their bytes the lines that the library does not return.
    fn finish(self, options: &Options) -> Vec<PageLine<'a>> {
        let folds = options.lines.fold && options.lines.style == LineStyle::Standard;
        let mut page: Vec<PageLine<'a>> = Vec::with_capacity(self.lines.len());
        // The line that a continuation would belong to, and whether it is ours.
        let mut carrier: Option<(u32, bool)> = None;
        let mut is_read = true;
        for (line, number) in self.lines.into_iter().zip(1..) {
            is_read &= !line.findings.iter().any(|finding| finding.kind == FindingKind::InputCut);
            let continues = folds && line.findings.is_empty() && may_continue(line.bytes);
            let (meaning, ours) = match (line.meaning, carrier) {
                _ if !is_read => (Meaning::NotRead, false),
                (Some(meaning), _) => (meaning, line.ours),
                (None, _) if content(line.bytes).is_empty() => (Meaning::Blank, false),
                (None, _) if content(line.bytes).starts_with(b"#") => (Meaning::Comment, false),
                (None, Some((of, ours))) if continues => (Meaning::Continued { of }, ours),
                _ => (Meaning::LeftOut, line.ours),
            };
            carrier = match meaning {
                Meaning::Comment | Meaning::Blank | Meaning::NotRead => None,
                // A comment ends what can be continued.
                _ if line.bytes.contains(&b'#') => None,
                Meaning::Continued { of } => Some((of, ours)),
                _ => Some((number, ours)),
            };
            page.push(PageLine { number, bytes: line.bytes, meaning, findings: line.findings, ours });
        }
        page
    }
}

/// Whether the selection includes the group.
fn answers(record: &Record<'_, '_>, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) -> bool {
    record.agents().iter().any(|agent| answers_on(agent, set, answered_by, interest))
}

/// Whether the line names the agent that the selection matched.
fn answers_on(agent: &AgentLine<'_>, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) -> bool {
    let names = |asked: &Agent| agent.name().names(asked, set.reading().agents);
    match answered_by {
        AnsweredBy::Agent(_) if set.reading().union_of_agents => interest.agents.iter().any(names),
        AnsweredBy::Agent(place) => interest.agents.iter().nth(place).is_some_and(names),
        AnsweredBy::Everyone => agent.name().is_everyone(),
        AnsweredBy::Nobody => false,
    }
}

/// The lines without their line endings (CRLF, LF or CR).
fn physical_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let (line, end) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        rest = match end {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => end,
        };
        Some(line)
    })
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_blank(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|&byte| !is_blank(byte)).map_or(start, |last| last.saturating_add(1));
    bytes.get(start..end).unwrap_or_default()
}

/// The line without surrounding spaces and tabs, and without a byte order mark.
fn content(line: &[u8]) -> &[u8] {
    trim(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line))
}

/// Name and value of a possible field. Without a colon, the second word is the value.
fn split_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = line.split(|&byte| byte == b'#').next().map(content)?;
    let at = text.iter().position(|&byte| byte == b':').or_else(|| text.iter().position(|&byte| is_blank(byte)))?;
    let (name, value) = text.split_at_checked(at)?;
    Some((trim(name), trim(value.get(1..).unwrap_or_default())))
}

fn value_of(line: &[u8]) -> &[u8] {
    split_field(line).map_or(b"", |field| field.1)
}

/// Whether a line that left no trace can be the continuation of one that did: it begins with a blank, and is no field but
/// maybe a URL.
fn may_continue(line: &[u8]) -> bool {
    let looks_like_field = split_field(line).is_some_and(|(name, value)| {
        let is_url = value.starts_with(b"//") && name.to_ascii_lowercase().starts_with(b"http");
        let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        line.contains(&b':') && is_name && !is_url
    });
    line.first().copied().is_some_and(is_blank) && !looks_like_field
}

/// Whether the finding says that its line was left out.
pub(crate) fn leaves_out(finding: Finding) -> bool {
    use FindingKind::{AgentWithoutToken, AlmostDirective, RuleWithoutAgent};
    matches!(finding.kind.class(), FindingClass::Ignored | FindingClass::Loss)
        || matches!(finding.kind, AgentWithoutToken | AlmostDirective | RuleWithoutAgent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_line_end() {
        let lines: Vec<&[u8]> = physical_lines(b"a\r\nb\rc\nd\n\re").collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"c", b"d", b"", b"e"]);
        assert_eq!(physical_lines(b"").count(), 0);
    }

    #[test]
    fn fields_do_not_continue_and_urls_do() {
        assert!(may_continue(b" /x"));
        assert!(may_continue(b"\thttps://example.com/s.xml"));
        assert!(may_continue(b" : /x"));
        assert!(!may_continue(b" Allow: /x"));
        assert!(!may_continue(b"/x"));
    }
}
