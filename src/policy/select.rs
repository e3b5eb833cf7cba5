//! Selects the records of a set that apply to an agent, and merges them.
//!
//! Invariant: a [`Selection`] is what the standard merges: the rules and lines of all records of one agent, in file
//! order, within the limits of one record. Filter and tester both use it, so they cannot disagree.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::limits::OverLimit;
use crate::policy::agent::{AgentName, Interest};
use crate::policy::budget::TextBudget;
use crate::policy::content_use::restricting;
use crate::policy::doubt::Doubt;
use crate::policy::options::{Options, Precedence};
use crate::policy::record::{DISALLOW_ALL, ExtensionLine, Record, RecordSet, Rule};
use crate::policy::values::AgentValues;
use crate::report::finding::Refused;
use crate::report::{Effect, Finding, FindingKind, LineNumber, Report};
use crate::syntax::names::{Directive, RuleKind};

/// Which records apply to the requested agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum AnsweredBy {
    /// Records that name the agent at this place of the list.
    Agent(usize),
    /// The records for `*`.
    Everyone,
    /// No record: every URL is allowed.
    Nobody,
}

impl AnsweredBy {
    /// The preference. If no record applies, that of `*`: its records might have applied.
    pub(crate) const fn preference(self) -> usize {
        match self {
            Self::Agent(preference) => preference,
            Self::Everyone | Self::Nobody => Interest::EVERYONE,
        }
    }
}

/// The rules and lines that apply to an agent.
#[derive(Clone, Debug)]
pub struct Selection<'s, 'a> {
    pub(crate) options: &'s Arc<Options>,
    /// The lines of one record that count, rules and others.
    max_lines: usize,
    /// The file's own lines.
    pub(crate) of_file: &'s [ExtensionLine<'a>],
    pub(crate) rules: Vec<&'s Rule<'a>>,
    pub(crate) extensions: Vec<&'s ExtensionLine<'a>>,
    /// Lines of others that are also for the agent: see [`inherited`].
    inherited: Vec<ExtensionLine<'a>>,
    answered_by: AnsweredBy,
    agent_line: Option<NonZeroU32>,
    /// Whether the file ends before any rule for the agent.
    is_incomplete: bool,
    report: Report,
}

/// A record, and its other lines for some of its agents, in file order.
type Applied<'s, 'a> = (Record<'s, 'a>, Vec<&'s ExtensionLine<'a>>);

impl<'s, 'a> Selection<'s, 'a> {
    /// Selects the records of the first agent that has any, or else those for `*`.
    #[must_use]
    pub fn of(set: &'s RecordSet<'a>, interest: &Interest) -> Self {
        Self::answered(set, interest, who_answers(set, interest))
    }

    /// [`Selection::of`], where it is known who answers.
    pub(crate) fn answered(set: &'s RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy) -> Self {
        Self::reported_in(set.report.emptied(), set, interest, answered_by, set.options.limits.max_lines)
    }

    /// The selection for a tester: without details of findings, and with all lines of the set. `max_lines` is a limit of
    /// texts.
    pub(crate) fn of_rules(set: &'s RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy) -> Self {
        Self::reported_in(Report::new(0), set, interest, answered_by, usize::MAX)
    }

    /// Selects, and adds the findings to this report. A doubt comes first: with it, the groups for `*` count too, and the
    /// losses of all agents. Then the losses that could have changed the choice, the lines, and what is inherited.
    fn reported_in(
        mut report: Report,
        set: &'s RecordSet<'a>,
        interest: &Interest,
        answered_by: AnsweredBy,
        max_lines: usize,
    ) -> Self {
        let mut records: Vec<_> = set.records().filter(|record| answers(record, interest, answered_by)).collect();
        let everyones = set.records().filter(is_everyones);
        let doubt = Doubt::of(&records, everyones, interest, answered_by.preference(), &set.options);
        if doubt.as_ref().is_some_and(|doubt| doubt.has_everyone) {
            records = set.records().filter(|one| answers(one, interest, answered_by) || is_everyones(one)).collect();
        }
        let agent_line = records.first().and_then(|record| record.agents().first()).and_then(|agent| agent.line);
        // Also adds losses of agents that would have been selected instead of these, or with them.
        let counted = if doubt.is_some() { Interest::EVERYONE } else { answered_by.preference() };
        let lost = set.lost.iter().filter(|(preference, _)| *preference <= counted);
        report.absorb_all([&set.report].into_iter().chain(lost.map(|(_, report)| &**report)));
        if set.read_for.as_ref().is_some_and(|read_for| **read_for != *interest) {
            report.push(Finding { line: None, kind: FindingKind::ReadForOthers, effect: Effect::Either });
        }
        if interest.agents.unnamed().is_some() {
            report.push(Finding { line: None, kind: FindingKind::AgentUnnamed, effect: Effect::Either });
        }
        let is_unknown = set.is_incomplete && records.iter().all(|record| record.rules().is_empty());
        let one = |record| (record, values_that_answer(&record, interest, answered_by).collect());
        let applied: Vec<Applied<'s, 'a>> = records.into_iter().map(one).collect();
        let from = Self { answered_by, agent_line, of_file: &set.loose, ..Self::nothing(report, set, max_lines) };
        let selection = from.with(&applied, None);
        let selection = match doubt {
            _ if is_unknown => selection.unknown_rules(),
            Some(doubt) => selection.strict(&doubt),
            None => selection,
        };
        selection.with_inherited(set, interest)
    }

    /// `[input.incomplete]`: no rule for the agent is known.
    fn unknown_rules(mut self) -> Self {
        self.is_incomplete = true;
        self.rules = alloc::vec![&DISALLOW_ALL];
        self.lose(None, FindingKind::GroupIncomplete, Effect::MoreRestrictive);
        self.report.sort();
        self
    }

    /// `[agent.doubt]`: leaves out what one of the groups does not permit.
    fn strict(mut self, doubt: &Doubt<'s, 'a>) -> Self {
        self.rules.retain(|rule| doubt.keeps(rule));
        for side in doubt.sides.iter().skip(1) {
            self.lose(side.line(), FindingKind::AgentInDoubt, Effect::MoreRestrictive);
        }
        self.report.sort();
        self
    }

    /// Adds the lines of others that are also for the agent.
    fn with_inherited(mut self, set: &'s RecordSet<'a>, interest: &Interest) -> Self {
        self.inherited = inherited(set, interest, self.answered_by, &self.extensions);
        let room = self.max_lines.saturating_sub(self.rules.len().saturating_add(self.extensions.len()));
        while self.inherited.len() > room
            && let Some(lost) = self.inherited.pop()
        {
            self.lose(lost.line, FindingKind::TooManyLines, Effect::None);
        }
        self
    }

    /// Merges these records, with the values that are for all of their agents.
    pub(crate) fn merge(records: &[Record<'s, 'a>], set: &'s RecordSet<'a>, widened: Widened) -> Self {
        let shared =
            |record: &Record<'s, 'a>| record.extensions().iter().filter(|line| record.is_shared(line)).collect();
        let applied: Vec<Applied<'s, 'a>> = records.iter().map(|record| (*record, shared(record))).collect();
        let nothing = Self::nothing(set.report.emptied(), set, set.options.limits.max_lines);
        let selection = nothing.with(&applied, widened);
        let is_unknown = set.is_incomplete && records.iter().all(|record| record.rules().is_empty());
        if is_unknown { selection.unknown_rules() } else { selection }
    }

    fn nothing(report: Report, set: &'s RecordSet<'a>, max_lines: usize) -> Self {
        Self {
            options: &set.options,
            max_lines,
            of_file: &[],
            rules: Vec::new(),
            extensions: Vec::new(),
            inherited: Vec::new(),
            answered_by: AnsweredBy::Nobody,
            agent_line: None,
            is_incomplete: false,
            report,
        }
    }

    fn with(mut self, applied: &[Applied<'s, 'a>], widened: Widened) -> Self {
        let options = self.options;
        self.report.absorb_all(applied.iter().filter_map(|(record, _)| record.report()));
        for (record, values) in applied {
            self.add(record.rules(), values);
        }
        let among = widened.or_else(|| widened_ranks(self.rules.iter().copied()));
        if options.precedence == Precedence::LongestMatch {
            self.drop_outranked(among, options);
        }
        if options.over_limit == OverLimit::Widen && self.may_permit_more() {
            self.disallow_everything();
        }
        self.report.sort();
        self
    }

    /// The options of the set that it was selected from.
    #[must_use]
    pub fn options(&self) -> &'s Options {
        self.options
    }

    /// Which records apply.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// The rules, in file order.
    #[must_use]
    pub fn rules(&self) -> impl ExactSizeIterator<Item = &'s Rule<'a>> + '_ {
        self.rules.iter().copied()
    }

    /// The other lines for the selected agent, in file order: those of its records, and those of others that are also
    /// for it (`[value.everybody]`, `[usage.inherited]`). Of the latter only what restricts is left.
    #[must_use]
    pub fn extensions(&self) -> impl ExactSizeIterator<Item = &ExtensionLine<'a>> {
        let mut lines: Vec<&ExtensionLine<'a>> = self.extensions.iter().copied().chain(&self.inherited).collect();
        if !self.inherited.is_empty() {
            lines.sort_by_key(|line| line.line);
        }
        lines.into_iter()
    }

    /// The other lines for the selected agent, typed.
    #[must_use]
    pub fn values(&self) -> AgentValues<'_, 'a> {
        self.extensions().collect()
    }

    /// The first user-agent line of the selected records.
    #[must_use]
    pub const fn agent_line(&self) -> Option<NonZeroU32> {
        self.agent_line
    }

    /// Whether the bytes were not the whole file and end before any rule for the agent: `[input.incomplete]`.
    #[must_use]
    pub const fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// What was found in these records, and outside records.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// Fails if the set has to be refused. See [`Refused`].
    ///
    /// # Errors
    /// Under [`OverLimit::Refuse`], if these agents lose something to a limit. Under [`OverLimit::Widen`], if
    /// `Disallow: /` is needed and the limits leave no space for it.
    pub fn check(&self) -> Result<(), Refused> {
        check(self.options, &self.report)
    }

    pub(crate) fn into_report(self) -> Report {
        self.report
    }

    /// Whether the rules may allow what the input disallows, because of a loss.
    fn may_permit_more(&self) -> bool {
        self.report.may_permit_more()
    }

    /// Adds the lines of a record, in file order, up to the limit for one record.
    fn add(&mut self, rules: &'s [Rule<'a>], extensions: &[&'s ExtensionLine<'a>]) {
        let mut extensions = extensions.iter().copied().peekable();
        for rule in rules.iter().filter(|rule| !rule.pattern.is_empty()) {
            while let Some(line) = extensions.next_if(|line| line.line <= rule.line) {
                self.add_extension(line);
            }
            if self.has_room() {
                self.rules.push(rule);
            } else {
                self.lose(rule.line, FindingKind::TooManyLines, rule.effect_of_losing());
            }
        }
        for line in extensions {
            self.add_extension(line);
        }
    }

    fn add_extension(&mut self, line: &'s ExtensionLine<'a>) {
        if self.has_room() {
            self.extensions.push(line);
        } else {
            self.lose(line.line, FindingKind::TooManyLines, Effect::None);
        }
    }

    fn has_room(&self) -> bool {
        self.rules.len().saturating_add(self.extensions.len()) < self.max_lines
    }

    fn lose(&mut self, line: LineNumber, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    /// Leaves out the lines that do not fit into the text. Returns false if the record itself does not fit.
    pub(crate) fn fit(&mut self, budget: &mut TextBudget) -> bool {
        let options = self.options;
        let before = *budget;
        let report = &mut self.report;
        self.rules.retain(|rule| {
            let kind = budget.take_rule(rule);
            report.extend(kind.map(|kind| Finding { line: rule.line, kind, effect: rule.effect_of_losing() }));
            kind.is_none()
        });
        let is_open = self.rules.first().is_none_or(|rule| rule.line.is_some());
        if options.over_limit == OverLimit::Widen && self.may_permit_more() && is_open {
            self.disallow_everything();
            *budget = before;
            self.rules.retain(|rule| budget.take_rule(rule).is_none());
        }
        let has_room = !self.rules.is_empty() || budget.take_empty_rule();
        self.inherited.retain(|line| budget.keeps_extension(line, &mut self.report));
        self.extensions.retain(|line| budget.keeps_extension(line, &mut self.report));
        has_room
    }

    /// Shortening a rule cannot compensate for the loss; only `Disallow: /` is safe.
    fn disallow_everything(&mut self) {
        let line = self.report.first_loss().and_then(|loss| loss.line);
        self.lose(line, FindingKind::AllDisallowed, Effect::MoreRestrictive);
        self.rules.clear();
        self.rules.push(&DISALLOW_ALL);
        while self.extensions.len() >= self.max_lines
            && let Some(lost) = self.extensions.pop()
        {
            self.lose(lost.line, FindingKind::TooManyLines, Effect::None);
        }
    }

    /// A shortened Disallow has a lower rank. If it used to win over an Allow and would now lose to it, the Allow is
    /// dropped. Otherwise widening would permit more.
    fn drop_outranked(&mut self, among: Option<(usize, usize)>, options: &Options) {
        let Some((lowest, highest)) = among else { return };
        let report = &mut self.report;
        self.rules.retain(|rule| {
            let safe = |rank: usize| rank < lowest || rank >= highest;
            let implied = rule.implied_directory(options).map(|implied| implied.len());
            let stays = rule.kind == RuleKind::Disallow || safe(rule.pattern.len()) && implied.is_none_or(safe);
            if !stays {
                let effect = Effect::MoreRestrictive;
                report.push(Finding { line: rule.line, kind: FindingKind::AllowOutranked, effect });
            }
            stays
        });
    }
}

/// Which records of a set apply.
pub(crate) fn who_answers(set: &RecordSet<'_>, interest: &Interest) -> AnsweredBy {
    match set.records().filter_map(|record| preference_of(&record, interest)).min() {
        Some(best) => AnsweredBy::Agent(best),
        None if interest.fallback && set.records().any(|record| is_everyones(&record)) => AnsweredBy::Everyone,
        None => AnsweredBy::Nobody,
    }
}

/// Whether a record is one of those that apply.
pub(crate) fn answers(record: &Record<'_, '_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    match answered_by {
        AnsweredBy::Agent(best) => preference_of(record, interest)
            .is_some_and(|preference| preference == best || record.options().union_of_agents),
        AnsweredBy::Everyone => is_everyones(record),
        AnsweredBy::Nobody => false,
    }
}

/// The preference of the most preferred agent that a record names.
fn preference_of(record: &Record<'_, '_>, interest: &Interest) -> Option<usize> {
    let form = record.options().agents;
    record.agents().iter().filter_map(|line| interest.agents.named_by(&line.name, form)).min()
}

pub(crate) fn is_everyones(record: &Record<'_, '_>) -> bool {
    record.agents().iter().any(|line| line.name.is_everyone())
}

/// `[value.everybody]`, `[usage.inherited]`: the lines of others that are also for the selected agent: the crawl delays
/// above all records; and if its records say nothing of uses, what those above all records and, if its own records name
/// it, those of `*` restrict. Cost: looks at the lines of the records for `*`.
fn inherited<'a>(
    set: &RecordSet<'a>,
    interest: &Interest,
    answered_by: AnsweredBy,
    own: &[&ExtensionLine<'a>],
) -> Vec<ExtensionLine<'a>> {
    let mut lines = Vec::new();
    if set.general.is_empty() && !has_signals_of_others(set, interest, answered_by) {
        return lines;
    }
    let is_silent = !own.iter().any(|line| is_signal(line));
    let mut add = |line: &ExtensionLine<'a>| match line.directive {
        Directive::CrawlDelay => lines.push(line.clone()),
        _ if is_silent && is_signal(line) => lines.extend(restricting(line.directive, &line.value).map(|value| {
            let value = Cow::Owned(value.into_bytes());
            ExtensionLine { block: None, value, ..line.clone() }
        })),
        _ => {}
    };
    set.general.iter().for_each(&mut add);
    if is_silent && has_signals_of_others(set, interest, answered_by) {
        for record in set.records().filter(is_everyones) {
            let values = values_that_answer(&record, interest, AnsweredBy::Everyone);
            values.filter(|line| is_signal(line)).for_each(&mut add);
        }
    }
    lines
}

/// Whether there are lines of others that are also for the selected agent, if all lines of its records are for it.
pub(crate) fn may_inherit(set: &RecordSet<'_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    let own = set.records().filter(|record| answers(record, interest, answered_by));
    let own: Vec<_> = own.flat_map(|record| record.extensions()).collect();
    !inherited(set, interest, answered_by, &own).is_empty()
}

fn has_signals_of_others(set: &RecordSet<'_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    interest.fallback && matches!(answered_by, AnsweredBy::Agent(_)) && set.extensions.iter().any(is_signal)
}

/// Whether a line says what content may be used for.
const fn is_signal(line: &ExtensionLine<'_>) -> bool {
    matches!(line.directive, Directive::ContentSignal | Directive::ContentUsage)
}

/// The other lines of a record that are for the selected agents.
fn values_that_answer<'s, 'a>(
    record: &Record<'s, 'a>,
    interest: &Interest,
    answered_by: AnsweredBy,
) -> impl Iterator<Item = &'s ExtensionLine<'a>> + use<'s, 'a> {
    let (values, options) = (record.extensions(), record.options());
    let answers = |name: &AgentName<'_>| match answered_by {
        AnsweredBy::Agent(best) => interest
            .agents
            .named_by(name, options.agents)
            .is_some_and(|preference| preference == best || options.union_of_agents),
        AnsweredBy::Everyone => name.is_everyone(),
        AnsweredBy::Nobody => false,
    };
    // Most values are for all agents.
    let asked = if values.iter().any(|line| line.block.is_some()) { record.agents() } else { &[] };
    let agents: Vec<LineNumber> = asked.iter().filter(|agent| answers(&agent.name)).map(|agent| agent.line).collect();
    let is_for_them = move |line: &&ExtensionLine<'_>| {
        let next = agents.get(agents.partition_point(|&agent| agent < line.block));
        line.block.is_none() || next.is_some_and(|&agent| line.is_for(agent))
    };
    values.iter().filter(is_for_them)
}

/// Whether all of the record's other lines are for the selected agents.
pub(crate) fn all_lines_answer(record: &Record<'_, '_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    values_that_answer(record, interest, answered_by).count() == record.extensions().len()
}

/// `[over-limit.refuse]`, and widening if `Disallow: /` does not fit.
pub(crate) fn check(options: &Options, report: &Report) -> Result<(), Refused> {
    let Some(finding) = report.first_loss() else { return Ok(()) };
    let no_room = options.limits.max_lines == 0 || options.limits.max_value_length == 0;
    match options.over_limit {
        OverLimit::Refuse => Err(Refused { finding }),
        OverLimit::Widen if no_room && report.may_permit_more() => Err(Refused { finding }),
        _ => Ok(()),
    }
}

/// The lowest rank of a widened rule, and the highest rank that one had before it was widened.
pub(crate) type Widened = Option<(usize, usize)>;

pub(crate) fn widened_ranks<'r, 'a: 'r>(rules: impl Iterator<Item = &'r Rule<'a>>) -> Widened {
    rules.filter(|rule| rule.len_before_widening > rule.pattern.len()).fold(None, |ranks, rule| {
        let (lowest, highest) = ranks.unwrap_or((usize::MAX, 0));
        Some((lowest.min(rule.pattern.len()), highest.max(rule.len_before_widening)))
    })
}
