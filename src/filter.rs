//! [`RecordSet`] -> [`RecordSet`]: what one crawler needs of a file, or all of it in order.
//!
//! Invariant: a filtered set answers for its agents as the set it was made from, but for losses that its report names; it
//! is within the limits for one record. Filtering fails only where the caller asked for that.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::agent::{AgentName, Interest};
use crate::directive::Directive;
use crate::error::Refused;
use crate::limits::OverLimit;
use crate::record::{AgentLine, Entry, Extension, Precedence, Reading, Record, RecordSet, Rule};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::room::TextRoom;
use crate::select::{AnsweredBy, Selection, answers_alone, widened_ranks};
use crate::value::CrawlDelay;

/// Makes the set of a single record for `*` that says to everyone what the set says to these agents. Its text has room in
/// `max_bytes` where lines end with LF; [`Sieve`](crate::Sieve) sees to other line ends.
///
/// # Errors
/// Under [`OverLimit::Refuse`] if a limit cost these agents something; under [`OverLimit::Widen`] if the limits leave no room
/// for `Disallow: /` where that is needed.
///
/// ```
/// use robosieve::{Agents, Interest, Parser, filter_for};
/// let set = Parser::default().parse(b"User-agent: Other\nDisallow: /\n\nUser-agent: MyBot\nDisallow: /tmp\n");
/// let (filtered, _) = filter_for(&set, &Interest { agents: Agents::new(["MyBot"]), fallback: true })?;
/// let record = filtered.records().next().unwrap();
/// assert!(record.agents()[0].name().is_everyone());
/// assert_eq!(record.rules().len(), 1);
/// # Ok::<(), robosieve::Refused>(())
/// ```
pub fn filter_for<'a>(set: &RecordSet<'a>, interest: &Interest) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    filter_into(TextRoom::new(&set.reading), set, interest)
}

/// The same, for a text that has this room.
fn filter_into<'a>(
    mut room: TextRoom,
    set: &RecordSet<'a>,
    interest: &Interest,
) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    let mut selection = Selection::of(set, interest);
    // Any text has room for one record.
    let _ = take_everyone(&mut room) && selection.fit(&mut room, &set.reading);
    let answered_by = selection.answered_by();
    let line = selection.agent_line().unwrap_or(0);
    let rules: Vec<Rule<'a>> = selection.rules().cloned().collect();
    let lines: Vec<Extension<'a>> = selection.extensions().cloned().collect();
    let mut report = selection.into_report();
    let extensions = single_values(lines, &mut report);
    let loose = fitting(single_values(set.loose.clone(), &mut report), &mut room, &mut report);
    check(&set.reading, &report)?;
    report.sort();

    // Widening may forbid everything where all that would have answered was lost.
    let is_empty = answered_by == AnsweredBy::Nobody && rules.is_empty();
    let count = usize::from(!is_empty);
    let agents = alloc::vec![AgentLine { line, name: AgentName::EVERYONE }; count];
    let entry = Entry { agents: 0..count, rules: 0..rules.len(), extensions: 0..extensions.len(), report: None };
    let entries = alloc::vec![entry; count];
    let reading = set.reading;
    Ok((RecordSet { reading, agents, rules, extensions, entries, loose, report, ..RecordSet::default() }, answered_by))
}

/// [`filter_for`] of a set that is not needed any more. Where a single record is all there is, and all of it stays, as in most
/// files, nothing is copied.
pub(crate) fn filter_whole(
    room: TextRoom,
    set: &mut RecordSet<'_>,
    interest: &Interest,
) -> Result<AnsweredBy, Refused> {
    let Some((answered_by, line)) = sole_answer(room, set, interest) else {
        let (filtered, answered_by) = filter_into(room, set, interest)?;
        *set = filtered;
        return Ok(answered_by);
    };
    if let Some(found) = set.entries.drain(..).find_map(|entry| entry.report) {
        set.report.absorb(&found);
    }
    // An empty rule is kept at the front only, where it shows that the record has one.
    if set.rules.first().is_some_and(|rule| rule.pattern.is_empty()) {
        set.rules.remove(0);
    }
    set.extensions = single_values(core::mem::take(&mut set.extensions), &mut set.report);
    set.loose = single_values(core::mem::take(&mut set.loose), &mut set.report);
    set.report.sort();
    set.agents.clear();
    set.agents.push(AgentLine { line, name: AgentName::EVERYONE });
    let (rules, extensions) = (0..set.rules.len(), 0..set.extensions.len());
    set.entries.push(Entry { agents: 0..1, rules, extensions, report: None });
    set.read_for = None;
    Ok(answered_by)
}

/// Who answers and at what line, if one record does, nothing was lost, and a text has room for all there is.
fn sole_answer(mut room: TextRoom, set: &RecordSet<'_>, interest: &Interest) -> Option<(AnsweredBy, u32)> {
    let mut records = set.records();
    let (Some(record), None) = (records.next(), records.next()) else { return None };
    // What is dropped asks for no more than to be told.
    let is_told = set.reading.over_limit == OverLimit::Drop
        || set.report.is_exact() && record.report().is_none_or(Report::is_exact);
    if !is_told || !set.lost.is_empty() || set.read_for.as_deref() != Some(interest) {
        return None;
    }
    let answered_by = answers_alone(&record, interest);
    (has_room_for_all(&mut room, set) && answered_by != AnsweredBy::Nobody)
        .then(|| (answered_by, record.agents().first().map_or(0, |agent| agent.line)))
}

/// Whether the text of a set of one record has room for all there is.
fn has_room_for_all(room: &mut TextRoom, set: &RecordSet<'_>) -> bool {
    let mut rules = set.rules.iter().filter(|rule| !rule.pattern.is_empty()).peekable();
    let has_rules = rules.peek().is_some();
    take_everyone(room)
        && rules.all(|rule| room.take_rule(rule).is_none())
        && (has_rules || room.take_empty_rule())
        && set.extensions.iter().all(|line| room.take_extension(line).is_none())
        && (set.loose.is_empty() || room.take_empty_line())
        && set.loose.iter().all(|line| room.take_extension(line).is_none())
}

/// Takes the room of `User-agent: *` at the front.
fn take_everyone(room: &mut TextRoom) -> bool {
    room.take_agents([&AgentName::EVERYONE].into_iter(), true)
}

/// Makes the set of all records, where records of the same agents are one.
///
/// Records of different agents stay apart, also where they share an agent: the standard has readers merge them, and
/// writing each agent's rules out could grow with the square of the file.
///
/// # Errors
/// As [`filter_for`], for the whole file; widening can't make up for lost records, so it is refused then.
pub fn filter_all<'a>(set: &RecordSet<'a>) -> Result<RecordSet<'a>, Refused> {
    filter_all_into(TextRoom::new(&set.reading), set)
}

/// The same, for a text that has this room.
pub(crate) fn filter_all_into<'a>(mut room: TextRoom, set: &RecordSet<'a>) -> Result<RecordSet<'a>, Refused> {
    let mut report = set.report.clone();
    let mut merged: Vec<(Vec<AgentLine<'a>>, Vec<Record<'_, 'a>>)> = Vec::new();
    let mut places: BTreeMap<Vec<Vec<u8>>, usize> = BTreeMap::new();
    for record in set.records() {
        let (names, lines) = agents_of(&record);
        // Where the first match decides, a record may not move in front of another that speaks to the same agent.
        let may_move = set.reading.precedence == Precedence::LongestMatch;
        let last = merged.len().saturating_sub(1);
        let place = places.entry(names).or_insert(merged.len());
        if !may_move && *place < last {
            *place = merged.len();
        }
        let place = *place;
        match merged.get_mut(place) {
            Some((_, records)) => records.push(record),
            None => merged.push((lines, alloc::vec![record])),
        }
    }
    // What follows does not look for names.
    drop(places);
    let mut all = RecordSet { reading: set.reading, ..RecordSet::default() };
    // Records of different agents may share one, so a rule widened in any record can lose to an Allow of another.
    let widened = widened_ranks(set.rules.iter());
    all.report = report.emptied();
    for (agents, records) in merged {
        let before = room;
        let mut merged = Selection::merge(&records, &all, widened);
        let has_head = room.take_agents(agents.iter().map(|agent| &agent.name), all.entries.is_empty());
        if has_head && merged.fit(&mut room, &set.reading) {
            add(&mut all, agents, merged);
        } else {
            room = before;
            let line = agents.iter().map(|agent| agent.line).min().unwrap_or(0);
            report.push(Finding { line, kind: FindingKind::TextTooLong, effect: Effect::Either });
        }
    }
    if all.entries.is_empty() {
        let _ = take_everyone(&mut room) && room.take_empty_rule();
    }
    all.loose = fitting(single_values(set.loose.clone(), &mut report), &mut room, &mut report);
    all.report = report;
    let whole = all.report();
    check(&set.reading, &whole)?;
    match whole.first_loss() {
        Some(finding) if set.reading.over_limit == OverLimit::Widen && whole.may_permit_more() => {
            Err(Refused { finding })
        }
        _ => Ok(all),
    }
}

/// The names of a record in order, each once, in lower case; and a line for each.
fn agents_of<'a>(record: &Record<'_, 'a>) -> (Vec<Vec<u8>>, Vec<AgentLine<'a>>) {
    let mut by_name: BTreeMap<Vec<u8>, AgentLine<'a>> = BTreeMap::new();
    for agent in record.agents() {
        by_name.entry(agent.name.as_bstr().to_ascii_lowercase()).or_insert_with(|| agent.clone());
    }
    // Most records have one: a vector that grows takes room for four.
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
    let lines: Vec<Extension<'a>> = selection.extensions().cloned().collect();
    let mut report = selection.into_report();
    all.extensions.extend(single_values(lines, &mut report));
    all.entries.push(Entry {
        agents: starts.0..all.agents.len(),
        rules: starts.1..all.rules.len(),
        extensions: starts.2..all.extensions.len(),
        report: (report.total() > 0).then(|| Box::new(report)),
    });
}

/// Leaves the file's own lines that the text has room for, behind an empty line.
fn fitting<'a>(lines: Vec<Extension<'a>>, room: &mut TextRoom, report: &mut Report) -> Vec<Extension<'a>> {
    // Without room for that, there is none for a line.
    let _ = lines.is_empty() || room.take_empty_line();
    let fits = |line: &Extension<'a>| {
        let kind = room.take_extension(line);
        report.extend(kind.map(|kind| Finding { line: line.line, kind, effect: Effect::None }));
        kind.is_none()
    };
    lines.into_iter().filter(fits).collect()
}

/// Leaves one of each line that says the same twice, and one value where there can be one: the longest crawl delay, the
/// first host.
fn single_values<'a>(lines: Vec<Extension<'a>>, report: &mut Report) -> Vec<Extension<'a>> {
    if !lines.iter().any(|line| matches!(line.directive, Directive::CrawlDelay | Directive::Host)) {
        return lines;
    }
    let longest = lines
        .iter()
        .filter(|line| line.directive == Directive::CrawlDelay)
        .filter_map(|line| {
            CrawlDelay::read(&line.value).map(|delay| (delay.as_duration(), core::cmp::Reverse(line.line)))
        })
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

/// `[over-limit.refuse]`, and widening where nothing can be written.
fn check(reading: &Reading, report: &Report) -> Result<(), Refused> {
    let Some(finding) = report.first_loss() else { return Ok(()) };
    let no_room = reading.max_lines == 0 || reading.max_value_length == 0;
    match reading.over_limit {
        OverLimit::Refuse => Err(Refused { finding }),
        OverLimit::Widen if no_room && report.may_permit_more() => Err(Refused { finding }),
        _ => Ok(()),
    }
}
