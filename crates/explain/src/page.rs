//! A file line by line: each physical line, its meaning, and its findings.
//!
//! Invariant: the lines are all of the file, in order. Their meanings are those of the library's parser; a line that
//! `filter` leaves out is left out here. All text is safe to print: see [`printable`](robosieve_printable).

use robosieve::Options;
use robosieve::records::{AnsweredBy, Parser, RecordSet, Selection};
use robosieve::report::{FindingKind, Report};
use robosieve::settings::Refused;

use crate::draft::{Draft, PageLine};
use crate::names::Groups;
use crate::report::FileSummary;
use crate::who::{Who, kept, records};

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
}
