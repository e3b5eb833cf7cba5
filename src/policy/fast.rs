//! [`RecordSet::filter_for`] in place.
//!
//! Invariant: the set is that of `filter_into`. Where nothing in the records that apply is left out, as in most files,
//! the set is changed in place; otherwise `filter_into` makes it. `tests/properties/parsing.rs` compares both. It saves 15 %
//! of the instructions of a run to faithful text, and 8 % to portable text (2,111 real files, callgrind).

use alloc::vec::Vec;
use core::ops::Range;

use crate::limits::OverLimit;
use crate::policy::agent::{AgentName, Interest};
use crate::policy::budget::TextBudget;
use crate::policy::filter::{agent_lines, filter_into, own_name, single_values, take_agent_lines};
use crate::policy::record::{ExtensionLine, Ranges, Record, RecordSet, Rule};
use crate::policy::select::{AnsweredBy, Selection, all_lines_answer, answers, may_inherit, who_answers};
use crate::report::Report;
use crate::report::finding::Refused;

/// [`RecordSet::filter_for`] of a set that is not needed any more. If nothing in the records that apply is left out, as
/// in most files, the set is changed in place.
pub(crate) fn filter_whole(
    set: &mut RecordSet<'_>,
    interest: &Interest,
    bytes_read: usize,
) -> Result<AnsweredBy, Refused> {
    let answered_by = who_answers(set, interest);
    let own = own_name(set, interest, answered_by);
    if !keeps_all(own.as_ref(), set, interest, answered_by, bytes_read) {
        let (filtered, answered_by) = filter_into(set, interest, Selection::answered(set, interest, answered_by))?;
        *set = filtered;
        return Ok(answered_by);
    }
    let mut ranges = core::mem::take(&mut set.ranges);
    if ranges.len() > 1 || answered_by == AnsweredBy::Nobody {
        ranges.retain(|range| answers(&Record::of(set, range), interest, answered_by));
        keep_ranges(&mut set.rules, ranges.iter().map(|range| range.rules.clone()));
        keep_ranges(&mut set.extensions, ranges.iter().map(|range| range.extensions.clone()));
        set.rules.retain(|rule| !rule.pattern.is_empty());
    } else if set.rules.first().is_some_and(|rule| rule.pattern.is_empty()) {
        // The parser keeps an empty rule at the front only, where it shows that the record has one.
        set.rules.remove(0);
    }
    let line = ranges.first().and_then(|range| set.agents.get(range.agents.start)).and_then(|agent| agent.line);
    let lost = set.lost.iter().filter(|(place, _)| *place <= answered_by.preference()).map(|(_, report)| report);
    let found = lost.chain(ranges.iter().filter_map(|range| range.report.as_ref()));
    set.report.absorb_all(found.map(|report| &**report));
    set.lost.clear();
    ranges.clear();
    set.ranges = ranges;
    set.extensions.iter_mut().for_each(|line| line.block = None);
    set.extensions = single_values(core::mem::take(&mut set.extensions), &mut set.report);
    set.loose = single_values(core::mem::take(&mut set.loose), &mut set.report);
    set.report.sort();
    set.agents.clear();
    // Those that are for the agent are in the record: here they would be none.
    set.general.clear();
    if answered_by != AnsweredBy::Nobody {
        set.agents.extend(agent_lines(line, own));
        let (rules, extensions) = (0..set.rules.len(), 0..set.extensions.len());
        set.ranges.push(Ranges { agents: 0..set.agents.len(), rules, extensions, report: None });
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
    let may_lose = set.options.over_limit == OverLimit::Drop
        || set.lost.is_empty()
            && set.report.is_exact()
            && set.records().all(|record| record.report().is_none_or(Report::is_exact));
    let is_clear = !interest.agents.has_doubt() && interest.agents.unnamed().is_none() && !set.is_incomplete;
    if !may_lose || !is_clear || set.read_for.as_deref() != Some(interest) || may_inherit(set, interest, answered_by) {
        return false;
    }
    if set.ranges.len() == 1 && answered_by != AnsweredBy::Nobody {
        return set.records().all(|record| all_lines_answer(&record, interest, answered_by))
            && all_fits(budget, own, is_ample, set.rules.iter(), set.extensions.iter(), &set.loose);
    }
    let records = || set.records().filter(|record| answers(record, interest, answered_by));
    let (rules, extensions) =
        (|| records().flat_map(|record| record.rules()), || records().flat_map(|record| record.extensions()));
    let lines = rules().filter(|rule| !rule.pattern.is_empty()).count().saturating_add(extensions().count());
    lines <= set.options.limits.max_lines
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
    take_agent_lines(&mut budget, own)
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
