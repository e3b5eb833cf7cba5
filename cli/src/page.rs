//! A file as its reader sees it: each physical line, what became of it, and what was found on it.
//!
//! Invariant: lines are numbered as the library numbers them, and what a line means is what the library made of it: a line
//! that `filter` leaves out is left out here. Only what left no trace there (comments, continued lines, the lines of dropped records) is told by its octets.

use std::collections::BTreeSet;

use robosieve::{
    AnsweredBy, Class, Finding, FindingKind, Interest, LineStyle, Options, Parser, Record, RecordSet, Refused, Report,
    RuleKind, Selection,
};

use serde::Serialize;

use crate::plan::Plan;
use crate::text;
use crate::who::Who;

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub(crate) enum Meaning {
    /// Names an agent.
    UserAgent { name: String },
    /// A rule with its normalised pattern.
    Rule { kind: RuleKind, pattern: String, as_written: bool },
    /// Belongs to the record it stands in.
    Extension { name: String, value: String, as_written: bool },
    /// Belongs to the file.
    #[serde(rename = "file-line")]
    OfFile { name: String, value: String, as_written: bool },
    /// A comment alone.
    Comment,
    /// Nothing.
    Blank,
    /// Continues the line of that number.
    Continued { of: u32 },
    /// Left out, for the reasons that the findings name.
    LeftOut,
    /// Behind `max_bytes`.
    NotRead,
}

/// A physical line.
#[derive(Debug)]
pub(crate) struct PageLine<'a> {
    pub(crate) number: u32,
    pub(crate) octets: &'a [u8],
    pub(crate) meaning: Meaning,
    pub(crate) findings: Vec<Finding>,
    /// Whether it stands in a record that answers for the agents.
    pub(crate) ours: bool,
}

/// A file.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) lines: Vec<PageLine<'a>>,
    pub(crate) records: usize,
    pub(crate) agents: usize,
    /// What `filter` reports of it.
    pub(crate) report: Report,
    /// None where no agent is given.
    pub(crate) who: Option<Who>,
    /// How many rules `filter` keeps.
    pub(crate) rules: usize,
    /// Why `filter` would not.
    pub(crate) refused: Option<Refused>,
}

impl<'a> Page<'a> {
    /// Reads the file, for the plan's agents or for all. The plan has to keep the details of all findings, whose number is
    /// bounded by that of the lines.
    pub(crate) fn new(octets: &'a [u8], plan: &Plan) -> Self {
        let set = Parser::new(plan.options.clone()).parse(octets);
        let Filtered { kept, report, answered_by } = Filtered::new(octets, plan, &set);
        let mut draft = Draft::new(octets);
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

    /// Whether all rules gave way to `Disallow: /`.
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
    /// `whole` is the file with the records of all agents.
    fn new(octets: &'a [u8], plan: &Plan, whole: &RecordSet<'a>) -> Self {
        match plan.sieve().run(octets) {
            Ok(sieved) => Self {
                kept: Ok(sieved.records().clone()),
                report: sieved.report().clone(),
                answered_by: sieved.answered_by(),
            },
            Err(refused) if plan.all_agents => {
                Self { kept: Err(refused), report: whole.report(), answered_by: AnsweredBy::Everyone }
            }
            Err(refused) => {
                let set = plan.records(octets);
                let selection = Selection::of(&set, &plan.interest);
                let report = selection.report().clone();
                Self { kept: Err(refused), report, answered_by: selection.answered_by() }
            }
        }
    }
}

/// A page on which meanings are still missing.
struct Draft<'a> {
    lines: Vec<DraftLine<'a>>,
}

#[derive(Default)]
struct DraftLine<'a> {
    octets: &'a [u8],
    meaning: Option<Meaning>,
    findings: Vec<Finding>,
    ours: bool,
}

impl<'a> Draft<'a> {
    fn new(octets: &'a [u8]) -> Self {
        let lines = physical_lines(octets).map(|octets| DraftLine { octets, ..DraftLine::default() });
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
            line.meaning = Some(meaning(value_of(line.octets)));
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
                self.mean(line.line(), |written| Meaning::Extension { name, value, as_written: as_written(written) });
            }
        }
        for line in set.file_lines() {
            let (name, value) = (text::escape(line.name()), text::escape(line.value()));
            self.mean(line.line(), |written| Meaning::OfFile { name, value, as_written: written == line.value() });
        }
    }

    /// Marks the lines of the records that answer.
    fn note_ours(&mut self, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) {
        for record in set.records().filter(|record| answers(record, set, answered_by, interest)) {
            let agents = record.agents().iter().map(robosieve::AgentLine::line);
            let rules = record.rules().iter().map(robosieve::Rule::line);
            let others = record.extensions().iter().map(robosieve::Extension::line);
            // Lines of theirs that were left out.
            let found = record.report().into_iter().flat_map(Report::details).map(|finding| finding.line);
            for number in agents.chain(rules).chain(others).chain(found) {
                if let Some(line) = self.line(number) {
                    line.ours = true;
                }
            }
        }
    }

    /// Takes their meaning from lines that `filter` was asked for and did not keep.
    fn note_left_out(&mut self, kept: &RecordSet<'_>, of_all: bool, disallows_all: bool) {
        let rules = kept.records().flat_map(|record| record.rules()).map(robosieve::Rule::line);
        let others = kept.records().flat_map(|record| record.extensions()).chain(kept.file_lines());
        let kept: BTreeSet<u32> = rules.chain(others.map(robosieve::Extension::line)).collect();
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

    /// Tells what left no trace in the library's answer by its octets.
    fn finish(self, options: &Options) -> Vec<PageLine<'a>> {
        let folds = options.lines.fold && options.lines.style == LineStyle::Standard;
        let mut page: Vec<PageLine<'a>> = Vec::with_capacity(self.lines.len());
        // The line that a continuation would belong to, and whether it is ours.
        let mut carrier: Option<(u32, bool)> = None;
        let mut is_read = true;
        for (line, number) in self.lines.into_iter().zip(1..) {
            is_read &= !line.findings.iter().any(|finding| finding.kind == FindingKind::InputCut);
            let continues = folds && line.findings.is_empty() && may_continue(line.octets);
            let (meaning, ours) = match (line.meaning, carrier) {
                _ if !is_read => (Meaning::NotRead, false),
                (Some(meaning), _) => (meaning, line.ours),
                (None, _) if content(line.octets).is_empty() => (Meaning::Blank, false),
                (None, _) if content(line.octets).starts_with(b"#") => (Meaning::Comment, false),
                (None, Some((of, ours))) if continues => (Meaning::Continued { of }, ours),
                _ => (Meaning::LeftOut, line.ours),
            };
            carrier = match meaning {
                Meaning::Comment | Meaning::Blank | Meaning::NotRead => None,
                // A comment ends what can be continued.
                _ if line.octets.contains(&b'#') => None,
                Meaning::Continued { of } => Some((of, ours)),
                _ => Some((number, ours)),
            };
            page.push(PageLine { number, octets: line.octets, meaning, findings: line.findings, ours });
        }
        page
    }
}

/// Whether the record is among those that a selection took.
fn answers(record: &Record<'_, '_>, set: &RecordSet<'_>, answered_by: AnsweredBy, interest: &Interest) -> bool {
    let form = set.reading().agents;
    let names = |place: usize| {
        let agent = interest.agents.iter().nth(place);
        agent.is_some_and(|agent| record.agents().iter().any(|line| line.name().names(agent, form)))
    };
    match answered_by {
        AnsweredBy::Agent(_) if set.reading().union_of_agents => (0..interest.agents.iter().count()).any(names),
        AnsweredBy::Agent(place) => names(place),
        AnsweredBy::Everyone => record.agents().iter().any(|line| line.name().is_everyone()),
        AnsweredBy::Nobody => false,
    }
}

/// The lines without their ends: CRLF, LF or CR.
fn physical_lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = rest.iter().position(|octet| matches!(octet, b'\r' | b'\n')).unwrap_or(rest.len());
        let (line, end) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        rest = match end {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => end,
        };
        Some(line)
    })
}

const fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

fn trim(octets: &[u8]) -> &[u8] {
    let start = octets.iter().position(|&octet| !is_blank(octet)).unwrap_or(octets.len());
    let end = octets.iter().rposition(|&octet| !is_blank(octet)).map_or(start, |last| last.saturating_add(1));
    octets.get(start..end).unwrap_or_default()
}

/// The line without blanks around it, and without a byte order mark.
fn content(line: &[u8]) -> &[u8] {
    trim(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line))
}

/// Name and value of what looks like a field; without a colon, the second word is the value.
fn split_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = line.split(|&octet| octet == b'#').next().map(content)?;
    let at = text.iter().position(|&octet| octet == b':').or_else(|| text.iter().position(|&octet| is_blank(octet)))?;
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
        let is_name = !name.is_empty() && name.iter().all(|octet| octet.is_ascii_alphanumeric() || *octet == b'-');
        line.contains(&b':') && is_name && !is_url
    });
    line.first().copied().is_some_and(is_blank) && !looks_like_field
}

/// Whether the finding says that its line was left out.
pub(crate) fn leaves_out(finding: Finding) -> bool {
    matches!(finding.kind.class(), Class::Ignored | Class::Loss)
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
