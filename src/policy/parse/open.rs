//! The record that is being read: where it begins and ends, and what happens to its lines.
//!
//! Invariant: while the run of user-agent lines continues, a record is kept, since its next line may name a requested
//! agent.

use alloc::boxed::Box;

use super::Parsing;
use crate::limits::Limits;
use crate::policy::record::Ranges;
use crate::report::{Effect, Finding, FindingKind, LineNumber, Report};
use crate::syntax::names::RuleKind;

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
    /// The limit that removed an agent that would have mattered, and the best preference of such an agent.
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
    /// They are lost to a limit, for the agent of this preference.
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
            Some((kind, preference)) => Standing::Lost(kind, preference),
            None if self.is_named => Standing::Foreign,
            None => Standing::Nobodys,
        }
    }
}

impl Parsing<'_, '_> {
    /// A field that is neither a user-agent line nor a rule ends the block of user-agent lines above it. It ends the
    /// run only with `any_line_ends_run`.
    pub(super) fn end_block(&mut self) {
        if let Some(open) = &mut self.open {
            open.block.is_open = false;
        }
        if self.parser.options.any_line_ends_run {
            self.end_run();
        }
    }

    /// After the last user-agent line of a run. Discards the record if it names no requested agent.
    #[inline]
    fn end_run(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.in_run) {
            self.end_this_run();
        }
    }

    /// Ends the run of user-agent lines at a rule.
    #[inline]
    pub(super) fn end_run_by_rule(&mut self, kind: RuleKind, is_empty_rule: bool) {
        if self.open.as_ref().is_some_and(|open| open.in_run) {
            self.end_this_run();
            self.suspect_joined(kind, is_empty_rule);
        }
    }

    /// `[suspect.joined]`: reports, at the first rule of a record, that requested agents are in an earlier block than
    /// the one directly above the rule. An empty rule restricts none of them, and a rule for `*` may also be meant
    /// for them.
    fn suspect_joined(&mut self, kind: RuleKind, is_empty_rule: bool) {
        let joined = self.open.as_ref().filter(|open| !open.block.is_general).and_then(|open| open.joined);
        if joined.is_some() && !is_empty_rule {
            let effect = if kind == RuleKind::Disallow { Effect::MoreRestrictive } else { Effect::Either };
            self.found(joined, FindingKind::JoinedRecords, effect);
        }
    }

    fn end_this_run(&mut self) {
        let Some(open) = &mut self.open else { return };
        open.in_run = false;
        let (agents, extensions) = (open.agents, open.extensions);
        let standing = open.standing();
        if standing == Standing::Kept {
            return;
        }
        self.set.agents.truncate(agents);
        while self.set.extensions.len() > extensions
            && let Some(line) = self.set.extensions.pop()
        {
            self.lose(line.line, standing, Effect::None);
        }
    }

    /// Reports a line that is lost with its record.
    pub(super) fn lose(&mut self, line: LineNumber, standing: Standing, effect: Effect) {
        match standing {
            Standing::Lost(kind, preference) => self.lose_for(preference, Finding { line, kind, effect }),
            Standing::Nobodys => self.found_in_file(line, FindingKind::RuleWithoutAgent, effect),
            Standing::Kept | Standing::Foreign => {}
        }
    }

    /// A user-agent line continues a run, or starts a record.
    pub(super) fn begin_agent(&mut self, line: LineNumber) {
        match &mut self.open {
            Some(open) if open.in_run => {
                if !open.block.is_open {
                    open.joined = open.joined.or(line.filter(|_| open.matters));
                    open.block = Block { first_line: line, is_named: false, is_general: false, is_open: true };
                }
            }
            _ => self.open_record(line),
        }
    }

    fn open_record(&mut self, line: LineNumber) {
        self.finish_record();
        self.open = Some(Open {
            first_line: line,
            agents: self.set.agents.len(),
            rules: self.set.rules.len(),
            extensions: self.set.extensions.len(),
            report: None,
            in_run: true,
            block: Block { first_line: line, is_named: false, is_general: false, is_open: true },
            joined: None,
            matters: false,
            is_named: false,
            lost: None,
        });
        self.record_fits = self.budget.record();
    }

    pub(super) fn finish_record(&mut self) {
        self.end_run();
        let Some(open) = &mut self.open else { return };
        let report = open.report.take();
        match (open.standing(), report) {
            (Standing::Kept, report) => self.set.ranges.push(Ranges {
                agents: open.agents..self.set.agents.len(),
                rules: open.rules..self.set.rules.len(),
                extensions: open.extensions..self.set.extensions.len(),
                report,
            }),
            (Standing::Lost(..) | Standing::Nobodys, Some(report)) => self.set.report.gather(&report),
            _ => {}
        }
        self.open = None;
    }

    /// Reports what a limit cost the agent of this preference. It counts only if no more preferred agent has a group.
    pub(super) fn lose_for(&mut self, preference: usize, finding: Finding) {
        if self.parser.interest.is_none() {
            // The agents are not known, so this counts for all of them.
            return self.set.report.push(finding);
        }
        let lost = &mut self.set.lost;
        let at = lost.iter().position(|(other, _)| *other == preference).unwrap_or_else(|| {
            lost.push((preference, Box::new(Report::new(self.parser.options.max_details))));
            lost.len().saturating_sub(1)
        });
        lost.iter_mut().skip(at).take(1).for_each(|(_, report)| report.push(finding));
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
