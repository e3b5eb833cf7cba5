//! [`RecordSet`] -> [`RecordSet`]: selects what one crawler needs of a file, or sorts all of it.
//!
//! Invariant: for its agents, a filtered set gives the same verdicts as the set it was made from, except for losses
//! that its report names. It is within the limits for one record. Filtering fails only if the caller has requested
//! that.
//!
//! There are two ways to a set for one crawler: [`filter_whole`] changes a set in place, where that is possible, and
//! `filter_into` makes any. The first saves 15 % of the instructions of a run to faithful text, and 8 % to portable text
//! (2,111 real files, callgrind).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Refused;
use crate::limits::OverLimit;
use crate::policy::agent::{AgentName, Interest};
use crate::policy::budget::TextBudget;
use crate::policy::record::{AgentLine, Entry, ExtensionLine, Precedence, Record, RecordSet, Rule};
use crate::policy::select::{
    AnsweredBy, Selection, all_lines_answer, answers, check, may_inherit, who_answers, widened_ranks,
};
use crate::policy::value::Millis;
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::syntax::names::Directive;

/// Makes a set with a single record for `*`, which contains the rules and lines for these agents. If the groups for `*`
/// do not apply to them, it also has their first name. Its text fits into `max_bytes`.
///
/// # Errors
/// Under [`OverLimit::Refuse`], if these agents lose something to a limit. Under [`OverLimit::Widen`], if `Disallow: /`
/// is needed and the limits leave no space for it.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::records::{filter_for, Parser};
/// let set = Parser::default().parse(b"User-agent: Other\nDisallow: /\n\nUser-agent: MyBot\nDisallow: /tmp\n");
/// let (filtered, _) = filter_for(&set, &Interest::new(["MyBot"]))?;
/// let record = filtered.records().next().unwrap();
/// assert!(record.agents()[0].name().is_everyone());
/// assert_eq!(record.rules().len(), 1);
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
pub fn filter_for<'a>(set: &RecordSet<'a>, interest: &Interest) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    filter_into(set, interest, Selection::of(set, interest))
}

/// [`filter_for`] from a selection of the set for these agents.
fn filter_into<'a>(
    set: &RecordSet<'a>,
    interest: &Interest,
    mut selection: Selection<'_, 'a>,
) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    let own = own_name(set, interest, selection.answered_by());
    let mut budget = TextBudget::new(&set.options).or_shortest_with(own.as_ref());
    // The result does not matter: every text has space for one record.
    let _ = take_heads(&mut budget, own.as_ref()) && selection.fit(&mut budget);
    let answered_by = selection.answered_by();
    let line = selection.agent_line().unwrap_or(0);
    let rules: Vec<Rule<'a>> = selection.rules().cloned().collect();
    let lines = for_all_agents(selection.extensions());
    let mut report = selection.into_report();
    let extensions = single_values(lines, &mut report);
    let loose = fitting(single_values(set.loose.clone(), &mut report), &mut budget, &mut report);
    check(&set.options, &report)?;
    report.sort();

    // Widening may forbid everything even if all applicable records were lost.
    let is_empty = answered_by == AnsweredBy::Nobody && rules.is_empty() && extensions.is_empty();
    let agents: Vec<AgentLine<'a>> = heads(line, own).filter(|_| !is_empty).collect();
    let entry = Entry { agents: 0..agents.len(), rules: 0..rules.len(), extensions: 0..extensions.len(), report: None };
    let entries = alloc::vec![entry; usize::from(!is_empty)];
    let filtered = RecordSet::new(&set.options);
    Ok((RecordSet { agents, rules, extensions, entries, loose, report, ..filtered }, answered_by))
}

/// [`filter_for`] of a set that is not needed any more. If nothing in the records that apply is left out, as in most
/// files, the set is changed in place.
pub(crate) fn filter_whole(
    set: &mut RecordSet<'_>,
    interest: &Interest,
    bytes_read: usize,
) -> Result<AnsweredBy, Refused> {
    let answered_by = who_answers(set, interest);
    let own = own_name(set, interest, answered_by);
    if !keeps_all(own.as_ref(), set, interest, answered_by, bytes_read) {
        let (filtered, answered_by) = filter_into(set, interest, Selection::of(set, interest))?;
        *set = filtered;
        return Ok(answered_by);
    }
    let mut entries = core::mem::take(&mut set.entries);
    if entries.len() > 1 || answered_by == AnsweredBy::Nobody {
        entries.retain(|entry| answers(&Record::of(set, entry), interest, answered_by));
        keep_ranges(&mut set.rules, entries.iter().map(|entry| entry.rules.clone()));
        keep_ranges(&mut set.extensions, entries.iter().map(|entry| entry.extensions.clone()));
        set.rules.retain(|rule| !rule.pattern.is_empty());
    } else if set.rules.first().is_some_and(|rule| rule.pattern.is_empty()) {
        // The parser keeps an empty rule at the front only, where it shows that the record has one.
        set.rules.remove(0);
    }
    let line = entries.first().and_then(|entry| set.agents.get(entry.agents.start)).map_or(0, |agent| agent.line);
    let lost = set.lost.iter().filter(|(place, _)| *place <= answered_by.place()).map(|(_, report)| report);
    let found = lost.chain(entries.iter().filter_map(|entry| entry.report.as_ref()));
    set.report.absorb_all(found.map(|report| &**report));
    set.lost.clear();
    entries.clear();
    set.entries = entries;
    set.extensions.iter_mut().for_each(|line| line.block = None);
    set.extensions = single_values(core::mem::take(&mut set.extensions), &mut set.report);
    set.loose = single_values(core::mem::take(&mut set.loose), &mut set.report);
    set.report.sort();
    set.agents.clear();
    if answered_by != AnsweredBy::Nobody {
        set.agents.extend(heads(line, own));
        let (rules, extensions) = (0..set.rules.len(), 0..set.extensions.len());
        set.entries.push(Entry { agents: 0..set.agents.len(), rules, extensions, report: None });
    }
    set.read_for = None;
    set.is_incomplete = false;
    Ok(answered_by)
}

/// Whether the result contains everything in the records that apply, and all lines of the file.
fn keeps_all(
    own: Option<&AgentName<'_>>,
    set: &RecordSet<'_>,
    interest: &Interest,
    answered_by: AnsweredBy,
    bytes_read: usize,
) -> bool {
    let budget = TextBudget::new(&set.options).or_shortest_with(own);
    let mut ample = budget;
    let is_ample = ample.take_ample(set.rules.len(), bytes_read);
    let budget = if is_ample { ample } else { budget };
    // What is dropped only has to be reported.
    let is_told = set.options.over_limit == OverLimit::Drop
        || set.lost.is_empty()
            && set.report.is_exact()
            && set.records().all(|record| record.report().is_none_or(Report::is_exact));
    let is_clear = !interest.agents.has_doubt() && interest.agents.unnamed().is_none() && !set.is_incomplete;
    if !is_told || !is_clear || set.read_for.as_deref() != Some(interest) || may_inherit(set, interest, answered_by) {
        return false;
    }
    if set.entries.len() == 1 && answered_by != AnsweredBy::Nobody {
        return set.records().all(|record| all_lines_answer(&record, interest, answered_by))
            && all_fits(budget, own, is_ample, set.rules.iter(), set.extensions.iter(), &set.loose);
    }
    let records = || set.records().filter(|record| answers(record, interest, answered_by));
    let (rules, extensions) =
        (|| records().flat_map(|record| record.rules()), || records().flat_map(|record| record.extensions()));
    let lines = rules().filter(|rule| !rule.pattern.is_empty()).count().saturating_add(extensions().count());
    lines <= set.options.limits().max_lines
        && records().all(|record| all_lines_answer(&record, interest, answered_by))
        && all_fits(budget, own, is_ample, rules(), extensions(), &set.loose)
}

/// Whether the text of a single record can contain all these lines. Space for the rules may be reserved already.
#[inline]
fn all_fits<'s, 'a: 's>(
    mut budget: TextBudget,
    own: Option<&AgentName<'_>>,
    is_reserved: bool,
    rules: impl Iterator<Item = &'s Rule<'a>>,
    mut extensions: impl Iterator<Item = &'s ExtensionLine<'a>>,
    loose: &[ExtensionLine<'_>],
) -> bool {
    let mut rules = rules.filter(|rule| !rule.pattern.is_empty()).peekable();
    let has_rules = rules.peek().is_some();
    take_heads(&mut budget, own)
        && (is_reserved || rules.all(|rule| budget.take_rule(rule).is_none()))
        && (has_rules || budget.take_empty_rule())
        && extensions.all(|line| budget.take_extension(line).is_none())
        && (loose.is_empty() || budget.take_empty_line())
        && loose.iter().all(|line| budget.take_extension(line).is_none())
}

/// Removes all items outside these ranges, which are in order.
fn keep_ranges<T>(items: &mut Vec<T>, mut ranges: impl Iterator<Item = Range<usize>>) {
    let mut range = 0..0;
    let mut places = 0_usize..;
    items.retain(|_| {
        places.next().is_some_and(|place| {
            while place >= range.end
                && let Some(next) = ranges.next()
            {
                range = next;
            }
            range.contains(&place)
        })
    });
}

/// `[text.one-record]`: the name that the record has next to `*`. A name whose line a reader would cut is none.
fn own_name<'a>(set: &RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy) -> Option<AgentName<'a>> {
    if interest.fallback && !matches!(answered_by, AnsweredBy::Agent(_)) {
        return None;
    }
    let name = AgentName::of(interest.own_name(set.options.agents)?, set.options.agents);
    let line = "User-agent: ".len().saturating_add(name.as_bstr().len());
    (line <= set.options.max_text_line()).then(|| name.into_owned())
}

/// The user-agent lines of a record for one crawler.
fn heads(line: u32, own: Option<AgentName<'_>>) -> impl Iterator<Item = AgentLine<'_>> {
    [AgentName::EVERYONE].into_iter().chain(own).map(move |name| AgentLine { line, name })
}

/// Reserves space for them at the front.
fn take_heads(budget: &mut TextBudget, own: Option<&AgentName<'_>>) -> bool {
    budget.take_agents([&AgentName::EVERYONE].into_iter().chain(own), true)
}

/// Makes the set of all records. Records of the same agents are merged into one, with the values that are for all of
/// its agents.
///
/// Records of different agents stay separate, even if they share an agent. By the standard, readers merge them.
/// Writing out the rules of each agent could make the size grow with the square of the file.
///
/// # Errors
/// As [`filter_for`], for the whole file. Widening cannot compensate for lost records, so the file is refused then.
pub fn filter_all<'a>(set: &RecordSet<'a>) -> Result<RecordSet<'a>, Refused> {
    let mut budget = TextBudget::new(&set.options);
    let mut report = set.report.clone();
    let mut all = RecordSet { report: report.emptied(), ..RecordSet::new(&set.options) };
    // Records of different agents may share an agent, so a rule that was widened in one record can lose to an Allow
    // of another.
    let widened = widened_ranks(set.rules.iter());
    // First, so that it fits: other groups can be left out, since what is for `*` is for their agents then.
    if set.is_incomplete && !set.agents.iter().any(|line| line.name.is_everyone()) {
        let everyone = alloc::vec![AgentLine { line: 0, name: AgentName::EVERYONE }];
        add_group(&mut all, everyone, Selection::unknown(set), &mut budget, &mut report);
    }
    for (agents, records) in merged(set) {
        for record in &records {
            let left_out = record.extensions().iter().filter(|line| !record.is_shared(line));
            let kind = FindingKind::ValueNotShared;
            report.extend(left_out.map(|line| Finding { line: line.line, kind, effect: Effect::None }));
        }
        add_group(&mut all, agents, Selection::merge(&records, set, widened), &mut budget, &mut report);
    }
    if all.entries.is_empty() {
        let _ = take_heads(&mut budget, None) && budget.take_empty_rule();
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
    let line = agents.iter().map(|agent| agent.line).min().unwrap_or(0);
    // Only a file that is not whole has a group and a name more than were read.
    let limits = all.options.limits();
    let over = match () {
        () if all.entries.is_empty() => None,
        () if all.entries.len() >= limits.max_records => Some(FindingKind::TooManyRecords),
        () if all.agents.len().saturating_add(agents.len()) > limits.max_user_agents => {
            Some(FindingKind::TooManyAgents)
        }
        () => None,
    };
    if let Some(kind) = over {
        return report.push(Finding { line, kind, effect: Effect::Either });
    }
    let before = *budget;
    let has_head = budget.take_agents(agents.iter().map(|agent| &agent.name), all.entries.is_empty());
    if has_head && merged.fit(budget) {
        add(all, agents, merged);
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
    // Most records have one agent.
    if let [agent] = agents {
        return (alloc::vec![agent.name.as_bstr().to_ascii_lowercase()], alloc::vec![agent.clone()]);
    }
    let mut by_name: BTreeMap<Vec<u8>, AgentLine<'a>> = BTreeMap::new();
    for agent in agents {
        by_name.entry(agent.name.as_bstr().to_ascii_lowercase()).or_insert_with(|| agent.clone());
    }
    let mut names = Vec::with_capacity(by_name.len());
    let mut lines = Vec::with_capacity(by_name.len());
    for (name, line) in by_name {
        names.push(name);
        lines.push(line);
    }
    (names, lines)
}

/// Adds a record.
fn add<'a>(all: &mut RecordSet<'a>, agents: Vec<AgentLine<'a>>, selection: Selection<'_, 'a>) {
    let starts = (all.agents.len(), all.rules.len(), all.extensions.len());
    all.agents.extend(agents);
    all.rules.extend(selection.rules().cloned());
    let lines = for_all_agents(selection.extensions());
    let mut report = selection.into_report();
    all.extensions.extend(single_values(lines, &mut report));
    all.entries.push(Entry {
        agents: starts.0..all.agents.len(),
        rules: starts.1..all.rules.len(),
        extensions: starts.2..all.extensions.len(),
        report: (!report.is_empty()).then(|| Box::new(report)),
    });
}

/// The lines of a selection, for all agents of the record that they are now in.
fn for_all_agents<'l, 'a: 'l>(lines: impl Iterator<Item = &'l ExtensionLine<'a>>) -> Vec<ExtensionLine<'a>> {
    lines.map(|line| ExtensionLine { block: None, ..line.clone() }).collect()
}

/// Keeps those of the file's own lines that fit into the text, after an empty line.
fn fitting<'a>(lines: Vec<ExtensionLine<'a>>, budget: &mut TextBudget, report: &mut Report) -> Vec<ExtensionLine<'a>> {
    // If the empty line does not fit, no line fits.
    let _ = lines.is_empty() || budget.take_empty_line();
    let fits = |line: &ExtensionLine<'a>| {
        let kind = budget.take_extension(line);
        report.extend(kind.map(|kind| Finding { line: line.line, kind, effect: Effect::None }));
        kind.is_none()
    };
    lines.into_iter().filter(fits).collect()
}

/// Keeps one value of each directive that can have only one: the longest crawl delay, the first host.
fn single_values<'a>(lines: Vec<ExtensionLine<'a>>, report: &mut Report) -> Vec<ExtensionLine<'a>> {
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
