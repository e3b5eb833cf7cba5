//! What Google reads otherwise than the standard.
//!
//! Invariant: what Google reads is what the library's Google dialect reads. Nothing is assumed here. Each group is looked
//! at once.

use std::collections::HashSet;

use robosieve::Options;
use robosieve::lines::{FileLines, KeptPart, LogicalLine};
use robosieve::records::{AgentLine, Parser, Record, RecordSet, RuleKind};
use robosieve::report::FindingKind;
use robosieve::settings::Dialect;

use super::drafts::{Draft, Drafts};
use super::edit::Edit;
use super::{Lint, LintKind, shown};
use crate::LineNumber;
use crate::crawlers::Crawler;

/// A rule as somebody reads it.
type Read<'f> = Option<(RuleKind, &'f [u8])>;

/// A file as Google reads it, and the groups that are for its crawlers.
pub(super) struct Googles<'s, 'a> {
    set: &'s RecordSet<'a>,
    /// The first lines of groups for Google's crawlers, in either dialect.
    groups: HashSet<LineNumber>,
}

/// A file as Google reads it: as many bytes as these options read.
pub(super) fn read<'a>(input: &'a [u8], options: &Options) -> RecordSet<'a> {
    let mut googles = Dialect::Google.options();
    googles.limits.max_bytes = options.limits.max_bytes;
    Parser::new(googles).parse(input)
}

impl<'s, 'a> Googles<'s, 'a> {
    pub(super) fn of(set: &'s RecordSet<'a>, standard: &FileLines<'_>) -> Self {
        let records = standard.records().records().chain(set.records());
        let groups = records.filter(|record| is_googles(*record)).map(first_line).collect();
        Self { set, groups }
    }

    /// Whether a group applies to one of Google's crawlers.
    fn has(&self, record: Record<'_, '_>) -> bool {
        self.groups.contains(&first_line(record))
    }

    /// What Google reads in a line that others ignore, for people.
    pub(super) fn words_of(&self, line: LineNumber) -> Option<String> {
        Some(match self.set.kept_at(line)?.0 {
            KeptPart::Rule(rule) => words((rule.kind(), rule.pattern().as_bytes())),
            KeptPart::Agent(agent) => format!("User-agent: {}", shown(agent.name())),
            KeptPart::Extension(line) => format!("{}: {}", shown(line.name()), shown(line.value())),
        })
    }

    /// `[lint.google]`: adds a lint for each rule that Google reads otherwise, in the groups that apply to its crawlers.
    pub(super) fn lint(&self, file: &FileLines<'_>, drafts: &mut Drafts) {
        for line in file.iter() {
            let other = self.set.kept_at(line.number());
            let (ours, theirs) = (line.kept().and_then(rule_of), other.and_then(|(kept, _)| rule_of(kept)));
            if ours == theirs || is_reported(&line) {
                continue;
            }
            let records = [line.record(), other.and_then(|(_, record)| record)];
            if !records.into_iter().flatten().any(|record| self.has(record)) {
                continue;
            }
            let Some(message) = difference(ours, theirs) else { continue };
            let value = line.value().unwrap_or_default();
            let (help, edit) = match (ours, theirs) {
                (Some(_), Some(_)) if has_stray_blank(value) => {
                    ("leave the blank out, or write `%20` for it, if the address in a browser has one there", None)
                }
                (Some((kind, pattern)), Some(_)) => {
                    // Brackets and the like may be no part of the path that is meant.
                    let is_plain = !value.iter().any(|byte| b"{}()[]<>,;|".contains(byte));
                    let edit = Edit::of_field(&line, kind.name(), pattern).filter(|_| is_plain);
                    ("write the path as all read it", edit)
                }
                _ => ("write the line so that all read the same: a documented name, then a path", None),
            };
            let lint = Lint { message, help: help.into(), ..Lint::new(LintKind::GoogleDiffers, &line) };
            drafts.push(Draft { edit, ..lint.into() });
        }
    }
}

/// Whether a blank within a path touches a sign of its syntax. No word was meant to go on there, so what was meant is not
/// plain: `/? ref =`, `/a/ b`, `/en- us/`.
fn has_stray_blank(value: &[u8]) -> bool {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_sign = |byte: &u8| b"/*?=&-$:".contains(byte);
    let value = value.trim_ascii();
    value.windows(2).any(|two| match two {
        [one, other] => is_blank(one) && (is_sign(other) || is_blank(other)) || is_sign(one) && is_blank(other),
        _ => false,
    })
}

fn first_line(record: Record<'_, '_>) -> LineNumber {
    record.agents().first().and_then(AgentLine::line)
}

/// The rule of a line. None for one without an effect.
fn rule_of<'f>(kept: KeptPart<'f, '_>) -> Read<'f> {
    match kept {
        KeptPart::Rule(rule) if !rule.pattern().is_empty() => Some((rule.kind(), rule.pattern().as_bytes())),
        _ => None,
    }
}

/// Whether a finding says already what Google does.
fn is_reported(line: &LogicalLine<'_, '_>) -> bool {
    let says = |kind| matches!(kind, FindingKind::MissingSlash | FindingKind::FoldedLine);
    line.findings().iter().any(|finding| says(finding.kind))
}

fn difference(ours: Read<'_>, theirs: Read<'_>) -> Option<String> {
    Some(match (ours, theirs) {
        (Some(ours), None) => format!("Google reads no rule here; others read `{}`", words(ours)),
        (None, Some(theirs)) => format!("Google reads `{}` here; others ignore the line", words(theirs)),
        (Some(_), Some((_, pattern))) if !matches!(pattern.first(), Some(b'/' | b'*')) => {
            "Google never matches this rule, because its path begins with neither `/` nor `*`".into()
        }
        (Some(ours), Some(theirs)) => format!("Google reads `{}` here; others read `{}`", words(theirs), words(ours)),
        (None, None) => return None,
    })
}

fn words((kind, pattern): (RuleKind, &[u8])) -> String {
    format!("{kind}: {}", shown(pattern))
}

/// Whether a group applies to one of Google's crawlers: it is for `*`, or it has the name of one.
fn is_googles(record: Record<'_, '_>) -> bool {
    record.agents().iter().any(|agent| {
        let name = String::from_utf8_lossy(agent.name());
        agent.is_everyone() || Crawler::find(&name).is_some_and(|crawler| crawler.owner == "Google")
    })
}
