//! The record that is being read, and what happens to its lines.
//!
//! Invariant: nothing here changes a set. While the run of user-agent lines continues, a record is kept, since its next
//! line may name a requested agent.

use alloc::boxed::Box;

use crate::limits::Limits;
use crate::report::{Finding, FindingKind, LineNumber, Report};

/// The record that is being read.
#[derive(Debug)]
pub(super) struct Open {
    /// The line that opens it.
    pub(super) first_line: LineNumber,
    /// Where its parts start.
    pub(super) agents: usize,
    pub(super) rules: usize,
    pub(super) extensions: usize,
    /// What was found in it, if anything.
    pub(super) report: Option<Box<Report>>,
    /// Whether the next user-agent line still belongs to it.
    pub(super) in_run: bool,
    /// The user-agent lines directly above the next line.
    pub(super) block: Block,
    /// The first user-agent line below another field, if the lines above that field name an agent that matters.
    pub(super) joined: LineNumber,
    /// Whether it names an agent that matters.
    pub(super) matters: bool,
    /// Whether any of its user-agent lines has a name.
    pub(super) is_named: bool,
    /// The limit that removed an agent that would have mattered, and the best place of such an agent.
    pub(super) lost: Option<(FindingKind, usize)>,
}

/// User-agent lines with no other field between them: the agents of a value directly below them (`[value.agents]`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The first of these lines.
    pub(super) first_line: LineNumber,
    /// Whether any of them names an agent, requested or not.
    pub(super) is_named: bool,
    /// Whether any of them names `*` or a requested agent.
    pub(super) is_general: bool,
    /// Whether the last field was one of these lines.
    pub(super) is_open: bool,
}

/// What happens to the lines of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// They are kept.
    Kept,
    /// They are lost to a limit, for the agent at this place.
    Lost(FindingKind, usize),
    /// They are ignored: the record names no agent.
    Nobodys,
    /// They are ignored: the record names only agents that are not requested.
    Foreign,
}

impl Open {
    pub(super) fn push(&mut self, finding: Finding, max_details: usize) {
        self.report.get_or_insert_with(|| Box::new(Report::new(max_details))).push(finding);
    }

    /// While the run of user-agent lines continues, the record may still name a requested agent.
    pub(super) fn standing(&self) -> Standing {
        match self.lost {
            _ if self.matters || self.in_run => Standing::Kept,
            Some((kind, place)) => Standing::Lost(kind, place),
            None if self.is_named => Standing::Foreign,
            None => Standing::Nobodys,
        }
    }
}

/// What is left of the counts. Only the parser spends it.
#[derive(Debug)]
pub(crate) struct Budget {
    max_lines: usize,
    records: usize,
    agents: usize,
    lines: usize,
    loose_lines: usize,
}

impl Budget {
    pub(crate) const fn new(limits: &Limits) -> Self {
        Self {
            max_lines: limits.max_lines,
            records: limits.max_records,
            agents: limits.max_user_agents,
            lines: limits.max_lines,
            loose_lines: limits.max_lines,
        }
    }

    /// Starts a new record, which has its full number of lines.
    pub(crate) fn record(&mut self) -> bool {
        self.lines = self.max_lines;
        spend(&mut self.records)
    }

    pub(crate) fn agent(&mut self) -> bool {
        spend(&mut self.agents)
    }

    /// Spends a line of the open record.
    pub(crate) fn line(&mut self) -> bool {
        spend(&mut self.lines)
    }

    /// Spends a line that belongs to the file.
    pub(crate) fn loose_line(&mut self) -> bool {
        spend(&mut self.loose_lines)
    }
}

fn spend(left: &mut usize) -> bool {
    match left.checked_sub(1) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

/// Why lines at the end of a file are missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) kind: FindingKind,
    /// Whether bytes are there that are not read.
    pub(super) has_bytes: bool,
}
