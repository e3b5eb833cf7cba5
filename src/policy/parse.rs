//! Lines -> [`RecordSet`]: finds the record and the meaning of each line, and checks the limits.
//!
//! Invariant: parsing is total, reads each line once, and is the only spender of the budget. The cost of a line is
//! bounded by its length. The memory is bounded by the limits. A line that exceeds a limit is lost alone; the lines
//! below it are not.

mod extension;
mod listed;
mod open;
mod reading;
mod suspects;

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use self::open::{Budget, Open, Standing};
use self::reading::ReadAll;
use crate::limits::{Limits, OverLimit};
use crate::path::pattern::{PathPattern, PathRepairs};
use crate::policy::agent::{AgentName, Interest};
use crate::policy::options::{For, Options};
use crate::policy::record::{AgentLine, RecordSet, Rule};
use crate::report::{Effect, Finding, FindingKind, LineNumber};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::fast::Ways;
use crate::syntax::grammar::{Style, Syntax};
use crate::syntax::logical::{Lines, whole_lines};
use crate::syntax::names::{Directive, DirectiveScope, RuleKind};
use crate::syntax::preamble::{self, Preamble};
use crate::syntax::wide::{self, Decoded};

/// Parses robots.txt files, with fixed options.
///
/// ```
/// use robosieve::records::Parser;
/// let set = Parser::default().parse(b"User-agent: A\nUseragent: B\nDisallow: /x # not here\n");
/// let record = set.records().next().unwrap();
/// assert_eq!(record.agents().len(), 2);
/// assert_eq!(record.rules()[0].pattern().as_bytes(), b"/x");
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    pub(crate) options: Arc<Options>,
    /// The agents to keep records for; none for all agents.
    pub(crate) interest: Option<Arc<Interest>>,
    /// How bytes are scanned.
    pub(crate) ways: Ways,
    /// Whether the report says what the input looks like. Nothing else needs to know.
    sniffs_kind: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Parser {
    /// Makes a parser with these options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options: Arc::new(options), interest: None, ways: Ways::detect(), sniffs_kind: true }
    }

    /// Keeps only records that can matter to these agents, and reports only on those. Faster than parsing everything
    /// and filtering, with the same answers.
    #[must_use]
    pub fn for_agents(mut self, interest: Interest) -> Self {
        self.interest = Some(Arc::new(interest));
        self
    }

    /// Uses no vector instructions. The result is the same.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn without_vectors(mut self) -> Self {
        self.ways = Ways::scalar();
        self
    }

    /// What the meaning of a line depends on.
    fn syntax(&self) -> Syntax<'_> {
        Syntax {
            style: self.options.lines,
            fold: self.options.fold,
            keep_trailing_spaces: self.options.keep_trailing_spaces,
            vocabulary: &self.options.vocabulary,
            limits: &self.options.limits,
            #[cfg(test)]
            reads_usual_names: true,
        }
    }

    /// This parser for verdicts, for these agents.
    pub(crate) fn for_verdicts(&self, interest: &Arc<Interest>) -> Self {
        Self {
            options: match self.options.reads_for {
                For::Text => Arc::new(Options::clone(&self.options).for_verdicts()),
                For::Verdicts => Arc::clone(&self.options),
            },
            interest: Some(Arc::clone(interest)),
            ways: self.ways,
            sniffs_kind: self.options.over_limit != OverLimit::Drop,
        }
    }

    /// The part of a file that is read, and why it is not all of it.
    fn part_within<'a>(&self, body: &'a [u8], max_bytes: usize, complete: bool) -> (&'a [u8], Option<Finding>) {
        let (kept, is_cut) = preamble::within(body, max_bytes);
        let read = if is_cut || complete { kept } else { bytes::part(kept, 0..whole_lines(kept, self.syntax())) };
        let kind = match (is_cut, complete) {
            (true, _) => FindingKind::InputCut,
            (false, false) => FindingKind::InputIncomplete,
            (false, true) => return (read, None),
        };
        // The line after those that are read. If the file has none, the last line.
        let next = u32::from(is_cut || read.len() < kept.len());
        let line = NonZeroU32::new(preamble::count_lines(read).saturating_add(next).max(1));
        (read, Some(Finding { line, kind, effect: Effect::Either }))
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Parses a whole file. Never fails. Cost: time in proportion to the input that is read; memory in proportion to
    /// what is kept.
    #[must_use]
    pub fn parse<'a>(&self, input: &'a [u8]) -> RecordSet<'a> {
        match self.decode(input) {
            Some(decoded) => self.parse_all(Parsing::of_decoded(self, &decoded)).into_owned(),
            None => self.parse_all(Parsing::new(self, input)),
        }
    }

    /// `[input.utf16]`: the text of a file in UTF-16 or UTF-32, if its lines are not those of Google's parser.
    #[inline]
    fn decode(&self, input: &[u8]) -> Option<Decoded> {
        let is_decoded = self.options.lines == Style::Standard;
        if is_decoded { wide::decode(input, self.options.limits.max_bytes) } else { None }
    }

    fn parse_all<'a>(&self, mut parsing: Parsing<'a, '_>) -> RecordSet<'a> {
        self.ways.run(ReadAll(&mut parsing));
        parsing.finish_record();
        parsing.set.report.sort();
        parsing.set
    }
}

/// Initial capacity for rules. In most files no second allocation is needed.
const FIRST_RULES: usize = 128;
const FIRST_LINE: LineNumber = Some(NonZeroU32::MIN);
/// The bytes of a short line with a rule.
const BYTES_OF_A_RULE: usize = 24;

/// The state of reading a file. A user-agent line belongs to the open run of them, or begins a group; the first rule ends
/// the run. Other lines end a block of user-agent lines, which values are for, but not the run.
struct Parsing<'a, 'p> {
    parser: &'p Parser,
    lines: Lines<'a, 'p>,
    limits: Limits,
    budget: Budget,
    set: RecordSet<'a>,
    open: Option<Open>,
    /// Whether the open record is within `max_records`.
    record_fits: bool,
    /// For the canonical spelling of a value.
    spelled: Vec<u8>,
}

impl<'a, 'p> Parsing<'a, 'p> {
    fn new(parser: &'p Parser, input: &'a [u8]) -> Self {
        let preamble = if parser.sniffs_kind { preamble::sniff(input) } else { preamble::as_text(input) };
        let Options { limits, complete, .. } = &*parser.options;
        let (kept, loss) = parser.part_within(preamble.body, limits.max_bytes, *complete);
        Self::start(parser, &preamble, kept, loss.into_iter())
    }

    /// Begins to read a text that was decoded.
    fn of_decoded(parser: &'p Parser, decoded: &'a Decoded) -> Self {
        let complete = parser.options.complete && !decoded.is_ragged;
        let (kept, loss) = parser.part_within(&decoded.text, decoded.limit, complete);
        let broken = decoded.broken.and_then(NonZeroU32::new).map(|line| Finding {
            line: Some(line),
            kind: FindingKind::BrokenCharacter,
            effect: Effect::Either,
        });
        Self::start(parser, &preamble::sniff_decoded(&decoded.text), kept, loss.into_iter().chain(broken))
    }

    /// Begins to read these lines of a file, of which this was found.
    fn start(
        parser: &'p Parser,
        preamble: &Preamble<'_>,
        kept: &'a [u8],
        found: impl Iterator<Item = Finding>,
    ) -> Self {
        let (options, limits) = (&parser.options, parser.options.limits);
        let mut set = RecordSet::new(options);
        set.is_incomplete = !options.complete;
        set.read_for.clone_from(&parser.interest);
        set.report.set_input(preamble.kind);
        set.report.extend(preamble.findings().map(|(kind, effect)| Finding { line: FIRST_LINE, kind, effect }));
        for finding in found {
            set.is_incomplete |= finding.kind == FindingKind::InputIncomplete;
            set.report.push(finding);
        }
        set.rules.reserve(FIRST_RULES.min(kept.len() / BYTES_OF_A_RULE).min(limits.max_lines));
        Self {
            lines: Lines::new(kept, parser.syntax()),
            limits,
            budget: Budget::new(&limits),
            set,
            open: None,
            record_fits: true,
            spelled: Vec::new(),
            parser,
        }
    }

    #[inline]
    fn standing(&self) -> Standing {
        self.open.as_ref().map_or(Standing::Nobodys, Open::standing)
    }

    /// Reports a finding: for the record that is open, or for the file if that record is ignored or lost. Reports
    /// nothing in a record of other agents.
    fn found(&mut self, line: LineNumber, kind: FindingKind, effect: Effect) {
        let finding = Finding { line, kind, effect };
        let report = match &mut self.open {
            Some(Open { report: Some(report), matters: true, .. }) => report,
            None => &mut self.set.report,
            Some(_) => return self.found_first(finding),
        };
        report.push(finding);
    }

    /// Reports a finding where the open record has no report yet, or is not known to matter.
    #[inline(never)]
    fn found_first(&mut self, finding: Finding) {
        let Some(open) = &mut self.open else { return };
        match open.standing() {
            Standing::Foreign => {}
            Standing::Kept => open.push(finding, self.parser.options.max_details),
            Standing::Lost(..) | Standing::Nobodys => self.set.report.push(finding),
        }
    }

    /// Reports a finding on a line of this directive. It belongs to the file if the line does.
    fn found_of(&mut self, directive: Directive, line: LineNumber, kind: FindingKind, effect: Effect) {
        if self.parser.options.vocabulary.scope(directive) == DirectiveScope::File {
            self.found_in_file(line, kind, effect);
        } else {
            self.found(line, kind, effect);
        }
    }

    /// Reports a finding that belongs to no record.
    fn found_in_file(&mut self, line: LineNumber, kind: FindingKind, effect: Effect) {
        self.set.report.push(Finding { line, kind, effect });
    }

    /// `[agent.value]`: reads the name from the value, and adds it to the record if it can matter.
    #[inline(never)]
    fn user_agent(&mut self, line: LineNumber, value: Cow<'a, [u8]>, fits: bool) {
        let form = self.parser.options.agents;
        let length = AgentName::length_in(&value, form);
        if length == 0 && form == Style::Standard {
            return self.without_name(line, &value);
        }
        if length < value.len() {
            self.report_agent_rest(line, &value, length);
        }
        let name = AgentName::take(value, length);
        let preference = match &self.parser.interest {
            None => Some(0),
            Some(interest) => interest.preference_of(&name, &self.parser.options),
        };
        let loss = if !fits {
            Some(FindingKind::DirectiveTooLong)
        } else if !self.record_fits {
            Some(FindingKind::TooManyRecords)
        } else if !self.budget.agent() {
            Some(FindingKind::TooManyAgents)
        } else if length > self.limits.max_name_length {
            Some(FindingKind::NameTooLong)
        } else {
            None
        };
        let Some(open) = &mut self.open else { return };
        open.is_named = true;
        open.block.is_named = true;
        open.block.is_general |= name.is_everyone() || preference.is_some() && self.parser.interest.is_some();
        let Some(preference) = preference else { return };
        match loss {
            None => {
                open.matters = true;
                self.set.agents.push(AgentLine { line, name });
            }
            Some(kind) => {
                let best = open.lost.map_or(preference, |(_, best)| best.min(preference));
                open.lost = Some((kind, best));
                self.lose_for(preference, Finding { line, kind, effect: Effect::Either });
            }
        }
    }

    /// `[record.run]`, `[path.*]`, `[over-limit.*]`: adds a rule to the open record.
    #[inline]
    fn rule(&mut self, line: LineNumber, kind: RuleKind, value: Cow<'a, [u8]>, flags: Flags, name_fits: bool) {
        self.end_run_by_rule(kind, value.is_empty());
        let standing = self.standing();
        if standing == Standing::Foreign {
            return;
        }
        // A colon needs no normalisation. Its flag is for suspects alone.
        let (pattern, repairs) = if standing != Standing::Kept || !may_be_suspect(&value, flags) {
            PathPattern::read_asking(value, flags.without(Flags::COLON), self.parser.options.paths)
        } else {
            self.unusual_path(line, kind, value, flags)
        };
        let mut rule = Rule { line, kind, len_before_widening: pattern.len(), pattern, flags: repairs.flags };
        if standing != Standing::Kept {
            return self.lose(line, standing, rule.effect_of_losing());
        }
        if !name_fits {
            return self.found(line, FindingKind::DirectiveTooLong, rule.effect_of_losing());
        }
        if repairs.encoded || repairs.slash_added {
            self.repaired_path(line, repairs);
        }
        if let Some(over) = self.over_limit(&rule.pattern, repairs.wildcards) {
            let Some(wider) = self.widen(&rule, over) else { return };
            rule.pattern = wider;
        }
        if rule.pattern.is_empty() {
            // An empty rule has no effect. One is kept for all of them, and it counts against no limit.
            if self.open.as_ref().is_some_and(|open| open.rules == self.set.rules.len()) {
                self.set.rules.push(rule);
            }
        } else if self.budget.line() {
            self.set.rules.push(rule);
        } else {
            self.found(line, FindingKind::TooManyLines, rule.effect_of_losing());
        }
    }

    #[cold]
    fn repaired_path(&mut self, line: LineNumber, repairs: PathRepairs) {
        let found = [(repairs.encoded, FindingKind::EncodedBytes), (repairs.slash_added, FindingKind::MissingSlash)];
        for (_, kind) in found.into_iter().filter(|(is_found, _)| *is_found) {
            self.found(line, kind, Effect::None);
        }
    }

    /// The limit that a pattern exceeds, if any.
    #[inline]
    fn over_limit(&self, pattern: &PathPattern<'_>, wildcards: usize) -> Option<FindingKind> {
        if pattern.len() > self.limits.max_value_length {
            return Some(FindingKind::ValueTooLong);
        }
        (wildcards > self.limits.max_wildcards).then_some(FindingKind::TooManyWildcards)
    }

    /// The pattern that remains of a rule over a limit: that of a wider Disallow, if widening is chosen and possible.
    #[cold]
    fn widen(&mut self, rule: &Rule<'a>, over: FindingKind) -> Option<PathPattern<'a>> {
        let Limits { max_value_length, max_wildcards, .. } = self.limits;
        let can_widen = rule.kind == RuleKind::Disallow && max_value_length > 0;
        if self.parser.options.over_limit == OverLimit::Widen && can_widen {
            self.found(rule.line, FindingKind::Widened, Effect::MoreRestrictive);
            return Some(rule.pattern.widened(max_value_length, max_wildcards, self.parser.options.paths));
        }
        self.found(rule.line, over, rule.effect_of_losing());
        None
    }
}

/// Whether the value of a rule can be suspect: it does not begin like a path, or it contains a colon, or a byte that
/// must be encoded in a URL.
#[inline]
fn may_be_suspect(value: &[u8], flags: Flags) -> bool {
    flags.has(Flags::RAW | Flags::HIGH | Flags::COLON) || !matches!(value.first(), None | Some(b'/' | b'*'))
}

/// Trims the blanks at the end of a value that is not a path. They mean nothing, even if those of paths are kept.
#[inline]
fn trimmed(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if value.last().copied().is_some_and(bytes::is_blank) { without_last_blanks(value) } else { value }
}

#[cold]
fn without_last_blanks(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let length = bytes::trim_end(&value, bytes::is_blank).len();
    bytes::front(value, length)
}
