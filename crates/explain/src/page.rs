//! A file line by line: each physical line, its meaning, and its findings.
//!
//! Invariant: the lines are all of the file, in order. Their meanings are those of the library's parser; a line that
//! `filter` leaves out is left out here. All text is safe to print: see [`printable`](robosieve_printable).

use std::borrow::Cow;

use robosieve::Options;
use robosieve::records::{AnsweredBy, Parser, RecordSet, RuleKind, Selection};
use robosieve::report::{FindingKind, Report};
use robosieve::settings::Refused;

use crate::draft::Draft;
use crate::names::Groups;
use crate::report::{ExplainedFinding, FileSummary};
use crate::who::{Who, kept, records};
use crate::why::pattern_in_words;
use robosieve_printable::harmless_short;

/// A file, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Page<'a> {
    /// Its physical lines.
    pub lines: Vec<PageLine<'a>>,
    /// The number of groups that the parser keeps.
    pub records: usize,
    /// The number of user-agent lines in them.
    pub user_agents: usize,
    /// Which group applies. None if all agents are kept.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub who: Option<Who>,
    /// What the file is like, and whether anything was lost.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub summary: FileSummary,
    /// Why `filter` would refuse the file.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serialised::finding"))]
    pub refused: Option<Refused>,
    /// What was found in the file. Serialised as its counts.
    #[cfg_attr(feature = "serde", serde(rename = "counts", serialize_with = "serialised::counts"))]
    pub report: Report,
    /// The number of rules that `filter` keeps.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub rules: usize,
}

impl<'a> Page<'a> {
    /// Without groups, it is for all agents.
    pub(crate) fn read(input: &'a [u8], options: &Options, groups: Option<&Groups>) -> Self {
        let file = Parser::new(options.clone()).parse_lines(input);
        let set = file.records();
        let (kept, report, answered_by) = filtered(input, options, groups, set);
        let mut draft = Draft::new(&file);
        if let Some(groups) = groups {
            draft.note_ours(set, answered_by, groups);
        }
        draft.note_findings(report.details());
        match &kept {
            Ok(kept) => draft.note_left_out(kept, groups.is_none()),
            Err(refused) => draft.note_findings(&[refused.finding]),
        }
        Page {
            lines: draft.finish(kept.is_ok() && disallows_all(&report)),
            records: set.records().len(),
            user_agents: set.records().map(|record| record.agents().len()).sum(),
            who: groups.map(|groups| Who::new(answered_by, groups)),
            summary: FileSummary { exact: report.is_exact() && kept.is_ok(), ..FileSummary::new(&report) },
            rules: kept.as_ref().map_or(0, |kept| kept.records().map(|record| record.rules().len()).sum()),
            refused: kept.err(),
            report,
        }
    }

    /// Whether `Disallow: /` replaced all rules.
    #[must_use]
    pub fn disallows_all(&self) -> bool {
        self.refused.is_none() && disallows_all(&self.report)
    }
}

fn disallows_all(report: &Report) -> bool {
    report.count(FindingKind::AllDisallowed) > 0
}

/// What `filter` makes of the file, the report, and whose group applies. `whole` has the groups of all agents.
fn filtered<'a>(
    input: &'a [u8],
    options: &Options,
    groups: Option<&Groups>,
    whole: &RecordSet<'a>,
) -> (Result<RecordSet<'a>, Refused>, Report, AnsweredBy) {
    match (kept(input, options, groups), groups) {
        (Ok((kept, answered_by)), _) => {
            let report = kept.report();
            (Ok(kept), report, answered_by)
        }
        (Err(refused), None) => (Err(refused), whole.report(), AnsweredBy::Everyone),
        (Err(refused), Some(groups)) => {
            let set = records(input, options, groups);
            let selection = Selection::of(&set, groups);
            (Err(refused), selection.report().clone(), selection.answered_by())
        }
    }
}

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
    #[cfg_attr(feature = "serde", serde(rename = "text", serialize_with = "serialised::text"))]
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

/// How data are serialised that are more than the page shows.
#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option)] // serde gives references.
mod serialised {
    use std::collections::BTreeMap;

    use robosieve::report::Report;
    use robosieve::settings::Refused;
    use serde::{Serialize, Serializer};

    pub(super) fn finding<S: Serializer>(refused: &Option<Refused>, serializer: S) -> Result<S::Ok, S::Error> {
        refused.as_ref().map(|refused| refused.finding).serialize(serializer)
    }

    pub(super) fn counts<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        let counts: BTreeMap<_, _> = report.counts().map(|(kind, count)| (kind.as_str(), count)).collect();
        counts.serialize(serializer)
    }

    pub(super) fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&robosieve_printable::escape(bytes))
    }
}
