//! [`RecordSet`] -> [`RecordSet`]: selects what one crawler needs of a file, or sorts all of it.
//!
//! Invariant: for its agents, a filtered set gives the same verdicts as the set it was made from, except for losses
//! that its report names. It is within the limits for one record. Filtering fails only if the caller has requested
//! that.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::limits::OverLimit;
use crate::policy::agent::{AgentName, Interest};
use crate::policy::budget::TextBudget;
use crate::policy::options::Precedence;
use crate::policy::record::{AgentLine, ExtensionLine, Ranges, Record, RecordSet};
use crate::policy::select::{AnsweredBy, Selection, check, widened_ranks};
use crate::policy::value::Millis;
use crate::report::finding::Refused;
use crate::report::{Effect, Finding, FindingKind, LineNumber, Report};
use crate::syntax::names::Directive;

impl RecordSet<'_> {
    /// Makes a set with a single record for `*`, which contains the rules and lines for these agents. If the groups for `*`
    /// do not apply to them, it also has their first name. Its text fits into `max_bytes`.
    ///
    /// # Errors
    /// Under [`OverLimit::Refuse`], if these agents lose something to a limit. Under [`OverLimit::Widen`], if `Disallow: /`
    /// is needed and the limits leave no space for it.
    ///
    /// ```
    /// use robosieve::records::Parser;
    /// use robosieve::settings::Interest;
    /// let set = Parser::default().parse(b"User-agent: Other\nDisallow: /\n\nUser-agent: MyBot\nDisallow: /tmp\n");
    /// let (filtered, _) = set.filter_for(&Interest::new(["MyBot"]))?;
    /// let record = filtered.records().next().unwrap();
    /// assert!(record.agents()[0].is_everyone());
    /// assert_eq!(record.rules().len(), 1);
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub fn filter_for(&self, interest: &Interest) -> Result<(Self, AnsweredBy), Refused> {
        filter_into(self, interest, Selection::of(self, interest))
    }

    /// Makes the set of all records. Records of the same agents are merged into one, with the values that are for all of
    /// its agents.
    ///
    /// Records of different agents stay separate, even if they share an agent. By the standard, readers merge them.
    /// Writing out the rules of each agent could make the size grow with the square of the file.
    ///
    /// # Errors
    /// Those of [`RecordSet::filter_for`], for the whole file. Widening cannot compensate for lost records, so the file
    /// is refused then.
    pub fn filter_all(&self) -> Result<Self, Refused> {
        filter_all(self)
    }
}

/// [`RecordSet::filter_for`] from a selection of the set for these agents.
pub(crate) fn filter_into<'a>(
    set: &RecordSet<'a>,
    interest: &Interest,
    mut selection: Selection<'_, 'a>,
) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    let own = own_name(set, interest, selection.answered_by());
    let mut budget = TextBudget::new(&set.options).or_shortest_with(own.as_ref());
    // The result does not matter: every text has space for one record.
    let _ = take_agent_lines(&mut budget, own.as_ref()) && selection.fit(&mut budget);
    let answered_by = selection.answered_by();
    let mut filtered = RecordSet::new(&set.options);
    // Widening may forbid everything even if all applicable records were lost.
    let is_empty = selection.rules().len() == 0 && selection.extensions().len() == 0;
    let mut report = if answered_by == AnsweredBy::Nobody && is_empty {
        selection.into_report()
    } else {
        add(&mut filtered, agent_lines(selection.agent_line(), own), selection)
    };
    filtered.loose = fitting(single_values(set.loose.clone(), &mut report), &mut budget, &mut report);
    check(&set.options, &report)?;
    report.sort();
    filtered.report = report;
    Ok((filtered, answered_by))
}

/// `[text.one-record]`: the name that the record has next to `*`. A name whose line a reader would cut is none.
pub(crate) fn own_name<'a>(set: &RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy) -> Option<AgentName<'a>> {
    if interest.fallback && !matches!(answered_by, AnsweredBy::Agent(_)) {
        return None;
    }
    let name = AgentName::of(interest.own_token(set.options.agents)?, set.options.agents);
    let line = "User-agent: ".len().saturating_add(name.as_bstr().len());
    (line <= set.options.max_text_line()).then(|| name.into_owned())
}

/// The user-agent lines of a record for one crawler.
pub(crate) fn agent_lines(line: LineNumber, own: Option<AgentName<'_>>) -> impl Iterator<Item = AgentLine<'_>> {
    [AgentName::EVERYONE].into_iter().chain(own).map(move |name| AgentLine { line, name })
}

/// Reserves space for them at the front.
pub(crate) fn take_agent_lines(budget: &mut TextBudget, own: Option<&AgentName<'_>>) -> bool {
    budget.take_agents([&AgentName::EVERYONE].into_iter().chain(own), true)
}

/// [`RecordSet::filter_all`]
fn filter_all<'a>(set: &RecordSet<'a>) -> Result<RecordSet<'a>, Refused> {
    let mut budget = TextBudget::new(&set.options);
    let mut report = set.report.clone();
    let mut all = RecordSet { report: report.emptied(), ..RecordSet::new(&set.options) };
    // Records of different agents may share an agent, so a rule that was widened in one record can lose to an Allow
    // of another.
    let widened = widened_ranks(set.rules.iter());
    // First, so that it fits: other groups can be left out, since what is for `*` is for their agents then.
    if set.is_incomplete && !set.agents.iter().any(|line| line.name.is_everyone()) {
        let everyone = alloc::vec![AgentLine { line: None, name: AgentName::EVERYONE }];
        add_group(&mut all, everyone, Selection::merge(&[], set, None), &mut budget, &mut report);
    }
    for (agents, records) in merged(set) {
        for record in &records {
            let left_out = record.extensions().iter().filter(|line| !record.is_shared(line));
            let kind = FindingKind::ValueNotShared;
            report.extend(left_out.map(|line| Finding { line: line.line, kind, effect: Effect::None }));
        }
        add_group(&mut all, agents, Selection::merge(&records, set, widened), &mut budget, &mut report);
    }
    if all.ranges.is_empty() {
        let _ = take_agent_lines(&mut budget, None) && budget.take_empty_rule();
    }
    all.general = fitting(single_values(set.general.clone(), &mut report), &mut budget, &mut report);
    all.loose = fitting(single_values(set.loose.clone(), &mut report), &mut budget, &mut report);
    all.report = report;
    let whole = all.report();
    check(&set.options, &whole)?;
    match whole.first_loss() {
        Some(finding) if set.options.over_limit == OverLimit::Widen && whole.may_permit_more() => {
            Err(Refused { finding })
        }
        _ => Ok(all),
    }
}

/// Adds a group, if it fits the budget of the text.
fn add_group<'a>(
    all: &mut RecordSet<'a>,
    agents: Vec<AgentLine<'a>>,
    mut merged: Selection<'_, 'a>,
    budget: &mut TextBudget,
    report: &mut Report,
) {
    let line = agents.iter().map(|agent| agent.line).min().flatten();
    // Only a file that is not whole has a group and a name more than were read.
    let limits = all.options.limits;
    let over = match () {
        () if all.ranges.is_empty() => None,
        () if all.ranges.len() >= limits.max_records => Some(FindingKind::TooManyRecords),
        () if all.agents.len().saturating_add(agents.len()) > limits.max_user_agents => {
            Some(FindingKind::TooManyAgents)
        }
        () => None,
    };
    if let Some(kind) = over {
        return report.push(Finding { line, kind, effect: Effect::Either });
    }
    let before = *budget;
    let has_head = budget.take_agents(agents.iter().map(|agent| &agent.name), all.ranges.is_empty());
    if has_head && merged.fit(budget) {
        let found = add(all, agents.into_iter(), merged);
        if let (Some(range), false) = (all.ranges.last_mut(), found.is_empty()) {
            range.report = Some(Box::new(found));
        }
    } else {
        *budget = before;
        report.push(Finding { line, kind: FindingKind::TextTooLong, effect: Effect::Either });
    }
}

/// The records of a set, grouped by their agents. In file order, a record does not move in front of another, which may
/// apply to the same agent.
fn merged<'s, 'a>(set: &'s RecordSet<'a>) -> Vec<(Vec<AgentLine<'a>>, Vec<Record<'s, 'a>>)> {
    let may_move = set.options.precedence == Precedence::LongestMatch;
    let mut groups: Vec<(Vec<AgentLine<'a>>, Vec<Record<'s, 'a>>)> = Vec::new();
    let mut places: BTreeMap<Vec<Vec<u8>>, usize> = BTreeMap::new();
    for record in set.records() {
        let (names, agents) = agents_of(record.agents());
        let last = groups.len().saturating_sub(1);
        let place = places.entry(names).or_insert(groups.len());
        if !may_move && *place < last {
            *place = groups.len();
        }
        match groups.get_mut(*place) {
            Some((_, known)) => known.push(record),
            None => groups.push((agents, alloc::vec![record])),
        }
    }
    groups
}

/// The names of a record in lower case, sorted and without duplicates, and a line for each.
fn agents_of<'a>(agents: &[AgentLine<'a>]) -> (Vec<Vec<u8>>, Vec<AgentLine<'a>>) {
    // Most records have one agent, and a tree costs more than the names.
    if let [agent] = agents {
        return (alloc::vec![agent.name.as_bstr().to_ascii_lowercase()], alloc::vec![agent.clone()]);
    }
    let mut by_name: BTreeMap<Vec<u8>, AgentLine<'a>> = BTreeMap::new();
    for agent in agents {
        by_name.entry(agent.name.as_bstr().to_ascii_lowercase()).or_insert_with(|| agent.clone());
    }
    by_name.into_iter().unzip()
}

/// Adds a record. Returns what was found in it.
fn add<'a>(
    all: &mut RecordSet<'a>,
    agents: impl Iterator<Item = AgentLine<'a>>,
    selection: Selection<'_, 'a>,
) -> Report {
    let starts = (all.agents.len(), all.rules.len(), all.extensions.len());
    all.agents.extend(agents);
    all.rules.extend(selection.rules().cloned());
    // They are for all agents of the record that they are now in.
    let lines = selection.extensions().map(|line| ExtensionLine { block: None, ..line.clone() }).collect();
    let mut report = selection.into_report();
    all.extensions.extend(single_values(lines, &mut report));
    all.ranges.push(Ranges {
        agents: starts.0..all.agents.len(),
        rules: starts.1..all.rules.len(),
        extensions: starts.2..all.extensions.len(),
        report: None,
    });
    report
}

/// Keeps those of the file's own lines that fit into the text, after an empty line.
fn fitting<'a>(lines: Vec<ExtensionLine<'a>>, budget: &mut TextBudget, report: &mut Report) -> Vec<ExtensionLine<'a>> {
    // If the empty line does not fit, no line fits.
    let _ = lines.is_empty() || budget.take_empty_line();
    lines.into_iter().filter(|line| budget.keeps_extension(line, report)).collect()
}

/// Keeps one value of each directive that can have only one: the longest crawl delay, the first host.
pub(crate) fn single_values<'a>(lines: Vec<ExtensionLine<'a>>, report: &mut Report) -> Vec<ExtensionLine<'a>> {
    if !lines.iter().any(|line| matches!(line.directive, Directive::CrawlDelay | Directive::Host)) {
        return lines;
    }
    let longest = lines
        .iter()
        .filter(|line| line.directive == Directive::CrawlDelay)
        .filter_map(|line| Millis::read(&line.value).map(|delay| (delay.as_duration(), core::cmp::Reverse(line.line))))
        .max();
    let mut has_host = false;
    lines
        .into_iter()
        .filter(|line| {
            let stays = match line.directive {
                Directive::CrawlDelay => longest.is_some_and(|(_, kept)| kept.0 == line.line),
                Directive::Host => !core::mem::replace(&mut has_host, true),
                _ => true,
            };
            if !stays {
                report.push(Finding { line: line.line, kind: FindingKind::DuplicateValue, effect: Effect::None });
            }
            stays
        })
        .collect()
}
